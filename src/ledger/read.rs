//! Reading forward: segments in order, then the ledger's own file, one line at a time.
//!
//! Architecture invariant: memory does not grow with the ledger; at most one line is held. Reading changes nothing on disk.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use super::entry::{self, Entry, LINE_MAX, Malformed};
use super::place;
use crate::durable;
use crate::error::{Error, Result};
use crate::layout;

const BUFFER: usize = 256 << 10;

/// A line that is no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The file's name.
    pub file: String,
    /// From 1.
    pub line: u64,
    pub why: Malformed,
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

/// The lines of all files of a ledger.
#[derive(Debug)]
pub(super) struct Lines {
    waiting: VecDeque<PathBuf>,
    reader: Option<BufReader<File>>,
    pub file: String,
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    pub fn open(dir: &Path) -> Result<Lines> {
        let segments = place::segments(dir).map_err(|error| Error::io("read", dir, error))?;
        let mut waiting: VecDeque<PathBuf> = segments.iter().map(|first| dir.join(layout::segment(*first))).collect();
        let own = dir.join(layout::LEDGER);
        if std::fs::symlink_metadata(&own).is_ok() {
            waiting.push_back(own);
        }
        Ok(Lines { waiting, reader: None, file: String::new(), number: 0, line: Vec::new() })
    }

    pub fn next(&mut self) -> Result<Option<Line<'_>>> {
        loop {
            let Some(reader) = &mut self.reader else {
                let Some(path) = self.waiting.pop_front() else { return Ok(None) };
                let file = durable::open(&path).map_err(|error| Error::io("read", &path, error))?;
                self.reader = Some(BufReader::with_capacity(BUFFER, file));
                self.file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.number = 0;
                continue;
            };
            self.line.clear();
            let ended =
                read_line(reader, &mut self.line).map_err(|error| Error::io("read", Path::new(&self.file), error))?;
            match ended {
                Ended::Nothing => self.reader = None,
                ended => {
                    self.number += 1;
                    let has_newline = ended == Ended::Newline;
                    return Ok(Some(Line { bytes: &self.line, number: self.number, has_newline }));
                }
            }
        }
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
fn read_line(reader: &mut BufReader<File>, line: &mut Vec<u8>) -> std::io::Result<Ended> {
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

/// All entries in order.
#[derive(Debug)]
pub struct Entries {
    lines: Lines,
    done: bool,
}

impl Entries {
    pub(super) fn open(dir: &Path) -> Result<Entries> {
        Ok(Entries { lines: Lines::open(dir)?, done: false })
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, BadLine>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.lines.next() {
            Ok(Some(line)) => {
                let (number, read) = (line.number, entry::take_apart(line.bytes).and_then(|parts| parts.build()));
                Some(read.map_err(|why| BadLine { file: self.lines.file.clone(), line: number, why }))
            }
            Ok(None) => None,
            Err(_) => {
                self.done = true;
                None
            }
        }
    }
}
