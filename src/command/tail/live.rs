//! A line that was written a moment ago is not history yet: the host can still see what it tells of.
//!
//! The same looks as the hook takes, for a session of which no hook tells.

use std::path::PathBuf;

use serde_json::Value;

use crate::claims::config::{self, Config};
use crate::clock;
use crate::durable;
use crate::evidence::event::{Action, AgentEvent};
use crate::layout::Env;
use crate::ledger::{Draft, EntryKind};
use crate::sensor::host_file::HostFileSensor;
use crate::sensor::scene::Scene;
use crate::sensor::{capture, looks, scan};

/// An event of so many milliseconds ago is one that the host can still look at.
const FRESH: i64 = 2_000;

/// The client's clock and ours differ by more than reading takes.
const SKEW: i64 = 5_000;

/// A `deeds.json` of more bytes is none.
const CONFIG_CAP: u64 = 1 << 20;

/// The project of a session that is read as it goes on.
pub struct Live {
    project: PathBuf,
    declared: Vec<String>,
    claims: bool,
}

impl Live {
    pub fn new(env: &Env, cwd: &str) -> Live {
        let project = PathBuf::from(cwd);
        let root = env.place(&project).root;
        let text = durable::read_small(&config::path(&root), CONFIG_CAP).unwrap_or_default();
        let config = Config::parse(&String::from_utf8_lossy(&text)).unwrap_or_default();
        let declared = config.declared_checks().map(|(_, command)| command.to_owned()).collect();
        Live { project, declared, claims: !config.claims.is_empty() }
    }

    /// Adds to what a line left what the host sees now, if the line is new enough, and what is odd about its time.
    pub fn look(&self, event: &AgentEvent<'_>, scene: &Scene, drafts: &mut Vec<Draft>) {
        let Some(told) = clock::parse_millis(&event.observed_at) else { return };
        let age = clock::parse_millis(&clock::now()).unwrap_or(told) - told;
        if age.abs() > SKEW {
            drafts.iter_mut().for_each(|draft| caution(draft, age));
        }
        if age.abs() > FRESH {
            return;
        }
        match &event.action {
            Action::Command(run) if scan::could_matter(&run.command, &self.declared) => {
                drafts.extend(looks::at_event(event, scene, &self.project));
            }
            Action::Edit(_) => capture::see(&HostFileSensor { scene }, event, scene, drafts),
            Action::Stopped(stop) if self.claims || stop.message.as_deref().is_some_and(scan::could_claim) => {
                let seen = looks::at_stop(event, &self.project);
                for claim in drafts.iter_mut().filter(|draft| draft.kind == EntryKind::Claim) {
                    claim.body.insert("worktree".into(), seen.worktree.clone().unwrap_or_default());
                    claim.body.insert("git".into(), seen.git.clone().unwrap_or_default());
                }
            }
            _ => {}
        }
    }
}

fn caution(draft: &mut Draft, age: i64) {
    let freshness = draft.body.get_mut("source").and_then(|source| source.get_mut("freshness"));
    if let Some(freshness) = freshness.and_then(Value::as_object_mut) {
        let by = age.abs() / 1000;
        let caveat = format!("the client's clock and this host's differ by {by} s");
        freshness.insert("caveat".into(), caveat.into());
    }
}
