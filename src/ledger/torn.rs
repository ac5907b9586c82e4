//! What a crash leaves of a line, told apart from a line that somebody changed.
//!
//! A crash leaves a proper beginning of the very line that was to be written: with the next number, naming the last entry,
//! and ending anywhere before its last character. A changed line goes on where that one could not.

use super::entry::{
    self, AT, AT_LEN, BODY, FORMAT, HASH, HASH_LEN, KIND, KIND_MAX, Link, MAC, MAC_LEN, PREV, SEQ, TIME, VERSION, fits,
    is_time,
};
use super::json::{self, Scan};

/// Whether a crash may have left `fragment` of the entry that was to follow `last`. Blocks that a power cut left unwritten
/// read as NUL bytes at the end.
pub(super) fn is_beginning(fragment: &[u8], last: Option<Link>) -> bool {
    let unwritten = fragment.iter().rev().take_while(|byte| **byte == 0).count();
    let fragment = &fragment[..fragment.len() - unwritten];
    let (seq, prev) = Link::after(last);
    let format = FORMAT.to_string();
    let seq = seq.to_string();
    let head = [VERSION, format.as_bytes(), SEQ, seq.as_bytes(), PREV, prev.as_str().as_bytes(), AT].concat();
    if fragment.len() <= head.len() {
        return head.starts_with(fragment) && fragment.len() + unwritten > 0;
    }
    let Some(rest) = fragment.strip_prefix(head.as_slice()) else { return false };
    match entry::start(fragment) {
        Ok(start) if !is_utf8_so_far(start.rest) => false,
        Ok(start) => {
            // The first entry that is signed after others that were not is one of these.
            let may_be_signed = matches!(start.kind, "genesis" | "key" | "recovery");
            body_was_cut(start.rest, may_be_signed || last.is_some_and(|last| last.has_mac))
        }
        Err(_) => ends_before_body(rest),
    }
}

fn is_utf8_so_far(text: &[u8]) -> bool {
    std::str::from_utf8(text).err().is_none_or(|error| error.error_len().is_none())
}

/// The time and the kind, as far as they were written.
fn ends_before_body(rest: &[u8]) -> bool {
    let (at, rest) = rest.split_at(rest.len().min(AT_LEN));
    if at.len() < AT_LEN {
        return TIME.iter().zip(at).all(|(shape, byte)| fits(*shape, *byte));
    }
    let Some(rest) = after(rest, KIND) else { return false };
    let kind = rest.iter().take_while(|byte| matches!(byte, b'a'..=b'z' | b'_')).count();
    is_time(at) && kind <= KIND_MAX && after(&rest[kind..], BODY).is_some_and(<[u8]>::is_empty)
}

/// Whether `rest`, from the body on, ends before its line does: inside the body, or in what follows it.
fn body_was_cut(rest: &[u8], has_mac: bool) -> bool {
    if json::scan(rest) == Scan::Cut {
        return true;
    }
    // The body is whole. What follows it is shorter than a line's whole tail.
    (rest.len().saturating_sub(HASH_LEN + MAC_LEN)..=rest.len()).any(|end| {
        let (body, tail) = rest.split_at(end);
        body.ends_with(b"}") && ends_before_bracket(tail, has_mac) && json::scan(body) == Scan::Whole
    })
}

/// The hash, and the mac in a ledger that has them, as far as they were written.
fn ends_before_bracket(tail: &[u8], has_mac: bool) -> bool {
    let mut rest = tail;
    for name in if has_mac { [HASH, MAC].as_slice() } else { &[HASH] } {
        let Some(value) = after(rest, name) else { return false };
        let digits = value.iter().take(64).take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        let expected: &[u8] = if digits < 64 { b"" } else { b"\"" };
        let Some(left) = after(&value[digits..], expected) else { return false };
        if digits < 64 && !left.is_empty() {
            return false;
        }
        rest = left;
    }
    rest.is_empty()
}

/// What follows `literal`; nothing, if `text` ends inside it.
fn after<'a>(text: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
    if text.len() < literal.len() { literal.starts_with(text).then_some(&[]) } else { text.strip_prefix(literal) }
}
