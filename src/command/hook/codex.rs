//! The part of the hook that is Codex's: its payload tells no exit code, the rollout that it names does.
//!
//! What the payload told is recorded as it was told; the call's item in the rollout is a second observation of the same
//! run. What no hook tells of (a patch that was refused, a call in a script, a process that outlived its turn) is read from
//! the rollout at the next Stop.

use std::time::{Duration, Instant};

use crate::adapter::codex_hook;
use crate::command::tail::catch_up::SessionFile;
use crate::command::tail::pass::Patience;
use crate::evidence::event::{Action, AgentEvent, Client};
use crate::layout::Env;
use crate::ledger::{Draft, Ledger};
use crate::sensor::codex::CodexItemCompletedSensor;
use crate::sensor::host_file::HostFileSensor;
use crate::sensor::scene::Scene;
use crate::sensor::{SensorOutcome, capture, codex_capture, digest};

/// Somebody waits for the hook. A rollout of which there is more to read, because the hook was registered in the middle of
/// a long session, is read on at the next Stop.
const BUDGET: Duration = Duration::from_millis(500);

/// The rollout of a Codex session, as far as it can be read.
pub struct Codex {
    file: Option<Result<SessionFile, String>>,
}

impl Codex {
    /// `None`: it is another client's event.
    pub fn of(event: &AgentEvent<'_>) -> Option<Codex> {
        (event.client == Client::Codex).then(|| Codex { file: event.transcript_path.as_deref().map(SessionFile::open) })
    }

    fn readable(&self) -> Option<&SessionFile> {
        self.file.as_ref()?.as_ref().ok()
    }

    /// Where the session began.
    pub fn cwd(&self) -> Option<&str> {
        self.readable()?.cwd()
    }

    /// A call that ended: what the hook is told, what the rollout says, and what the host sees of files.
    pub fn call(&self, event: &AgentEvent<'_>, scene: &mut Scene, ledger: &Ledger) -> Vec<Draft> {
        let mut drafts = codex_capture::call(event, scene);
        if !has_item(event) {
            return drafts;
        }
        let mut see = |event: &AgentEvent<'_>| {
            if let Action::Edit(edit) = &event.action {
                scene.digest_key = digest::key(&edit.path, ledger.dir());
            }
            drafts.extend(codex_capture::call(event, scene));
            capture::see(&HostFileSensor { scene }, event, scene, &mut drafts);
        };
        let call = event.call_id.as_deref().unwrap_or_default();
        let found = match &self.file {
            Some(Ok(file)) if !call.is_empty() => file.item(call, &mut see),
            Some(Err(why)) => Err(why.clone()),
            _ => Ok(false),
        };
        if found != Ok(true) {
            codex_hook::edits(event).iter().for_each(see);
        }
        if let Err(why) = found {
            let sensor = CodexItemCompletedSensor { scene };
            drafts.extend(capture::not_collected(&sensor, event, scene, &SensorOutcome::failed(why)));
        }
        drafts
    }

    /// Records what the rollout holds and the ledger does not.
    pub fn catch_up(&self, ledger: &Ledger, env: &Env, lock: Duration) -> Result<(), String> {
        let patience = Patience { lock, until: Some(Instant::now() + BUDGET) };
        match self.readable() {
            Some(file) => file.catch_up(ledger.clone(), env, patience).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}

/// Whether the rollout tells more of such a call than the hook does.
fn has_item(event: &AgentEvent<'_>) -> bool {
    let tool = event.tool.as_deref().unwrap_or_default();
    matches!(event.action, Action::Command(_)) || tool == "apply_patch" || tool.starts_with("mcp__")
}
