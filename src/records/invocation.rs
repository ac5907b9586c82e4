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
    /// Under `xargs` and `find -exec`, a word that is not literal stands for what they put there.
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
    /// It stands in a loop: it may have run, and printed, more than once.
    pub repeats: bool,
    pub status: Status,
    /// Statuses that a wrapper gives of its own accord (124 of `timeout`, 255 of `ssh`): seen, they are not the program's.
    pub wrapper_codes: Vec<u8>,
    /// The worse of [`Invocation::stdout`] and [`Invocation::stderr`]: no more than this is lost, wherever it prints.
    pub view: View,
    pub stdout: View,
    pub stderr: View,
    /// How many closing lines [`View::Tail`] kept (`tail -5`); `None`: enough, or not a tail.
    pub tail_lines: Option<u32>,
    /// Other commands of the line that print to the same output, and whether their text can stand before or after.
    pub foreign: Foreign,
    /// This program can change files or the checkout, as far as its name and arguments tell: `cat` cannot, `sed -i` can,
    /// and so can every program that is not known.
    pub changes: bool,
    /// Something later in the line can change files or the checkout (`git stash pop`, `rm`, `sed -i`, another program).
    pub then_changes: bool,
    /// Something earlier in the line can have changed files or the checkout.
    pub changed_before: bool,
    /// The part of `changed_before` and `then_changes` that comes from something else than another invocation of this
    /// script that stands before or after this one: a redirection into a file, a loop, the background. A caller who knows
    /// that some of the others (runners, say) are harmless recomputes: `elsewise.after`, or a later one that `changes`.
    pub elsewise: Elsewise,
    /// The simple command after unwrapping, words joined by one space, as a declared check is compared.
    pub text: String,
    /// Byte range of the simple command in the line as given (of the outermost wrapper where nested).
    pub span: (usize, usize),
}

/// What can change files around an invocation without being an invocation before or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Elsewise {
    pub before: bool,
    pub after: bool,
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
    /// `cd` here first: absolute, in the home directory (`~`, `~/x`), or relative to where the line began. `.` and `..` are
    /// resolved as `cd` does. In `cd x; program` it is taken that there is an `x`.
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

/// How the line's reported exit status relates to this program's own. Where the program would be started more than once
/// (a loop), "exited 0" is said of every time, and "its own N" of one of them.
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
    /// Its end (`| tail`): the closing total is kept, if it is no longer than [`Invocation::tail_lines`].
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
