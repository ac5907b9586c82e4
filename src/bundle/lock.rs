//! One seal at a time a project, and nothing collected while one is made.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::durable;
use crate::error::{Error, Result};
use crate::layout;

/// How often a lock that another holds is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock, held until dropped. The file is never removed.
pub struct SealLock(#[allow(dead_code)] File);

impl SealLock {
    /// Waits for it, until `stop`; `waiting` is called once, if it has to.
    pub fn take(dir: &Path, wait: Duration, stop: &AtomicBool, waiting: &mut dyn FnMut()) -> Result<SealLock> {
        let path = dir.join(layout::SEAL_LOCK);
        let file = durable::open_append(&path).map_err(|e| Error::io("lock", &path, e))?;
        let since = Instant::now();
        let mut told = false;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(SealLock(file)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if since.elapsed() < wait => {}
                Err(Errno::WOULDBLOCK) => {
                    let message = format!(
                        "failed to lock: {}: another seal held it for {} s; try again",
                        path.display(),
                        wait.as_secs()
                    );
                    return Err(Error::unable("lock", message));
                }
                Err(error) => return Err(Error::io("lock", &path, error)),
            }
            if stop.load(Ordering::Relaxed) {
                return Err(super::process::Interrupted.into());
            }
            if !std::mem::replace(&mut told, true) {
                waiting();
            }
            std::thread::sleep(PAUSE);
        }
    }
}
