//! The text of one simple command, as the parser reads it.

use tree_sitter::Node;

use super::grammar::{Parsed, Parser, Reader};
use super::lexer::{Kind, Lexeme};
use super::lift::Document;
use super::parser::{Token, children, tokens};
use super::syntax::{Assignment, Operator, Part, Redirect, Word};
use super::word::Segment;

/// What it is made of.
type Read = (Vec<Assignment>, Vec<Word>, Vec<Redirect>);

impl Parser<'_> {
    /// The words from a lexeme on to here, which are arguments: nothing in them is a name or an assignment.
    pub fn words(&self, from: usize) -> Parsed<Vec<Word>> {
        let lexemes = &self.lexemes[from..self.at];
        let (Some(first), Some(last)) = (lexemes.first(), lexemes.last()) else { return Ok(Vec::new()) };
        // Behind a command's name, that is how they are read.
        let text = format!("_ {}", self.reader.code.get(first.start..last.end).unwrap_or_default());
        let start = first.start.wrapping_sub(2);
        let (_, mut words, _) = self.read(&text, start, lexemes, 1)?;
        words.remove(0);
        Ok(words)
    }

    /// The simple command from a lexeme on to here.
    pub fn segment(&self, from: usize) -> Parsed<Read> {
        let lexemes = self.lexemes.get(from..self.at).unwrap_or_default();
        let (Some(first), Some(last)) = (lexemes.first(), lexemes.last()) else { return self.fail("word") };
        let text = self.reader.code.get(first.start..last.end).unwrap_or_default();
        if !text.starts_with("[ ") {
            return self.read(text, first.start, lexemes, 0);
        }
        // Read as a command of another name, since the parser has a grammar of its own for tests.
        let (assignments, mut words, redirects) = self.read(&text.replacen('[', "_", 1), first.start, lexemes, 0)?;
        match words.pop() {
            Some(last) if last.raw == "]" && !words.is_empty() => words[0] = Word::plain("["),
            _ => return self.fail("]"),
        }
        Ok((assignments, words, redirects))
    }

    /// What the parser makes of a command's text. It must see as many words and redirections as there are, besides `more`.
    fn read(&self, text: &str, start: usize, lexemes: &[Lexeme], more: usize) -> Parsed<Read> {
        let bare: usize = lexemes.iter().map(|lexeme| lexeme.bare).sum();
        let tree = self.reader.bash.parse(text, bare)?;
        let segment = Segment { reader: self.reader, text, start };
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        for token in tokens(&tree)? {
            match token {
                Token::Word(node) => words.push(segment.word(node)?),
                Token::Assignment(node) if words.is_empty() => assignments.push(segment.assignment(node)?),
                Token::Assignment(node) => words.push(segment.word(node)?),
                Token::Redirect(node) => redirects.push(self.redirect(&segment, node)?),
            }
        }
        let count = |kind: Kind| lexemes.iter().filter(|lexeme| lexeme.kind == kind).count();
        let seen = assignments.len() + words.len() + redirects.len();
        match seen == count(Kind::Word) + more && redirects.len() == count(Kind::Redirect) {
            true => Ok((assignments, words, redirects)),
            false => Err(format!("it is not understood: {}", crate::text::shorten(text, 60))),
        }
    }

    fn redirect(&self, segment: &Segment<'_>, node: Node<'_>) -> Parsed<Redirect> {
        let parts = children(node);
        let descriptor = node.child_by_field_name("descriptor").and_then(|d| segment.text.get(d.byte_range()));
        let descriptor = match descriptor.map(str::parse) {
            Some(Ok(number)) => Some(number),
            Some(Err(_)) => return Err("a redirection to a named descriptor".into()),
            None => None,
        };
        let Some(sign) = parts.iter().find(|part| !part.is_named()) else { return self.fail("redirection") };
        let target = match node.child_by_field_name("destination") {
            Some(destination) if !sign.kind().ends_with('-') => segment.word(destination)?,
            None if sign.kind() == "<<<" => match parts.last() {
                Some(last) => segment.word(*last)?,
                None => return self.fail("word"),
            },
            _ => Word::plain("-"),
        };
        let number = target.literal().is_some_and(|text| text == "-" || text.chars().all(|c| c.is_ascii_digit()));
        let at = self.reader.base.wrapping_add(segment.start).wrapping_add(sign.start_byte());
        let operator = match sign.kind() {
            "<" => match self.reader.documents.iter().find(|document| document.at == at) {
                Some(document) => return self.document(descriptor, document),
                None => Operator::Read,
            },
            ">" | ">|" => Operator::Write,
            ">>" => Operator::Append,
            "&>" => Operator::Both { append: false },
            "&>>" => Operator::Both { append: true },
            ">&" if !number => Operator::Both { append: false },
            ">&" | "<&" | "<&-" | ">&-" => Operator::Duplicate,
            "<<<" => Operator::Text { literal: target.literal().map(|text| text + "\n") },
            _ => return self.fail("redirection"),
        };
        let descriptor = match sign.kind() {
            "<&" | "<&-" => descriptor.or(Some(0)),
            _ => descriptor,
        };
        Ok(Redirect { descriptor, operator, target })
    }

    /// A here-document: its body is text, save for the substitutions that expanding it performs.
    fn document(&self, descriptor: Option<u32>, document: &Document) -> Parsed<Redirect> {
        let mut target = Word::default();
        if document.expands {
            let reader = Reader { documents: &[], code: &document.body, ..self.reader };
            target.substitutions = reader.substitutions(&document.body, 0)?;
        }
        let expands = document.expands && document.body.contains(['$', '`', '\\']);
        let literal = (!expands).then(|| document.body.clone());
        target.parts.push(literal.clone().map_or(Part::Opaque, Part::Text));
        Ok(Redirect { descriptor, operator: Operator::Text { literal }, target })
    }
}
