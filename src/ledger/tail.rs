//! The end of a ledger's file, read in one go: the last entry, what a crash left after it, and the ids just before.

use std::fs::File;
use std::os::unix::fs::FileExt;

use memchr::memrchr;

use super::cause::Cause;
use super::entry::{self, Link, Malformed};
use super::torn;
use crate::evidence::id::sha256_hex;

/// How much of the end is read.
pub(super) const WINDOW: u64 = 256 << 10;

/// How a file ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Empty,
    Whole(Link),
    /// The last entry lacks its newline and nothing else.
    NoNewline(Link),
    /// After the last whole entry, if there is one, stands the beginning of another.
    Torn(Option<Link>, Fragment),
}

/// What a crash left.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    pub len: u64,
    pub sha256: String,
    /// The newline that isolates it is already there: the crash came between that and the recovery entry.
    pub isolated: bool,
}

pub(super) struct Tail {
    bytes: Vec<u8>,
    /// Where the first line begins that is in `bytes` from its beginning.
    first: usize,
    /// `bytes` begins where the file does.
    from_start: bool,
}

impl Tail {
    pub fn read(file: &File) -> std::io::Result<Tail> {
        let size = file.metadata()?.len();
        let offset = size.saturating_sub(WINDOW);
        let mut bytes = vec![0; (size - offset) as usize];
        file.read_exact_at(&mut bytes, offset)?;
        let from_start = offset == 0;
        let first = if from_start { 0 } else { memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1) };
        Ok(Tail { bytes, first, from_start })
    }

    /// The whole lines, first to last, without their newlines.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = self.first;
        memchr::memchr_iter(b'\n', &self.bytes).filter(move |end| *end >= self.first).map(move |end| {
            let line = &self.bytes[start..end];
            start = end + 1;
            line
        })
    }

    /// Says how the file ends, or why nothing may be appended to it.
    pub fn end(&self) -> Result<End, Cause> {
        if self.bytes.is_empty() {
            return Ok(End::Empty);
        }
        let terminated = memrchr(b'\n', &self.bytes).map_or(0, |at| at + 1);
        let unterminated = &self.bytes[terminated..];
        match entry::take_apart(unterminated) {
            Ok(parts) => return Ok(End::NoNewline(parts.link())),
            Err(Malformed::Newer(format)) => return Err(Cause::Newer(format)),
            Err(_) => {}
        }
        // From the last line back to the last whole entry; what stands between can only be left by crashes.
        let (mut last, mut whole_end, mut fragments) = (None, self.first, Vec::new());
        let mut end = terminated;
        while end > self.first {
            let start = memrchr(b'\n', &self.bytes[..end - 1]).map_or(0, |at| at + 1).max(self.first);
            let line = &self.bytes[start..end - 1];
            match entry::take_apart(line) {
                Ok(parts) => {
                    (last, whole_end) = (Some(parts.link()), end);
                    break;
                }
                Err(Malformed::Newer(format)) => return Err(Cause::Newer(format)),
                Err(_) if entry::has_tail(line) || line.ends_with(b"\0") => {
                    return Err(Cause::Corrupt("its last line was altered"));
                }
                Err(_) => fragments.push(line),
            }
            end = start;
        }
        if let (Some(last), true, true) = (last, fragments.is_empty(), unterminated.is_empty()) {
            return Ok(End::Whole(last));
        }
        if last.is_none() && !self.from_start {
            return Err(Cause::Corrupt("no entry is to be found at its end"));
        }
        if !unterminated.is_empty() {
            fragments.push(unterminated);
        }
        if !fragments.iter().all(|fragment| torn::is_beginning(fragment, last)) {
            return Err(Cause::Corrupt("its last line is neither an entry nor the beginning of one"));
        }
        let isolated = unterminated.is_empty();
        let region = &self.bytes[whole_end..self.bytes.len() - usize::from(isolated)];
        Ok(End::Torn(last, Fragment { len: region.len() as u64, sha256: sha256_hex(region), isolated }))
    }
}
