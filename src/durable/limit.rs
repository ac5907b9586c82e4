//! Outliving a limit on the size of files.
//!
//! A write beyond the limit (`ulimit -f`) ends a process by a signal, unless it is handled; then the write fails, as on a
//! full disk. Rust ignores that signal no more than C does.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGXFSZ;

/// From now on a write beyond the limit fails. Without a limit, which is as good as always, this is one system call.
pub fn outlive_file_limit() {
    if getrlimit(Resource::Fsize).current.is_some() {
        // Where it cannot be handled, all is as it was.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}
