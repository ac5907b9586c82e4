//! Words: quotes and escapes removed where they can be, expansions named where they cannot.

use tree_sitter::Node;

use super::grammar::Reader;
use super::parser::children;
use super::syntax::{Assignment, Part, Substitution, SubstitutionKind, Word};

/// A simple command's text, and where it stands in the reader's code.
#[derive(Clone, Copy)]
pub struct Segment<'a> {
    pub reader: Reader<'a>,
    pub text: &'a str,
    pub start: usize,
}

impl Segment<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A word from one node (a literal, or an assignment that stands among the arguments).
    pub fn word(&self, node: Node<'_>) -> Result<Word, String> {
        let raw = self.text(node).to_owned();
        let mut word = Word { substitutions: self.substitutions(node)?, ..Word::default() };
        self.piece(node, Quote::None, &mut word);
        word.pattern |= raw.starts_with('~') || has_braces(&raw, &word.parts);
        for substitution in &mut word.substitutions {
            substitution.whole &= matches!(word.parts.as_slice(), [Part::Opaque]) && raw.starts_with('"');
        }
        word.raw = raw;
        Ok(word)
    }

    pub fn assignment(&self, node: Node<'_>) -> Result<Assignment, String> {
        let name = node.child_by_field_name("name").map(|name| self.text(name).to_owned()).unwrap_or_default();
        let mut value = match node.child_by_field_name("value") {
            Some(value) => self.word(value)?,
            None => Word::plain(""),
        };
        if self.text(node).get(name.len()..).is_some_and(|rest| rest.starts_with("+=")) {
            value.parts.insert(0, Part::Opaque);
        }
        Ok(Assignment { name, value })
    }

    /// The commands that expanding this node runs, outermost only.
    fn substitutions(&self, node: Node<'_>) -> Result<Vec<Substitution>, String> {
        let mut found = Vec::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if !matches!(node.kind(), "command_substitution" | "process_substitution") {
                stack.extend(children(node).into_iter().rev());
                continue;
            }
            let text = self.text(node);
            let (kind, opens) = match text.as_bytes() {
                [b'<', ..] => (SubstitutionKind::Input, 2),
                [b'>', ..] => (SubstitutionKind::Output, 2),
                [b'`', ..] if text.contains('\\') => return Err("escapes inside backticks".into()),
                [b'`', ..] => (SubstitutionKind::Command, 1),
                _ => (SubstitutionKind::Command, 2),
            };
            let inner = text.get(opens..text.len().saturating_sub(1)).ok_or("a substitution is not closed")?;
            let start = self.start.wrapping_add(node.start_byte() + opens);
            found.push(Substitution { kind, script: self.reader.inside(inner, start)?, whole: true });
        }
        Ok(found)
    }

    fn piece(&self, node: Node<'_>, quote: Quote, word: &mut Word) {
        let text = self.text(node);
        match node.kind() {
            "word"
            | "number"
            | "variable_name"
            | "special_variable_name"
            | "extglob_pattern"
            | "regex"
            | "test_operator" => {
                word.pattern |= is_glob(text);
                push_text(&mut word.parts, &unescape(text, |_| true));
            }
            "raw_string" => push_text(&mut word.parts, text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" => match ansi(text) {
                Some(text) => push_text(&mut word.parts, &text),
                None => word.parts.push(Part::Opaque),
            },
            "string" => self.double(node, word),
            "translated_string" => children(node).into_iter().skip(1).for_each(|child| self.piece(child, quote, word)),
            "concatenation" => {
                // `[ab]*` comes in pieces: only together they are a pattern.
                word.pattern |= !text.contains(['\'', '"', '$', '`']) && is_glob(text);
                for child in children(node) {
                    self.piece(child, quote, word);
                }
            }
            "simple_expansion" => {
                word.parts.push(Part::Variable { name: text[1..].to_owned(), quoted: quote == Quote::Double });
            }
            "expansion" => {
                let name = text.trim_start_matches("${").trim_end_matches('}');
                word.parts.push(match is_name(name) {
                    true => Part::Variable { name: name.to_owned(), quoted: quote == Quote::Double },
                    false => Part::Opaque,
                });
            }
            "variable_assignment" => {
                let value = node.child_by_field_name("value");
                let end = value.map_or(node.end_byte(), |value| value.start_byte());
                push_text(&mut word.parts, self.text.get(node.start_byte()..end).unwrap_or_default());
                if let Some(value) = value {
                    self.piece(value, quote, word);
                }
            }
            "brace_expression" | "array" | "arithmetic_expansion" | "command_substitution" | "process_substitution" => {
                word.parts.push(Part::Opaque);
            }
            // A `$` by itself; in `log$$` the parser takes the process id for two of them.
            "$" => word.parts.push(Part::Opaque),
            _ if !node.is_named() && text != "``" => push_text(&mut word.parts, text),
            _ => word.parts.push(Part::Opaque),
        }
    }

    /// Plain text between double quotes.
    fn quoted(&self, from: usize, to: usize, parts: &mut Vec<Part>) {
        let text = self.text.get(from..to).unwrap_or_default();
        match expands(text) {
            true => parts.push(Part::Opaque),
            false => push_text(parts, &unescape(text, |c| matches!(c, '$' | '`' | '"' | '\\'))),
        }
    }

    /// A double-quoted string. The parser drops line ends between its children, so the text is taken from the gaps.
    fn double(&self, node: Node<'_>, word: &mut Word) {
        let mut at = node.start_byte() + 1;
        let mut parts = Word::default();
        for child in children(node) {
            if !child.is_named() || child.kind() == "string_content" {
                continue;
            }
            self.quoted(at, child.start_byte(), &mut parts.parts);
            self.piece(child, Quote::Double, &mut parts);
            at = child.end_byte();
        }
        self.quoted(at, node.end_byte().saturating_sub(1), &mut parts.parts);
        let lone = parts.parts.len() == 1;
        for part in parts.parts {
            match part {
                Part::Text(text) if text.is_empty() && !lone => {}
                Part::Text(text) => push_text(&mut word.parts, &text),
                part => word.parts.push(part),
            }
        }
    }
}

/// A `$` that begins an expansion, for all that the parser says.
fn expands(text: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphanumeric() || "_?!@*#$-({".contains(c);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '$' if chars.peek().is_some_and(|next| starts(*next)) => return true,
            _ => {}
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq)]
enum Quote {
    None,
    Double,
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

/// Without the backslash before characters that it escapes; a continued line vanishes.
fn unescape(text: &str, escapes: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => drop(chars.next()),
            ('\\', Some(&next)) if escapes(next) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// `$'…'`; only the common escapes.
fn ansi(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.strip_prefix("$'")?.strip_suffix('\'')?.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'e' | 'E' => '\u{1b}',
            c @ ('\\' | '\'' | '"' | '?') => c,
            _ => return None,
        });
    }
    Some(out)
}

/// An unescaped `*`, `?` or `[…]`.
fn is_glob(text: &str) -> bool {
    let mut escaped = false;
    let mut open = false;
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '*' | '?' => return true,
            '[' => open = true,
            ']' if open => return true,
            _ => {}
        }
    }
    false
}

/// `a{b,c}`, `{1..3}`: looked for in the word as written, so that quotes can only make it say yes too often.
fn has_braces(raw: &str, parts: &[Part]) -> bool {
    let literal = parts.iter().all(|part| matches!(part, Part::Text(_)));
    let Some(open) = raw.find('{').filter(|_| literal && !raw.starts_with(['\'', '"'])) else { return false };
    let inside = raw[open..].split('}').next().unwrap_or_default();
    raw[open..].contains('}') && (inside.contains(',') || inside.contains(".."))
}

fn is_name(name: &str) -> bool {
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match name.strip_prefix("PIPESTATUS[") {
        Some(index) => index.strip_suffix(']').is_some_and(word),
        None => word(name) || matches!(name, "?" | "!" | "@" | "*" | "#" | "$" | "-"),
    }
}
