//! What passes through, kept for the record: all of it while it is small, else its head and its tail.

use std::collections::VecDeque;

/// Up to here everything is kept.
const WHOLE: usize = 4 << 20;
/// Of more, this much of the beginning and of the end.
const END: usize = 512 << 10;

#[derive(Debug, Clone, Default)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    len: usize,
}

impl Capture {
    pub fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len();
        let room = WHOLE.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(END);
        self.tail.drain(..over);
    }

    /// Something between head and tail is missing.
    pub fn is_cut(&self) -> bool {
        self.len > self.head.len() + self.tail.len()
    }

    /// What is kept, as text; a line says how much is not.
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&tail);
        let missing = self.len - self.head.len() - self.tail.len();
        if missing == 0 {
            format!("{head}{tail}")
        } else {
            format!("{head}\n[deeds: {missing} bytes not kept]\n{tail}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_survives_whatever_comes_before_it() {
        let mut small = Capture::default();
        small.add(b"one ");
        small.add(b"two");
        assert_eq!((small.text().as_str(), small.is_cut()), ("one two", false));
        let mut large = Capture::default();
        for _ in 0..100 {
            large.add(&[b'x'; 100_000]);
        }
        large.add(b"the end");
        assert!(large.is_cut() && large.text().ends_with("the end") && large.text().len() < WHOLE + END + 100);
    }
}
