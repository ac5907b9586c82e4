//! `NAME=value` where the name says that the value is a secret. In ordinary output such lines are mostly code, so they
//! count in commands, and in lines of output that are nothing but an assignment to an environment variable.

use std::ops::Range;

use super::MARKER;
use super::class::{BARE, FLAG, WORD};
use super::kinds::Case;
use super::scan::{Scan, Span};
use super::shape::is_reference;
use crate::bytes::{find, find_all, find_last};

const KIND: &str = "assignment";

/// What the name of a secret ends in.
const NAMES: [&str; 10] = [
    "PASSWORD",
    "PASSWD",
    "SECRET",
    "TOKEN",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "ACCESSKEY",
    "PRIVATE_KEY",
    "PRIVATEKEY",
];

/// What an option that takes a secret ends in.
const FLAGS: [&str; 3] = ["-password", "-token", "-api-key"];

/// A value without quotation marks that is shorter is no secret worth the name.
const SHORTEST: usize = 8;

/// In front of an assignment in a listing: what prints it as a command, a list item, a diff or a trace.
const LISTED: [&str; 8] = ["export ", "declare -x ", "set ", "ENV ", "- ", "+ ", "+", "-"];

/// Any assignment, and any option, of a command line.
pub(super) fn in_command(scan: &mut Scan<'_>) {
    let bytes = scan.bytes;
    for equals in find_all(b'=', bytes) {
        let head = bytes.get(..equals).unwrap_or_default();
        let name = head.trim_ascii_end();
        // `NAME= word` runs the word with NAME empty; `name = word` is an assignment in some language.
        let spaced = name.len() < head.len() && !head.ends_with(b"\n");
        let value = if spaced { scan.past_blanks(equals + 1) } else { equals + 1 };
        if ends_in(name, &NAMES, Case::Fold)
            && scan.at(equals + 1) != Some(b'=')
            && let Some(range) = word(scan, value, SHORTEST)
        {
            scan.add(Span::new(range, KIND, usize::MAX));
        }
    }
    for dashes in find_all(b'-', bytes) {
        // Two dashes begin an option, and more of them the same one.
        if scan.at(dashes + 1) != Some(b'-') || bytes[..dashes].ends_with(b"-") {
            continue;
        }
        let end = scan.run(FLAG, dashes);
        let flag = bytes.get(dashes + 1..end).unwrap_or_default();
        let value = match scan.at(end) {
            Some(b'=') => end + 1,
            Some(b' ' | b'\t') => scan.past_blanks(end),
            _ => continue,
        };
        if ends_in(flag, &FLAGS, Case::Fold)
            && (value == end + 1 && scan.at(end) == Some(b'=') || scan.at(value) != Some(b'-'))
            && let Some(range) = word(scan, value, 1)
        {
            scan.add(Span::new(range, KIND, usize::MAX));
        }
    }
}

/// Lines that are `NAME=value` and nothing else: then the value is the rest of the line.
pub(super) fn in_listing(scan: &mut Scan<'_>) {
    let bytes = scan.bytes;
    for equals in find_all(b'=', bytes) {
        let head = bytes.get(..equals).unwrap_or_default();
        // Most assignments end here: one byte tells.
        if !matches!(head.last(), Some(b'D' | b'T' | b'N' | b'Y')) || !ends_in(head, &NAMES, Case::Exact) {
            continue;
        }
        let name = head.iter().rev().take_while(|&&byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_')).count();
        let line = find_last(b'\n', head).map_or(0, |end| end + 1);
        let Some(quote) = listed(head.get(line..equals - name).unwrap_or_default()) else { continue };
        let end = find(b'\n', bytes.get(equals..).unwrap_or_default()).map_or(bytes.len(), |end| equals + end);
        if let Some(range) = rest_of_line(bytes, equals + 1..end, quote) {
            scan.add(Span::new(range, KIND, usize::MAX));
        }
    }
}

/// Whether `prefix` may stand before a listed assignment, and the quotation mark that it opens.
fn listed(prefix: &[u8]) -> Option<Option<u8>> {
    let mut rest = prefix.trim_ascii_start();
    for word in LISTED {
        if let Some(after) = rest.strip_prefix(word.as_bytes()) {
            rest = after.trim_ascii_start();
        }
    }
    match rest {
        [] => Some(None),
        [quote @ (b'"' | b'\'')] => Some(Some(*quote)),
        _ => None,
    }
}

fn rest_of_line(bytes: &[u8], line: Range<usize>, quote: Option<u8>) -> Option<Range<usize>> {
    let value = bytes.get(line.clone())?;
    let (mut start, quote) = match (quote, value.first()) {
        (None, Some(&own @ (b'"' | b'\''))) => (1, Some(own)),
        (quote, _) => (0, quote),
    };
    let close = quote.and_then(|quote| find(quote, value.get(start..)?).map(|close| start + close));
    let end = close.unwrap_or(value.trim_ascii_end().len());
    start += line.start;
    let value = bytes.get(start..line.start + end)?;
    let at_least = if quote.is_some() && close.is_some() { 1 } else { SHORTEST };
    is_secret(value, at_least).then_some(start..line.start + end)
}

/// The value at `at`, up to the end of a shell's word, without its quotation marks.
fn word(scan: &mut Scan<'_>, at: usize, at_least: usize) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    let start = match bytes.get(at..)? {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            let line = find(b'\n', rest).unwrap_or(rest.len());
            let close = find(*quote, rest).filter(|close| *close < line);
            if let Some(close) = close {
                return is_secret(rest.get(..close)?, 1).then_some(at + 1..at + 1 + close);
            }
            at + 1
        }
        [b'\\', b'"' | b'\'', ..] => at + 2,
        _ => at,
    };
    let mut end = scan.run(BARE, start);
    // The backslash of a quotation mark that ends the word.
    if matches!(scan.at(end), Some(b'"' | b'\'')) && end > start && scan.at(end - 1) == Some(b'\\') {
        end -= 1;
    }
    let value = bytes.get(start..end)?;
    let substituted = value == b"$" && scan.at(end) == Some(b'(');
    (!substituted && is_secret(value, at_least)).then_some(start..end)
}

fn is_secret(value: &[u8], at_least: usize) -> bool {
    value.len() >= at_least
        && !value.is_empty()
        && !is_reference(value)
        && !value.starts_with(b"$(")
        && !value.starts_with(b"`")
        && !value.starts_with(MARKER.as_bytes())
}

/// Whether `text` ends in one of `names`.
pub(super) fn ends_in(text: &[u8], names: &[&str], case: Case) -> bool {
    names.iter().any(|name| {
        let tail = text.len().checked_sub(name.len()).and_then(|start| text.get(start..)).unwrap_or_default();
        match case {
            Case::Exact => tail == name.as_bytes(),
            Case::Fold => tail.eq_ignore_ascii_case(name.as_bytes()),
        }
    })
}

/// Whether a key of an object names an environment variable that holds a secret.
pub(super) fn names_a_secret(key: &str) -> bool {
    !key.bytes().any(|byte| byte.is_ascii_lowercase() || !WORD.has(byte))
        && ends_in(key.as_bytes(), &NAMES, Case::Exact)
}
