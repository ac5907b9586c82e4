//! Bytes to a JSON object, with the damage that real clients do to text repaired rather than lost.
//!
//! A byte order mark is stripped, invalid UTF-8 read lossily, and a lone surrogate replaced by U+FFFD: a client that cuts
//! text at a number of UTF-16 units leaves half an emoji behind, and losing the event for it would lose a test run.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::evidence::event::RawText;

/// Why bytes are no JSON object, and the bytes as text.
#[derive(Debug)]
pub struct Malformed<'a> {
    pub reason: String,
    pub text: Cow<'a, str>,
}

/// How much of a malformed payload is looked at: what is kept is cut shorter, after redaction, so that no secret is cut
/// in two and kept by its half.
const KEEP: usize = 72 * 1024;

/// One parse for sound input. Nesting beyond serde_json's own limit (128) is malformed.
pub fn read(bytes: &[u8]) -> Result<Map<String, Value>, Malformed<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    if text.trim_ascii().is_empty() {
        return Err(Malformed { reason: "empty input".into(), text });
    }
    let parsed = serde_json::from_str::<Value>(&text).or_else(|error| match mend_surrogates(&text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    });
    match parsed {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Malformed { reason: "JSON, but not an object".into(), text }),
        Err(error) => Err(Malformed { reason: format!("not JSON: {error}"), text }),
    }
}

/// `text` with every lone surrogate escape replaced by `\ufffd`; `None` where there is none.
fn mend_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(offset) = memchr::memchr(b'\\', &bytes[at..]) {
        let escape = at + offset;
        let Some(unit) = unit_at(bytes, escape) else {
            at = (escape + 2).min(bytes.len());
            continue;
        };
        at = escape + 6;
        match unit {
            0xd800..=0xdbff if matches!(unit_at(bytes, at), Some(0xdc00..=0xdfff)) => at += 6,
            0xd800..=0xdfff => {
                out.push_str(&text[kept..escape]);
                out.push_str("\\ufffd");
                kept = at;
            }
            _ => {}
        }
    }
    (kept > 0).then(|| out + &text[kept..])
}

/// The UTF-16 unit of a `\uXXXX` escape at `at`.
fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// What can be kept of a payload that is no JSON object. Escapes are decoded, so that a secret after a `\n` has its
/// boundary back when the text is redacted.
pub fn raw_text(text: &str) -> RawText {
    if may_hold_a_prompt(text) {
        return RawText::Withheld;
    }
    RawText::Text(decode_escapes(beginning(text, KEEP)))
}

/// At most `max` bytes of `text`, whole characters.
fn beginning(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A user's words come under the key `prompt`, in an event named for it.
fn may_hold_a_prompt(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"rompt\"").is_some()
        || memchr::memmem::find(text.as_bytes(), b"UserPrompt").is_some()
}

/// JSON escapes as the characters they stand for; what is no escape stays.
fn decode_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (decoded, len) = match rest.as_bytes().get(at + 1) {
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'b' | b'f') => (' ', 2),
            Some(b'"') => ('"', 2),
            Some(b'/') => ('/', 2),
            Some(b'\\') => ('\\', 2),
            Some(b'u') => match unit_at(rest.as_bytes(), at) {
                Some(unit) => (char::from_u32(u32::from(unit)).unwrap_or('\u{fffd}'), 6),
                None => ('\\', 1),
            },
            _ => ('\\', 1),
        };
        out.push(decoded);
        rest = &rest[at + len..];
    }
    out + rest
}

/// A JSON object of an unknown shape without what a user may have said: every key that names a prompt is dropped, and
/// all of it where the event itself is named for the user's words.
pub fn without_prompt(mut map: Map<String, Value>) -> RawText {
    let named = map.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    if named.contains("Prompt") || named.contains("User") {
        return RawText::Withheld;
    }
    drop_prompts(&mut map);
    RawText::Json(Value::Object(map))
}

fn drop_prompts(map: &mut Map<String, Value>) {
    map.retain(|key, value| !key.contains("rompt") || (key == "prompt_id" && value.is_string()));
    map.values_mut().for_each(drop_prompts_in);
}

fn drop_prompts_in(value: &mut Value) {
    match value {
        Value::Object(map) => drop_prompts(map),
        Value::Array(items) => items.iter_mut().for_each(drop_prompts_in),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cut_emoji_is_replaced_and_a_whole_one_stays() {
        let read = |text: &str| read(text.as_bytes()).unwrap()["a"].clone();
        assert_eq!(read(r#"{"a":"x\ud83d"}"#), "x\u{fffd}");
        assert_eq!(read(r#"{"a":"\ude00x\ud83d\ud83d\ude00"}"#), "\u{fffd}x\u{fffd}\u{1f600}");
        assert_eq!(read(r#"{"a":"\\ud83d\ud83d"}"#), "\\ud83d\u{fffd}");
        assert_eq!(mend_surrogates(r#"{"a":"\ud83d\ude00 \\ud83d"}"#), None);
        assert_eq!(mend_surrogates("\\"), None);
    }

    #[test]
    fn a_byte_order_mark_and_invalid_utf8_are_no_obstacle() {
        assert_eq!(read(b"\xef\xbb\xbf{\"a\":1}").unwrap()["a"], 1);
        assert_eq!(read(b"{\"a\":\"\xff\xfe\"}").unwrap()["a"], "\u{fffd}\u{fffd}");
    }

    #[test]
    fn what_is_no_object_says_why() {
        for bad in [&b""[..], b" \n", b"[1]", b"7", b"{", b"{\"a\":1}x", "[".repeat(5000).as_bytes()] {
            assert!(!read(bad).unwrap_err().reason.is_empty());
        }
    }

    #[test]
    fn no_word_of_a_prompt_is_kept_of_what_is_not_understood() {
        assert_eq!(raw_text(r#"{"hook_event_name":"UserPromptSubmit","prompt":"do it"#), RawText::Withheld);
        assert_eq!(raw_text(r#"{"x":"a\nb\u0041""#), RawText::Text("{\"x\":\"a\nbA\"".into()));
        let map = |value: Value| value.as_object().unwrap().clone();
        let kept = without_prompt(map(
            json!({"hook_event_name": "New", "prompt": "do it", "prompt_id": "p", "x": [{"userPrompt": "y"}]}),
        ));
        assert_eq!(kept, RawText::Json(json!({"hook_event_name": "New", "prompt_id": "p", "x": [{}]})));
        assert_eq!(without_prompt(map(json!({"hook_event_name": "UserSaid", "text": "do it"}))), RawText::Withheld);
    }
}
