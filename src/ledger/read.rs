//! Reading forward: closed segments in order, then the ledger's own file, one line at a time.
//!
//! What is read ends where the last finished append ended when reading began, so that a line being written at this moment
//! is not taken for one that was cut short.
//!
//! Architecture invariant: memory does not grow with the ledger; one line is held. Reading changes nothing on disk.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Take};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Ledger;
use super::chain::Chain;
use super::entry::{Entry, LINE_MAX, Parts};
use super::finding::{Finding, FindingKind};
use super::lock::Lock;
use super::place;
use crate::durable;
use crate::error::{Error, Result};
use crate::layout;

const BUFFER: usize = 256 << 10;
/// How long to wait for an append to finish. Without the lock a half-written last line may be seen.
const WAIT: Duration = Duration::from_secs(2);

/// The files of a ledger in order, and how much of the last is finished.
pub(super) fn files(dir: &Path) -> Result<(VecDeque<PathBuf>, u64)> {
    let unreadable = |error| Error::io("read", dir, error);
    let segments = place::segments(dir).map_err(unreadable)?;
    let mut files: VecDeque<PathBuf> = segments.iter().map(|first| dir.join(layout::segment(*first))).collect();
    let own = dir.join(layout::LEDGER);
    let mut finished = u64::MAX;
    if std::fs::symlink_metadata(&own).is_ok() {
        // A ledger in a place that cannot be written to may have no lock, and then no writer either.
        if let Ok(Some(_lock)) = Lock::shared(dir, WAIT) {
            finished = std::fs::symlink_metadata(&own).map_err(unreadable)?.len();
        }
        files.push_back(own);
    }
    Ok((files, finished))
}

/// One line as it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Without its newline; of a line longer than one may be, only a part.
    pub bytes: &'a [u8],
    /// From 1.
    pub number: u64,
    pub has_newline: bool,
}

#[derive(Debug)]
enum Item<'a> {
    Line(Line<'a>),
    FileEnd { another: bool },
}

/// The lines of all files of a ledger.
#[derive(Debug)]
struct Lines {
    waiting: VecDeque<PathBuf>,
    reader: Option<BufReader<Take<File>>>,
    file: PathBuf,
    number: u64,
    line: Vec<u8>,
    /// How much of the ledger's own file is finished.
    finished: u64,
}

impl Lines {
    fn open(dir: &Path) -> Result<Lines> {
        let (waiting, finished) = files(dir)?;
        Ok(Lines { waiting, reader: None, file: PathBuf::new(), number: 0, line: Vec::new(), finished })
    }

    fn next(&mut self) -> Result<Option<Item<'_>>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                let Some(path) = self.waiting.pop_front() else { return Ok(None) };
                let file = durable::open(&path).map_err(|error| Error::io("read", &path, error))?;
                let limit = if self.waiting.is_empty() { self.finished } else { u64::MAX };
                (self.file, self.number) = (path, 0);
                self.reader.insert(BufReader::with_capacity(BUFFER, file.take(limit)))
            }
        };
        self.line.clear();
        let ended = read_line(reader, &mut self.line).map_err(|error| Error::io("read", &self.file, error))?;
        if ended == Ended::Nothing {
            self.reader = None;
            return Ok(Some(Item::FileEnd { another: !self.waiting.is_empty() }));
        }
        self.number += 1;
        let has_newline = ended == Ended::Newline;
        Ok(Some(Item::Line(Line { bytes: &self.line, number: self.number, has_newline })))
    }
}

/// How a line ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Newline,
    File,
    Nothing,
}

/// Reads up to a newline, keeping no more than what a line may have and a little.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Ended> {
    let mut any = false;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(if any { Ended::File } else { Ended::Nothing });
        }
        any = true;
        let newline = memchr::memchr(b'\n', chunk);
        let content = &chunk[..newline.unwrap_or(chunk.len())];
        let room = (LINE_MAX + 1).saturating_sub(line.len());
        line.extend_from_slice(&content[..content.len().min(room)]);
        let used = newline.map_or(chunk.len(), |at| at + 1);
        reader.consume(used);
        if newline.is_some() {
            return Ok(Ended::Newline);
        }
    }
}

/// What one step through a ledger came upon.
pub(super) enum Step<T> {
    Entry(T),
    /// A line that is no entry, or the end of a file.
    Other,
    End,
}

/// Goes through a ledger line by line, along the chain.
#[derive(Debug)]
pub(super) struct Walk {
    lines: Lines,
    chain: Chain,
    /// What is wrong with what has been read; for the caller to take.
    pub found: Vec<Finding>,
}

impl Walk {
    pub fn open(dir: &Path) -> Result<Walk> {
        Ok(Walk { lines: Lines::open(dir)?, chain: Chain::default(), found: Vec::new() })
    }

    /// Goes one line further; `look` is shown the entry, its line and where to note what is wrong with it.
    pub fn step<T>(&mut self, look: impl FnOnce(&Parts<'_>, &Line<'_>, &mut Vec<Finding>) -> T) -> Step<T> {
        let before = self.found.len();
        let step = match self.lines.next() {
            Ok(Some(Item::Line(line))) => match self.chain.line(&line, &mut self.found) {
                Some(parts) => Step::Entry(look(&parts, &line, &mut self.found)),
                None => Step::Other,
            },
            Ok(Some(Item::FileEnd { another })) => {
                self.chain.file_end(another, &mut self.found);
                Step::Other
            }
            Ok(None) => Step::End,
            Err(error) => {
                self.found.push(Finding::new(FindingKind::Unreadable, 0, error.message));
                return Step::End;
            }
        };
        let name = self.lines.file.file_name().unwrap_or_default();
        if name != layout::LEDGER {
            for finding in &mut self.found[before..] {
                finding.detail = format!("{}: {}", name.to_string_lossy(), finding.detail);
            }
        }
        step
    }
}

/// An entry together with its line, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub entry: Entry,
    /// Without the newline.
    pub line: String,
}

/// All entries in order. Where a line is not what it should be, what is wrong with it comes first, then the entry itself
/// if it is one.
#[derive(Debug)]
pub struct Entries {
    walk: Walk,
    found: VecDeque<Finding>,
    entry: Option<Recorded>,
    done: bool,
    keep: Keep,
}

/// Whether entries are wanted with their lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Line,
    EntryOnly,
}

impl Entries {
    pub(super) fn open(ledger: &Ledger, keep: Keep) -> Result<Entries> {
        let mut found = VecDeque::new();
        found.extend(super::verify::gone(ledger));
        Ok(Entries { walk: Walk::open(&ledger.dir)?, found, entry: None, done: false, keep })
    }

    pub(super) fn advance(&mut self) -> Option<Result<Recorded, Finding>> {
        loop {
            if let Some(finding) = self.found.pop_front() {
                return Some(Err(finding));
            }
            if let Some(recorded) = self.entry.take() {
                return Some(Ok(recorded));
            }
            if self.done {
                return None;
            }
            let keep = self.keep;
            let step = self.walk.step(|parts, line, found| {
                let text =
                    if keep == Keep::Line { String::from_utf8_lossy(line.bytes).into_owned() } else { String::new() };
                match parts.build() {
                    Ok(entry) => Some(Recorded { entry, line: text }),
                    Err(why) => {
                        found.push(Finding::new(FindingKind::Altered, line.number, why.to_string()));
                        None
                    }
                }
            });
            match step {
                Step::Entry(recorded) => self.entry = recorded,
                Step::Other => {}
                Step::End => self.done = true,
            }
            self.found.extend(self.walk.found.drain(..));
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().map(|item| item.map(|recorded| recorded.entry))
    }
}
