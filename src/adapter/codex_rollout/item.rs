//! What Codex records of a call once it has ended: items, and the events that older rollouts have in their place.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::told::{Flag, Millis, Number, Text, Words};
use super::{paths, text};
use crate::evidence::event::{Action, CommandRun, ExitBasis, FileChange, FileEdit, Output, ReportedExit, ToolCall};

/// `item_completed`: the item stands in its own object. An older event has the same fields in the payload itself.
#[derive(Deserialize)]
pub struct ItemPayload<'a, I> {
    #[serde(borrow, default)]
    pub turn_id: Text<'a>,
    pub item: I,
}

/// CommandExecution and `exec_command_end`.
#[derive(Deserialize)]
pub struct Command<'a> {
    #[serde(borrow, default, alias = "call_id")]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub turn_id: Text<'a>,
    #[serde(default)]
    command: Words,
    #[serde(borrow, default)]
    cwd: Text<'a>,
    #[serde(borrow, default)]
    pub source: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default, alias = "aggregatedOutput")]
    aggregated_output: Text<'a>,
    #[serde(borrow, default)]
    stdout: Text<'a>,
    #[serde(borrow, default)]
    stderr: Text<'a>,
    #[serde(borrow, default, alias = "formattedOutput")]
    formatted_output: Text<'a>,
    #[serde(default, alias = "exitCode")]
    exit_code: Number,
    #[serde(default)]
    duration: Millis,
}

impl<'a> Command<'a> {
    pub fn cwd(&self) -> Option<String> {
        self.cwd.as_str().filter(|cwd| !cwd.is_empty()).map(paths::from_uri)
    }

    pub fn action(self) -> Action<'a> {
        let exit = exit(self.exit_code.0, self.status.as_str());
        let text = whole_output(self.aggregated_output, self.stdout, self.stderr, self.formatted_output);
        let cut = text::is_cut_for_the_rollout(&text);
        Action::Command(CommandRun {
            command: paths::shell_script(&self.command.0).into(),
            description: None,
            exit,
            output: Output { text, full_path: None, cut },
            background_task: None,
            duration_ms: self.duration.0,
            git_operation: None,
            by_user: self.source.as_str() == Some("user_shell"),
        })
    }
}

/// -1 is what the client puts where it killed the process and has no status: no code that any process ended with.
fn exit(code: Option<i64>, status: Option<&str>) -> ReportedExit {
    match (code, status) {
        (Some(-1), _) => ReportedExit::untold("interrupted"),
        (Some(code), _) => ReportedExit::told(code, ExitBasis::Rollout),
        (None, Some("in_progress" | "inProgress")) => ReportedExit::untold("still_running"),
        (None, Some("declined")) => ReportedExit::untold("declined"),
        (None, _) => ReportedExit::untold("not_told"),
    }
}

fn whole_output<'a>(whole: Text<'a>, stdout: Text<'a>, stderr: Text<'a>, formatted: Text<'a>) -> Cow<'a, str> {
    if let Some(whole) = whole.some() {
        return whole;
    }
    match (stdout.some(), stderr.some()) {
        (Some(out), Some(err)) => Cow::Owned(format!("{out}{err}")),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => formatted.0.unwrap_or_default(),
    }
}

/// FileChange and `patch_apply_end`.
#[derive(Deserialize)]
pub struct Patch<'a> {
    #[serde(borrow, default, alias = "call_id")]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub turn_id: Text<'a>,
    #[serde(borrow)]
    changes: BTreeMap<Cow<'a, str>, Change<'a>>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(default)]
    success: Flag,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Change<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    content: Text<'a>,
    #[serde(borrow)]
    unified_diff: Text<'a>,
    #[serde(borrow)]
    move_path: Text<'a>,
}

impl<'a> Patch<'a> {
    /// One edit a file, in the order of their paths. A moved file is one removed and one created.
    pub fn edits(self, cwd: Option<&str>) -> Vec<FileEdit<'a>> {
        let failed = match (self.status.as_str(), self.success.0) {
            (Some(status), _) => status != "completed",
            (None, success) => success == Some(false),
        };
        let mut edits = Vec::with_capacity(self.changes.len());
        for (path, change) in self.changes {
            let path = paths::absolute(&path, cwd);
            let edit = |path: String, change| FileEdit {
                path: path.into(),
                change,
                before: None,
                after: None,
                patch: None,
                failed,
            };
            match change.kind.as_str() {
                Some("add") => edits.push(FileEdit { after: change.content.0, ..edit(path, FileChange::Created) }),
                Some("delete") => edits.push(FileEdit { before: change.content.0, ..edit(path, FileChange::Removed) }),
                _ => {
                    let patch = change.unified_diff.0.map(|diff| Value::String(diff.into_owned()));
                    match change.move_path.some() {
                        Some(to) => {
                            edits.push(edit(path, FileChange::Removed));
                            let to = paths::absolute(&to, cwd);
                            edits.push(FileEdit { patch, ..edit(to, FileChange::Created) });
                        }
                        None => edits.push(FileEdit { patch, ..edit(path, FileChange::Changed) }),
                    }
                }
            }
        }
        edits
    }
}

/// McpToolCall and `mcp_tool_call_end`.
#[derive(Deserialize)]
pub struct Mcp<'a> {
    #[serde(borrow, default, alias = "call_id")]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub turn_id: Text<'a>,
    #[serde(borrow, default)]
    server: Text<'a>,
    #[serde(borrow, default)]
    tool: Text<'a>,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    invocation: Option<Invocation>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// What an `mcp_tool_call_end` says was called.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Invocation {
    server: String,
    tool: String,
    arguments: Value,
}

/// As much of a result as tells whether it went well.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Verdict<'a> {
    #[serde(alias = "is_error", rename = "isError")]
    is_error: Flag,
    #[serde(rename = "Err", borrow)]
    err: Option<&'a RawValue>,
    #[serde(rename = "Ok", borrow)]
    ok: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Text<'a>,
}

impl<'a> Mcp<'a> {
    /// The tool as the hook names it (`mcp__demo__add`), and the call.
    pub fn call(self) -> (String, Action<'a>) {
        let (server, tool, input) = match self.invocation {
            Some(call) => (call.server.into(), call.tool.into(), call.arguments),
            None => (self.server.0.unwrap_or_default(), self.tool.0.unwrap_or_default(), self.arguments),
        };
        let response = self.result.or(self.error).map(RawValue::get).unwrap_or_default();
        let verdict: Verdict<'_> = serde_json::from_str(response).unwrap_or_default();
        let inner: Verdict<'_> = verdict.ok.and_then(|ok| serde_json::from_str(ok.get()).ok()).unwrap_or_default();
        let failed = self.status.as_str() == Some("failed")
            || verdict.is_error.0 == Some(true)
            || inner.is_error.0 == Some(true)
            || verdict.err.is_some();
        let error = verdict.err.map(RawValue::get).or(self.error.map(RawValue::get).filter(|text| *text != "null"));
        let error = error.map(|text| match serde_json::from_str::<Verdict<'_>>(text) {
            Ok(Verdict { message: Text(Some(message)), .. }) => message.into_owned(),
            _ => serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned()),
        });
        let call = ToolCall { input, response: response.into(), failed, error: error.map(Cow::Owned) };
        (format!("mcp__{server}__{tool}"), Action::Tool(call))
    }
}
