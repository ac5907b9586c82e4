//! What a command line says about the programs in it. Plain data: [`super::command`] makes it, the runner table reads it.

/// A command line as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// In order of execution as far as the text tells.
    Script(Vec<Invocation>),
    /// Too large, too odd, or not bash; with the reason. Never a guess.
    CannotTell(String),
}

/// One program that the line would run, after unwrapping (`env`, `timeout`, `bash -lc`, `npx`, `python -m`, …).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program's base name: `cargo`, `pytest`. Text that is merely printed is never a program.
    pub program: String,
    pub args: Vec<Word>,
    /// Assignments in force for it (`CI=1`), in order.
    pub env: Vec<(String, Word)>,
    /// What it was unwrapped from, outermost first: `timeout`, `bash -lc`, `npx`, `python -m`.
    pub via: Vec<String>,
    /// Where it ran.
    pub dir: Dir,
    /// It ran on another machine or in a container: `ssh build-host`, `docker exec api`.
    pub elsewhere: Option<String>,
    pub reached: Reached,
    pub status: Status,
    pub view: View,
    /// Other commands of the line that print to the same output, and whether their text can stand before or after.
    pub foreign: Foreign,
    /// Something later in the line can change files or the checkout (`git stash pop`, `rm`, `sed -i`, another program).
    pub then_changes: bool,
    /// Something earlier in the line can have changed files or the checkout.
    pub changed_before: bool,
    /// The simple command after unwrapping, words joined by one space, as a declared check is compared.
    pub text: String,
    /// Byte range of the simple command in the line as given (of the outermost wrapper where nested).
    pub span: (usize, usize),
}

/// One word of a simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Quotes removed; where it has an expansion, the raw text.
    pub text: String,
    /// It has no expansion: what stands here is what the program got.
    pub literal: bool,
}

/// The directory of an invocation, relative to where the command line began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dir {
    /// Where the line began.
    Start,
    /// `cd` here first: absolute, or relative to where the line began, as written.
    To(String),
    /// A `cd` whose target is not literal, or that may not have happened.
    Unknown,
}

/// Whether the line's text alone shows that the program was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// It was started, whatever else happened (short of the shell itself being killed).
    Always,
    /// It depends on another command's status (`a && b`, `if`, a loop body, after `set -e`, a function body).
    Perhaps,
}

/// How the line's reported exit status relates to this program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// A reported 0 means: this program, if it was started, exited 0.
    pub zero: bool,
    /// A reported 0 means that it was started and exited 0.
    pub zero_ran: bool,
    /// A reported N other than 0 is this program's own N, provided that it was started.
    pub nonzero: bool,
    /// `! program`: a reported 0 means it exited non-zero, a reported 1 that it exited 0.
    pub inverted: bool,
}

impl Status {
    /// The reported status is this program's own.
    pub const OWN: Status = Status { zero: true, zero_ran: true, nonzero: true, inverted: false };
    /// The reported status says nothing about this program.
    pub const MASKED: Status = Status { zero: false, zero_ran: false, nonzero: false, inverted: false };
}

/// How much of what this program printed can be in the recorded output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// All of it (`tee` and `cat` pass everything).
    Whole,
    /// Its end (`| tail`): the closing total is kept.
    Tail,
    /// What a filter let through (`grep`, `sed`, `awk`, `head`, `wc`): a line may be missing or changed.
    Filtered,
    /// Nothing: sent to a file or `/dev/null`, captured by `$(…)`, or in the background.
    Hidden,
}

/// Whether other commands print where this one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Foreign {
    /// Text of another command may stand before this program's.
    pub before: bool,
    /// Text of another command may stand after it; `echo` of literal words that name no result does not count.
    pub after: bool,
}
