//! What a Bash call of Claude Code did: the command, the exit code as far as it was told, and what was printed.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome, output};
use crate::evidence::event::{Action, AgentEvent, Client, CommandRun, ExitBasis, ReportedExit};
use crate::evidence::{
    CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalAvailability, SignalClass, TrustClass,
};

const VERSION: &str = "1";

pub struct ClaudeBashExitCodeSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for ClaudeBashExitCodeSensor<'_> {
    fn name(&self) -> &'static str {
        "ClaudeBashExitCodeSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ToolInvocation, SignalClass::ProcessResult]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let (Client::Claude, Action::Command(run)) = (event.client, &event.action) else {
            return SensorOutcome::nothing();
        };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let mut clean = Cleaner::default();
        let (payload, trouble) = payload(run, event, &mut clean);
        let mut seen = Seen::new(EvidenceKind::ExitCode, payload, branch(&run.exit));
        if run.output.full_path.is_some() && trouble.is_none() {
            seen.boundary = Some("the output was read from the file in which the client keeps it".into());
        }
        let evidence = stamp::evidence(self, VERSION, event, self.scene, clean, seen);
        match trouble {
            None => SensorOutcome::collected(vec![evidence]),
            Some(detail) => SensorOutcome {
                evidence: vec![evidence],
                state: SignalAvailability::CollectionFailed,
                detail: Some(detail),
            },
        }
    }
}

/// What nearly every payload of a command has room in.
const MEMBERS: usize = 14;

/// The wire shape of a command result, and what of the output could not be read.
pub(super) fn payload(
    run: &CommandRun<'_>,
    event: &AgentEvent<'_>,
    clean: &mut Cleaner,
) -> (Map<String, Value>, Option<String>) {
    let mut payload = Map::with_capacity(MEMBERS);
    payload.insert("command".into(), clean.command(&run.command).into());
    payload.insert("cwd".into(), event.cwd.as_deref().map(|cwd| clean.text(cwd)).into());
    put_exit(&run.exit, clean, &mut payload);
    let (kept, trouble) = output::of(&run.output, clean);
    kept.put(&mut payload);
    if run.exit.reason.as_deref() == Some("interrupted") {
        payload.insert("interrupted".into(), true.into());
    }
    if let Some(task) = &run.background_task {
        payload.insert("background_task".into(), clean.text(task).into());
    }
    if run.by_user {
        payload.insert("by_user".into(), true.into());
    }
    if let Some(description) = &run.description {
        payload.insert("description".into(), clean.text(description).into());
    }
    if let Some(operation) = &run.git_operation {
        payload.insert("git_operation".into(), clean.capped_json(operation.clone(), 1024));
    }
    if let Some(duration) = run.duration_ms {
        payload.insert("duration_ms".into(), duration.into());
    }
    (payload, trouble)
}

/// `exit_code`, `exit_basis` and, where there is no code, the `reason`.
pub(super) fn put_exit(exit: &ReportedExit, clean: &mut Cleaner, payload: &mut Map<String, Value>) {
    payload.insert("exit_code".into(), exit.code.into());
    payload.insert("exit_basis".into(), exit.basis.as_str().into());
    if let Some(reason) = &exit.reason {
        payload.insert("reason".into(), clean.text(reason).into());
    }
}

/// That an event fired implies a code, and does not say it.
fn branch(exit: &ReportedExit) -> &'static str {
    match exit.basis {
        ExitBasis::Event => "heuristic:success_event",
        ExitBasis::Text => "error_text:exit_code",
        ExitBasis::None => "no_exit_code",
        ExitBasis::Payload | ExitBasis::Rollout | ExitBasis::Process => "exit_code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::ClockSource;
    use crate::evidence::event::{Output, Via};

    fn failed() -> AgentEvent<'static> {
        AgentEvent {
            client: Client::Claude,
            client_version: None,
            name: "PostToolUseFailure".into(),
            session_id: "s".into(),
            agent: None,
            turn_id: Some("p".into()),
            call_id: Some("toolu_1".into()),
            tool: Some("Bash".into()),
            transcript_path: None,
            cwd: Some("/home/dev/demo".into()),
            observed_at: "2026-11-30T21:00:00.000Z".into(),
            clock: ClockSource::HostClock,
            via: Via::Hook,
            action: Action::Command(CommandRun {
                command: "cargo test".into(),
                description: Some("step".into()),
                exit: ReportedExit::told(101, ExitBasis::Text),
                output: Output { text: "FAILED".into(), ..Output::default() },
                background_task: None,
                duration_ms: Some(19),
                git_operation: None,
                by_user: false,
            }),
        }
    }

    #[test]
    fn a_failing_command_is_one_piece_of_evidence_with_its_code() {
        let scene = Scene::default();
        let sensor = ClaudeBashExitCodeSensor { scene: &scene };
        let outcome = sensor.collect(&failed(), &RuntimeCapabilities::of("claude"));
        let [evidence] = &outcome.evidence[..] else { panic!("{outcome:?}") };
        assert_eq!(evidence.payload["exit_code"], 101);
        assert_eq!(evidence.payload["exit_basis"], "text");
        assert_eq!(evidence.payload["output"], "FAILED");
        assert_eq!(evidence.payload["context"]["cwd"], "/home/dev/demo");
        assert_eq!(evidence.source_event_id.as_deref(), Some("toolu_1"));
        assert_eq!(evidence.provenance, "claude:unknown:PostToolUseFailure:Bash#error_text:exit_code");
        let source = evidence.source.as_ref().unwrap();
        assert!(source.boundary_is_canned());
        assert_eq!(source.trust_class, TrustClass::AgentAdjacent);
        assert_eq!(source.collector_version.as_deref(), Some(VERSION));
    }

    #[test]
    fn the_same_event_has_the_same_id_and_a_client_without_results_is_unsupported() {
        let scene = Scene::default();
        let sensor = ClaudeBashExitCodeSensor { scene: &scene };
        let claude = RuntimeCapabilities::of("claude");
        let id = |outcome: SensorOutcome| outcome.evidence[0].id.clone();
        assert_eq!(id(sensor.collect(&failed(), &claude)), id(sensor.collect(&failed(), &claude)));
        let blind =
            RuntimeCapabilities::new("claude", vec![(SignalClass::ToolInvocation, SignalAvailability::Available)]);
        let outcome = sensor.collect(&failed(), &blind);
        assert_eq!((outcome.evidence.len(), outcome.state), (0, SignalAvailability::Unsupported));
    }
}
