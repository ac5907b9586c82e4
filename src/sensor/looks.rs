//! The host's own looks beside an event: at the worktree and at git, at that moment and only then.
//!
//! Each starts git, so they are taken only for what [`super::scan`] lets through, and only in the session's own repository
//! and its worktrees: another one may be anybody's.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::EvidenceSensor;
use super::capture::{self, Looks};
use super::checkout::same_repository;
use super::clean::Cleaner;
use super::git::{self, HostGitSensor};
use super::scene::Scene;
use super::tree::observe;
use super::worktree::{BUDGET, HostWorktreeSensor, Worktree};
use crate::evidence::event::AgentEvent;
use crate::evidence::{Evidence, RuntimeCapabilities};
use crate::ledger::Draft;

/// Beside an event: evidence of each look. `project` is the session's.
pub fn at_event(event: &AgentEvent<'_>, scene: &Scene, project: &Path) -> Vec<Draft> {
    let context = || scene.context(event, &mut Cleaner::default());
    let (worktree, ours) = worktree(event, project);
    let capabilities = RuntimeCapabilities::of(event.client.as_str());
    let tree = HostWorktreeSensor { seen: Some(&worktree), budget: BUDGET, context: context() };
    let mut seen = tree.collect(event, &capabilities).evidence;
    if ours {
        let git = HostGitSensor { seen: Some(&worktree), budget: BUDGET, context: context() };
        let outcome = git.collect(event, &capabilities);
        // That it failed where the worktree's look did too is said there.
        seen.extend(outcome.evidence);
    }
    seen.into_iter().map(redacted).map(capture::evidence).collect()
}

/// Beside a claim: what was seen, as it stands in the claim's entry.
pub fn at_stop(event: &AgentEvent<'_>, project: &Path) -> Looks {
    let (worktree, ours) = worktree(event, project);
    let git = ours.then(|| git::look(&place(event, project), BUDGET, Some(&worktree)).ok()).flatten();
    let mut clean = Cleaner::default();
    Looks {
        worktree: Some(clean.json(worktree.to_json().into())),
        git: git.map(|git| clean.json(git.to_json().into())),
    }
}

/// The worktree that the agent is in; and whether it is one of the session's own repository.
fn worktree(event: &AgentEvent<'_>, project: &Path) -> (Worktree, bool) {
    let place = place(event, project);
    if place == project || same_repository(&place, project) {
        (observe(&place, BUDGET), true)
    } else {
        (Worktree::without("the agent was outside of the session's own repository"), false)
    }
}

fn place(event: &AgentEvent<'_>, project: &Path) -> PathBuf {
    event.cwd.as_deref().map_or_else(|| project.to_owned(), PathBuf::from)
}

/// Paths and branches are somebody's words too.
fn redacted(mut evidence: Evidence) -> Evidence {
    let mut clean = Cleaner::default();
    evidence.payload = clean.json(std::mem::take(&mut evidence.payload));
    evidence.session_id = clean.text(&evidence.session_id);
    evidence.source_event_id = evidence.source_event_id.map(|call| clean.text(&call));
    evidence.provenance = clean.text(&evidence.provenance);
    if clean.count() > 0
        && let Value::Object(payload) = &mut evidence.payload
    {
        payload.insert("redacted".into(), clean.count().into());
    }
    evidence
}
