//! What a client's file registers, whatever its format: each handler with its place, which is part of Codex's trust.

use serde_json::Value;

use super::own::{self, Own};

/// What a client waits at most if no time-out is given, in seconds; more is a mistaken unit.
pub const TIMEOUT_MAX: f64 = 600.0;

/// One registered handler.
#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    pub event: String,
    /// Which of the event's groups, and which handler in it; from 0.
    pub group: usize,
    pub index: usize,
    pub command: String,
    /// `None`: it is somebody else's.
    pub own: Option<Own>,
    pub matcher: Option<String>,
    /// Seconds.
    pub timeout: Option<f64>,
    pub is_async: bool,
    pub status_message: Option<String>,
}

/// The command handlers of a `hooks` object, in order.
pub fn of(hooks: &Value) -> Vec<Handler> {
    let mut found = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        for (g, group) in groups.as_array().into_iter().flatten().enumerate() {
            let matcher = group.get("matcher").and_then(Value::as_str).map(str::to_owned);
            for (index, handler) in group.get("hooks").and_then(Value::as_array).into_iter().flatten().enumerate() {
                found.extend(handler_of(handler).map(|handler| Handler {
                    event: event.clone(),
                    group: g,
                    index,
                    matcher: matcher.clone(),
                    ..handler
                }));
            }
        }
    }
    found
}

fn handler_of(value: &Value) -> Option<Handler> {
    if value.get("type").is_some_and(|kind| kind != "command") {
        return None;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let command = text("command")?;
    let args: Option<Vec<String>> = value
        .get("args")
        .and_then(Value::as_array)
        .map(|args| args.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect());
    Some(Handler {
        event: String::new(),
        group: 0,
        index: 0,
        own: own::recognise(&command, args.as_deref()),
        command,
        matcher: None,
        timeout: value.get("timeout").and_then(Value::as_f64),
        is_async: value.get("async") == Some(&Value::Bool(true)),
        status_message: text("statusMessage"),
    })
}
