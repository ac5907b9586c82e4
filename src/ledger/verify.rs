//! Reads all of a ledger and says whether it is what was written. Changes nothing on disk.
//!
//! What `ok` shows: no entry, and nothing a blob of one holds, was changed, removed, moved or put in between after it was
//! written, unless everything after that place was written anew. What it does not show: that the end is not cut off
//! between two lines, that somebody who could write here did not make a whole new chain, and that what was recorded is
//! true.

use std::collections::HashSet;
use std::path::Path;

use memchr::memmem::Finder;
use serde_json::Value;

use super::Ledger;
use super::blob::{Blobs, Held, is_digest};
use super::checkpoint::{Checkpoint, Expected, Tree};
use super::duplicate::CONFLICT_KEY;
use super::entry::{Entry, EntryKind, Parts};
use super::finding::{Finding, FindingKind, Outcome};
use super::key::{Found, Key, Keys};
use super::lines::{BEFORE, FORGOTTEN};
use super::lock;
use super::mac::MacCheck;
pub use super::mac::Protection;
use super::mac::Whole;
use super::place;
use super::read::{Step, Walk};
use crate::durable::Sync;
use crate::layout;

/// How many findings are kept; the rest are counted.
const FINDINGS_MAX: usize = 100;
/// How many blobs are remembered as checked.
const CHECKED_MAX: usize = 1 << 16;

/// What is so about a ledger.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verification {
    pub outcome: Outcome,
    /// How many entries are what their hashes say.
    pub entries: u64,
    /// How many of them have no mac.
    pub without_mac: u64,
    /// The ledger's own id, from its first entry.
    pub id: Option<String>,
    /// In the order of lines; at most a hundred.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: u64,
    /// What the macs were checked with.
    pub protection: Protection,
    /// How many macs were found right.
    pub checked: u64,
    /// All entries' hashes, as a checkpoint has them, where one is made or asked about.
    pub tree: Tree,
    /// A checkpoint was asked about, and what it covers is what stands there.
    pub agrees: bool,
    /// The number of the last entry that is what its hash says.
    pub newest: Option<u64>,
    /// The entries that anchor bundles, where they are asked for.
    pub bundles: Vec<Entry>,
}

impl Verification {
    fn add(&mut self, finding: Finding) {
        self.outcome = self.outcome.min(finding.kind.outcome());
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }
}

/// What a ledger is held against beside itself.
#[derive(Debug, Default)]
pub struct Asked {
    /// The first key, kept elsewhere.
    pub key: Option<Key>,
    pub checkpoint: Option<Checkpoint>,
    /// A checkpoint is to be made.
    pub tree: bool,
    /// Bundles are to be checked, too.
    pub bundles: bool,
}

pub(super) fn verify(ledger: &Ledger, asked: &Asked) -> Verification {
    let dir = ledger.dir.as_path();
    let mut verification = Verification::default();
    // Before the ledger: what is appended meanwhile makes no key that is ahead.
    let keys = Keys::of(dir, ledger.state.as_deref());
    let mut macs = MacCheck::new(keys.as_ref(), asked.key.clone());
    let mut expected = asked.checkpoint.as_ref().map(Expected::new);
    match Walk::open(dir) {
        Ok(walk) => read(dir, walk, &mut verification, &mut macs, &mut expected, asked),
        Err(error) => verification.add(Finding::new(FindingKind::Unreadable, 0, error.message)),
    }
    let begun = lock::mark(dir);
    match (&begun, &verification.id) {
        (None, _) => {}
        (Some(begun), Some(id)) if begun == id => {}
        (Some(begun), Some(id)) => {
            let detail = format!("this is ledger {id}; the one begun here was {begun}");
            verification.add(Finding::new(FindingKind::Replaced, 1, detail));
        }
        (Some(begun), None) if verification.entries == 0 && verification.outcome != Outcome::Unreadable => {
            verification.add(nothing_left_of(begun));
        }
        (Some(_), None) => {}
    }
    let known = verification.findings.iter().any(|finding| finding.kind == FindingKind::Gone);
    let whole = Whole { entries: verification.entries, id: verification.id.clone(), known_gone: known };
    macs.end(&whole, verification.outcome).into_iter().for_each(|finding| verification.add(finding));
    if let Some(expected) = expected.filter(|_| verification.outcome != Outcome::Unreadable) {
        let found = expected.end(&whole);
        verification.agrees = found.is_none();
        found.into_iter().for_each(|finding| verification.add(finding));
    }
    verification.protection = macs.protection;
    verification.checked = macs.checked;
    verification
}

fn read(
    dir: &Path,
    mut walk: Walk,
    verification: &mut Verification,
    macs: &mut MacCheck,
    expected: &mut Option<Expected<'_>>,
    asked: &Asked,
) {
    let with_tree = asked.tree || expected.is_some();
    let mut blobs = BlobCheck::new(dir);
    let mut before = Before::default();
    loop {
        let step = walk.step(|parts, line, found| {
            verification.entries += 1;
            verification.without_mac += u64::from(parts.mac.is_none());
            if parts.seq == 0 && verification.id.is_none() {
                verification.id = id_of(parts.body);
            }
            verification.newest = Some(parts.seq);
            if asked.bundles && parts.kind == EntryKind::Bundle.as_str() {
                verification.bundles.extend(parts.build());
            }
            if with_tree {
                verification.tree.add(&parts.hash);
            }
            if let Some(expected) = expected {
                expected.entry(&verification.tree);
            }
            blobs.named_in(parts.body, line.number, found);
            before.entry(parts, line.number);
            macs.entry(parts, line.number, found);
            found.extend(conflict(parts, line.number));
        });
        walk.found.drain(..).for_each(|finding| verification.add(finding));
        if let Step::End = step {
            before.findings().for_each(|finding| verification.add(finding));
            return;
        }
    }
}

/// The ledgers that were begun in the same place before, by what the genesis says.
#[derive(Default)]
struct Before {
    gone: Vec<(String, u64)>,
    forgotten: HashSet<String>,
    line: u64,
}

impl Before {
    fn entry(&mut self, parts: &Parts<'_>, line: u64) {
        if !matches!(parts.kind, "genesis" | "key") {
            return;
        }
        let Ok(body) = serde_json::from_slice::<Value>(parts.body) else { return };
        if parts.seq == 0 {
            self.line = line;
            let rows = body[BEFORE].as_array().into_iter().flatten();
            let row = |row: &Value| Some((row["ledger"].as_str()?.to_owned(), row["entries"].as_u64()?));
            self.gone = rows.filter_map(row).collect();
        }
        let ids = body[FORGOTTEN].as_array().into_iter().flatten();
        self.forgotten.extend(ids.filter_map(Value::as_str).map(str::to_owned));
    }

    fn findings(&self) -> impl Iterator<Item = Finding> {
        self.gone.iter().map(|(id, entries)| {
            let was =
                format!("ledger {id} of {entries} entries was begun here before this one, and nothing of it is left");
            if self.forgotten.contains(id) {
                return Finding::new(FindingKind::Forgotten, self.line, format!("{was}; that was said to be known"));
            }
            let detail = format!(
                "{was}. If the project was made or cloned anew, `deeds key forget` records that you know of it"
            );
            Finding::new(FindingKind::Gone, self.line, detail)
        })
    }
}

/// Says so if a ledger was begun in its place and there is nothing of it.
pub(super) fn gone(ledger: &Ledger) -> Option<Finding> {
    let dir = ledger.dir.as_path();
    let is_there = |path: &Path| {
        std::fs::symlink_metadata(path).map_or_else(
            |error| error.kind() != std::io::ErrorKind::NotFound,
            |found| !found.is_file() || found.len() > 0,
        )
    };
    if is_there(&dir.join(layout::LEDGER)) || place::segments(dir).map_or(true, |all| !all.is_empty()) {
        return None;
    }
    let key = || match Keys::of(dir, ledger.state.as_deref())?.current() {
        Ok(Found::Key(key)) if key.is_used() => Some(key.ledger),
        _ => None,
    };
    Some(nothing_left_of(&lock::mark(dir).or_else(key)?))
}

/// The id that a ledger begins with.
pub(super) fn begun_id(dir: &Path) -> Option<String> {
    let mut id = None;
    Walk::open(dir).ok()?.step(|parts, _, _| id = if parts.seq == 0 { id_of(parts.body) } else { None });
    id
}

fn nothing_left_of(begun: &str) -> Finding {
    Finding::new(FindingKind::Gone, 0, format!("ledger {begun} was begun here, and nothing of it is left"))
}

fn id_of(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get("id")?.as_str().map(str::to_owned)
}

/// An entry that says itself that an earlier one has its id and other content: the last key of its body.
fn conflict(parts: &Parts<'_>, line: u64) -> Option<Finding> {
    let end = parts.body.strip_suffix(b"}")?;
    let digits = end.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, with) = end.split_at(end.len() - digits);
    let key = before.strip_suffix(b"\":")?;
    if digits == 0 || !key.ends_with(CONFLICT_KEY.as_bytes()) {
        return None;
    }
    let detail =
        format!("entry {} has the id of entry {} and says something else", parts.seq, String::from_utf8_lossy(with));
    Some(Finding::new(FindingKind::Conflict, line, detail))
}

/// Checks every blob once, however often it is named.
struct BlobCheck<'a> {
    blobs: Blobs<'a>,
    name: Finder<'static>,
    checked: HashSet<String>,
}

impl BlobCheck<'_> {
    fn new(dir: &Path) -> BlobCheck<'_> {
        BlobCheck {
            blobs: Blobs { ledger: dir, sync: Sync::None },
            // Inside a string the quotation marks would be escaped, and an object of the agent's with this key never
            // stands in a line.
            name: Finder::new(b"{\"$blob\":\""),
            checked: HashSet::new(),
        }
    }

    fn named_in(&mut self, body: &[u8], line: u64, found: &mut Vec<Finding>) {
        for at in self.name.find_iter(body) {
            let digest = body.get(at + self.name.needle().len()..).and_then(|rest| rest.get(..64)).unwrap_or_default();
            let digest = String::from_utf8_lossy(digest).into_owned();
            if !is_digest(&digest) || self.checked.contains(&digest) {
                continue;
            }
            match self.blobs.check(&digest) {
                Ok(Held::Intact) => {}
                Ok(Held::Missing) => {
                    let detail = format!("blob {digest}, which it names, is gone or empty");
                    found.push(Finding::new(FindingKind::BlobMissing, line, detail));
                }
                Ok(Held::Differs) => {
                    let detail = format!("blob {digest}, which it names, holds something else");
                    found.push(Finding::new(FindingKind::BlobAltered, line, detail));
                }
                Err(error) => {
                    let detail = format!("blob {digest}, which it names: {error}");
                    found.push(Finding::new(FindingKind::Unreadable, line, detail));
                }
            }
            if self.checked.len() == CHECKED_MAX {
                self.checked.clear();
            }
            self.checked.insert(digest);
        }
    }
}
