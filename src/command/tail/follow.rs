//! Staying: whatever is written to a rollout is taken up as it comes.
//!
//! The system says when something changed; what changed is found by looking at the files themselves. So an event that is
//! missed costs a moment, and where the system cannot say anything (a network disk), looking every second is enough.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::Found;
use super::reader::{Passed, Reader};
use crate::command::wrote;
use crate::error::{Exit, Result};
use crate::text::{Lines, sanitise};

/// How often files are looked at where the system says what changes, and where it does not.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_secs(1);

/// Events come in bursts: a line is written, the file's times change.
const SETTLE: Duration = Duration::from_millis(5);
const BURST: usize = 200;

/// What a file was when it was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Stamp { inode: meta.ino(), len: meta.len(), modified: (meta.mtime(), meta.mtime_nsec()) })
    }
}

/// Goes on until the process is stopped, or nobody reads what it says any more.
pub fn follow(found: &Found, within: Option<Duration>, reader: &mut Reader, out: &mut dyn Write) -> Result<Exit> {
    let watch = Watch::new(&found.places());
    let mut read: HashMap<PathBuf, Stamp> = HashMap::new();
    let mut complained = HashSet::new();
    let mut live = false;
    loop {
        for path in found.now(within) {
            let Some(stamp) = Stamp::of(&path).filter(|stamp| read.get(&path) != Some(stamp)) else { continue };
            read.insert(path.clone(), stamp);
            match reader.pass(&path, live, &mut |_| {}) {
                Ok(passed) => {
                    complained.remove(&path);
                    if let Err(error) = say(&path, passed, out) {
                        return wrote(Err(error), Exit::Holds);
                    }
                }
                Err(error) => {
                    // It is tried again when it changes; a ledger that is locked for long is another's to let go.
                    read.remove(&path);
                    if complained.insert(path) {
                        let _ = writeln!(std::io::stderr(), "deeds: {}", sanitise(&error.to_string(), Lines::Escape));
                    }
                }
            }
        }
        live = true;
        watch.wait();
    }
}

/// One line for each file of which something was recorded.
fn say(path: &Path, passed: Passed, out: &mut dyn Write) -> std::io::Result<()> {
    let Passed::Read { recorded } = passed else { return Ok(()) };
    if recorded == 0 {
        return Ok(());
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    writeln!(out, "{}: {recorded} recorded", sanitise(&name, Lines::Escape))?;
    out.flush()
}

/// The system's word that something changed.
struct Watch {
    /// Kept for as long as it is to say anything.
    _watcher: Option<RecommendedWatcher>,
    changes: Receiver<()>,
    /// Keeps `changes` open where nobody sends.
    _open: Sender<()>,
    every: Duration,
}

impl Watch {
    fn new(places: &[(PathBuf, RecursiveMode)]) -> Watch {
        let (changed, changes) = channel();
        let open = changed.clone();
        let watcher = notify::recommended_watcher(move |_| {
            // Nobody may be waiting any more.
            let _ = changed.send(());
        });
        let watching = watcher.and_then(|mut watcher| {
            places.iter().try_for_each(|(place, mode)| watcher.watch(place, *mode))?;
            Ok(watcher)
        });
        let every = if watching.is_ok() { LOOK_AGAIN } else { POLL };
        Watch { _watcher: watching.ok(), changes, _open: open, every }
    }

    /// Until something changed, or it is time to look again.
    fn wait(&self) {
        if self.changes.recv_timeout(self.every).is_ok() {
            let burst = (0..BURST).take_while(|_| self.changes.recv_timeout(SETTLE).is_ok());
            burst.count();
        }
    }
}
