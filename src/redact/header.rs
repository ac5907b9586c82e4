//! Secrets that are known by the name in front of them: HTTP's headers, and AWS's secret key. The name stays.

use std::ops::Range;

use super::class::{BASE64, VALUE};
use super::kinds::Case;
use super::scan::Scan;
use super::value::{is_path, is_secret};

/// `Authorization: Bearer …`, also as a key in JSON or code.
pub(super) fn authorization(scan: &mut Scan<'_>, _: usize, after: usize) -> Option<Range<usize>> {
    let scheme = value_after(scan, after, b":=")?;
    let name = ["basic", "bearer", "token"].iter().find(|name| scan.stands_at(scheme, name, Case::Fold))?;
    let gap = scheme + name.len();
    let start = scan.past_blanks(gap);
    if start == gap { None } else { credential(scan, start) }
}

/// `X-Api-Key: …`
pub(super) fn api_key(scan: &mut Scan<'_>, _: usize, after: usize) -> Option<Range<usize>> {
    let start = value_after(scan, after, b":")?;
    credential(scan, start)
}

fn credential(scan: &mut Scan<'_>, start: usize) -> Option<Range<usize>> {
    let range = start..scan.run(VALUE, start);
    let value = scan.bytes.get(range.clone())?;
    let code = matches!(value, [b'{' | b'[', ..]) || is_path(value);
    (is_secret(value) && !code).then_some(range)
}

/// `aws_secret_access_key = …`, `"SecretAccessKey": "…"`; the literal is the second half of the name.
pub(super) fn aws_secret(scan: &mut Scan<'_>, start: usize, after: usize) -> Option<Range<usize>> {
    let head = scan.bytes.get(..start)?;
    let head = head.strip_suffix(b"_").unwrap_or(head);
    if !head.get(head.len().checked_sub(6)?..)?.eq_ignore_ascii_case(b"secret") {
        return None;
    }
    let start = value_after(scan, after, b":=")?;
    let end = scan.run(BASE64, start);
    (end - start >= 40).then_some(start..end)
}

/// Where the value of a name begins that ends at `at`: behind one of `separators`, with blanks and quotation marks
/// around it.
fn value_after(scan: &Scan<'_>, at: usize, separators: &[u8]) -> Option<usize> {
    let at = scan.past_blanks(past_quote(scan, at));
    if !separators.contains(&scan.at(at)?) {
        return None;
    }
    Some(past_quote(scan, scan.past_blanks(at + 1)))
}

/// Past one quotation mark, which JSON inside a string escapes.
fn past_quote(scan: &Scan<'_>, at: usize) -> usize {
    let mark = if scan.at(at) == Some(b'\\') { at + 1 } else { at };
    if matches!(scan.at(mark), Some(b'"' | b'\'')) { mark + 1 } else { at }
}
