//! Prose as tokens with byte ranges. Markdown that only decorates (emphasis, links) disappears; quotations and
//! struck-out text become one opaque token, since nothing in them is the agent's own word.

use super::code;
use super::mark::{Mark, SHORTCODES, mark};
use super::runner::{self, Use};

#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub tok: Tok,
    /// The word in lower case; a number's digits; otherwise the text as it stands.
    pub low: String,
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Tok {
    Word,
    Number(u64),
    /// `42/42`
    Ratio(u64, u64),
    /// A command that checks or builds something; several where the code joins them with `&&`.
    Command(Vec<Use>),
    Path,
    Hash,
    /// Inline code or a word that is no English: a name, a branch, a version, a duration.
    Ident,
    Mark(Mark),
    Punct(char),
    /// A quotation, struck-out text, an image, a link's address.
    Opaque,
    /// The end of a line within a block.
    Break,
}

impl Token {
    pub fn is(&self, word: &str) -> bool {
        matches!(self.tok, Tok::Word | Tok::Number(_)) && self.low == word
    }

    pub fn punct(&self) -> Option<char> {
        match self.tok {
            Tok::Punct(c) => Some(c),
            _ => None,
        }
    }
}

/// The word at `i`, or nothing where there is no word.
pub fn word(tokens: &[Token], i: usize) -> &str {
    match tokens.get(i) {
        Some(Token { tok: Tok::Word | Tok::Number(_), low, .. }) => low,
        _ => "",
    }
}

/// How far a closing mark is looked for: keeps reading linear whatever stands in the text.
const REACH: usize = 1500;

/// Tokens of the text between two byte offsets of the message.
pub fn tokens(message: &str, start: usize, end: usize) -> Vec<Token> {
    let mut lexer = Lexer { message, at: start, end, out: Vec::new() };
    lexer.run();
    runner::name_in_prose(&mut lexer.out, message);
    lexer.out
}

struct Lexer<'m> {
    message: &'m str,
    at: usize,
    end: usize,
    out: Vec<Token>,
}

impl<'m> Lexer<'m> {
    fn rest(&self) -> &'m str {
        self.message.get(self.at..self.end).unwrap_or_default()
    }

    fn near(&self, from: usize) -> &'m str {
        let mut to = self.end.min(from + REACH);
        while !self.message.is_char_boundary(to) {
            to -= 1;
        }
        self.message.get(from..to).unwrap_or_default()
    }

    fn push(&mut self, tok: Tok, len: usize) {
        let (start, end) = (self.at, self.at + len);
        let low = self.message.get(start..end).unwrap_or_default().to_owned();
        self.out.push(Token { tok, low, start, end });
        self.at = end;
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let len = c.len_utf8();
            match c {
                '\n' => self.push(Tok::Break, 1),
                _ if c.is_whitespace() || c.is_control() => self.at += len,
                '`' => self.inline_code(),
                '"' | '“' | '„' | '«' | '‘' | '\'' | '「' | '『' => self.quotation(c),
                '*' | '_' if !self.starts_word(len) || c == '*' => self.at += len,
                '~' if self.rest().starts_with("~~") => self.opaque_to("~~", 2),
                '<' => self.tag(),
                '!' if self.rest().starts_with("![") => self.opaque_to(")", 2),
                '[' => self.at += 1,
                ']' => self.link_target(),
                '\\' => self.at += 1,
                '-' if self.rest().starts_with("->") || self.rest().starts_with("-->") => {
                    self.at += self.rest().find('>').unwrap_or(0);
                    self.push(Tok::Punct('→'), 1);
                }
                '=' if self.rest().starts_with("=>") => {
                    self.at += 1;
                    self.push(Tok::Punct('→'), 1);
                }
                '→' | '⇒' | '➜' | '➡' | '⟶' => self.push(Tok::Punct('→'), len),
                '-' | '–' | '—' | '―' if !self.starts_word(len) || len > 1 => {
                    let run = self.rest().find(|x| x != c).unwrap_or(len);
                    self.push(Tok::Punct('—'), run);
                }
                // Arguments of a command: "go test ./...", "ruff check .".
                '.' if self.rest().starts_with("./...") => self.push(Tok::Ident, 5),
                '.' if self.stands_alone() => self.push(Tok::Ident, 1),
                '.' if self.rest().starts_with("..") => {
                    let run = self.rest().bytes().take_while(|b| *b == b'.').count();
                    // Dots that lead from a name to its value are a colon.
                    self.push(Tok::Punct(if run > 3 { ':' } else { '…' }), run);
                }
                '。' | '！' | '？' | '；' | '：' | '，' | '、' | '（' | '）' => {
                    let plain = match c {
                        '。' => '.',
                        '！' => '!',
                        '？' => '?',
                        '；' => ';',
                        '：' => ':',
                        '（' => '(',
                        '）' => ')',
                        _ => ',',
                    };
                    self.push(Tok::Punct(plain), len);
                }
                _ if mark(c).is_some() => self.emoji(c),
                ':' if self.shortcode() => {}
                _ if c.is_alphanumeric() || self.starts_word(len) => self.chunk(),
                _ => self.push(Tok::Punct(c), len),
            }
        }
    }

    /// After a leading `.`, `/`, `-`, `@`, `#`, `~`, `_` comes the rest of a path, a flag or a name.
    fn starts_word(&self, len: usize) -> bool {
        let rest = self.rest();
        rest.starts_with(['.', '/', '-', '@', '#', '~', '_', '$'])
            && rest[len..].trim_start_matches(['.', '/', '-', '_']).starts_with(|c: char| c.is_ascii_alphanumeric())
            && !rest[len..].starts_with("->")
    }

    /// A character with spaces around it.
    fn stands_alone(&self) -> bool {
        let before = self.message[..self.at].chars().next_back();
        before == Some(' ') && self.rest()[1..].starts_with(' ')
    }

    fn inline_code(&mut self) {
        let run = self.rest().bytes().take_while(|b| *b == b'`').count();
        let from = self.at + run;
        let near = self.near(from);
        let mut at = 0;
        while let Some(found) = near[at..].find('`') {
            let open = at + found;
            let len = near[open..].bytes().take_while(|b| *b == b'`').count();
            if len == run {
                let (start, end) = (self.at, from + open + len);
                let content = near[..open].to_owned();
                self.code(start, end, from, &content);
                self.at = end;
                return;
            }
            at = open + len;
        }
        self.at += run;
    }

    fn code(&mut self, start: usize, end: usize, from: usize, content: &str) {
        let trimmed = content.trim();
        let tok = if let Some(uses) = runner::command(trimmed) {
            Tok::Command(uses)
        } else if code::is_path(trimmed, code::Written::AsCode) {
            Tok::Path
        } else if code::is_hash(trimmed) {
            Tok::Hash
        } else if code::is_result(trimmed) {
            self.out.extend(tokens(self.message, from, from + content.len()));
            return;
        } else {
            Tok::Ident
        };
        self.out.push(Token { tok, low: trimmed.to_owned(), start, end });
    }

    fn quotation(&mut self, open: char) {
        let len = open.len_utf8();
        let close: &[char] = match open {
            '“' | '„' => &['”', '“', '"'],
            '«' => &['»'],
            '‘' => &['’'],
            '「' => &['」'],
            '『' => &['』'],
            '\'' => &['\''],
            _ => &['"'],
        };
        let before = self.message[..self.at].chars().next_back();
        let opens =
            before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '*' | '_' | '—' | '–' | '/' | ':'));
        if matches!(open, '\'' | '‘') && !opens {
            self.at += len;
            return;
        }
        let near = self.near(self.at + len);
        let single = matches!(open, '\'' | '‘');
        let found = near.char_indices().find(|(i, c)| {
            close.contains(c)
                && (!single || !near[i + c.len_utf8()..].starts_with(|next: char| next.is_alphanumeric()))
                && (!single || !near[..*i].ends_with(char::is_whitespace))
        });
        match found {
            Some((i, c)) => self.push(Tok::Opaque, len + i + c.len_utf8()),
            None => self.at += len,
        }
    }

    fn opaque_to(&mut self, close: &str, skip: usize) {
        match self.near(self.at + skip).find(close) {
            Some(i) => self.push(Tok::Opaque, skip + i + close.len()),
            None => self.at += skip,
        }
    }

    fn tag(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            let len = rest.find("-->").map_or(rest.len(), |i| i + 3);
            self.at += len;
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
            match self.near(self.at).find('>') {
                Some(i) if rest.starts_with("<br") => self.push(Tok::Break, i + 1),
                Some(i) => self.at += i + 1,
                None => self.at += 1,
            }
        } else {
            self.push(Tok::Punct('<'), 1);
        }
    }

    fn link_target(&mut self) {
        self.at += 1;
        if self.rest().starts_with('(')
            && let Some(i) = self.near(self.at).find(')')
        {
            self.at += i + 1;
        }
    }

    fn shortcode(&mut self) -> bool {
        for (code, means) in SHORTCODES {
            if self.rest().starts_with(code) {
                self.push(Tok::Mark(*means), code.len());
                return true;
            }
        }
        false
    }

    fn emoji(&mut self, c: char) {
        let Some(means) = mark(c) else { return };
        let rest = &self.rest()[c.len_utf8()..];
        let tail = rest.find(|x: char| !matches!(x, '\u{fe0f}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}')).unwrap_or(0);
        self.push(Tok::Mark(means), c.len_utf8() + tail);
    }

    fn chunk(&mut self) {
        let rest = self.rest();
        let stop = |c: char| {
            c.is_whitespace()
                || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '`' | ';' | '!' | '?' | '|' | '<' | '>' | '*')
                || matches!(
                    c,
                    '“' | '”'
                        | '„'
                        | '«'
                        | '»'
                        | '—'
                        | '–'
                        | '…'
                        | '→'
                        | '⇒'
                        | '。'
                        | '，'
                        | '、'
                        | '：'
                        | '（'
                        | '）'
                )
                || mark(c).is_some()
        };
        let mut len = rest.find(stop).unwrap_or(rest.len());
        if let Some(comma) = rest[..len].find(',')
            && !code::grouped_number(&rest[..len])
        {
            len = comma;
        }
        let chunk = rest[..len].trim_end_matches(['.', ':', ',', '\'', '’', '/', '_', '~', '-']);
        let keep = code::abbreviation(&rest[..len]).unwrap_or(chunk.len()).max(1);
        let keep = if rest.is_char_boundary(keep) { keep } else { rest.chars().next().map_or(1, char::len_utf8) };
        // `src/foo/` keeps its slash.
        let keep = if rest[keep..len].starts_with('/') && chunk.contains('/') { keep + 1 } else { keep };
        code::classify(&rest[..keep], self.at, &mut self.out);
        self.at += keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lows(text: &str) -> Vec<String> {
        tokens(text, 0, text.len()).into_iter().map(|t| t.low).collect()
    }

    #[test]
    fn paths_versions_and_abbreviations_stay_whole() {
        assert_eq!(
            lows("See src/a.rs, v1.2.3, e.g. that."),
            ["see", "src/a.rs", ",", "v1.2.3", ",", "e.g.", "that", "."]
        );
        assert_eq!(lows("**Tests:** 4,966 of 42/42…"), ["tests", ":", "4966", "of", "42/42", "…"]);
    }

    #[test]
    fn contractions_are_two_words_within_one_range() {
        let tokens = tokens("I haven't", 0, "I haven't".len());
        let read: Vec<_> = tokens.iter().map(|t| (t.low.as_str(), t.start, t.end)).collect();
        assert_eq!(read, [("i", 0, 1), ("have", 2, 6), ("not", 6, 9)]);
    }

    #[test]
    fn quotations_and_struck_out_text_are_one_token() {
        assert_eq!(
            lows("He said \"all tests pass\" and ~~I pushed~~ x"),
            ["he", "said", "\"all tests pass\"", "and", "~~I pushed~~", "x"]
        );
        assert_eq!(
            lows("the tests' names don't 'lie here' now"),
            ["the", "tests", "names", "do", "not", "'lie here'", "now"]
        );
    }

    #[test]
    fn inline_code_is_a_command_a_path_a_hash_a_result_or_a_name() {
        let text = "`cargo test -p a` `src/a.rs` `a1f09be` `3 passed` `main`";
        let toks: Vec<_> = tokens(text, 0, text.len()).into_iter().map(|t| t.tok).collect();
        assert!(matches!(toks[0], Tok::Command(_)));
        assert_eq!(toks[1..], [Tok::Path, Tok::Hash, Tok::Number(3), Tok::Word, Tok::Ident]);
    }
}
