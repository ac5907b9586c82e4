//! The append-only, chained file of everything recorded. Knows no client.
//!
//! Writing costs the same whatever the ledger's size: only its end is read. Reading streams, and holds one line.
//!
//! Architecture invariant: whatever is written goes to the end, under the lock, in one write; nothing in a ledger is ever
//! changed or removed here. What an entry means is for others to say.

mod append;
mod blob;
mod body;
mod cause;
mod duplicate;
pub mod entry;
mod json;
mod lines;
mod lock;
mod place;
mod read;
mod recent;
mod tail;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use append::{Append, Appended};
pub use blob::{Blobs, Held, is_digest};
pub use body::{BLOB_KEY, INLINE_MAX};
pub use cause::{AppendError, Cause};
pub use duplicate::CONFLICT_KEY;
pub use entry::{Entry, EntryKind, Hash};
pub use read::{BadLine, Entries};
pub use recent::Recent;

use crate::durable::Sync;
use crate::error::Result;

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
}

impl Ledger {
    /// Names a ledger; looks at nothing yet.
    pub fn open(dir: &Path) -> Ledger {
        Ledger { dir: dir.to_owned() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Appends `drafts` as one batch. On failure they come back with the cause, to be spooled.
    pub fn append(&self, drafts: Vec<Draft>, options: &Append) -> Result<Vec<Appended>, AppendError> {
        append::append(self, drafts, options)
    }

    /// All entries in order, one at a time.
    pub fn read(&self) -> Result<Entries> {
        Entries::open(&self.dir)
    }

    /// What was recorded a moment ago.
    pub fn recent(&self) -> std::io::Result<Recent> {
        Recent::of(self)
    }

    /// The entry with this number.
    pub fn entry(&self, seq: u64) -> Result<Option<Entry>> {
        Ok(self.read()?.filter_map(Result::ok).find(|entry| entry.seq == seq))
    }

    pub fn blobs(&self) -> Blobs<'_> {
        Blobs { ledger: &self.dir, sync: Sync::None }
    }

    /// The text of a body's value: the string itself, or what the blob it names holds (of a value that was not a string,
    /// its JSON). `None`: it is no text, or its blob is gone or is not what its name says.
    pub fn resolve(&self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            other => String::from_utf8(self.blobs().get(blob_of(other)?)?).ok(),
        }
    }
}

/// The digest by which a value names a blob.
pub fn blob_of(value: &Value) -> Option<&str> {
    value.get(BLOB_KEY)?.as_str().filter(|digest| is_digest(digest))
}
