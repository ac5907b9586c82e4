//! What is kept: the ledger and its lock, what waits beside it, who can read it all, and the keys.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::report::{Check, Report};
use crate::command::human;
use crate::durable;
use crate::layout::{self, Env};
use crate::ledger::{Ledger, Outcome};

/// How long the lock may be somebody's: an append holds it for milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);
/// A spool file says why it is there near its beginning.
const SPOOL_CAP: u64 = 4096;
/// So many files are looked at in one folder.
const FILES_MAX: usize = 1000;

pub fn look(ledger: &Ledger, env: &Env, report: &mut Report) {
    let dir = ledger.dir();
    if !dir.exists() {
        report.add(Check::ok("ledger", format!("nothing recorded yet; it will be {}", dir.display())));
    } else {
        chain(ledger, report);
        lock(dir, report);
    }
    waiting(ledger, dir, report);
    rights(dir, env, report);
}

fn chain(ledger: &Ledger, report: &mut Report) {
    let found = ledger.verify();
    let place = ledger.dir().display();
    let first = found.findings.iter().find(|finding| finding.kind.outcome() == found.outcome);
    let says = first.map(ToString::to_string).unwrap_or_default();
    report.add(match found.outcome {
        Outcome::Ok => Check::ok(
            "ledger",
            format!("{}, the chain holds, {place}", human::count(found.entries as usize, "entry", "entries")),
        ),
        Outcome::TornTail => Check::warning(
            "ledger",
            format!("its last line was cut short, as by a crash: {place}"),
            "nothing to do: the next event isolates it",
        ),
        Outcome::Unreadable => Check::failure("ledger", format!("cannot be read: {says}: {place}"), "see deeds verify"),
        other => {
            Check::failure("ledger", format!("{}: {says}: {place}", other.as_str()), "copy it, then see deeds verify")
        }
    });
}

/// Whether an append would get the lock.
fn lock(dir: &Path, report: &mut Report) {
    let path = dir.join(layout::LOCK);
    let file = match durable::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => {
            report.add(Check::failure("lock", format!("{}: {error}", path.display()), "remove what stands there"));
            return;
        }
    };
    let until = Instant::now() + PATIENCE;
    while !is_free(&file) {
        if Instant::now() > until {
            report.add(Check::failure(
                "lock",
                format!("another process holds {}; events wait in the spool", path.display()),
                format!("find it (fuser {}), and end it if it hangs", path.display()),
            ));
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    report.add(Check::ok("lock", "free"));
}

#[cfg(unix)]
fn is_free(file: &std::fs::File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    // Closing the file gives it back.
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Err(error) => error != rustix::io::Errno::WOULDBLOCK,
        Ok(()) => {
            let _ = flock(file, FlockOperation::Unlock);
            true
        }
    }
}

#[cfg(not(unix))]
fn is_free(_file: &std::fs::File) -> bool {
    true
}

fn waiting(ledger: &Ledger, dir: &Path, report: &mut Report) {
    let spool = ledger.spool();
    let (drafts, unread) = spool.drafts();
    let raw = spool.raw();
    let count = drafts.len() + raw.len();
    if count > 0 {
        let why = why(dir).map(|why| format!(": {why}")).unwrap_or_default();
        report.add(Check::warning(
            "spool",
            format!("{} to be appended{why}", human::count(count, "event waits", "events wait")),
            "the next event takes them in; if they stay, mend what it says",
        ));
    }
    for one in &unread {
        let detail = format!("cannot be read: {}: {}", one.path.display(), one.why);
        report.add(Check::failure("spool", detail, "the next event moves it to quarantine, if it is no event of ours"));
    }
    if count == 0 && unread.is_empty() {
        report.add(Check::ok("spool", "nothing waits"));
    }
    let quarantined = spool.quarantined();
    if let Some(first) = quarantined.first() {
        let detail = format!(
            "{} not be made sense of, such as {}",
            human::count(quarantined.len(), "event could", "events could"),
            first.display()
        );
        report.add(Check::warning("quarantine", detail, "look at them, then remove them"));
    }
}

/// What the newest spool file beside the ledger says of why it is there.
fn why(dir: &Path) -> Option<String> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir.join(layout::SPOOL)).ok()?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let bytes =
        durable::read_small(files.iter().rfind(|path| path.extension().is_some_and(|e| e == "json"))?, SPOOL_CAP)
            .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // The file may be longer than what was read.
    let rest = text.split_once("\"why\":")?.1;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    values.next()?.ok()?.as_str().map(str::to_owned)
}

/// Whether anybody else can read what is recorded, or the keys.
fn rights(dir: &Path, env: &Env, report: &mut Report) {
    let state = env.state();
    let config = env.config().map(|config| config.join("deeds"));
    let mut open = Vec::new();
    for (about, folder) in [("ledger", Some(dir.to_owned())), ("state", state.clone()), ("keys", config)] {
        let Some(folder) = folder.filter(|folder| folder.exists()) else { continue };
        let before = open.len();
        exposed(&folder, 2, &mut open);
        if let Some(first) = open.get(before) {
            let more = open.len() - before;
            let detail = format!("others can read {} ({more} in all)", first.display());
            report.add(Check::warning(format!("{about} rights"), detail, format!("chmod -R go= {}", folder.display())));
        }
    }
    if open.is_empty() {
        report.add(Check::ok("rights", "what is recorded, and every key, is yours alone"));
    }
    if state.is_none() {
        let detail = "neither XDG_STATE_HOME nor HOME is set: what cannot be written beside the ledger is lost";
        report.add(Check::warning("state", detail, "set HOME"));
    }
}

fn exposed(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return };
    if meta.is_symlink() {
        return;
    }
    // In a folder that nobody else can enter nothing is exposed.
    if meta.is_dir() && !is_exposed(&meta) {
        return;
    }
    if is_exposed(&meta) {
        found.push(path.to_owned());
    }
    if meta.is_dir() && depth > 0 {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten().take(FILES_MAX);
        entries.for_each(|entry| exposed(&entry.path(), depth - 1, found));
    }
}

#[cfg(unix)]
fn is_exposed(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.mode() & 0o077 != 0
}

/// Elsewhere a user's own folders are the user's alone unless somebody has changed that.
#[cfg(not(unix))]
fn is_exposed(_meta: &Metadata) -> bool {
    false
}
