//! Sealing by itself: the hook starts a process of its own for it and goes on.
//!
//! Architecture invariant: an event that seals nothing costs a comparison. Nothing is started where nothing is declared.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::claims::config::{Config, SealEvent};
use crate::evidence::event::{Action, AgentEvent};
use crate::sensor::clean::Cleaner;

/// What an event asks to be sealed.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    event: SealEvent,
    session: String,
    task: String,
}

/// Starts a seal, if this event asks for one. `text` is that of `deeds.json`, `config` what it says, as far as it is valid.
pub fn after(event: &AgentEvent<'_>, text: Option<&str>, config: &Config, root: &Path) -> Result<(), String> {
    let Some(text) = text else { return Ok(()) };
    let Some(asked) = asked(event) else { return Ok(()) };
    if !config.seals_on(asked.event, event.client) || !declares(text, config) {
        return Ok(());
    }
    start(&asked, root).map_err(|error| format!("failed to start the seal of {}: {error}", asked.task))
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

fn start(asked: &Asked, root: &Path) -> std::io::Result<()> {
    let name = match asked.event {
        SealEvent::TaskCompleted => "TaskCompleted",
        SealEvent::SessionEnd => "SessionEnd",
        SealEvent::Stop => "Stop",
    };
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("-w").arg(root).args(["evidence", "seal"]);
    command.arg(format!("--session={}", asked.session)).arg(format!("--event={name}")).arg("--").arg(&asked.task);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it: the hook ends, and the system takes the process over.
    command.spawn().map(drop)
}
