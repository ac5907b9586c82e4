//! A JSON reader that two parsers cannot disagree about: RFC 8259 to the letter, duplicate keys and lone surrogates
//! refused, numbers of any size taken. It pulls one token at a time and never recurses, so that depth costs memory
//! that is bounded here, not stack.

use std::borrow::Cow;
use std::collections::HashSet;

/// How many arrays and objects may stand inside one another in a value that is skipped.
pub(super) const MAX_DEPTH: usize = 1_000;

/// Up to this many keys of one object are compared with one another; above, a set is cheaper.
const FEW: usize = 16;

/// What is wrong, and at which byte of the input.
#[derive(Debug)]
pub(super) struct Fault {
    pub byte: usize,
    pub rule: &'static str,
    /// The key that stands twice.
    pub key: Option<String>,
}

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// An array being read.
#[derive(Debug, Default)]
pub(super) struct Array {
    begun: bool,
}

/// An object being read, with the keys it has had.
#[derive(Debug)]
pub(super) struct Object<'a> {
    begun: bool,
    /// Where this object's keys begin in the reader's.
    keys: usize,
    many: Option<HashSet<Cow<'a, str>>>,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The keys of all objects being read, the innermost's last.
    keys: Vec<Cow<'a, str>>,
}

impl<'a> Reader<'a> {
    pub fn new(input: &'a [u8]) -> Result<Reader<'a>, Fault> {
        if input.starts_with(b"\xef\xbb\xbf") {
            return Err(fault(0, "JSON must not begin with a byte order mark"));
        }
        if input.starts_with(b"\xff\xfe") || input.starts_with(b"\xfe\xff") {
            return Err(fault(0, "JSON must be UTF-8, and this begins as UTF-16 does"));
        }
        match std::str::from_utf8(input) {
            Ok(text) => Ok(Reader { text, at: 0, keys: Vec::new() }),
            Err(error) => Err(fault(error.valid_up_to(), "JSON must be UTF-8")),
        }
    }

    /// The kind of the value that comes next; nothing of it is taken.
    pub fn kind(&mut self) -> Result<Kind, Fault> {
        self.skip_white_space();
        match self.peek() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            Some(_) => Err(self.fault("a JSON value must stand here")),
            None => Err(self.fault("the JSON text ends before its value does")),
        }
    }

    /// Nothing but white space may follow the one value.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.skip_white_space();
        if self.at < self.text.len() { Err(self.fault("nothing may follow the JSON value")) } else { Ok(()) }
    }

    pub fn is_blank(&mut self) -> bool {
        self.skip_white_space();
        self.at == self.text.len()
    }

    /// Takes the bracket that [`Reader::kind`] saw.
    pub fn begin_array(&mut self) -> Array {
        self.at += 1;
        Array::default()
    }

    /// Takes the brace that [`Reader::kind`] saw.
    pub fn begin_object(&mut self) -> Object<'a> {
        self.at += 1;
        Object { begun: false, keys: self.keys.len(), many: None }
    }

    /// Whether another item follows; after `true` it must be read.
    pub fn next_item(&mut self, array: &mut Array) -> Result<bool, Fault> {
        self.next_member(&mut array.begun, b']', "an array must go on with `,` or end with `]`")
    }

    /// The next key, its colon taken; after `Some` the value must be read.
    pub fn next_key(&mut self, object: &mut Object<'a>) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.next_member(&mut object.begun, b'}', "an object must go on with `,` or end with `}`")? {
            self.keys.truncate(object.keys);
            return Ok(None);
        }
        self.skip_white_space();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.fault("an object's key must be a string"));
        }
        let key = self.string()?;
        if !self.is_new(object, key.clone()) {
            let rule = "one object must not have the same key twice";
            return Err(Fault { byte: start, rule, key: Some(key.into_owned()) });
        }
        self.skip_white_space();
        if self.peek() != Some(b':') {
            return Err(self.fault("a key must be followed by `:`"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    fn is_new(&mut self, object: &mut Object<'a>, key: Cow<'a, str>) -> bool {
        if let Some(many) = &mut object.many {
            return many.insert(key);
        }
        let Some(keys) = self.keys.get(object.keys..) else { return false };
        if keys.contains(&key) {
            return false;
        }
        if keys.len() >= FEW {
            object.many = Some(self.keys.drain(object.keys..).chain([key]).collect());
        } else {
            self.keys.push(key);
        }
        true
    }

    /// A comma or the closing bracket; `true` where another member must follow.
    fn next_member(&mut self, begun: &mut bool, close: u8, rule: &'static str) -> Result<bool, Fault> {
        self.skip_white_space();
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ if !*begun => {
                *begun = true;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(self.fault(rule)),
            None => Err(self.fault("the JSON text ends before its value does")),
        }
    }

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
        self.at += rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(rest.len());
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

    /// Reads past one value of any kind, checking all of it.
    pub fn skip(&mut self) -> Result<(), Fault> {
        let mut open: Vec<Open<'a>> = Vec::new();
        loop {
            let kind = self.kind()?;
            match kind {
                Kind::Object => open.push(Open::Object(self.begin_object())),
                Kind::Array => open.push(Open::Array(self.begin_array())),
                Kind::String => drop(self.string()?),
                Kind::Number => self.number()?,
                Kind::True => self.word("true")?,
                Kind::False => self.word("false")?,
                Kind::Null => self.word("null")?,
            }
            if open.len() > MAX_DEPTH {
                return Err(self.fault("a value must not be nested more than 1,000 levels deep"));
            }
            // Close what ends here; go on with what does not.
            loop {
                let more = match open.last_mut() {
                    None => return Ok(()),
                    Some(Open::Array(array)) => self.next_item(array)?,
                    // The key is the caller's own; whoever reads the error needs only the place.
                    Some(Open::Object(object)) => self.next_key(object).map_err(unnamed)?.is_some(),
                };
                if more {
                    break;
                }
                open.pop();
            }
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        if !self.text.get(self.at..).unwrap_or_default().starts_with(word) {
            return Err(self.fault("a JSON value must stand here"));
        }
        self.at += word.len();
        Ok(())
    }

    /// A number of any size: its grammar is checked, its value is nobody's.
    fn number(&mut self) -> Result<(), Fault> {
        let rule = "a number must be written as JSON writes it";
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => drop(self.digits()),
            _ => return Err(self.fault(rule)),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.digits() {
                return Err(self.fault(rule));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.digits() {
                return Err(self.fault(rule));
            }
        }
        Ok(())
    }

    /// Whether there was at least one.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub fn fault(&self, rule: &'static str) -> Fault {
        fault(self.at, rule)
    }
}

enum Open<'a> {
    Array(Array),
    Object(Object<'a>),
}

fn fault(byte: usize, rule: &'static str) -> Fault {
    Fault { byte, rule, key: None }
}

fn unnamed(fault: Fault) -> Fault {
    Fault { key: None, ..fault }
}
