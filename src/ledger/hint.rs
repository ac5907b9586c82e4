//! Where a session's entries stand, for whoever looks for a session that is far back in a large ledger.
//!
//! `sessions/<sha256 of the session's id>` has a line for a place: an entry's number, and where its line begins in the
//! ledger's own file. A session is noted where it begins, and again where it has gone on for long.
//!
//! Architecture invariant: a hint is never trusted, and nothing depends on it. One that does not lead to the entry it names
//! is none; one that is missing costs time; that one cannot be written fails nothing.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use memchr::{memchr_iter, memmem};

use super::entry;
use super::tail::WINDOW;
use crate::durable;
use crate::evidence::id::sha256_hex;
use crate::layout;

/// A session is noted again after so many entries: a hint is at most this far before its last ones.
pub(super) const SPAN: u64 = 5_000;

/// More than that has nobody written.
const FILE_MAX: u64 = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hint {
    seq: u64,
    offset: u64,
}

fn path(dir: &Path, session: &str) -> PathBuf {
    dir.join(layout::SESSIONS).join(sha256_hex(session.as_bytes()))
}

fn read(dir: &Path, session: &str) -> Vec<Hint> {
    let text = durable::open(&path(dir, session)).and_then(|file| durable::read_capped(&file, FILE_MAX));
    let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
    let hint = |line: &str| {
        let (seq, offset) = line.split_once(' ')?;
        Some(Hint { seq: seq.parse().ok()?, offset: offset.parse().ok()? })
    };
    text.lines().filter_map(hint).collect()
}

pub(super) fn note(dir: &Path, session: &str, seq: u64) {
    if is_near(&read(dir, session), seq) {
        return;
    }
    if let Ok(Some(offset)) = line_near_end(dir, seq) {
        note_at(dir, session, seq, offset);
    }
}

pub(super) fn note_at(dir: &Path, session: &str, seq: u64, offset: u64) {
    if is_near(&read(dir, session), seq) {
        return;
    }
    let path = path(dir, session);
    let write = || -> io::Result<()> {
        durable::make_dir(&dir.join(layout::SESSIONS))?;
        let file = durable::open_append(&path)?;
        if file.metadata()?.len() < FILE_MAX {
            durable::append(&file, format!("{seq} {offset}\n").as_bytes())?;
        }
        Ok(())
    };
    // Without it the session is only slower to find.
    let _ = write();
}

fn is_near(hints: &[Hint], seq: u64) -> bool {
    hints.iter().any(|hint| hint.seq.abs_diff(seq) < SPAN)
}

/// Where the line of an entry begins that was appended just now.
fn line_near_end(dir: &Path, seq: u64) -> io::Result<Option<u64>> {
    let file = durable::open(&dir.join(layout::LEDGER))?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(WINDOW);
    let mut bytes = vec![0; (size - start) as usize];
    file.read_exact_at(&mut bytes, start)?;
    let mut beginning = entry::beginning(seq);
    if start == 0 && bytes.starts_with(&beginning) {
        return Ok(Some(0));
    }
    beginning.insert(0, b'\n');
    Ok(memmem::rfind(&bytes, &beginning).map(|at| start + at as u64 + 1))
}

/// Where to begin reading backward so that what was recorded of a session near each of its hints is met; the last first.
pub(super) fn ends(dir: &Path, session: &str) -> Vec<u64> {
    let mut hints = read(dir, session);
    hints.sort_unstable_by_key(|hint| hint.seq);
    let Ok(file) = durable::open(&dir.join(layout::LEDGER)) else { return Vec::new() };
    hints.iter().rev().filter_map(|hint| end(&file, *hint).ok().flatten()).collect()
}

/// The end of the line that stands twice [`SPAN`] lines after a hint; `None` if the hint does not lead to its entry.
fn end(file: &File, hint: Hint) -> io::Result<Option<u64>> {
    let size = file.metadata()?.len();
    let beginning = entry::beginning(hint.seq);
    let mut found = vec![0; beginning.len()];
    if hint.offset.checked_add(found.len() as u64).is_none_or(|end| end > size) {
        return Ok(None);
    }
    file.read_exact_at(&mut found, hint.offset)?;
    if found != beginning {
        return Ok(None);
    }
    let mut left = 2 * SPAN as usize;
    let mut at = hint.offset;
    let mut chunk = vec![0; 256 << 10];
    loop {
        let read = file.read_at(&mut chunk, at)?;
        if read == 0 {
            return Ok(Some(at));
        }
        let newlines = memchr_iter(b'\n', &chunk[..read]);
        let mut counted = 0;
        for newline in newlines {
            counted += 1;
            if counted == left {
                return Ok(Some(at + newline as u64 + 1));
            }
        }
        left -= counted;
        at += read as u64;
    }
}
