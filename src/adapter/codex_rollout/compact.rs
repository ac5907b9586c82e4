//! Parsing a line as Codex writes it: JSON with nothing between two tokens.
//!
//! Most of a line is one long string, so strings are passed over many bytes at a time. Whatever is written otherwise, is
//! no JSON, or is rare enough not to matter is left to serde_json, whose answer counts.
//!
//! Architecture invariant: what this parser accepts, serde_json accepts too, as the same value.

mod walk;

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use self::walk::Walk;

/// Deeper than this is left to serde_json.
const DEPTH_MAX: u32 = 64;

/// One line, without its line break.
pub fn from_line<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    match compact(line) {
        Some(parsed) => Ok(parsed),
        None => serde_json::from_slice(line),
    }
}

fn compact<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    let text = std::str::from_utf8(line).ok()?;
    let mut walk = Walk { text, at: 0, depth: 0 };
    let parsed = T::deserialize(&mut walk).ok()?;
    (walk.at == text.len()).then_some(parsed)
}

/// That serde_json is to be asked.
#[derive(Debug, PartialEq)]
struct Unclear;

type Step<T> = Result<T, Unclear>;

impl<'de> Deserializer<'de> for &mut Walk<'de> {
    type Error = Unclear;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Step<V::Value> {
        match self.peek()? {
            b'"' => match self.string()? {
                Ok(owned) => visitor.visit_string(owned),
                Err(borrowed) => visitor.visit_borrowed_str(borrowed),
            },
            b't' => self.word("true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word("false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word("null").and_then(|()| visitor.visit_unit()),
            b'{' => {
                self.enter()?;
                let mut members = Members { walk: self, end: b'}', first: true };
                let value = visitor.visit_map(&mut members)?;
                members.close()?;
                Ok(value)
            }
            b'[' => {
                self.enter()?;
                let mut members = Members { walk: self, end: b']', first: true };
                let value = visitor.visit_seq(&mut members)?;
                members.close()?;
                Ok(value)
            }
            _ => match self.integer()? {
                (false, number) => visitor.visit_u64(number),
                // Of 18 digits at most.
                (true, number) => visitor.visit_i64(-i64::try_from(number).map_err(|_| Unclear)?),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Step<V::Value> {
        if self.peek()? == b'n' {
            self.word("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Step<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    /// Raw values and enums are serde_json's own.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Step<V::Value> {
        Err(Unclear)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], _: V) -> Step<V::Value> {
        Err(Unclear)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// The members of an object, or the elements of an array.
struct Members<'c, 'de> {
    walk: &'c mut Walk<'de>,
    end: u8,
    first: bool,
}

impl Members<'_, '_> {
    fn close(self) -> Step<()> {
        if self.walk.peek()? != self.end {
            return Err(Unclear);
        }
        self.walk.leave();
        Ok(())
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Unclear;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Step<Option<K::Value>> {
        if !self.walk.goes_on(self.end, &mut self.first)? {
            return Ok(None);
        }
        if self.walk.peek()? != b'"' {
            return Err(Unclear);
        }
        seed.deserialize(&mut *self.walk).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Step<V::Value> {
        self.walk.expect(b':')?;
        seed.deserialize(&mut *self.walk)
    }
}

impl<'de> SeqAccess<'de> for &mut Members<'_, 'de> {
    type Error = Unclear;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Step<Option<T::Value>> {
        if !self.walk.goes_on(self.end, &mut self.first)? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.walk).map(Some)
    }
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the compact JSON that is expected here")
    }
}

impl std::error::Error for Unclear {}

impl de::Error for Unclear {
    fn custom<T: fmt::Display>(_: T) -> Unclear {
        Unclear
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn same(text: &[u8]) -> bool {
        let ours = compact::<Value>(text);
        let theirs = serde_json::from_slice::<Value>(text).ok();
        assert!(ours.is_none() || ours == theirs, "{:?}", String::from_utf8_lossy(text));
        ours.is_some()
    }

    #[test]
    fn what_codex_writes_is_taken_and_as_serde_json_takes_it() {
        for text in [
            r#"{"a":1,"b":-7,"c":[],"d":{},"e":[true,false,null,"x"],"f":"\"\\\/\b\f\n\r\t\u00e9é"}"#,
            r#"{"timestamp":"t","payload":{"item":{"exit_code":0,"duration":{"secs":0,"nanos":999999999999999999}}}}"#,
            r#""""#,
            "[[[0]]]",
        ] {
            assert!(same(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn whatever_else_there_is_is_left_to_serde_json() {
        for text in [
            "",
            "{",
            "{}x",
            "{} ",
            " {}",
            "{\"a\": 1}",
            "{\"a\":01}",
            "{\"a\":-0}",
            "{\"a\":1.5}",
            "{\"a\":1e3}",
            "[1,]",
            "[,1]",
            "{,}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "{1:1}",
            "{\"a\":tru}",
            "\"\u{1}\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "1234567890123456789",
            "\"a",
            "\"a\\",
            "[1 ]",
            "[1}",
            "{\"a\":1]",
            "-",
            "{\"a\":1\"b\":2}",
            "[\"a\"\"b\"]",
        ] {
            assert!(!same(text.as_bytes()), "{text}");
        }
        assert!(!same(b"\"\xff\""));
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(same(deep(64).as_bytes()) && !same(deep(65).as_bytes()));
    }

    #[test]
    fn what_is_passed_over_is_as_strict() {
        let skipped = |text: &str| {
            let mut walk = Walk { text, at: 0, depth: 0 };
            let theirs = serde_json::from_str::<de::IgnoredAny>(text).is_ok();
            let ours = walk.skip().is_ok() && walk.at == text.len();
            assert!(theirs || !ours, "{text}");
            ours
        };
        for text in ["{\"a\":[1.5e-3,-0,0.1,\"\\ud800\\n\",{}],\"b\":null}", "-12", "[]", "\"\""] {
            assert!(skipped(text), "{text}");
        }
        for text in [
            "01",
            "1.",
            "1.e",
            "-",
            "[1 ,2]",
            "{\"a\":}",
            "\"\\q\"",
            "\"\\u12\"",
            "+1",
            "nul",
            "[",
            "\"\u{2}\"",
            "{1:2}",
        ] {
            assert!(!skipped(text), "{text}");
        }
    }

    #[test]
    fn every_byte_of_a_line_changed_gives_what_serde_json_gives() {
        let line = br#"{"timestamp":"2026-11-30T19:48:47.565Z","ordinal":76,"payload":{"item":{"id":"c","command":["bash","-lc","a\tb"],"exit_code":-1,"x":[1.5,{}],"out":"one\ntwo \u00e9"}}}"#;
        assert!(!same(line), "a fraction");
        let line = String::from_utf8_lossy(line).replace("1.5", "15").into_bytes();
        assert!(same(&line));
        for at in 0..line.len() {
            for byte in *b"\"\\{}[]:,0e-.u\n x\xff" {
                let mut other = line.clone();
                other[at] = byte;
                same(&other);
                other.truncate(at);
                same(&other);
            }
        }
    }
}
