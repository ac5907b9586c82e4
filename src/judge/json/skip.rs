//! Reading past a value that nobody wants, and checking all of it on the way.

use super::{Array, Fault, Kind, Object, Reader};

/// How many arrays and objects may stand inside one another in a value that is skipped.
const MAX_DEPTH: usize = 1_000;

enum Open<'a> {
    Array(Array),
    Object(Object<'a>),
}

impl<'a> Reader<'a> {
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
}

fn unnamed(fault: Fault) -> Fault {
    Fault { key: None, ..fault }
}
