//! What the shell does with statuses, stripped of everything else: the program of [`super::outcome`]'s machine.

use super::syntax::Join;
use super::wrapper::Effect;

#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// It sets `$?` to this.
    Ends(Ends),
    /// The invocation with this number runs.
    Run {
        run: usize,
        ends: Ends,
    },
    /// Expanding the words may end the shell (`set -u`, `${x:?}`); `always`: whatever the options.
    Expands {
        always: bool,
    },
    /// A redirection may fail, and then it does not run.
    Redirected(Box<Plan>),
    /// These run first, each in a shell of its own; then the command.
    Substitutes(Vec<Plan>, Box<Plan>),
    /// `$?` becomes the last substitution's (`x=$(false)`).
    Captured,
    Sequence(Vec<Plan>),
    List(Box<Plan>, Vec<(Join, Plan)>),
    Pipeline {
        negated: bool,
        parts: Vec<Plan>,
    },
    Subshell(Box<Plan>),
    Shell {
        body: Box<Plan>,
        options: Vec<(Flag, bool)>,
    },
    Wrapped(Effect, Box<Plan>),
    Background(Box<Plan>),
    If {
        branches: Vec<(Plan, Plan)>,
        otherwise: Option<Box<Plan>>,
    },
    While {
        until: bool,
        condition: Box<Plan>,
        body: Box<Plan>,
    },
    /// `once`: it runs at least once.
    For {
        once: bool,
        body: Box<Plan>,
    },
    /// `complete`: one arm runs for certain.
    Case {
        arms: Vec<(Plan, bool)>,
        complete: bool,
    },
    Call(Box<Plan>),
    /// `eval`: its own failure counts, whatever failed in it.
    Evaluated(Box<Plan>),
    Options(Vec<(Flag, bool)>),
    /// Notes a status; `$?` stays, since several may stand side by side (`a=$? b=$?`).
    Assign(usize, Value),
    Exit(Value),
    Return(Value),
    Break(u8),
    Continue(u8),
    /// `wait` for one job; `None`: for all.
    Wait(Option<Value>),
    /// The shell itself says how long it took: a broken pipe ends it.
    Timed(Box<Plan>),
    /// Replaces the shell.
    Exec(Box<Plan>),
    /// `trap … EXIT`: the body's number among [`Traps`], or none.
    Trap(Option<usize>),
    /// 0 if the value is zero (`zero`), or if it is not.
    Test {
        value: Value,
        zero: bool,
    },
    /// `set -e` may count in it even where its failure is looked at, and the status may then be another: `eval` as a part of
    /// a pipeline, `! { set -e; … }` (seen with bash 5.2).
    MayCount(Box<Plan>),
    /// Text that is not known runs in this very shell.
    Foreign,
    /// Something that makes every status unsure.
    Wild,
}

/// The bodies of `trap … EXIT`.
pub type Traps = Vec<Plan>;

/// How a command can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Zero,
    One,
    /// 0, but a broken pipe ends the whole shell (`echo` is no process of its own).
    Prints,
    /// Like `cd`: 0, or a failure that the shell itself complains of, and a broken pipe ends it.
    Complains,
    /// A filter that only reads its input (`tail -5`): 0, unless a pipe behind it breaks.
    Filters,
    /// 0, 1 or more, like `test`.
    Test,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    ErrExit,
    PipeFail,
    NoUnset,
}

/// Where a status comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    Zero,
    One,
    /// Some other number.
    Number,
    /// `$?`
    Last,
    Variable(usize),
    /// `$!`
    Job,
    /// `${PIPESTATUS[n]}`
    Pipe(usize),
    Unknown,
}

/// The variable that holds the status with which an exit trap begins.
pub const ENTRY: usize = 0;
