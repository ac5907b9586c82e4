//! From drafts to entries: many under one lock, while reading goes on.

use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::time::Duration;

use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::ledger::{Append, Appended, Draft, Ledger};

/// Drafts of one append: as many, and of lines of so many bytes. Another reader of the same rollout must find what this
/// one wrote in the part of the ledger that an append looks at.
const MOST: usize = 128;
const MOST_BYTES: usize = 160 << 10;

/// What a draft takes in the ledger's line: what is longer lies beside it.
const DRAFT_MIN: usize = 1 << 10;
const DRAFT_MAX: usize = 8 << 10;

/// What drafts hold at most in memory before they are appended, measured by the lines they are of.
const HELD_MAX: usize = 4 << 20;

/// Batches that wait for the appender before reading waits too.
pub const BATCHES_WAITING: usize = 1;

/// Gathers drafts and hands them over.
pub struct Batches {
    to: SyncSender<Vec<Draft>>,
    /// What is appended comes back, to be freed by the thread that made it: two threads at one allocator wait for each
    /// other, which took a third of the time.
    done: Receiver<Vec<Draft>>,
    drafts: Vec<Draft>,
    bytes: usize,
    held: usize,
    closed: bool,
}

impl Batches {
    pub fn new(to: SyncSender<Vec<Draft>>, done: Receiver<Vec<Draft>>) -> Batches {
        Batches { to, done, drafts: Vec::new(), bytes: 0, held: 0, closed: false }
    }

    /// The drafts of one line, which was `bytes` long; they are never parted.
    pub fn add(&mut self, drafts: Vec<Draft>, bytes: usize) {
        self.bytes += drafts.len() * bytes.clamp(DRAFT_MIN, DRAFT_MAX);
        self.held += bytes;
        self.drafts.extend(drafts);
        if self.drafts.len() >= MOST || self.bytes >= MOST_BYTES || self.held >= HELD_MAX {
            self.send();
        }
    }

    pub fn send(&mut self) {
        if !self.drafts.is_empty() {
            self.closed |= self.to.send(std::mem::take(&mut self.drafts)).is_err();
            self.done.try_iter().for_each(drop);
        }
        (self.bytes, self.held) = (0, 0);
    }

    /// Nobody takes them any more: appending failed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

/// Appends batch by batch, and gives each back, until there are no more or one cannot be appended. Says the number of the
/// last entry.
pub fn append_all(
    ledger: &Ledger,
    wait: Duration,
    batches: &Receiver<Vec<Draft>>,
    done: &Sender<Vec<Draft>>,
) -> Result<Option<u64>> {
    let mut last = None;
    for drafts in batches {
        let appended = ledger.append_shared(&drafts, &Append { wait, sync: Sync::None });
        let appended =
            appended.map_err(|error| Error::unable("ledger", format!("{error}; nothing is lost: run it again")))?;
        last = appended.iter().rev().find_map(Appended::written).or(last);
        // Nobody waits for the last ones.
        let _ = done.send(drafts);
    }
    Ok(last)
}
