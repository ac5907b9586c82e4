//! One writer at a time: an exclusive lock on `ledger.lock`, waited for only so long.
//!
//! The file is never removed, or two processes could hold locks on two files of that name. It is the operating system's
//! lock, so it ends with the process that holds it, however that ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::durable;
use crate::layout;

/// The pause after a first failed try; it doubles up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(5);
/// A ledger's id and a newline.
const MARK_LEN: usize = 33;

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

    /// The id of the ledger that was begun here.
    pub fn mark(&self) -> io::Result<Option<String>> {
        let mut bytes = [0; MARK_LEN];
        let read = self.0.read_at(&mut bytes, 0)?;
        Ok(parse_mark(&bytes[..read]))
    }

    /// Notes that a ledger was begun here.
    pub fn set_mark(&self, id: &str) -> io::Result<()> {
        durable::append(&self.0, format!("{id}\n").as_bytes())
    }
}

/// The same without the lock.
pub(super) fn mark(dir: &Path) -> Option<String> {
    parse_mark(&durable::read_small(&dir.join(layout::LOCK), MARK_LEN as u64).ok()?)
}

/// A mark that a crash cut short is none.
fn parse_mark(bytes: &[u8]) -> Option<String> {
    let id = bytes.strip_suffix(b"\n").filter(|id| id.len() == MARK_LEN - 1)?;
    String::from_utf8(id.to_vec()).ok()
}

/// How long this process still waits for locks, in all, in microseconds.
static PATIENCE: AtomicU64 = AtomicU64::new(u64::MAX);

/// From now on all waits of this process for locks together take no longer than this: somebody waits for it.
pub fn wait_at_most(all: Duration) {
    PATIENCE.store(all.as_micros() as u64, Ordering::Relaxed);
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
        let left = Duration::from_micros(PATIENCE.load(Ordering::Relaxed));
        if now >= until || left.is_zero() {
            return Ok(None);
        }
        sleep(pause.min(until - now));
        let slept = now.elapsed().as_micros() as u64;
        let less = |left: u64| Some(if left == u64::MAX { left } else { left.saturating_sub(slept) });
        let _ = PATIENCE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        pause = (pause * 2).min(PAUSE_MAX);
    }
}
