//! A verdict as one pointed fact: what was seen, where, and how far it can be trusted; for "not shown", what would show it.

use crate::judge::ClaimOutcome;
use crate::records::check::CheckRun;
use crate::records::need::{Because, EVERYTHING, NOTHING_LEFT, Need, Says};
use crate::records::outcome::{Basis, Outcome};
use crate::records::subject::{Subject, Wanted};
use crate::records::summary::Counts;
use crate::text::{Lines, sanitise, shorten};

use super::config::nearest;
use super::remedy;
use super::verdict::Verdict;

/// How much of a command or a reason fits into a line.
const CLAUSE: usize = 160;

/// How much of a sub-agent's id.
const NAME: usize = 40;

/// `✗ "all tests pass" contradicted: cargo test exited 101, 1 failed, 2 passed (#118, agent_adjacent via hook_callback)`
pub fn line(verdict: &Verdict) -> String {
    let (mark, word) = match &verdict.result.outcome {
        ClaimOutcome::Supported => ("✓", "supported"),
        ClaimOutcome::Contradicted { .. } => ("✗", "contradicted"),
        ClaimOutcome::Unsupported { .. } => ("?", "not shown"),
    };
    format!("{mark} {} {word}: {}{}", name(verdict), detail(verdict), seen_at(&verdict.because))
}

/// The claim's own words in quotation marks, and whose they are if a sub-agent's; or its id.
pub fn name(verdict: &Verdict) -> String {
    match &verdict.claim.words {
        Some(words) => {
            let who =
                words.agent.as_ref().map(|id| format!("sub-agent {}: ", sanitise(&shorten(id, NAME), Lines::Escape)));
            let said = sanitise(&shorten(&words.text, CLAUSE), Lines::Escape);
            format!("{}\"{said}\"", who.unwrap_or_default())
        }
        None => sanitise(&shorten(&verdict.claim.id, CLAUSE), Lines::Escape),
    }
}

/// The pointed fact, and for "not shown" what would show it.
pub fn detail(verdict: &Verdict) -> String {
    let because = &verdict.because;
    let Some(need) = &verdict.need else { return "nothing is required".into() };
    let fact = if let Some(check) = &because.check {
        check_fact(check, because, need)
    } else if let Some(git) = &because.git {
        let about =
            git.sha.as_ref().is_some_and(|sha| need.wanted.to_wire().is_some_and(|w| w != format!("commit:{sha}")));
        if about { format!("{}, which is another commit", git.detail) } else { git.detail.clone() }
    } else if let Some((detail, _)) = &because.file {
        format!("{}: {detail}", need.id.trim_start_matches("file/"))
    } else {
        missing(need, because)
    };
    let fact = because.open.map_or(fact.clone(), |why| format!("{fact}; {why}"));
    sanitise(&fact, Lines::Escape)
}

/// ` (#118, agent_adjacent via hook_callback)`: the entry that decided.
fn seen_at(because: &Because) -> String {
    let decisive = match (&because.git, &because.file) {
        (Some(git), _) => git.look.as_ref().or(because.evidence.first()),
        (_, Some(_)) => because.evidence.last(),
        _ => because.evidence.iter().find(|e| e.reports && e.tells_exit).or(because.evidence.first()),
    };
    decisive.map_or(String::new(), |e| format!(" (#{}, {} via {})", e.seq, e.trust_class, e.collection_method))
}

fn check_fact(check: &CheckRun, because: &Because, need: &Need) -> String {
    let fact = ran(check);
    if let Some(recorded) = &because.count_differs {
        let claimed = need.count.map(|(passed, failed)| Counts { passed, failed, ..Counts::default() });
        let claimed = claimed.as_ref().map(counts).unwrap_or_default();
        return format!("{fact}; the claim has {claimed}, the record {}", counts(recorded));
    }
    if let Some(later) = &because.eclipsed_by {
        return format!("{fact}; but `{}` exited 0 since, so whether that holds is open", shorten(later, CLAUSE));
    }
    if let Some(unended) = &because.unended {
        return format!("{}; judge again when it has, or run it in the foreground", shorten(unended, CLAUSE));
    }
    if !because.at_wanted {
        return stale(check, because, need, &fact);
    }
    let mut fact = match &check.subject {
        Subject::Edits { why, .. } if matches!(need.wanted, Wanted::Edits(_)) => {
            format!("{fact}; the tree was not seen ({why}), only that no recorded edit came between")
        }
        _ => fact,
    };
    if let Some(note) = because.notes.iter().find(|n| n.starts_with("it ran in an earlier session")) {
        fact.push_str("; ");
        fact.push_str(note);
    }
    fact
}

/// What the run did: its command, exit or summary, counts, and the first failing tests.
fn ran(check: &CheckRun) -> String {
    let command = shorten(&check.text, CLAUSE);
    let judged = &check.judged;
    let counted = judged.counts.as_ref().map(counts).filter(|c| !c.is_empty());
    let how = match (judged.outcome, judged.own_exit, &judged.reason) {
        (Outcome::Unknown, _, Some(reason)) => format!("`{command}`: {}", shorten(reason, CLAUSE)),
        (_, Some(code), _) => format!("`{command}` exited {code}"),
        (Outcome::Confirmed, None, _) => format!("`{command}` passed by its own summary"),
        (Outcome::Refuted, None, _) => format!("`{command}` failed by its own summary"),
        (Outcome::Unknown, None, None) => format!("`{command}`: its outcome was not seen"),
    };
    let mut fact = how;
    if let Some(counted) = counted.filter(|_| judged.outcome != Outcome::Unknown) {
        fact.push_str(", ");
        fact.push_str(&counted);
    }
    let number = |n: Option<u64>| n.unwrap_or(0);
    let skipped =
        judged.counts.filter(|c| judged.outcome == Outcome::Confirmed && number(c.skipped) > number(c.passed));
    if skipped.is_some() {
        fact.push_str(", so most of them did not run");
    }
    if judged.outcome == Outcome::Refuted && !judged.failing.is_empty() {
        fact.push_str(&format!(": {}", first_names(&judged.failing)));
    }
    if judged.outcome != Outcome::Unknown && judged.basis == Some(Basis::Summary) && judged.own_exit.is_none() {
        fact.push_str("; the exit status reported is not its own");
    }
    if judged.only_warnings {
        fact.push_str(", with warnings");
    }
    if let Some(filter) = check.filter.as_ref().filter(|_| judged.outcome != Outcome::Unknown) {
        fact.push_str(&format!("; narrowed to {}", shorten(filter, 60)));
    }
    fact
}

fn first_names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|n| shorten(n, 80)).collect();
    let more = names.len().saturating_sub(3);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// `1 failed, 2 passed, 1 skipped`
pub fn counts(counts: &Counts) -> String {
    let part = |n: Option<u64>, word: &str| n.filter(|n| *n > 0).map(|n| format!("{n} {word}"));
    let parts: Vec<String> =
        [part(counts.failed, "failed"), part(counts.passed, "passed"), part(counts.skipped, "skipped")]
            .into_iter()
            .flatten()
            .collect();
    parts.join(", ")
}

fn stale(check: &CheckRun, because: &Because, need: &Need, fact: &str) -> String {
    let command = shorten(&check.text, CLAUSE);
    let again = format!("run `{command}` again");
    match (&check.subject, &need.wanted) {
        (_, Wanted::Unresolvable(why)) => format!("{fact}, but the state it is asked about cannot be told: {why}"),
        (Subject::Nowhere { why }, _) => format!("{fact}, but {why}; run it on its own in the worktree"),
        (Subject::Edits { why, .. }, Wanted::Tree(_)) => {
            format!("{fact}, but which files it saw is not known ({why}); {again}")
        }
        _ => match changed(because) {
            Some(path) => format!("`{command}` ran before {path} changed; {again}"),
            None => format!("`{command}` ran on other files than these; {again}"),
        },
    }
}

/// The first file that changed between the run and the wanted state.
fn changed(because: &Because) -> Option<String> {
    because.changed.first().or(because.edited_since.as_ref()).cloned()
}

/// What the ids of records begin with.
const KINDS: &[&str] = &["tests", "lint", "typecheck", "format", "build", "check", "commit", "push", "file"];

/// Nothing was recorded that could answer: what would.
fn missing(need: &Need, because: &Because) -> String {
    let (kind, named) = match need.id.split_once('/') {
        Some((kind, name)) => (kind, Some(name)),
        None => (need.id.as_str(), None),
    };
    let what = match (kind, named) {
        ("tests", None) => "no test run".to_owned(),
        ("tests", Some(runner)) => format!("no {runner} run"),
        ("check", Some(name)) => format!("no run of the check {name}"),
        ("commit", _) => "no commit".to_owned(),
        ("push", None) => "no push".to_owned(),
        ("push", Some(name)) => format!("no push to {name}"),
        ("file", Some(path)) => format!("no edit of {path}"),
        ("lint" | "typecheck" | "format" | "build", None) => format!("no {kind} run"),
        (kind, None) => {
            let hint = nearest(kind, KINDS.iter().copied()).map(|right| format!("; did you mean `{right}`?"));
            return format!("nothing records `{kind}`{}", hint.unwrap_or_default());
        }
        (_, Some(name)) => format!("no {name} run"),
    };
    let mut fact = match need.says {
        Says::Yes if kind == "file" && need.part.is_some() => {
            let (path, verb) = (named.unwrap_or_default(), need.part.as_deref().unwrap_or_default());
            format!("nothing recorded shows that {path} was {verb}")
        }
        Says::NotDone => format!("{what} is recorded, and nothing recorded says otherwise"),
        _ if need.part.as_deref().is_some_and(|part| part != EVERYTHING && part != NOTHING_LEFT) => {
            format!("{what} of that part is recorded on these files")
        }
        _ => format!("{what} is recorded that shows it"),
    };
    if let Some(note) = because.notes.first() {
        fact.push_str(&format!(" ({})", shorten(note, CLAUSE)));
    }
    if let Some(step) = remedy::step(need) {
        fact.push_str(&format!("; {step}"));
    }
    fact
}
