//! Private keys in PEM armour, whole or cut.
//!
//! Output is often cut, so a block without an end counts: it goes as far as its lines are base64, and no further. A
//! printed `BEGIN` line alone is no key, and must not take along the failure that follows it.

use std::ops::Range;

use memchr::memmem;

use super::class::BASE64;
use super::scan::Scan;
use crate::bytes::{find_either, find_last};

pub(super) const KIND: &str = "private-key";
/// What the first and the last line of a key, and no other line, have in common.
pub(super) const LABELLED: &[u8] = b"PRIVATE KEY";
const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END";

const PRIVATE: [&str; 2] = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];

/// A full line of base64: 64 characters as a rule. Shorter ones could be words.
const FULL: usize = 40;

/// What no line of prose has: so many characters of base64 on end.
const LIKELY: usize = 16;

/// How long what stands between `-----BEGIN` and its last dashes may be.
const LABEL: usize = 130;

/// How far from the margin an end may stand whose beginning was cut.
const MARGIN: usize = 64;

/// One line inside an armour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    /// `Proc-Type: 4,ENCRYPTED`
    Header,
    /// At least [`FULL`] characters of base64, up to this offset in the text.
    Full(usize),
    /// The same with something behind it.
    Last(usize),
    /// A few characters of base64, up to this offset; `word` if they are all letters.
    Short {
        end: usize,
        word: bool,
    },
    /// Base64 with something around it, as code or quoted text has it.
    Likely,
    Other,
}

/// The block that begins at `start`; `after` is behind `-----BEGIN`.
pub(super) fn block(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let mut at = label_end(scan.bytes, after, &PRIVATE)?;
    // Whatever another block begins with is its own; not looking further keeps the work linear.
    let rest = scan.bytes.get(at..)?;
    let bytes = scan.bytes.get(..at + memmem::find(rest, BEGIN).unwrap_or(rest.len()))?;
    // How far it is a key beyond doubt, and whether its next line may still be part of one.
    let (mut end, mut open, mut begun) = (None, true, false);
    while at < bytes.len() {
        let (line, next) = line_at(bytes, at);
        if let Some(ends) = memmem::find(bytes.get(line.clone())?, END) {
            let close = label_end(bytes, at + ends + END.len(), &["KEY-----", "KEY BLOCK-----"]);
            if close.is_some() && classify(bytes, at..at + ends) != Line::Other {
                return close.map(|close| start..close);
            }
            break;
        }
        match classify(bytes, line) {
            Line::Full(to) if open => (end, begun) = (Some(to), true),
            Line::Short { end: to, word: false } if open && begun => (end, open) = (Some(to), false),
            Line::Last(to) if open && begun => (end, open) = (Some(to), false),
            Line::Header if open && !begun => {}
            Line::Blank => {}
            Line::Other => break,
            // Only an end that follows shows that this belonged to it.
            Line::Full(_) | Line::Last(_) | Line::Short { .. } | Line::Header | Line::Likely => open = false,
        }
        at = next;
    }
    end.map(|end| start..end)
}

/// What is left of a block whose beginning was cut: the lines of base64 above the end that begins at `start`.
pub(super) fn tail(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    let close = label_end(bytes, after, &PRIVATE)?;
    let mut line = line_start(bytes, start.saturating_sub(MARGIN), start)..start;
    if line.len() >= MARGIN || classify(bytes, line.clone()) != Line::Blank {
        return None;
    }
    let (mut begin, mut short) = (None, 0);
    while line.start > 0 {
        let end = line.start - 1;
        line = line_start(bytes, 0, end)..end;
        match classify(bytes, line.clone()) {
            Line::Full(to) => {
                let run = bytes.get(line.start..to)?.iter().rev().take_while(|&&byte| BASE64.has(byte)).count();
                begin = Some(to - run);
            }
            // The last line, and a checksum.
            Line::Short { .. } if begin.is_none() && short < 2 => short += 1,
            _ => break,
        }
    }
    begin.map(|begin| begin..close)
}

/// Where the line begins that ends at `end`, but not before `from`.
fn line_start(bytes: &[u8], from: usize, end: usize) -> usize {
    bytes.get(from..end).and_then(|head| find_last(b'\n', head)).map_or(from, |newline| from + newline + 1)
}

/// The end of the first of `ends`, if only a label stands before it.
fn label_end(bytes: &[u8], at: usize, ends: &[&str]) -> Option<usize> {
    let label = bytes.get(at..)?;
    let label = label.get(..LABEL).unwrap_or(label);
    let is_label = |byte: &u8| matches!(byte, b' ' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-');
    let label = label.get(..label.iter().position(|byte| !is_label(byte)).unwrap_or(label.len()))?;
    let found = ends.iter().filter_map(|end| Some(memmem::find(label, end.as_bytes())? + end.len()));
    found.min().map(|end| at + end)
}

/// The line at `at` and where the next begins. A line break may be written `\n`, as in JSON.
fn line_at(bytes: &[u8], at: usize) -> (Range<usize>, usize) {
    let mut from = at;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        let Some(offset) = find_either(b'\n', b'\\', rest) else { return (at..bytes.len(), bytes.len()) };
        let end = from + offset;
        match rest.get(offset..) {
            Some([b'\n', ..]) => return (at..end, end + 1),
            Some([b'\\', b'n', ..]) => return (at..end, end + 2),
            Some([b'\\', b'r', b'\\', b'n', ..]) => return (at..end, end + 4),
            _ => from = end + 1,
        }
    }
}

fn classify(bytes: &[u8], line: Range<usize>) -> Line {
    let text = bytes.get(line.clone()).unwrap_or_default().trim_ascii();
    // Code that puts a key together from its lines has `" +` between them.
    if text.iter().all(|byte| matches!(byte, b'"' | b'\'' | b'+' | b',' | b';' | b'(' | b')' | b'\\' | b' ' | b'\t')) {
        return Line::Blank;
    }
    let body = past_prefix(text);
    let length = body.iter().take_while(|&&byte| BASE64.has(byte)).count();
    let (run, rest) = body.split_at(length);
    // `body` is the tail of the trimmed line, so the run's end is counted from the line's.
    let end = line.start + bytes.get(line.clone()).unwrap_or_default().trim_ascii_end().len() - rest.len();
    let alone = rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\'' | b','));
    match (length, alone) {
        (FULL.., true) => return Line::Full(end),
        (FULL.., false) => return Line::Last(end),
        (1.., true) => return Line::Short { end, word: run.iter().all(u8::is_ascii_alphabetic) },
        (0, true) => return Line::Blank,
        _ => {}
    }
    let name = text.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-').count();
    if name > 0 && text.get(name..).is_some_and(|rest| rest.starts_with(b": ")) {
        return Line::Header;
    }
    if text.split(|&byte| !BASE64.has(byte)).any(|part| part.len() >= LIKELY) { Line::Likely } else { Line::Other }
}

/// Past what tools put in front of a line: a diff's or a quotation's mark, a line number, a quotation mark.
fn past_prefix(line: &[u8]) -> &[u8] {
    let mut rest = line;
    if let [b'-' | b'>' | b'|', marked @ ..] = rest {
        rest = marked.trim_ascii_start();
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=6).contains(&digits) {
        let numbered = rest.get(digits..).unwrap_or_default();
        for separator in ["\t", ":", "|", " ", "→"] {
            if let Some(numbered) = numbered.strip_prefix(separator.as_bytes()) {
                rest = numbered.trim_ascii_start();
                break;
            }
        }
    }
    match rest {
        [b'"' | b'\'', quoted @ ..] => quoted,
        _ => rest,
    }
}
