//! Claude Code's hook payloads, as version 2.1.332 was seen to send them.
//!
//! One file for what is read with care (commands, edits, notifications); the rest is here. A payload whose essential
//! fields have other types is unparsed; an optional field of another type is as good as absent.

mod command;
mod edit;
mod notification;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Recognised, Told, unknown};
use crate::evidence::ClockSource;
use crate::evidence::event::{Action, AgentEvent, BatchCall, Client, Stop, SubAgent, ToolCall, Via};

/// Events that are known and carry nothing to record.
const NOTHING_TO_RECORD: &[&str] = &[
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostModelSwitch",
    "PreCompact",
    "PreModelSwitch",
    "PreSkillShellCommand",
    "PreToolUse",
    "Setup",
    "StopFailure",
    "SubagentStart",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// A payload of Claude's shape, `len` bytes long.
pub fn read(mut map: Map<String, Value>, len: usize, told: &Told<'_>) -> Recognised {
    let Some(name) = take_text(&mut map, "hook_event_name") else {
        return unknown(map, len, "no hook_event_name".into());
    };
    if NOTHING_TO_RECORD.contains(&name.as_ref()) {
        return Recognised::Event(Box::new(event(&mut map, name, Cow::default(), Action::Nothing, told)));
    }
    let Some(session) = take_text(&mut map, "session_id").filter(|id| !id.is_empty()) else {
        return give_back(map, name, len, "no session_id");
    };
    match action(&mut map, &name) {
        Ok(action) => Recognised::Event(Box::new(event(&mut map, name, session, action, told))),
        Err(reason) => {
            map.insert("session_id".into(), session.into_owned().into());
            give_back(map, name, len, reason)
        }
    }
}

fn give_back(mut map: Map<String, Value>, name: Cow<'static, str>, len: usize, reason: &str) -> Recognised {
    let reason = format!("{}: {reason}", shown(&name));
    map.insert("hook_event_name".into(), name.into_owned().into());
    unknown(map, len, reason)
}

/// An event's name as part of a reason: a name that is none stays out of it.
fn shown(name: &str) -> &str {
    let plain = name.len() <= 40 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain { name } else { "an event of an odd name" }
}

/// Takes what the event says out of `map`; where it cannot, `map` is as it was, save for optional fields.
fn action(map: &mut Map<String, Value>, name: &str) -> Result<Action<'static>, &'static str> {
    match name {
        "PostToolUse" => tool_done(map),
        "PostToolUseFailure" => tool_failed(map),
        "PostToolBatch" => batch(map),
        "UserPromptSubmit" => {
            let prompt = map.get("prompt").and_then(Value::as_str).unwrap_or_default();
            Ok(notification::read(prompt).map_or(Action::TurnBegan, Action::TaskNotification))
        }
        "SessionStart" => Ok(Action::SessionStarted { source: take_text(map, "source") }),
        "SessionEnd" => Ok(Action::SessionEnded { reason: take_text(map, "reason") }),
        "Stop" | "SubagentStop" => Ok(Action::Stopped(stop(map, name == "SubagentStop"))),
        "TaskCompleted" => match take_id(map, "task_id") {
            Some(task_id) => Ok(Action::TaskCompleted { task_id }),
            None => Err("no task_id"),
        },
        _ => Err("an unknown event"),
    }
}

fn tool_done(map: &mut Map<String, Value>) -> Result<Action<'static>, &'static str> {
    let tool = map.get("tool_name").and_then(Value::as_str).ok_or("no tool_name")?.to_owned();
    if tool == "Bash"
        && let Some(run) = command::succeeded(map)
    {
        return Ok(Action::Command(run));
    }
    if let Some(edit) = edit::read(map, &tool) {
        return Ok(Action::Edit(edit));
    }
    let response = map.remove("tool_response").unwrap_or(Value::Null);
    let input = map.remove("tool_input").unwrap_or(Value::Null);
    Ok(Action::Tool(ToolCall { input, response: as_text(response), failed: false, error: None }))
}

fn tool_failed(map: &mut Map<String, Value>) -> Result<Action<'static>, &'static str> {
    let tool = map.get("tool_name").and_then(Value::as_str).ok_or("no tool_name")?;
    if tool == "Bash"
        && let Some(run) = command::failed(map)
    {
        return Ok(Action::Command(run));
    }
    let error = take_text(map, "error");
    let input = map.remove("tool_input").unwrap_or(Value::Null);
    Ok(Action::Tool(ToolCall { input, response: Cow::default(), failed: true, error }))
}

fn batch(map: &mut Map<String, Value>) -> Result<Action<'static>, &'static str> {
    let calls = map.get_mut("tool_calls").and_then(Value::as_array_mut).ok_or("no tool_calls")?;
    Ok(Action::Batch(calls.iter_mut().filter_map(Value::as_object_mut).filter_map(batch_call).collect()))
}

/// A call without an id or a name cannot be told from one that was reported, and is no evidence of anything.
fn batch_call(call: &mut Map<String, Value>) -> Option<BatchCall<'static>> {
    Some(BatchCall {
        tool: take_text(call, "tool_name")?,
        call_id: take_text(call, "tool_use_id")?,
        input: call.remove("tool_input").unwrap_or(Value::Null),
        text: model_text(call.remove("tool_response").unwrap_or(Value::Null)),
    })
}

/// The text that the model got: a string, or blocks of text.
fn model_text(response: Value) -> Cow<'static, str> {
    let Value::Array(blocks) = &response else { return as_text(response) };
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    if texts.is_empty() { as_text(response) } else { texts.join("\n").into() }
}

fn stop(map: &mut Map<String, Value>, subagent: bool) -> Stop<'static> {
    let tasks = map.get("background_tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let running = tasks
        .iter()
        .filter(|task| task.get("status").and_then(Value::as_str).is_none_or(|status| status == "running"))
        .filter_map(|task| task.get("id")?.as_str())
        .map(|id| Cow::Owned(id.to_owned()))
        .collect();
    Stop {
        message: take_text(map, "last_assistant_message"),
        stop_hook_active: map.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false),
        running,
        subagent,
    }
}

/// The common fields around an action.
fn event(
    map: &mut Map<String, Value>,
    name: Cow<'static, str>,
    session_id: Cow<'static, str>,
    action: Action<'static>,
    told: &Told<'_>,
) -> AgentEvent<'static> {
    let notified = match &action {
        Action::TaskNotification(_) => {
            notification::call_id(map.get("prompt").and_then(Value::as_str).unwrap_or_default())
        }
        _ => None,
    };
    AgentEvent {
        client: Client::Claude,
        client_version: told.agent.and_then(version).map(Cow::Owned),
        name,
        session_id,
        agent: take_text(map, "agent_id").map(|id| SubAgent { id, kind: take_text(map, "agent_type") }),
        turn_id: take_text(map, "prompt_id"),
        call_id: take_text(map, "tool_use_id").or(notified),
        tool: take_text(map, "tool_name"),
        transcript_path: take_text(map, "transcript_path"),
        cwd: take_text(map, "cwd"),
        observed_at: told.observed_at.clone(),
        clock: ClockSource::HostClock,
        via: Via::Hook,
        action,
    }
}

/// `2.1.332` of `claude-code_2-1-332_harness`.
fn version(agent: &str) -> Option<String> {
    let digits = agent.strip_prefix("claude-code_")?.split('_').next()?;
    let sound = digits.len() <= 32 && digits.starts_with(|c: char| c.is_ascii_digit());
    (sound && digits.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')).then(|| digits.replace('-', "."))
}

fn take_text(map: &mut Map<String, Value>, key: &str) -> Option<Cow<'static, str>> {
    match map.get_mut(key) {
        Some(Value::String(text)) => Some(Cow::Owned(std::mem::take(text))),
        _ => None,
    }
}

/// An id that some versions may write as a number.
fn take_id(map: &mut Map<String, Value>, key: &str) -> Option<Cow<'static, str>> {
    match map.get(key) {
        Some(Value::Number(number)) => Some(Cow::Owned(number.to_string())),
        _ => take_text(map, key),
    }
}

/// A string as it is, nothing for null, anything else as its JSON.
fn as_text(value: Value) -> Cow<'static, str> {
    match value {
        Value::String(text) => Cow::Owned(text),
        Value::Null => Cow::default(),
        other => Cow::Owned(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told() -> Told<'static> {
        Told { observed_at: "2026-11-30T21:00:00.000Z".into(), agent: Some("claude-code_2-1-332_harness") }
    }

    pub(super) fn read_value(value: Value) -> Recognised {
        read(value.as_object().unwrap().clone(), 0, &told())
    }

    fn action_of(value: Value) -> Action<'static> {
        match read_value(value) {
            Recognised::Event(event) => event.action,
            Recognised::Unparsed(unparsed) => panic!("{unparsed:?}"),
        }
    }

    #[test]
    fn common_fields_and_the_client_version_are_kept() {
        let value = json!({"hook_event_name": "PostToolUse", "session_id": "s", "prompt_id": "p", "cwd": "/home/dev/demo",
            "agent_id": "a1", "agent_type": "general-purpose", "tool_name": "mcp__demo__add", "tool_use_id": "toolu_1",
            "tool_input": {"a": 1}, "tool_response": "{\"sum\":3}"});
        let Recognised::Event(event) = read_value(value) else { panic!() };
        assert_eq!(event.client_version.as_deref(), Some("2.1.332"));
        assert_eq!(event.agent, Some(SubAgent { id: "a1".into(), kind: Some("general-purpose".into()) }));
        assert_eq!((event.turn_id.as_deref(), event.call_id.as_deref()), (Some("p"), Some("toolu_1")));
        let Action::Tool(call) = event.action else { panic!() };
        assert_eq!((call.response.as_ref(), call.failed), ("{\"sum\":3}", false));
    }

    #[test]
    fn essential_fields_of_another_type_are_unparsed_and_optional_ones_absent() {
        for bad in [
            json!({"hook_event_name": 7}),
            json!({"hook_event_name": "Stop", "session_id": {"x": 1}}),
            json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": ["Bash"]}),
            json!({"hook_event_name": "PostToolBatch", "session_id": "s", "tool_calls": {}}),
            json!({"hook_event_name": "TaskCompleted", "session_id": "s"}),
            json!({"hook_event_name": "SomethingNew", "session_id": "s"}),
        ] {
            assert!(matches!(read_value(bad.clone()), Recognised::Unparsed(_)), "{bad}");
        }
        let odd = json!({"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": "yes",
            "last_assistant_message": 7, "background_tasks": "none", "cwd": 3, "prompt_id": null});
        let Action::Stopped(stop) = action_of(odd) else { panic!() };
        assert_eq!((stop.message, stop.stop_hook_active, stop.running.len()), (None, false, 0));
    }

    #[test]
    fn an_unparsed_event_keeps_its_name_session_and_place() {
        let Recognised::Unparsed(unparsed) =
            read_value(json!({"hook_event_name": "SomethingNew", "session_id": "s", "cwd": "/home/dev/demo", "n": 1}))
        else {
            panic!()
        };
        assert_eq!(unparsed.reason, "SomethingNew: an unknown event");
        assert_eq!((unparsed.session_id.as_deref(), unparsed.cwd.as_deref()), (Some("s"), Some("/home/dev/demo")));
        assert!(
            matches!(unparsed.text, crate::evidence::event::RawText::Json(json) if json["hook_event_name"] == "SomethingNew")
        );
    }

    #[test]
    fn an_ordinary_prompt_is_only_that_a_turn_began() {
        let value = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "do it"});
        assert_eq!(action_of(value), Action::TurnBegan);
    }

    #[test]
    fn known_events_without_anything_to_record_need_no_session() {
        assert_eq!(action_of(json!({"hook_event_name": "PreToolUse"})), Action::Nothing);
        assert_eq!(action_of(json!({"hook_event_name": "MessageDisplay", "delta": "x"})), Action::Nothing);
    }

    #[test]
    fn what_still_runs_at_a_stop_is_listed() {
        let value = json!({"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "Done.",
            "background_tasks": [{"id": "b1", "status": "running"}, {"id": "b2", "status": "completed"}, {"id": 3}]});
        let Action::Stopped(stop) = action_of(value) else { panic!() };
        assert_eq!((stop.message.as_deref(), stop.running), (Some("Done."), vec!["b1".into()]));
    }
}
