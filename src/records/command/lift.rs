//! The scan before the parse. It reads the line once, from left to right, knowing quotes and nesting, and does two things:
//! it lifts here-documents out, of which tree-sitter-bash understands only the simplest, and it measures what makes that
//! parser slow (it is not linear, and the worst of it happens between two of its progress callbacks).
//!
//! Architecture invariant: linear in the length of the line, whatever it holds.

/// Longest line that is looked at, here-documents included.
const MAX_SOURCE: usize = 256 * 1024;
/// Longest line without its here-documents.
const MAX_CODE: usize = 32 * 1024;
/// Deepest nesting of quotes, parentheses, substitutions and braces.
const MAX_DEPTH: usize = 24;
/// Most `|` (a pipeline costs the parser the square of its length), most `[[`, and most here-documents.
const MAX_PIPES: usize = 120;
const MAX_TESTS: usize = 60;
const MAX_DOCUMENTS: usize = 200;

/// A line of the same length, with bodies blanked and each `<<WORD` made a plain `<WORD `.
#[derive(Debug)]
pub struct Lifted {
    pub code: String,
    pub documents: Vec<Document>,
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where its operator stands in the code.
    pub at: usize,
    pub body: String,
    /// The delimiter is unquoted: expansions in the body are performed.
    pub expands: bool,
}

/// What the scan is inside of.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
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

struct Pending {
    at: usize,
    delimiter: Vec<u8>,
    strip_tabs: bool,
    expands: bool,
}

/// Lifts the here-documents out of `source`, or says why it is not to be parsed.
pub fn lift(source: &str) -> Result<Lifted, String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("the command line is longer than {} KiB", MAX_SOURCE / 1024));
    }
    if source.bytes().any(|b| b == 0 || b == b'\r') {
        return Err("the command line has a NUL or a carriage return in it".into());
    }
    let mut scan = Scan::new(source);
    scan.run()?;
    let blanked: usize = scan.documents.iter().map(|d| d.body.len()).sum();
    if source.len() - blanked.min(source.len()) > MAX_CODE {
        return Err(format!("the command line is longer than {} KiB without its here-documents", MAX_CODE / 1024));
    }
    let code = String::from_utf8(scan.code).map_err(|_| "a here-document is cut inside a character".to_owned())?;
    Ok(Lifted { code, documents: scan.documents })
}

struct Scan<'a> {
    source: &'a [u8],
    at: usize,
    code: Vec<u8>,
    stack: Vec<Inside>,
    pending: Vec<Pending>,
    documents: Vec<Document>,
    pipes: usize,
    tests: usize,
}

impl<'a> Scan<'a> {
    fn new(source: &'a str) -> Self {
        Scan {
            source: source.as_bytes(),
            at: 0,
            code: source.as_bytes().to_vec(),
            stack: Vec::new(),
            pending: Vec::new(),
            documents: Vec::new(),
            pipes: 0,
            tests: 0,
        }
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(byte) = self.peek(0) {
            if self.stack.len() > MAX_DEPTH {
                return Err(format!("nested deeper than {MAX_DEPTH}"));
            }
            match self.stack.last().copied() {
                Some(Inside::Double) => self.double(byte),
                Some(Inside::Braces { quoted }) => self.braces(byte, quoted),
                Some(Inside::Arithmetic(open)) => self.arithmetic(byte, open),
                None | Some(Inside::Parens | Inside::Backticks) => self.command(byte)?,
            }
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        self.source[self.at..].starts_with(text.as_bytes())
    }

    /// The character before is one after which a new word begins.
    fn fresh(&self) -> bool {
        self.at == 0 || b" \t\n;&|(!`".contains(&self.source[self.at - 1])
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

    fn command(&mut self, byte: u8) -> Result<(), String> {
        match byte {
            b'\\' => self.at += 2,
            b'\'' => self.single(false),
            b'"' => self.enter(Inside::Double, 1),
            b'$' if self.starts("$'") => {
                self.at += 1;
                self.single(true);
            }
            b'`' if self.stack.last() == Some(&Inside::Backticks) => self.leave(),
            _ if self.expansion(false) => {}
            b'(' if self.starts("((") && self.fresh() => self.enter(Inside::Arithmetic(2), 2),
            b'(' => self.enter(Inside::Parens, 1),
            b')' if self.stack.last() == Some(&Inside::Parens) => self.leave(),
            b'#' if self.fresh() => {
                let rest = &self.source[self.at..];
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            }
            b'<' if self.starts("<<<") => self.at += 3,
            b'<' if self.starts("<<") => self.operator()?,
            b'\n' => {
                self.at += 1;
                self.bodies()?;
            }
            b'|' => {
                self.pipes += 1;
                if self.pipes > MAX_PIPES {
                    return Err(format!("more than {MAX_PIPES} pipes"));
                }
                self.at += 1;
            }
            b'[' if self.starts("[[") => {
                self.tests += 1;
                if self.tests > MAX_TESTS {
                    return Err(format!("more than {MAX_TESTS} tests"));
                }
                self.at += 2;
            }
            _ => self.at += 1,
        }
        Ok(())
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
    }

    /// `<<WORD`, `<<-WORD`, `<< 'WORD'`: noted, and made `<WORD ` in the code.
    fn operator(&mut self) -> Result<(), String> {
        let at = self.at;
        let strip_tabs = self.peek(2) == Some(b'-');
        let word = at + if strip_tabs { 3 } else { 2 };
        let mut end = word;
        while matches!(self.source.get(end), Some(b' ' | b'\t')) {
            end += 1;
        }
        let mut delimiter = Vec::new();
        let mut expands = true;
        let mut quote = None;
        while let Some(&byte) = self.source.get(end) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), b'\n') => break,
                (Some(_), _) => delimiter.push(byte),
                (None, b'\'' | b'"') => (quote, expands) = (Some(byte), false),
                (None, b'\\') => {
                    expands = false;
                    end += 1;
                    delimiter.extend(self.source.get(end));
                }
                (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
                (None, _) => delimiter.push(byte),
            }
            end += 1;
        }
        let end = end.min(self.source.len());
        if quote.is_some() || (delimiter.is_empty() && expands) {
            return Err("a here-document without a delimiter".into());
        }
        let kept = end - word;
        self.code.copy_within(word..end, at + 1);
        self.code[at + 1 + kept..end].fill(b' ');
        self.pending.push(Pending { at, delimiter, strip_tabs, expands });
        self.at = end;
        Ok(())
    }

    /// The bodies that begin on this line.
    fn bodies(&mut self) -> Result<(), String> {
        for pending in std::mem::take(&mut self.pending) {
            if self.documents.len() == MAX_DOCUMENTS {
                return Err(format!("more than {MAX_DOCUMENTS} here-documents"));
            }
            let begin = self.at.min(self.source.len());
            let mut body = Vec::new();
            loop {
                let rest = self.source.get(self.at..).unwrap_or_default();
                if rest.is_empty() {
                    break;
                }
                let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                let mut line = &rest[..length];
                while pending.strip_tabs && line.first() == Some(&b'\t') {
                    line = &line[1..];
                }
                self.at += length + 1;
                if line == pending.delimiter {
                    break;
                }
                body.extend_from_slice(line);
                body.push(b'\n');
            }
            self.at = self.at.min(self.source.len());
            // The line end after the delimiter stays: it ends the command.
            let end = if self.source[begin..self.at].ends_with(b"\n") { self.at - 1 } else { self.at };
            self.code[begin..end].fill(b' ');
            self.documents.push(Document {
                at: pending.at,
                body: String::from_utf8_lossy(&body).into_owned(),
                expands: pending.expands,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_lifted_and_the_line_keeps_its_length() {
        let source = "cat <<'A' <<-B | sort; ls\nit's\nA\n\tb $x\n\tB\necho x";
        let lifted = lift(source).unwrap();
        assert_eq!(lifted.code.len(), source.len());
        assert!(lifted.code.starts_with("cat <'A'  <B   | sort; ls\n   "));
        assert!(lifted.code.ends_with(" \necho x"));
        assert_eq!(lifted.documents.len(), 2);
        assert_eq!(lifted.documents[0], Document { at: 4, body: "it's\n".into(), expands: false });
        assert_eq!(lifted.documents[1], Document { at: 10, body: "b $x\n".into(), expands: true });
    }

    #[test]
    fn a_document_inside_a_quoted_substitution_is_lifted_too() {
        let lifted = lift("git commit -m \"$(cat <<'EOF'\nit's \"quoted\n\nEOF\n)\" && git push").unwrap();
        assert_eq!(lifted.documents[0].body, "it's \"quoted\n\n");
        assert!(lifted.code.ends_with("\n)\" && git push"));
    }

    #[test]
    fn what_only_looks_like_a_document_stays() {
        for source in
            ["echo '<<A' \"<<B\" # <<C\nls", "((x << 2)); echo $((1 << y))\nls", "cat <<< x\nls", "echo \\<<A"]
        {
            let lifted = lift(source);
            if source.ends_with("A") {
                assert_eq!(lifted.unwrap().documents, [], "{source}");
            } else {
                assert_eq!(lifted.unwrap().code, source);
            }
        }
    }

    #[test]
    fn a_line_that_would_keep_the_parser_busy_is_refused() {
        for unit in ["a|", "a=(", "((((", "$(", "[[ a && ", "\"$(", "${x:-"] {
            assert!(lift(&unit.repeat(400)).is_err(), "{unit}");
        }
        assert!(lift("a\0b").is_err());
        assert!(lift(&"x".repeat(MAX_CODE + 1)).is_err());
        assert!(lift(&format!("cat <<A\n{}A\n", "x\n".repeat(MAX_CODE))).is_ok());
    }
}
