//! From a client's JSON to an [`AgentEvent`]. Knows the clients, and no ledger.
//!
//! A payload is told by its shape, never by a file name or an option: the same `deeds hook` is registered with every
//! client. What is no event that this version knows comes back as [`Unparsed`], for the caller to record.
//!
//! Architecture invariant: nothing here does I/O, and nothing here decides what an event means.

pub mod claude;
pub mod codex_hook;
pub mod codex_rollout;
pub mod payload;

use serde_json::{Map, Value};

use crate::evidence::event::{AgentEvent, Unparsed};

/// What the caller knows of an event beside its payload.
#[derive(Debug, Clone)]
pub struct Told<'a> {
    /// RFC 3339; a hook's payload carries no time of its own.
    pub observed_at: String,
    /// How the client names itself in the environment (`claude-code_2-1-332_harness`).
    pub agent: Option<&'a str>,
}

/// What a payload was recognised as.
#[derive(Debug, Clone, PartialEq)]
pub enum Recognised {
    Event(Box<AgentEvent<'static>>),
    Unparsed(Unparsed),
}

/// Which client's shape a payload has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Claude,
    Codex,
}

/// One hook payload, as it came on stdin.
pub fn recognise(bytes: &[u8], told: &Told<'_>) -> Recognised {
    match payload::read(bytes) {
        Ok(map) => match shape(&map) {
            Shape::Claude => claude::read(map, bytes.len(), told),
            Shape::Codex => codex_hook::read(map, bytes.len(), told),
        },
        Err(malformed) => Recognised::Unparsed(Unparsed {
            reason: malformed.reason,
            text: payload::raw_text(&malformed.text),
            len: bytes.len(),
            session_id: None,
            cwd: None,
        }),
    }
}

/// Codex names its rollout file in `transcript_path`, and a turn rather than a prompt; its SessionStart has a
/// `permission_mode`, which Claude's has not.
pub fn shape(map: &Map<String, Value>) -> Shape {
    let text = |key| map.get(key).and_then(Value::as_str);
    let rollout = text("transcript_path").and_then(|path| path.rsplit(['/', '\\']).next()).map(is_rollout);
    match rollout {
        Some(true) => Shape::Codex,
        _ if map.contains_key("prompt_id") => Shape::Claude,
        _ if text("turn_id").is_some() => Shape::Codex,
        None if text("model").is_some() && text("permission_mode").is_some() => Shape::Codex,
        _ => Shape::Claude,
    }
}

fn is_rollout(name: &str) -> bool {
    name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
}

/// A JSON object that no adapter understands.
pub(crate) fn unknown(map: Map<String, Value>, len: usize, reason: String) -> Recognised {
    let text = |key| map.get(key).and_then(Value::as_str).map(str::to_owned);
    let (session_id, cwd) = (text("session_id"), text("cwd"));
    Recognised::Unparsed(Unparsed { reason, text: payload::without_prompt(map), len, session_id, cwd })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape_of(value: Value) -> Shape {
        shape(value.as_object().unwrap())
    }

    #[test]
    fn clients_are_told_apart_by_shape() {
        let claude = "/home/dev/.claude/projects/-home-dev-demo-project/8c79380d.jsonl";
        let codex = "/home/dev/.codex/sessions/2026/11/30/rollout-2026-11-30T19-39-16-01a22df7.jsonl";
        assert_eq!(shape_of(json!({"transcript_path": claude, "prompt_id": "p"})), Shape::Claude);
        // Claude's MessageDisplay has a turn_id, its SessionStart in a terminal a model.
        assert_eq!(shape_of(json!({"transcript_path": claude, "prompt_id": "p", "turn_id": "t"})), Shape::Claude);
        assert_eq!(shape_of(json!({"transcript_path": claude, "model": "m", "source": "startup"})), Shape::Claude);
        assert_eq!(shape_of(json!({"transcript_path": codex, "turn_id": "t"})), Shape::Codex);
        assert_eq!(shape_of(json!({"transcript_path": codex, "model": "m", "source": "startup"})), Shape::Codex);
        assert_eq!(shape_of(json!({"transcript_path": null, "turn_id": "t"})), Shape::Codex);
        assert_eq!(shape_of(json!({"transcript_path": null, "model": "m", "permission_mode": "x"})), Shape::Codex);
        assert_eq!(shape_of(json!({})), Shape::Claude);
    }
}
