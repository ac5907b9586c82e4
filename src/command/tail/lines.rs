//! The lines of a rollout, first to last, with where they stand.
//!
//! Architecture invariant: memory does not grow with the file. A line of more than [`MOST`] bytes is measured and hashed
//! while it passes, and never held; the last line counts only once its line break is there.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use sha2::{Digest, Sha256};

use crate::evidence::id::{hex, sha256_hex};

/// A longer line is recorded by length and digest.
pub const MOST: usize = 16 << 20;

/// What is read in one go where all is read; the buffer goes back to this after a longer line.
pub const CHUNK: usize = 256 << 10;
/// The same where only the first line is wanted.
const FIRST_CHUNK: usize = 32 << 10;

/// How much of a line that is not held is shown, to tell what it was.
const HEAD: usize = 512;

/// What comes next.
#[derive(Debug, PartialEq)]
pub enum Next<'a> {
    /// A line without its line break, which stands from `at` up to `end` with it.
    Line { bytes: &'a [u8], at: u64, end: u64 },
    /// A line too long to be held.
    Long(Long),
    /// What follows the last line break, if anything: a line that is still being written.
    End { rest: u64 },
}

/// Whole lines, all that were at hand.
#[derive(Debug, Default)]
pub struct Block {
    /// The lines are a part of it.
    pub buffer: Vec<u8>,
    pub range: Range<usize>,
    /// Where in the file they begin.
    pub at: u64,
}

impl Block {
    /// Each line without its line break, by where it is in the buffer.
    pub fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = self.range.start;
        memchr_iter(b'\n', &self.buffer[self.range.clone()]).map(move |newline| {
            let line = start..self.range.start + newline;
            start = line.end + 1;
            line
        })
    }

    /// The last of them.
    pub fn last(&self) -> Option<Range<usize>> {
        let end = self.range.end.checked_sub(1).filter(|end| *end >= self.range.start)?;
        let before = memrchr(b'\n', &self.buffer[self.range.start..end]);
        Some(before.map_or(self.range.start, |newline| self.range.start + newline + 1)..end)
    }

    /// Where in the file a line begins, and where it ends with its line break.
    pub fn place(&self, line: &Range<usize>) -> (u64, u64) {
        let at = self.at + (line.start - self.range.start) as u64;
        (at, at + line.len() as u64 + 1)
    }
}

/// What comes next, of lines taken many at a time.
#[derive(Debug)]
pub enum NextBlock {
    Lines(Block),
    Long(Long),
    End,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Long {
    pub at: u64,
    /// After the line break.
    pub end: u64,
    pub len: u64,
    pub sha256: String,
    pub head: Vec<u8>,
    /// The line's last bytes, for whoever has to recognise the place.
    pub last: Vec<u8>,
}

impl Long {
    /// A line that is at hand, and longer than what is held of one.
    pub fn of(line: &[u8], at: u64) -> Long {
        Long {
            at,
            end: at + line.len() as u64 + 1,
            len: line.len() as u64,
            sha256: sha256_hex(line),
            head: line[..line.len().min(HEAD)].to_vec(),
            last: line[line.len().saturating_sub(LAST)..].to_vec(),
        }
    }
}

pub struct Lines<R> {
    from: R,
    chunk: usize,
    buffer: Vec<u8>,
    /// What has been read and not yet handed out.
    start: usize,
    filled: usize,
    /// Up to here no line break was found.
    looked: usize,
    /// Where in the file `start` is.
    at: u64,
}

impl<R: Read> Lines<R> {
    /// For the first line of a file.
    pub fn first(from: R) -> Lines<R> {
        Lines::in_chunks(from, 0, FIRST_CHUNK)
    }

    /// `from` stands at the beginning of a line, `at` bytes into the file; `chunk` is what is read at once.
    pub fn in_chunks(from: R, at: u64, chunk: usize) -> Lines<R> {
        Lines { from, chunk, buffer: vec![0; chunk], start: 0, filled: 0, looked: 0, at }
    }

    pub fn next(&mut self) -> io::Result<Next<'_>> {
        loop {
            if let Some(found) = memchr(b'\n', &self.buffer[self.looked..self.filled]) {
                let (start, newline) = (self.start, self.looked + found);
                let at = self.at;
                self.at += (newline + 1 - start) as u64;
                self.start = newline + 1;
                self.looked = self.start;
                return Ok(Next::Line { bytes: &self.buffer[start..newline], at, end: self.at });
            }
            self.looked = self.filled;
            if self.filled - self.start > MOST {
                return self.pass_by();
            }
            self.make_room();
            let read = fill(&mut self.from, &mut self.buffer[self.filled..])?;
            if read == 0 {
                return Ok(Next::End { rest: (self.filled - self.start) as u64 });
            }
            self.filled += read;
        }
    }

    /// All whole lines that are at hand, in their buffer; `spare` becomes the next one. From here on so much is read at once
    /// as `spare` holds.
    pub fn next_block(&mut self, mut spare: Vec<u8>) -> io::Result<NextBlock> {
        self.chunk = self.chunk.max(spare.len());
        loop {
            if let Some(found) = memrchr(b'\n', &self.buffer[self.looked..self.filled]) {
                let range = self.start..self.looked + found + 1;
                let rest = &self.buffer[range.end..self.filled];
                spare.resize(self.chunk.max(rest.len()), 0);
                spare[..rest.len()].copy_from_slice(rest);
                let (at, held) = (self.at, rest.len());
                self.at += range.len() as u64;
                (self.start, self.filled, self.looked) = (0, held, held);
                let buffer = std::mem::replace(&mut self.buffer, spare);
                return Ok(NextBlock::Lines(Block { buffer, range, at }));
            }
            self.looked = self.filled;
            if self.filled - self.start > MOST {
                return Ok(match self.pass_by()? {
                    Next::Long(long) => NextBlock::Long(long),
                    Next::Line { .. } | Next::End { .. } => NextBlock::End,
                });
            }
            self.make_room();
            let read = fill(&mut self.from, &mut self.buffer[self.filled..])?;
            if read == 0 {
                return Ok(NextBlock::End);
            }
            self.filled += read;
        }
    }

    fn make_room(&mut self) {
        let held = self.filled - self.start;
        if self.start > 0 && (held <= self.chunk / 2 || self.filled == self.buffer.len()) {
            self.buffer.copy_within(self.start..self.filled, 0);
            (self.start, self.filled, self.looked) = (0, held, held);
            if held <= self.chunk / 2 && self.buffer.len() > self.chunk {
                self.buffer.truncate(self.chunk);
                self.buffer.shrink_to_fit();
            }
        }
        if self.filled == self.buffer.len() {
            let more = self.buffer.len().min(MOST + self.chunk - self.buffer.len().min(MOST));
            self.buffer.reserve_exact(more);
            self.buffer.resize(self.buffer.len() + more, 0);
        }
    }

    /// A line that is not held: only its length, its digest, its beginning and its end.
    fn pass_by(&mut self) -> io::Result<Next<'_>> {
        let at = self.at;
        let held = &self.buffer[self.start..self.filled];
        let head = held[..HEAD].to_vec();
        let mut last = held[held.len() - LAST..].to_vec();
        let mut hash = Sha256::new();
        hash.update(held);
        let mut len = held.len() as u64;
        self.buffer = vec![0; self.chunk];
        (self.start, self.filled, self.looked) = (0, 0, 0);
        loop {
            let read = fill(&mut self.from, &mut self.buffer)?;
            if read == 0 {
                // It stays unread; whoever comes back reads it again from its beginning.
                return Ok(Next::End { rest: len });
            }
            let newline = memchr(b'\n', &self.buffer[..read]);
            let part = &self.buffer[..newline.unwrap_or(read)];
            hash.update(part);
            len += part.len() as u64;
            last.extend_from_slice(&part[part.len().saturating_sub(LAST)..]);
            last.drain(..last.len() - LAST);
            if let Some(newline) = newline {
                (self.start, self.filled, self.looked) = (newline + 1, read, newline + 1);
                self.at = at + len + 1;
                let sha256 = hex(&hash.finalize());
                return Ok(Next::Long(Long { at, end: self.at, len, sha256, head, last }));
            }
        }
    }
}

/// As many bytes at a line's end tell it from another.
pub const LAST: usize = 256;

fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces, as a pipe or a decoder does.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(self.1).min(buffer.len());
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn all(text: &[u8], piece: usize) -> (Vec<(Vec<u8>, u64, u64)>, u64) {
        let mut lines = Lines::in_chunks(Pieces(text, piece), 100, CHUNK);
        let mut found = Vec::new();
        loop {
            match lines.next().unwrap() {
                Next::Line { bytes, at, end } => found.push((bytes.to_vec(), at, end)),
                Next::Long(long) => panic!("{long:?}"),
                Next::End { rest } => return (found, rest),
            }
        }
    }

    #[test]
    fn every_whole_line_comes_with_its_place_and_the_last_half_one_waits() {
        for piece in [1, 3, 1000] {
            let (lines, rest) = all(b"ab\n\ncde\nf", piece);
            assert_eq!(lines, [(b"ab".to_vec(), 100, 103), (vec![], 103, 104), (b"cde".to_vec(), 104, 108)]);
            assert_eq!(rest, 1);
        }
        assert_eq!(all(b"", 1), (vec![], 0));
    }

    #[test]
    fn blocks_hold_the_same_lines_in_the_same_places() {
        let text = [&b"ab\n\ncde\n"[..], &[b'x'; 100], b"\n", &[b'y'; 9], b"\nhalf"].concat();
        for (piece, chunk) in [(1, 8), (7, 16), (1000, 8), (1000, 1000)] {
            let mut lines = Lines::in_chunks(Pieces(&text, piece), 100, chunk);
            let mut found = Vec::new();
            while let NextBlock::Lines(block) = lines.next_block(vec![0; chunk]).unwrap() {
                assert_eq!(block.last(), block.lines().last());
                found.extend(block.lines().map(|line| {
                    let (at, end) = block.place(&line);
                    (block.buffer[line].to_vec(), at, end)
                }));
            }
            assert_eq!(found, all(&text, 1000).0, "{piece} {chunk}");
            assert_eq!(lines.at, 100 + text.len() as u64 - 4);
        }
    }

    #[test]
    fn lines_longer_than_the_buffer_are_whole_and_the_buffer_shrinks_again() {
        let text = [vec![b'x'; 3 * CHUNK], vec![b'\n'], vec![b'y'; 10], vec![b'\n']].concat();
        let mut lines = Lines::in_chunks(&text[..], 0, CHUNK);
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes, .. } if bytes.len() == 3 * CHUNK));
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes, .. } if bytes == [b'y'; 10]));
        assert_eq!(lines.next().unwrap(), Next::End { rest: 0 });
        assert_eq!(lines.buffer.len(), CHUNK);
    }

    #[test]
    fn a_line_too_long_to_be_held_is_measured_and_the_next_one_comes() {
        let long = vec![b'z'; MOST + 3 * CHUNK];
        let text = [&long[..], b"\nnext\nhalf"].concat();
        let mut lines = Lines::in_chunks(&text[..], 7, CHUNK);
        let Next::Long(found) = lines.next().unwrap() else { panic!() };
        assert_eq!((found.at, found.len, found.end), (7, long.len() as u64, 8 + long.len() as u64));
        assert_eq!(found, Long::of(&long, 7));
        assert_eq!((found.head.len(), found.last), (HEAD, vec![b'z'; LAST]));
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes: b"next", at, .. } if at == found.end));
        assert_eq!(lines.next().unwrap(), Next::End { rest: 4 });
        let mut unfinished = Lines::in_chunks(&long[..], 7, CHUNK);
        assert_eq!(unfinished.next().unwrap(), Next::End { rest: long.len() as u64 });
    }
}
