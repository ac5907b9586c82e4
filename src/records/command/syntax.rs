//! A shell script as plain data: what the grammar of bash makes of the words and operators that the parser found.

/// Commands one after another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub first: Pipeline,
    /// What follows by `&&` or `||`, left to right with equal rank.
    pub rest: Vec<(Join, Pipeline)>,
    /// It ends with `&`.
    pub background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    And,
    Or,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// Preceded by `!`, an odd number of times.
    pub negated: bool,
    /// Preceded by the keyword `time`.
    pub timed: bool,
    pub commands: Vec<Command>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub shape: Shape,
    pub redirects: Vec<Redirect>,
    /// Byte range in the code it was read from.
    pub span: (usize, usize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Assignments and words; either may be empty.
    Simple {
        assignments: Vec<Assignment>,
        words: Vec<Word>,
    },
    /// `[ … ]`, `[[ … ]]` or `(( … ))`: the text inside, and what it substitutes.
    Test {
        text: String,
        substitutions: Vec<Substitution>,
    },
    Group(Script),
    Subshell(Script),
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    Loop {
        kind: LoopKind,
        body: Script,
    },
    Case {
        word: Word,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Box<Command>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum LoopKind {
    While(Script),
    Until(Script),
    /// `for NAME in …`, `select`; `None` is `"$@"`.
    For {
        name: String,
        list: Option<Vec<Word>>,
    },
    /// `for ((…))`, and what its arithmetic substitutes.
    Count(Vec<Substitution>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    pub body: Script,
    /// One of its patterns is a bare `*`.
    pub any: bool,
    /// It ends with `;&` or `;;&`.
    pub falls: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

/// One word, before expansion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Word {
    /// As written.
    pub raw: String,
    pub parts: Vec<Part>,
    /// A glob, a tilde or a brace expansion: even without variables, not what the program gets.
    pub pattern: bool,
    pub substitutions: Vec<Substitution>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Quotes and escapes removed.
    Text(String),
    /// `$name` or `${name}`; also `?`, `!`, `@`, `1`, `PIPESTATUS[0]`.
    Variable { name: String, quoted: bool },
    /// Any other expansion.
    Opaque,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Substitution {
    pub kind: SubstitutionKind,
    pub script: Script,
    /// It is the whole word, in double quotes.
    pub whole: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubstitutionKind {
    /// `$(…)` and backticks.
    Command,
    /// `<(…)`: its output is read.
    Input,
    /// `>(…)`: it reads.
    Output,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Redirect {
    pub descriptor: Option<u32>,
    pub operator: Operator,
    pub target: Word,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// `<`
    Read,
    /// `>`, `>|`
    Write,
    /// `>>`
    Append,
    /// `&>`, `>&file`; `append`: `&>>`
    Both { append: bool },
    /// `2>&1`, `<&3`; the target is a descriptor or `-`.
    Duplicate,
    /// `<<<`, or a here-document. `literal` is its text, if nothing in it is expanded.
    Text { literal: Option<String> },
}

impl Word {
    /// What the program gets, if that is what stands here.
    pub fn literal(&self) -> Option<String> {
        if self.pattern {
            return None;
        }
        self.parts.iter().try_fold(String::new(), |text, part| match part {
            Part::Text(more) => Some(text + more),
            _ => None,
        })
    }

    pub fn plain(text: &str) -> Word {
        Word { raw: text.to_owned(), parts: vec![Part::Text(text.to_owned())], ..Word::default() }
    }

    /// The name of the variable that is the whole of it: `$?`, `"${rc}"`.
    pub fn variable(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Variable { name, .. }] if !self.pattern => Some(name),
            _ => None,
        }
    }

    /// `NAME=value`, read as an assignment.
    pub fn assignment(&self) -> Option<Assignment> {
        let Some(Part::Text(text)) = self.parts.first() else { return None };
        let (name, rest) = text.split_once('=')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && self.raw.starts_with(name);
        let mut value = Word { raw: self.raw.get(name.len() + 1..)?.to_owned(), ..self.clone() };
        match rest {
            "" if value.parts.len() > 1 => drop(value.parts.remove(0)),
            rest => value.parts[0] = Part::Text(rest.to_owned()),
        }
        is_name.then(|| Assignment { name: name.to_owned(), value })
    }
}
