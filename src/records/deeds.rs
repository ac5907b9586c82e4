//! What a claim about a commit or a push comes to.

use super::attempt::governing;
use super::git::{GitDeed, GitOp};
use super::need::{Because, Moment, Need, Record, Says, record};
use super::outcome::Outcome;
use super::remains::of_everything;
use super::since::{overtaken, settled};
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
    let mut governing = governing(&deeds, &checks.git, story, &mut because.notes);
    if let Wanted::Opaque(subject) = &need.wanted
        && let Some(sha) = subject.strip_prefix("commit:")
    {
        governing = checks.git.iter().rev().find(|d| d.sha.as_deref() == Some(sha)).cloned().or(governing);
    }
    let Some(deed) = &governing else { return (None, because) };
    let mut deed = overtaken(deed, need, story, moment);
    if deed.outcome == Outcome::Refuted && tried_otherwise(story, checks, &deed, moment) {
        deed.outcome = Outcome::Unknown;
        deed.detail.push_str(", but it was tried again in a way that is not followed");
    }
    if deed.outcome == Outcome::Refuted && need.id == "push" && pushed_elsewhere(story, checks, &deed, moment) {
        deed.outcome = Outcome::Unknown;
        deed.detail.push_str(", but another branch was pushed after it");
    }
    of_everything(&mut deed, need, story, moment);
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

/// A push of another branch came after the refused one, and was not refused.
fn pushed_elsewhere(story: &Story, checks: &Checks, deed: &GitDeed, moment: &Moment) -> bool {
    let until = |d: &&GitDeed| moment.until.is_none_or(|until| story.runs[d.run].millis <= until);
    let mut later = checks.git.iter().filter(|d| d.run >= deed.run).filter(until);
    later.any(|d| matches!(d.op, GitOp::Push { .. }) && d.op != deed.op && d.outcome != Outcome::Refuted)
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
