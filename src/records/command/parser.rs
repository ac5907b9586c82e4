//! tree-sitter-bash, on a short leash. It is shown one simple command at a time, for its words, quotes, expansions and
//! redirections.
//!
//! Not for more, because its statements differ from bash's without saying so (`! a | b`, `a && b > log`, `a | b && c | d`
//! and `! { a; }` come out grouped wrongly, with no ERROR), and because it is not linear: 30 KB of `a=(`, `[a]` or `$[` keep
//! it busy for seconds, much of that between two of its progress callbacks. So its effort is bounded three times: by
//! what [`super::scan`] lets through, by the square of each command's length, and by a number of callbacks (not a time
//! limit: the same line must read the same on every machine).

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// One callback comes every 100 operations; 10 KiB of dense words take about 300.
const MAX_CALLBACKS: usize = 1000;
/// Sum of the squares of the commands' lengths, quotes and blanks left out: one of 2,000 bytes, or 400 of 100.
const MAX_EFFORT: usize = 4_000_000;

/// Sum of the lengths, and how many commands.
const MAX_BYTES: usize = 12_000;
const MAX_PARSES: usize = 300;

pub struct Bash {
    parser: RefCell<Parser>,
    effort: Cell<usize>,
    bytes: Cell<usize>,
    parses: Cell<usize>,
}

impl Bash {
    pub fn new() -> Result<Bash, String> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|error| format!("no bash grammar: {error}"))?;
        Ok(Bash { parser: RefCell::new(parser), effort: Cell::new(0), bytes: Cell::new(0), parses: Cell::new(0) })
    }

    /// The tree of one simple command, of which `bare` bytes are neither quoted nor blank.
    pub fn parse(&self, code: &str, bare: usize) -> Result<Tree, String> {
        self.effort.set(self.effort.get().saturating_add(bare.saturating_mul(bare)));
        self.bytes.set(self.bytes.get().saturating_add(bare));
        self.parses.set(self.parses.get() + 1);
        if self.parses.get() > MAX_PARSES || self.effort.get() > MAX_EFFORT || self.bytes.get() > MAX_BYTES {
            return Err("the command line takes too long to parse".into());
        }
        let mut callbacks = 0;
        let mut progress = |_: &ParseState| {
            callbacks += 1;
            if callbacks > MAX_CALLBACKS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = code.as_bytes();
        let mut text = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let mut parser = self.parser.borrow_mut();
        let tree = parser.parse_with_options(&mut text, None, Some(options));
        // A parser that was stopped would go on from there.
        parser.reset();
        match tree {
            Some(tree) if !tree.root_node().has_error() || only_nameless(tree.root_node()) => Ok(tree),
            Some(_) => Err(format!("it is not understood: {}", crate::text::shorten(code, 60))),
            None => Err("the command line takes too long to parse".into()),
        }
    }
}

/// The one error that is none: in `x=$(a) 2>&1` the parser misses a command's name, and all the rest is right.
fn only_nameless(root: Node<'_>) -> bool {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.is_error() || (node.is_missing() && node.parent().is_none_or(|parent| parent.kind() != "command_name"))
        {
            return false;
        }
        if node.has_error() {
            stack.extend(children(node));
        }
    }
    true
}

/// What a simple command is made of.
pub enum Token<'t> {
    Word(Node<'t>),
    Assignment(Node<'t>),
    Redirect(Node<'t>),
}

const COMMANDS: &[&str] = &[
    "command",
    "command_name",
    "declaration_command",
    "program",
    "redirected_statement",
    "unset_command",
    "variable_assignments",
];

/// Operators and the like: where one shows up, the parser has seen more than a simple command.
const FOREIGN: &[&str] = &["&&", "||", "|", "|&", ";", "&", "(", ")", ";;", "\n", "((", "))", "[[", "]]", "`", "$("];

/// The tokens of a simple command's tree, in order.
pub fn tokens(tree: &Tree) -> Result<Vec<Token<'_>>, String> {
    let mut out = Vec::new();
    let mut stack = vec![tree.root_node()];
    while let Some(node) = stack.pop() {
        match node.kind() {
            _ if node.is_missing() => {}
            kind if COMMANDS.contains(&kind) => stack.extend(children(node).into_iter().rev()),
            "variable_assignment" => out.push(Token::Assignment(node)),
            "herestring_redirect" => out.push(Token::Redirect(node)),
            "file_redirect" => {
                out.push(Token::Redirect(node));
                // `> log --lib`: only the first word is where it goes; the others are arguments.
                let closes = node.children(&mut node.walk()).any(|child| child.kind().ends_with('-'));
                let mut cursor = node.walk();
                let others = node.children_by_field_name("destination", &mut cursor);
                out.extend(others.skip(usize::from(!closes)).map(Token::Word));
            }
            kind if kind.ends_with("_statement") || kind.ends_with("_definition") || FOREIGN.contains(&kind) => {
                return Err(format!("it is not understood at `{kind}`"));
            }
            "list" | "pipeline" | "subshell" | "test_command" | "negated_command" | "comment" | "ERROR" => {
                return Err(format!("it is not understood as a simple command: {}", node.kind()));
            }
            _ => out.push(Token::Word(node)),
        }
    }
    Ok(out)
}

pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}
