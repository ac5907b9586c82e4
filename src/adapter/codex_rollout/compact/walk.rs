//! Passing over the tokens of compact JSON, taken or skipped.

use memchr::memchr;

use super::{DEPTH_MAX, Step, Unclear};
use crate::bytes::plain;

/// A place in a line.
pub(super) struct Walk<'de> {
    pub text: &'de str,
    pub at: usize,
    pub depth: u32,
}

impl<'de> Walk<'de> {
    pub fn peek(&self) -> Step<u8> {
        self.text.as_bytes().get(self.at).copied().ok_or(Unclear)
    }

    pub fn expect(&mut self, byte: u8) -> Step<()> {
        if self.peek()? != byte {
            return Err(Unclear);
        }
        self.at += 1;
        Ok(())
    }

    pub fn word(&mut self, word: &str) -> Step<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Unclear);
        }
        self.at += word.len();
        Ok(())
    }

    pub fn enter(&mut self) -> Step<()> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(Unclear) } else { Ok(()) }
    }

    pub fn leave(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Passes over what stands for itself; then comes the end of the string, or an escape.
    fn plain(&mut self) -> Step<u8> {
        self.at += plain::len(&self.text.as_bytes()[self.at..]);
        self.peek()
    }

    /// A string; `Err` of what stands in the text as it is.
    pub fn string(&mut self) -> Step<Result<String, &'de str>> {
        self.expect(b'"')?;
        let start = self.at;
        if self.plain()? == b'"' {
            // Both ends stand beside an ASCII character.
            let plain = self.text.get(start..self.at).ok_or(Unclear)?;
            self.at += 1;
            return Ok(Err(plain));
        }
        // A string is seldom much longer than up to the next quotation mark.
        let rest = &self.text.as_bytes()[self.at..];
        let mut text = Vec::with_capacity(self.at - start + memchr(b'"', rest).unwrap_or(rest.len()));
        text.extend_from_slice(&self.text.as_bytes()[start..self.at]);
        while self.peek()? == b'\\' {
            self.at += 1;
            match self.escape()? {
                ascii if ascii.is_ascii() => text.push(ascii as u8),
                other => text.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            self.at += plain::copy(&self.text.as_bytes()[self.at..], &mut text);
        }
        self.expect(b'"')?;
        String::from_utf8(text).map(Ok).map_err(|_| Unclear)
    }

    /// What stands behind a backslash. Halves of a pair are left to serde_json.
    fn escape(&mut self) -> Step<char> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b'"' | b'\\' | b'/' => char::from(byte),
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => char::from_u32(self.hex()?).ok_or(Unclear)?,
            _ => return Err(Unclear),
        })
    }

    fn hex(&mut self) -> Step<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).ok_or(Unclear)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?)).ok_or(Unclear)
    }

    /// An integer that is no longer than one that is sure to fit.
    pub fn integer(&mut self) -> Step<(bool, u64)> {
        let negative = self.peek()? == b'-';
        self.at += usize::from(negative);
        let digits = &self.text.as_bytes()[self.at..];
        let len = digits.iter().take(19).take_while(|byte| byte.is_ascii_digit()).count();
        let leads_with_zero = digits.first() == Some(&b'0');
        // -0 is no integer to serde_json; so is what goes on with a fraction or another digit.
        if !(1..=18).contains(&len) || (leads_with_zero && (len > 1 || negative)) {
            return Err(Unclear);
        }
        if matches!(digits.get(len), Some(b'.' | b'e' | b'E')) {
            return Err(Unclear);
        }
        self.at += len;
        Ok((negative, digits[..len].iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))))
    }

    /// A number of any kind, looked at and not taken.
    fn skip_number(&mut self) -> Step<()> {
        self.at += usize::from(self.peek()? == b'-');
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.skip_digits()?;
        }
        if self.peek() == Ok(b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.peek(), Ok(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek()?, b'+' | b'-'));
            self.skip_digits()?;
        }
        Ok(())
    }

    fn skip_digits(&mut self) -> Step<()> {
        let len = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += len;
        if len == 0 { Err(Unclear) } else { Ok(()) }
    }

    fn skip_string(&mut self) -> Step<()> {
        self.expect(b'"')?;
        while self.plain()? == b'\\' {
            self.at += 1;
            match self.peek()? {
                b'n' | b'"' | b'\\' | b'/' | b't' | b'r' | b'b' | b'f' => self.at += 1,
                b'u' => {
                    self.at += 1;
                    self.hex()?;
                }
                _ => return Err(Unclear),
            }
        }
        self.expect(b'"')
    }

    /// A value that nobody asked for.
    pub fn skip(&mut self) -> Step<()> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            b'{' => {
                self.enter()?;
                let mut first = true;
                while self.goes_on(b'}', &mut first)? {
                    self.skip_string()?;
                    self.expect(b':')?;
                    self.skip()?;
                }
                self.leave();
                Ok(())
            }
            b'[' => {
                self.enter()?;
                let mut first = true;
                while self.goes_on(b']', &mut first)? {
                    self.skip()?;
                }
                self.leave();
                Ok(())
            }
            _ => self.skip_number(),
        }
    }

    /// Whether another member or element follows, its comma passed.
    pub fn goes_on(&mut self, end: u8, first: &mut bool) -> Step<bool> {
        let next = self.peek()?;
        if next == end {
            return Ok(false);
        }
        if !std::mem::take(first) {
            self.expect(b',')?;
        }
        Ok(true)
    }
}
