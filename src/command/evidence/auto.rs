//! Sealing by itself: the hook starts a process of its own for it and goes on.
//!
//! Architecture invariant: an event that seals nothing costs a comparison. Nothing is started where nothing is declared.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Map;

use crate::claims::config::{Config, SealEvent};
use crate::clock;
use crate::evidence::SignalAvailability;
use crate::evidence::event::{Action, AgentEvent};
use crate::evidence::id::digest_fields;
use crate::ledger::{Draft, EntryKind};
use crate::sensor::clean::Cleaner;

/// What an event asks to be sealed.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    event: SealEvent,
    session: String,
    task: String,
}

/// Starts a seal, if this event asks for one. `text` is that of `deeds.json`, `config` what it says, as far as it is valid.
/// Where it cannot be started, what comes back is to be left in the ledger.
pub fn after(event: &AgentEvent<'_>, text: Option<&str>, config: &Config, root: &Path) -> Option<Draft> {
    let text = text?;
    let asked = asked(event)?;
    if !config.seals_on(asked.event, event.client) || !declares(text, config) {
        return None;
    }
    let error = start(&asked, root).err()?;
    Some(word(&asked.session, &asked.task, name(asked.event), &format!("failed to start its process: {error}")))
}

/// The entry that says why a task has no bundle.
pub fn word(session: &str, task: &str, event: &str, why: &str) -> Draft {
    let mut clean = Cleaner::default();
    let detail = clean.text(&format!("not sealed: {why} (task {task})"));
    let at = clock::now();
    let id = digest_fields(&["not_collected", "seal", session, task, &detail, &at]);
    let mut body = Map::new();
    let mut put = |key: &str, value: &str| drop(body.insert(key.to_owned(), value.into()));
    put("id", &id);
    put("session_id", session);
    put("sensor", "evidence seal");
    put("state", SignalAvailability::CollectionFailed.as_str());
    put("detail", &detail);
    put("task", task);
    put("event", event);
    put("observed_at", &at);
    Draft { kind: EntryKind::NotCollected, id, body }
}

fn asked(event: &AgentEvent<'_>) -> Option<Asked> {
    let mut clean = Cleaner::default();
    let session = clean.text(&event.session_id);
    let (event, task) = match &event.action {
        Action::TaskCompleted { task_id } => (SealEvent::TaskCompleted, format!("{session}/{}", clean.text(task_id))),
        Action::SessionEnded { .. } => (SealEvent::SessionEnd, session.clone()),
        Action::Stopped(stop) if !stop.subagent => (SealEvent::Stop, session.clone()),
        _ => return None,
    };
    Some(Asked { event, session, task })
}

/// Whether there is anything to seal, or a declaration that cannot be read: that the process finds out, and says so.
fn declares(text: &str, config: &Config) -> bool {
    config.has_producers() || (text.contains("\"producers\"") && Config::parse(text).is_err())
}

fn name(event: SealEvent) -> &'static str {
    match event {
        SealEvent::TaskCompleted => "TaskCompleted",
        SealEvent::SessionEnd => "SessionEnd",
        SealEvent::Stop => "Stop",
    }
}

fn start(asked: &Asked, root: &Path) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("-w").arg(root).args(["evidence", "seal"]);
    command
        .arg(format!("--session={}", asked.session))
        .arg(format!("--event={}", name(asked.event)))
        .arg("--")
        .arg(&asked.task);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it: the hook ends, and the system takes the process over.
    command.spawn().map(drop)
}
