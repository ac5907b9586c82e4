//! The lines of a rollout, first to last, with where they stand.
//!
//! Architecture invariant: memory does not grow with the file. A line of more than [`MOST`] bytes is measured and hashed
//! while it passes, and never held; the last line counts only once its line break is there.

use std::io::{self, ErrorKind, Read};

use memchr::memchr;
use sha2::{Digest, Sha256};

use crate::evidence::id::hex;

/// A longer line is recorded by length and digest.
pub const MOST: usize = 16 << 20;

/// What is read in one go; the buffer goes back to this after a longer line.
const CHUNK: usize = 512 << 10;

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

pub struct Lines<R> {
    from: R,
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
    /// `from` stands at the beginning of a line, `at` bytes into the file.
    pub fn new(from: R, at: u64) -> Lines<R> {
        Lines { from, buffer: vec![0; CHUNK], start: 0, filled: 0, looked: 0, at }
    }

    pub fn at(&self) -> u64 {
        self.at
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

    fn make_room(&mut self) {
        let held = self.filled - self.start;
        if self.start > 0 && (held <= CHUNK / 2 || self.filled == self.buffer.len()) {
            self.buffer.copy_within(self.start..self.filled, 0);
            (self.start, self.filled, self.looked) = (0, held, held);
            if held <= CHUNK / 2 && self.buffer.len() > CHUNK {
                self.buffer.truncate(CHUNK);
                self.buffer.shrink_to_fit();
            }
        }
        if self.filled == self.buffer.len() {
            let more = self.buffer.len().min(MOST + CHUNK - self.buffer.len().min(MOST));
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
        self.buffer = vec![0; CHUNK];
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
    use crate::evidence::id::sha256_hex;

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
        let mut lines = Lines::new(Pieces(text, piece), 100);
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
    fn lines_longer_than_the_buffer_are_whole_and_the_buffer_shrinks_again() {
        let text = [vec![b'x'; 3 * CHUNK], vec![b'\n'], vec![b'y'; 10], vec![b'\n']].concat();
        let mut lines = Lines::new(&text[..], 0);
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes, .. } if bytes.len() == 3 * CHUNK));
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes, .. } if bytes == [b'y'; 10]));
        assert_eq!(lines.next().unwrap(), Next::End { rest: 0 });
        assert_eq!(lines.buffer.len(), CHUNK);
    }

    #[test]
    fn a_line_too_long_to_be_held_is_measured_and_the_next_one_comes() {
        let long = vec![b'z'; MOST + 3 * CHUNK];
        let text = [&long[..], b"\nnext\nhalf"].concat();
        let mut lines = Lines::new(&text[..], 7);
        let Next::Long(found) = lines.next().unwrap() else { panic!() };
        assert_eq!((found.at, found.len, found.end), (7, long.len() as u64, 8 + long.len() as u64));
        assert_eq!(found.sha256, sha256_hex(&long));
        assert_eq!((found.head.len(), found.last), (HEAD, vec![b'z'; LAST]));
        assert!(matches!(lines.next().unwrap(), Next::Line { bytes: b"next", at, .. } if at == found.end));
        assert_eq!(lines.next().unwrap(), Next::End { rest: 4 });
        let mut unfinished = Lines::new(&long[..], 7);
        assert_eq!(unfinished.next().unwrap(), Next::End { rest: long.len() as u64 });
    }
}
