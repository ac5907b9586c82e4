//! Whether Codex runs the hooks at all: it skips, in silence under `codex exec`, what the user has not trusted.
//!
//! Trust is given for one handler at its place in its file, and bound to a digest of what is registered there.

use std::path::Path;

use serde_json::{Map, Value};

use super::clients::Entry;
use super::report::{Check, Report};
use crate::command::install::client::Scope;
use crate::command::install::handlers::{Handler, TIMEOUT_MAX};
use crate::command::install::toml_file;
use crate::durable;
use crate::evidence::id::sha256_hex;
use crate::layout::Env;

const CONFIG_CAP: u64 = 16 << 20;
const REVIEW: &str =
    "start codex in a terminal; at \"Hooks need review\" look at them, or trust them all (its second choice)";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    /// Never asked, or never given.
    Missing,
    /// Given for another command, time-out or matcher.
    Outdated,
    SwitchedOff,
}

/// `arrives`: its events have reached the ledger since the files were changed last.
pub fn look(entries: &[Entry], arrives: bool, env: &Env, root: &Path, report: &mut Report) {
    let Some(folder) = env.codex() else { return };
    let path = folder.join("config.toml");
    let text = durable::read_small(&path, CONFIG_CAP).unwrap_or_default();
    // One that cannot be parsed has been reported.
    let Ok(document) = toml_file::parse(&String::from_utf8_lossy(&text)) else { return };
    let config = toml_file::json(document.as_item());
    if config.pointer("/features/hooks") == Some(&Value::Bool(false)) {
        let detail = format!("features.hooks is false in {}: no hook runs", path.display());
        report.add(Check::failure("codex hooks", detail, "remove it"));
    }
    if entries.iter().any(|entry| entry.scope == Scope::Project) {
        project(&config, root, report);
    }
    let state = config.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Value::as_object);
    let none = Map::new();
    let state = state.unwrap_or(&none);
    let of = |wanted: Trust| {
        let events = entries.iter().filter(|entry| given(state, entry) == wanted);
        events.map(|entry| entry.handler.event.as_str()).collect::<Vec<_>>()
    };
    let missing = of(Trust::Missing);
    if !missing.is_empty() {
        let says = "not trusted, so Codex skips them, under codex exec in silence";
        report.add(Check::failure("codex trust", format!("{says}: {}", missing.join(", ")), REVIEW));
    }
    let outdated = of(Trust::Outdated);
    if !outdated.is_empty() && arrives {
        // A later Codex may bind its trust to something else.
        let says = "given for what looks different from what is registered, although events arrive";
        report.add(Check::warning(
            "codex trust",
            format!("{says}: {}", outdated.join(", ")),
            "look at /hooks in codex",
        ));
    } else if !outdated.is_empty() {
        let says = "changed since they were trusted, so Codex skips them, under codex exec in silence";
        report.add(Check::failure("codex trust", format!("{says}: {}", outdated.join(", ")), REVIEW));
    }
    let off = of(Trust::SwitchedOff);
    if !off.is_empty() {
        let detail = format!("switched off in Codex's own list of hooks: {}", off.join(", "));
        report.add(Check::failure("codex trust", detail, "start codex, and switch them on in /hooks"));
    }
    if of(Trust::Given).len() == entries.len() {
        report.add(Check::ok("codex trust", "Codex trusts every one of them"));
    }
}

/// A project's own hooks run only where the project itself is trusted.
fn project(config: &Value, root: &Path, report: &mut Report) {
    let projects = config.get("projects").and_then(Value::as_object);
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let level = |path: &Path| projects?.get(path.to_str()?)?.get("trust_level")?.as_str();
    let trusted = [root, &real].iter().any(|path| level(path) == Some("trusted"));
    if !trusted {
        let detail = format!("Codex does not trust {}, so it runs no hook of the project's", root.display());
        report.add(Check::failure(
            "codex project",
            detail,
            "start codex there and trust it, or deeds install codex --user",
        ));
    }
}

fn given(state: &Map<String, Value>, entry: &Entry) -> Trust {
    let Handler { event, group, index, .. } = &entry.handler;
    let real = entry.path.canonicalize().unwrap_or_else(|_| entry.path.clone());
    let key = |path: &Path| format!("{}:{}:{group}:{index}", path.display(), snake(event));
    let Some(found) = state.get(&key(&entry.path)).or_else(|| state.get(&key(&real))) else { return Trust::Missing };
    if found.get("enabled") == Some(&Value::Bool(false)) {
        return Trust::SwitchedOff;
    }
    match found.get("trusted_hash").and_then(Value::as_str) {
        None => Trust::Missing,
        Some(hash) if hash == digest(&entry.handler) => Trust::Given,
        Some(_) => Trust::Outdated,
    }
}

/// `PostToolUse` → `post_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The seconds that Codex makes of a time-out: what ends a session or a turn is given at most three.
fn effective(handler: &Handler) -> u64 {
    match handler.event.as_str() {
        "SessionEnd" | "Interrupt" => handler.timeout.map_or(1, |seconds| (seconds as u64).clamp(1, 3)),
        _ => (handler.timeout.unwrap_or(TIMEOUT_MAX) as u64).max(1),
    }
}

/// What Codex binds its trust to: SHA-256 of a compact JSON with sorted keys, the default time-out filled in.
fn digest(handler: &Handler) -> String {
    let timeout = effective(handler);
    let mut inner = Map::new();
    inner.insert("async".into(), handler.is_async.into());
    inner.insert("command".into(), handler.command.as_str().into());
    if let Some(message) = &handler.status_message {
        inner.insert("statusMessage".into(), message.as_str().into());
    }
    inner.insert("timeout".into(), timeout.into());
    inner.insert("type".into(), "command".into());
    let mut whole = Map::new();
    whole.insert("event_name".into(), snake(&handler.event).into());
    whole.insert("hooks".into(), vec![Value::Object(inner)].into());
    if let Some(matcher) = &handler.matcher {
        whole.insert("matcher".into(), matcher.as_str().into());
    }
    format!("sha256:{}", sha256_hex(Value::Object(whole).to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::install::handlers;

    #[test]
    fn the_digest_is_codexs_own() {
        // As `hooks/list` of Codex 0.171.0 gave them for a file with these.
        let hooks = serde_json::json!({
            "PostToolUse": [{"matcher": "^Bash$", "hooks": [{"type": "command", "timeout": 10, "statusMessage": "recording",
                                                             "command": "/home/dev/.cargo/bin/deeds hook"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "deeds hook"}]}],
            "SubagentStop": [{"hooks": [{"type": "command", "command": "\"/home/dev/my tools/deeds\" hook", "timeout": 30}]}],
            "SessionEnd": [{"hooks": [{"type": "command", "command": "deeds hook", "timeout": 30}]}],
            "Interrupt": [{"hooks": [{"type": "command", "command": "deeds hook"}]}],
            "PreCompact": [{"hooks": [{"type": "command", "command": "deeds hook", "timeout": 0}]}],
        });
        let digests: Vec<String> = handlers::of(&hooks).iter().map(digest).collect();
        assert_eq!(
            digests,
            [
                "sha256:54fb175c675dc9951a448d0e8f2a23d7b2b3c1a8847ed9fae7ddbe586eae08dd",
                "sha256:260d8e0c9778672a3b82ec5a476e6c2fa8c9567eba99ecaafa00bce854c07d6d",
                "sha256:9e2c995979604b84bc8566a738e474287b0272dd95ec2f8e9e4674e23269568f",
                "sha256:7f152a0abf7ca5977046993d7b5753d28ef1a880a919d7fb51beec09ade869bc",
                "sha256:3ef1b5cd4e7de4d0d8e3be53ba50af4ee5759c0273a26ba776593d0b9ee0b297",
                "sha256:7e9cb11296e9e2954898e837d359211b076cd2929153d79cef9f89581948e671",
            ]
        );
        assert_eq!(snake("SubagentStop"), "subagent_stop");
    }
}
