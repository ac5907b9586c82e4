//! Several runs of one kind fold into one record: the worst latest of each runner and directory governs.
//!
//! Runs at the wanted state are considered first. Among the latest runs of each runner and directory, a failure governs
//! before an unknown, and that before a run of another state. What executed nothing, and a filtered run that passed,
//! displaces nothing; a filtered run that failed stands until that command, or a run that includes it, passes.

use super::check::CheckRun;
use super::outcome::{Executed, Outcome};
use super::subject::Wanted;

/// The run that decides, and whether it is about the wanted state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Governing {
    /// Index into the runs given.
    pub run: usize,
    pub outcome: Outcome,
    pub at_wanted: bool,
    /// A later pass that takes the edge off a failure, so that it is no longer known to hold.
    pub eclipsed_by: Option<usize>,
}

/// What the runs come to. `runs` are in order of observation. `None`: none of them shows anything.
pub fn fold(runs: &[&CheckRun], wanted: &Wanted) -> Option<Governing> {
    let mut groups: Vec<(&str, Option<&str>, Vec<usize>)> = Vec::new();
    for (n, run) in runs.iter().enumerate() {
        let key = (family(&run.runner), run.dir.as_deref());
        match groups.iter_mut().find(|g| (g.0, g.1) == key) {
            Some(group) => group.2.push(n),
            None => groups.push((key.0, key.1, vec![n])),
        }
    }
    let mut governing: Vec<Governing> = groups.iter().filter_map(|g| govern(runs, &g.2, wanted)).collect();
    // What ran elsewhere, or in a state that cannot be told, speaks only where nothing else does.
    let speaks = |g: &Governing| runs[g.run].subject.to_wire().is_some();
    if governing.iter().any(speaks) {
        governing.retain(speaks);
    }
    // The first of equals stands, save that the older of two stale ones is the stalest anyway.
    governing.into_iter().map(|g| eclipsed(runs, g)).min_by_key(severity)
}

/// cargo's own harness and nextest run the same tests.
fn family(runner: &str) -> &str {
    if runner == "nextest" { "cargo-test" } else { runner }
}

/// A run that broke off without naming a failed test (it did not compile or collect here) proves nothing against a later
/// pass of the same kind, and neither does a failure against a later pass of the same runner in a container: what failed
/// may have been the surroundings.
fn eclipsed(runs: &[&CheckRun], governing: Governing) -> Governing {
    let failed = runs[governing.run];
    if governing.outcome != Outcome::Refuted {
        return governing;
    }
    let named = failed.judged.counts.is_some_and(|c| c.failed.unwrap_or(0) > 0) || !failed.judged.failing.is_empty();
    let mends = |later: &CheckRun| {
        let passed = later.judged.outcome == Outcome::Confirmed && later.filter.is_none();
        passed && (!named || (later.elsewhere.is_some() && family(&later.runner) == family(&failed.runner)))
    };
    match (governing.run + 1..runs.len()).rev().find(|n| mends(runs[*n])) {
        Some(later) => Governing { outcome: Outcome::Unknown, eclipsed_by: Some(later), ..governing },
        None => governing,
    }
}

/// Refuted at the wanted state, then unknown there, then another state, then confirmed.
fn severity(governing: &Governing) -> u8 {
    match (governing.at_wanted, governing.outcome) {
        (true, Outcome::Refuted) => 0,
        (true, Outcome::Unknown) => 1,
        (false, _) => 2,
        (true, Outcome::Confirmed) => 3,
    }
}

/// The latest word of one runner in one directory.
fn govern(runs: &[&CheckRun], members: &[usize], wanted: &Wanted) -> Option<Governing> {
    let here: Vec<usize> = members.iter().copied().filter(|n| runs[*n].subject.matches(wanted)).collect();
    let at_wanted = latest(runs, &here);
    if let Some(run) = at_wanted {
        return Some(Governing { run, outcome: runs[run].judged.outcome, at_wanted: true, eclipsed_by: None });
    }
    let comparable: Vec<usize> = members.iter().copied().filter(|n| runs[*n].subject.to_wire().is_some()).collect();
    let run = latest(runs, &comparable).or_else(|| latest(runs, members))?;
    Some(Governing { run, outcome: runs[run].judged.outcome, at_wanted: false, eclipsed_by: None })
}

fn latest(runs: &[&CheckRun], members: &[usize]) -> Option<usize> {
    let mut full: Option<usize> = None;
    let mut failing_part: Vec<usize> = Vec::new();
    for &n in members {
        let run = runs[n];
        if run.judged.executed == Executed::Nothing {
            continue;
        }
        match (&run.filter, run.judged.outcome) {
            (None, outcome) => {
                full = Some(n);
                if outcome == Outcome::Confirmed {
                    failing_part.clear();
                }
            }
            (Some(_), Outcome::Refuted) => failing_part.push(n),
            (Some(_), Outcome::Confirmed) => failing_part.retain(|f| !runs[n].includes(runs[*f])),
            (Some(_), Outcome::Unknown) => {}
        }
    }
    match (full, failing_part.last()) {
        (Some(full), Some(part)) if runs[full].judged.outcome == Outcome::Refuted && full > *part => Some(full),
        (_, Some(part)) => Some(*part),
        (full, None) => full,
    }
}
