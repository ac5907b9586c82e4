//! What a claim about a commit, a push or a file comes to.

use super::files::{FileDeed, names, relative};
use super::git::{GitDeed, GitOp};
use super::need::{Because, Moment, Need, Record, Says, record};
use super::outcome::Outcome;
use super::run::EvidenceRef;
use super::since::{in_turn, overtaken, settled, undone};
use super::story::{Checks, Story};
use super::subject::Wanted;

/// `commit`, `push`, `push/<remote>/<ref>`.
pub(super) fn git_record(need: &Need, story: &Story, checks: &Checks, moment: &Moment) -> (Option<Record>, Because) {
    let mut because = Because::default();
    let wants_commit = need.id == "commit";
    let deeds: Vec<&GitDeed> = checks
        .git
        .iter()
        .filter(|d| moment.until.is_none_or(|until| story.runs[d.run].millis <= until))
        .filter(|d| match &d.op {
            GitOp::Commit => wants_commit,
            GitOp::Push { remote, name, current } => {
                !wants_commit && (need.id == format!("push/{remote}/{name}") || (need.id == "push" && *current))
            }
        })
        .filter(|d| need.trust.is_empty() || d.look.as_ref().is_some_and(|l| need.trust.contains(&l.trust_class)))
        .collect();
    let mut governing: Option<&GitDeed> = None;
    for deed in deeds {
        match (&governing, deed.outcome) {
            _ if deed.idle => because.notes.push(deed.detail.clone()),
            // A commit that was made stays made; only a push can be undone by what comes after.
            (Some(held), Outcome::Refuted | Outcome::Unknown) if wants_commit && held.outcome == Outcome::Confirmed => {
            }
            _ => governing = Some(deed),
        }
    }
    if let Wanted::Opaque(subject) = &need.wanted
        && let Some(sha) = subject.strip_prefix("commit:")
    {
        governing = checks.git.iter().rev().find(|d| d.sha.as_deref() == Some(sha)).or(governing);
    }
    let Some(deed) = governing else { return (None, because) };
    let mut deed = overtaken(deed, need, story, moment);
    if deed.outcome == Outcome::Refuted && tried_otherwise(story, checks, &deed, moment) {
        deed.outcome = Outcome::Unknown;
        deed.detail.push_str(", but it was tried again in a way that is not followed");
    }
    let deed = &deed;
    because.git = Some(deed.clone());
    because.at_wanted = true;
    because.evidence = story.evidence_of(deed.run).to_vec();
    let outcome = match need.says {
        // "The printer is not committed", beside a commit that was claimed: a part of the work.
        Says::NotDone if need.part.is_some() => Outcome::Unknown,
        Says::NotDone if deed.outcome == Outcome::Confirmed && settled(story, deed, moment) => Outcome::Refuted,
        Says::NotDone => Outcome::Unknown,
        _ => deed.outcome,
    };
    let subject = deed.sha.as_ref().map(|sha| format!("commit:{sha}"));
    (Some(record(outcome, subject)), because)
}

/// A later command names the same deed and is none that was followed: in another repository, through a script or a shell
/// that could not be read.
fn tried_otherwise(story: &Story, checks: &Checks, deed: &GitDeed, moment: &Moment) -> bool {
    let word = if deed.op == GitOp::Commit { "commit" } else { "push" };
    let names = |command: &str| command.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    let later = story.runs.iter().enumerate().skip(deed.run + 1);
    let mut later = later.filter(|(_, run)| moment.until.is_none_or(|until| run.millis <= until));
    later.any(|(index, run)| names(&run.command) && !checks.git.iter().any(|d| d.run == index))
}

/// `file/<path>`.
pub(super) fn file_record(need: &Need, story: &Story, moment: &Moment) -> (Option<Record>, Because) {
    let mut because = Because::default();
    let written = need.id.strip_prefix("file/").unwrap_or_default();
    let root = story.runs.iter().find_map(|r| r.root.as_deref());
    // "Left b.rs untouched" is about that very path; "updated b.rs" may leave out the folders.
    let meant = |e: &FileDeed| match need.says {
        Says::NotDone => written == e.path || written == relative(&e.path, root.or(e.root.as_deref())),
        _ => names(written, &e.path),
    };
    let edits: Vec<&FileDeed> = story.edits.iter().filter(|e| meant(e) && !e.failed).collect();
    let Some(last) = edits.last() else { return (None, because) };
    let (outcome, detail) = last.outcome();
    because.evidence.clone_from(&last.evidence);
    because.at_wanted = true;
    let trusted = |e: &EvidenceRef| need.trust.contains(&e.trust_class);
    if !need.trust.is_empty() && !last.evidence.last().is_some_and(trusted) {
        because.notes.push("the look at the file is not of an accepted trust class".into());
        return (None, because);
    }
    because.file = Some((detail, outcome));
    let outcome = match need.says {
        Says::NotDone => {
            let first = edits.first().and_then(|e| e.digest_before());
            let changed = last.digest().is_some() && last.digest() != first && !undone(story, last, moment);
            let done = outcome == Outcome::Confirmed && changed && in_turn(story, last.seq, moment);
            if done { Outcome::Refuted } else { Outcome::Unknown }
        }
        // "Deleted" and "created" are kept apart from a change.
        _ if need.part.as_ref().is_some_and(|verb| !edits.iter().any(|e| e.change == *verb)) => Outcome::Unknown,
        _ => outcome,
    };
    (Some(record(outcome, last.digest().map(|d| format!("sha256:{d}")))), because)
}
