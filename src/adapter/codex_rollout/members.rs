//! The members at the beginning of a JSON object, as far as they can be told without parsing it.

use crate::bytes::plain;

pub(super) enum Value<'a> {
    Text(&'a [u8]),
    /// A number, `true`, `false` or `null`.
    Plain,
    /// An object has begun.
    Object,
    /// An array, an escaped string, or no JSON.
    Unclear,
}

/// A walk over the scalar members at an object's beginning.
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub fn new(bytes: &'a [u8]) -> Scan<'a> {
        Scan { bytes, at: 0 }
    }

    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    pub fn open(&mut self) -> Option<()> {
        (self.peek()? == b'{').then(|| self.at += 1)
    }

    /// The next member's key, its colon passed; a comma before it too.
    pub fn key(&mut self) -> Option<&'a [u8]> {
        if self.peek()? == b',' {
            self.at += 1;
        }
        let key = self.text()?;
        (self.peek()? == b':').then(|| self.at += 1)?;
        Some(key)
    }

    pub fn value(&mut self) -> Value<'a> {
        match self.peek() {
            Some(b'"') => self.text().map_or(Value::Unclear, Value::Text),
            Some(b'{') => {
                self.at += 1;
                Value::Object
            }
            Some(b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => {
                while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'E') = self.bytes.get(self.at) {
                    self.at += 1;
                }
                Value::Plain
            }
            _ => Value::Unclear,
        }
    }

    /// A string without escapes.
    fn text(&mut self) -> Option<&'a [u8]> {
        (self.peek()? == b'"').then_some(())?;
        let start = self.at + 1;
        let text = &self.bytes[start..start + plain::len(&self.bytes[start..])];
        self.at = start + text.len() + 1;
        (self.bytes.get(self.at - 1) == Some(&b'"')).then_some(text)
    }
}
