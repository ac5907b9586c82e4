//! What a claim about a commit, a push or a file comes to.

use super::attempt::governing;
use super::files::{FileDeed, names, relative};
use super::git::{GitDeed, GitOp};
use super::need::{Because, Moment, Need, Record, Says, record};
use super::outcome::Outcome;
use super::remains::of_everything;
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
    let Some(last) = edits.last() else { return (seen_changed(need, written, story, moment, &mut because), because) };
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

/// No editing tool wrote it, but a command of this session names the file, and the host sees that it differs from the
/// commit that the session began with: `git rm`, `sed -i`, `mv`. Only ever support.
fn seen_changed(need: &Need, written: &str, story: &Story, moment: &Moment, because: &mut Because) -> Option<Record> {
    let look = &moment.worktree;
    let began = story.heads.first().map(|head| head.sha.as_str());
    if need.says != Says::Yes || !need.trust.is_empty() || began.is_none() || look["head"].as_str() != began {
        return None;
    }
    let mut rows =
        look["changed"].as_array()?.iter().filter(|row| row["path"].as_str().is_some_and(|p| names(written, p)));
    let row = rows.next().filter(|_| rows.next().is_none())?;
    let (status, path) = (row["status"].as_str()?, row["path"].as_str()?);
    let fits = match need.part.as_deref() {
        Some("removed") => status == "D",
        Some("created") => status == "A",
        Some(_) => false,
        None => matches!(status, "A" | "M"),
    };
    let until = |millis: i64| moment.until.is_none_or(|until| millis <= until);
    let name = path.rsplit('/').next().unwrap_or(path);
    let index = story.runs.iter().rposition(|run| {
        until(run.millis) && WRITERS.iter().any(|w| has_word(&run.command, w)) && has_word(&run.command, name)
    });
    let index = index.filter(|_| fits)?;
    let how = match status {
        "D" => "the host saw that it is gone",
        "A" => "the host saw it, and the commit that the session began with has none",
        _ => "the host saw that it differs from the commit that the session began with",
    };
    because.at_wanted = true;
    because.evidence = story.evidence_of(index).to_vec();
    because.file = Some((format!("{how}, after a command that names it"), Outcome::Confirmed));
    Some(record(Outcome::Confirmed, None))
}

/// Commands that write, move or remove files.
const WRITERS: &[&str] =
    &["rm", "mv", "cp", "sed", "perl", "tee", "truncate", "touch", "patch", "apply", "ln", "install"];

/// Whether the text has the word, with no letter, digit, dot or dash beside it.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}
