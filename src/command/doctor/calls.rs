//! What the client itself wrote down of a session, held against the ledger: calls that happened and were not recorded.
//!
//! Only what the hook could have seen counts: since the settings were changed last, of sessions that it did see and of
//! those begun since. A call that was broken off is told of by no hook of Claude Code, and does not count either.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::clients::Registered;
use super::heartbeat::{Past, ago};
use super::report::{Check, Report};
use crate::clock;
use crate::command::install::client::Client;
use crate::command::tail::files;
use crate::durable;
use crate::layout::Env;

/// How many sessions are looked at, and how old they may be.
const SESSIONS: usize = 5;
const AGE_MAX: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// Rollouts of other projects are passed over, so many at most.
const ROLLOUTS_MAX: usize = 200;
/// What is larger is not read.
const BYTES_MAX: u64 = 128 << 20;
/// A hook may still be at it.
const IN_FLIGHT_MS: i64 = 10_000;

/// One session as its client wrote it down.
#[derive(Debug, Default)]
struct Session {
    /// Any of these may be what the ledger calls it.
    ids: Vec<String>,
    /// Milliseconds since the epoch.
    began: Option<i64>,
    calls: Vec<Call>,
}

impl Session {
    fn is_in(&self, past: &Past, call: &Call) -> bool {
        self.ids.iter().any(|id| past.calls.contains(&(id.clone(), call.id.clone())))
    }
}

#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    at: i64,
}

pub fn look(client: &Registered, env: &Env, root: &Path, past: &Past, report: &mut Report) {
    let sessions = match client.client {
        Client::Claude => claude(env, root),
        Client::Codex => codex(env, root),
    };
    let now = clock::parse_millis(&clock::now()).unwrap_or_default();
    let about = format!("{} calls", client.client.tag());
    let (mut compared, mut all_good) = (0, true);
    for session in sessions {
        let known = session.ids.iter().filter_map(|id| past.sessions.get(id)).min();
        let from = match (known, session.began, client.since) {
            (Some(first), _, since) => since.map_or(*first, |since| since.max(*first)),
            (None, Some(began), Some(since)) if began > since => began,
            _ => continue,
        };
        let due: Vec<&Call> =
            session.calls.iter().filter(|call| call.at >= from && call.at < now - IN_FLIGHT_MS).collect();
        let missed: Vec<&&Call> = due.iter().filter(|call| !session.is_in(past, call)).collect();
        compared += due.len();
        let Some(first) = missed.first() else { continue };
        all_good = false;
        let name = session.ids.first().map_or("", String::as_str);
        let (missed, due) = (missed.len(), due.len());
        let detail = format!(
            "{missed} of {due} calls of session {name} are in {}'s own file and not in the ledger, the first {} {}",
            client.client.name(),
            first.tool,
            ago(now - first.at)
        );
        report.add(if missed == due {
            Check::failure(&about, detail, not_called(client.client))
        } else {
            Check::warning(
                &about,
                detail,
                "see deeds log for what is there; was the hook registered, or DEEDS_OFF set, in between?",
            )
        });
    }
    if all_good && compared > 0 {
        report.add(Check::ok(
            about,
            format!("all {compared} that {} wrote down are in the ledger", client.client.name()),
        ));
    }
}

fn not_called(client: Client) -> &'static str {
    match client {
        Client::Claude => {
            "the hook was not called: start Claude Code anew; is DEEDS_OFF set where it runs, or were hooks switched off?"
        }
        Client::Codex => "the hook was not called: is it trusted? `deeds tail` reads what Codex wrote down meanwhile",
    }
}

/// Claude Code's sessions of this project, the newest first.
fn claude(env: &Env, root: &Path) -> Vec<Session> {
    let Some(folder) = env.claude() else { return Vec::new() };
    let slug: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let entries = std::fs::read_dir(folder.join("projects").join(slug)).into_iter().flatten().flatten();
    let is_session = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(is_session)
        .filter(|path| files::is_younger(path, AGE_MAX))
        .filter_map(|path| Some((std::fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.iter().take(SESSIONS).filter_map(|(_, path)| claude_session(path)).collect()
}

fn claude_session(path: &Path) -> Option<Session> {
    let mut session = Session { ids: vec![path.file_stem()?.to_str()?.to_owned()], ..Session::default() };
    let mut tools: HashMap<String, String> = HashMap::new();
    for row in rows(path, &["tool_use", "tool_result", "timestamp"])? {
        let at = row.get("timestamp").and_then(Value::as_str).and_then(clock::parse_millis);
        session.began = session.began.or(at);
        for block in row.pointer("/message/content").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| block.get(key).and_then(Value::as_str);
            match (text("type"), at) {
                (Some("tool_use"), _) => {
                    tools.extend(text("id").map(str::to_owned).zip(text("name").map(str::to_owned)));
                }
                (Some("tool_result"), Some(at)) if !was_broken_off(block) => {
                    let Some(id) = text("tool_use_id") else { continue };
                    let tool = tools.get(id).cloned().unwrap_or_else(|| "a tool".to_owned());
                    session.calls.push(Call { id: id.to_owned(), tool, at });
                }
                _ => {}
            }
        }
    }
    Some(session)
}

/// The user broke the turn off, or the call never ran: which of the two the row does not tell.
fn was_broken_off(block: &Value) -> bool {
    let content = block.get("content").map(Value::to_string).unwrap_or_default();
    ["The user doesn't want to", "[Request interrupted", "<tool_use_error>"].iter().any(|words| content.contains(words))
}

/// Codex's sessions of this project, the newest first.
fn codex(env: &Env, root: &Path) -> Vec<Session> {
    let Some(folder) = env.codex() else { return Vec::new() };
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut paths = files::below(&[folder.join("sessions")]);
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && files::is_younger(path, AGE_MAX));
    paths.iter().rev().take(ROLLOUTS_MAX).filter_map(|path| codex_session(path, root, &real)).take(SESSIONS).collect()
}

/// `None`: it is another project's, or cannot be read.
fn codex_session(path: &Path, root: &Path, real: &Path) -> Option<Session> {
    let mut session = Session::default();
    // What no hook told is read from the rollout when a turn ends; until then it is not due.
    let mut open = Vec::new();
    for row in rows(path, &["session_meta", "item_completed", "task_complete", "turn_aborted"])? {
        let payload = row.get("payload")?;
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let at = text(&row, "timestamp").as_deref().and_then(clock::parse_millis);
        if session.ids.is_empty() {
            let cwd = text(payload, "cwd")?;
            let cwd = Path::new(cwd.strip_prefix("file://").unwrap_or(&cwd));
            if text(&row, "type")? != "session_meta" || !(cwd.starts_with(root) || cwd.starts_with(real)) {
                return None;
            }
            session.ids = ["session_id", "id"].iter().filter_map(|key| text(payload, key)).collect();
            session.began = at;
            continue;
        }
        match text(payload, "type").as_deref() {
            Some("task_complete") => session.calls.append(&mut open),
            Some("turn_aborted") => open.clear(),
            Some("item_completed") => {
                let item = payload.get("item")?;
                let kind = text(item, "type").unwrap_or_default();
                let is_call = ["CommandExecution", "FileChange", "McpToolCall"].contains(&kind.as_str());
                if let (true, Some(id), Some(at)) = (is_call, text(item, "id"), at) {
                    open.push(Call { id, tool: kind, at });
                }
            }
            _ => {}
        }
    }
    (!session.ids.is_empty()).then_some(session)
}

/// The rows of a file of JSON lines in which one of some words stands. `None`: it cannot be read, or is too large.
fn rows(path: &Path, words: &[&str]) -> Option<Vec<Value>> {
    let bytes = durable::read_small(path, BYTES_MAX).ok()?;
    if bytes.len() as u64 == BYTES_MAX {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    let wanted = |line: &&str| words.iter().any(|word| line.contains(word));
    Some(text.lines().filter(wanted).filter_map(|line| serde_json::from_str(line).ok()).collect())
}
