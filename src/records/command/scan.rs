//! One character after the other through shell text, knowing what is quoted and what is nested in what.
//!
//! Architecture invariant: linear in the length of the text, whatever it holds. That is why nothing else here looks for the
//! end of a string or a substitution, and why the parser, which is not linear, is only shown single commands.

/// Deepest nesting of quotes, parentheses, substitutions and braces.
const MAX_DEPTH: usize = 24;

/// What a position is inside of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Inside {
    Double,
    Parens,
    Backticks,
    /// `${…}`; within double quotes a single quote is a plain character there.
    Braces {
        quoted: bool,
    },
    /// `((…))` and `$((…))`, with how many parentheses are open: `<<` is a shift there.
    Arithmetic(usize),
}

pub struct Scan<'a> {
    pub source: &'a [u8],
    pub at: usize,
    pub stack: Vec<Inside>,
    /// Bytes outside quotes and blanks that were passed: what the parser's effort grows with.
    pub bare: usize,
}

impl<'a> Scan<'a> {
    pub fn new(source: &'a str) -> Self {
        Scan { source: source.as_bytes(), at: 0, stack: Vec::new(), bare: 0 }
    }

    pub fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    pub fn starts(&self, text: &str) -> bool {
        self.source.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// Commands are read here, not the inside of a string, an expansion or arithmetic.
    pub fn in_command(&self) -> bool {
        matches!(self.stack.last(), None | Some(Inside::Parens | Inside::Backticks))
    }

    /// The character before is one after which a new word begins.
    pub fn fresh(&self) -> bool {
        self.at == 0 || b" \t\n;&|(".contains(&self.source[self.at - 1])
    }

    /// Passes one character, or one that is quoted together with its quotes.
    pub fn step(&mut self) -> Result<(), String> {
        let Some(byte) = self.peek(0) else { return Ok(()) };
        let from = self.at;
        let quoted = self.stack.last() == Some(&Inside::Double) && !b"\"$`".contains(&byte);
        match self.stack.last().copied() {
            Some(Inside::Double) => self.double(byte),
            Some(Inside::Braces { quoted }) => self.braces(byte, quoted),
            Some(Inside::Arithmetic(open)) => self.arithmetic(byte, open),
            None | Some(Inside::Parens | Inside::Backticks) => self.command(byte),
        }
        self.at = self.at.min(self.source.len());
        if byte == b'\'' {
            self.bare += 2;
        } else if !quoted && !byte.is_ascii_whitespace() {
            self.bare += self.at - from;
        }
        match self.stack.len() > MAX_DEPTH {
            true => Err(format!("nested deeper than {MAX_DEPTH}")),
            false => Ok(()),
        }
    }

    /// Passes what begins here, up to where it is closed.
    pub fn skip(&mut self) -> Result<(), String> {
        let depth = self.stack.len();
        self.step()?;
        while self.stack.len() > depth {
            if self.at >= self.source.len() {
                return Err("quotes or parentheses are not closed".into());
            }
            self.step()?;
        }
        Ok(())
    }

    fn enter(&mut self, inside: Inside, width: usize) {
        self.stack.push(inside);
        self.at += width;
    }

    fn leave(&mut self) {
        self.stack.pop();
        self.at += 1;
    }

    /// `$(`, `$((`, `${`, a backtick: the same wherever expansions are performed.
    fn expansion(&mut self, quoted: bool) -> bool {
        if self.starts("$((") {
            self.enter(Inside::Arithmetic(2), 3);
        } else if self.starts("$(") {
            self.enter(Inside::Parens, 2);
        } else if self.starts("${") {
            self.enter(Inside::Braces { quoted }, 2);
        } else if self.starts("`") && self.stack.last() == Some(&Inside::Backticks) {
            self.leave();
        } else if self.starts("`") {
            self.enter(Inside::Backticks, 1);
        } else {
            return false;
        }
        true
    }

    fn double(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'"' => self.leave(),
            _ if self.expansion(true) => {}
            _ => self.at += 1,
        }
    }

    fn braces(&mut self, byte: u8, quoted: bool) {
        match byte {
            b'\\' => self.at += 2,
            b'}' => self.leave(),
            b'\'' if !quoted => self.single(false),
            b'"' => self.enter(Inside::Double, 1),
            _ if self.expansion(quoted) => {}
            _ => self.at += 1,
        }
    }

    fn arithmetic(&mut self, byte: u8, open: usize) {
        match byte {
            b'\\' => self.at += 2,
            b')' if open == 1 => self.leave(),
            b'(' | b')' => {
                let open = if byte == b'(' { open + 1 } else { open - 1 };
                if let Some(top) = self.stack.last_mut() {
                    *top = Inside::Arithmetic(open);
                }
                self.at += 1;
            }
            b'"' => self.enter(Inside::Double, 1),
            _ if self.expansion(false) => {}
            _ => self.at += 1,
        }
    }

    fn command(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'\'' => self.single(false),
            b'"' => self.enter(Inside::Double, 1),
            b'$' if self.starts("$'") => {
                self.at += 1;
                self.single(true);
            }
            _ if self.expansion(false) => {}
            b'(' if self.starts("((") && self.fresh() => self.enter(Inside::Arithmetic(2), 2),
            b'(' => self.enter(Inside::Parens, 1),
            b')' if self.stack.last() == Some(&Inside::Parens) => self.leave(),
            b'#' if self.fresh() => self.comment(),
            _ => self.at += 1,
        }
    }

    /// To the end of the line.
    pub fn comment(&mut self) {
        let rest = &self.source[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    /// Over a single-quoted string; `$'…'` has escapes.
    fn single(&mut self, escapes: bool) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += if escapes && byte == b'\\' { 2 } else { 1 };
            if byte == b'\'' {
                return;
            }
        }
        // Not closed: whoever asks sees the end of the text with something still open.
        self.stack.push(Inside::Double);
    }
}
