//! The output of a call, where no better line tells of it: older rollouts, calls that never ran, tools of any kind.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::calls::{Call, Past};
use super::told::Text;
use super::{Line, Rollout, Seen, compact, patch, paths, text};
use crate::evidence::event::{Action, BatchCall, CommandRun, ExitBasis, FileEdit, Output, ReportedExit, ToolCall};
use crate::sensor::codex::never_ran;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow)]
    call_id: Text<'a>,
    output: Value,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    passthrough: Passthrough<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Passthrough<'a> {
    #[serde(borrow)]
    turn_id: Text<'a>,
}

/// Tools that run a command, by the names that Codex has given them.
const SHELLS: &[&str] = &["exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"];

/// What a call's output is about.
enum Kind {
    Command {
        script: String,
        workdir: Option<String>,
    },
    /// A script that may run commands, whose own end says nothing of theirs.
    Script,
    Patch(String),
    Other,
}

impl Rollout {
    pub(super) fn output<'a>(
        &mut self,
        name: &'static str,
        line: &'a [u8],
        past: &mut dyn Past,
        seen: &mut Vec<Seen<'a>>,
    ) -> serde_json::Result<()> {
        let Line { timestamp, payload } = compact::from_line::<Line<'_, Payload<'_>>>(line)?;
        let id = payload.call_id.some();
        let call = id.as_deref().and_then(|id| self.calls.ended(id, past));
        if call.as_ref().is_some_and(|call| call.told) {
            return Ok(());
        }
        let said = Said::of(payload.output);
        let (actions, workdir) =
            actions(call.as_ref(), id.as_deref().unwrap_or_default(), said, self.thread().cwd.as_deref());
        for action in actions {
            let mut event = self.parser().event(name, timestamp.clone(), action);
            event.tool = call.as_ref().map(|call| Cow::Owned(call.name.clone()));
            event.cwd = workdir.clone().map(Cow::Owned).or(event.cwd);
            event.call_id = id.clone();
            event.turn_id = payload.passthrough.turn_id.clone().some();
            seen.push(Seen::Event(Box::new(event)));
        }
        Ok(())
    }
}

/// An output as the client recorded it.
struct Said {
    /// What it was made of.
    output: Value,
    /// Its first block, where the client's own words stand.
    first: String,
    /// All its text.
    all: String,
    failed: bool,
}

impl Said {
    fn of(output: Value) -> Said {
        let (blocks, failed) = match &output {
            Value::String(text) => (vec![text.as_str()], false),
            Value::Array(blocks) => (blocks.iter().filter_map(block).collect(), false),
            Value::Object(map) => {
                let failed = map.get("success").and_then(Value::as_bool) == Some(false);
                let text = map.get("content").or_else(|| map.get("body"));
                (text.into_iter().filter_map(block).collect(), failed)
            }
            _ => (Vec::new(), false),
        };
        let all = blocks.concat();
        let first = blocks.first().copied().unwrap_or_default().to_owned();
        Said { first, all, failed, output }
    }
}

fn block(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Object(map) => map.get("text")?.as_str(),
        _ => None,
    }
}

/// What the output shows to have happened, and where the command ran if it was one.
fn actions(call: Option<&Call>, id: &str, said: Said, cwd: Option<&str>) -> (Vec<Action<'static>>, Option<String>) {
    let kind = match call {
        Some(call) => kind(call),
        // The beginning of the call is not in this rollout: what ran is not known, how it ended may be.
        None if text::command_output(&said.first).exit.reason.as_deref() != Some("not_told") => {
            Kind::Command { script: String::new(), workdir: None }
        }
        None => Kind::Other,
    };
    let name = call.map(|call| call.name.as_str()).unwrap_or_default();
    let input = call.map(|call| call.input.as_str()).unwrap_or_default();
    if let Some(failed) = failed_patch(&kind, input, &said, cwd) {
        return (failed, None);
    }
    if never_ran(&said.first).is_some() {
        let call = BatchCall {
            tool: name.to_owned().into(),
            call_id: id.to_owned().into(),
            input: json_or_text(input),
            text: said.all.into(),
        };
        return (vec![Action::Batch(vec![call])], None);
    }
    match kind {
        Kind::Command { script, workdir } => {
            let workdir = workdir.map(|dir| paths::absolute(&dir, cwd));
            (vec![Action::Command(command(script, &said))], workdir)
        }
        Kind::Script => {
            let mut run = command(String::new(), &said);
            run.description = Some(input.to_owned().into());
            (vec![Action::Command(run)], None)
        }
        Kind::Patch(patch) => {
            let edits = patch::files(&patch).into_iter();
            let edits = edits.map(|(path, change)| Action::Edit(edit(path, change, Changed::Done, cwd))).collect();
            (edits, None)
        }
        Kind::Other => {
            let failed =
                said.failed || said.first.starts_with("Script failed") || said.first.starts_with("write_stdin failed");
            let error = failed.then_some(Cow::Owned(said.all));
            let call = ToolCall { input: json_or_text(input), response: said.output.to_string().into(), failed, error };
            (vec![Action::Tool(call)], None)
        }
    }
}

fn kind(call: &Call) -> Kind {
    let name = call.name.as_str();
    if SHELLS.contains(&name) {
        let (script, workdir) = shell_arguments(&call.input);
        return Kind::Command { script, workdir };
    }
    match name {
        "exec" => Kind::Script,
        "apply_patch" => {
            let input: Value = serde_json::from_str(&call.input).unwrap_or_default();
            let patch = input.get("input").or_else(|| input.get("patch")).and_then(Value::as_str);
            Kind::Patch(patch.unwrap_or(&call.input).to_owned())
        }
        _ => Kind::Other,
    }
}

/// `{"cmd": TEXT}`, `{"command": TEXT or [WORD…]}`, `workdir`; what is no JSON is the command itself.
fn shell_arguments(input: &str) -> (String, Option<String>) {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(input) else { return (input.to_owned(), None) };
    let script = match map.get("cmd").or_else(|| map.get("command")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<String> = words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
            paths::shell_script(&words)
        }
        _ => String::new(),
    };
    let workdir = map.get("workdir").or_else(|| map.get("cwd")).and_then(Value::as_str);
    (script, workdir.map(str::to_owned))
}

fn command(script: String, said: &Said) -> CommandRun<'static> {
    let (exit, text, cut) = match structured(&said.first) {
        Some((exit, output)) => (exit, output, false),
        None => {
            let spoken = text::command_output(&said.first);
            let rest = said.all.strip_prefix(said.first.as_str()).unwrap_or_default();
            (spoken.exit, format!("{}{rest}", spoken.body), spoken.cut || rest.contains(" tokens truncated…"))
        }
    };
    CommandRun {
        command: script.into(),
        description: None,
        exit,
        output: Output { text: text.into(), full_path: None, cut },
        background_task: None,
        duration_ms: None,
        git_operation: None,
        by_user: false,
    }
}

/// `{"output": TEXT, "metadata": {"exit_code": N, …}}`: the whole output is the client's own JSON.
fn structured(text: &str) -> Option<(ReportedExit, String)> {
    let Value::Object(map) = serde_json::from_str::<Value>(text).ok()? else { return None };
    let metadata = map.get("metadata")?.as_object()?;
    let exit = match metadata.get("exit_code").and_then(Value::as_i64) {
        Some(code) => ReportedExit::told(code, ExitBasis::Text),
        None => ReportedExit::untold("not_told"),
    };
    Some((exit, map.get("output").and_then(Value::as_str).unwrap_or_default().to_owned()))
}

/// A patch that was refused before anything was written: no other line tells of it.
fn failed_patch(kind: &Kind, input: &str, said: &Said, cwd: Option<&str>) -> Option<Vec<Action<'static>>> {
    let patch = match kind {
        Kind::Patch(patch) => patch.as_str(),
        Kind::Command { script, .. } => script.as_str(),
        Kind::Script | Kind::Other => return None,
    };
    let refused = said.first.starts_with("apply_patch verification failed")
        || (matches!(kind, Kind::Patch(_)) && command(String::new(), said).exit.code.is_some_and(|code| code != 0));
    if !refused {
        return None;
    }
    let mut edits: Vec<Action<'static>> = patch::files(patch)
        .into_iter()
        .map(|(path, change)| Action::Edit(edit(path, change, Changed::Failed, cwd)))
        .collect();
    if edits.is_empty() {
        let error = Some(Cow::Owned(said.all.clone()));
        let response = said.output.to_string().into();
        edits.push(Action::Tool(ToolCall { input: json_or_text(input), response, failed: true, error }));
    }
    Some(edits)
}

#[derive(Clone, Copy, PartialEq)]
enum Changed {
    Done,
    Failed,
}

fn edit(
    path: &str,
    change: crate::evidence::event::FileChange,
    changed: Changed,
    cwd: Option<&str>,
) -> FileEdit<'static> {
    FileEdit {
        path: paths::absolute(path, cwd).into(),
        change,
        before: None,
        after: None,
        patch: None,
        failed: changed == Changed::Failed,
    }
}

fn json_or_text(input: &str) -> Value {
    serde_json::from_str(input).unwrap_or_else(|_| Value::String(input.to_owned()))
}
