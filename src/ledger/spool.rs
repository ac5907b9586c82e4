//! Where an event waits that could not be appended: in `spool/` beside the ledger, or, if nothing can be written there, in
//! a folder of the user's state that is named after the ledger.
//!
//! | file | holds | is taken in by |
//! |---|---|---|
//! | `….json` | drafts, redacted as they would have been appended | the next append |
//! | `….raw` | an event as the client gave it; nothing of it has been read or redacted, so only where all else failed | the hook |
//!
//! Files are read in the order of their names, which is that of their making. One that makes no sense is moved to
//! `quarantine/`. Both folders are there only while something waits in them.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::cause::Cause;
use super::entry::EntryKind;
use super::{Draft, place};
use crate::clock;
use crate::durable::{self, Sync};
use crate::evidence::id::sha256_hex;
use crate::layout;

const DRAFTS: &str = "json";
const RAW: &str = "raw";
/// How many files one append takes in at most, and how many bytes: it may be a hook that somebody waits for.
const TAKE_FILES: usize = 64;
const TAKE_BYTES: u64 = 8 << 20;
/// What is longer is no spool file.
const FILE_MAX: u64 = 256 << 20;

/// The places where events for one ledger wait.
#[derive(Debug, Clone, Copy)]
pub struct Spool<'a> {
    pub(super) ledger: &'a Path,
    /// `$XDG_STATE_HOME/deeds`
    pub(super) state: Option<&'a Path>,
}

/// What could not be read of a spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub path: PathBuf,
    pub why: String,
}

/// One file's drafts, which were one batch.
#[derive(Debug)]
pub(super) struct Waiting {
    pub path: PathBuf,
    pub drafts: Vec<Draft>,
}

impl Spool<'_> {
    /// Keeps drafts for the next append. Says where.
    pub fn put(&self, drafts: &[Draft], why: &str) -> io::Result<PathBuf> {
        let drafts: Vec<Value> =
            drafts.iter().map(|draft| json!({ "kind": draft.kind, "id": draft.id, "body": draft.body })).collect();
        let file = json!({ "v": 1, "at": clock::now(), "why": why, "drafts": drafts });
        self.keep(file.to_string().as_bytes(), DRAFTS)
    }

    /// Keeps an event that could not even be read, as it came. Says where.
    pub fn put_raw(&self, event: &[u8]) -> io::Result<PathBuf> {
        self.keep(event, RAW)
    }

    /// The drafts that wait, oldest first, and what cannot be read of them. Nothing is taken in or moved.
    pub fn drafts(&self) -> (Vec<Draft>, Vec<Unread>) {
        let (mut drafts, mut unread) = (Vec::new(), Vec::new());
        for path in self.files(DRAFTS) {
            match read(&path) {
                Ok(batch) => drafts.extend(batch),
                Err(error) => unread.push(Unread { path, why: error.to_string() }),
            }
        }
        (drafts, unread)
    }

    /// The files of events kept as they came, oldest first. Whoever has dealt with one says so with [`Spool::done`] or
    /// [`Spool::quarantine`].
    pub fn raw(&self) -> Vec<PathBuf> {
        self.files(RAW)
    }

    /// Removes a file that has been taken in, and its folder with the last one.
    pub fn done(&self, path: &Path) -> io::Result<()> {
        durable::remove(path)?;
        if let Some(folder) = path.parent() {
            // It stays where something else still waits in it.
            let _ = durable::remove_dir(folder);
        }
        Ok(())
    }

    /// What was moved out of the way beside the ledger, as far as it was an event: nobody has read it.
    pub fn quarantined(&self) -> Vec<PathBuf> {
        let mut files = within(&self.ledger.join(layout::QUARANTINE), DRAFTS);
        files.extend(within(&self.ledger.join(layout::QUARANTINE), RAW));
        files
    }

    /// Moves a file that nobody can make sense of out of the way, and says where to.
    pub fn quarantine(&self, path: &Path) -> io::Result<PathBuf> {
        let quarantine = path.parent().and_then(Path::parent).unwrap_or(self.ledger).join(layout::QUARANTINE);
        durable::make_dir(&quarantine)?;
        let to = quarantine.join(path.file_name().unwrap_or_default());
        durable::rename(path, &to)?;
        Ok(to)
    }

    /// The batches that an append takes in now.
    pub(super) fn take(&self) -> Vec<Waiting> {
        let mut taken = Vec::new();
        let mut bytes = 0;
        for path in self.files(DRAFTS).into_iter().take(TAKE_FILES) {
            bytes += std::fs::symlink_metadata(&path).map_or(0, |found| found.len());
            if bytes > TAKE_BYTES && !taken.is_empty() {
                break;
            }
            match read(&path) {
                Ok(drafts) => taken.push(Waiting { path, drafts }),
                // It may have been taken in by somebody else just now. If it cannot be moved, it is tried again.
                Err(error) if error.kind() == ErrorKind::InvalidData => drop(self.quarantine(&path)),
                Err(_) => {}
            }
        }
        taken
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.ledger.join(layout::SPOOL);
        let elsewhere = self.state.map(|state| state.join(layout::SPOOL)).filter(|all| all.is_dir());
        std::iter::once(own).chain(elsewhere.map(|all| all.join(self.name())))
    }

    /// The ledger's name among those of other ledgers.
    fn name(&self) -> String {
        let path = self.ledger.canonicalize().unwrap_or_else(|_| self.ledger.to_owned());
        sha256_hex(path.as_os_str().as_encoded_bytes())[..32].to_owned()
    }

    fn files(&self, extension: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.folders().flat_map(|folder| within(&folder, extension)).collect();
        files.sort_unstable_by(|a, b| a.file_name().cmp(&b.file_name()));
        files
    }

    /// A name that comes after all that waits, also where the clock was set back.
    fn next_name(&self) -> String {
        let name = durable::unique_name();
        let Some((now, rest)) = name.split_once('-') else { return name };
        let waiting = [DRAFTS, RAW].into_iter().flat_map(|extension| self.files(extension));
        let moments = waiting.filter_map(|path| path.file_name()?.to_str()?.split_once('-')?.0.parse::<u64>().ok());
        match moments.max() {
            Some(last) if now.parse::<u64>().is_ok_and(|now| now <= last) => {
                format!("{:020}-{rest}", last.saturating_add(1))
            }
            _ => name,
        }
    }

    fn keep(&self, bytes: &[u8], extension: &str) -> io::Result<PathBuf> {
        let name = self.next_name();
        let beside = match place::ensure(self.ledger) {
            Ok(()) => put(&self.ledger.join(layout::SPOOL), &name, extension, bytes),
            Err(Cause::Io { error, .. }) => Err(error),
            Err(_) => Err(io::Error::other("the ledger's directory is not one to write to")),
        };
        match (beside, self.state) {
            (Err(_), Some(state)) => put(&state.join(layout::SPOOL).join(self.name()), &name, extension, bytes),
            (beside, _) => beside,
        }
    }
}

fn within(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn put(folder: &Path, name: &str, extension: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(format!("{name}.{extension}"));
    let draft = folder.join(format!("{name}.tmp"));
    let mut put = Err(ErrorKind::NotFound.into());
    // Whoever takes in the last file removes the folder, perhaps just after it was made here.
    for _ in 0..3 {
        durable::make_dirs(folder)?;
        put = durable::put(&path, &draft, bytes, Sync::None);
        if !put.as_ref().is_err_and(|error: &io::Error| error.kind() == ErrorKind::NotFound) {
            break;
        }
    }
    put.map(|()| path)
}

/// Reads a file of drafts. `InvalidData`: it is none.
fn read(path: &Path) -> io::Result<Vec<Draft>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    durable::open(path)?.take(FILE_MAX).read_to_end(&mut bytes)?;
    let drafts = serde_json::from_slice(&bytes).ok().and_then(|file| drafts(&file));
    drafts.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it is not a file of drafts"))
}

fn drafts(file: &Value) -> Option<Vec<Draft>> {
    if file.get("v")?.as_u64()? != 1 {
        return None;
    }
    file.get("drafts")?.as_array()?.iter().map(draft).collect()
}

fn draft(value: &Value) -> Option<Draft> {
    let body: &Map<String, Value> = value.get("body")?.as_object()?;
    let kind = EntryKind::from(value.get("kind")?.as_str()?);
    Some(Draft { kind, id: value.get("id")?.as_str()?.to_owned(), body: body.clone() })
}
