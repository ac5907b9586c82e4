//! A command that deeds itself ran: its exit or signal, start, end and output, measured and not told.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome, output};
use crate::evidence::event::{Action, AgentEvent, ReportedExit};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};

const VERSION: &str = "1";

/// The session that belongs to no agent: what the host ran itself.
pub const HOST_SESSION: &str = "deeds";

/// What is known of a process beside its command and output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    pub argv: Vec<String>,
    /// The declared check that it was run as.
    pub check: Option<String>,
    /// RFC 3339.
    pub started_at: String,
    pub ended_at: String,
    pub signal: Option<i32>,
}

pub struct HostProcessSensor<'s> {
    pub scene: &'s Scene,
    pub process: &'s Process,
}

impl EvidenceSensor for HostProcessSensor<'_> {
    fn name(&self) -> &'static str {
        "HostProcessSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ProcessResult]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::HostObserved
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::ProcessObservation
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let Action::Command(run) = &event.action else { return SensorOutcome::nothing() };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let mut clean = Cleaner::default();
        let mut payload = Map::new();
        payload.insert("command".into(), clean.command(&run.command).into());
        payload.insert("argv".into(), self.process.argv.iter().map(|word| clean.command(word)).collect());
        payload.insert("cwd".into(), event.cwd.as_deref().map(|cwd| clean.text(cwd)).into());
        put(&run.exit, self.process, &mut clean, &mut payload);
        output::of_text(&run.output.text, run.output.cut, &mut clean).put(&mut payload);
        let seen = Seen::new(EvidenceKind::ExitCode, payload, "process:exit_status");
        SensorOutcome::collected(vec![stamp::evidence(self, VERSION, event, self.scene, clean, seen)])
    }
}

fn put(exit: &ReportedExit, process: &Process, clean: &mut Cleaner, payload: &mut Map<String, Value>) {
    super::claude_bash::put_exit(exit, clean, payload);
    if let Some(signal) = process.signal {
        payload.insert("signal".into(), signal.into());
    }
    if let Some(check) = &process.check {
        payload.insert("check".into(), check.as_str().into());
    }
    payload.insert("started_at".into(), process.started_at.as_str().into());
    payload.insert("ended_at".into(), process.ended_at.as_str().into());
}
