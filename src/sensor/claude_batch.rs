//! The calls of one message that never ran. `PostToolBatch` is the only event that tells of them: the tool was unknown,
//! its input invalid, or somebody refused.
//!
//! It tells of all calls of the message, also of those that other events reported. Which of them those are, only the
//! ledger knows: [`reported_by`] names the ids under which they would stand there, and the caller takes what is reported
//! out of the event first.

use serde_json::{Map, Value};

use super::claude_bash::ClaudeBashExitCodeSensor;
use super::claude_edit::ClaudeEditSensor;
use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::tool_result::{INPUT_CAP, ToolResultSensor, input_of};
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::{Action, AgentEvent, Client, Via};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};

const VERSION: &str = "1";

/// The client's words to the model are short where nothing ran.
const TEXT_CAP: usize = 2 * 1024;

/// How the text to the model begins where a call did not run.
const BEGINS: &[(&str, Why)] = &[
    ("<tool_use_error>", Why::Invalid),
    ("PreToolUse:", Why::Refused),
    ("The user doesn't want to", Why::Denied),
    ("Permission to use ", Why::Denied),
    ("Claude requested permissions to ", Why::Denied),
    ("This command requires approval", Why::Denied),
    ("This Bash command contains multiple operations. The following part", Why::Denied),
];

/// After these words come a user's own.
const USER_WORDS: &[&str] = &["the user said", "provided the following reason", "User feedback:"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Somebody or some rule did not allow it.
    Denied,
    /// There is no such tool, or its input was not one.
    Invalid,
    /// A hook refused it.
    Refused,
    /// No event reported it, and its text says nothing of why: whether it ran is not known.
    Unknown,
}

impl Why {
    fn as_str(self) -> &'static str {
        match self {
            Why::Denied => "denied",
            Why::Invalid => "invalid",
            Why::Refused => "refused",
            Why::Unknown => "unknown",
        }
    }
}

pub struct ClaudeBatchSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for ClaudeBatchSensor<'_> {
    fn name(&self) -> &'static str {
        "ClaudeBatchSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ToolInvocation]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    /// One piece of evidence for each call, in the order of the calls.
    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let Action::Batch(calls) = &event.action else { return SensorOutcome::nothing() };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let evidence = calls.iter().map(|call| {
            let mut clean = Cleaner::default();
            let why = why(&call.text);
            let mut payload = Map::new();
            payload.insert("tool".into(), clean.text(&call.tool).into());
            payload.insert("input".into(), clean.capped_json(input_of(&call.tool, &call.input), INPUT_CAP));
            payload.insert("ran".into(), if why == Why::Unknown { Value::Null } else { false.into() });
            payload.insert("why".into(), why.as_str().into());
            payload.insert("text".into(), text(why, &call.text, &mut clean).into());
            let seen = Seen {
                call: Some(&call.call_id),
                tool: Some(&call.tool),
                ..Seen::new(EvidenceKind::ToolResult, payload, "never_ran")
            };
            stamp::evidence(self, VERSION, event, self.scene, clean, seen)
        });
        SensorOutcome::collected(evidence.collect())
    }
}

fn why(text: &str) -> Why {
    BEGINS.iter().find(|(beginning, _)| text.starts_with(beginning)).map_or(Why::Unknown, |(_, why)| *why)
}

/// The client's words, up to where a user's begin; nothing of what may be a call's own output.
fn text(why: Why, text: &str, clean: &mut Cleaner) -> String {
    if why == Why::Unknown {
        return String::new();
    }
    let end = USER_WORDS.iter().filter_map(|words| text.find(words)).min().unwrap_or(text.len());
    clean.capped(&text[..end], TEXT_CAP)
}

/// The ids that evidence of a call has if another event reported it.
pub fn reported_by(event: &AgentEvent<'_>, call_id: &str, scene: &Scene) -> Vec<String> {
    let mut clean = Cleaner::default();
    let (session, call) = (clean.text(&event.session_id), clean.text(call_id));
    let sensors: [&dyn EvidenceSensor; 3] =
        [&ClaudeBashExitCodeSensor { scene }, &ClaudeEditSensor { scene }, &ToolResultSensor { scene, via: Via::Hook }];
    let phases = ["PostToolUse", "PostToolUseFailure"];
    let id = |phase, sensor| stamp::id_of(sensor, Client::Claude, &session, phase, &call, "");
    phases.iter().flat_map(|phase| sensors.iter().map(move |sensor| id(phase, *sensor))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_by_its_beginning_and_anything_else_is_not_known_to_have_not_run() {
        for (text, expected) in [
            ("<tool_use_error>Error: No such tool available: MultiEdit</tool_use_error>", Why::Invalid),
            ("This Bash command contains multiple operations. The following parts require approval: x", Why::Denied),
            ("PreToolUse:Bash hook error: no", Why::Refused),
            ("Exit code 1\nboom", Why::Unknown),
            ("hello <tool_use_error>", Why::Unknown),
        ] {
            assert_eq!(why(text), expected, "{text}");
        }
    }

    #[test]
    fn no_word_of_a_user_is_kept_of_a_refusal() {
        let refused = "The user doesn't want to proceed. To tell you how to proceed, the user said:\nuse tabs";
        let kept = text(Why::Denied, refused, &mut Cleaner::default());
        assert_eq!(kept, "The user doesn't want to proceed. To tell you how to proceed, ");
        assert_eq!(text(Why::Unknown, "secret output", &mut Cleaner::default()), "");
    }
}
