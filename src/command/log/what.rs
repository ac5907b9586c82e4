//! One entry in a few words.

use serde_json::Value;

use crate::ledger::{EntryKind, blob_of};
use crate::text::shorten;

/// More of a command does not fit any line.
const COMMAND_MAX: usize = 240;
const TEXT_MAX: usize = 160;

/// What a line of the log says about an entry.
pub struct Label {
    /// The kind; of evidence, the kind of observation.
    pub kind: String,
    /// May be cut short to fit a line.
    pub what: String,
    /// How it ended, which is never cut off.
    pub end: String,
}

pub fn label(kind: &EntryKind, body: &Value) -> Label {
    let what = match kind {
        EntryKind::Genesis => format!("ledger {} begins", text(body, "id")),
        EntryKind::Session => [text(body, "client"), text(body, "event"), text(body, "source")].join(" "),
        EntryKind::Evidence => {
            let payload = body.get("payload").unwrap_or(&Value::Null);
            let (what, end) = evidence(payload);
            return Label { kind: text(body, "kind"), what, end };
        }
        EntryKind::NotCollected => {
            format!("{}: {}: {}", text(body, "sensor"), text(body, "state"), text(body, "detail"))
        }
        EntryKind::Unparsed => text(body, "reason"),
        EntryKind::Claim => format!("{} {}", text(body, "event"), quoted(body, "message")),
        EntryKind::Judgement => judgement(body),
        EntryKind::Bundle => format!("sealed {}: {}", text(body, "task"), text(body, "result")),
        EntryKind::Key => key(body),
        EntryKind::Recovery => "isolates a line that was cut short".to_owned(),
        _ => String::new(),
    };
    Label { kind: kind.as_str().to_owned(), what: what.trim_end().to_owned(), end: String::new() }
}

fn key(body: &Value) -> String {
    match body.get("first").and_then(Value::as_u64) {
        Some(first) => format!("entries are signed with the key that began at #{first}"),
        None => "a ledger that was here before is gone, and that is known".to_owned(),
    }
}

/// `1 contradicted, 2 supported; sent the agent back`
fn judgement(body: &Value) -> String {
    let claims = body.get("claims").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of = |outcome: &str| claims.iter().filter(|claim| text(claim, "outcome") == outcome).count();
    let counted = ["contradicted", "unsupported", "supported"].map(|outcome| (of(outcome), outcome));
    let parts: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, outcome)| format!("{count} {}", if *outcome == "unsupported" { "not shown" } else { outcome }))
        .collect();
    let blocked = body.get("blocked") == Some(&Value::Bool(true));
    format!("{}{}", parts.join(", "), if blocked { "; sent the agent back" } else { "" })
}

/// What it is about, and how it ended.
fn evidence(payload: &Value) -> (String, String) {
    let end = || format!(" → {}", exit(payload));
    if payload.get("command").is_some_and(Value::is_null) {
        let script = first_line(&text(payload, "script"));
        let what = if script.is_empty() {
            "a call whose beginning is not in the file".to_owned()
        } else {
            format!("script: {script}")
        };
        return (shorten(&what, COMMAND_MAX), end());
    }
    if payload.get("command").is_some() {
        return (shorten(&first_line(&text(payload, "command")), COMMAND_MAX), end());
    }
    if payload.get("notification").is_some() {
        return (format!("background {}", text(payload, "task_id")), end());
    }
    (observed(payload), String::new())
}

fn observed(payload: &Value) -> String {
    let has = |key: &str| payload.get(key).is_some();
    if let Some(vcs) = payload.get("vcs") {
        let parts = [text(vcs, "op"), text(vcs, "result"), text(vcs, "branch"), short(&text(vcs, "sha"))];
        return format!("git says: {}", joined(&parts));
    }
    match text(payload, "look").as_str() {
        "git" => {
            let clean = match payload.get("clean").and_then(Value::as_bool) {
                Some(true) => "clean",
                Some(false) => "changed",
                None => "",
            };
            let parts = [text(payload, "branch"), short(&text(payload, "head")), clean.to_owned()];
            return format!("git is at: {}", joined(&parts));
        }
        "worktree" if payload.get("tree").is_some_and(Value::is_string) => {
            return format!("worktree is {}", short(&text(payload, "tree")));
        }
        "worktree" => return format!("worktree not seen: {}", text(payload, "reason")),
        "file" => return format!("on disk: {}", file_look(payload)),
        _ => {}
    }
    if has("change") {
        let failed = if payload.get("failed").and_then(Value::as_bool) == Some(true) { "failed: " } else { "" };
        return format!("{failed}{} {}", text(payload, "change"), text(payload, "path"));
    }
    if payload.get("ran").and_then(Value::as_bool) == Some(false) {
        return format!("{} never ran: {}", text(payload, "tool"), text(payload, "why"));
    }
    if has("tool") {
        let outcome = match payload.get("ok").and_then(Value::as_bool) {
            Some(true) => "ok",
            Some(false) => "failed",
            None => "",
        };
        return format!("{} {outcome}", text(payload, "tool")).trim_end().to_owned();
    }
    String::new()
}

/// The exit code as told; where none was, that and why.
fn exit(payload: &Value) -> String {
    match (payload.get("exit_code").and_then(Value::as_i64), text(payload, "signal")) {
        (Some(code), _) => format!("exit {code} ({})", text(payload, "exit_basis")),
        (None, signal) if !signal.is_empty() => format!("signal {signal}"),
        (None, _) => match text(payload, "reason") {
            reason if reason.is_empty() => "exit unknown".to_owned(),
            reason => format!("exit unknown ({reason})"),
        },
    }
}

fn file_look(payload: &Value) -> String {
    let path = text(payload, "path");
    let same = match payload.get("same").and_then(Value::as_bool) {
        Some(true) => ", as told",
        Some(false) => ", not as told",
        None => "",
    };
    match payload.get("exists").and_then(Value::as_bool) {
        Some(false) => format!("{path} is not there"),
        _ => format!("{path}, {} bytes{same}", payload.get("len").and_then(Value::as_u64).unwrap_or_default()),
    }
}

/// A member as text; a long one, which stands in a blob, by the blob's name.
fn text(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(other) => blob_of(other).map(|digest| format!("blob {}", short(digest))).unwrap_or_default(),
        None => String::new(),
    }
}

fn quoted(value: &Value, key: &str) -> String {
    match text(value, key) {
        said if said.is_empty() => "(nothing said)".to_owned(),
        said => format!("\"{}\"", shorten(&first_line(&said), TEXT_MAX)),
    }
}

fn first_line(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}
