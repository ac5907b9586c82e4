//! From one event to everything that is recorded of it: evidence of each sensor that has to do with it, and the entries
//! that are no evidence (a session's course, a claim, what could not be read).
//!
//! Architecture invariant: no I/O but that of the sensors. Every string of an entry has gone through a [`Cleaner`].

use serde_json::{Map, Value};

use super::claude_bash::ClaudeBashExitCodeSensor;
use super::claude_batch::ClaudeBatchSensor;
use super::claude_edit::ClaudeEditSensor;
use super::claude_git::ClaudeGitOutcomeSensor;
use super::claude_task::ClaudeTaskNotificationSensor;
use super::clean::{Cleaner, TEXT_CAP, cap_middle};
use super::host_file::HostFileSensor;
use super::scene::Scene;
use super::tool_result::ToolResultSensor;
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::{Action, AgentEvent, Stop};
use crate::evidence::id::{digest_fields, sha256_hex};
use crate::evidence::{Evidence, EvidenceSource, RuntimeCapabilities, SignalAvailability};
use crate::ledger::{Draft, EntryKind};

/// What the host saw of the worktree and of git at the moment of a claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Looks {
    pub worktree: Option<Value>,
    pub git: Option<Value>,
}

/// What a tool call, a batch of them, or the end of a background task leaves.
pub fn tool(event: &AgentEvent<'_>, scene: &Scene) -> Vec<Draft> {
    let mut drafts = Vec::new();
    match &event.action {
        Action::Command(_) => {
            see(&ClaudeBashExitCodeSensor { scene }, event, scene, &mut drafts);
            see(&ClaudeGitOutcomeSensor { scene }, event, scene, &mut drafts);
        }
        Action::Edit(_) => {
            see(&ClaudeEditSensor { scene }, event, scene, &mut drafts);
            see(&HostFileSensor { scene }, event, scene, &mut drafts);
        }
        Action::Tool(_) => see(&ToolResultSensor { scene, via: event.via }, event, scene, &mut drafts),
        Action::Batch(_) => see(&ClaudeBatchSensor { scene }, event, scene, &mut drafts),
        Action::TaskNotification(_) => see(&ClaudeTaskNotificationSensor { scene }, event, scene, &mut drafts),
        _ => {}
    }
    drafts
}

/// Lets one sensor look, and adds what came of it: its evidence and, where it saw less than it should, that it did.
pub fn see(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene, drafts: &mut Vec<Draft>) {
    let outcome = sensor.collect(event, &RuntimeCapabilities::of(event.client.as_str()));
    let missed = not_collected(sensor, event, scene, &outcome);
    drafts.extend(outcome.evidence.into_iter().map(evidence));
    drafts.extend(missed);
}

/// Evidence as an entry. Everything is moved: the payload may hold a megabyte of output.
pub fn evidence(evidence: Evidence) -> Draft {
    let Evidence { id, session_id, source_event_id, kind, observed_at, payload, provenance, source, extra } = evidence;
    let source = source.map_or(Value::Null, EvidenceSource::into_value);
    let mut body = Map::with_capacity(MEMBERS);
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("id", id.as_str().into());
    put("session_id", session_id.into());
    put("source_event_id", source_event_id.into());
    put("kind", kind.as_str().into());
    put("observed_at", observed_at.into());
    put("payload", payload);
    put("provenance", provenance.into());
    put("source", source);
    body.extend(extra);
    Draft { kind: EntryKind::Evidence, id, body }
}

/// What a body of evidence has, and what a reader adds to it.
const MEMBERS: usize = 10;

/// That a sensor saw less than it should; `None` where it saw what there was.
pub fn not_collected(
    sensor: &dyn EvidenceSensor,
    event: &AgentEvent<'_>,
    scene: &Scene,
    outcome: &SensorOutcome,
) -> Option<Draft> {
    if outcome.state == SignalAvailability::Available {
        return None;
    }
    let mut body = Body::of(event, scene);
    let detail = outcome.detail.as_deref().map(|detail| body.clean.text(detail)).unwrap_or_default();
    let call = event.call_id.as_deref().map(|call| body.clean.text(call));
    let (call_part, state) = (call.clone().unwrap_or_default(), outcome.state.as_str());
    let id = body.id(&["not_collected", &event.name, &call_part, sensor.name(), state, &detail]);
    if let Some(call) = call {
        body.put("source_event_id", call);
    }
    body.put("sensor", sensor.name());
    body.put("state", state);
    body.put("detail", detail);
    Some(body.draft(EntryKind::NotCollected, id))
}

/// The course of a session. `config` is the text of `deeds.json`, where the event is one at which it is recorded; `occasion`
/// tells a session's starts and ends from its earlier ones, for it may be resumed any number of times.
pub fn session(event: &AgentEvent<'_>, scene: &Scene, config: Option<&str>, occasion: &str) -> Option<Draft> {
    let mut body = Body::of(event, scene);
    let turn = event.turn_id.as_deref().map(|turn| body.clean.text(turn));
    let mut source = None;
    let mut task = None;
    let name = match &event.action {
        Action::SessionStarted { source: from } => {
            source = from.as_deref().map(|from| body.clean.text(from));
            "SessionStart"
        }
        Action::SessionEnded { reason } => {
            source = reason.as_deref().map(|reason| body.clean.text(reason));
            "SessionEnd"
        }
        Action::Interrupted { reason } => {
            source = reason.as_deref().map(|reason| body.clean.text(reason));
            "Interrupt"
        }
        Action::TurnBegan => "TurnBegan",
        Action::TaskCompleted { task_id } => {
            task = Some(body.clean.text(task_id));
            "TaskCompleted"
        }
        _ => return None,
    };
    let config = config.map(|text| body.clean.text(text));
    let config = config.map(|text| (sha256_hex(text.as_bytes()), cap_middle(text, TEXT_CAP).0));
    let part = |value: &Option<String>| value.clone().unwrap_or_default();
    let digest = config.as_ref().map(|(digest, _)| digest.clone()).unwrap_or_default();
    let id = body.id(&["session", name, &part(&turn), &part(&source), &part(&task), &digest, occasion]);
    body.put("event", name);
    let source_key = if matches!(name, "SessionEnd" | "Interrupt") { "reason" } else { "source" };
    for (key, value) in [("turn_id", turn), (source_key, source), ("task_id", task)] {
        if let Some(value) = value {
            body.put(key, value);
        }
    }
    if name == "SessionStart" {
        let config = config.map_or(Value::Null, |(digest, text)| {
            Map::from_iter([("digest".to_owned(), digest.into()), ("text".to_owned(), text.into())]).into()
        });
        body.put("config", config);
    }
    body.put("capture", Map::from_iter([("version".to_owned(), Value::from(env!("CARGO_PKG_VERSION")))]));
    body.put("observed_at", event.observed_at.as_str());
    Some(body.draft(EntryKind::Session, id))
}

/// The agent's last words of a turn, and what the host saw when they were said.
pub fn claim(event: &AgentEvent<'_>, stop: &Stop<'_>, looks: Looks, scene: &Scene) -> Draft {
    let mut body = Body::of(event, scene);
    let message = stop.message.as_deref().map(|message| body.clean.text(message));
    let turn = event.turn_id.as_deref().map(|turn| body.clean.text(turn));
    let running: Vec<Value> = stop.running.iter().take(MOST_RUNNING).map(|id| body.clean.text(id).into()).collect();
    let name = if stop.subagent { "SubagentStop" } else { "Stop" };
    let agent = event.agent.as_ref().map(|agent| body.clean.text(&agent.id)).unwrap_or_default();
    // The same words over another tree are another claim.
    let tree = looks.worktree.as_ref().and_then(|look| look.get("tree")?.as_str()).unwrap_or_default().to_owned();
    let said = sha256_hex(message.as_deref().unwrap_or_default().as_bytes());
    let active = if stop.stop_hook_active { "active" } else { "" };
    let id = body.id(&["claim", name, &agent, turn.as_deref().unwrap_or_default(), active, &said, &tree]);
    body.put("turn_id", turn);
    body.put("event", name);
    body.put("message", message);
    body.put("stop_hook_active", stop.stop_hook_active);
    body.put("running", running);
    body.put("worktree", looks.worktree);
    body.put("git", looks.git);
    body.put("observed_at", event.observed_at.as_str());
    body.put_redacted();
    body.draft(EntryKind::Claim, id)
}

/// Background tasks listed with a claim.
const MOST_RUNNING: usize = 100;

/// A body that begins with whose event it is and ends with where it happened.
pub(super) struct Body {
    map: Map<String, Value>,
    context: Value,
    session_id: String,
    client: &'static str,
    pub(super) clean: Cleaner,
}

impl Body {
    pub(super) fn of(event: &AgentEvent<'_>, scene: &Scene) -> Body {
        let mut clean = Cleaner::default();
        let session_id = clean.text(&event.session_id);
        let context = scene.context(event, &mut clean);
        let client = event.client.as_str();
        let map = Map::from_iter([
            ("id".to_owned(), Value::Null),
            ("session_id".to_owned(), session_id.as_str().into()),
            ("client".to_owned(), client.into()),
        ]);
        Body { map, context, session_id, client, clean }
    }

    pub(super) fn id(&self, parts: &[&str]) -> String {
        let mut fields = vec![self.client, self.session_id.as_str()];
        fields.extend(parts);
        digest_fields(&fields)
    }

    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.map.insert(key.to_owned(), value.into());
    }

    pub(super) fn put_redacted(&mut self) {
        self.put("redacted", self.clean.count());
    }

    pub(super) fn draft(mut self, kind: EntryKind, id: String) -> Draft {
        self.put("id", id.as_str());
        let context = std::mem::take(&mut self.context);
        self.put("context", context);
        Draft { kind, id, body: self.map }
    }
}
