//! Looks at one line's JSON without building it: is it whole, was it cut short, or is it nothing deeds writes?
//!
//! Stricter than JSON: no white space between tokens, and no key twice in one object at any depth. Two readers that
//! resolve a doubled key differently would see two different entries under one hash.

use std::borrow::Cow;

use crate::bytes::{find, find_either};

/// Deeper than this, nothing is written, and nothing read.
pub(super) const DEPTH_MAX: usize = 120;

/// What a text is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// An object, and nothing after it.
    Whole,
    /// The beginning of one.
    Cut,
    Bad(&'static str),
}

/// What ends a scan early.
enum Stop {
    Cut,
    Bad(&'static str),
}

type Step<T> = Result<T, Stop>;

/// Scans `text` as one JSON object. UTF-8 is the caller's to check.
pub(super) fn scan(text: &[u8]) -> Scan {
    let mut scanner = Scanner { text, at: 0, open: Vec::new(), keys: Vec::new() };
    match scanner.object() {
        Ok(()) if scanner.at == text.len() => Scan::Whole,
        Ok(()) => Scan::Bad("something follows the object"),
        Err(Stop::Cut) => Scan::Cut,
        Err(Stop::Bad(why)) => Scan::Bad(why),
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// For every open object the number of keys before its own; for every open array `None`.
    open: Vec<Option<usize>>,
    /// The keys of all open objects.
    keys: Vec<Cow<'a, [u8]>>,
}

impl<'a> Scanner<'a> {
    fn object(&mut self) -> Step<()> {
        self.expect(b'{')?;
        self.open.push(Some(0));
        let mut first = true;
        loop {
            // Here a container is open, and either nothing of it has been read or a value of it has just ended.
            let Some(&container) = self.open.last() else { return Ok(()) };
            let next = self.peek()?;
            match (container, next) {
                (Some(keys), b'}') => {
                    self.at += 1;
                    self.close(keys)?;
                    first = false;
                    continue;
                }
                (None, b']') => {
                    self.at += 1;
                    self.open.pop();
                    first = false;
                    continue;
                }
                _ if first => {}
                (_, b',') => self.at += 1,
                _ => return Err(Stop::Bad("a comma or a closing bracket is missing")),
            }
            if container.is_some() {
                let key = self.key()?;
                self.keys.push(key);
                self.expect(b':')?;
            }
            first = self.value()?;
        }
    }

    /// Reads a value; of a container only its opening bracket. True if one was opened.
    fn value(&mut self) -> Step<bool> {
        match self.peek()? {
            b'{' => self.enter(Some(self.keys.len())),
            b'[' => self.enter(None),
            b'"' => self.string().map(|_| false),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(Stop::Bad("no value begins like this")),
        }
    }

    fn enter(&mut self, container: Option<usize>) -> Step<bool> {
        if self.open.len() == DEPTH_MAX {
            return Err(Stop::Bad("nested too deeply"));
        }
        self.at += 1;
        self.open.push(container);
        Ok(true)
    }

    /// Closes an object, comparing its keys with each other.
    fn close(&mut self, before: usize) -> Step<()> {
        let own = &mut self.keys[before..];
        // Few keys are compared with each other in place; many are sorted first, so that no line is costly to check.
        let twice = if own.len() <= 24 {
            own.iter().enumerate().any(|(i, key)| own[..i].contains(key))
        } else {
            own.sort_unstable();
            own.windows(2).any(|pair| pair[0] == pair[1])
        };
        if twice {
            return Err(Stop::Bad("a key stands twice in one object"));
        }
        self.keys.truncate(before);
        self.open.pop();
        Ok(())
    }

    /// A key, decoded: `"a"` and `"\u0061"` are the same one.
    fn key(&mut self) -> Step<Cow<'a, [u8]>> {
        let quoted = self.string()?;
        if find(b'\\', quoted).is_none() {
            return Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]));
        }
        let decoded: String = serde_json::from_slice(quoted).map_err(|_| Stop::Bad("a key is not text"))?;
        Ok(Cow::Owned(decoded.into_bytes()))
    }

    /// A string with its quotation marks.
    fn string(&mut self) -> Step<&'a [u8]> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            let rest = &self.text[self.at..];
            let run = find_either(b'"', b'\\', rest).unwrap_or(rest.len());
            if rest[..run].iter().any(|byte| *byte < 0x20) {
                return Err(Stop::Bad("a control character in a string"));
            }
            self.at += run;
            if self.peek()? == b'"' {
                self.at += 1;
                return Ok(&self.text[start..self.at]);
            }
            self.at += 1;
            match self.next()? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    for _ in 0..4 {
                        if !self.next()?.is_ascii_hexdigit() {
                            return Err(Stop::Bad("an escape is not one"));
                        }
                    }
                }
                _ => return Err(Stop::Bad("an escape is not one")),
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Step<bool> {
        for expected in word {
            self.expect(*expected)?;
        }
        Ok(false)
    }

    fn number(&mut self) -> Step<bool> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits()?,
            _ => return Err(Stop::Bad("a number is not one")),
        }
        if self.peek()? == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek()?, b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek()?, b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(false)
    }

    fn digits(&mut self) -> Step<()> {
        if !self.peek()?.is_ascii_digit() {
            return Err(Stop::Bad("a number is not one"));
        }
        while self.peek()?.is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    fn peek(&self) -> Step<u8> {
        self.text.get(self.at).copied().ok_or(Stop::Cut)
    }

    fn next(&mut self) -> Step<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    fn expect(&mut self, byte: u8) -> Step<()> {
        if self.next()? == byte { Ok(()) } else { Err(Stop::Bad("not the character that belongs here")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str =
        r#"{"a":1,"b":[],"c":{},"d":[{"a":null},[true,false],"\"\\\u00e9"],"e":-0.5e+10,"f":"é","g":{"a":"a"}}"#;

    #[test]
    fn every_proper_beginning_is_cut_and_the_whole_is_whole() {
        assert_eq!(scan(WHOLE.as_bytes()), Scan::Whole);
        for end in 0..WHOLE.len() {
            assert_eq!(scan(&WHOLE.as_bytes()[..end]), Scan::Cut, "{}", &WHOLE[..WHOLE.floor_char_boundary(end)]);
        }
        assert_eq!(scan(b"{}"), Scan::Whole);
    }

    #[test]
    fn a_key_that_stands_twice_is_found_at_any_depth_and_however_it_is_spelt() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"b":[{"a":1,"c":{"a":1},"\u0061":2}]}"#, r#"{"":1,"":2}"#] {
            assert_eq!(scan(text.as_bytes()), Scan::Bad("a key stands twice in one object"), "{text}");
        }
        let mut many: Vec<String> = (0..500).map(|i| format!("\"k{i}\":{{}}")).collect();
        assert_eq!(scan(format!("{{{}}}", many.join(",")).as_bytes()), Scan::Whole);
        many.push("\"k250\":0".into());
        assert_eq!(scan(format!("{{{}}}", many.join(",")).as_bytes()), Scan::Bad("a key stands twice in one object"));
    }

    #[test]
    fn what_deeds_would_not_write_is_bad() {
        for text in [
            "[]",
            "1",
            "{\"a\": 1}",
            "{\"a\":1} ",
            "{\"a\":01}",
            "{\"a\":.5}",
            "{\"a\":1.}x",
            "{\"a\":tru}",
            "{,}",
            "{\"a\":1,}",
            "{\"a\":[1,]}",
            "{\"a\":[,1]}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":\"\u{1}\"}",
            "{\"a\":\"\\x\"}",
            "{\"a\":[1}",
            "{\"a\":{1]}",
            "{}{}",
            "{\"a\":1\"b\":2}",
            "{\"a\":[[]1]}",
        ] {
            assert!(matches!(scan(text.as_bytes()), Scan::Bad(_)), "{text}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(DEPTH_MAX));
        assert_eq!(scan(deep.as_bytes()), Scan::Bad("nested too deeply"));
    }
}
