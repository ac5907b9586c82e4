//! From one event of a rollout to everything that is recorded of it.
//!
//! What a rollout tells is history: no sensor looks at the host here, and a claim has no worktree. Evidence is the same
//! whether the hook found the line or somebody read the whole file; where reading stood is not part of it.

use serde_json::{Map, Value, json};

use super::EvidenceSensor;
use super::capture::{self, Body};
use super::clean::Cleaner;
use super::codex::{
    CodexCustomToolCallOutputSensor, CodexExecCommandEndSensor, CodexFileChangeSensor, CodexHookSensor,
    CodexItemCompletedSensor,
};
use super::scene::Scene;
use super::tool_result::ToolResultSensor;
use crate::evidence::event::{Action, AgentEvent, Via};
use crate::evidence::id::{digest_fields, sha256_hex};
use crate::ledger::{Draft, EntryKind};

/// A call, as the hook is told of it or as the rollout has it: one sensor sees each.
pub fn call(event: &AgentEvent<'_>, scene: &Scene) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let mut see = |sensor: &dyn EvidenceSensor| capture::see(sensor, event, scene, &mut drafts);
    match (&event.action, event.via, event.name.as_ref()) {
        (Action::Tool(_), via, _) => see(&ToolResultSensor { scene, via }),
        (Action::Command(_) | Action::Edit(_), Via::Hook | Via::Host, _) => see(&CodexHookSensor { scene }),
        (Action::Edit(_), Via::File, _) => see(&CodexFileChangeSensor { scene }),
        (Action::Command(_), Via::File, "item_completed") => see(&CodexItemCompletedSensor { scene }),
        (Action::Command(_), Via::File, "exec_command_end") => see(&CodexExecCommandEndSensor { scene }),
        (Action::Command(_) | Action::Batch(_), Via::File, _) => see(&CodexCustomToolCallOutputSensor { scene }),
        _ => {}
    }
    drafts
}

/// Where a line of a rollout stands: what tells two entries apart that nothing else does.
pub struct Standing<'a> {
    pub thread: &'a str,
    /// Where the line begins, in bytes of the uncompressed file.
    pub offset: u64,
    /// What the rollout's first line says beside where the session was: the client's version, what it goes on from.
    pub opened: Option<Map<String, Value>>,
}

/// Anything that a line of a rollout told.
pub fn line(event: &AgentEvent<'_>, scene: &Scene, standing: Standing<'_>) -> Vec<Draft> {
    match &event.action {
        Action::Stopped(_) => vec![claim(event, scene, &standing)],
        // A sub-agent's rollout begins in the middle of its parent's session.
        Action::SessionStarted { .. } if event.agent.is_some() => {
            vec![session(event, scene, standing, "SubagentStart")]
        }
        Action::SessionStarted { .. } => vec![session(event, scene, standing, "SessionStart")],
        Action::TurnBegan => vec![session(event, scene, standing, "TurnBegan")],
        Action::Interrupted { .. } => vec![session(event, scene, standing, "Interrupt")],
        Action::Compacted => vec![session(event, scene, standing, "Compacted")],
        _ => call(event, scene),
    }
}

/// The turn, or where the line stands if no turn is told.
fn turn(event: &AgentEvent<'_>, body: &mut Body, standing: &Standing<'_>) -> (Option<String>, String) {
    let turn = event.turn_id.as_deref().map(|turn| body.clean.text(turn));
    let part = turn.clone().unwrap_or_else(|| standing.offset.to_string());
    (turn, part)
}

/// That a rollout was read up to a place at which nothing new was found: its body has nothing else to say.
pub fn read(thread: &str, session: &str, cwd: Option<&str>, offset: u64, scene: &Scene) -> Draft {
    let mut clean = Cleaner::default();
    let (thread, session, cwd) = (clean.text(thread), clean.text(session), cwd.map(|cwd| clean.text(cwd)));
    let root = scene.root.as_ref().map(|root| clean.text(&root.to_string_lossy()));
    let id = digest_fields(&["codex", &session, "rollout", "read", &thread, &offset.to_string()]);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("id", id.as_str().into());
    put("session_id", session.into());
    put("client", "codex".into());
    put("event", "RolloutRead".into());
    put("observed_at", scene.collected_at.as_str().into());
    put("context", json!({"root": root, "cwd": cwd, "head": null, "branch": null}));
    Draft { kind: EntryKind::Session, id, body }
}

fn session(event: &AgentEvent<'_>, scene: &Scene, standing: Standing<'_>, name: &str) -> Draft {
    let mut body = Body::of(event, scene);
    let (turn, part) = turn(event, &mut body, &standing);
    let thread = body.clean.text(standing.thread);
    let id = body.id(&["rollout", &event.name, &thread, &part]);
    body.put("event", name);
    let (key, told) = match &event.action {
        Action::SessionStarted { source } => ("source", source),
        Action::Interrupted { reason } => ("reason", reason),
        _ => ("source", &None),
    };
    if let Some(told) = told.as_deref().map(|told| body.clean.text(told)) {
        body.put(key, told);
    }
    if let Some(turn) = turn {
        body.put("turn_id", turn);
    }
    if let Some(opened) = standing.opened {
        let opened = body.clean.capped_json(Value::Object(opened), OPENED_CAP);
        body.put("config", Value::Null);
        body.put("rollout", opened);
    }
    body.put("capture", Map::from_iter([("version".to_owned(), Value::from(env!("CARGO_PKG_VERSION")))]));
    body.put("observed_at", event.observed_at.as_str());
    body.draft(EntryKind::Session, id)
}

const OPENED_CAP: usize = 4 * 1024;

/// The agent's last words of a turn. The hook records them too, with what the host saw; readers fold the two by turn.
fn claim(event: &AgentEvent<'_>, scene: &Scene, standing: &Standing<'_>) -> Draft {
    let mut body = Body::of(event, scene);
    let message = match &event.action {
        Action::Stopped(stop) => stop.message.as_deref().map(|message| body.clean.text(message)),
        _ => None,
    };
    let (turn, part) = turn(event, &mut body, standing);
    let thread = body.clean.text(standing.thread);
    let said = sha256_hex(message.as_deref().unwrap_or_default().as_bytes());
    let id = body.id(&["claim", "task_complete", &thread, &part, &said]);
    body.put("turn_id", turn);
    body.put("event", "task_complete");
    body.put("message", message);
    body.put("stop_hook_active", false);
    body.put("running", Value::Array(Vec::new()));
    body.put("worktree", Value::Null);
    body.put("git", Value::Null);
    body.put("observed_at", event.observed_at.as_str());
    body.put_redacted();
    body.draft(EntryKind::Claim, id)
}
