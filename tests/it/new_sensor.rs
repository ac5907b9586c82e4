//! A new kind of sensor touches nothing else: this one stands outside of the crate, says what it needs and what it is, and
//! is told that no client exposes it. Evidence of such a kind would stand in a ledger as any other does.

use std::borrow::Cow;

use deeds::evidence::event::{Action, AgentEvent, Client, Via};
use deeds::evidence::{
    ClockSource, CollectionMethod, Evidence, EvidenceKind, RuntimeCapabilities, SignalAvailability, SignalClass,
    TamperBoundary, TrustClass,
};
use deeds::ledger::{EntryKind, Ledger};
use deeds::sensor::clean::Cleaner;
use deeds::sensor::scene::Scene;
use deeds::sensor::stamp::{Seen, evidence};
use deeds::sensor::{EvidenceSensor, SensorOutcome, capture};

use crate::sandbox::Sandbox;

/// The model's own summary of its reasoning, which no client passes on.
struct ReasoningSummarySensor {
    scene: Scene,
}

impl EvidenceSensor for ReasoningSummarySensor {
    fn name(&self) -> &'static str {
        "ReasoningSummarySensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ReasoningSummary]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::ModelInternal
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let payload = serde_json::Map::from_iter([("summary".to_owned(), "…".into())]);
        let seen = Seen::new(EvidenceKind::TranscriptExcerpt, payload, "reasoning_summary");
        SensorOutcome::collected(vec![evidence(self, "1", event, &self.scene, Cleaner::default(), seen)])
    }
}

fn event() -> AgentEvent<'static> {
    AgentEvent {
        client: Client::Claude,
        client_version: None,
        name: "Stop".into(),
        session_id: "s".into(),
        agent: None,
        turn_id: Some("p".into()),
        call_id: None,
        tool: None,
        transcript_path: None,
        cwd: Some(Cow::Borrowed("/home/dev/demo")),
        observed_at: "2026-11-30T21:00:00.000Z".into(),
        clock: ClockSource::HostClock,
        via: Via::Hook,
        action: Action::TurnBegan,
    }
}

#[test]
fn no_client_exposes_it_and_the_sensor_says_so() {
    let sensor = ReasoningSummarySensor { scene: Scene::default() };
    for client in ["claude", "codex", "deeds"] {
        let outcome = sensor.collect(&event(), &RuntimeCapabilities::of(client));
        assert_eq!((outcome.evidence.len(), &outcome.state), (0, &SignalAvailability::Unsupported), "{client}");
        assert!(outcome.detail.unwrap().contains("reasoning_summary"));
    }
}

#[test]
fn were_it_exposed_its_evidence_would_be_kept_as_any_other() {
    let sandbox = Sandbox::new();
    let sensor = ReasoningSummarySensor { scene: Scene::default() };
    let exposed = vec![(SignalClass::ReasoningSummary, SignalAvailability::Available)];
    let outcome = sensor.collect(&event(), &RuntimeCapabilities::new("claude", exposed));
    let draft = capture::evidence(outcome.evidence[0].clone());
    let ledger = Ledger::open(&sandbox.path("ledger"));
    ledger.append(vec![draft], &Default::default()).unwrap();
    let entry = ledger.entry(1).unwrap().unwrap();
    assert_eq!(entry.kind, EntryKind::Evidence);
    let read: Evidence = serde_json::from_value(entry.body).unwrap();
    assert_eq!(read, outcome.evidence[0]);
    let source = read.source.unwrap();
    assert!(source.boundary_is_canned());
    assert_eq!(source.boundary(), TamperBoundary::canned(&TrustClass::ModelInternal, &CollectionMethod::HookCallback));
}
