//! Whether a line may follow the lines before it. Reading and verifying both go through here, line by line.
//!
//! A line is accepted if its hash is that of its bytes, its `prev` is the hash of the line before, and its `seq` is one more.
//! What else may stand between two entries is what a crash left, and only if the entry after it says so, with its length
//! and its SHA-256.
//!
//! Architecture invariant: memory does not grow with the number of lines.

use std::collections::VecDeque;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::entry::{self, Link, Malformed, Parts};
use super::finding::{Finding, FindingKind};
use super::hash::Hash;
use super::read::Line;
use super::torn;
use crate::evidence::id::hex;

/// How many entries back a line is still recognised: enough for whatever writers that ignore each other leave behind.
const RECENT: usize = 1024;

/// An entry by its place in the chain.
#[derive(Debug, Clone, Copy)]
struct Known {
    link: Link,
    prev: Hash,
    line: u64,
}

/// What has been read so far, as far as it matters for what comes.
#[derive(Debug, Default)]
pub(super) struct Chain {
    recent: VecDeque<Known>,
    /// The line before was no entry, so that what follows it cannot be held against it.
    unsure: bool,
    /// Hashes that an entry named as the one before it, and that have not been seen.
    wanted: VecDeque<Hash>,
    torn: Option<Region>,
}

/// Lines in a row that are beginnings of entries and no more.
#[derive(Debug)]
struct Region {
    line: u64,
    len: u64,
    sha: Sha256,
    /// One of them ends in a NUL byte before its newline. Only an entry that accounts for it shows that a power cut, and
    /// no change, left that.
    doubtful: bool,
}

impl Chain {
    /// Takes the next line. Returns the entry if it is one; whatever is wrong goes to `findings`.
    pub fn line<'a>(&mut self, line: &Line<'a>, findings: &mut Vec<Finding>) -> Option<Parts<'a>> {
        match entry::take_apart(line.bytes) {
            Ok(parts) => {
                self.isolated(&parts, line, findings);
                self.link(&parts, line, findings);
                if !line.has_newline {
                    findings.push(Finding::new(
                        FindingKind::TornTail,
                        line.number,
                        "it lacks its newline, and nothing else",
                    ));
                }
                Some(parts)
            }
            Err(why) => {
                self.bad(line, why, findings);
                None
            }
        }
    }

    /// Says that a file has ended, and whether another follows.
    pub fn file_end(&mut self, another: bool, findings: &mut Vec<Finding>) {
        let Some(region) = self.torn.take() else { return };
        let kind = if another || region.doubtful { FindingKind::Altered } else { FindingKind::TornTail };
        findings.push(Finding::new(kind, region.line, "it was cut short; the entries before it are whole"));
    }

    fn last(&self) -> Option<Link> {
        self.recent.back().map(|known| known.link)
    }

    fn bad(&mut self, line: &Line<'_>, why: Malformed, findings: &mut Vec<Finding>) {
        // A line that has both its end and its newline was written whole; whatever is wrong with it was done to it later.
        let may_be_torn = !(line.has_newline && entry::has_tail(line.bytes));
        if may_be_torn && !self.unsure && torn::is_beginning(line.bytes, self.last()) {
            let region = self.torn.get_or_insert_with(|| Region {
                line: line.number,
                len: 0,
                sha: Sha256::new(),
                doubtful: false,
            });
            region.doubtful |= line.has_newline && line.bytes.ends_with(b"\0");
            if region.len > 0 {
                region.len += 1;
                region.sha.update(b"\n");
            }
            region.len += line.bytes.len() as u64;
            region.sha.update(line.bytes);
            return;
        }
        self.unaccounted(findings);
        let kind = if matches!(why, Malformed::Newer(_)) { FindingKind::Newer } else { FindingKind::Altered };
        findings.push(Finding::new(kind, line.number, why.to_string()));
        self.unsure = true;
    }

    /// Checks that a fragment is followed by the entry that isolates it, and such an entry preceded by its fragment.
    fn isolated(&mut self, parts: &Parts<'_>, line: &Line<'_>, findings: &mut Vec<Finding>) {
        let told = fragment_of(parts);
        let follows = (parts.seq, parts.prev) == Link::after(self.last());
        match (self.torn.take(), told) {
            (None, None) => {}
            (Some(region), told) => {
                let found = (region.len, hex(&region.sha.clone().finalize()));
                if !follows || told != Some(found) {
                    self.torn = Some(region);
                    self.unaccounted(findings);
                }
            }
            (None, Some(_)) if self.unsure => {}
            (None, Some(_)) => {
                let detail = "it isolates a line that was cut short, and that line is gone";
                findings.push(Finding::new(FindingKind::Missing, line.number, detail));
            }
        }
    }

    fn unaccounted(&mut self, findings: &mut Vec<Finding>) {
        if let Some(region) = self.torn.take() {
            let detail = "it was cut short, or shortened, and no entry accounts for that";
            findings.push(Finding::new(FindingKind::Altered, region.line, detail));
            self.unsure = true;
        }
    }

    /// Checks that an entry follows the one before it.
    fn link(&mut self, parts: &Parts<'_>, line: &Line<'_>, findings: &mut Vec<Finding>) {
        let (seq, prev) = Link::after(self.last());
        let follows = (parts.seq, parts.prev) == (seq, prev);
        let mut say = |kind, detail: String| findings.push(Finding::new(kind, line.number, detail));
        if follows && (parts.kind == "genesis") != (seq == 0) {
            say(FindingKind::Altered, "a ledger begins with its one genesis entry, and this does not".to_owned());
        }
        if !follows && !self.unsure {
            let before = self.recent.iter().find(|known| Link::after(Some(known.link)) == (parts.seq, parts.prev));
            let sibling = self.recent.iter().find(|known| known.prev == parts.prev);
            if let Some(same) = self.recent.iter().find(|known| known.link.hash == parts.hash) {
                say(FindingKind::Repeated, format!("it is line {} over again", same.line));
            } else if let Some(at) = self.wanted.iter().position(|wanted| *wanted == parts.hash) {
                self.wanted.remove(at);
                say(FindingKind::OutOfOrder, format!("entry {} stands after one that was written after it", parts.seq));
            } else if let (Some(_), Some(sibling)) = (before, sibling) {
                let detail = format!("two entries have the number {}: the other is line {}", parts.seq, sibling.line);
                say(FindingKind::Forked, detail);
            } else if before.is_none() {
                say(FindingKind::Missing, gap(seq, parts.seq));
                self.wanted.push_back(parts.prev);
            }
        }
        self.unsure = false;
        self.recent.push_back(Known { link: parts.link(), prev: parts.prev, line: line.number });
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        if self.wanted.len() > RECENT {
            self.wanted.pop_front();
        }
    }
}

fn gap(expected: u64, found: u64) -> String {
    match found.checked_sub(expected) {
        Some(1) => format!("entry {expected} is not there"),
        Some(gone @ 2..) => format!("{gone} entries are not there: {expected} to {}", found - 1),
        _ => format!("entry {found} does not follow the one before it"),
    }
}

/// What an entry says about the fragment that it isolates: its length and SHA-256.
pub(super) fn fragment_of(parts: &Parts<'_>) -> Option<(u64, String)> {
    if !matches!(parts.kind, "recovery" | "genesis") {
        return None;
    }
    let body: Value = serde_json::from_slice(parts.body).ok()?;
    let fragment = body.get("fragment")?;
    Some((fragment.get("len")?.as_u64()?, fragment.get("sha256")?.as_str()?.to_owned()))
}
