//! Why a run counts as what it counts as: what ran, whose status it is, what the output says, which rule decided.

use super::docket::{Docket, Reach};
use crate::claims::config::Config;
use crate::claims::render::{counts, line};
use crate::claims::verdict::judge_claims;
use crate::layout::Place;
use crate::records::check::{CheckRun, directory};
use crate::records::command::read;
use crate::records::git::GitOp;
use crate::records::invocation::{Invocation, Reached, Reading, Status, View};
use crate::records::run::Run;
use crate::records::story::Scope;
use crate::records::subject::Subject;

/// The explanation of the run that an entry of a session belongs to, line by line; empty where it is of none.
pub fn explain(place: &Place, session: &str, seq: u64) -> Vec<String> {
    let config = Config::load(&place.root).unwrap_or_default();
    let Ok(docket) = Docket::open(place, &config, Some(Scope::Session(session.to_owned())), Reach::Everything) else {
        return Vec::new();
    };
    let runs = &docket.story.runs;
    let Some(index) = runs.iter().position(|run| run.is_command() && run.evidence.iter().any(|e| e.seq == seq)) else {
        return Vec::new();
    };
    of_run(&docket, index)
}

/// What became of the claims of the words that an entry holds.
pub fn claims(place: &Place, session: &str, seq: u64) -> Vec<String> {
    let config = Config::load(&place.root).unwrap_or_default();
    let Ok(docket) = Docket::open(place, &config, Some(Scope::Session(session.to_owned())), Reach::Everything) else {
        return Vec::new();
    };
    let Some(words) = docket.story.words.iter().find(|words| words.seq == seq) else { return Vec::new() };
    let Ok((mut verdicts, _)) = judge_claims(docket.claims_of(words), &docket.story, &docket.checks) else {
        return Vec::new();
    };
    docket.name_changes(&mut verdicts);
    match verdicts.as_slice() {
        [] => vec!["no claim was recognised in it".to_owned()],
        verdicts => verdicts.iter().map(line).collect(),
    }
}

/// The same of a run of a docket, by its index in the story.
pub fn of_run(docket: &Docket<'_>, index: usize) -> Vec<String> {
    let run = &docket.story.runs[index];
    let mut lines = vec![exit(run)];
    match read(&run.command) {
        Reading::CannotTell(why) => lines.push(format!("the command line: cannot tell what ran: {why}")),
        Reading::Script(invocations) => lines.extend(invocations.iter().map(|i| invocation(run, i))),
    }
    lines.extend(docket.checks.own.iter().filter(|c| c.run == index).map(check));
    for deed in docket.checks.git.iter().filter(|d| d.run == index) {
        let id = match &deed.op {
            GitOp::Commit => "commit".to_owned(),
            GitOp::Push { remote, name, .. } => format!("push/{remote}/{name}"),
        };
        lines.push(format!("counts as {id}: {}: {}", deed.outcome.as_str(), deed.detail));
    }
    if !lines.iter().any(|line| line.starts_with("counts as")) {
        lines.push("counts as nothing: no check, commit or push is among it".into());
    }
    lines
}

/// How it ended, and what the observations of it agree on.
fn exit(run: &Run) -> String {
    let told: Vec<String> = run
        .reports()
        .map(|(seq, code, basis)| {
            format!("#{seq} {}", code.map_or("no exit".into(), |c| format!("exit {c} ({basis})")))
        })
        .collect();
    let together = match (&run.exit.code, &run.exit.reason) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(reason)) => format!("no exit status: {reason}"),
        (None, None) => "no exit status".into(),
    };
    match told.len() {
        0 | 1 => format!("it ended with {together}"),
        n => format!("{n} observations of it ({}) come to {together}", told.join(", ")),
    }
}

fn invocation(run: &Run, invocation: &Invocation) -> String {
    let mut parts = vec![format!("ran `{}`", crate::text::shorten(&invocation.text, 100))];
    if !invocation.via.is_empty() {
        parts.push(format!("through {}", invocation.via.join(", ")));
    }
    match (&invocation.elsewhere, directory(run, invocation)) {
        (Some(elsewhere), _) => parts.push(format!("elsewhere ({elsewhere})")),
        (None, Some(dir)) => parts.push(format!("in {dir}")),
        (None, None) => parts.push("in a directory that cannot be told".into()),
    }
    if invocation.reached == Reached::Perhaps {
        parts.push("whether it was started is not known".into());
    }
    parts.push(status(invocation.status).into());
    parts.push(view(invocation.view).into());
    parts.join("; ")
}

fn status(status: Status) -> &'static str {
    match status {
        Status { inverted: true, .. } => "its status is inverted",
        Status { zero: true, nonzero: true, .. } => "the status reported is its own",
        Status { zero: true, .. } => "a reported 0 is its own, another status need not be",
        Status { nonzero: true, .. } => "a reported failure is its own, a 0 need not be",
        _ => "the status reported is not its own",
    }
}

fn view(view: View) -> &'static str {
    match view {
        View::Whole => "its whole output is in view",
        View::Tail => "the end of its output is in view",
        View::Filtered => "its output went through a filter",
        View::Hidden => "its output is not in view",
    }
}

fn check(check: &CheckRun) -> String {
    let judged = &check.judged;
    let mut line = format!("counts as {}/{}: {}", check.check, check.runner, judged.outcome.as_str());
    if let Some(filter) = &check.filter {
        line.push_str(&format!(", for {filter} only"));
    }
    if let Some(counted) = judged.counts.as_ref().map(counts).filter(|c| !c.is_empty()) {
        line.push_str(&format!(", {counted}"));
    }
    if let Some(reason) = &judged.reason {
        line.push_str(&format!(": {reason}"));
    }
    line.push_str(&format!("; rule: {}", judged.rule));
    match &check.subject {
        Subject::Tree { tree, .. } => line.push_str(&format!("; of the files in tree:{tree}")),
        Subject::Edits { why, .. } => line.push_str(&format!("; which files it saw is known by the edits only: {why}")),
        Subject::Nowhere { why } => line.push_str(&format!("; it says nothing of these files: {why}")),
    }
    line
}
