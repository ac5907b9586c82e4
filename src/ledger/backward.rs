//! Reading from the newest entry back: what happened last, without going through what happened before.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use memchr::memrchr;

use super::entry::{self, Entry, LINE_MAX};
use super::finding::{Finding, FindingKind};
use super::hash::Hash;
use super::place;
use crate::durable;
use crate::error::{Error, Result};
use crate::layout;

const CHUNK: u64 = 256 << 10;

/// Entries, newest first. A line that is none, or that is not the one the entry after it names, is a finding.
#[derive(Debug)]
pub struct Backward {
    /// Files still to be read, the newest last.
    waiting: Vec<PathBuf>,
    file: Option<File>,
    /// Where in the file `bytes` begin.
    offset: u64,
    /// Not yet gone through.
    bytes: Vec<u8>,
    /// What the entry after the next line names as the one before it, and whether it isolates what a crash left.
    after: Option<(Hash, bool)>,
    /// Comes after a finding about it.
    entry: Option<Entry>,
    failed: bool,
}

impl Backward {
    pub(super) fn open(dir: &Path) -> Result<Backward> {
        let segments = place::segments(dir).map_err(|error| Error::io("read", dir, error))?;
        let mut waiting: Vec<PathBuf> = segments.iter().map(|first| dir.join(layout::segment(*first))).collect();
        let own = dir.join(layout::LEDGER);
        if std::fs::symlink_metadata(&own).is_ok() {
            waiting.push(own);
        }
        Ok(Backward { waiting, file: None, offset: 0, bytes: Vec::new(), after: None, entry: None, failed: false })
    }

    /// The line before those gone through, without its newline.
    fn line(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        loop {
            let Some(file) = &self.file else {
                let Some(path) = self.waiting.pop() else { return Ok(None) };
                let file = durable::open(&path)?;
                self.offset = file.metadata()?.len();
                self.file = Some(file);
                continue;
            };
            let end = self.bytes.len() - usize::from(self.bytes.ends_with(b"\n"));
            match memrchr(b'\n', &self.bytes[..end]) {
                Some(newline) => {
                    let line = self.bytes[newline + 1..end].to_vec();
                    self.bytes.truncate(newline + 1);
                    return Ok(Some(line));
                }
                None if self.offset == 0 => {
                    self.file = None;
                    let line = std::mem::take(&mut self.bytes);
                    if end > 0 {
                        return Ok(Some(line[..end].to_vec()));
                    }
                }
                None if self.bytes.len() > 2 * LINE_MAX => return Err(std::io::Error::other("a line has no end")),
                None => {
                    let start = self.offset.saturating_sub(CHUNK);
                    let mut bytes = vec![0; (self.offset - start) as usize];
                    file.read_exact_at(&mut bytes, start)?;
                    bytes.append(&mut self.bytes);
                    (self.bytes, self.offset) = (bytes, start);
                }
            }
        }
    }
}

impl Iterator for Backward {
    type Item = Result<Entry, Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(entry) = self.entry.take() {
            return Some(Ok(entry));
        }
        if self.failed {
            return None;
        }
        loop {
            let line = match self.line() {
                Ok(line) => line?,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(Finding::new(FindingKind::Unreadable, 0, error.to_string())));
                }
            };
            let read = entry::take_apart(&line).and_then(|parts| parts.build());
            match read {
                Ok(entry) => {
                    let named = self.after.is_none_or(|(prev, _)| prev == entry.hash);
                    let isolates = matches!(entry.kind.as_str(), "recovery" | "genesis");
                    self.after = Some((entry.prev, isolates));
                    if !named {
                        let detail = format!("the entry after entry {} names another one before it", entry.seq);
                        self.entry = Some(entry);
                        return Some(Err(Finding::new(FindingKind::Altered, 0, detail)));
                    }
                    return Some(Ok(entry));
                }
                // Left by a crash, and isolated since.
                Err(_) if self.after.is_some_and(|(_, isolates)| isolates) && !entry::has_tail(&line) => {}
                Err(_) if self.after.is_none() && !entry::has_tail(&line) => {}
                Err(why) => return Some(Err(Finding::new(FindingKind::Altered, 0, why.to_string()))),
            }
        }
    }
}
