//! Collects blobs that nothing names any more, and drafts that a killed process left.
//!
//! A blob is live if its digest stands anywhere in the ledger, in what waits for it, or in a bundle, superseded or not:
//! lines are searched for digests, not parsed, so that nothing has to be understood to be kept. What is younger than the
//! grace period stays in any case: its line may be about to be written.
//!
//! Architecture invariant: what cannot be read ends it before anything is removed.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::envelope;
use super::lock::SealLock;
use super::store::{self, Store};
use crate::durable;
use crate::error::{Error, Result};
use crate::layout;
use crate::ledger::{GRACE, Ledger};

/// How long other writers are waited for.
const WAIT: Duration = Duration::from_secs(10);
/// What follows the digest of a blob that holds JSON, and so may name others.
const JSON: &[u8] = b",\"json\":true}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    DryRun,
    Remove,
}

/// What was, or would be, removed.
#[derive(Debug, Default)]
pub struct Swept {
    pub removed: Vec<(PathBuf, u64)>,
    /// Blobs that are named.
    pub live: usize,
    /// What nobody names, and is too young.
    pub young: usize,
}

/// Collects the garbage of a ledger.
pub fn sweep(ledger: &Ledger, mode: Mode) -> Result<Swept> {
    if !ledger.dir().join(layout::BLOBS).is_dir() {
        return Ok(Swept::default());
    }
    let _seal = SealLock::take(ledger.dir(), WAIT, &AtomicBool::new(false), &mut || {})?;
    ledger.exclusively(WAIT, || {
        let live = live(ledger)?;
        let mut swept = Swept::default();
        let bundles = ledger.dir().join(layout::BUNDLES);
        let mut found = files(&ledger.dir().join(layout::BLOBS))?;
        // Of the bundles' own folder, drafts only.
        found.extend(files_in(&bundles)?.into_iter().filter(|(path, ..)| path.extension().is_none()));
        for (path, len, age) in found {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if live.contains(name.as_ref()) {
                swept.live += 1;
            } else if age.is_none_or(|age| age < GRACE) {
                swept.young += 1;
            } else {
                if mode == Mode::Remove {
                    durable::remove(&path).map_err(|e| Error::io("remove", &path, e))?;
                }
                swept.removed.push((path, len));
            }
        }
        Ok(swept)
    })?
}

/// Every digest that stands somewhere.
fn live(ledger: &Ledger) -> Result<HashSet<String>> {
    let mut names = Names::default();
    let dir = ledger.dir();
    for entry in std::fs::read_dir(dir).map_err(|e| Error::io("read", dir, e))? {
        let path = entry.map_err(|e| Error::io("read", dir, e))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == layout::LEDGER || layout::segment_first(&name).is_some() {
            names.in_file(&path)?;
        }
    }
    let (waiting, unread) = ledger.spool().drafts();
    if let Some(unread) = unread.first() {
        return Err(Error::io("read what waits", &unread.path, format!("{}; nothing was removed", unread.why)));
    }
    for draft in waiting {
        names.search(serde_json::Value::Object(draft.body).to_string().as_bytes());
    }
    for path in Store::of(dir).files()? {
        // A bundle that is none names nothing that could be found; the ledger names what it was.
        if let Ok(opened) = envelope::open(&store::read(&path)?.unwrap_or_default()) {
            names.search(&opened.payload);
        }
    }
    while let Some(digest) = names.to_search.pop_front() {
        if let Some(text) = ledger.blobs().get(&digest) {
            names.search(&text);
        }
    }
    Ok(names.found)
}

#[derive(Default)]
struct Names {
    found: HashSet<String>,
    /// Of those, blobs of JSON, and which of them are still to be searched.
    json: HashSet<String>,
    to_search: VecDeque<String>,
}

impl Names {
    fn in_file(&mut self, path: &Path) -> Result<()> {
        let file = durable::open(path).map_err(|e| Error::io("read", path, e))?;
        let mut reader: BufReader<File> = BufReader::with_capacity(256 << 10, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => return Ok(()),
                Ok(_) => self.search(&line),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io("read", path, error)),
            }
        }
    }

    /// Takes every run of exactly 64 hex digits.
    fn search(&mut self, text: &[u8]) {
        let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut at = 0;
        while at < text.len() {
            let len = text[at..].iter().take_while(|byte| is_hex(byte)).count();
            if len == 64 {
                let digest = String::from_utf8_lossy(&text[at..at + 64]).into_owned();
                if names_json(&text[at + 64..]) && self.json.insert(digest.clone()) {
                    self.to_search.push_back(digest.clone());
                }
                self.found.insert(digest);
            }
            at += len + 1;
        }
    }
}

/// `","len":<digits>,"json":true}`
fn names_json(after: &[u8]) -> bool {
    let Some(rest) = after.strip_prefix(b"\",\"len\":") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].starts_with(JSON)
}

/// A file: its path, its length, its age.
type Found = (PathBuf, u64, Option<Duration>);

/// The files in the blobs' folders.
fn files(blobs: &Path) -> Result<Vec<Found>> {
    let mut files = Vec::new();
    for folder in entries(blobs)?.into_iter().filter(|path| path.is_dir()) {
        files.extend(files_in(&folder)?);
    }
    Ok(files)
}

/// The regular files of one folder, in order; none where there is no folder.
fn files_in(folder: &Path) -> Result<Vec<Found>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let found = std::fs::symlink_metadata(&path).map_err(|e| Error::io("read", &path, e))?;
        if found.is_file() {
            files.push((path, found.len(), found.modified().ok().and_then(|at| at.elapsed().ok())));
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Error::io("read", folder, error);
    let listed = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(unreadable)?,
    };
    let mut paths = Vec::new();
    for entry in listed {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}
