//! Codex's hook payloads, as version 0.171.0 was seen to send them.
//!
//! A payload has no exit code, of whatever event: how a command ended stands in the rollout that `transcript_path` names.
//! Events that tell nothing which the rollout does not tell better carry nothing to record.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::codex_rollout::{patch, text};
use super::{Recognised, Told, unknown};
use crate::evidence::ClockSource;
use crate::evidence::event::{
    Action, AgentEvent, Client, CommandRun, FileEdit, Output, ReportedExit, Stop, SubAgent, ToolCall, Via,
};

/// Events that are known and carry nothing to record.
const NOTHING_TO_RECORD: &[&str] = &["PermissionRequest", "PostCompact", "PreCompact", "PreToolUse", "SubagentStart"];

/// The tool that changes files.
const PATCH: &str = "apply_patch";

/// A payload of Codex's shape, `len` bytes long.
pub fn read(map: Map<String, Value>, len: usize, told: &Told<'_>) -> Recognised {
    let Some(name) = text_of(&map, "hook_event_name") else { return unknown(map, len, "no hook_event_name".into()) };
    if NOTHING_TO_RECORD.contains(&name.as_str()) {
        return Recognised::Event(Box::new(event(&map, name, String::new(), Action::Nothing, told)));
    }
    let Some(session) = text_of(&map, "session_id").filter(|id| !id.is_empty()) else {
        return unknown(map, len, "no session_id".into());
    };
    match action(&map, &name) {
        Some(action) => Recognised::Event(Box::new(event(&map, name, session, action, told))),
        None => unknown(map, len, "a Codex event that this version does not know".into()),
    }
}

fn text_of(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn action(map: &Map<String, Value>, name: &str) -> Option<Action<'static>> {
    let text = |key: &str| text_of(map, key).map(Cow::Owned);
    Some(match name {
        "SessionStart" => Action::SessionStarted { source: text("source") },
        "SessionEnd" => Action::SessionEnded { reason: text("reason") },
        "UserPromptSubmit" => Action::TurnBegan,
        "Interrupt" => Action::Interrupted { reason: text("reason") },
        "Stop" | "SubagentStop" => Action::Stopped(Stop {
            message: text("last_assistant_message"),
            stop_hook_active: map.get("stop_hook_active").and_then(Value::as_bool) == Some(true),
            running: Vec::new(),
            subagent: name == "SubagentStop",
        }),
        "PostToolUse" => tool(map)?,
        _ => return None,
    })
}

/// A call that ended. That this event came says no more than that.
fn tool(map: &Map<String, Value>) -> Option<Action<'static>> {
    let tool = map.get("tool_name")?.as_str()?;
    let input = map.get("tool_input").cloned().unwrap_or_default();
    let response = map.get("tool_response").cloned().unwrap_or_default();
    if tool == "Bash"
        && let Some(command) = input.get("command").and_then(Value::as_str)
    {
        let said = match response {
            Value::String(said) => said,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let cut = text::is_cut(&said);
        return Some(Action::Command(CommandRun {
            command: command.to_owned().into(),
            description: None,
            exit: ReportedExit::untold("not_told"),
            output: Output { text: said.into(), full_path: None, cut },
            background_task: None,
            duration_ms: None,
            git_operation: None,
            by_user: false,
        }));
    }
    let failed = tool == PATCH && patch_failed(&response);
    let error = failed.then(|| response.as_str().unwrap_or_default().to_owned().into());
    Some(Action::Tool(ToolCall { input, response: response.to_string().into(), failed, error }))
}

fn patch_failed(response: &Value) -> bool {
    let said = response.as_str().unwrap_or_default();
    text::command_output(said).exit.code.is_some_and(|code| code != 0)
}

fn event(
    map: &Map<String, Value>,
    name: String,
    session: String,
    action: Action<'static>,
    told: &Told<'_>,
) -> AgentEvent<'static> {
    let text = |key: &str| text_of(map, key).map(Cow::Owned);
    // A sub-agent's own rollout; at its stop, `transcript_path` is its parent's.
    let transcript_path = text("agent_transcript_path").or_else(|| text("transcript_path"));
    AgentEvent {
        client: Client::Codex,
        client_version: None,
        name: name.into(),
        session_id: session.into(),
        agent: text("agent_id").map(|id| SubAgent { id, kind: text("agent_type") }),
        turn_id: text("turn_id"),
        call_id: text("tool_use_id"),
        tool: text("tool_name"),
        transcript_path,
        cwd: text("cwd"),
        observed_at: told.observed_at.clone(),
        clock: ClockSource::HostClock,
        via: Via::Hook,
        action,
    }
}

/// The files that a patch which this event tells of changed, for where nothing better tells of them.
pub fn edits(event: &AgentEvent<'_>) -> Vec<AgentEvent<'static>> {
    let Action::Tool(call) = &event.action else { return Vec::new() };
    let told = (event.tool.as_deref() == Some(PATCH)).then(|| call.input.get("command")?.as_str()).flatten();
    let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(|text| Cow::Owned(text.to_owned()));
    let files = patch::files(told.unwrap_or_default()).into_iter();
    let edit = |(path, change)| AgentEvent {
        client: event.client,
        client_version: None,
        name: event.name.as_ref().to_owned().into(),
        session_id: event.session_id.as_ref().to_owned().into(),
        agent: event
            .agent
            .as_ref()
            .map(|agent| SubAgent { id: agent.id.as_ref().to_owned().into(), kind: own(&agent.kind) }),
        turn_id: own(&event.turn_id),
        call_id: own(&event.call_id),
        tool: own(&event.tool),
        transcript_path: own(&event.transcript_path),
        cwd: own(&event.cwd),
        observed_at: event.observed_at.clone(),
        clock: event.clock.clone(),
        via: event.via,
        action: Action::Edit(FileEdit {
            path: super::codex_rollout::paths::absolute(path, event.cwd.as_deref()).into(),
            change,
            before: None,
            after: None,
            patch: None,
            failed: call.failed,
        }),
    };
    files.map(edit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::event::FileChange;
    use serde_json::json;

    fn event_of(value: Value) -> AgentEvent<'static> {
        let told = Told { observed_at: "2026-11-30T21:00:00.000Z".into(), agent: None };
        match read(value.as_object().unwrap().clone(), 0, &told) {
            Recognised::Event(event) => *event,
            Recognised::Unparsed(unparsed) => panic!("{unparsed:?}"),
        }
    }

    #[test]
    fn a_command_has_no_exit_code_whatever_it_printed() {
        let event =
            event_of(json!({"hook_event_name": "PostToolUse", "session_id": "s", "turn_id": "t", "tool_name": "Bash",
            "tool_input": {"command": "cargo test"}, "tool_response": "Exit code: 0\n", "tool_use_id": "call_1"}));
        let Action::Command(run) = &event.action else { panic!("{event:?}") };
        assert_eq!((run.exit.code, run.output.text.as_ref()), (None, "Exit code: 0\n"));
        assert_eq!(event.call_id.as_deref(), Some("call_1"));
    }

    #[test]
    fn a_sub_agents_stop_names_its_own_rollout() {
        let event = event_of(
            json!({"hook_event_name": "SubagentStop", "session_id": "s", "agent_id": "a", "agent_type": "default",
            "transcript_path": "/parent.jsonl", "agent_transcript_path": "/own.jsonl", "last_assistant_message": "done"}),
        );
        assert_eq!(event.transcript_path.as_deref(), Some("/own.jsonl"));
        assert!(
            matches!(&event.action, Action::Stopped(stop) if stop.subagent && stop.message.as_deref() == Some("done"))
        );
    }

    #[test]
    fn a_patch_names_its_files_and_an_unknown_event_is_kept() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Delete File: b.txt\n*** End Patch\n";
        let event = event_of(
            json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "tool_name": "apply_patch",
            "tool_input": {"command": patch}, "tool_response": "Exit code: 0\nOutput:\nSuccess.", "tool_use_id": "c"}),
        );
        let changed: Vec<(String, FileChange)> = edits(&event)
            .into_iter()
            .map(|edit| match edit.action {
                Action::Edit(edit) => (edit.path.into_owned(), edit.change),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(changed, [("/w/a.txt".into(), FileChange::Created), ("/w/b.txt".into(), FileChange::Removed)]);
        let map = json!({"hook_event_name": "Telepathy", "session_id": "s"}).as_object().unwrap().clone();
        let told = Told { observed_at: String::new(), agent: None };
        assert!(matches!(read(map, 7, &told), Recognised::Unparsed(unparsed) if unparsed.len == 7));
    }
}
