//! `NAME=value` where the name says that the value is a secret. In ordinary output such lines are mostly code, so they
//! count in commands, and in lines of output that are nothing but an assignment to an environment variable.

use std::ops::Range;

use memchr::memmem;

use super::class::{BARE, FLAG, WORD};
use super::scan::{Scan, Span};
use super::value::is_secret;
use super::{MARKER, Where};
use crate::bytes::{find, find_all, find_either, find_last};

pub(super) const KIND: &str = "assignment";

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

/// What may stand before a listed assignment: one of the marks of a list, a diff or a trace, then one of the words that
/// make it.
const MARKS: [&str; 5] = ["++ ", "- ", "+ ", "+", "-"];
const WORDS: [&str; 4] = ["export ", "declare -x ", "set ", "ENV "];

/// Any assignment, and any option, of a command line; in no order.
pub(super) fn in_command(scan: &mut Scan<'_>) -> Vec<Span> {
    let bytes = scan.bytes;
    let mut spans = Vec::new();
    for equals in find_all(b'=', bytes) {
        let head = bytes.get(..equals).unwrap_or_default();
        let blanks = head.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let name = head.get(..equals - blanks).unwrap_or_default();
        // Most assignments end here: one byte tells.
        if !matches!(name.last().map(u8::to_ascii_uppercase), Some(b'D' | b'T' | b'N' | b'Y')) {
            continue;
        }
        // `NAME= word` runs the word with NAME empty; `name = word` is an assignment in some language.
        let value = if blanks > 0 { scan.past_blanks(equals + 1) } else { equals + 1 };
        if ends_in(name, &NAMES)
            && scan.at(equals + 1) != Some(b'=')
            && let Some(range) = word(scan, value, SHORTEST)
        {
            spans.push(Span::new(range, KIND, usize::MAX));
        }
    }
    for dashes in find_all(b'-', bytes) {
        // Two dashes begin an option, and more of them the same one.
        if scan.at(dashes + 1) != Some(b'-') || bytes[..dashes].ends_with(b"-") {
            continue;
        }
        let end = scan.run(FLAG, dashes);
        let equals = scan.at(end) == Some(b'=');
        let value = if equals { end + 1 } else { scan.past_blanks(end) };
        let negated = bytes.get(dashes..end).is_some_and(|option| option.starts_with(b"--no-"));
        if value > end
            && !negated
            && ends_in(bytes.get(dashes + 1..end).unwrap_or_default(), &FLAGS)
            && (equals || scan.at(value) != Some(b'-'))
            && let Some(range) = word(scan, value, 1)
        {
            spans.push(Span::new(range, KIND, usize::MAX));
        }
    }
    spans
}

/// Whether [`in_command`] knows the option `--name`.
pub(super) fn is_flag(name: &[u8]) -> bool {
    FLAGS.iter().any(|flag| ends_in(name, &[&flag[1..]])) && name.iter().all(|byte| FLAG.has(*byte))
}

/// A line of output that is `NAME=value` and nothing else: then the value is the rest of the line. The literal is the
/// name's end with its `=`.
pub(super) fn listed(scan: &mut Scan<'_>, _: usize, after: usize) -> Option<Range<usize>> {
    if scan.place != Where::Output {
        return None;
    }
    let head = scan.bytes.get(..after - 1)?;
    let name = head.iter().rev().take_while(|&&byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_')).count();
    let quote = prefix(head.get(..head.len() - name)?)?;
    let line = scan.bytes.get(after..)?;
    let end = after + find(b'\n', line).unwrap_or(line.len());
    rest_of_line(scan.bytes, after..end, quote)
}

/// How much may stand before a listed assignment.
const PREFIX: usize = 64;

/// Whether `head` ends in what may stand before a listed assignment, and the quotation mark that it opens.
fn prefix(head: &[u8]) -> Option<Option<u8>> {
    let near = head.get(head.len().saturating_sub(PREFIX)..)?;
    let line = match find_last(b'\n', near) {
        Some(end) => near.get(end + 1..)?,
        None if near.len() == head.len() => near,
        None => return None,
    };
    let mut rest = line.trim_ascii_start();
    for words in [&MARKS[..], &WORDS] {
        let after = words.iter().find_map(|word| rest.strip_prefix(word.as_bytes()));
        rest = after.unwrap_or(rest).trim_ascii_start();
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
    (value.len() >= at_least && is_secret(value)).then_some(start..line.start + end)
}

/// The value at `at`, up to the end of a shell's word, without its quotation marks.
fn word(scan: &mut Scan<'_>, at: usize, at_least: usize) -> Option<Range<usize>> {
    let bytes = scan.bytes;
    let start = match bytes.get(at..)? {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            let close = find_either(*quote, b'\n', rest).unwrap_or(rest.len());
            let value = rest.get(..close)?;
            if memmem::find(value, MARKER.as_bytes()).is_some() {
                return None;
            }
            if rest.get(close) == Some(quote) {
                return is_secret(value).then_some(at + 1..at + 1 + close);
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
    // `token = get_token()`, `os.environ["TOKEN"]`: code that fetches it.
    let called = scan.at(end) == Some(b'(') || value.ends_with(b"[");
    (value.len() >= at_least && is_secret(value) && !called).then_some(start..end)
}

/// Whether `text` ends in one of `names`, in letters of either case.
fn ends_in(text: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| {
        let tail = text.len().checked_sub(name.len()).and_then(|start| text.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Whether a key of an object names an environment variable that holds a secret, and its value is one.
pub(super) fn is_of_a_secret(key: &str, value: &str) -> bool {
    key.bytes().all(|byte| WORD.has(byte) && !byte.is_ascii_lowercase())
        && ends_in(key.as_bytes(), &NAMES)
        && value.len() >= SHORTEST
        && is_secret(value.as_bytes())
}
