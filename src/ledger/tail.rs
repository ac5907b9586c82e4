//! The end of a ledger's file: the last entry, what a crash left after it, and the ids just before.
//!
//! What an append asks of the window is nearly always answered by its last piece, and by none of the ids that it has being
//! in the others. So these pass through one small buffer, and the window is held whole only where that is not so: memory
//! that a process touches for the first time costs it more than reading a file does.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::cause::Cause;
use super::entry::{self, Link, Malformed};
use super::torn;
use crate::bytes::{find, find_all, find_last};
use crate::evidence::id::sha256_hex;

/// How much of the end is read.
pub(super) const WINDOW: u64 = 256 << 10;
/// How much of it at a time.
const PIECE: u64 = 32 << 10;
/// Within so many bytes of its beginning a line has the id of its body, and that id has [`ID_MAX`] bytes at most.
const HEAD: u64 = 512;
const ID_MAX: usize = 128;

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
    /// The whole window.
    pub fn read(file: &File) -> std::io::Result<Tail> {
        let size = file.metadata()?.len();
        Tail::from(file, size.saturating_sub(WINDOW), size, Vec::new())
    }

    /// As much of the window as says the same as all of it about how the file ends and about `ids`. The file must not
    /// change meanwhile. `ids` are in order.
    pub fn about(file: &File, ids: &[&[u8]]) -> std::io::Result<Tail> {
        let size = file.metadata()?.len();
        let last = size.saturating_sub(PIECE);
        let mut at = size.saturating_sub(WINDOW);
        if ids.iter().any(|id| id.len() > ID_MAX) {
            return Tail::from(file, at, size, Vec::new());
        }
        let mut piece = Vec::new();
        while at < last {
            let to = last.min(at + PIECE);
            read_into(&mut piece, file, at, (to + HEAD).min(size))?;
            if has_any(&piece, (to - at) as usize, at == 0, ids) {
                return Tail::read(file);
            }
            at = to;
        }
        let tail = Tail::from(file, last, size, piece)?;
        if tail.from_start || matches!(tail.end(), Ok(End::Whole(_))) { Ok(tail) } else { Tail::read(file) }
    }

    fn from(file: &File, offset: u64, size: u64, mut bytes: Vec<u8>) -> std::io::Result<Tail> {
        read_into(&mut bytes, file, offset, size)?;
        let from_start = offset == 0;
        let first = if from_start { 0 } else { find(b'\n', &bytes).map_or(bytes.len(), |at| at + 1) };
        Ok(Tail { bytes, first, from_start })
    }

    /// The whole lines, first to last, without their newlines.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = self.first;
        find_all(b'\n', &self.bytes).filter(move |end| *end >= self.first).map(move |end| {
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
        let terminated = find_last(b'\n', &self.bytes).map_or(0, |at| at + 1);
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
            let start = find_last(b'\n', &self.bytes[..end - 1]).map_or(0, |at| at + 1).max(self.first);
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

fn read_into(bytes: &mut Vec<u8>, file: &File, from: u64, to: u64) -> std::io::Result<()> {
    bytes.resize((to - from) as usize, 0);
    file.read_exact_at(bytes, from)
}

/// Whether a line that begins after a newline in the first `len` bytes of `piece`, or with them, has one of `ids`.
fn has_any(piece: &[u8], len: usize, begins_file: bool, ids: &[&[u8]]) -> bool {
    let first = begins_file.then_some(0);
    let mut starts = first.into_iter().chain(find_all(b'\n', &piece[..len]).map(|newline| newline + 1));
    starts.any(|start| entry::id_at_its_place(&piece[start..]).is_some_and(|id| ids.binary_search(&id).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::super::entry::EntryKind;
    use super::super::hash::ZERO;
    use super::*;

    fn has(tail: &Tail, id: &str) -> bool {
        tail.lines().any(|line| entry::id_at_its_place(line) == Some(id.as_bytes()))
    }

    #[test]
    fn what_is_read_for_an_append_says_what_the_whole_window_says() {
        let (mut bytes, mut ids, mut hash) = (Vec::new(), Vec::new(), ZERO);
        while bytes.len() < 2 * WINDOW as usize {
            let (seq, id) = (ids.len() as u64, format!("{:032x}", ids.len()));
            // Lines of every length, one now and then as long as a piece.
            let text = "x".repeat(if seq % 61 == 60 { PIECE as usize } else { seq as usize * 37 % 1500 });
            let body = format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}");
            hash = entry::write(
                &mut bytes,
                seq,
                &hash,
                "2026-11-30T21:04:05.123Z",
                &EntryKind::Evidence,
                body.as_bytes(),
                |_| None,
            );
            ids.push(id);
        }
        let path = std::env::temp_dir().join(format!("deeds-tail-{}", std::process::id()));
        // Whole, without its newline, torn.
        for cut in [0, 1, 20] {
            std::fs::write(&path, &bytes[..bytes.len() - cut]).unwrap();
            let file = File::open(&path).unwrap();
            let window = Tail::read(&file).unwrap();
            for id in &ids {
                let about = Tail::about(&file, &[id.as_bytes()]).unwrap();
                assert_eq!(about.end().unwrap(), window.end().unwrap());
                assert_eq!(has(&about, id), has(&window, id), "{id}");
            }
            assert!(cut > 0 || Tail::about(&file, &[b"new"]).unwrap().bytes.len() < window.bytes.len());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
