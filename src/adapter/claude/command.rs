//! What Claude Code tells of a Bash call. No field of any event holds an exit code: success is which event fired, and a
//! failure's code is the first line of its text.
//!
//! `PostToolUse` fires for some calls that did not exit 0, or have not ended. Each of these leaves a mark in the response,
//! and a marked call has no exit code here.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::take_text;
use crate::evidence::event::{CommandRun, ExitBasis, Output, ReportedExit};

/// A success passes on the first so many UTF-16 units of its output, and nothing of the rest.
const SUCCESS_CUT: usize = 30_000;

/// `PostToolUse`; `None` where there is no command.
pub fn succeeded(map: &mut Map<String, Value>) -> Option<CommandRun<'static>> {
    let (command, description) = input(map)?;
    let duration_ms = duration(map);
    let mut response = match map.remove("tool_response") {
        Some(Value::Object(response)) if response.get("stdout").is_none_or(Value::is_string) => response,
        other => {
            let text = other.map_or(Cow::default(), super::as_text);
            let output = Output { cut: units(&text) >= SUCCESS_CUT, text, full_path: None };
            let exit = ReportedExit::untold("unknown_response");
            return Some(run(command, description, exit, output, duration_ms));
        }
    };
    let full_path = take_text(&mut response, "persistedOutputPath").filter(|path| !path.is_empty());
    let text = merged(&mut response);
    let cut = full_path.is_some() || units(&text) >= SUCCESS_CUT;
    let background_task = take_text(&mut response, "backgroundTaskId").filter(|id| !id.is_empty());
    let exit = exit_of(&response, background_task.is_some());
    let git_operation = response.remove("gitOperation").filter(|value| !value.is_null());
    Some(CommandRun {
        background_task,
        git_operation,
        ..run(command, description, exit, Output { text, full_path, cut }, duration_ms)
    })
}

/// The exit code of a call counted as a success: 0, unless the response is marked.
fn exit_of(response: &Map<String, Value>, background: bool) -> ReportedExit {
    let set = |key| response.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    if set("interrupted") {
        ReportedExit::untold("interrupted")
    } else if set("timedOutAfterMs") {
        ReportedExit::untold("timed_out")
    } else if background || set("backgroundTaskId") {
        ReportedExit::untold("background")
    } else if let Some(Value::String(meaning)) = response.get("returnCodeInterpretation") {
        ReportedExit::untold(format!("return_code_interpreted: {meaning}"))
    } else if set("returnCodeInterpretation") {
        ReportedExit::untold("return_code_interpreted")
    } else if response.contains_key("stdout") {
        ReportedExit::told(0, ExitBasis::Event)
    } else {
        ReportedExit::untold("unknown_response")
    }
}

/// stdout and stderr as one text. The client merges them itself, in write order; a stderr of its own goes after.
fn merged(response: &mut Map<String, Value>) -> Cow<'static, str> {
    let stdout = take_text(response, "stdout").unwrap_or_default();
    match take_text(response, "stderr") {
        Some(stderr) if stdout.is_empty() => stderr,
        Some(stderr) if !stderr.is_empty() => Cow::Owned(format!("{stdout}\n{stderr}")),
        _ => stdout,
    }
}

/// `PostToolUseFailure`; `None` where there is no command.
pub fn failed(map: &mut Map<String, Value>) -> Option<CommandRun<'static>> {
    let (command, description) = input(map)?;
    let duration_ms = duration(map);
    let error = take_text(map, "error").unwrap_or_default().into_owned();
    let interrupted = map.get("is_interrupt").is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    let (code, printed) = match exit_line(&error) {
        Some((code, rest)) => (Some(code), rest),
        None => (None, error.as_str()),
    };
    let exit = match code {
        _ if interrupted => ReportedExit::untold("interrupted"),
        Some(0) => ReportedExit::untold("contradictory: a failure with exit code 0"),
        Some(code) => ReportedExit::told(code, ExitBasis::Text),
        None => ReportedExit::untold("not_told: the error has no exit code"),
    };
    let output = Output { cut: has_cut_marker(printed), text: Cow::Owned(printed.to_owned()), full_path: None };
    Some(run(command, description, exit, output, duration_ms))
}

/// `Exit code N` at the very start, on a line of its own; and what follows that line.
fn exit_line(error: &str) -> Option<(i64, &str)> {
    let (line, rest) = error.split_once('\n').unwrap_or((error, ""));
    let digits = line.strip_prefix("Exit code ")?;
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

/// `... [20012 characters truncated] ...`, which the client puts in the middle of a long failure. Output may hold the
/// same words; then it counts as cut though it is not, which costs certainty and accuses nobody.
fn has_cut_marker(text: &str) -> bool {
    text.match_indices(" characters truncated] ...").any(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit());
        before.len() < at && before.ends_with("... [")
    })
}

fn input(map: &mut Map<String, Value>) -> Option<(Cow<'static, str>, Option<Cow<'static, str>>)> {
    let input = map.get_mut("tool_input")?.as_object_mut()?;
    let command = take_text(input, "command")?;
    Some((command, take_text(input, "description")))
}

fn duration(map: &Map<String, Value>) -> Option<u64> {
    map.get("duration_ms").and_then(Value::as_f64).filter(|ms| *ms >= 0.0).map(|ms| ms as u64)
}

/// UTF-16 units of a text, as a client counts; of one that cannot have been cut, its bytes.
fn units(text: &str) -> usize {
    if text.len() < SUCCESS_CUT || text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

fn run(
    command: Cow<'static, str>,
    description: Option<Cow<'static, str>>,
    exit: ReportedExit,
    output: Output<'static>,
    duration_ms: Option<u64>,
) -> CommandRun<'static> {
    CommandRun {
        command,
        description,
        exit,
        output,
        background_task: None,
        duration_ms,
        git_operation: None,
        by_user: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn done(response: Value) -> CommandRun<'static> {
        let value = json!({"tool_input": {"command": "x"}, "tool_response": response, "duration_ms": 19});
        succeeded(&mut value.as_object().unwrap().clone()).unwrap()
    }

    fn error(error: &str, interrupt: bool) -> CommandRun<'static> {
        let value = json!({"tool_input": {"command": "x"}, "error": error, "is_interrupt": interrupt});
        failed(&mut value.as_object().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_success_is_0_by_the_event_unless_it_is_marked() {
        let plain = done(json!({"stdout": "ok", "stderr": "", "interrupted": false}));
        assert_eq!(plain.exit, ReportedExit::told(0, ExitBasis::Event));
        assert_eq!((plain.output.text.as_ref(), plain.duration_ms), ("ok", Some(19)));
        for (mark, reason) in [
            (json!({"stdout": "", "interrupted": true}), "interrupted"),
            (json!({"stdout": "", "backgroundTaskId": "b1"}), "background"),
            (json!({"stdout": "", "backgroundTaskId": "b1", "timedOutAfterMs": 1500}), "timed_out"),
            (
                json!({"stdout": "", "returnCodeInterpretation": "Files differ"}),
                "return_code_interpreted: Files differ",
            ),
            (json!({"output": "renamed"}), "unknown_response"),
            (json!({"stdout": ["a"]}), "unknown_response"),
            (json!("text"), "unknown_response"),
            (Value::Null, "unknown_response"),
        ] {
            assert_eq!(done(mark.clone()).exit, ReportedExit::untold(reason), "{mark}");
        }
        assert_eq!(done(json!({"stdout": "", "backgroundTaskId": "b1"})).background_task.as_deref(), Some("b1"));
    }

    #[test]
    fn a_failure_tells_its_code_only_on_a_first_line_of_its_own() {
        let failed = error("Exit code 101\nout\nExit code 3", false);
        assert_eq!(failed.exit, ReportedExit::told(101, ExitBasis::Text));
        assert_eq!(failed.output.text, "out\nExit code 3");
        assert_eq!(error("Exit code 2", false).exit, ReportedExit::told(2, ExitBasis::Text));
        assert_eq!(error("Exit code 2", false).output.text, "");
        for text in [
            "",
            "boom\nExit code 2",
            " Exit code 2",
            "Exit code 2 of 3",
            "Exit code ",
            "Exit code -",
            "Exit code 2\r\nx",
        ] {
            let untold = error(text, false);
            assert_eq!((untold.exit.code, untold.output.text.as_ref()), (None, text));
        }
        assert_eq!(error("Exit code 137\nkilled", true).exit, ReportedExit::untold("interrupted"));
        assert_eq!(error("Exit code 0\nodd", false).exit.code, None);
    }

    #[test]
    fn what_the_client_left_out_is_said() {
        let long = "y".repeat(30_000);
        assert!(done(json!({"stdout": long})).output.cut);
        assert!(!done(json!({"stdout": &long[1..]})).output.cut);
        // Two UTF-16 units each.
        assert!(done(json!({"stdout": "\u{1f600}".repeat(15_000)})).output.cut);
        let kept = done(json!({"stdout": "x", "persistedOutputPath": "/home/dev/out.txt"}));
        assert_eq!((kept.output.cut, kept.output.full_path.as_deref()), (true, Some("/home/dev/out.txt")));
        assert!(error("Exit code 7\n1\n\n... [20012 characters truncated] ...\n\n9", false).output.cut);
        assert!(!error("Exit code 7\n... [ characters truncated] ...", false).output.cut);
    }

    #[test]
    fn a_stderr_of_its_own_is_kept_after_stdout() {
        assert_eq!(done(json!({"stdout": "a", "stderr": "b"})).output.text, "a\nb");
        assert_eq!(done(json!({"stdout": "", "stderr": "b"})).output.text, "b");
    }
}
