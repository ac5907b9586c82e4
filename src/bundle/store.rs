//! Where the bundles of a project lie: `bundles/<sha256 of the task>.json`, and beside it, while a seal is made, `….next`.
//!
//! | a seal's step | killed after it, the task's bundle is |
//! |---|---|
//! | 1 blobs | the old one |
//! | 2 `….next`, whole and synced | the old one |
//! | 3 the ledger's entry, synced | the new one, in `….next` |
//! | 4 `….next` renamed to `….json` | the new one |
//!
//! So `….next` counts if, and only if, it is the latest that the ledger names.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::durable::{self, Sync};
use crate::error::{Error, Result};
use crate::evidence::id::sha256_hex;
use crate::layout;

const TASK_MAX: usize = 512;
/// A longer file is no envelope.
const ENVELOPE_MAX: u64 = 16 << 20;
const NEXT: &str = "next";
const BUNDLE: &str = "json";

/// What a bundle is the proof of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(String);

impl TaskId {
    pub fn parse(text: &str) -> Result<TaskId> {
        if text.is_empty() || text.len() > TASK_MAX || text.chars().any(char::is_control) {
            return Err(Error::usage("a task is named by 1 to 512 bytes without control characters"));
        }
        Ok(TaskId(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What lies there for a task: envelopes, unchecked.
pub struct Held {
    pub bundle: Option<Vec<u8>>,
    /// What a seal was about to put in its place.
    pub next: Option<Vec<u8>>,
}

/// The bundles beside one ledger.
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// `ledger` is the ledger's directory.
    pub fn of(ledger: &Path) -> Store {
        Store { dir: ledger.join(layout::BUNDLES) }
    }

    pub fn path(&self, task: &str) -> PathBuf {
        self.file(task, BUNDLE)
    }

    fn file(&self, task: &str, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", sha256_hex(task.as_bytes())))
    }

    pub fn read(&self, task: &str) -> Result<Held> {
        // In this order: what is no longer beside the bundle's place by then is in it.
        let next = read(&self.file(task, NEXT))?;
        Ok(Held { bundle: read(&self.file(task, BUNDLE))?, next })
    }

    /// Writes what is to stand for a task once the ledger names it.
    pub fn prepare(&self, task: &TaskId, envelope: &str) -> Result<()> {
        durable::make_dir(&self.dir).map_err(|e| Error::io("make", &self.dir, e))?;
        let path = self.file(task.as_str(), NEXT);
        let draft = self.dir.join(durable::unique_name());
        durable::put(&path, &draft, envelope.as_bytes(), Sync::Data).map_err(|e| Error::io("write", &path, e))
    }

    /// Puts it in its place.
    pub fn commit(&self, task: &TaskId) -> Result<()> {
        let path = self.path(task.as_str());
        durable::rename(&self.file(task.as_str(), NEXT), &path).map_err(|e| Error::io("write", &path, e))
    }

    /// Every file of a bundle.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(files),
            Err(error) => return Err(Error::io("read", &self.dir, error)),
        };
        for entry in entries {
            let path = entry.map_err(|e| Error::io("read", &self.dir, e))?.path();
            if path.extension().is_some_and(|extension| extension == BUNDLE || extension == NEXT) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Whether a file is what a seal that did not end left.
pub fn is_next(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == NEXT)
}

/// An envelope's file; `None` where there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match durable::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // A link or a folder in its place is no bundle of ours: it is read as one that holds nothing.
        Err(error) if durable::is_irregular(&error) => return Ok(Some(Vec::new())),
        Err(error) => return Err(Error::io("read", path, error)),
    };
    let mut bytes = Vec::new();
    file.take(ENVELOPE_MAX + 1).read_to_end(&mut bytes).map_err(|e| Error::io("read", path, e))?;
    if bytes.len() as u64 > ENVELOPE_MAX {
        // So long is none of ours either.
        bytes.clear();
    }
    Ok(Some(bytes))
}
