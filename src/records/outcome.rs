//! What one run of a check proves: one invocation, the status that was reported, and the output.
//!
//! A pass needs a closing total with at least one check run, and either the runner's own status 0 or that total in view,
//! unaltered. A failure needs the runner's own closing words, or its own status where the table says that it means failed
//! checks. Everything else is unknown, with the reason.
//!
//! Architecture invariant: nothing here guesses. A rule that does not apply leaves the run unknown, never the other way.

mod inner;
mod rules;
mod siblings;
mod status;

use super::invocation::Invocation;
use super::runners::row::Reads;
use super::runners::{self, Check, Recognised, Scope};
use super::summary::environment::kept_from_building;
use super::summary::{Counts, Text, never_started, warnings};
use rules::Case;

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Confirmed,
    Refuted,
    Unknown,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Confirmed => "confirmed",
            Outcome::Refuted => "refuted",
            Outcome::Unknown => "unknown",
        }
    }
}

/// What an outcome rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The runner's own exit status.
    Exit,
    /// Its closing words; its status was masked.
    Summary,
}

/// Whether anything was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executed {
    Some,
    Nothing,
    CannotTell,
}

/// One run as it was recorded.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub recognised: &'a Recognised,
    pub invocation: &'a Invocation,
    /// All invocations of the command line, this one among them: what the others cannot have printed is this one's. Empty
    /// where they are not known.
    pub line: &'a [Invocation],
    /// The status reported for the whole command line.
    pub reported_exit: Option<i64>,
    /// Why there is none.
    pub exit_reason: Option<&'a str>,
    pub output: &'a str,
    /// Something is known to be missing from it.
    pub output_cut: bool,
}

/// What the run proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub outcome: Outcome,
    pub basis: Option<Basis>,
    /// Of every unknown.
    pub reason: Option<String>,
    /// Tests only; what the output does not tell is `None`.
    pub counts: Option<Counts>,
    /// Names of failing tests, as the runner prints them.
    pub failing: Vec<String>,
    pub executed: Executed,
    /// A linter named problems, all of them warnings.
    pub only_warnings: bool,
    /// Which rule decided.
    pub rule: &'static str,
    /// The runner's own exit status, where the reported one is that.
    pub own_exit: Option<i64>,
    /// The runner whose closing words decided, where a script or a target started it.
    pub inner: Option<&'static str>,
}

impl Judged {
    pub fn unknown(executed: Executed, rule: &'static str, reason: impl Into<String>) -> Judged {
        Judged {
            outcome: Outcome::Unknown,
            basis: None,
            reason: Some(reason.into()),
            counts: None,
            failing: Vec::new(),
            executed,
            only_warnings: false,
            rule,
            own_exit: None,
            inner: None,
        }
    }
}

/// Judges one run of one check.
pub fn judge_run(seen: &Seen<'_>) -> Judged {
    let text = Text::of(seen.output, seen.output_cut);
    let mut judged = judge(seen, &text, 0);
    if judged.outcome == Outcome::Refuted && seen.recognised.check == Check::Lint {
        judged.only_warnings = warnings::only(judged.inner.unwrap_or(seen.recognised.runner), &text);
    }
    judged
}

/// `depth`: how many scripts deep.
fn judge(seen: &Seen<'_>, text: &Text, depth: usize) -> Judged {
    let found = runners::find(seen.invocation);
    let found = found.iter().find(|f| f.row.runner == seen.recognised.runner && f.row.check == seen.recognised.check);
    let Some(found) = found else {
        return Judged::unknown(Executed::CannotTell, "no row", "the command is none of the runners that deeds knows");
    };
    if let Scope::ChecksNothing(by) = seen.recognised.scope {
        return Judged::unknown(Executed::Nothing, "checks nothing", format!("{by} checks nothing"));
    }
    if let Some(why) = status::unfinished(seen.exit_reason) {
        return Judged::unknown(Executed::CannotTell, "not finished", why);
    }
    let mut report = found.row.read(text);
    never_started(text, &mut report, seen.invocation.foreign.before);
    kept_from_building(text, &mut report);
    report.sort();
    let foreign = siblings::foreign(seen.invocation, found.row, seen.line);
    let case = Case { seen, row: found.row, marks: &found.marks, text, foreign };
    match found.row.reads {
        Reads::Inner(_) | Reads::InnerOrExit(_) => inner::decide(&case, report, depth),
        _ => case.decide(report, found.row.totals),
    }
}
