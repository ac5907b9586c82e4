//! Reading from the newest entry back: what happened last, without going through what happened before.
//!
//! Each entry is checked against the one after it, which names it; what is wrong is said as reading forward says it, as
//! far as it can be told from this end.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use memchr::memrchr;

use super::Ledger;
use super::chain::fragment_of;
use super::entry::{self, Entry, LINE_MAX, Link, Malformed};
use super::finding::{Finding, FindingKind};
use super::hash::Hash;
use super::read::{Keep, Recorded, files};
use super::torn;
use super::verify;
use crate::durable;
use crate::error::Result;
use crate::evidence::id::sha256_hex;

const CHUNK: u64 = 256 << 10;
/// So many lines in a row that are no entries are not kept to see what they follow.
const UNKNOWN_MAX: usize = 64;

/// Entries, newest first. What is wrong with a line comes before the entry that was written before it.
#[derive(Debug)]
pub struct Backward {
    lines: Lines,
    /// The entry after the next line.
    newer: Option<Newer>,
    /// Lines since then that are no entries, the last first.
    unknown: Vec<(Line, Malformed)>,
    /// What comes next.
    ready: VecDeque<Result<Recorded, Finding>>,
    done: bool,
    keep: Keep,
}

/// What an entry says about what stands before it.
#[derive(Debug)]
struct Newer {
    seq: u64,
    prev: Hash,
    /// Length and SHA-256 of what a crash left there.
    fragment: Option<(u64, String)>,
}

/// What is to become of a line on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Its entry is wanted.
    Take,
    /// It is checked like the others, and its entry is not built.
    Pass,
    /// Neither it nor anything before it is wanted.
    Stop,
}

impl Backward {
    pub(super) fn open(ledger: &Ledger, keep: Keep) -> Result<Backward> {
        Backward::before(ledger, u64::MAX, keep)
    }

    /// Reads from the line that ends at a place in the ledger's own file.
    pub(super) fn before(ledger: &Ledger, end: u64, keep: Keep) -> Result<Backward> {
        let (files, finished) = files(&ledger.dir)?;
        let finished = finished.min(end);
        let lines = Lines { waiting: files.into(), finished, file: None, offset: 0, bytes: Vec::new(), newline: None };
        let ready = verify::gone(ledger).map(Err).into_iter().collect();
        Ok(Backward { lines, newer: None, unknown: Vec::new(), ready, done: false, keep })
    }

    /// Where the line begins that was read last.
    pub fn at(&self) -> u64 {
        self.lines.offset + self.lines.bytes.len() as u64
    }

    /// The next entry of a line that is taken.
    pub fn next_of(&mut self, choose: &mut dyn FnMut(&[u8]) -> Choice) -> Option<Result<Entry, Finding>> {
        self.advance(choose).map(|item| item.map(|recorded| recorded.entry))
    }

    pub(super) fn advance(&mut self, choose: &mut dyn FnMut(&[u8]) -> Choice) -> Option<Result<Recorded, Finding>> {
        while self.ready.is_empty() && !self.done {
            match self.lines.next() {
                Ok(Some(line)) => match choose(&line.bytes) {
                    Choice::Stop => self.done = true,
                    choice => self.line(line, choice),
                },
                Ok(None) => {
                    self.done = true;
                    self.after(None);
                }
                Err(error) => {
                    self.done = true;
                    self.find(FindingKind::Unreadable, error.to_string());
                }
            }
        }
        self.ready.pop_front()
    }

    fn line(&mut self, line: Line, choice: Choice) {
        let read = entry::take_apart(&line.bytes).and_then(|parts| {
            let entry = if choice == Choice::Take { Some(parts.build()?) } else { None };
            Ok((entry, parts))
        });
        match read {
            Ok((entry, parts)) => {
                if self.newer.is_none() && self.unknown.is_empty() && !line.has_newline {
                    self.find(FindingKind::TornTail, "the last line lacks its newline, and nothing else");
                }
                self.after(Some(parts.link()));
                self.newer = Some(Newer { seq: parts.seq, prev: parts.prev, fragment: fragment_of(&parts) });
                let text = match self.keep {
                    Keep::Line => String::from_utf8_lossy(&line.bytes).into_owned(),
                    Keep::EntryOnly => String::new(),
                };
                self.ready.extend(entry.map(|entry| Ok(Recorded { entry, line: text })));
            }
            Err(why) if self.unknown.len() < UNKNOWN_MAX => self.unknown.push((line, why)),
            Err(_) => {}
        }
    }

    /// Checks what was read after `older` against it; `None`: before it there is nothing.
    fn after(&mut self, older: Option<Link>) {
        let unknown = std::mem::take(&mut self.unknown);
        let newer = self.newer.take();
        if !unknown.is_empty() && !left_by_crash(&unknown, older, newer.as_ref()) {
            for (_, why) in unknown {
                let kind = if matches!(why, Malformed::Newer(_)) { FindingKind::Newer } else { FindingKind::Altered };
                self.find(kind, why.to_string());
            }
            return;
        }
        let Some(Newer { seq, prev, fragment }) = newer else {
            if !unknown.is_empty() {
                self.find(FindingKind::TornTail, "the last line was cut short; the entries before it are whole");
            }
            return;
        };
        if fragment.is_some() && unknown.is_empty() {
            self.find(FindingKind::Missing, format!("the line cut short that entry {seq} isolates is gone"));
        }
        let (next, hash) = Link::after(older);
        if (seq, prev) == (next, hash) {
            return;
        }
        match seq.checked_sub(next) {
            Some(gone @ 1..) => self.find(FindingKind::Missing, format!("before entry {seq} {gone} are not there")),
            _ => self.find(FindingKind::Altered, format!("entry {seq} does not follow the one before it")),
        }
    }

    fn find(&mut self, kind: FindingKind, detail: impl Into<String>) {
        self.ready.push_back(Err(Finding::new(kind, 0, detail)));
    }
}

/// Whether lines, the last first, are what crashes left after `older`: at the end, or as `newer` says.
fn left_by_crash(unknown: &[(Line, Malformed)], older: Option<Link>, newer: Option<&Newer>) -> bool {
    let begin = unknown.iter().all(|(line, _)| {
        let whole =
            line.has_newline && (entry::has_tail(&line.bytes) || (newer.is_none() && line.bytes.ends_with(b"\0")));
        !whole && torn::is_beginning(&line.bytes, older)
    });
    let Some(newer) = newer else { return begin };
    let lines: Vec<&[u8]> = unknown.iter().rev().map(|(line, _)| line.bytes.as_slice()).collect();
    let region = lines.join(b"\n".as_slice());
    begin && newer.fragment == Some((region.len() as u64, sha256_hex(&region)))
}

impl Iterator for Backward {
    type Item = Result<Entry, Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_of(&mut |_| Choice::Take)
    }
}

#[derive(Debug)]
struct Line {
    /// Of a line longer than one may be, only the beginning.
    bytes: Vec<u8>,
    has_newline: bool,
}

/// The lines of all files of a ledger, the last first.
#[derive(Debug)]
struct Lines {
    /// Files still to be read, the newest last.
    waiting: Vec<PathBuf>,
    /// How much of the newest is finished.
    finished: u64,
    file: Option<File>,
    /// Where in the file `bytes` begin.
    offset: u64,
    /// Not yet gone through.
    bytes: Vec<u8>,
    /// Whether the line that `bytes` end with had a newline, which has been taken off.
    newline: Option<bool>,
}

impl Lines {
    fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if self.file.is_none() {
                let Some(path) = self.waiting.pop() else { return Ok(None) };
                let file = durable::open(&path)?;
                self.offset = file.metadata()?.len().min(self.finished);
                (self.file, self.finished) = (Some(file), u64::MAX);
            }
            if self.newline.is_none() {
                if self.bytes.is_empty() {
                    if self.offset == 0 {
                        self.file = None;
                        continue;
                    }
                    self.fill()?;
                }
                self.newline = Some(self.bytes.pop_if(|byte| *byte == b'\n').is_some());
            }
            let start = match memrchr(b'\n', &self.bytes) {
                Some(newline) => newline + 1,
                None if self.offset == 0 => 0,
                None => {
                    self.bytes.truncate(LINE_MAX + 1);
                    self.fill()?;
                    continue;
                }
            };
            let has_newline = self.newline.take() == Some(true);
            return Ok(Some(Line { bytes: self.bytes.split_off(start), has_newline }));
        }
    }

    /// Puts what stands before `bytes` in front of them.
    fn fill(&mut self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let start = self.offset.saturating_sub(CHUNK);
        let mut bytes = vec![0; (self.offset - start) as usize];
        file.read_exact_at(&mut bytes, start)?;
        bytes.append(&mut self.bytes);
        (self.bytes, self.offset) = (bytes, start);
        Ok(())
    }
}
