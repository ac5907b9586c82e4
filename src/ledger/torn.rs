//! What a crash leaves of a line, told apart from a line that somebody changed.
//!
//! A crash leaves a proper beginning of the very line that was to be written: with the next number, naming the last entry,
//! and ending anywhere before its last character. A changed line as a rule still has its end.

use super::entry::{
    self, AT, AT_LEN, BODY, FORMAT, HASH, HASH_LEN, Hash, KIND, KIND_MAX, MAC, MAC_LEN, PREV, SEQ, TIME, VERSION, fits,
    is_time,
};
use super::json::{self, Scan};

/// What a crash may have left of the entry that was to follow: a proper beginning of its line. Blocks that a power cut
/// left unwritten read as NUL bytes at the end.
pub(super) fn is_beginning(fragment: &[u8], seq: u64, prev: &Hash) -> bool {
    let unwritten = fragment.iter().rev().take_while(|b| **b == 0).count();
    let fragment = &fragment[..fragment.len() - unwritten];
    let mut head = Vec::with_capacity(160);
    head.extend_from_slice(VERSION);
    head.extend_from_slice(FORMAT.to_string().as_bytes());
    head.extend_from_slice(SEQ);
    head.extend_from_slice(seq.to_string().as_bytes());
    head.extend_from_slice(PREV);
    head.extend_from_slice(&prev.0);
    head.extend_from_slice(AT);
    if fragment.len() <= head.len() {
        return head.starts_with(fragment) && (!fragment.is_empty() || unwritten > 0);
    }
    let Some(rest) = fragment.strip_prefix(head.as_slice()) else { return false };
    // After the time, what has been read so far is the beginning of an object whose opening was cut away.
    let Ok(start) = entry::start(fragment) else { return is_beginning_of_middle(rest) };
    let valid = match std::str::from_utf8(start.rest) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid && body_was_cut(start.rest)
}

/// The time and kind, as far as they were written.
fn is_beginning_of_middle(rest: &[u8]) -> bool {
    let (at, rest) = rest.split_at(rest.len().min(AT_LEN));
    if at.len() < AT_LEN {
        return rest.is_empty() && TIME[..at.len()].iter().zip(at).all(|(shape, byte)| fits(*shape, *byte));
    }
    let Some(rest) = strip_as_far_as(rest, KIND) else { return false };
    let kind = rest.iter().position(|b| !matches!(b, b'a'..=b'z' | b'_')).unwrap_or(rest.len());
    is_time(at) && kind <= KIND_MAX && strip_as_far_as(&rest[kind..], BODY).is_some_and(<[u8]>::is_empty)
}

/// Whether `rest`, from the body on, ends before its line does: inside the body, or in the hash after it.
fn body_was_cut(rest: &[u8]) -> bool {
    if json::scan(rest) == Scan::Cut {
        return true;
    }
    // The body is whole, so at most the tail of one line follows it, less its last bracket.
    let longest = HASH_LEN + MAC_LEN;
    (rest.len().saturating_sub(longest)..=rest.len()).any(|end| {
        let (body, tail) = rest.split_at(end);
        body.last() == Some(&b'}') && is_beginning_of_tail(tail) && json::scan(body) == Scan::Whole
    })
}

fn is_beginning_of_tail(tail: &[u8]) -> bool {
    let mut left = tail;
    for literal in [HASH, MAC] {
        let Some(rest) = strip_as_far_as(left, literal) else { return false };
        let digits = rest.iter().take(64).take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
        let Some(rest) = strip_as_far_as(&rest[digits..], b"\"") else { return false };
        if digits < 64 && !rest.is_empty() {
            return false;
        }
        left = rest;
    }
    left.is_empty()
}

/// What follows `literal`; empty if `text` ends inside it.
fn strip_as_far_as<'a>(text: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
    if text.len() < literal.len() { literal.starts_with(text).then_some(&[]) } else { text.strip_prefix(literal) }
}
