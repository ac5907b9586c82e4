//! JSON with its places: where in the text each value stands, so that one can be put in, changed or taken out and every
//! other byte stays what it was.
//!
//! Strict, as the clients are: both refuse a file with comments or trailing commas, and then none of its hooks run.

use std::ops::Range;

/// Values in values; a client's own settings are four deep.
const DEPTH_MAX: usize = 1000;

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    pub why: String,
    /// A byte of the text.
    pub at: usize,
}

/// One value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String,
    /// A number, `true`, `false` or `null`.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The key with its quotation marks.
    pub key: Range<usize>,
    pub value: Node,
}

impl Member {
    /// From the key to the end of the value.
    pub fn span(&self) -> Range<usize> {
        self.key.start..self.value.span.end
    }
}

impl Node {
    pub fn members(&self) -> Option<&[Member]> {
        if let Kind::Object(members) = &self.kind { Some(members) } else { None }
    }

    pub fn items(&self) -> Option<&[Node]> {
        if let Kind::Array(items) = &self.kind { Some(items) } else { None }
    }

    /// The last member of that name, as the clients read it.
    pub fn get(&self, text: &str, key: &str) -> Option<&Node> {
        let members = self.members()?.iter().rev();
        members.into_iter().find(|member| decode(&text[member.key.clone()]) == key).map(|member| &member.value)
    }

    /// A string's content.
    pub fn string(&self, text: &str) -> Option<String> {
        (self.kind == Kind::String).then(|| decode(&text[self.span.clone()]))
    }

    /// What a reader calls it.
    pub fn named(&self, text: &str) -> &'static str {
        match &self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::String => "a string",
            Kind::Other => match text.as_bytes()[self.span.start] {
                b't' | b'f' => "true or false",
                b'n' => "null",
                _ => "a number",
            },
        }
    }
}

/// A string token's content. One that holds half a character, which is JSON all the same, stays as it is written.
pub fn decode(token: &str) -> String {
    serde_json::from_str(token).unwrap_or_else(|_| token.to_owned())
}

/// A string as a JSON token.
pub fn encode(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Line and column of a byte, from 1; a column is a character.
pub fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    format!("{line}:{}", before[line_start..].chars().count() + 1)
}

/// Reads a text that is one JSON value.
pub fn parse(text: &str) -> Result<Node, Malformed> {
    let mut parser = Parser { text, at: 0 };
    parser.space()?;
    let node = parser.value(0)?;
    parser.space()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => parser.fail("something stands after the end of the value"),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail<T>(&self, why: &str) -> Result<T, Malformed> {
        Err(Malformed { why: why.to_owned(), at: self.at })
    }

    fn space(&mut self) -> Result<(), Malformed> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        if rest.starts_with("//") || rest.starts_with("/*") {
            return self.fail("a comment, which the client does not read either");
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Malformed> {
        let start = self.at;
        if depth > DEPTH_MAX {
            return self.fail("too many values stand within one another");
        }
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object(depth)?),
            Some(b'[') => Kind::Array(self.array(depth)?),
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return self.fail("the text ends where a value should stand"),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>, Malformed> {
        let mut members = Vec::new();
        self.at += 1;
        self.space()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(members);
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.fail(if self.peek() == Some(b'}') {
                    "a comma too many"
                } else {
                    "a key should stand here"
                });
            }
            self.string()?;
            let key = start..self.at;
            self.space()?;
            if self.peek() != Some(b':') {
                return self.fail("a colon should stand here");
            }
            self.at += 1;
            self.space()?;
            members.push(Member { key, value: self.value(depth + 1)? });
            if !self.goes_on(b'}')? {
                return Ok(members);
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node>, Malformed> {
        let mut items = Vec::new();
        self.at += 1;
        self.space()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(items);
        }
        loop {
            if self.peek() == Some(b']') {
                return self.fail("a comma too many");
            }
            items.push(self.value(depth + 1)?);
            if !self.goes_on(b']')? {
                return Ok(items);
            }
        }
    }

    /// A comma, or the end.
    fn goes_on(&mut self, end: u8) -> Result<bool, Malformed> {
        self.space()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space()?;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            None => self.fail("the text ends before the value does"),
            Some(_) => self.fail("a comma should stand here"),
        }
    }

    fn string(&mut self) -> Result<Kind, Malformed> {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Kind::String);
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => return self.fail("a string goes on over the end of its line"),
                Some(_) => self.at += 1,
                None => return self.fail("the text ends in a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match rest.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if rest.get(2..6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => 6,
            _ => return self.fail("an escape that JSON does not have"),
        };
        self.at += length;
        Ok(())
    }

    fn number(&mut self) -> Result<Kind, Malformed> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        if serde_json::from_str::<serde_json::Number>(&rest[..length]).is_err() && !is_huge(&rest[..length]) {
            return self.fail("not a number");
        }
        self.at += length;
        Ok(Kind::Other)
    }

    fn word(&mut self) -> Result<Kind, Malformed> {
        let rest = &self.text[self.at..];
        for word in ["true", "false", "null"] {
            let after = rest.strip_prefix(word);
            if after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
                self.at += word.len();
                return Ok(Kind::Other);
            }
        }
        self.fail("a value should stand here")
    }
}

/// A number that is well formed and too large for a double.
fn is_huge(token: &str) -> bool {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let digits = exponent.strip_prefix('+').unwrap_or(exponent);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(mantissa).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        let malformed = parse(text).unwrap_err();
        format!("{} at {}", malformed.why, place(text, malformed.at))
    }

    #[test]
    fn a_value_says_where_it_stands() {
        let text = " {\"a\" : [1, {\"b\":\"x\\u0041\"}], \"h\\u006foks\":-1.5e3 } ";
        let node = parse(text).unwrap();
        assert_eq!(&text[node.get(text, "a").unwrap().span.clone()], "[1, {\"b\":\"x\\u0041\"}]");
        assert_eq!(&text[node.get(text, "hooks").unwrap().span.clone()], "-1.5e3");
        let inner = &node.get(text, "a").unwrap().items().unwrap()[1];
        assert_eq!(inner.get(text, "b").unwrap().string(text).unwrap(), "xA");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        assert_eq!(wrong("{\n  // no\n}"), "a comment, which the client does not read either at 2:3");
        assert_eq!(wrong("{\"a\": 1,\n}"), "a comma too many at 2:1");
        assert_eq!(wrong("[1,]"), "a comma too many at 1:4");
        assert_eq!(wrong("{\"é\" 1}"), "a colon should stand here at 1:6");
        assert_eq!(wrong("{\"a\":1 \"b\":2}"), "a comma should stand here at 1:8");
        assert_eq!(wrong("{\"a\":"), "the text ends where a value should stand at 1:6");
        assert_eq!(wrong("{\"a\":[1"), "the text ends before the value does at 1:8");
        assert_eq!(wrong("{} {}"), "something stands after the end of the value at 1:4");
        for text in [
            "{a:1}",
            "'a'",
            "[01]",
            "[1.]",
            "[nul]",
            "[nulls]",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"a\nb\"",
            "\"a",
            "",
            "NaN",
            "[1e]",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_javascript_reads_is_read() {
        for text in ["\"\\ud800\"", "[1e999]", "0", "[-0.0E+5]", "\t\r\n[]\n"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(&deep(900)).is_ok());
        assert!(parse(&deep(100_000)).is_err());
    }
}
