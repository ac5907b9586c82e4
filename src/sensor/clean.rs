//! Redaction with its count: everything a sensor stores goes through one of these, before it is hashed or kept.

use serde_json::Value;

use crate::evidence::id::sha256_hex;
use crate::redact::{self, Where};

/// Most bytes of a text that stays readable in a ledger: messages, errors, patches.
pub const TEXT_CAP: usize = 64 * 1024;

/// Redacts, and counts what it replaced for the payload's `redacted`.
#[derive(Debug, Default)]
pub struct Cleaner {
    count: u32,
}

impl Cleaner {
    /// How much was replaced so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Text of any kind: output, a path, a message.
    pub fn text(&mut self, text: &str) -> String {
        let clean = redact::redact(text, Where::Output);
        self.count += clean.count;
        clean.text.into_owned()
    }

    /// A command line, in which assignments and options carry secrets too.
    pub fn command(&mut self, text: &str) -> String {
        let clean = redact::redact(text, Where::Command);
        self.count += clean.count;
        clean.text.into_owned()
    }

    /// Every string of a JSON value.
    pub fn json(&mut self, mut value: Value) -> Value {
        self.count += redact::redact_json(&mut value, Where::Output);
        value
    }

    /// Text, of which head and tail are kept within `cap` bytes.
    pub fn capped(&mut self, text: &str, cap: usize) -> String {
        cap_middle(self.text(text), cap).0
    }

    /// A JSON value as it is or, where its text is longer than `cap`, that text capped: a ledger line is short, and a
    /// value of many small strings could not be moved out of it.
    pub fn capped_json(&mut self, value: Value, cap: usize) -> Value {
        let clean = self.json(value);
        if matches!(clean, Value::Null | Value::Bool(_) | Value::Number(_)) {
            return clean;
        }
        let text = clean.to_string();
        if text.len() <= cap { clean } else { Value::String(cap_middle(text, TEXT_CAP).0) }
    }

    /// Length and digest of a text after redaction, nothing of its content.
    pub fn measure(&mut self, text: &str) -> (usize, String) {
        let clean = redact::redact(text, Where::Output);
        self.count += clean.count;
        (clean.text.len(), sha256_hex(clean.text.as_bytes()))
    }
}

/// Head and tail of a text within `cap` bytes, around a line that says how much is missing; and whether any is.
pub fn cap_middle(text: String, cap: usize) -> (String, bool) {
    if text.len() <= cap {
        return (text, false);
    }
    let half = cap.saturating_sub(64) / 2;
    let head = &text[..floor(&text, half)];
    let tail = &text[ceil(&text, text.len() - half)..];
    (join(head, tail, text.len() - head.len() - tail.len()), true)
}

/// Head and tail around the line that says how many bytes between them are not kept.
pub fn join(head: &str, tail: &str, missing: usize) -> String {
    let line_end = if head.ends_with('\n') || head.is_empty() { "" } else { "\n" };
    format!("{head}{line_end}[deeds: {missing} bytes not kept]\n{tail}")
}

/// The last character boundary at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first character boundary at or after `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_text_keeps_its_head_and_its_tail_and_says_what_is_missing() {
        let text = format!("{}{}", "é".repeat(1000), "end");
        let (kept, cut) = cap_middle(text.clone(), 200);
        assert!(cut && kept.len() <= 200 && kept.starts_with("éé") && kept.ends_with("éend"), "{kept}");
        assert!(kept.contains("\n[deeds: 1"));
        assert_eq!(cap_middle("short".into(), 200), ("short".into(), false));
    }

    #[test]
    fn json_of_many_small_strings_becomes_one_capped_text() {
        let small = json!({"a": [1, "x"]});
        assert_eq!(Cleaner::default().capped_json(small.clone(), 100), small);
        let many = json!(vec!["x"; 50_000]);
        let Value::String(text) = Cleaner::default().capped_json(many, 4096) else { panic!() };
        assert!(text.len() <= TEXT_CAP && text.starts_with("[\"x\"") && text.ends_with("\"x\"]"));
    }
}
