//! What one stream of a producer carried: measured whole, kept in part, in memory that does not grow with it.
//!
//! Text is redacted before it is measured or kept. It comes in pieces, and a secret may lie across two of them; so a piece
//! is let go only at a place where redacting both sides by themselves gives what redacting them together does, and only
//! with [`MARGIN`] more of the text in view. Of text, head and tail are kept within [`TEXT_CAP`]; media is kept whole, to
//! the byte, or not at all.

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use crate::evidence::id::hex;
use crate::redact::{Where, redact};
use crate::sensor::clean;

/// Head and tail of a text are kept within so many bytes.
pub const TEXT_CAP: usize = 1 << 20;
/// The bytes of a screenshot or recording are kept up to this length.
pub const MEDIA_CAP: usize = 8 << 20;
/// How much text is looked at together.
const WINDOW: usize = 384 << 10;
/// How much of it stays in view: more than the longest secret that has more than one line.
const MARGIN: usize = 64 << 10;
/// Places that are tried to let go at, from the last back.
const TRIES: usize = 12;
/// Left free for the line that says what is missing.
const NOTE: usize = 128;

/// What is left of a stream at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The bytes to keep; `None`: not kept.
    pub bytes: Option<Vec<u8>>,
    /// Something of the middle is not among them.
    pub cut: bool,
    /// Of the whole, after redaction.
    pub len: u64,
    pub sha256: String,
    /// How many secrets were replaced.
    pub redacted: u32,
}

/// A stream being read.
pub enum Stream {
    Text(Box<Text>),
    Media(Media),
}

impl Stream {
    pub fn text() -> Stream {
        Stream::Text(Box::default())
    }

    pub fn media() -> Stream {
        Stream::Media(Media::default())
    }

    pub fn add(&mut self, bytes: &[u8]) {
        match self {
            Stream::Text(text) => text.add(bytes),
            Stream::Media(media) => media.add(bytes),
        }
    }

    pub fn end(self) -> Captured {
        match self {
            Stream::Text(text) => text.end(),
            Stream::Media(media) => media.end(),
        }
    }
}

#[derive(Default)]
pub struct Media {
    kept: Vec<u8>,
    len: u64,
    sha: Sha256,
}

impl Media {
    fn add(&mut self, bytes: &[u8]) {
        self.sha.update(bytes);
        self.len += bytes.len() as u64;
        if self.len <= MEDIA_CAP as u64 {
            self.kept.extend_from_slice(bytes);
        } else {
            self.kept = Vec::new();
        }
    }

    fn end(self) -> Captured {
        let bytes = (self.len <= MEDIA_CAP as u64).then_some(self.kept);
        Captured { bytes, cut: false, len: self.len, sha256: hex(&self.sha.finalize()), redacted: 0 }
    }
}

#[derive(Default)]
pub struct Text {
    /// The beginning of a character whose end has not come.
    begun: Vec<u8>,
    /// Not redacted yet.
    window: String,
    head: String,
    tail: VecDeque<u8>,
    len: u64,
    sha: Sha256,
    redacted: u32,
}

impl Text {
    fn add(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        let whole = self.begun.len() - unfinished(&self.begun);
        self.window.push_str(&String::from_utf8_lossy(&self.begun[..whole]));
        self.begun.drain(..whole);
        while self.window.len() >= WINDOW + MARGIN {
            self.let_go();
        }
    }

    /// Redacts and passes on what lies before the margin.
    fn let_go(&mut self) {
        let together = redact(&self.window, Where::Output).text.into_owned();
        let at = places(&self.window, self.window.len() - MARGIN)
            .into_iter()
            .find(|at| {
                let (before, after) = self.window.split_at(*at);
                let before = redact(before, Where::Output).text;
                together.strip_prefix(before.as_ref()).is_some_and(|rest| rest == redact(after, Where::Output).text)
            })
            .unwrap_or_else(|| clean::floor(&self.window, self.window.len() - MARGIN));
        let rest = self.window.split_off(at);
        let piece = std::mem::replace(&mut self.window, rest);
        self.pass(&piece);
    }

    fn pass(&mut self, piece: &str) {
        let clean = redact(piece, Where::Output);
        self.redacted = self.redacted.saturating_add(clean.count);
        self.sha.update(clean.text.as_bytes());
        self.len += clean.text.len() as u64;
        let mut rest = clean.text.as_ref();
        if self.tail.is_empty() {
            let (head, more) = rest.split_at(clean::floor(rest, (TEXT_CAP / 2).saturating_sub(self.head.len())));
            self.head.push_str(head);
            rest = more;
        }
        let last = &rest.as_bytes()[rest.len().saturating_sub(TEXT_CAP / 2)..];
        self.tail.extend(last);
        let over = self.tail.len().saturating_sub(TEXT_CAP / 2);
        self.tail.drain(..over);
    }

    fn end(mut self) -> Captured {
        let begun = std::mem::take(&mut self.begun);
        self.window.push_str(&String::from_utf8_lossy(&begun));
        let rest = std::mem::take(&mut self.window);
        self.pass(&rest);
        let cut = self.len > (self.head.len() + self.tail.len()) as u64;
        let tail: Vec<u8> = self.tail.into();
        let bytes = if cut {
            let tail = &tail[NOTE.min(tail.len())..];
            // The tail begins where the cap fell, which may be inside of a character.
            let boundary = tail.iter().position(|byte| byte & 0xc0 != 0x80).unwrap_or(tail.len());
            let tail = String::from_utf8_lossy(&tail[boundary..]);
            let missing = (self.len as usize).saturating_sub(self.head.len() + tail.len());
            clean::join(&self.head, &tail, missing).into_bytes()
        } else {
            [self.head.into_bytes(), tail].concat()
        };
        Captured { bytes: Some(bytes), cut, len: self.len, sha256: hex(&self.sha.finalize()), redacted: self.redacted }
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 != 0x80);
    let Some(back) = lead else { return 0 };
    let needs = match bytes[bytes.len() - 1 - back] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if back + 1 < needs { back + 1 } else { 0 }
}

/// Where `text` can be cut before `end`: after lines, else after words, else anywhere.
fn places(text: &str, end: usize) -> Vec<usize> {
    let mut places = Vec::with_capacity(TRIES);
    for separator in ["\n", " "] {
        let mut before = clean::floor(text, end);
        while places.len() < TRIES / 2
            && let Some(at) = text[..before].rfind(separator)
            && at + 1 > end / 2
        {
            places.push(at + 1);
            // A step that grows: what is in the way may be long.
            before = clean::floor(text, at.saturating_sub(1 << (places.len() * 2)));
        }
        if !places.is_empty() {
            return places;
        }
    }
    (0..TRIES).map(|n| clean::floor(text, end.saturating_sub(n * 4096))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::id::sha256_hex;

    fn captured(mut stream: Stream, bytes: &[u8], chunk: usize) -> Captured {
        bytes.chunks(chunk).for_each(|part| stream.add(part));
        stream.end()
    }

    #[test]
    fn what_is_short_is_kept_whole_and_what_is_long_by_its_ends() {
        let short = captured(Stream::text(), "é ok\n".as_bytes(), 1);
        assert_eq!((short.bytes.unwrap(), short.cut), ("é ok\n".as_bytes().to_vec(), false));
        let long = format!("first\n{}last é", "0123456789 é\n".repeat(200_000));
        let kept = captured(Stream::text(), long.as_bytes(), 70_001);
        assert_eq!((kept.len, kept.sha256), (long.len() as u64, sha256_hex(long.as_bytes())));
        let text = String::from_utf8(kept.bytes.unwrap()).unwrap();
        assert!(kept.cut && text.len() <= TEXT_CAP && text.starts_with("first\n") && text.ends_with("last é"));
        assert!(text.contains("\n[deeds: ") && !text.contains('\u{fffd}'));
    }

    #[test]
    fn exactly_the_cap_is_no_cut_and_one_more_is() {
        for (len, cut) in [(TEXT_CAP, false), (TEXT_CAP + 1, true)] {
            assert_eq!(captured(Stream::text(), &vec![b'x'; len], 65_536).cut, cut, "{len}");
        }
    }

    #[test]
    fn a_secret_that_lies_across_two_pieces_is_found() {
        let token = format!("ghp_{}", "A1b2".repeat(9));
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n",
            format!("{}\n", "Zm9v".repeat(16)).repeat(40)
        );
        for shift in (0..4000).step_by(397) {
            let mut text = "a line of log\n".repeat((WINDOW - 2000 - shift) / 14);
            text.push_str(&format!("token {token} end\n{key}after\n"));
            text.push_str(&"more of it\n".repeat(20_000));
            let kept = captured(Stream::text(), text.as_bytes(), 30_000);
            assert_eq!(kept.redacted, 2, "{shift}");
            let whole = redact(&text, Where::Output).text;
            assert_eq!(kept.sha256, sha256_hex(whole.as_bytes()), "{shift}");
            let seen = String::from_utf8(kept.bytes.unwrap()).unwrap();
            assert!(!seen.contains("ghp_") && !seen.contains("Zm9v"), "{shift}");
        }
    }

    #[test]
    fn a_secret_in_one_endless_line_is_found() {
        let token = format!("ghp_{}", "A1b2".repeat(9));
        let line = format!("{},{token},{}", "x,".repeat((WINDOW - 20) / 2), "y,".repeat(300_000));
        let kept = captured(Stream::text(), line.as_bytes(), 50_000);
        assert_eq!(kept.redacted, 1);
    }

    #[test]
    fn media_is_kept_to_the_byte_or_not_at_all() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
        let kept = captured(Stream::media(), &bytes, 65_536);
        assert_eq!(kept.bytes.as_deref(), Some(bytes.as_slice()));
        let over = captured(Stream::media(), &vec![7; MEDIA_CAP + 1], 65_536);
        assert_eq!((over.bytes, over.len), (None, MEDIA_CAP as u64 + 1));
    }

    #[test]
    fn bytes_that_are_no_text_do_not_stop_it() {
        let kept = captured(Stream::text(), b"a\xff\xe2\x82\xac\xe2\x82", 1);
        assert_eq!(kept.bytes.unwrap(), "a\u{fffd}€\u{fffd}".as_bytes());
    }
}
