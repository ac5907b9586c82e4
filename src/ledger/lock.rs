//! One writer at a time: an exclusive lock on `ledger.lock`, waited for only so long.
//!
//! The file is never removed, or two processes could hold locks on two files of that name. It is the operating system's
//! lock, so it ends with the process that holds it, however that ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::durable;
use crate::layout;

/// The pause after a first failed try; it doubles up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(5);
/// A ledger's id and a newline fit into this.
const MARK_MAX: usize = 64;

/// The lock, held until dropped.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Takes the lock for writing, making its file where there is none. `Ok(None)`: somebody held it all the while.
    pub fn exclusive(dir: &Path, wait: Duration) -> io::Result<Option<Lock>> {
        let file = durable::open_append(&dir.join(layout::LOCK))?;
        poll(file, wait, fs2::FileExt::try_lock_exclusive)
    }

    /// Takes the lock for a look, without changing anything on disk. `Ok(None)`: somebody held it all the while.
    pub fn shared(dir: &Path, wait: Duration) -> io::Result<Option<Lock>> {
        let file = durable::open(&dir.join(layout::LOCK))?;
        poll(file, wait, fs2::FileExt::try_lock_shared)
    }

    /// The id of the ledger that was begun here; empty where none was.
    pub fn mark(&self) -> io::Result<String> {
        let mut bytes = [0; MARK_MAX];
        let read = self.0.read_at(&mut bytes, 0)?;
        Ok(String::from_utf8_lossy(&bytes[..read]).trim_end().to_owned())
    }

    /// Notes that a ledger was begun here.
    pub fn set_mark(&self, id: &str) -> io::Result<()> {
        durable::append(&self.0, format!("{id}\n").as_bytes())
    }
}

fn poll(file: File, wait: Duration, take: fn(&File) -> io::Result<()>) -> io::Result<Option<Lock>> {
    let held = fs2::lock_contended_error().raw_os_error();
    let mut until = None;
    let mut pause = PAUSE_MIN;
    loop {
        match take(&file) {
            Ok(()) => return Ok(Some(Lock(file))),
            Err(error) if error.raw_os_error() == held || error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        let now = Instant::now();
        let until = *until.get_or_insert(now + wait);
        if now >= until {
            return Ok(None);
        }
        sleep(pause.min(until - now));
        pause = (pause * 2).min(PAUSE_MAX);
    }
}
