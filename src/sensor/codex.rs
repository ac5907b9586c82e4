//! What Codex did, from its hook and from its rollout. Five sensors, one for each way in which it is told.
//!
//! | sensor | is told | the exit code |
//! |---|---|---|
//! | [`CodexHookSensor`] | a hook's payload | never: the payload has none |
//! | [`CodexItemCompletedSensor`] | an item of the rollout | literal |
//! | [`CodexExecCommandEndSensor`] | an event of an older rollout | literal |
//! | [`CodexCustomToolCallOutputSensor`] | the text that the model got | from the client's own header, or none |
//! | [`CodexFileChangeSensor`] | an item, an event or a refused patch | |
//!
//! Architecture invariant: a sensor reads the event and nothing else. The same line of a rollout gives the same evidence
//! whoever reads it: the hook when the call has ended, or whoever reads the whole file later.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::tool_result::{INPUT_CAP, input_of};
use super::{EvidenceSensor, SensorOutcome, claude_bash, claude_edit};
use crate::evidence::event::{Action, AgentEvent, BatchCall, Client, CommandRun, ExitBasis, ReportedExit, Via};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};

const VERSION: &str = "1";

/// How a client's words to the model begin where a call never ran, and why in one word.
const NEVER_RAN: &[(&str, &str)] = &[
    ("failed to parse function arguments", "invalid"),
    ("unsupported call: ", "invalid"),
    ("unsupported custom tool call: ", "invalid"),
    ("Command blocked by PreToolUse hook", "refused"),
    ("Tool call blocked by PreToolUse hook", "refused"),
    ("exec command rejected by user", "denied"),
    ("patch rejected by user", "denied"),
    ("rejected by user", "denied"),
    ("exec_command failed for ", "refused"),
    ("exec_command failed: ", "refused"),
    ("approval policy is ", "denied"),
];

/// Why a call never ran, where the text that the model got for it says so.
pub fn never_ran(text: &str) -> Option<&'static str> {
    NEVER_RAN.iter().find(|(start, _)| text.starts_with(start)).map(|row| row.1)
}

/// What the client says of a call that never ran is short.
const TEXT_CAP: usize = 2 * 1024;

macro_rules! codex_sensor {
    ($(#[$doc:meta])* $name:ident, $method:expr, $signals:expr, $collect:ident) => {
        $(#[$doc])*
        pub struct $name<'s> {
            pub scene: &'s Scene,
        }

        impl EvidenceSensor for $name<'_> {
            fn name(&self) -> &'static str {
                stringify!($name)
            }

            fn required_capabilities(&self) -> &'static [SignalClass] {
                $signals
            }

            fn trust_class(&self) -> TrustClass {
                TrustClass::AgentAdjacent
            }

            fn collection_method(&self) -> CollectionMethod {
                $method
            }

            fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
                if event.client != Client::Codex {
                    return SensorOutcome::nothing();
                }
                if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
                    return outcome;
                }
                $collect(self, event, self.scene)
            }
        }
    };
}

codex_sensor!(
    /// A command as the hook is told of it: what ran and what it printed, never how it ended.
    CodexHookSensor,
    CollectionMethod::HookCallback,
    &[SignalClass::ToolInvocation, SignalClass::ToolResultPayload],
    from_hook
);

codex_sensor!(
    /// A command's item, written when its process had ended.
    CodexItemCompletedSensor,
    CollectionMethod::FilePoll,
    &[SignalClass::ToolTrace, SignalClass::ProcessResult],
    from_item
);

codex_sensor!(
    /// The same in rollouts from before there were items.
    CodexExecCommandEndSensor,
    CollectionMethod::FilePoll,
    &[SignalClass::ToolTrace, SignalClass::ProcessResult],
    from_end_event
);

codex_sensor!(
    /// What the model got for a call of which nothing better is recorded.
    CodexCustomToolCallOutputSensor,
    CollectionMethod::FilePoll,
    &[SignalClass::ToolTrace],
    from_output
);

codex_sensor!(
    /// A file that a patch changed, or should have.
    CodexFileChangeSensor,
    CollectionMethod::FilePoll,
    &[SignalClass::ToolTrace],
    from_file_change
);

fn from_hook(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    match &event.action {
        Action::Command(run) if event.via == Via::Hook => command(sensor, event, scene, run),
        Action::Edit(_) if event.via == Via::Hook => file_change(sensor, event, scene),
        _ => SensorOutcome::nothing(),
    }
}

fn from_item(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    match &event.action {
        Action::Command(run) if event.name == "item_completed" => command(sensor, event, scene, run),
        _ => SensorOutcome::nothing(),
    }
}

fn from_end_event(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    match &event.action {
        Action::Command(run) if event.name == "exec_command_end" => command(sensor, event, scene, run),
        _ => SensorOutcome::nothing(),
    }
}

fn from_output(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    match &event.action {
        Action::Command(run) if event.name.ends_with("_output") => command(sensor, event, scene, run),
        Action::Batch(calls) if event.via == Via::File => {
            SensorOutcome::collected(calls.iter().map(|call| not_run(sensor, event, scene, call)).collect())
        }
        _ => SensorOutcome::nothing(),
    }
}

fn from_file_change(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    if event.via == Via::File { file_change(sensor, event, scene) } else { SensorOutcome::nothing() }
}

fn command(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene, run: &CommandRun<'_>) -> SensorOutcome {
    let mut clean = Cleaner::default();
    let (mut payload, trouble) = claude_bash::payload(run, event, &mut clean);
    // A script, or a call whose beginning is not in the rollout: what commands ran is not told.
    if run.command.is_empty() {
        payload.insert("command".into(), Value::Null);
        payload.remove("description");
        if let Some(script) = run.description.as_deref().filter(|script| !script.is_empty()) {
            payload.insert("script".into(), clean.command(script).into());
        }
    }
    let seen = Seen::new(EvidenceKind::ExitCode, payload, branch(&run.exit));
    let evidence = stamp::evidence(sensor, VERSION, event, scene, clean, seen);
    SensorOutcome { detail: trouble, ..SensorOutcome::collected(vec![evidence]) }
}

/// A code in the client's own header is told in words; a literal one in a field.
fn branch(exit: &ReportedExit) -> &'static str {
    match exit.basis {
        ExitBasis::Text => "output_header:exit_code",
        ExitBasis::None => "no_exit_code",
        _ => "exit_code",
    }
}

fn file_change(sensor: &dyn EvidenceSensor, event: &AgentEvent<'_>, scene: &Scene) -> SensorOutcome {
    let Action::Edit(edit) = &event.action else { return SensorOutcome::nothing() };
    let mut clean = Cleaner::default();
    let tool = event.tool.as_deref().unwrap_or("-");
    let payload = claude_edit::payload(tool, edit, scene, &mut clean);
    let branch = if edit.failed { "patch_refused" } else { "changes" };
    let part = clean.text(&edit.path);
    let seen = Seen { part: &part, ..Seen::new(EvidenceKind::FileDiff, payload, branch) };
    SensorOutcome::collected(vec![stamp::evidence(sensor, VERSION, event, scene, clean, seen)])
}

fn not_run(
    sensor: &dyn EvidenceSensor,
    event: &AgentEvent<'_>,
    scene: &Scene,
    call: &BatchCall<'_>,
) -> crate::evidence::Evidence {
    let mut clean = Cleaner::default();
    let why = never_ran(&call.text);
    let mut payload = Map::new();
    payload.insert("tool".into(), clean.text(&call.tool).into());
    payload.insert("input".into(), clean.capped_json(input_of(&call.tool, &call.input), INPUT_CAP));
    payload.insert("ran".into(), why.map(|_| false).into());
    payload.insert("why".into(), why.unwrap_or("unknown").into());
    payload.insert("text".into(), clean.capped(&call.text, TEXT_CAP).into());
    let seen = Seen::new(EvidenceKind::ToolResult, payload, "never_ran");
    stamp::evidence(sensor, VERSION, event, scene, clean, seen)
}
