//! What a producer did, as evidence of the host: the same that `deeds run` leaves, so that a sealed run counts as one.

use serde_json::{Value, json};

use super::process::End;
use super::statement::Item;
use crate::evidence::event::{Action, AgentEvent, Client, CommandRun, ExitBasis, Output, ReportedExit, Via};
use crate::evidence::{ClockSource, Evidence, RuntimeCapabilities};
use crate::ledger::Draft;
use crate::sensor::clean::{Cleaner, cap_middle};
use crate::sensor::host_process::{HOST_SESSION, HostProcessSensor, Process};
use crate::sensor::output::OUTPUT_CAP;
use crate::sensor::scene::Scene;
use crate::sensor::worktree::{BUDGET, HostWorktreeSensor};
use crate::sensor::{EvidenceSensor, capture};

/// Evidence of one item. None, if files changed while it ran: whatever it showed, it showed of no one state.
pub fn drafts(item: &Item<'_>, call: &str, cwd: &str, scene: &Scene) -> Vec<Draft> {
    if item.moved() || item.producer.kind.is_media() {
        return Vec::new();
    }
    let finished = &item.finished;
    let exit = match &finished.end {
        End::Exited(code) => ReportedExit::told(i64::from(*code), ExitBasis::Process),
        End::Signalled(signal) => ReportedExit::untold(format!("killed by signal {signal}")),
        End::TimedOut => ReportedExit::untold("timed_out"),
        End::NotStarted(_) => return Vec::new(),
    };
    let process = Process {
        argv: item.producer.command.clone(),
        check: None,
        started_at: finished.started_at.clone(),
        ended_at: finished.ended_at.clone(),
        signal: if let End::Signalled(signal) = finished.end { Some(signal) } else { None },
    };
    let (text, cut) = printed(item);
    let event = AgentEvent {
        client: Client::Deeds,
        client_version: Some(env!("CARGO_PKG_VERSION").into()),
        name: "seal".into(),
        session_id: HOST_SESSION.into(),
        agent: None,
        turn_id: None,
        call_id: Some(call.into()),
        tool: Some("process".into()),
        transcript_path: None,
        cwd: Some(cwd.into()),
        observed_at: finished.ended_at.clone(),
        clock: ClockSource::HostClock,
        via: Via::Host,
        action: Action::Command(CommandRun {
            command: command_text(&process.argv).into(),
            description: None,
            exit,
            output: Output { text: text.into(), full_path: None, cut },
            background_task: None,
            duration_ms: None,
            git_operation: None,
            by_user: false,
        }),
    };
    let capabilities = RuntimeCapabilities::of(Client::Deeds.as_str());
    let mut evidence = HostProcessSensor { scene, process: &process }.collect(&event, &capabilities).evidence;
    let mut shared = Value::Null;
    for one in &mut evidence {
        one.payload["producer"] = json!({"name": item.producer.name, "kind": item.producer.kind.as_str()});
        shared = one.payload["context"].clone();
    }
    for (moment, look) in ["seal.start", "seal.end"].into_iter().zip(&item.looks) {
        let event = AgentEvent { name: moment.into(), ..event.clone() };
        let sensor = HostWorktreeSensor { seen: Some(look), budget: BUDGET, context: shared.clone() };
        evidence.extend(sensor.collect(&event, &capabilities).evidence.into_iter().map(redacted));
    }
    evidence.into_iter().map(capture::evidence).collect()
}

/// Paths are somebody's words too.
fn redacted(mut evidence: Evidence) -> Evidence {
    evidence.payload = Cleaner::default().json(std::mem::take(&mut evidence.payload));
    evidence
}

/// Both streams as one text, each with its end: either may hold the summary.
fn printed(item: &Item<'_>) -> (String, bool) {
    let mut cut = item.finished.stderr.cut || item.finished.stdout.cut;
    let mut text = String::new();
    for stream in [&item.finished.stderr, &item.finished.stdout] {
        let bytes = stream.bytes.as_deref().unwrap_or_default();
        let (part, shortened) = cap_middle(String::from_utf8_lossy(bytes).into_owned(), OUTPUT_CAP / 2);
        cut |= shortened;
        text.push_str(&part);
    }
    (text, cut)
}

/// The command as a shell would take it: words with anything special in them are quoted.
pub fn command_text(argv: &[String]) -> String {
    let plain =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&b));
    let quoted = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
