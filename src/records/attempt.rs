//! Which of several commits and attempts the words are about.
//!
//! A commit that was made stays made, whatever fails after it; but it does not stand for work that came later and that git
//! refused. Such words are not shown: neither are they contradicted, since a commit there is.

use serde_json::Value;

use super::files::relative;
use super::git::{GitDeed, GitOp};
use super::outcome::Outcome;
use super::remains::has_name;
use super::run::Run;
use super::story::Story;

/// The last deed that counts; those that did nothing leave a note. `deeds` are of one kind, in order.
pub fn governing(deeds: &[&GitDeed], all: &[GitDeed], story: &Story, notes: &mut Vec<String>) -> Option<GitDeed> {
    let mut made: Option<&GitDeed> = None;
    let mut governing: Option<GitDeed> = None;
    for deed in deeds {
        let commits = deed.op == GitOp::Commit;
        if deed.idle {
            notes.push(deed.detail.clone());
        } else if deed.outcome == Outcome::Confirmed {
            made = Some(deed);
            governing = Some(pushed_nothing_of(deed, all, story).unwrap_or_else(|| (*deed).clone()));
        } else if let Some(made) = made.filter(|_| commits) {
            if let Some(how) = &deed.stood
                && left(Some(made), deed, story)
            {
                governing = Some(refused_since(made, deed, how, story));
            }
        } else if deed.outcome == Outcome::Refuted
            || deed.stood.is_none()
            || governing.as_ref().is_none_or(|held| held.outcome != Outcome::Refuted)
        {
            governing = Some((*deed).clone());
        }
    }
    governing
}

/// The attempt, beside the commit that it did not add to.
fn refused_since(made: &GitDeed, deed: &GitDeed, how: &str, story: &Story) -> GitDeed {
    let (tried, before) = (story.runs[deed.run].seq, story.runs[made.run].seq);
    let detail = format!("{how} (#{tried}), and HEAD had not moved since #{before}");
    GitDeed { outcome: Outcome::Unknown, detail, ..deed.clone() }
}

/// "Everything up-to-date" after a commit that was refused says nothing of what was to be committed.
fn pushed_nothing_of(push: &GitDeed, all: &[GitDeed], story: &Story) -> Option<GitDeed> {
    let nothing = push.stood.as_ref().filter(|_| push.op != GitOp::Commit)?;
    let mut made = None;
    let mut refused = None;
    for commit in all.iter().filter(|d| d.op == GitOp::Commit && !d.idle && d.run <= push.run) {
        if commit.outcome == Outcome::Confirmed {
            (made, refused) = (Some(commit), None);
        } else if commit.stood.is_some() && left(made, commit, story) {
            refused = commit.stood.as_ref().map(|how| format!("{how} (#{})", story.runs[commit.run].seq));
        }
    }
    let detail = format!("{nothing}: {}", refused?);
    Some(GitDeed { outcome: Outcome::Unknown, detail, ..push.clone() })
}

/// Whether something lay there for the attempt to commit that the commit before it does not hold: a file that the session
/// edited, or a tracked one that has changed since. What the user left in the tree is none of the agent's.
fn left(made: Option<&GitDeed>, deed: &GitDeed, story: &Story) -> bool {
    let tried = &story.runs[deed.run];
    let before = made.map(|made| &story.runs[made.run]);
    // Another worktree's commit and this one's attempt have nothing to do with each other.
    if before.is_some_and(|before| before.root != tried.root) {
        return false;
    }
    let root = tried.root.as_deref();
    let since = |seq: u64| before.is_none_or(|before| seq > before.seq);
    let edits = || story.edits.iter().filter(|e| !e.failed && e.seq < tried.seq);
    let Some(rows) = rows(tried) else { return edits().any(|e| since(e.seq)) };
    let held = before.and_then(self::rows);
    // A new file that a command wrote is work if it was added: a log that lies there is none.
    let after = before.map_or(0, |before| before.seq);
    let ran = || story.runs.iter().filter(|run| run.seq > after && run.seq <= tried.seq);
    let adds = ran().any(|run| has_name(&run.command, "git") && has_name(&run.command, "add"));
    let wrote = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        ran().any(|run| has_name(&run.command, name))
    };
    rows.iter().any(|row| {
        let path = row["path"].as_str().unwrap_or_default();
        let added = row["status"] == "A";
        let new = held.is_some_and(|held| !held.contains(row)) && (!added || (adds && wrote(path)));
        let edited = edits().any(|e| (since(e.seq) || !(added || deed.amends)) && relative(&e.path, root) == path);
        edited || new
    })
}

/// The files that differed from HEAD after a run, if the host saw them all.
fn rows(run: &Run) -> Option<&Vec<Value>> {
    let look = run.worktree().filter(|look| look["tree"].is_string() && look["changed_cut"] != Value::Bool(true))?;
    look["changed"].as_array()
}
