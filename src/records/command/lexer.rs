//! Words and operators, told apart: what bash's grammar is made of. What the words say is left to the parser.

use super::scan::Scan;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lexeme {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// Bytes outside quotes and blanks.
    pub bare: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Word,
    /// `>`, `2>&`, `<<<`: its word comes next.
    Redirect,
    /// `&&`, `;`, `(` …
    Operator,
    Newline,
    /// `[[ … ]]`
    Test,
    /// `(( … ))`
    Arithmetic,
}

const MAX_LEXEMES: usize = 8000;

/// Longest first.
const OPERATORS: &[&str] = &[";;&", ";;", ";&", ";", "&&", "&", "||", "|&", "|", "(", ")"];
const REDIRECTS: &[&str] = &["&>>", "&>", "<<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];

/// The lexemes of `code`, which has no here-documents in it.
pub fn lex(code: &str) -> Result<Vec<Lexeme>, String> {
    let mut lexer = Lexer { code, scan: Scan::new(code), out: Vec::new() };
    while let Some(byte) = lexer.scan.peek(0) {
        let start = lexer.scan.at;
        match byte {
            b' ' | b'\t' => lexer.scan.at += 1,
            b'\\' if lexer.scan.starts("\\\n") => lexer.continuation()?,
            b'\n' => lexer.take(Kind::Newline, 1),
            b'#' => lexer.scan.comment(),
            b'(' if lexer.scan.starts("((") && lexer.arithmetic()? => lexer.push(Kind::Arithmetic, start, 0),
            b'<' | b'>' if matches!(lexer.scan.peek(1), Some(b'(')) => lexer.word()?,
            _ => {
                if let Some(sign) = REDIRECTS.iter().find(|sign| lexer.scan.starts(sign)) {
                    lexer.take(Kind::Redirect, sign.len());
                } else if let Some(sign) = OPERATORS.iter().find(|sign| lexer.scan.starts(sign)) {
                    lexer.take(Kind::Operator, sign.len());
                } else {
                    lexer.word()?;
                }
            }
        }
        if lexer.out.len() > MAX_LEXEMES {
            return Err(format!("more than {MAX_LEXEMES} words"));
        }
    }
    Ok(lexer.out)
}

struct Lexer<'a> {
    code: &'a str,
    scan: Scan<'a>,
    out: Vec<Lexeme>,
}

impl Lexer<'_> {
    fn take(&mut self, kind: Kind, length: usize) {
        let start = self.scan.at;
        self.scan.at += length;
        self.push(kind, start, length);
    }

    fn push(&mut self, kind: Kind, start: usize, bare: usize) {
        self.out.push(Lexeme { kind, start, end: self.scan.at, bare });
    }

    /// A line that goes on. In the middle of a word it is part of it: too odd to be worth more than a refusal.
    fn continuation(&mut self) -> Result<(), String> {
        let touches = self.out.last().is_some_and(|last| last.kind == Kind::Word && last.end == self.scan.at);
        self.scan.at += 2;
        match touches && !matches!(self.scan.peek(0), None | Some(b' ' | b'\t' | b'\n' | b'\\')) {
            true => Err(format!("a word is continued on the next line at byte {}", self.scan.at)),
            false => Ok(()),
        }
    }

    /// Passes `(( … ))`; false if it is not closed by two parentheses at once, and then it is nested subshells.
    fn arithmetic(&mut self) -> Result<bool, String> {
        let start = self.scan.at;
        self.scan.skip()?;
        let closed = self.scan.source[..self.scan.at].ends_with(b"))");
        if !closed {
            self.scan.at = start;
        }
        Ok(closed)
    }

    fn word(&mut self) -> Result<(), String> {
        let start = self.scan.at;
        self.scan.bare = 0;
        while let Some(byte) = self.scan.peek(0) {
            let so_far = &self.scan.source[start..self.scan.at];
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'<' | b'>' if so_far.is_empty() => self.scan.at += 1,
                b'<' | b'>' => {
                    // `2>log`: the number belongs to the redirection.
                    if so_far.iter().all(u8::is_ascii_digit)
                        && let Some(sign) = REDIRECTS.iter().find(|sign| self.scan.starts(sign))
                    {
                        self.scan.at += sign.len();
                        self.push(Kind::Redirect, start, sign.len());
                        return Ok(());
                    }
                    break;
                }
                // An array, or a process substitution; else it is no part of a word.
                b'(' if so_far.ends_with(b"=") || matches!(so_far, b"<" | b">") => self.scan.skip()?,
                b'(' => break,
                b'\\' if self.scan.starts("\\\n") => break,
                // A part of the word for bash, a blank for the parser.
                b'\r' => return Err("a carriage return outside quotes".into()),
                b'$' if self.scan.starts("$[") => return Err("arithmetic of old".into()),
                _ => self.scan.skip()?,
            }
        }
        if self.scan.at == start {
            return Err(format!("it is not bash at byte {start}"));
        }
        if &self.scan.source[start..self.scan.at] == b"[[" && self.at_command() {
            return self.test(start);
        }
        let bare = self.scan.bare;
        self.push(Kind::Word, start, bare);
        Ok(())
    }

    /// Whether a command can begin here.
    fn at_command(&self) -> bool {
        const WORDS: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"];
        self.out.last().is_none_or(|last| match last.kind {
            Kind::Word => self.code.get(last.start..last.end).is_some_and(|word| WORDS.contains(&word)),
            Kind::Redirect => false,
            _ => true,
        })
    }

    /// `[[ … ]]`, with operators of its own inside.
    fn test(&mut self, start: usize) -> Result<(), String> {
        while self.scan.peek(0).is_some() {
            let blank = self.scan.source[self.scan.at - 1].is_ascii_whitespace();
            let ends = |byte: Option<u8>| byte.is_none_or(|byte| b" \t\n;&|)<>".contains(&byte));
            if blank && self.scan.starts("]]") && ends(self.scan.peek(2)) {
                self.scan.at += 2;
                self.push(Kind::Test, start, 0);
                return Ok(());
            }
            match self.scan.peek(0) {
                // In a pattern a parenthesis may stand alone, and `#` is no comment.
                Some(b'(' | b')' | b'#') => self.scan.at += 1,
                _ => self.scan.skip()?,
            }
        }
        Err("`[[` is not closed".into())
    }
}

/// The ranges of the command substitutions in a text in which only expansions are performed (the body of a here-document,
/// arithmetic, a test), without their delimiters.
pub fn substitutions(text: &str) -> Result<Vec<(usize, usize)>, String> {
    let mut scan = Scan::new(text);
    let mut found = Vec::new();
    while let Some(byte) = scan.peek(0) {
        let start = scan.at;
        let opens = if scan.starts("$(") && !scan.starts("$((") {
            2
        } else if byte == b'`' {
            1
        } else {
            // Quotes do not protect a substitution here, and a backslash does.
            scan.at += if byte == b'\\' { 2 } else { 1 };
            continue;
        };
        scan.skip()?;
        found.push((start + opens, scan.at - 1));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> Vec<(Kind, &str)> {
        lex(code).unwrap().iter().map(|lexeme| (lexeme.kind, &code[lexeme.start..lexeme.end])).collect()
    }

    #[test]
    fn operators_words_and_redirections_are_told_apart() {
        use Kind::{Arithmetic, Newline, Operator, Redirect, Test, Word};
        let code = "a 'b c'|& d>f 2>&1&&[[ $x =~ ^(a|b)$ ]];((i++))# no\n#x\ne\\\n f&>g & x=(1 2) <(h)";
        let expected = [
            (Word, "a"),
            (Word, "'b c'"),
            (Operator, "|&"),
            (Word, "d"),
            (Redirect, ">"),
            (Word, "f"),
            (Redirect, "2>&"),
            (Word, "1"),
            (Operator, "&&"),
            (Test, "[[ $x =~ ^(a|b)$ ]]"),
            (Operator, ";"),
            (Arithmetic, "((i++))"),
            (Newline, "\n"),
            (Newline, "\n"),
            (Word, "e"),
            (Word, "f"),
            (Redirect, "&>"),
            (Word, "g"),
            (Operator, "&"),
            (Word, "x=(1 2)"),
            (Word, "<(h)"),
        ];
        assert_eq!(texts(code), expected);
    }

    #[test]
    fn two_parentheses_that_close_apart_are_subshells() {
        assert_eq!(texts("((a); b)").len(), 7);
        assert_eq!(texts("echo \"$(a; (b))\" `c`").len(), 3);
        assert!(lex("a 'b").is_err());
        assert!(lex("a $(b").is_err());
    }
}
