//! Bash's grammar over the tokens: lists, pipelines, compound commands, functions. By hand, a function for each rule.

use tree_sitter::Node;

use super::bounds;
use super::lift::{Document, lift};
use super::syntax::{
    Arm, Command, Item, Join, LoopKind, Operator, Part, Pipeline, Redirect, Script, Shape, Substitution, Word,
};
use super::token::{Kind, Token, children, tokens};

/// Deepest nesting of commands in commands.
const MAX_DEPTH: usize = 24;

/// Reads a line of bash.
pub fn script(source: &str) -> Result<Script, String> {
    let lifted = lift(source)?;
    let tree = bounds::parse(&lifted.code)?;
    let reader = Reader { code: &lifted.code, documents: &lifted.documents, depth: 0 };
    reader.script_of(vec![tree.root_node()], 0, lifted.code.len())
}

/// What tokens are read against.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub code: &'a str,
    pub documents: &'a [Document],
    pub depth: usize,
}

impl Reader<'_> {
    pub fn text(&self, node: Node<'_>) -> &str {
        self.code.get(node.byte_range()).unwrap_or_default()
    }

    pub fn deeper(&self) -> Result<Self, String> {
        match self.depth < MAX_DEPTH {
            true => Ok(Reader { depth: self.depth + 1, ..*self }),
            false => Err(format!("commands nested deeper than {MAX_DEPTH}")),
        }
    }

    /// The script that `nodes` are, which must be all there is between the two offsets.
    pub fn script_of(&self, nodes: Vec<Node<'_>>, from: usize, to: usize) -> Result<Script, String> {
        let tokens = tokens(nodes, self.code, from, to)?;
        let mut parser = Parser { reader: *self, tokens: &tokens, at: 0 };
        let script = parser.script(self.depth)?;
        match parser.peek() {
            None => Ok(script),
            Some(token) => Err(format!("it is not bash at byte {}", token.start)),
        }
    }
}

struct Parser<'a, 't> {
    reader: Reader<'a>,
    tokens: &'a [Token<'t>],
    at: usize,
}

type Parsed<T> = Result<T, String>;

impl<'a, 't> Parser<'a, 't> {
    fn peek(&self) -> Option<&'a Token<'t>> {
        self.tokens.get(self.at)
    }

    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).and_then(|token| self.reader.code.get(token.start..token.end)).unwrap_or_default()
    }

    /// The operator, or the reserved word if it stands where one is looked for (unquoted), that comes next.
    fn symbol(&self) -> &'a str {
        match self.peek().map(|token| &token.kind) {
            Some(Kind::Symbol | Kind::Word(_)) => self.text_at(self.at),
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
        let at = self.peek().map_or(self.reader.code.len(), |token| token.start);
        Err(format!("it is not bash: no `{wanted}` at byte {at}"))
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
        match self.peek().map(|token| &token.kind) {
            None => true,
            Some(Kind::Symbol | Kind::Word(_)) => ends.contains(&self.symbol()),
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
        let start = first.start;
        let shape = match &first.kind {
            Kind::Test(node) => {
                self.at += 1;
                let substitutions = self.reader.substitutions(&children(*node))?;
                Some(Shape::Test { text: self.reader.text(*node).to_owned(), substitutions })
            }
            Kind::Arithmetic(nodes) => {
                self.at += 1;
                let text = self.reader.code.get(first.start..first.end).unwrap_or_default().to_owned();
                Some(Shape::Test { text, substitutions: self.reader.substitutions(nodes)? })
            }
            Kind::Symbol | Kind::Word(_) => self.compound(depth)?,
            _ => None,
        };
        let mut redirects = Vec::new();
        let shape = match shape {
            Some(Shape::Function { .. }) | None if self.at == self.tokens.len() => shape,
            Some(shape) => {
                while let Some(Kind::Redirect(node)) = self.peek().map(|token| &token.kind) {
                    redirects.push(self.redirect(*node)?);
                    self.at += 1;
                }
                Some(shape)
            }
            None => Some(self.simple(&mut redirects)?),
        };
        let Some(shape) = shape else { return self.fail("command") };
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |token| token.end);
        Ok(Command { shape, redirects, span: (start, end) })
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
        matches!(self.peek().map(|token| &token.kind), Some(Kind::Word(_)))
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
        if let Some(Kind::Arithmetic(nodes)) = self.peek().map(|token| &token.kind) {
            self.at += 1;
            return Ok(LoopKind::Count(self.reader.substitutions(nodes)?));
        }
        let name = self.symbol().to_owned();
        self.at += 1;
        self.lines();
        if !self.take("in") {
            return Ok(LoopKind::For { name, list: None });
        }
        let mut list = Vec::new();
        while let Some(word) = self.argument()? {
            list.push(word);
        }
        Ok(LoopKind::For { name, list: Some(list) })
    }

    fn case(&mut self, depth: usize) -> Parsed<Shape> {
        let Some(word) = self.argument()? else { return self.fail("word") };
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
                let Some(pattern) = self.argument()? else { return self.fail("pattern") };
                any |= pattern.raw == "*";
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

    /// The next token as a word, whatever it would be elsewhere (`echo if`, `env A=1`).
    fn argument(&mut self) -> Parsed<Option<Word>> {
        let Some(token) = self.peek() else { return Ok(None) };
        let word = match &token.kind {
            Kind::Word(node) | Kind::Assignment(node) => self.reader.word(*node)?,
            Kind::Test(node) => return Err(format!("a test among arguments at byte {}", node.start_byte())),
            Kind::Symbol => {
                let text = self.text_at(self.at);
                if !text.chars().all(|c| c.is_ascii_alphabetic() || "{}!=~$".contains(c)) {
                    return Ok(None);
                }
                Word::plain(text)
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(word))
    }

    fn simple(&mut self, redirects: &mut Vec<Redirect>) -> Parsed<Shape> {
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
        let begin = self.at;
        while let Some(token) = self.peek() {
            match &token.kind {
                Kind::Redirect(node) => {
                    redirects.push(self.redirect(*node)?);
                    self.at += 1;
                }
                Kind::Assignment(node) if words.is_empty() => {
                    assignments.push(self.reader.assignment(*node)?);
                    self.at += 1;
                }
                _ => match self.argument()? {
                    // The parser takes words after `! {` and `! if` for arguments.
                    Some(word) if words.is_empty() && word.assignment().is_some() => {
                        assignments.extend(word.assignment());
                    }
                    Some(word) if words.is_empty() && (word.raw.starts_with("[[") || word.raw.starts_with("((")) => {
                        return Err("a test that is not understood".into());
                    }
                    Some(word) => words.push(word),
                    None => break,
                },
            }
        }
        if self.at == begin || matches!(self.symbol(), "(") {
            return self.fail("command");
        }
        Ok(Shape::Simple { assignments, words })
    }

    fn redirect(&self, node: Node<'t>) -> Parsed<Redirect> {
        let reader = &self.reader;
        let parts = children(node);
        let descriptor = node.child_by_field_name("descriptor").map(|d| reader.text(d));
        let named = descriptor.is_some_and(|text| text.parse::<u32>().is_err());
        let descriptor = descriptor.and_then(|text| text.parse().ok());
        let Some(sign) = parts.iter().find(|part| !part.is_named()) else { return self.fail("redirection") };
        let target = match node.child_by_field_name("destination") {
            Some(destination) if !sign.kind().ends_with('-') => reader.word(destination)?,
            None if sign.kind() == "<<<" => match parts.last() {
                Some(last) => reader.word(*last)?,
                None => return self.fail("word"),
            },
            _ => Word::plain("-"),
        };
        if named {
            return Err("a redirection to a named descriptor".into());
        }
        let number = target.literal().is_some_and(|text| text == "-" || text.chars().all(|c| c.is_ascii_digit()));
        let operator = match sign.kind() {
            "<" => match reader.documents.iter().find(|document| document.at == sign.start_byte()) {
                Some(document) => return document_redirect(descriptor, document, reader),
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
}

/// A here-document: its body is text, save for the substitutions that expanding it performs.
fn document_redirect(descriptor: Option<u32>, document: &Document, reader: &Reader<'_>) -> Parsed<Redirect> {
    let expands = document.expands && document.body.contains(['$', '`', '\\']);
    let mut target = Word::default();
    if expands && (document.body.contains("$(") || document.body.contains('`')) {
        target.substitutions = body_substitutions(&document.body, reader)?;
    }
    let literal = (!expands).then(|| document.body.clone());
    target.parts.push(literal.clone().map_or(Part::Opaque, Part::Text));
    Ok(Redirect { descriptor, operator: Operator::Text { literal }, target })
}

fn body_substitutions(body: &str, reader: &Reader<'_>) -> Parsed<Vec<Substitution>> {
    let code = format!("cat <<deeds_end\n{body}deeds_end\n");
    let tree = bounds::parse(&code)?;
    Reader { code: &code, documents: &[], ..reader.deeper()? }.substitutions(&children(tree.root_node()))
}
