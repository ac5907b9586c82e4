//! git's own printed words on a commit or a push, as far as Claude Code passes them on.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::git_words::{self, Op, VcsOperation};
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::{Action, AgentEvent, Client};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};

const VERSION: &str = "1";

pub struct ClaudeGitOutcomeSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for ClaudeGitOutcomeSensor<'_> {
    fn name(&self) -> &'static str {
        "ClaudeGitOutcomeSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ToolResultPayload]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let (Client::Claude, Action::Command(run)) = (event.client, &event.action) else {
            return SensorOutcome::nothing();
        };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let seen = git_words::read(&run.command, &run.output.text);
        let evidence = seen.iter().enumerate().map(|(ordinal, operation)| {
            let mut clean = Cleaner::default();
            let mut payload = Map::new();
            payload.insert("vcs".into(), vcs(operation, &mut clean));
            let branch = match operation.op {
                Op::Commit => "tool_response:git_commit",
                Op::Push => "tool_response:git_push",
            };
            let part = ordinal.to_string();
            let seen = Seen { part: &part, ..Seen::new(EvidenceKind::ProcessObservation, payload, branch) };
            stamp::evidence(self, VERSION, event, self.scene, clean, seen)
        });
        SensorOutcome::collected(evidence.collect())
    }
}

fn vcs(operation: &VcsOperation, clean: &mut Cleaner) -> Value {
    let mut vcs = Map::new();
    vcs.insert("op".into(), operation.op.as_str().into());
    vcs.insert("result".into(), operation.result.as_str().into());
    for (key, text) in [("branch", &operation.branch), ("sha", &operation.sha), ("remote", &operation.remote)] {
        if let Some(text) = text {
            vcs.insert(key.into(), clean.text(text).into());
        }
    }
    vcs.into()
}
