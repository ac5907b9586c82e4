//! From what is written out to entries: many under one lock, while reading goes on.

use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::ledger::{Append, AppendError, Appended, Ledger, Written};

/// Entries of one append: as many, of so many bytes. Another reader of the same rollout must find what this
/// one wrote in the part of the ledger that an append looks at.
const MOST: usize = 128;
const MOST_BYTES: usize = 160 << 10;

/// What an entry takes beside its body, at most.
const AROUND: usize = 512;

/// Batches that wait for the appender before reading waits too.
pub const BATCHES_WAITING: usize = 1;

/// Gathers what is written out and hands it over.
pub struct Batches {
    to: SyncSender<Vec<Written>>,
    written: Vec<Written>,
    bytes: usize,
    closed: bool,
}

impl Batches {
    pub fn new(to: SyncSender<Vec<Written>>) -> Batches {
        Batches { to, written: Vec::new(), bytes: 0, closed: false }
    }

    /// What one line left; it is never parted.
    pub fn add(&mut self, written: Vec<Written>) {
        self.bytes += written.iter().map(|one| one.size() + AROUND).sum::<usize>();
        self.written.extend(written);
        if self.written.len() >= MOST || self.bytes >= MOST_BYTES {
            self.send();
        }
    }

    pub fn send(&mut self) {
        if !self.written.is_empty() {
            self.closed |= self.to.send(std::mem::take(&mut self.written)).is_err();
        }
        self.bytes = 0;
    }

    /// Nobody takes them any more: appending failed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

/// Appends batch by batch, until there are no more or one cannot be appended. Says the number of the last entry.
pub fn append_all(ledger: &Ledger, wait: Duration, batches: &Receiver<Vec<Written>>) -> Result<Option<u64>> {
    let mut last = None;
    for written in batches {
        let appended = ledger.append_written(&written, &Append { wait, sync: Sync::None }).map_err(not_recorded)?;
        last = appended.iter().rev().find_map(Appended::written).or(last);
    }
    Ok(last)
}

/// The error of a reader that cannot record what it read.
pub fn not_recorded(error: AppendError) -> Error {
    Error::unable("ledger", format!("{error}; nothing is lost: run it again"))
}
