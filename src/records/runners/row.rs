//! What a row of the runners' table says: how the tool is called, what its words and options mean, how it closes, what
//! its exit codes mean.

use super::{Check, Scope};
use crate::records::invocation::Invocation;
use crate::records::summary::shapes::{self, Shape};
use crate::records::summary::{Report, Text};

/// One tool doing one kind of check. A newcomer writes `Row { …, ..ROW }`, and one fixture.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// As the folder of its fixtures is named.
    pub runner: &'static str,
    pub check: Check,
    pub calls: &'static [Call],
    /// Where the words alone do not tell: decides whether it is this check, and how much of it, once the call matched.
    pub own: Option<fn(&Invocation, &Row) -> Option<Scope>>,
    pub options: &'static [(&'static str, Opt)],
    /// What stands after `--`.
    pub after: After,
    pub words: Words,
    /// It is this check only with one of these.
    pub needs: &'static [&'static str],
    pub reads: Reads,
    /// What a code other than 0 means where that is more than "look at the output".
    pub exits: &'static [(i64, Exit)],
    /// A pass may print nothing: its real status 0 is enough.
    pub silent: bool,
    /// It exits 0 although it found problems.
    pub zero_on_problems: bool,
    /// Its last lines speak for the whole run: `tail` keeps what decides.
    pub last_speaks: bool,
    pub totals: Totals,
    /// Its code is the number of failures.
    pub exit_counts: bool,
    /// How many lines may stand after its closing total.
    pub trailing: usize,
}

/// What a row says unless it says otherwise.
pub const ROW: Row = Row {
    runner: "",
    check: Check::Tests,
    calls: &[],
    own: None,
    options: &[],
    after: After::Words,
    words: Words::Paths,
    needs: &[],
    reads: Reads::Shapes(&[]),
    exits: &[],
    silent: false,
    zero_on_problems: false,
    last_speaks: true,
    totals: Totals::Last,
    exit_counts: false,
    trailing: 15,
};

/// A way to call it.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Base names.
    pub programs: &'static [&'static str],
    /// The words that must follow, options apart: `nextest run`. Empty: none need to.
    pub subs: &'static [&'static str],
}

/// What an option means. Options that are not listed take no value and change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opt {
    /// Takes a value, which is no path.
    Value,
    /// Narrows.
    Narrow,
    /// Narrows, by a value.
    NarrowBy,
    /// Nothing is checked.
    Idle,
    Mark(Mark),
    /// A mark, with a value.
    MarkBy(Mark),
}

/// What options change about how the output or the status is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Goes on after a failure: the last lines no longer speak for the whole.
    NoFailFast,
    /// Any problem gives a status other than 0.
    Strict,
    /// Problems give status 0.
    ExitZero,
    /// Problems are left out of the output.
    Hides,
    /// The output has another shape than the table knows.
    Reshaped,
    /// Goes on after an error that it ignores.
    Ignores,
}

/// What plain words mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Paths or test ids: each narrows, unless it names the whole.
    Paths,
    /// Each narrows.
    Names,
    /// They do not narrow.
    Ignored,
}

/// What stands after `--`.
#[derive(Debug, Clone, Copy)]
pub enum After {
    /// More words.
    Words,
    Ignored,
    /// Options of another program, and words that narrow.
    Options(&'static [(&'static str, Opt)]),
}

#[derive(Debug, Clone, Copy)]
pub enum Reads {
    Shapes(&'static [Shape]),
    By(fn(&Text) -> Report),
    /// What it runs decides: the banner names it, or the output shows exactly one runner's closing lines.
    Inner(fn(&Text) -> Report),
    /// As [`Reads::Inner`] where that is known, else its own status.
    InnerOrExit(fn(&Text) -> Report),
}

/// What an exit code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Checks failed, unless the output says that none ran.
    Failed,
    /// None ran.
    Nothing,
    /// It broke off: an internal error, a bad configuration.
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Totals {
    /// One for the run: the last is its own.
    Last,
    /// One for each part: they add up.
    Sum,
}

impl Row {
    pub fn read(&self, text: &Text) -> Report {
        match self.reads {
            Reads::Shapes(shapes) => shapes::read(text, shapes),
            Reads::By(read) | Reads::Inner(read) | Reads::InnerOrExit(read) => read(text),
        }
    }

    pub fn exit(&self, code: i64) -> Option<Exit> {
        self.exits.iter().find(|(c, _)| *c == code).map(|(_, exit)| *exit)
    }
}

/// Called by any of these names.
pub const fn called(programs: &'static [&'static str]) -> [Call; 1] {
    [Call { programs, subs: &[] }]
}

/// Options that many tools share.
pub const HELP: (&str, Opt) = ("--help", Opt::Idle);
pub const H: (&str, Opt) = ("-h", Opt::Idle);
pub const VERSION: (&str, Opt) = ("--version", Opt::Idle);
pub const CONFIG: (&str, Opt) = ("--config", Opt::Value);
pub const C: (&str, Opt) = ("-c", Opt::Value);
