//! What a command runs in: what its shell remembers, and what surrounds it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::sink::Sink;
use super::syntax::{Command, Redirect, Word};
use crate::records::invocation::Dir;

#[derive(Debug)]
pub struct Function {
    pub body: Command,
    /// It is defined for certain where it can be called.
    pub sure: bool,
}

/// What a shell remembers. A subshell gets a copy.
#[derive(Debug, Clone)]
pub struct Shell {
    pub dir: Dir,
    pub previous: Dir,
    pub stack: Vec<Dir>,
    pub functions: BTreeMap<String, Rc<Function>>,
    /// Variables whose text is known.
    pub values: BTreeMap<String, String>,
    pub exported: Vec<(String, Word)>,
    /// Variables that hold no result worth reading: numbers, dates, names.
    pub plain: BTreeSet<String>,
    /// `"$@"`, inside a function.
    pub arguments: Option<Vec<Word>>,
    /// Jobs that this shell has started.
    pub jobs: Vec<usize>,
    pub last_job: Option<usize>,
    pub job_names: BTreeMap<String, usize>,
    /// `exec > file`: nothing is shown any more.
    pub silenced: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Shell {
            dir: Dir::Start,
            previous: Dir::Unknown,
            stack: Vec::new(),
            functions: BTreeMap::new(),
            values: BTreeMap::new(),
            exported: Vec::new(),
            plain: BTreeSet::new(),
            arguments: None,
            jobs: Vec::new(),
            last_job: None,
            job_names: BTreeMap::new(),
            silenced: false,
        }
    }
}

/// What surrounds a command.
#[derive(Debug, Clone)]
pub struct Scope {
    pub out: Sink,
    pub err: Sink,
    pub via: Vec<String>,
    pub codes: Vec<u8>,
    pub environment: Vec<(String, Word)>,
    pub elsewhere: Option<String>,
    pub loops: Vec<u32>,
    /// Pipelines it is part of, and as which part.
    pub pipelines: Vec<(u32, usize)>,
    pub jobs: Vec<usize>,
    /// Where the outermost command stands, inside a nested script.
    pub span: Option<(usize, usize)>,
    /// It runs if the script gets this far.
    pub sure: bool,
    pub in_function: bool,
    /// It is inside a loop that it can leave.
    pub breaks: bool,
    /// It runs when the shell ends.
    pub late: bool,
    /// Its input is a pipe.
    pub fed: bool,
    /// It is by itself a part of a pipeline, or a job.
    pub piece: bool,
    /// Its own redirections write a file.
    pub writes: bool,
    /// What its standard input holds, if that is known.
    pub input: Option<String>,
    /// Its own redirections of standard input.
    pub inputs: Vec<Redirect>,
    /// The program's name is looked up by a tool, not by the shell.
    pub resolved: bool,
    /// It is run by a program: the shell's own `echo` is not meant.
    pub wrapped: bool,
}

impl Scope {
    pub fn top() -> Scope {
        Scope {
            out: Sink::shown(),
            err: Sink::shown(),
            via: Vec::new(),
            codes: Vec::new(),
            environment: Vec::new(),
            elsewhere: None,
            loops: Vec::new(),
            pipelines: Vec::new(),
            jobs: Vec::new(),
            span: None,
            sure: true,
            in_function: false,
            breaks: false,
            late: false,
            fed: false,
            piece: false,
            writes: false,
            input: None,
            inputs: Vec::new(),
            resolved: false,
            wrapped: false,
        }
    }

    /// The same, where commands may or may not be reached.
    pub fn unsure(&self) -> Scope {
        Scope { sure: false, ..self.clone() }
    }
}
