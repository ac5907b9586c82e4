//! Scripts and targets: what they ran decides. A package manager's banner names the command; without one, the output must
//! hold exactly one runner's closing words.

use super::rules::Case;
use super::{Basis, Executed, Judged, Outcome, Seen, judge, siblings};
use crate::records::command;
use crate::records::invocation::{Invocation, Reached, Reading, Status, View};
use crate::records::runners::row::{Mark, Reads, Row, Totals};
use crate::records::runners::{self, Check};
use crate::records::summary::{Report, Says, Text};

/// Scripts that start scripts are followed this deep.
const DEPTH: usize = 3;

/// `around`: what the script runner itself says.
pub(super) fn decide(case: &Case<'_>, around: Report, depth: usize) -> Judged {
    if depth < DEPTH
        && let Some(banner) = banner(case)
        && let Some(judged) = by_banner(case, &banner, depth)
    {
        return judged;
    }
    let exit_decides = matches!(case.row.reads, Reads::InnerOrExit(_));
    if exit_decides {
        return by_exit(case, around);
    }
    by_shapes(case, around)
}

/// The command that a banner names, and what stands after it.
struct Banner {
    command: String,
    rest: String,
}

/// `> pkg@1.0.0 test` and `> jest --ci`; yarn's and bun's `$ jest --ci`.
fn banner(case: &Case<'_>) -> Option<Banner> {
    let name = runners::script_name(case.seen.invocation)?;
    let text = &case.text.text;
    let mut found = None;
    let mut lines = case.text.lines().peekable();
    while let Some(line) = lines.next() {
        let command = if is_heading(line.text, &name) {
            lines.peek().and_then(|next| next.text.strip_prefix("> ").map(|c| (next.at, c, next.text.len())))
        } else {
            line.text.strip_prefix("$ ").map(|c| (line.at, c, line.text.len()))
        };
        let Some((at, command, len)) = command else { continue };
        if found.is_some() {
            // One script in several packages, or a script of scripts: no single command.
            return None;
        }
        let rest = text.get(at + len..).unwrap_or_default();
        found = Some(Banner { command: command.to_owned(), rest: rest.to_owned() });
        if case.seen.invocation.program != "npm" && line.text.starts_with("$ ") {
            break;
        }
    }
    found
}

/// `> z@1.0.0 build`, with pnpm followed by the directory.
fn is_heading(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix("> ") else { return false };
    // A package without a name and version.
    if rest == name {
        return true;
    }
    let mut words = rest.split(' ');
    let package = words.next().unwrap_or_default();
    let at = package.rfind('@').filter(|at| *at > 0);
    let versioned = at.is_some_and(|at| package[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    versioned && words.next() == Some(name)
}

/// Judges what the banner's command runs, as if it had been typed.
fn by_banner(case: &Case<'_>, banner: &Banner, depth: usize) -> Option<Judged> {
    let Reading::Script(invocations) = command::read(&banner.command) else { return None };
    let text = Text::of(&banner.rest, case.seen.output_cut);
    let outer = case.seen.invocation;
    let merged: Vec<Invocation> = invocations.iter().map(|inner| merged(outer, inner)).collect();
    // The line's other commands are the script's, too.
    let line: Vec<Invocation> = if case.seen.line.is_empty() && (outer.foreign.before || outer.foreign.after) {
        Vec::new()
    } else {
        merged.iter().chain(case.seen.line.iter().filter(|o| !siblings::is_same(o, outer))).cloned().collect()
    };
    let mut judged: Vec<Judged> = Vec::new();
    for invocation in &merged {
        for recognised in runners::recognise(invocation).into_iter().filter(|r| r.check == case.row.check) {
            let output = banner.rest.as_str();
            let seen = Seen { recognised: &recognised, invocation, line: &line, output, ..*case.seen };
            let mut one = judge(&seen, &text, depth + 1);
            one.inner = one.inner.or(Some(recognised.runner));
            judged.push(one);
        }
    }
    let all_confirmed = judged.iter().all(|j| j.outcome == Outcome::Confirmed);
    let worst = judged.iter().position(|j| j.outcome == Outcome::Refuted);
    let worst = worst.or_else(|| judged.iter().position(|j| j.outcome == Outcome::Unknown));
    match (judged.len(), worst) {
        (0, _) => None,
        (_, Some(worst)) => Some(judged.swap_remove(worst)),
        (1, None) => judged.pop(),
        _ if all_confirmed => {
            let counts = judged.iter().map(|j| j.counts).reduce(|a, b| Some(a?.plus(b?))).flatten();
            judged.pop().map(|last| Judged { counts, inner: None, ..last })
        }
        _ => None,
    }
}

/// An invocation of a script's, as the outer line shows it.
fn merged(outer: &Invocation, inner: &Invocation) -> Invocation {
    let both = |a: bool, b: bool| a && b;
    let status = Status {
        zero: both(outer.status.zero, inner.status.zero),
        zero_ran: both(outer.status.zero_ran, inner.status.zero_ran),
        nonzero: both(outer.status.nonzero, inner.status.nonzero),
        inverted: inner.status.inverted || outer.status.inverted,
    };
    let mut merged = inner.clone();
    // What stands before the banner was cut off.
    merged.foreign.after |= outer.foreign.after;
    merged.status = status;
    // Where the banner is in view, so is all that follows it.
    let shown = |view: View| if view == View::Tail { View::Whole } else { view };
    merged.view = merged.view.max(shown(outer.view));
    merged.stdout = merged.stdout.max(shown(outer.stdout));
    merged.stderr = merged.stderr.max(shown(outer.stderr));
    merged.wrapper_codes.extend_from_slice(&outer.wrapper_codes);
    if outer.reached == Reached::Perhaps && merged.reached == Reached::Always {
        // The banner shows that the script was started.
        merged.reached = Reached::Always;
    }
    merged.via = outer.via.iter().cloned().chain([outer.program.clone()]).chain(inner.via.iter().cloned()).collect();
    merged.elsewhere.clone_from(&outer.elsewhere);
    merged
}

/// A build that is known only by its status.
fn by_exit(case: &Case<'_>, around: Report) -> Judged {
    let row = Row { silent: true, ..*case.row };
    let code = case.seen.reported_exit;
    let case = Case { row: &row, ..*case };
    let said_nothing = around.findings.is_empty();
    let judged = case.decide(around, Totals::Sum);
    let visible = case.view() <= View::Tail;
    let own = judged.own_exit.is_some_and(|own| own != 0) && judged.own_exit == code;
    if judged.outcome == Outcome::Unknown
        && judged.executed == Executed::CannotTell
        && own
        && said_nothing
        && visible
        && code.is_some_and(|c| (1..=123).contains(&c))
    {
        return Judged { own_exit: code, ..case.refuted(Basis::Exit, "own exit status of the script") };
    }
    judged
}

/// Exactly one runner's closing words are in the output.
fn by_shapes(case: &Case<'_>, around: Report) -> Judged {
    let mut speakers: Vec<(&'static Row, Report)> = Vec::new();
    for row in runners::rows()
        .filter(|r| r.check == case.row.check && !matches!(r.reads, Reads::Inner(_) | Reads::InnerOrExit(_)))
    {
        let report = row.read(case.text);
        let known = speakers.iter().any(|(other, _)| siblings::shares(other, row));
        if !known && report.totals().next().is_some() {
            speakers.push((row, report));
        }
    }
    let several = speakers.len() > 1;
    let Some((row, mut report)) = speakers.pop() else {
        return without_speaker(case, around);
    };
    if several {
        return Judged::unknown(
            Executed::CannotTell,
            "several runners",
            "the closing words of several runners are in its output",
        );
    }
    let ignored = around.findings.iter().any(|f| f.says == Says::Unsure) || case.marked(Mark::Ignores);
    // What does not compile need not be what the tests are of: another step of the target can have printed it.
    for finding in report.findings.iter_mut().filter(|f| f.says == Says::Broke && f.counts.is_empty()) {
        finding.says = Says::Unsure;
    }
    // That something failed around it need not be of this check: an environment of lint, a later step.
    report.findings.extend(around.findings.into_iter().map(|mut f| {
        f.says = if f.says == Says::Hint { Says::Unsure } else { f.says };
        f
    }));
    report.sort();
    // The status is the script's: it says of the runner what the script made of it. Its codes are not the runner's.
    let mut outer = case.seen.invocation.clone();
    if ignored {
        outer.status = Status::MASKED;
    }
    let inner = Row {
        exits: &[],
        exit_counts: false,
        silent: false,
        last_speaks: false,
        trailing: usize::MAX,
        totals: Totals::Sum,
        ..*row
    };
    let seen = Seen { invocation: &outer, ..*case.seen };
    let mut judged = Case { seen: &seen, row: &inner, ..*case }.decide(report, Totals::Sum);
    judged.inner = Some(row.runner);
    judged
}

fn without_speaker(case: &Case<'_>, around: Report) -> Judged {
    let judged = case.decide(around, Totals::Sum);
    if judged.executed == Executed::Nothing {
        return judged;
    }
    let what = if case.row.check == Check::Tests { "no test runner's" } else { "no known tool's" };
    Judged {
        own_exit: judged.own_exit,
        ..Judged::unknown(judged.executed, "no inner runner", format!("{what} closing words are in its output"))
    }
}
