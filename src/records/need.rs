//! What a claim needs, and the judge record that answers it. Trust, polarity, count and part become records with ids of
//! their own (`tests?says=fail`) before judging, so that the pure judge knows none of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::check::CheckRun;
use super::counted::{counts_the_passed, differs, names_as_many, owns_up};
use super::deeds::git_record;
use super::file_deeds::file_record;
use super::files::relative;
use super::fold::{Governing, fold};
use super::git::GitDeed;
use super::outcome::{Executed, Outcome};
use super::owned::Owned;
use super::part::{part_record, passed_with_less, speaks_of_another_part};
use super::retried::retried;
use super::run::EvidenceRef;
use super::since::in_turn;
use super::story::{Checks, Story};
use super::subject::Wanted;
use super::summary::Counts;

/// One thing that a claim needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// `tests`, `tests/pytest`, `check/contract`, `commit`, `push/origin/main`, `file/src/a.rs`.
    pub id: String,
    pub says: Says,
    pub count: Option<(Option<u64>, Option<u64>)>,
    /// A named subset of the tests.
    pub part: Option<String>,
    /// Accepted trust classes; empty: any.
    pub trust: Vec<String>,
    pub wanted: Wanted,
    /// Failures that the message names beside the claim.
    pub owned: Owned,
    /// The sentence says more than the claim: nothing contradicts it.
    pub hedged: bool,
    /// A linter's warnings are no failure of it.
    pub allows_warnings: bool,
    /// The words of the message that it stands in, in lower case.
    pub beside: Arc<BTreeSet<String>>,
    /// It says of itself that it is about all.
    pub whole: bool,
}

/// The part of a commit that is all of the work: nothing may be left uncommitted.
pub const EVERYTHING: &str = "everything";

/// The same, said so plainly that a file of the session's own that is left contradicts it.
pub const NOTHING_LEFT: &str = "nothing left";

/// What a claim says of its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// It passes, or was done.
    Yes,
    /// The check fails.
    Fails,
    /// The deed was not done.
    NotDone,
}

/// The moment that claims are judged at.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    /// Only what was observed until then, milliseconds.
    pub until: Option<i64>,
    /// The worktree as the host saw it then; for naming what changed since.
    pub worktree: Value,
    /// The host's look at git then.
    pub git: Value,
}

/// A record for the judge, with what it rests on.
#[derive(Debug, Clone)]
pub struct Record {
    pub id: String,
    pub outcome: Outcome,
    pub subject: Option<String>,
}

/// Why a record is what it is, or why there is none.
#[derive(Debug, Clone, Default)]
pub struct Because {
    pub check: Option<CheckRun>,
    pub git: Option<GitDeed>,
    pub file: Option<(String, Outcome)>,
    pub at_wanted: bool,
    pub evidence: Vec<EvidenceRef>,
    /// The counts that the record has where the claim has others.
    pub count_differs: Option<Counts>,
    /// The worktree that the deciding run saw.
    pub worktree: Value,
    /// The worktree at the moment that the claim is about.
    pub wanted_worktree: Value,
    /// The first file edited after the deciding run, from the session's own edits.
    pub edited_since: Option<String>,
    /// The files that differ between the deciding run's state and the wanted one, as far as known; filled in by whoever may
    /// ask git.
    pub changed: Vec<String>,
    /// `changed` is all that differs.
    pub changed_is_all: bool,
    /// A later pass that leaves open whether the failure still holds.
    pub eclipsed_by: Option<String>,
    /// Why what was seen does not contradict the claim, where it would otherwise.
    pub open: Option<&'static str>,
    /// The deciding run had gone to the background and was not seen to end by then: what is known of it.
    pub unended: Option<String>,
    /// Runs that were looked at and show nothing: why.
    pub notes: Vec<String>,
}

impl Need {
    pub fn new(id: impl Into<String>, wanted: Wanted) -> Need {
        Need {
            id: id.into(),
            says: Says::Yes,
            count: None,
            part: None,
            trust: Vec::new(),
            wanted,
            owned: Owned::default(),
            hedged: false,
            allows_warnings: false,
            beside: Arc::default(),
            whole: true,
        }
    }

    /// The record's id: the base, and what was derived from it.
    pub fn record_id(&self) -> String {
        let mut id = self.id.clone();
        let mut mark = '?';
        let mut add = |key: &str, value: &str| {
            id.push(mark);
            id.push_str(key);
            id.push('=');
            id.push_str(value);
            mark = '&';
        };
        match self.says {
            Says::Yes => {}
            Says::Fails => add("says", "fail"),
            Says::NotDone => add("says", "not_done"),
        }
        if let Some((passed, failed)) = self.count {
            let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
            add("count", &format!("{},{}", number(passed), number(failed)));
        }
        if let Some(part) = &self.part {
            add("part", part);
        }
        if !self.owned.is_empty() {
            add("owned", "failures");
        }
        if self.allows_warnings {
            add("allows", "warnings");
        }
        if self.hedged {
            add("hedged", "sentence");
        }
        if !self.trust.is_empty() {
            add("trust", &self.trust.join(","));
        }
        id
    }
}

/// Answers a need from the story. `None`: nothing was recorded that could answer it.
pub fn resolve(need: &Need, story: &Story, checks: &Checks, moment: &Moment) -> (Option<Record>, Because) {
    let (record, mut because) = match need.id.split('/').next().unwrap_or_default() {
        "commit" => git_record(need, story, checks, moment),
        "push" => git_record(need, story, checks, moment),
        "file" => file_record(need, story, checks, moment),
        _ => check_record(need, story, checks, moment),
    };
    because.wanted_worktree = moment.worktree.clone();
    let mut record = record.map(|r| Record { id: need.record_id(), ..r });
    if let Some(refuted) = record.as_mut().filter(|r| r.outcome == Outcome::Refuted) {
        let failed = || checks.own.iter().any(|c| answers(need, c) && c.judged.outcome == Outcome::Refuted);
        because.open = match need.says {
            _ if need.hedged => Some("its sentence limits what it says"),
            Says::Fails if failed() => Some("a run before it failed"),
            _ => None,
        };
        if because.open.is_some() {
            refuted.outcome = Outcome::Unknown;
        }
    }
    (record, because)
}

fn check_record(need: &Need, story: &Story, checks: &Checks, moment: &Moment) -> (Option<Record>, Because) {
    let mut because = Because::default();
    let trusted = |c: &&CheckRun| accepts(need, story.evidence_of(c.run));
    let until = |c: &&CheckRun| moment.until.is_none_or(|until| story.runs[c.run].millis <= until);
    let own: Vec<&CheckRun> = checks.own.iter().filter(|c| answers(need, c)).filter(trusted).filter(until).collect();
    for run in &own {
        if let Some(reason) = run.judged.reason.as_ref().filter(|_| run.judged.executed == Executed::Nothing) {
            because.notes.push(format!("`{}`: {reason}", run.text));
        } else if run.filter.is_some() && run.judged.outcome == Outcome::Confirmed {
            because.notes.push(format!("`{}` passed, but it was narrowed to a part", run.text));
        }
    }
    because.notes.extend(checks.own.iter().filter(|c| answers(need, c)).filter_map(|c| ended_later(c, story, moment)));
    if need.says == Says::NotDone {
        return not_done(need, story, &own, moment, because);
    }
    if let Some(part) = &need.part {
        return part_record(need, part, story, &own, because);
    }
    let governing = fold(&own, &need.wanted);
    let decided = governing.as_ref().is_some_and(|g| g.at_wanted && g.outcome != Outcome::Unknown);
    if !decided && let Some(record) = earlier_support(need, story, checks, &mut because) {
        return (Some(record), because);
    }
    let Some(Governing { run, outcome, at_wanted, eclipsed_by }) = governing else { return (None, because) };
    let check = own[run];
    because.eclipsed_by = eclipsed_by.map(|later| own[later].text.clone());
    explain(&mut because, check, story, at_wanted);
    because.unended = unended(check, story, moment);
    because.evidence = story.evidence_of(check.run).to_vec();
    let mut outcome = outcome;
    if outcome == Outcome::Refuted && need.allows_warnings && check.judged.only_warnings {
        because.open = Some("what it names are warnings");
        outcome = if check.judged.own_exit == Some(0) { Outcome::Confirmed } else { Outcome::Unknown };
    }
    if need.says == Says::Fails {
        outcome = exchange(outcome);
    }
    if let Some(count) = need.count
        && outcome == Outcome::Confirmed
        && let Some(recorded) = &check.judged.counts
        && differs(count, recorded)
    {
        because.count_differs = Some(*recorded);
        outcome = Outcome::Unknown;
    }
    if need.says == Says::Yes && outcome == Outcome::Refuted {
        if owns_up(need, check) {
            because.open = Some("the message names that failure itself");
        } else if names_as_many(need, check) || counts_the_passed(need, check) {
            because.open = Some("as many as the message counts");
        } else if speaks_of_another_part(need, check, &own) {
            because.open = Some("another part passed, and the message may be about that");
        } else if passed_with_less(need, check, &own) {
            because.open = Some("without some of its options it passed on the same files");
        } else if let Some(later) = retried(check, story, checks, moment) {
            because.eclipsed_by = Some(later);
            outcome = Outcome::Unknown;
        }
        if because.open.is_some() {
            outcome = Outcome::Unknown;
        }
    }
    (Some(record(outcome, subject(check, need, at_wanted))), because)
}

/// A record whose id is put in later.
pub(super) fn record(outcome: Outcome, subject: Option<String>) -> Record {
    Record { id: String::new(), outcome, subject }
}

fn subject(check: &CheckRun, need: &Need, at_wanted: bool) -> Option<String> {
    let wanted = if at_wanted { need.wanted.to_wire() } else { None };
    wanted.or_else(|| check.subject.to_wire())
}

pub(super) fn explain(because: &mut Because, check: &CheckRun, story: &Story, at_wanted: bool) {
    let run = &story.runs[check.run];
    because.at_wanted = at_wanted;
    because.worktree = run.worktree().cloned().unwrap_or_default();
    let later = story.edits.iter().find(|e| e.seq > run.seq && !e.failed);
    because.edited_since = later.map(|e| relative(&e.path, run.root.as_deref()));
    because.check = Some(check.clone());
}

/// A run that went to the background and whose end is not recorded.
fn unended(check: &CheckRun, story: &Story, moment: &Moment) -> Option<String> {
    let run = &story.runs[check.run];
    if !run.background || run.exit.code.is_some() || check.judged.outcome != Outcome::Unknown {
        return None;
    }
    let words = story.words.iter().find(|words| moment.until == Some(words.millis));
    let runs = words.zip(run.task.as_ref()).is_some_and(|(words, task)| words.running.contains(task));
    let end = if runs { "had not ended" } else { "its end was not seen" };
    Some(format!("`{}` was started in the background (#{}) and {end}", check.text, run.seq))
}

/// A run that had begun when the words were said and ended after them.
fn ended_later(check: &CheckRun, story: &Story, moment: &Moment) -> Option<String> {
    let run = &story.runs[check.run];
    let between = |until: i64| run.background && run.began <= until && until < run.millis;
    let began = run.evidence.first().map_or(run.seq, |e| e.seq);
    moment.until.is_some_and(between).then(|| {
        format!("`{}` was started in the background (#{began}) and ended only after this was said", check.text)
    })
}

/// `tests` takes every test runner, `tests/pytest` that one, `check/x` the declared check.
fn answers(need: &Need, check: &CheckRun) -> bool {
    match need.id.split_once('/') {
        None => need.id == check.check,
        Some((kind, name)) => kind == check.check && (name == check.runner || Some(name) == check.called),
    }
}

pub(super) fn exchange(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Confirmed => Outcome::Refuted,
        Outcome::Refuted => Outcome::Confirmed,
        Outcome::Unknown => Outcome::Unknown,
    }
}

/// A pass of another session at the very tree that is wanted supports; nothing of another session contradicts.
fn earlier_support(need: &Need, story: &Story, checks: &Checks, because: &mut Because) -> Option<Record> {
    if need.says != Says::Yes || !matches!(need.wanted, Wanted::Tree(_)) {
        return None;
    }
    let earlier: Vec<&CheckRun> = checks.earlier.iter().filter(|c| answers(need, c)).collect();
    let governing = fold(&earlier, &need.wanted).filter(|g| g.at_wanted && g.outcome == Outcome::Confirmed)?;
    let check = earlier[governing.run];
    let run = &story.earlier[check.run];
    if need.count.is_some_and(|count| check.judged.counts.as_ref().is_some_and(|seen| differs(count, seen)))
        || !accepts(need, &run.evidence)
    {
        return None;
    }
    because.check = Some(check.clone());
    because.at_wanted = true;
    because.evidence.clone_from(&run.evidence);
    because.notes.push("it ran in an earlier session, on these very files".into());
    Some(record(Outcome::Confirmed, need.wanted.to_wire()))
}

/// A run counts if how it ended was reported by a class that is accepted.
fn accepts(need: &Need, evidence: &[EvidenceRef]) -> bool {
    need.trust.is_empty() || evidence.iter().any(|e| e.reports && need.trust.contains(&e.trust_class))
}

/// "I have not run the tests" is contradicted only by a whole run of this turn on these files: "the
/// integration tests" and "the full suite" are not run by a part.
fn not_done(
    need: &Need,
    story: &Story,
    own: &[&CheckRun],
    moment: &Moment,
    mut because: Because,
) -> (Option<Record>, Because) {
    let ran = own
        .iter()
        .rev()
        .filter(|c| c.filter.is_none() && need.part.is_none() && in_turn(story, story.runs[c.run].seq, moment))
        .find(|c| c.judged.executed == Executed::Some && c.subject.matches(&need.wanted) && c.elsewhere.is_none());
    let Some(check) = ran else { return (None, because) };
    explain(&mut because, check, story, true);
    because.evidence = story.evidence_of(check.run).to_vec();
    (Some(record(Outcome::Refuted, need.wanted.to_wire())), because)
}
