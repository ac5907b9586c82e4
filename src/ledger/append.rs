//! Appending: one lock, one read of the end, one write.
//!
//! The order of system calls, and what a crash after each leaves behind:
//!
//! | | call | a crash after it leaves |
//! |---|---|---|
//! | 1 | the directory is looked at, made if missing | an empty directory |
//! | 2 | each long string: a draft is written beside its blob's place, then renamed to it | a draft, or a blob that no line names yet |
//! | 3 | `ledger.lock` is opened and locked | a lock file; the lock ends with the process |
//! | 4 | `ledger.jsonl` is opened, its last 256 KiB read | an empty file |
//! | 5 | the key is read, of a new ledger made | a key that nothing was signed with; the next append takes it |
//! | 6 | one write: the newline that the last line lacked, a `recovery` entry if it was torn, all new lines | a beginning of that: whole lines, and a part of one, which the next append isolates |
//! | 7 | with [`Sync::Data`], and of a new ledger: `fdatasync`, of a new ledger the directory too | the finished write |
//! | 8 | of a new ledger: its id is written to `ledger.lock` | a ledger whose disappearance would not be noticed |
//! | 9 | the key for the next entry is written over the old one | a key that is behind, and catches up |
//! | 10 | what was taken in from the spool is removed there | a file whose drafts the next append meets as duplicates |
//! | 11 | the lock is dropped | |
//!
//! A blob is on disk before the line that names it, and no blob is touched under the lock. What was written survives the
//! process; without [`Sync::Data`] a power cut may take it.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Draft;
use super::Ledger;
use super::blob::Blobs;
use super::body::{self, Measured};
use super::cause::{AppendError, Cause};
use super::duplicate::{CONFLICT_KEY, Known, Met, is_host_look};
use super::entry::EntryKind;
use super::key::Keys;
use super::lines::Lines;
use super::lock::Lock;
use super::place;
use super::spool::Waiting;
use super::tail::Tail;
use crate::durable::{self, Sync};
use crate::layout;

/// How to append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Append {
    /// How long to wait for the lock.
    pub wait: Duration,
    pub sync: Sync,
}

impl Default for Append {
    fn default() -> Append {
        Append { wait: Duration::from_secs(2), sync: Sync::None }
    }
}

/// What became of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is the entry of this number.
    Written(u64),
    /// It stands in the entry of this number, or it is a look of the host that came with one that stands there.
    Duplicate(u64),
}

impl Appended {
    /// The number of the entry that was written.
    pub fn written(&self) -> Option<u64> {
        match self {
            Appended::Written(seq) => Some(*seq),
            Appended::Duplicate(_) => None,
        }
    }
}

pub(super) fn append(ledger: &Ledger, drafts: Vec<Draft>, options: &Append) -> Result<Vec<Appended>, AppendError> {
    let attempted = attempt(ledger, &drafts, options);
    attempted.map_err(|cause| AppendError { cause, drafts, ledger: ledger.dir.clone() })
}

fn attempt(ledger: &Ledger, drafts: &[Draft], options: &Append) -> Result<Vec<Appended>, Cause> {
    place::ensure(&ledger.dir)?;
    let bodies = Bodies::write(&ledger.dir, drafts, Measured::output, options.sync)?;
    append_bodies(ledger, &bodies.of(drafts), options)
}

fn append_bodies(ledger: &Ledger, bodies: &[Body<'_>], options: &Append) -> Result<Vec<Appended>, Cause> {
    let dir = ledger.dir.as_path();
    let waiting = waiting(ledger, options.sync);

    let lock_path = dir.join(layout::LOCK);
    let lock = Lock::exclusive(dir, options.wait).map_err(Cause::io("lock", &lock_path))?.ok_or(Cause::Locked)?;
    let path = dir.join(layout::LEDGER);
    let file = durable::open_append(&path).map_err(Cause::io("open", &path))?;
    let all = waiting.iter().flat_map(|(batch, _)| batch.drafts.iter().map(|draft| draft.id.as_bytes()));
    let mut ids: Vec<&[u8]> = all.chain(bodies.iter().map(|body| body.id.as_bytes())).collect();
    ids.sort_unstable();
    let tail = Tail::about(&file, &ids).map_err(Cause::io("read", &path))?;

    // Nothing to append makes no key either.
    let keys = if ids.is_empty() { None } else { Keys::of(dir, ledger.state.as_deref()) };
    let mut lines = Lines::after(dir, &lock, &tail, keys.as_ref())?;
    let first = lines.next();
    let mut known = Known::in_window(&tail, &ids);
    let mut taken_in = Vec::new();
    // Whoever takes a file in removes it before it lets go of the lock.
    for (batch, bodies) in waiting.iter().filter(|(batch, _)| batch.path.exists()) {
        add_batch(&mut lines, &mut known, &bodies.of(&batch.drafts));
        taken_in.push(&batch.path);
    }
    let appended = add_batch(&mut lines, &mut known, bodies);
    if lines.next() > first {
        write(dir, &file, &lock, &lines, options.sync)?;
        if let (Some(keys), Some(key)) = (&keys, &lines.key) {
            // The entries are written; a key that stays behind catches up.
            let _ = keys.store(key, options.sync);
        }
    }
    for path in taken_in {
        // If it stays, its drafts are met again as duplicates.
        let _ = ledger.spool().done(path);
    }
    Ok(appended)
}

/// What waits in the spool, with its bodies written. What cannot be appended in any way is moved out of the way; what
/// cannot be now stays.
fn waiting(ledger: &Ledger, sync: Sync) -> Vec<(Waiting, Bodies)> {
    let spool = ledger.spool();
    let mut waiting = Vec::new();
    for batch in spool.take() {
        // What was read from a file may say anything about itself.
        match Bodies::write(&ledger.dir, &batch.drafts, |_| None, sync) {
            Ok(bodies) => waiting.push((batch, bodies)),
            Err(Cause::TooLong) => drop(spool.quarantine(&batch.path)),
            Err(_) => {}
        }
    }
    waiting
}

/// Adds what is new of a batch. If its first draft is not new, neither is what the host saw with it: looking again at the
/// same event only shows another moment.
fn add_batch<'a>(lines: &mut Lines, known: &mut Known<'a>, bodies: &[Body<'a>]) -> Vec<Appended> {
    let mut appended = Vec::with_capacity(bodies.len());
    for Body { kind, id, bytes, host_look, names_conflict } in bodies {
        let met_again = match appended.first() {
            Some(Appended::Duplicate(seq)) if *host_look => Some(*seq),
            _ => None,
        };
        let done = match (known.meet(kind, id, bytes), met_again) {
            (Met::Same(seq), _) => Appended::Duplicate(seq),
            (Met::Different(seq), _) if *host_look => Appended::Duplicate(seq),
            (Met::New, Some(seq)) => Appended::Duplicate(seq),
            (Met::New, None) => Appended::Written(lines.add(kind, bytes)),
            // Who met the other entry elsewhere has named it.
            (Met::Different(_), _) if *names_conflict => Appended::Written(lines.add(kind, bytes)),
            (Met::Different(seq), _) => Appended::Written(lines.add_conflict(kind, bytes, seq)),
        };
        if let Appended::Written(seq) = done {
            known.remember(id.as_bytes(), seq, bytes);
        }
        appended.push(done);
    }
    appended
}

fn write(dir: &Path, file: &File, lock: &Lock, lines: &Lines, sync: Sync) -> Result<(), Cause> {
    let path = dir.join(layout::LEDGER);
    durable::append(file, &lines.bytes).map_err(Cause::io("write", &path))?;
    // A new ledger is on the disk before anything says that it was begun: a power cut must not look like its removal.
    if sync == Sync::Data || lines.begun.is_some() {
        durable::sync(file).map_err(Cause::io("sync", &path))?;
    }
    if let Some(id) = &lines.begun {
        durable::sync_dir(dir).map_err(Cause::io("sync", dir))?;
        // The entries are written; without the mark only their disappearance would go unnoticed.
        let _ = lock.set_mark(id);
    }
    Ok(())
}

/// Finds what of a body has been hashed already.
type Measuring = fn(&Map<String, Value>) -> Option<Measured<'_>>;

/// The drafts' bodies as they will stand in their lines, one after the other.
struct Bodies {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Bodies {
    /// Writes the bodies; what is too long for a line is in its blob when this returns.
    fn write(dir: &Path, drafts: &[Draft], measured: Measuring, sync: Sync) -> Result<Bodies, Cause> {
        let mut bodies = Bodies { bytes: Vec::with_capacity(8 << 10), ranges: Vec::with_capacity(drafts.len()) };
        let mut blobs = Blobs { ledger: dir, sync };
        for draft in drafts {
            let start = bodies.bytes.len();
            let fits = body::write(&mut bodies.bytes, &draft.id, &draft.body, measured(&draft.body), &mut blobs)
                .map_err(Cause::io("write", &dir.join(layout::BLOBS)))?;
            if !fits {
                return Err(Cause::TooLong);
            }
            bodies.ranges.push(start..bodies.bytes.len());
        }
        Ok(bodies)
    }

    /// With what else is to be known of `drafts`, whose bodies these are.
    fn of<'a>(&'a self, drafts: &'a [Draft]) -> Vec<Body<'a>> {
        let bodies = self.ranges.iter().map(|range| &self.bytes[range.clone()]);
        drafts.iter().zip(bodies).map(|(draft, bytes)| Body::of(draft, bytes)).collect()
    }
}

/// A draft's body as it will stand in its line.
struct Body<'a> {
    kind: &'a EntryKind,
    id: &'a str,
    bytes: &'a [u8],
    host_look: bool,
    names_conflict: bool,
}

impl<'a> Body<'a> {
    fn of(draft: &'a Draft, bytes: &'a [u8]) -> Body<'a> {
        Body {
            kind: &draft.kind,
            id: &draft.id,
            bytes,
            host_look: is_host_look(draft),
            names_conflict: draft.body.contains_key(CONFLICT_KEY),
        }
    }
}

/// A draft written out before its turn to be appended, by any thread. What is too long for a line is in its blob.
#[derive(Debug)]
pub struct Written {
    kind: EntryKind,
    id: String,
    bytes: Vec<u8>,
    host_look: bool,
    names_conflict: bool,
}

impl Written {
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn kind(&self) -> &EntryKind {
        &self.kind
    }

    /// Bytes of the body.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

pub(super) fn write_out(ledger: &Ledger, draft: &Draft) -> Result<Written, AppendError> {
    let mut bytes = Vec::with_capacity(2 << 10);
    let written = (|| {
        let mut blobs = Blobs { ledger: &ledger.dir, sync: Sync::None };
        let measured = Measured::output(&draft.body);
        let fits = body::write(&mut bytes, &draft.id, &draft.body, measured, &mut blobs);
        let fits = fits.map_err(Cause::io("write", &ledger.dir.join(layout::BLOBS)))?;
        if fits { Ok(()) } else { Err(Cause::TooLong) }
    })();
    written.map_err(|cause| AppendError { cause, drafts: Vec::new(), ledger: ledger.dir.clone() })?;
    let Body { kind, id, host_look, names_conflict, .. } = Body::of(draft, &[]);
    Ok(Written { kind: kind.clone(), id: id.to_owned(), bytes, host_look, names_conflict })
}

pub(super) fn append_written(
    ledger: &Ledger,
    written: &[Written],
    options: &Append,
) -> Result<Vec<Appended>, AppendError> {
    let bodies = written.iter().map(|one| Body {
        kind: &one.kind,
        id: &one.id,
        bytes: &one.bytes,
        host_look: one.host_look,
        names_conflict: one.names_conflict,
    });
    let bodies: Vec<Body<'_>> = bodies.collect();
    let appended = place::ensure(&ledger.dir).and_then(|()| append_bodies(ledger, &bodies, options));
    appended.map_err(|cause| AppendError { cause, drafts: Vec::new(), ledger: ledger.dir.clone() })
}
