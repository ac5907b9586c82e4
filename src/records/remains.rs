//! What is left in the tree beside a commit that was to hold everything.

use serde_json::Value;

use super::files::{FileDeed, relative};
use super::git::{GitDeed, GitOp};
use super::need::{EVERYTHING, Moment, NOTHING_LEFT, Need, Says};
use super::outcome::Outcome;
use super::run::Run;
use super::since::head;
use super::story::Story;

/// Holds "everything is committed" against the files that differ from the commit when it is said.
pub fn of_everything(deed: &mut GitDeed, need: &Need, story: &Story, moment: &Moment) {
    let all = matches!(need.part.as_deref(), Some(EVERYTHING | NOTHING_LEFT));
    if !all || need.says != Says::Yes || deed.outcome != Outcome::Confirmed {
        return;
    }
    let rows = moment.worktree["changed"].as_array().map(Vec::as_slice).unwrap_or_default();
    // "Pushed everything" is of what was done here; the user's own changes are nothing to push.
    let counts = |row: &&Value| match deed.op {
        GitOp::Commit => is_work(row, deed, story),
        GitOp::Push { .. } => edits(row, deed, story).next().is_some(),
    };
    let left: Vec<&Value> = rows.iter().filter(counts).collect();
    let own = left.iter().find(|row| is_own(row, deed, story, moment));
    if let Some(row) = own.filter(|_| need.part.as_deref() == Some(NOTHING_LEFT)) {
        deed.outcome = Outcome::Refuted;
        deed.detail = format!("{}, and {}, which this session edited, is not committed", deed.detail, path(row));
    } else if let Some(row) = own.or(left.first()) {
        deed.outcome = Outcome::Unknown;
        deed.detail = format!("{}, but {} is not as it was committed; run git status", deed.detail, path(row));
    }
}

fn path(row: &Value) -> &str {
    row["path"].as_str().unwrap_or_default()
}

/// A tracked file; of those that git does not know, one that the session made. What else lies there is the user's, or was
/// left by a test run.
fn is_work(row: &Value, deed: &GitDeed, story: &Story) -> bool {
    let name = path(row).rsplit('/').next().unwrap_or_default();
    let first = story.worktrees.first();
    let rows = first.and_then(|(_, look)| look["changed"].as_array());
    let lay_there = rows.is_some_and(|rows| rows.iter().any(|first| path(first) == path(row)));
    let made = |run: &Run| match first {
        // The first look may have come after it was made.
        Some((seq, _)) if lay_there => run.seq < *seq && writes(&run.command, name),
        _ => has_name(&run.command, name),
    };
    row["status"] != "A" || edits(row, deed, story).next().is_some() || story.runs.iter().any(made)
}

/// A tracked file that the session edited: after the commit, or before it and the commit left it as it still is.
fn is_own(row: &Value, deed: &GitDeed, story: &Story, moment: &Moment) -> bool {
    let run = &story.runs[deed.run];
    let said = story.words.iter().find(|words| moment.until == Some(words.millis));
    let held = run.worktree().and_then(|look| look["changed"].as_array());
    let left = held.is_some_and(|rows| rows.contains(row));
    // "Everything" of one agent is nothing of another's, who may be at work in the same files.
    let by_who = |edit: &&FileDeed| edit.agent == said.and_then(|said| said.agent.clone());
    let mut edits = edits(row, deed, story).filter(by_who).filter(|edit| said.is_none_or(|said| edit.seq < said.seq));
    row["status"] != "A"
        && moment.worktree["clean"] == Value::Bool(false)
        && deed.sha.is_some()
        && head(moment) == deed.sha.as_deref()
        // An edit that was read later from the client's own file stands behind a commit that was made after it.
        && edits.any(|edit| left || (edit.is_looked_at() && edit.seq > run.seq))
}

/// The session's own edits of the file of a row.
fn edits<'s>(row: &'s Value, deed: &GitDeed, story: &'s Story) -> impl Iterator<Item = &'s FileDeed> {
    let root = story.runs[deed.run].root.as_deref();
    story.edits.iter().filter(move |edit| !edit.failed && relative(&edit.path, root) == path(row))
}

/// Whether a command has the name as a word.
pub fn has_name(command: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let stands = |at: usize| !command[..at].ends_with(part) && !command[at + name.len()..].starts_with(part);
    !name.is_empty() && command.match_indices(name).any(|(at, _)| stands(at))
}

/// Whether a command may have written a file of that name.
fn writes(command: &str, name: &str) -> bool {
    let writers = ["cp", "mv", "tee", "touch"];
    has_name(command, name) && (command.contains('>') || writers.iter().any(|word| has_name(command, word)))
}
