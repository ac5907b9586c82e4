//! In a command, settings whose name tells that the value is a secret, and that [`assignment`](super::assignment) does not
//! know: `DB_PASS=…`, `"password": "…"`, `AccountKey=…;`, `?sig=…`, and what stands for a user in `https://…@host`.
//!
//! A name and a colon are code as often as not (`password: string`), so behind one only what looks like a secret counts.

use std::ops::Range;

use super::credentials::KIND;
use super::scan::Span;
use super::value::{is_path, is_secret};
use crate::bytes::find_all;

/// The whole of a name before `=`, or its last word; beside those that assignment knows.
#[rustfmt::skip]
const ASSIGNED: [&str; 11] = [
    "passphrase", "secret_key", "encryption_key", "pass", "pwd", "pw", "accountkey", "sharedaccesskey", "sshpass", "sig",
    "signature",
];

/// The same before `:`.
const TOLD: [&str; 7] = ["password", "passwd", "passphrase", "secret", "token", "api_key", "secret_key"];

/// A value without quotation marks that is shorter is none.
const SHORTEST: usize = 6;
/// What is no shorter than this and has a digit may be a token where a user's name stands.
const TOKEN: usize = 16;
const LONGEST_NAME: usize = 64;

/// In no order.
pub(super) fn in_command(text: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut add = |value: Range<usize>| found.push(Span::new(value, KIND, usize::MAX));
    find_all(b'=', text).filter_map(|at| assigned(text, at)).for_each(&mut add);
    find_all(b':', text).filter_map(|at| told(text, at)).for_each(&mut add);
    find_all(b'@', text).filter_map(|at| userinfo(text, at)).for_each(&mut add);
    found
}

fn assigned(text: &[u8], at: usize) -> Option<Range<usize>> {
    name(&text[..at], &ASSIGNED)?;
    let (value, quoted) = value(text, at + 1)?;
    let words = &text[value.clone()];
    let plausible =
        !starts_as_code(words) && (quoted || words.len() >= SHORTEST) && is_secret(words) && !is_path(words);
    plausible.then_some(value)
}

fn told(text: &[u8], at: usize) -> Option<Range<usize>> {
    let head = &text[..at];
    let head = head.strip_suffix(b"\"").or(head.strip_suffix(b"'")).unwrap_or(head);
    let head = head.strip_suffix(b"\\").unwrap_or(head);
    // `x-api-key:` is a header, and known as one.
    name(head, &TOLD).filter(|name| !name.ends_with(b"-key") && !name.ends_with(b"apikey"))?;
    let blanks = text[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let (value, quoted) = value(text, at + 1 + blanks)?;
    let words = &text[value.clone()];
    let has = |class: fn(&u8) -> bool| words.iter().any(class);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let code = has(|byte| matches!(byte, b'(' | b'[' | b' ' | b'$' | b'%')) || text.get(value.end) == Some(&b'(');
    let plausible = words.len() >= 8 && mixed && !code && !starts_as_code(words) && is_secret(words) && !is_path(words);
    (plausible && (quoted || !words.contains(&b'.'))).then_some(value)
}

/// `https://ghp…@github.com`
fn userinfo(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at.saturating_sub(256)..at];
    let user =
        near.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')).count();
    let value = at - user..at;
    let http = text[..value.start].ends_with(b"https://") || text[..value.start].ends_with(b"http://");
    let words = &text[value.clone()];
    (http && user >= TOKEN && words.iter().any(u8::is_ascii_digit)).then_some(value)
}

/// A path, a reference, a template, a word for none.
fn starts_as_code(words: &[u8]) -> bool {
    matches!(words.first(), Some(b'/' | b'.' | b'~' | b'$' | b'{' | b'<' | b'%' | b'[' | b'@' | b'`'))
}

/// The name that `head` ends in, if it is one of `names` or its last word is.
fn name<'t>(head: &'t [u8], names: &[&str]) -> Option<&'t [u8]> {
    // One byte rules out nearly all.
    if !matches!(head.last()?.to_ascii_lowercase(), b'd' | b't' | b'n' | b'y' | b's' | b'e' | b'w' | b'g') {
        return None;
    }
    let near = &head[head.len().saturating_sub(LONGEST_NAME)..];
    let length =
        near.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let whole = &near[near.len() - length..];
    let fits = |known: &&str| {
        let Some(start) = whole.len().checked_sub(known.len()) else { return false };
        let same = |(one, wanted): (&u8, u8)| {
            let one = if *one == b'-' { b'_' } else { one.to_ascii_lowercase() };
            one == wanted
        };
        let begins = start == 0
            || matches!(whole[start - 1], b'_' | b'-')
            || (whole[start].is_ascii_uppercase() && whole[start - 1].is_ascii_lowercase());
        whole[start..].iter().zip(known.bytes()).all(same) && begins
    };
    let query = |known: &&str| {
        !known.starts_with("sig") || matches!(head.len().checked_sub(length + 1).map(|at| head[at]), Some(b'?' | b'&'))
    };
    names.iter().find(|known| fits(known) && query(known)).map(|_| whole)
}

/// The value at `at`, and whether it stands in quotation marks.
fn value(text: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let escaped = text.get(at) == Some(&b'\\');
    let start = at + usize::from(escaped);
    if let Some(quote @ (b'"' | b'\'')) = text.get(start) {
        let rest = &text[start + 1..];
        let end = rest.iter().take(512).position(|byte| byte == quote || *byte == b'\n')?;
        if rest[end] == b'\n' {
            return None;
        }
        let end = end - usize::from(escaped && rest[..end].ends_with(b"\\"));
        return (end >= 4).then_some((start + 1..start + 1 + end, true));
    }
    let ends = |byte: &u8| {
        matches!(
            byte,
            0..=b' ' | b'"' | b'\'' | b'`' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' | b',' | b'}' | b'\\'
        )
    };
    let rest = text.get(at..)?;
    let length = rest.iter().take(512).position(ends).unwrap_or(rest.len().min(512));
    Some((at..at + length, false))
}
