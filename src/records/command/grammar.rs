//! Bash's grammar over the lexemes: lists, pipelines, compound commands, functions. By hand, a function for each rule.

use tree_sitter::Node;

use super::lexer::{Kind, Lexeme, lex, substitutions};
use super::lift::{Document, lift};
use super::parser::{Bash, Token, children, tokens};
use super::syntax::{
    Arm, Command, Item, Join, LoopKind, Operator, Part, Pipeline, Redirect, Script, Shape, Substitution,
    SubstitutionKind, Word,
};
use super::word::Segment;

/// Deepest nesting of commands in commands, and of substitutions in substitutions (each reads its text again).
const MAX_DEPTH: usize = 24;
const MAX_SUBSTITUTIONS: usize = 8;

/// Reads a line of bash.
pub fn script(source: &str) -> Parsed<Script> {
    let lifted = lift(source)?;
    let bash = Bash::new()?;
    Reader { bash: &bash, code: &lifted.code, base: 0, documents: &lifted.documents, depth: 0 }.script()
}

/// A text, and where it stands in the line.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub bash: &'a Bash,
    pub code: &'a str,
    pub base: usize,
    pub documents: &'a [Document],
    pub depth: usize,
}

impl<'a> Reader<'a> {
    fn script(&self) -> Parsed<Script> {
        let lexemes = lex(self.code)?;
        let mut parser = Parser { reader: *self, lexemes: &lexemes, at: 0 };
        let script = parser.script(0)?;
        match parser.peek() {
            None => Ok(script),
            Some(lexeme) => Err(format!("it is not bash at byte {}", self.base + lexeme.start)),
        }
    }

    /// The script in a substitution that begins at `start` of this text.
    pub fn inside(&self, code: &str, start: usize) -> Parsed<Script> {
        match self.depth < MAX_SUBSTITUTIONS {
            true => Reader { code, base: self.base.wrapping_add(start), depth: self.depth + 1, ..*self }.script(),
            false => Err(format!("substitutions nested deeper than {MAX_SUBSTITUTIONS}")),
        }
    }

    /// The substitutions in text that is not parsed: arithmetic, tests, here-documents.
    fn substitutions(&self, text: &str, start: usize) -> Parsed<Vec<Substitution>> {
        let one = |(from, to): (usize, usize)| {
            let script = self.inside(text.get(from..to).unwrap_or_default(), start + from)?;
            Ok(Substitution { kind: SubstitutionKind::Command, script, whole: false })
        };
        substitutions(text)?.into_iter().map(one).collect()
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    lexemes: &'a [Lexeme],
    at: usize,
}

pub type Parsed<T> = Result<T, String>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Lexeme> {
        self.lexemes.get(self.at)
    }

    fn kind(&self) -> Option<Kind> {
        self.peek().map(|lexeme| lexeme.kind)
    }

    fn text_at(&self, at: usize) -> &'a str {
        self.lexemes.get(at).and_then(|lexeme| self.reader.code.get(lexeme.start..lexeme.end)).unwrap_or_default()
    }

    /// The operator, or the reserved word if it stands where one is looked for (unquoted), that comes next.
    fn symbol(&self) -> &'a str {
        match self.kind() {
            Some(Kind::Operator | Kind::Word) => self.text_at(self.at),
            Some(Kind::Newline) => "\n",
            _ => "",
        }
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.symbol() == symbol;
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, symbol: &str) -> Parsed<()> {
        if self.take(symbol) { Ok(()) } else { self.fail(symbol) }
    }

    fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let at = self.peek().map_or(self.reader.code.len(), |lexeme| lexeme.start);
        Err(format!("it is not bash: no `{wanted}` at byte {}", self.reader.base + at))
    }

    fn lines(&mut self) {
        while self.take("\n") {}
    }

    /// Commands up to a word or operator that ends them.
    fn script(&mut self, depth: usize) -> Parsed<Script> {
        if depth > MAX_DEPTH {
            return Err(format!("commands nested deeper than {MAX_DEPTH}"));
        }
        let mut script = Script::default();
        loop {
            self.lines();
            if self.at_end() {
                return Ok(script);
            }
            let first = self.pipeline(depth)?;
            let mut rest = Vec::new();
            loop {
                let join = match self.symbol() {
                    "&&" => Join::And,
                    "||" => Join::Or,
                    _ => break,
                };
                self.at += 1;
                self.lines();
                rest.push((join, self.pipeline(depth)?));
            }
            let background = self.symbol() == "&";
            script.items.push(Item { first, rest, background });
            if !(self.take("&") || self.take(";") || self.take("\n")) {
                return Ok(script);
            }
        }
    }

    /// Commands where bash wants at least one.
    fn body(&mut self, depth: usize) -> Parsed<Script> {
        let script = self.script(depth)?;
        if script.items.is_empty() { self.fail("command") } else { Ok(script) }
    }

    fn at_end(&self) -> bool {
        let ends = ["", "then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&"];
        match self.kind() {
            None => true,
            Some(Kind::Operator | Kind::Word) => ends.contains(&self.symbol()),
            Some(_) => false,
        }
    }

    fn pipeline(&mut self, depth: usize) -> Parsed<Pipeline> {
        let (mut negated, mut timed) = (false, false);
        loop {
            match self.symbol() {
                "!" => negated = !negated,
                "time" => {
                    timed = true;
                    self.at += usize::from(self.text_at(self.at + 1) == "-p");
                }
                _ => break,
            }
            self.at += 1;
        }
        let mut commands = vec![self.command(depth)?];
        while matches!(self.symbol(), "|" | "|&") {
            if self.symbol() == "|&"
                && let Some(last) = commands.last_mut()
            {
                let target = Word::plain("1");
                last.redirects.push(Redirect { descriptor: Some(2), operator: Operator::Duplicate, target });
            }
            self.at += 1;
            self.lines();
            commands.push(self.command(depth)?);
        }
        Ok(Pipeline { negated, timed, commands })
    }

    fn command(&mut self, depth: usize) -> Parsed<Command> {
        let Some(first) = self.peek() else { return self.fail("command") };
        let shape = match first.kind {
            Kind::Test | Kind::Arithmetic => {
                let text = self.text_at(self.at);
                self.at += 1;
                let substitutions = self.reader.substitutions(text, first.start)?;
                Some(Shape::Test { text: text.to_owned(), substitutions })
            }
            Kind::Operator | Kind::Word => self.compound(depth)?,
            Kind::Redirect | Kind::Newline => None,
        };
        let (shape, redirects) = match shape {
            None => self.simple()?,
            Some(shape @ Shape::Function { .. }) => (shape, Vec::new()),
            Some(shape) => {
                let redirects = self.at;
                while self.kind() == Some(Kind::Redirect) {
                    self.redirection()?;
                }
                (shape, if self.at == redirects { Vec::new() } else { self.segment(redirects)?.2 })
            }
        };
        let end = self.lexemes.get(self.at.saturating_sub(1)).map_or(first.start, |lexeme| lexeme.end);
        Ok(Command { shape, redirects, span: (self.reader.base + first.start, self.reader.base + end) })
    }

    /// A compound command or a function definition, if that is what comes next.
    fn compound(&mut self, depth: usize) -> Parsed<Option<Shape>> {
        let word = self.symbol();
        let after = (self.text_at(self.at + 1), self.text_at(self.at + 2));
        if word != "function" && !word.is_empty() && after == ("(", ")") && self.is_word() {
            self.at += 3;
            return self.function(word, depth).map(Some);
        }
        let depth = depth + 1;
        self.at += 1;
        Ok(Some(match word {
            "{" => {
                let body = self.body(depth)?;
                self.need("}")?;
                Shape::Group(body)
            }
            "(" => {
                let body = self.body(depth)?;
                self.need(")")?;
                Shape::Subshell(body)
            }
            "if" => self.conditional(depth)?,
            "while" | "until" => {
                let condition = self.body(depth)?;
                let kind = if word == "while" { LoopKind::While(condition) } else { LoopKind::Until(condition) };
                Shape::Loop { kind, body: self.do_group(depth)? }
            }
            "for" | "select" => {
                let kind = self.each()?;
                let body = self.do_group(depth)?;
                Shape::Loop { kind, body }
            }
            "case" => self.case(depth)?,
            "function" => {
                let name = self.symbol();
                self.at += 1;
                if self.take("(") {
                    self.need(")")?;
                }
                self.function(name, depth)?
            }
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        }))
    }

    fn is_word(&self) -> bool {
        self.kind() == Some(Kind::Word)
    }

    fn function(&mut self, name: &str, depth: usize) -> Parsed<Shape> {
        self.lines();
        let body = self.command_in(depth + 1)?;
        match body.shape {
            Shape::Simple { .. } | Shape::Function { .. } => self.fail("{"),
            _ => Ok(Shape::Function { name: name.to_owned(), body: Box::new(body) }),
        }
    }

    fn command_in(&mut self, depth: usize) -> Parsed<Command> {
        match depth > MAX_DEPTH {
            true => Err(format!("commands nested deeper than {MAX_DEPTH}")),
            false => self.command(depth),
        }
    }

    fn conditional(&mut self, depth: usize) -> Parsed<Shape> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body(depth)?;
            self.need("then")?;
            branches.push((condition, self.body(depth)?));
            if !self.take("elif") {
                break;
            }
        }
        let otherwise = if self.take("else") { Some(self.body(depth)?) } else { None };
        self.need("fi")?;
        Ok(Shape::If { branches, otherwise })
    }

    fn do_group(&mut self, depth: usize) -> Parsed<Script> {
        self.take(";");
        self.lines();
        let close = if self.take("{") { "}" } else { "done" };
        if close == "done" {
            self.need("do")?;
        }
        let body = self.body(depth)?;
        self.need(close)?;
        Ok(body)
    }

    fn each(&mut self) -> Parsed<LoopKind> {
        if self.kind() == Some(Kind::Arithmetic) {
            let (text, start) = (self.text_at(self.at), self.lexemes[self.at].start);
            self.at += 1;
            return Ok(LoopKind::Count(self.reader.substitutions(text, start)?));
        }
        let name = self.symbol().to_owned();
        self.at += 1;
        self.lines();
        if !self.take("in") {
            return Ok(LoopKind::For { name, list: None });
        }
        let from = self.at;
        while self.is_word() {
            self.at += 1;
        }
        Ok(LoopKind::For { name, list: Some(self.words(from)?) })
    }

    fn case(&mut self, depth: usize) -> Parsed<Shape> {
        if !self.is_word() {
            return self.fail("word");
        }
        self.at += 1;
        let Some(word) = self.words(self.at - 1)?.pop() else { return self.fail("word") };
        self.lines();
        self.need("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.take("esac") {
                return Ok(Shape::Case { word, arms });
            }
            self.take("(");
            let mut any = false;
            loop {
                if !self.is_word() {
                    return self.fail("pattern");
                }
                any |= self.symbol() == "*";
                self.at += 1;
                if !self.take("|") {
                    break;
                }
            }
            self.need(")")?;
            let body = self.script(depth)?;
            let falls = matches!(self.symbol(), ";&" | ";;&");
            arms.push(Arm { body, any, falls });
            if falls || self.symbol() == ";;" {
                self.at += 1;
            } else if self.symbol() != "esac" {
                return self.fail("esac");
            }
        }
    }

    /// The words from a lexeme on to here, which are arguments: nothing in them is a name or an assignment.
    fn words(&self, from: usize) -> Parsed<Vec<Word>> {
        let lexemes = &self.lexemes[from..self.at];
        let (Some(first), Some(last)) = (lexemes.first(), lexemes.last()) else { return Ok(Vec::new()) };
        // Behind a command's name, that is how they are read.
        let text = format!("_ {}", self.reader.code.get(first.start..last.end).unwrap_or_default());
        let start = first.start.wrapping_sub(2);
        let (_, mut words, _) = self.read(&text, start, lexemes, 1)?;
        words.remove(0);
        Ok(words)
    }

    fn redirection(&mut self) -> Parsed<()> {
        self.at += 1;
        if !self.is_word() {
            return self.fail("word");
        }
        self.at += 1;
        Ok(())
    }

    fn simple(&mut self) -> Parsed<(Shape, Vec<Redirect>)> {
        let begin = self.at;
        while let Some(kind) = self.kind() {
            match kind {
                Kind::Word => self.at += 1,
                Kind::Redirect => self.redirection()?,
                Kind::Operator | Kind::Newline => break,
                Kind::Test | Kind::Arithmetic => return self.fail("operator"),
            }
        }
        if self.at == begin || self.symbol() == "(" {
            return self.fail("command");
        }
        let (assignments, words, redirects) = self.segment(begin)?;
        Ok((Shape::Simple { assignments, words }, redirects))
    }

    /// The simple command from a lexeme on to here.
    fn segment(&self, from: usize) -> Parsed<Read> {
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

type Read = (Vec<super::syntax::Assignment>, Vec<Word>, Vec<Redirect>);
