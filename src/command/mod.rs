//! One file a verb: what each subcommand does, from its arguments to its exit code.

mod capture;
pub mod checkpoint;
pub mod completions;
pub mod demo;
pub mod docket;
pub mod doctor;
pub mod evidence;
pub mod export;
pub mod hook;
pub mod human;
pub mod install;
pub mod judge;
pub mod key;
pub mod log;
pub mod report;
pub mod run;
mod session;
pub mod sessions;
pub mod show;
pub mod snapshot;
mod stop;
pub mod tail;
pub mod terminal;
pub mod uninstall;
pub mod verify;
mod why;

use std::io;

use crate::error::{Error, Exit, Result};

/// For whom a verb writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Text,
    Json,
}

/// Whether what is not the answer itself (legends, summaries of what was done) is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    Yes,
    No,
}

/// What a verb ends with after writing to standard output. A reader that has gone away wants no more, and no complaint.
pub fn wrote(written: io::Result<()>, exit: Exit) -> Result<Exit> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::unable("io", format!("failed to write to standard output: {error}")))
        }
        _ => Ok(exit),
    }
}
