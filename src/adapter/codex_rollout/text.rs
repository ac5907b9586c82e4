//! What the text of a call's output says about the command: the client's own header, and nothing after it.
//!
//! Everything behind the header is what the command printed, or what a script chose to show: an agent can put any words
//! there. So a code is read at a block's start only, line by line, until the first line that is no header.

use crate::evidence::event::{ExitBasis, ReportedExit};

/// An output, taken apart.
#[derive(Debug, PartialEq)]
pub struct Spoken<'a> {
    pub exit: ReportedExit,
    /// What follows the header.
    pub body: &'a str,
    /// The client says that it left something out.
    pub cut: bool,
}

/// A command's output in any of the forms that Codex has used:
/// `Exit code: N\nWall time: …\nOutput:\n`, `Chunk ID: …\nWall time: …\nProcess exited with code N\n…Output:\n`, and a
/// script's `Script completed\n…`, which says nothing of the commands in it.
pub fn command_output(text: &str) -> Spoken<'_> {
    let (mut exit, mut body) = (None, text);
    let mut rest = text;
    let mut first = true;
    while let Some((line, after)) = next_line(rest) {
        if let Some(code) = first.then(|| number_after(line, "Exit code: ")).flatten() {
            exit = Some(ReportedExit::told(code, ExitBasis::Text));
        } else if first && line.starts_with("Script ") {
            exit = Some(ReportedExit::untold(script_reason(line)));
        } else if let Some(code) = number_after(line, "Process exited with code ") {
            exit = exit.or(Some(ReportedExit::told(code, ExitBasis::Text)));
        } else if line.starts_with("Process running with session ID ") {
            exit = exit.or_else(|| Some(ReportedExit::untold("still_running")));
        } else if line == "Output:" {
            body = after;
            break;
        } else if !HEADER.iter().any(|start| line.starts_with(start)) {
            break;
        }
        first = false;
        rest = after;
        body = after;
    }
    if first {
        (exit, body) = (None, text);
    }
    if body.starts_with("command timed out after ") {
        exit = Some(ReportedExit::untold("timed_out"));
    }
    let exit = exit.unwrap_or_else(|| ReportedExit::untold("not_told"));
    Spoken { exit, body, cut: is_cut(body) }
}

/// Header lines that say nothing of the exit code.
const HEADER: &[&str] = &["Chunk ID: ", "Wall time: ", "Wall time ", "Original token count: ", "Total output lines: "];

fn next_line(text: &str) -> Option<(&str, &str)> {
    if text.is_empty() {
        return None;
    }
    Some(text.split_once('\n').unwrap_or((text, "")))
}

fn number_after(line: &str, start: &str) -> Option<i64> {
    line.strip_prefix(start)?.trim_end_matches('\r').parse().ok()
}

fn script_reason(line: &str) -> &'static str {
    match line {
        _ if line.starts_with("Script completed") => "script_completed",
        _ if line.starts_with("Script failed") => "script_failed",
        _ if line.starts_with("Script running") => "still_running",
        _ => "not_told",
    }
}

/// Codex's words where it left out a part of what goes to the model.
pub fn is_cut(body: &str) -> bool {
    body.starts_with("Warning: truncated output (")
        || (body.starts_with("Total output lines: ") && body.contains("truncated…"))
        || body.contains(" tokens truncated…")
        || body.contains("\n[... omitted ")
}

/// Codex's words where it left out a part of what goes into the rollout.
const NOT_PERSISTED: &str = "\n... command output truncated for persistence ...\n";

/// Whether an item's output lacks its middle. The client keeps 65,536 bytes; the same words in a short output are the
/// command's own.
pub fn is_cut_for_the_rollout(output: &str) -> bool {
    output.len() > 60_000 && output.contains(NOT_PERSISTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Option<i64>, Option<String>) {
        let exit = command_output(text).exit;
        (exit.code, exit.reason)
    }

    #[test]
    fn a_code_is_read_from_the_header_and_from_nowhere_else() {
        assert_eq!(told("Exit code: 1\nWall time: 0 seconds\nOutput:\nboom\n"), (Some(1), None));
        assert_eq!(told("Exit code: 101"), (Some(101), None));
        let unified = "Chunk ID: 73dde3\nWall time: 0.0000 seconds\nProcess exited with code 101\nOriginal token count: 33\nOutput:\nx\n";
        assert_eq!(told(unified), (Some(101), None));
        assert_eq!(command_output(unified).body, "x\n");
        for forged in [
            "all is well\nExit code: 0\n",
            "Chunk ID: 1\nOutput:\nProcess exited with code 0\n",
            "Process: x\nProcess exited with code 0\n",
            "Wall time: 0\nExit code: 0\n",
            "Exit code: zero",
            "",
        ] {
            assert_eq!(told(forged), (None, Some("not_told".into())), "{forged:?}");
        }
    }

    #[test]
    fn what_a_script_ended_as_says_nothing_of_its_commands() {
        assert_eq!(
            told("Script completed\nWall time 0.1 seconds\nOutput:\nExit code: 0"),
            (None, Some("script_completed".into()))
        );
        assert_eq!(told("Script failed\nWall time 0.1 seconds\nOutput:\n").1.as_deref(), Some("script_failed"));
        assert_eq!(
            told("Script running with cell ID 13\nWall time 0.5 seconds\nOutput:\n").1.as_deref(),
            Some("still_running")
        );
        assert_eq!(
            told("Chunk ID: 1\nProcess running with session ID 59201\nOutput:\n").1.as_deref(),
            Some("still_running")
        );
        assert_eq!(
            told("Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds\n").0,
            None
        );
    }

    #[test]
    fn a_cut_is_noticed_where_the_client_says_so() {
        let cut = "Chunk ID: 5d9469\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 3474\nOutput:\nWarning: truncated output (original token count: 3474)\nTotal output lines: 3000\n\n1\n2…3374 tokens truncated…2961\n";
        assert!(command_output(cut).cut);
        assert!(!command_output("Exit code: 0\nOutput:\nok\n").cut);
        let long = format!("{}{NOT_PERSISTED}{}", "x".repeat(32_000), "y".repeat(32_000));
        assert!(is_cut_for_the_rollout(&long));
        assert!(!is_cut_for_the_rollout(NOT_PERSISTED));
    }
}
