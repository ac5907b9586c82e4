//! Redaction of decoded JSON: every string, every key, and what only shows across several strings.

use std::borrow::Cow;
use std::mem;

use memchr::memmem;
use serde_json::{Map, Value};

use super::{MARKER, Where, assignment, pem, redact, spans};

/// Keys whose values are read as a header's.
const HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "x-api-key", "api-key", "apikey"];

/// Redacts every string and every key in `value`; gives back how many markers were put in.
///
/// The structure is read too: the value under a key that names a header or an environment variable with a secret in
/// it, and a private key whose lines stand in an array, as the lines of a patch do.
pub fn redact_json(value: &mut Value, place: Where) -> u32 {
    match value {
        Value::String(text) => redact_string(text, place),
        Value::Array(items) => {
            let across = redact_lines(items);
            items.iter_mut().fold(across, |count, item| count.saturating_add(redact_json(item, place)))
        }
        Value::Object(members) => redact_members(members, place),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn redact_string(text: &mut String, place: Where) -> u32 {
    let redacted = redact(text, place);
    let count = redacted.count;
    if let Cow::Owned(redacted) = redacted.text {
        *text = redacted;
    }
    count
}

fn redact_members(members: &mut Map<String, Value>, place: Where) -> u32 {
    let mut count = 0_u32;
    for (key, value) in members.iter_mut() {
        if let Value::String(text) = value {
            count = count.saturating_add(redact_header(key, text));
        }
        count = count.saturating_add(redact_json(value, place));
        if let Value::String(text) = value
            && assignment::is_of_a_secret(key, text)
        {
            *text = format!("{MARKER}{}]", assignment::KIND);
            count = count.saturating_add(1);
        }
    }
    if members.keys().any(|key| redact(key, place).count > 0) {
        for (key, value) in mem::take(members) {
            let redacted = redact(&key, place);
            count = count.saturating_add(redacted.count);
            let mut name = redacted.text.into_owned();
            // Two keys may differ in nothing but their secrets; both values are evidence.
            while members.contains_key(&name) {
                name.push('#');
            }
            members.insert(name, value);
        }
    }
    count
}

/// Reads `key` and its value as the header that they stand for, `key: text`.
fn redact_header(key: &str, text: &mut String) -> u32 {
    if !HEADERS.iter().any(|header| key.eq_ignore_ascii_case(header)) {
        return 0;
    }
    let head = format!("{key}: ");
    let line = format!("{head}{text}");
    let redacted = redact(&line, Where::Output);
    match redacted.text.strip_prefix(&head) {
        Some(value) if redacted.count > 0 => *text = value.to_owned(),
        _ => return 0,
    }
    redacted.count
}

/// A private key whose lines are the items of an array. Each line gets a marker, behind the mark of a patch.
fn redact_lines(items: &mut [Value]) -> u32 {
    let labels =
        |item: &Value| item.as_str().is_some_and(|text| memmem::find(text.as_bytes(), pem::LABELLED).is_some());
    if items.len() < 2 || !items.iter().any(labels) || !items.iter().all(Value::is_string) {
        return 0;
    }
    let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    let whole = lines.join("\n");
    let mut bounds = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in lines {
        bounds.push(at..at + line.len());
        at += line.len() + 1;
    }
    let mut count = 0_u32;
    // From the last to the first, so that what is still to come keeps its place in its line.
    for span in spans(&whole, Where::Output).iter().filter(|span| span.kind == pem::KIND).rev() {
        let first = bounds.partition_point(|line| line.end <= span.start);
        let mark = bounds.get(first).is_some_and(|line| span.start == line.start + 1 && span.end > line.end);
        let lines = items.iter_mut().zip(&bounds).skip(first).take_while(|(_, line)| line.start < span.end);
        for (item, line) in lines {
            let (start, end) = (span.start.max(line.start), span.end.min(line.end));
            let Value::String(text) = item else { continue };
            // What stands in one line alone is found there.
            if start >= end || (start == span.start && end == span.end) {
                continue;
            }
            let marked = start == line.start && mark && text.is_char_boundary(1);
            let range = start - line.start + usize::from(marked)..end - line.start;
            if text.is_char_boundary(range.start) && text.is_char_boundary(range.end) && !range.is_empty() {
                text.replace_range(range, &format!("{MARKER}{}]", pem::KIND));
                count = count.saturating_add(1);
            }
        }
    }
    count
}
