//! Strings: their plain parts eight bytes at a time, their escapes one by one.

use std::borrow::Cow;

use super::{Fault, Reader, fault};

impl<'a> Reader<'a> {
    /// The string whose quotation mark [`Reader::kind`] saw.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(self.slice(start, self.at - 1)));
        }
        let mut out = String::from(self.slice(start, self.at));
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character in a string must be escaped")),
                None => return Err(self.fault("the JSON text ends inside a string")),
            }
            let start = self.at;
            self.skip_plain();
            out.push_str(self.slice(start, self.at));
        }
    }

    /// Up to the next quotation mark, backslash or control character.
    fn skip_plain(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let (words, tail) = rest.as_chunks::<8>();
        let is_special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
        self.at += match words
            .iter()
            .map(|word| special(u64::from_le_bytes(*word)))
            .enumerate()
            .find(|(_, bits)| *bits != 0)
        {
            Some((number, bits)) => number * 8 + bits.trailing_zeros() as usize / 8,
            None => words.len() * 8 + tail.iter().position(is_special).unwrap_or(tail.len()),
        };
    }

    /// One escape, at its backslash.
    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        self.at += 2;
        let c = match self.text.as_bytes().get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(fault(start, "a backslash in a string must begin one of JSON's escapes")),
        };
        Ok(c)
    }

    /// `\uXXXX` or a pair of them, after the `u`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Fault> {
        let rule = "a string must not hold half a surrogate pair";
        let first = self.four_hex(start)?;
        let code = match first {
            0xd800..=0xdbff => {
                if self.text.as_bytes().get(self.at..self.at + 2) != Some(b"\\u") {
                    return Err(fault(start, rule));
                }
                self.at += 2;
                let second = self.four_hex(start)?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(fault(start, rule));
                }
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(|| fault(start, rule))
    }

    fn four_hex(&mut self, start: usize) -> Result<u32, Fault> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let mut code = 0;
        for digit in digits.unwrap_or(b"none") {
            let Some(value) = char::from(*digit).to_digit(16) else {
                return Err(fault(start, "`\\u` in a string must be followed by four hexadecimal digits"));
            };
            code = code * 16 + value;
        }
        self.at += 4;
        Ok(code)
    }
}

/// The lowest bit set is in the first of eight bytes that ends plain text: eight comparisons at once.
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    is(b'"') | is(b'\\') | below(word, 0x20)
}
