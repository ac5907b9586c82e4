//! The end of a background task, as Claude Code tells it in a prompt of its own making.

use std::path::Path;

use serde_json::Map;

use super::claude_bash::put_exit;
use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome, output};
use crate::evidence::event::{Action, AgentEvent};
use crate::evidence::{
    CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalAvailability, SignalClass, TrustClass,
};

const VERSION: &str = "1";

pub struct ClaudeTaskNotificationSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for ClaudeTaskNotificationSensor<'_> {
    fn name(&self) -> &'static str {
        "ClaudeTaskNotificationSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ProcessResult]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let Action::TaskNotification(task) = &event.action else { return SensorOutcome::nothing() };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let mut clean = Cleaner::default();
        let mut payload = Map::new();
        payload.insert("notification".into(), true.into());
        payload.insert("task_id".into(), task.task_id.as_deref().map(|id| clean.text(id)).into());
        payload.insert("status".into(), task.status.as_deref().map(|status| clean.text(status)).into());
        put_exit(&task.exit, &mut clean, &mut payload);
        payload.insert("summary".into(), task.summary.as_deref().map(|summary| clean.text(summary)).into());
        let mut trouble = None;
        // An agent's file is its transcript, and no output of a command.
        if task.exit.reason.as_deref() != Some("not_a_command")
            && let Some(path) = task.output_path.as_deref()
        {
            match output::of_file(Path::new(path), &mut clean) {
                Ok(kept) => kept.put(&mut payload),
                Err(why) => trouble = Some(format!("the output was not read: {}: {why}", clean.text(path))),
            }
        }
        let branch = match task.exit.code {
            Some(_) => "task_notification:exit_code",
            None => "task_notification:no_exit_code",
        };
        let mut seen = Seen::new(EvidenceKind::ExitCode, payload, branch);
        // One task can end more than once: an agent that was sent another message, a command that was stopped.
        seen.part = task.status.as_deref().unwrap_or_default();
        let evidence = stamp::evidence(self, VERSION, event, self.scene, clean, seen);
        let state =
            if trouble.is_some() { SignalAvailability::CollectionFailed } else { SignalAvailability::Available };
        SensorOutcome { evidence: vec![evidence], state, detail: trouble }
    }
}
