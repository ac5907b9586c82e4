//! The append-only, chained file of everything recorded. Knows no client.
//!
//! Writing costs the same whatever the ledger's size: only its end is read. Reading streams, and holds one line.
//!
//! Architecture invariant: whatever is written goes to the end, under the lock, in one write; nothing in a ledger is ever
//! changed or removed here. What an entry means is for others to say.

mod append;
mod backward;
mod blob;
mod body;
mod cause;
mod chain;
pub mod checkpoint;
mod duplicate;
pub mod entry;
mod finding;
mod hash;
mod hint;
mod json;
pub mod key;
mod lines;
mod lock;
mod mac;
mod place;
mod read;
mod recent;
mod scan;
mod signer;
mod spool;
mod tail;
mod torn;
mod verify;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

pub use append::{Append, Appended, Written};
pub use backward::{Backward, Choice};
pub use blob::{Blobs, GRACE, Held, is_digest};
pub use body::{BLOB_KEY, INLINE_MAX};
pub use cause::{AppendError, Cause};
pub use duplicate::CONFLICT_KEY;
pub use entry::{Entry, EntryKind};
pub use finding::{BadLine, Finding, FindingKind, Outcome};
pub use hash::Hash;
pub use key::{Key, Keys};
pub use lock::wait_at_most;
pub use read::{Entries, Recorded};
pub use recent::Recent;
pub use scan::{Met, Raw};
pub use spool::{Spool, Unread};
pub use verify::{Asked, Protection, Verification};

use self::lock::Lock;
use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::evidence::id::digest_fields;
use crate::layout::{Env, Place};

/// What is to become an entry: everything but its place in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub kind: EntryKind,
    /// 32 hex digits, the same whenever the same thing is met again.
    pub id: String,
    /// Redacted. Its key `id` is [`Draft::id`].
    pub body: Map<String, Value>,
}

/// One ledger, by its directory.
#[derive(Debug, Clone)]
pub struct Ledger {
    dir: PathBuf,
    state: Option<PathBuf>,
}

/// What became of drafts that must not be lost.
#[derive(Debug)]
pub enum Kept {
    Appended(Vec<Appended>),
    /// They wait in this file, because of what the text says.
    Spooled(PathBuf, String),
}

impl Ledger {
    /// Names a ledger; looks at nothing yet.
    pub fn open(dir: &Path) -> Ledger {
        Ledger { dir: dir.to_owned(), state: None }
    }

    /// The ledger of `place`, which spools to the user's state where it cannot spool beside the ledger.
    pub fn at(place: &Place, env: &Env) -> Ledger {
        Ledger::within(&place.ledger, env)
    }

    /// The ledger of a directory, with its keys and its second spool in the user's state.
    pub fn within(dir: &Path, env: &Env) -> Ledger {
        Ledger { dir: dir.to_owned(), state: env.state() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Appends `drafts` as one batch, after whatever waits in the spool. On failure the drafts come back with the cause,
    /// to be spooled.
    pub fn append(&self, drafts: Vec<Draft>, options: &Append) -> Result<Vec<Appended>, AppendError> {
        append::append(self, drafts, options)
    }

    /// Writes a draft out, to be appended later; the ledger's directory must be there.
    pub fn write_out(&self, draft: &Draft) -> Result<Written, AppendError> {
        append::write_out(self, draft)
    }

    /// Appends, as one batch, what was written out before. On failure the error holds no drafts.
    pub fn append_written(&self, written: &[Written], options: &Append) -> Result<Vec<Appended>, AppendError> {
        append::append_written(self, written, options)
    }

    /// Appends `drafts`, or spools them. On failure they are nowhere, and come back.
    pub fn keep(&self, drafts: Vec<Draft>, options: &Append) -> Result<Kept, AppendError> {
        let error = match self.append(drafts, options) {
            Ok(appended) => return Ok(Kept::Appended(appended)),
            Err(error) => error,
        };
        let why = error.to_string();
        match self.spool().put(&error.drafts, &why) {
            Ok(path) => Ok(Kept::Spooled(path, why)),
            Err(_) => Err(error),
        }
    }

    /// All entries in order, one at a time, checked along the chain. What waits in the spool is not among them.
    pub fn read(&self) -> Result<Entries> {
        Entries::open(self, read::Keep::EntryOnly)
    }

    /// The same with each entry's line as it stands.
    pub fn read_lines(&self) -> Result<impl Iterator<Item = Result<Recorded, Finding>>> {
        let mut entries = Entries::open(self, read::Keep::Line)?;
        Ok(std::iter::from_fn(move || entries.advance()))
    }

    /// All entries in order without building what is not wanted, until `look` breaks off.
    pub fn scan(&self, look: &mut dyn FnMut(Met<'_>) -> std::ops::ControlFlow<()>) -> Result<()> {
        scan::scan(self, look)
    }

    /// Entries from the newest back.
    pub fn backward(&self) -> Result<Backward> {
        Backward::open(self, read::Keep::EntryOnly)
    }

    /// The same with each entry's line as it stands.
    pub fn backward_lines(&self) -> Result<impl Iterator<Item = Result<Recorded, Finding>>> {
        let mut entries = Backward::open(self, read::Keep::Line)?;
        Ok(std::iter::from_fn(move || entries.advance(&mut |_| Choice::Take)))
    }

    /// Entries from a little after each place where `session` was noted, back; the newest place first.
    pub fn backward_from_hints(&self, session: &str) -> Result<Vec<Backward>> {
        hint::ends(&self.dir, session)
            .into_iter()
            .map(|end| Backward::before(self, end, read::Keep::EntryOnly))
            .collect()
    }

    /// Notes that an entry appended just now is one of `session`, so that the session is found when it is far back.
    pub fn note(&self, session: &str, seq: u64) {
        hint::note(&self.dir, session, seq);
    }

    /// The same of an entry whose line begins at `offset`.
    pub fn note_at(&self, session: &str, seq: u64, offset: u64) {
        hint::note_at(&self.dir, session, seq, offset);
    }

    /// What was recorded a moment ago.
    pub fn recent(&self) -> std::io::Result<Recent> {
        Recent::of(self)
    }

    /// The entry with this number.
    pub fn entry(&self, seq: u64) -> Result<Option<Entry>> {
        Ok(self.read()?.filter_map(Result::ok).find(|entry| entry.seq == seq))
    }

    /// Records that it is known which ledgers were here before this one and are gone. Says which were not yet.
    pub fn forget_gone(&self) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        for entry in self.read()?.filter_map(Result::ok) {
            let ids = |key: &str, of: &dyn Fn(&Value) -> Option<String>| -> Vec<String> {
                entry.body[key].as_array().into_iter().flatten().filter_map(of).collect()
            };
            match entry.kind {
                EntryKind::Genesis => gone = ids(lines::BEFORE, &|row| row["ledger"].as_str().map(str::to_owned)),
                EntryKind::Key => {
                    let known = ids(lines::FORGOTTEN, &|id| id.as_str().map(str::to_owned));
                    gone.retain(|id| !known.contains(id));
                }
                _ => {}
            }
        }
        if !gone.is_empty() {
            let id =
                digest_fields(&[&["forgotten"][..], &gone.iter().map(String::as_str).collect::<Vec<_>>()].concat());
            let body = Map::from_iter([(lines::FORGOTTEN.to_owned(), Value::from(gone.clone()))]);
            self.append(
                vec![Draft { kind: EntryKind::Key, id, body }],
                &Append { sync: Sync::Data, ..Append::default() },
            )?;
            if let Some(keys) = Keys::of(&self.dir, self.state.as_deref()) {
                keys.forget_gone();
            }
        }
        Ok(gone)
    }

    /// Reads everything and says whether it is what was written.
    pub fn verify(&self) -> Verification {
        verify::verify(self, &Asked::default())
    }

    /// The same, held against what was kept elsewhere.
    pub fn verify_against(&self, asked: &Asked) -> Verification {
        verify::verify(self, asked)
    }

    /// Where the ledger's keys are. `None`: there is no place for them.
    pub fn keys(&self) -> Option<Keys> {
        Keys::of(&self.dir, self.state.as_deref())
    }

    /// Gives the first key away: `hand` is shown it, and if that succeeds it is removed from this machine. `Ok(false)`:
    /// there is none, or nothing was signed with it yet.
    pub fn take_key(&self, hand: impl FnOnce(&Key) -> Result<()>) -> Result<bool> {
        signer::take(self, hand)
    }

    pub fn spool(&self) -> Spool<'_> {
        Spool { ledger: &self.dir, state: self.state.as_deref() }
    }

    pub fn blobs(&self) -> Blobs<'_> {
        Blobs { ledger: &self.dir, sync: Sync::None }
    }

    /// The same, each flushed to the disk before it counts as kept.
    pub fn durable_blobs(&self) -> Blobs<'_> {
        Blobs { ledger: &self.dir, sync: Sync::Data }
    }

    /// Makes the ledger's directory if it is missing, and refuses one that somebody else could have put there.
    pub fn prepare(&self) -> Result<()> {
        place::ensure(&self.dir).map_err(|cause| {
            let error = AppendError { cause, drafts: Vec::new(), ledger: self.dir.clone() };
            Error::unable("io", error.to_string())
        })
    }

    /// Does something while nobody appends.
    pub fn exclusively<T>(&self, wait: Duration, work: impl FnOnce() -> T) -> Result<T> {
        let lock = Lock::exclusive(&self.dir, wait).map_err(|e| Error::io("lock", &self.dir, e))?;
        let _lock = lock.ok_or_else(|| Error::unable("lock", "failed to lock the ledger: it is in use; try again"))?;
        Ok(work())
    }

    /// The text of a body's value: the string itself, or what the blob it names holds (of a value that was not a string,
    /// its JSON). `None`: it is no text, or its blob is gone or is not what its name says.
    pub fn resolve(&self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            other => String::from_utf8(self.blobs().get(blob_of(other)?)?).ok(),
        }
    }

    /// `value` with every blob that it names, at any depth, put back in its place. One that is gone, or is not what its
    /// name says, stays named.
    pub fn resolve_all(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.resolve_all(item)).collect(),
            Value::Object(members) if blob_of(value).is_none() => {
                Value::Object(members.iter().map(|(key, item)| (key.clone(), self.resolve_all(item))).collect())
            }
            Value::Object(members) => {
                let Some(text) = self.resolve(value) else { return value.clone() };
                let was_json = members.get("json") == Some(&Value::Bool(true));
                let parsed = if was_json { serde_json::from_str(&text).ok() } else { None };
                parsed.unwrap_or(Value::String(text))
            }
            scalar => scalar.clone(),
        }
    }
}

/// The digest by which a value names a blob.
pub fn blob_of(value: &Value) -> Option<&str> {
    value.get(BLOB_KEY)?.as_str().filter(|digest| is_digest(digest))
}
