//! A JSON reader that two parsers cannot disagree about: RFC 8259 to the letter, duplicate keys and lone surrogates
//! refused, numbers of any size taken. It pulls one token at a time and never recurses, so that depth costs memory
//! that is bounded here, not stack.

mod skip;
mod string;

use std::borrow::Cow;
use std::collections::HashSet;

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
            Some(_) if !*begun => {
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

fn fault(byte: usize, rule: &'static str) -> Fault {
    Fault { byte, rule, key: None }
}
