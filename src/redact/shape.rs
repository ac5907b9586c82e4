//! Secrets whose shape is more than a run of one class. Each matcher is given where its literal begins and ends, and
//! gives back what is to be replaced.

use std::ops::Range;

use memchr::memmem;

use super::MARKER;
use super::class::{
    ALNUM, AUTHORITY, BASE32, BASE64_URL, CAPITAL_DIGIT, DIGIT, HOOK_PATH, LOWER_DIGIT, WORD, WORD_DASH,
};
use super::scan::Scan;
use super::value::is_secret;
use crate::bytes::{find, find_last};

/// `AKIA` and its like, then 16 of base32 and no more of a word in capitals. AWS's own examples say that they are.
pub(super) fn aws_key_id(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    // `A3T` has one more character of its own.
    let body = start + 4;
    if after < body && !CAPITAL_DIGIT.has(scan.at(after)?) {
        return None;
    }
    let end = body + 16;
    let ends = scan.at(end).is_none_or(|next| !WORD.has(next) || next.is_ascii_lowercase());
    let id = scan.bytes.get(body..end)?;
    (ends && id.iter().all(|&byte| BASE32.has(byte)) && !id.ends_with(b"EXAMPLE")).then_some(start..end)
}

/// `glpat-` and 20 or more; the routable form goes on after a dot.
pub(super) fn gitlab(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let end = scan.run(WORD_DASH, after);
    if end - after < 20 {
        return None;
    }
    let routable = scan.at(end) == Some(b'.')
        && scan.bytes.get(end + 1..end + 10).is_some_and(|part| part.iter().all(|&byte| LOWER_DIGIT.has(byte)));
    Some(start..if routable { end + 10 } else { end })
}

/// How much of a key after `sk-` is looked at to tell it from a name.
const LOOK: usize = 96;

/// `sk-` also begins words (`sk-circle-fade-dot`). A key names its kind, or has 32 letters and digits on end, or mixes
/// capitals, small letters and digits.
pub(super) fn openai(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let end = scan.run(WORD_DASH, after);
    let key = scan.bytes.get(after..end)?;
    let named = |name: &str| key.starts_with(name.as_bytes()) && key.len() >= name.len() + 32;
    if named("proj-") || named("svcacct-") || named("admin-") {
        return Some(start..end);
    }
    let look = key.get(..LOOK).unwrap_or(key);
    let on_end = look.split(|&byte| !ALNUM.has(byte)).any(|part| part.len() >= 32);
    let mixed = look.iter().any(u8::is_ascii_digit)
        && look.iter().any(u8::is_ascii_uppercase)
        && look.iter().any(u8::is_ascii_lowercase);
    (key.len() >= 32 && (on_end || mixed)).then_some(start..end)
}

/// `xoxb-1…`, `xoxp-1…`, `xoxe-1…`: a letter, a dash, digits, a dash, and the rest.
pub(super) fn slack_token(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let (Some(b'a' | b'b' | b'e' | b'o' | b'p' | b'r' | b's'), Some(b'-')) = (scan.at(after), scan.at(after + 1))
    else {
        return None;
    };
    let digits = after + 2;
    let dash = scan.run(DIGIT, digits);
    let end = scan.run(WORD_DASH, digits);
    (dash > digits && scan.at(dash) == Some(b'-') && end - dash > 10).then_some(start..end)
}

/// `xapp-1-A…-1…-a…`
pub(super) fn slack_app(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let version = after + 1;
    if !scan.at(after)?.is_ascii_digit() {
        return None;
    }
    let app = dashed(scan, version, CAPITAL_DIGIT)?;
    let number = dashed(scan, app, DIGIT)?;
    let end = dashed(scan, number, LOWER_DIGIT)?;
    Some(start..end)
}

/// A dash and at least one byte of `class`.
fn dashed(scan: &mut Scan<'_>, at: usize, class: super::class::Class) -> Option<usize> {
    let end = scan.run(class, at + 1);
    (scan.at(at) == Some(b'-') && end > at + 1).then_some(end)
}

/// The path of an incoming webhook is the whole of its secret.
pub(super) fn slack_hook(scan: &mut Scan<'_>, _: usize, after: usize) -> Option<Range<usize>> {
    let rest = scan.bytes.get(after..)?;
    let path = ["services/", "workflows/", "triggers/"].iter().find(|path| rest.starts_with(path.as_bytes()))?;
    let start = after + path.len();
    let end = scan.run(HOOK_PATH, start);
    (end - start >= 43).then_some(start..end)
}

/// Found by the `.ey` with which the second part begins: the first, `ey` and letters and digits, is looked for
/// backwards, for two bytes are too few to search for.
pub(super) fn jwt(scan: &mut Scan<'_>, dot: usize, after: usize) -> Option<Range<usize>> {
    let head = scan.bytes.get(..dot)?;
    let run = dot - head.iter().rev().take_while(|&&byte| ALNUM.has(byte)).count();
    // Its edge is where the run begins (or behind `\n`, as JSON writes a line break), or where a secret inside it ends.
    let begins = |start: &usize| {
        head.get(*start..).is_some_and(|first| first.starts_with(b"ey") && first.len() >= 19) && scan.is_edge(*start)
    };
    let start = [run, run + 1].into_iter().chain(scan.ends_between(run, dot)).filter(begins).min()?;
    let second = scan.run(BASE64_URL, after);
    if second - after < 17 || scan.at(second) != Some(b'.') {
        return None;
    }
    let end = scan.run(BASE64_URL, second + 1);
    (end - second > 10).then_some(start..end)
}

/// `scheme://user:password@`: both, since either may be the token. The user may be empty, as Redis has it.
pub(super) fn url_userinfo(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let scheme = scan.bytes.get(start.saturating_sub(32)..start)?;
    let scheme = scheme.iter().rev().take_while(|&&byte| ALNUM.has(byte) || matches!(byte, b'+' | b'.' | b'-'));
    if !scheme.into_iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    let authority = after..scan.run(AUTHORITY, after);
    let authority = scan.bytes.get(authority)?;
    let userinfo = authority.get(..find_last(b'@', authority)?)?;
    let password = userinfo.get(find(b':', userinfo)? + 1..)?;
    let redacted = memmem::find(userinfo, MARKER.as_bytes()).is_some();
    (is_secret(password) && !redacted).then_some(after..after + userinfo.len())
}
