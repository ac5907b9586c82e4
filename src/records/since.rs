//! What was recorded, against what the host saw when the words were said: a failure that was mended by other means since, a
//! push that HEAD has left, an edit that was taken back, a deed of an earlier turn.

use std::path::Path;

use serde_json::Value;

use super::files::FileDeed;
use super::git::{GitDeed, GitOp};
use super::need::{Moment, Need, Says};
use super::outcome::Outcome;
use super::story::Story;

/// What failed when it was tried can have been done since by a script, an alias, another client or the user: no failure
/// holds against what the host saw when the words were said.
pub fn overtaken(deed: &GitDeed, need: &Need, story: &Story, moment: &Moment) -> GitDeed {
    let mut deed = deed.clone();
    let now = &moment.git;
    let then = story.runs[deed.run].gits.last().map(|(_, look)| look);
    let since = match &deed.op {
        GitOp::Push { remote, name, .. } if deed.outcome == Outcome::Confirmed && need.says == Says::Yes => {
            let branch = now["branch"].as_str().filter(|branch| need.id == "push" && branch == name);
            let there = branch.map(|branch| &now["remotes"][format!("{remote}/{branch}").as_str()]);
            let left = there.is_some_and(|sha| sha.is_string() && now["head"].is_string() && *sha != now["head"]);
            let at = now["remotes"][format!("{remote}/{name}").as_str()].as_str();
            let moved = at.zip(deed.sha.as_deref()).is_some_and(|(at, sha)| at != sha);
            match (left, moved) {
                (true, _) => Some("HEAD is not there now"),
                (false, true) => Some("the remote branch is at another commit now"),
                (false, false) => None,
            }
        }
        GitOp::Commit if deed.outcome == Outcome::Confirmed && need.says == Says::Yes => {
            went_back(&deed, story, moment).then_some("HEAD was put back since")
        }
        _ if deed.outcome == Outcome::Confirmed => None,
        GitOp::Commit if deed.outcome == Outcome::Unknown && deed.stood.is_none() => None,
        GitOp::Push { .. } if deed.outcome == Outcome::Unknown => None,
        GitOp::Commit => head(moment)
            .is_some_and(|head| then.and_then(|look| look["head"].as_str()).is_some_and(|then| then != head))
            .then_some("HEAD has moved since"),
        GitOp::Push { remote, name, .. } => {
            let branch = now["branch"].as_str();
            let wanted = if need.id == "push" { branch.unwrap_or(name) } else { name };
            let pushed = [&now["remotes"][format!("{remote}/{wanted}").as_str()], &now["upstream"]["sha"]];
            let in_sync = now["head"].is_string() && pushed.into_iter().any(|sha| *sha == now["head"]);
            let other = need.id == "push" && branch.is_some_and(|branch| branch != name);
            (in_sync || other).then_some(if in_sync {
                "the remote is at HEAD now"
            } else {
                "another branch is checked out now"
            })
        }
    };
    if let Some(since) = since {
        deed.outcome = Outcome::Unknown;
        deed.detail = format!("{}, but {since}", deed.detail);
    }
    deed
}

/// `git reset` after the commit: on the same branch, HEAD stands where it stood before.
pub fn went_back(deed: &GitDeed, story: &Story, moment: &Moment) -> bool {
    let run = &story.runs[deed.run];
    let then = run.gits.last().map(|(_, look)| &look["branch"]);
    let now = &moment.git["branch"];
    let same_branch = now.is_null() || then.is_none_or(|then| then == now);
    let before = |head: &str| story.heads.iter().any(|seen| seen.seq < run.seq && seen.sha == head);
    same_branch && head(moment).is_some_and(|head| deed.sha.as_deref() != Some(head) && before(head))
}

/// HEAD at the moment that the claims are about.
pub fn head(moment: &Moment) -> Option<&str> {
    moment.git["head"].as_str().or(moment.worktree["head"].as_str())
}

/// It was done in the turn that the words end, and neither HEAD nor a file moved since, so that "not committed" can only be
/// about what was.
pub fn settled(story: &Story, deed: &GitDeed, moment: &Moment) -> bool {
    let seq = story.runs[deed.run].seq;
    let untouched = !story.edits.iter().any(|e| e.seq > seq && !e.failed);
    let clean = moment.worktree["changed"].as_array().is_some_and(Vec::is_empty);
    let unmoved = deed.sha.is_some() && deed.sha.as_deref() == head(moment);
    untouched && clean && unmoved && in_turn(story, seq, moment)
}

/// Words about what was not done are about the turn that they end.
pub fn in_turn(story: &Story, seq: u64, moment: &Moment) -> bool {
    story.turn_at(moment.until).is_none_or(|began| seq > began)
}

/// The host saw every file that differs from the commit that the session began with, and this one is none of them.
pub fn undone(story: &Story, edit: &FileDeed, moment: &Moment) -> bool {
    let look = &moment.worktree;
    let began = story.heads.first().map(|head| head.sha.as_str());
    let differs = |row: &Value| row["path"].as_str().is_some_and(|path| Path::new(&edit.path).ends_with(path));
    look["head"].is_string()
        && look["head"].as_str() == began
        && look["changed_cut"] != Value::Bool(true)
        && look["changed"].as_array().is_some_and(|rows| !rows.iter().any(differs))
}
