//! Writes an entry's body: once, straight into the line, with what is too long for a line moved to blobs.
//!
//! | in the draft | in the line |
//! |---|---|
//! | a string over 4 KiB | `{"$blob":"<sha256>","len":<bytes>}` |
//! | a value nested too deeply, an object that has a key `$blob` itself, a value that would make the line too long | `{"$blob":"<sha256>","len":<bytes>,"json":true}`, the blob holding its JSON |
//!
//! The draft itself is left as it was: if it cannot be appended, it can still be spooled.

use serde_json::{Map, Value};

use super::blob::is_digest;
use super::entry::{AROUND, LINE_MAX};
use super::json::DEPTH_MAX;
use crate::bytes::plain;

/// The longest string that stays in a line, in bytes.
pub const INLINE_MAX: usize = 4096;
/// The key by which a blob is named.
pub const BLOB_KEY: &str = "$blob";
/// What a member may take in a line where all of them together do not fit.
const MEMBER_MAX: usize = 1024;
/// The body's own levels come on top of those of what is in it.
const VALUE_DEPTH_MAX: usize = DEPTH_MAX - 8;

/// Puts bytes where blobs are kept and says their SHA-256.
pub(super) trait Store {
    type Error;
    /// `digest` is theirs, if it is known already.
    fn store(&mut self, bytes: &[u8], digest: Option<&str>) -> Result<String, Self::Error>;
}

/// A text that stands in a body, and its SHA-256, which whoever made the body has worked out for it.
#[derive(Clone, Copy)]
pub(super) struct Measured<'a> {
    pub text: &'a str,
    pub digest: &'a str,
}

impl Measured<'_> {
    /// The output in a payload. Where it is as long as the whole, it is what the digest beside it was made of.
    pub fn output(body: &Map<String, Value>) -> Option<Measured<'_>> {
        let payload = body.get("payload")?;
        let (text, digest) = (payload.get("output")?.as_str()?, payload.get("output_digest")?.as_str()?);
        let whole = payload.get("output_len")?.as_u64()? == text.len() as u64;
        (whole && is_digest(digest)).then_some(Measured { text, digest })
    }
}

/// How far a body is taken apart so that its line is short enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Squeeze {
    /// Only long strings go.
    Strings,
    /// So does every longer member of the body's objects (of the payload, that is).
    Members,
    /// So does every longer member of the body.
    Whole,
}

/// Writes `{"id":"…",…}` to the end of `out`. `measured` need not be hashed again. False: it does not fit into a line,
/// whatever is moved out of it.
pub(super) fn write<S: Store>(
    out: &mut Vec<u8>,
    id: &str,
    body: &Map<String, Value>,
    measured: Option<Measured<'_>>,
    store: &mut S,
) -> Result<bool, S::Error> {
    let start = out.len();
    for squeeze in [Squeeze::Strings, Squeeze::Members, Squeeze::Whole] {
        out.truncate(start);
        let mut writer = Writer { out, store, squeeze, measured };
        writer.body(id, body)?;
        if out.len() - start <= LINE_MAX - AROUND {
            return Ok(true);
        }
    }
    out.truncate(start);
    Ok(false)
}

struct Writer<'a, S> {
    out: &'a mut Vec<u8>,
    store: &'a mut S,
    squeeze: Squeeze,
    measured: Option<Measured<'a>>,
}

impl<S: Store> Writer<'_, S> {
    fn body(&mut self, id: &str, body: &Map<String, Value>) -> Result<(), S::Error> {
        self.out.extend_from_slice(b"{\"id\":");
        quoted(self.out, id);
        for (key, value) in body.iter().filter(|(key, _)| *key != "id") {
            self.out.push(b',');
            quoted(self.out, key);
            self.out.push(b':');
            match (self.squeeze, value) {
                (Squeeze::Strings, _) => self.value(value, 1)?,
                (Squeeze::Members, Value::Object(members)) if !members.contains_key(BLOB_KEY) => {
                    self.members(members)?
                }
                (Squeeze::Members | Squeeze::Whole, _) => self.member(value)?,
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    fn members(&mut self, members: &Map<String, Value>) -> Result<(), S::Error> {
        self.out.push(b'{');
        for (i, (key, value)) in members.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            quoted(self.out, key);
            self.out.push(b':');
            self.member(value)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Writes a value, or names a blob of it where it is long.
    fn member(&mut self, value: &Value) -> Result<(), S::Error> {
        let start = self.out.len();
        self.value(value, 2)?;
        if self.out.len() - start <= MEMBER_MAX {
            return Ok(());
        }
        self.out.truncate(start);
        match value {
            Value::String(text) => self.blob(text.as_bytes(), Holds::Text),
            _ => self.json_blob(value),
        }
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<(), S::Error> {
        match value {
            Value::String(text) if text.len() > INLINE_MAX => self.blob(text.as_bytes(), Holds::Text)?,
            Value::Array(items) if depth < VALUE_DEPTH_MAX => {
                self.out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.out.push(b',');
                    }
                    self.value(item, depth + 1)?;
                }
                self.out.push(b']');
            }
            Value::Object(members) if depth < VALUE_DEPTH_MAX && !members.contains_key(BLOB_KEY) => {
                self.out.push(b'{');
                for (i, (key, item)) in members.iter().enumerate() {
                    if i > 0 {
                        self.out.push(b',');
                    }
                    quoted(self.out, key);
                    self.out.push(b':');
                    self.value(item, depth + 1)?;
                }
                self.out.push(b'}');
            }
            Value::Array(_) | Value::Object(_) => self.json_blob(value)?,
            Value::String(text) => quoted(self.out, text),
            scalar => json(self.out, scalar),
        }
        Ok(())
    }

    fn json_blob(&mut self, value: &Value) -> Result<(), S::Error> {
        let mut text = Vec::new();
        json(&mut text, value);
        self.blob(&text, Holds::Json)
    }

    fn blob(&mut self, bytes: &[u8], holds: Holds) -> Result<(), S::Error> {
        // The very same bytes, in the same place, not others that are equal or as many.
        let measured = self.measured.filter(|measured| std::ptr::eq(measured.text.as_bytes(), bytes));
        let digest = self.store.store(bytes, measured.map(|measured| measured.digest))?;
        self.out.extend_from_slice(b"{\"$blob\":\"");
        self.out.extend_from_slice(digest.as_bytes());
        self.out.extend_from_slice(b"\",\"len\":");
        self.out.extend_from_slice(bytes.len().to_string().as_bytes());
        self.out.extend_from_slice(match holds {
            Holds::Text => b"}",
            Holds::Json => b",\"json\":true}",
        });
        Ok(())
    }
}

/// What a blob is made of.
#[derive(Clone, Copy)]
enum Holds {
    Text,
    Json,
}

/// Appends a JSON string as serde_json writes it. Outputs are long and nearly all of them stands as it is, so it is passed
/// over many bytes at a time.
fn quoted(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let plain = plain::copy(rest, out);
        let Some((byte, after)) = rest[plain..].split_first() else { break };
        escaped(out, *byte);
        rest = after;
    }
    out.push(b'"');
}

fn escaped(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        ..0x20 => {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
        _ => return out.push(byte),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends compact JSON. Writing a [`Value`] or text to memory cannot fail.
fn json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::id::sha256_hex;
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    #[derive(Default)]
    struct Memory(BTreeMap<String, Vec<u8>>);

    impl Store for Memory {
        type Error = Infallible;
        fn store(&mut self, bytes: &[u8], _: Option<&str>) -> Result<String, Infallible> {
            self.0.insert(sha256_hex(bytes), bytes.to_vec());
            Ok(sha256_hex(bytes))
        }
    }

    fn written(body: Value) -> (Value, Memory) {
        let (mut out, mut memory) = (Vec::new(), Memory::default());
        let Value::Object(body) = body else { panic!() };
        assert!(write(&mut out, "i", &body, None, &mut memory).unwrap());
        assert!(out.len() <= LINE_MAX - AROUND);
        assert_eq!(super::super::json::scan(&out), super::super::json::Scan::Whole);
        (serde_json::from_slice(&out).unwrap(), memory)
    }

    #[test]
    fn a_string_is_written_as_serde_json_writes_it() {
        let every: String = (0..=0x200).filter_map(char::from_u32).collect();
        for at in 0..20 {
            for text in [every.clone(), "plain ".repeat(at), "q\"\\\n\u{7f}é漢🦀".repeat(at)] {
                let text = format!("{}{text}", "x".repeat(at));
                let mut out = Vec::new();
                quoted(&mut out, &text);
                assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn the_id_comes_first_and_only_strings_over_4_kib_leave_the_line() {
        let (short, long) = ("é".repeat(2048), "é".repeat(2049));
        let (body, memory) = written(json!({"kind": "x", "a": [{"s": short, "l": long}], "id": "other"}));
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "kind", "a"]);
        assert_eq!(body["id"], "i");
        assert_eq!(body["a"][0]["s"], short);
        assert_eq!(body["a"][0]["l"], json!({"$blob": sha256_hex(long.as_bytes()), "len": 4098}));
        assert_eq!(memory.0.len(), 1);
    }

    #[test]
    fn what_a_reader_could_take_for_a_blob_becomes_one() {
        let forged = json!({"$blob": "00", "len": 1});
        let (body, memory) = written(json!({"input": forged}));
        let digest = sha256_hex(forged.to_string().as_bytes());
        assert_eq!(body["input"], json!({"$blob": digest, "len": 22, "json": true}));
        assert_eq!(memory.0[&digest], forged.to_string().as_bytes());
    }

    #[test]
    fn what_is_nested_too_deeply_to_be_read_again_becomes_a_blob() {
        let mut deep = json!(1);
        for _ in 0..126 {
            deep = json!([deep]);
        }
        let (body, memory) = written(json!({"payload": {"input": deep}}));
        assert!(body["payload"]["input"].is_array());
        assert_eq!(memory.0.len(), 1);
    }

    #[test]
    fn a_body_of_many_small_values_still_fits_into_a_line() {
        let many: Vec<String> = (0..20_000).map(|i| format!("item {i}")).collect();
        let (body, _) = written(json!({"payload": {"command": "ls", "input": many, "ok": true}, "session_id": "s"}));
        assert_eq!(body["payload"]["command"], "ls");
        assert_eq!(body["payload"]["input"]["json"], true);
        let members: Map<String, Value> = (0..20_000).map(|i| (format!("k{i}"), json!("v"))).collect();
        let (body, _) = written(json!({"payload": members, "session_id": "s"}));
        assert_eq!(body["session_id"], "s");
        assert_eq!(body["payload"]["json"], true);
    }
}
