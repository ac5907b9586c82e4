//! What a claim about a file comes to.

use serde_json::Value;

use super::files::{FileDeed, names, relative};
use super::git::{GitDeed, short};
use super::need::{Because, Moment, Need, Record, Says, record};
use super::outcome::Outcome;
use super::run::EvidenceRef;
use super::since::{in_turn, undone, went_back};
use super::story::{Checks, Story};

/// `file/<path>`.
pub(super) fn file_record(need: &Need, story: &Story, checks: &Checks, moment: &Moment) -> (Option<Record>, Because) {
    let mut because = Because::default();
    let written = need.id.strip_prefix("file/").unwrap_or_default();
    let root = story.runs.iter().find_map(|r| r.root.as_deref());
    // "Left b.rs untouched" is about that very path; "updated b.rs" may leave out the folders.
    let meant = |e: &FileDeed| match need.says {
        Says::NotDone => written == e.path || written == relative(&e.path, root.or(e.root.as_deref())),
        _ => names(written, &e.path),
    };
    let edits: Vec<&FileDeed> = story.edits.iter().filter(|e| meant(e) && !e.failed).collect();
    let Some(last) = edits.last() else {
        let record = seen_changed(need, written, story, moment, &mut because)
            .or_else(|| committed(need, written, story, checks, moment, &mut because));
        return (record, because);
    };
    let (mut outcome, mut detail) = last.outcome();
    if outcome == Outcome::Unknown && need.says == Says::Yes && need.trust.is_empty() && differs(last, story, moment) {
        outcome = Outcome::Confirmed;
        detail = format!("{}, and the host saw that it differs from the commit", last.change);
    }
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

/// The host saw a difference from the commit that was not there before the edit, of the kind that the edit makes.
fn differs(edit: &FileDeed, story: &Story, moment: &Moment) -> bool {
    let path = relative(&edit.path, edit.root.as_deref());
    let fits = |status: Option<&str>| match edit.change.as_str() {
        "removed" => status == Some("D"),
        "created" => status == Some("A"),
        _ => matches!(status, Some("A" | "M")),
    };
    let row = |look: &Value| look["changed"].as_array()?.iter().find(|row| row["path"] == path.as_str()).cloned();
    // An edit that was read later from the client's own file stands behind looks that were taken after it.
    let before = story.worktrees.iter().rfind(|(seq, _)| *seq < edit.seq).filter(|_| edit.is_looked_at());
    let now = row(&moment.worktree).filter(|row| fits(row["status"].as_str()));
    now.is_some() && now != before.and_then(|(_, look)| row(look))
}

/// git itself said that a commit of this session deleted or created it. Only ever support.
fn committed(
    need: &Need,
    written: &str,
    story: &Story,
    checks: &Checks,
    moment: &Moment,
    because: &mut Because,
) -> Option<Record> {
    let change = need.part.as_deref().filter(|_| need.says == Says::Yes && need.trust.is_empty())?;
    let until = |deed: &&GitDeed| moment.until.is_none_or(|until| story.runs[deed.run].millis <= until);
    let commits = checks.git.iter().filter(|deed| deed.outcome == Outcome::Confirmed).filter(until);
    let files = commits.flat_map(|deed| deed.whole_files.iter().map(move |file| (deed, file)));
    let mut files = files.filter(|(_, file)| names(written, &file.path));
    let (deed, file) = files.next_back().filter(|(_, file)| file.change == change)?;
    let one = files.all(|(_, other)| other.path == file.path);
    // It may have come back since.
    let mut rows = moment.worktree["changed"].as_array()?.iter();
    if !one || rows.any(|row| row["path"] == file.path.as_str()) || went_back(deed, story, moment) {
        return None;
    }
    because.at_wanted = true;
    because.evidence = story.evidence_of(deed.run).to_vec();
    because.file = Some((format!("{change} by the commit at {}", short(deed.sha.as_deref()?)), Outcome::Confirmed));
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
