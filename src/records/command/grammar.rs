//! Bash's grammar over the lexemes: lists, pipelines, compound commands, functions. By hand, a function for each rule.

use super::lexer::{Kind, Lexeme, lex, substitutions};
use super::lift::{Document, lift};
use super::parser::Bash;
use super::syntax::{
    Arm, Command, Item, Join, LoopKind, Operator, Pipeline, Redirect, Script, Shape, Substitution, SubstitutionKind,
    Word,
};

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
    pub fn substitutions(&self, text: &str, start: usize) -> Parsed<Vec<Substitution>> {
        let one = |(from, to): (usize, usize)| {
            let script = self.inside(text.get(from..to).unwrap_or_default(), start + from)?;
            Ok(Substitution { kind: SubstitutionKind::Command, script, whole: false })
        };
        substitutions(text)?.into_iter().map(one).collect()
    }
}

pub struct Parser<'a> {
    pub reader: Reader<'a>,
    pub lexemes: &'a [Lexeme],
    pub at: usize,
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

    pub fn fail<T>(&self, wanted: &str) -> Parsed<T> {
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
}
