//! Any tool call that is neither a command nor an edit: that it was made, with what, and whether it succeeded.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::{Action, AgentEvent, Via};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};
use crate::redact;

const VERSION: &str = "1";

/// Tools that only look: what they were shown is no deed, and none of it is kept.
const READ_ONLY: &[&str] = &[
    // What is asked may be the agent's, what is answered is the user's.
    "AskUserQuestion",
    "BashOutput",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "view_image",
];

/// Keys of an input that say where a tool looked, and nothing of what it found.
const PATH_KEYS: &[&str] = &["file_path", "path", "notebook_path", "directory", "dir", "cwd"];

/// An input of more bytes than this is kept as text, which the ledger can move out of its line.
pub(super) const INPUT_CAP: usize = 16 * 1024;

/// What a client says of a failure is short; what is longer is somebody's output.
const ERROR_CAP: usize = 16 * 1024;

pub struct ToolResultSensor<'s> {
    pub scene: &'s Scene,
    pub via: Via,
}

impl EvidenceSensor for ToolResultSensor<'_> {
    fn name(&self) -> &'static str {
        "ToolResultSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ToolInvocation, SignalClass::ToolResultPayload]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        match self.via {
            Via::Hook | Via::Host => CollectionMethod::HookCallback,
            Via::File => CollectionMethod::FilePoll,
        }
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let Action::Tool(call) = &event.action else { return SensorOutcome::nothing() };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let mut clean = Cleaner::default();
        let mut payload = Map::new();
        let tool = event.tool.as_deref().unwrap_or("-");
        payload.insert("tool".into(), clean.text(tool).into());
        let input = input_of(tool, &call.input);
        payload.insert("input".into(), clean.capped_json(input, INPUT_CAP));
        payload.insert("ok".into(), (!call.failed).into());
        if let Some(error) = &call.error {
            payload.insert("error".into(), clean.capped(error, ERROR_CAP).into());
        }
        let (len, digest) = clean.measure(&call.response);
        payload.insert("response_len".into(), len.into());
        payload.insert("response_digest".into(), digest.into());
        let branch = if call.failed { "tool_error" } else { "tool_result" };
        let seen = Seen::new(EvidenceKind::ToolResult, payload, branch);
        SensorOutcome::collected(vec![stamp::evidence(self, VERSION, event, self.scene, clean, seen)])
    }
}

/// The input as far as it is kept: of a tool that only looks, and of a call on a file that is named like a secret, no more
/// than where.
pub(super) fn input_of(tool: &str, input: &Value) -> Value {
    let is_path = |key: &str, value: &Value| PATH_KEYS.contains(&key) && value.is_string();
    let only_looks = READ_ONLY.contains(&tool);
    match input {
        Value::Object(map) => {
            let mut paths = map.iter().filter(|(key, value)| is_path(key, value));
            let secret = paths.any(|(_, path)| path.as_str().is_some_and(redact::secret_name));
            let kept = map.iter().filter(|(key, value)| !(only_looks || secret) || is_path(key, value));
            kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
        }
        _ if only_looks => Value::Null,
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_that_only_looks_leaves_no_content() {
        let input = json!({"file_path": "/home/dev/demo/a", "pattern": "x", "limit": 3});
        assert_eq!(input_of("Grep", &input), json!({"file_path": "/home/dev/demo/a"}));
        assert_eq!(input_of("mcp__demo__add", &input), input);
        assert_eq!(input_of("Read", &json!("x")), Value::Null);
        let secret = json!({"file_path": "/home/dev/demo/.env", "content": "A=hunter22"});
        assert_eq!(input_of("Write", &secret), json!({"file_path": "/home/dev/demo/.env"}));
    }
}
