//! The syntax tree, flattened to what bash's own grammar is made of: words, assignments, redirections, operators, line ends.
//!
//! The statement structure of tree-sitter-bash is not used. It differs from bash's without saying so: `! a | b`,
//! `a && b > log`, `a | b && c | d` and `! { a; }` come out grouped wrongly, with no ERROR. Its words, quotes and
//! substitutions are right, so [`super::grammar`] groups them anew. That also tells harmless ERROR nodes from the
//! rest: every byte must belong to a token that is understood, or be blank.

use tree_sitter::Node;

#[derive(Debug, Clone)]
pub struct Token<'t> {
    pub kind: Kind<'t>,
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone)]
pub enum Kind<'t> {
    Word(Node<'t>),
    Assignment(Node<'t>),
    Redirect(Node<'t>),
    /// `[ … ]`, `[[ … ]]`.
    Test(Node<'t>),
    /// `(( … ))`; the nodes inside.
    Arithmetic(Vec<Node<'t>>),
    /// An operator or a reserved word; its text stands in the code.
    Symbol,
    Newline,
}

/// Most tokens on one level.
const MAX_TOKENS: usize = 6000;

const STATEMENTS: &[&str] = &[
    "ERROR",
    "c_style_for_statement",
    "case_item",
    "case_statement",
    "command",
    "command_name",
    "compound_statement",
    "declaration_command",
    "do_group",
    "elif_clause",
    "else_clause",
    "for_statement",
    "function_definition",
    "if_statement",
    "list",
    "negated_command",
    "pipeline",
    "program",
    "redirected_statement",
    "subshell",
    "unset_command",
    "variable_assignments",
    "while_statement",
];

const WORDS: &[&str] = &[
    "ansi_c_string",
    "arithmetic_expansion",
    "brace_expression",
    "command_substitution",
    "concatenation",
    "expansion",
    "extglob_pattern",
    "number",
    "process_substitution",
    "raw_string",
    "regex",
    "simple_expansion",
    "special_variable_name",
    "string",
    "test_operator",
    "translated_string",
    "variable_name",
    "word",
];

/// Every token of `nodes`, which together cover `from..to` of `code`.
pub fn tokens<'t>(nodes: Vec<Node<'t>>, code: &str, from: usize, to: usize) -> Result<Vec<Token<'t>>, String> {
    let mut out: Vec<Token<'t>> = Vec::new();
    let mut at = from;
    let mut stack = nodes;
    stack.reverse();
    while let Some(node) = stack.pop() {
        if node.is_missing() {
            return Err(format!("it is not bash: something is missing at byte {}", node.start_byte()));
        }
        if STATEMENTS.contains(&node.kind()) && !is_arithmetic(node) {
            let children = children(node);
            let opens = children.iter().position(|child| child.kind() == "((");
            stack.extend(children.into_iter().rev());
            if node.kind() == "c_style_for_statement" && opens.is_none() {
                return Err("a loop that is not understood".into());
            }
            continue;
        }
        if node.start_byte() < at || out.len() == MAX_TOKENS {
            return Err("the command line has too many words".into());
        }
        let lines = blank(code.get(at..node.start_byte()).unwrap_or("?"))?;
        at = node.end_byte();
        if node.kind() == "comment" {
            if lines {
                push(&mut out, Token { kind: Kind::Newline, start: node.start_byte(), end: node.start_byte() }, code)?;
            }
            continue;
        }
        if lines {
            push(&mut out, Token { kind: Kind::Newline, start: node.start_byte(), end: node.start_byte() }, code)?;
        }
        let (kind, end) = match node.kind() {
            kind if WORDS.contains(&kind) => (Kind::Word(node), at),
            "variable_assignment" => (Kind::Assignment(node), at),
            "test_command" => (Kind::Test(node), at),
            "herestring_redirect" => (Kind::Redirect(node), at),
            "file_redirect" => {
                // `> log --lib`: only the first word is where it goes; the others are arguments.
                let (end, others) = first_destination(node);
                stack.extend(others.into_iter().rev());
                at = end;
                (Kind::Redirect(node), end)
            }
            "compound_statement" => (Kind::Arithmetic(children(node)), at),
            "((" => {
                let mut inside = Vec::new();
                loop {
                    let Some(next) = stack.pop() else { return Err("`((` is not closed".into()) };
                    if next.kind() == "))" {
                        at = next.end_byte();
                        break;
                    }
                    inside.push(next);
                }
                (Kind::Arithmetic(inside), at)
            }
            kind if !node.is_named() && !is_delimiter(kind) => (Kind::Symbol, at),
            kind => return Err(format!("it is not understood at byte {} ({kind})", node.start_byte())),
        };
        push(&mut out, Token { kind, start: node.start_byte(), end }, code)?;
    }
    if blank(code.get(at..to).unwrap_or("?"))? {
        push(&mut out, Token { kind: Kind::Newline, start: to, end: to }, code)?;
    }
    Ok(out)
}

pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// Two words must be apart: what bash would read as one word must not have come out as two (a continued line can do that).
fn push<'t>(out: &mut Vec<Token<'t>>, token: Token<'t>, code: &str) -> Result<(), String> {
    let word = |kind: &Kind<'_>| matches!(kind, Kind::Word(_) | Kind::Assignment(_) | Kind::Test(_));
    if let Some(last) = out.last()
        && word(&last.kind)
        && word(&token.kind)
        && code.get(last.end..token.start).is_none_or(|gap| gap.replace("\\\n", "").is_empty())
    {
        return Err(format!("a word is broken in two at byte {}", token.start));
    }
    out.push(token);
    Ok(())
}

fn is_arithmetic(node: Node<'_>) -> bool {
    node.kind() == "compound_statement" && node.child(0).is_some_and(|child| child.kind() == "((")
}

/// Where quotes or substitutions lie open, nothing after them is sure.
fn is_delimiter(kind: &str) -> bool {
    kind.starts_with(['"', '\'', '`', '$'])
        || matches!(kind, "<(" | ">(" | "<<" | "<<-" | "<<<" | "[" | "]" | "[[" | "]]")
}

fn first_destination(redirect: Node<'_>) -> (usize, Vec<Node<'_>>) {
    let closes = redirect.children(&mut redirect.walk()).any(|child| matches!(child.kind(), "<&-" | ">&-"));
    let mut destinations = redirect.children_by_field_name("destination", &mut redirect.walk()).collect::<Vec<_>>();
    if destinations.len() < 2 && !closes {
        return (redirect.end_byte(), Vec::new());
    }
    let others = destinations.split_off(usize::from(!closes).min(destinations.len()));
    let end = match destinations.first() {
        Some(first) => first.end_byte(),
        None => redirect
            .child(redirect.child_count().saturating_sub(1 + others.len()) as u32)
            .map_or(redirect.end_byte(), |c| c.end_byte()),
    };
    (end, others)
}

/// Whether a gap between tokens has a line end in it. A gap is blank space and continued lines; anything else there was
/// skipped by the parser.
fn blank(gap: &str) -> Result<bool, String> {
    let mut lines = false;
    let mut chars = gap.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {}
            '\n' => lines = true,
            '\\' if chars.next() == Some('\n') => {}
            _ => return Err("part of the command line is not understood".into()),
        }
    }
    Ok(lines)
}
