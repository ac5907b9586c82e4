//! The sensors: what they put into evidence, and what they say when there is nothing.

use std::time::Duration;

use deeds::evidence::event::{Action, AgentEvent, Client, Via};
use deeds::evidence::{ClockSource, EvidenceKind, RuntimeCapabilities, SignalAvailability, TrustClass};
use deeds::sensor::EvidenceSensor;
use deeds::sensor::git::{GitLook, HostGitSensor};
use deeds::sensor::worktree::{HostWorktreeSensor, Worktree};
use serde_json::json;

use super::{AMPLE, seen};
use crate::sandbox::Sandbox;

fn event(cwd: &str) -> AgentEvent<'_> {
    AgentEvent {
        client: Client::Claude,
        client_version: None,
        name: "PostToolUse".into(),
        session_id: "s".into(),
        agent: None,
        turn_id: None,
        call_id: Some("toolu_1".into()),
        tool: Some("Bash".into()),
        transcript_path: None,
        cwd: Some(cwd.into()),
        observed_at: "2026-11-30T21:04:05.123Z".into(),
        clock: ClockSource::HostClock,
        via: Via::Hook,
        action: Action::Nothing,
    }
}

#[test]
fn a_look_at_the_worktree_is_evidence_that_the_host_itself_gathered() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("new", "x\n");
    let context = json!({"root": "/home/dev/demo"});
    let sensor = HostWorktreeSensor { seen: None, budget: AMPLE, context: context.clone() };
    let project = sandbox.project();
    let outcome = sensor.collect(&event(project.to_str().unwrap()), &RuntimeCapabilities::of("claude"));
    assert_eq!((&outcome.state, &outcome.detail), (&SignalAvailability::Available, &None));
    let evidence = &outcome.evidence[0];
    assert_eq!(evidence.kind, EvidenceKind::ProcessObservation);
    assert_eq!(evidence.source_event_id.as_deref(), Some("toolu_1"));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(evidence.provenance, format!("deeds:{version}:PostToolUse:Bash#host:worktree"));
    let source = evidence.source.as_ref().unwrap();
    assert_eq!((&source.trust_class, source.sensor_name.as_str()), (&TrustClass::HostObserved, "HostWorktreeSensor"));
    assert!(source.boundary_is_canned() && source.provider.is_none());
    assert_eq!((&evidence.payload["look"], &evidence.payload["context"]), (&json!("worktree"), &context));
    let seen = seen(&sandbox);
    assert_eq!(Worktree::from_json(&evidence.payload), Some(seen.clone()));
    assert_eq!(evidence.payload["tree"], json!(seen.tree));

    // A look that was already taken is not taken again, and is the same piece of evidence.
    let sensor = HostWorktreeSensor { seen: Some(&seen), budget: Duration::ZERO, context };
    let again = sensor.collect(&event("/nowhere"), &RuntimeCapabilities::of("claude"));
    assert_eq!(again.evidence[0].id, evidence.id);
    assert_eq!(again.evidence[0].payload, evidence.payload);
}

#[test]
fn a_time_out_is_a_failed_collection_that_keeps_its_reason() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    let sensor = HostWorktreeSensor { seen: None, budget: Duration::ZERO, context: json!({}) };
    let outcome = sensor.collect(&event(project.to_str().unwrap()), &RuntimeCapabilities::of("claude"));
    assert_eq!(outcome.state, SignalAvailability::CollectionFailed);
    assert!(outcome.detail.unwrap().starts_with("timed out after 0 ms"));
    assert_eq!(outcome.evidence[0].payload["tree"], json!(null));
    assert!(outcome.evidence[0].payload["reason"].as_str().unwrap().starts_with("timed out"));
    let sensor = HostGitSensor { seen: None, budget: Duration::ZERO, context: json!({}) };
    let outcome = sensor.collect(&event(project.to_str().unwrap()), &RuntimeCapabilities::of("claude"));
    assert_eq!((outcome.state, outcome.evidence.len()), (SignalAvailability::CollectionFailed, 0));
}

#[test]
fn a_look_at_git_says_where_head_stands_and_reads_back() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    let seen = seen(&sandbox);
    let sensor = HostGitSensor { seen: Some(&seen), budget: AMPLE, context: json!({"root": null}) };
    let outcome = sensor.collect(&event(project.to_str().unwrap()), &RuntimeCapabilities::of("claude"));
    let payload = &outcome.evidence[0].payload;
    assert_eq!(payload["head"], json!(sandbox.git(&["rev-parse", "HEAD"])));
    assert_eq!(
        (&payload["look"], &payload["branch"], &payload["clean"]),
        (&json!("git"), &json!("main"), &json!(true))
    );
    assert_eq!(payload["upstream"], json!(null));
    let read = GitLook::from_json(payload).unwrap();
    assert_eq!((read.branch.as_deref(), read.clean), (Some("main"), Some(true)));
    assert!(outcome.evidence[0].provenance.ends_with("#host:git"));
}

#[test]
fn rows_that_cannot_be_read_back_count_as_cut() {
    let seen = Worktree::from_json(&json!({
        "tree": null, "reason": "r", "head": null, "changed_cut": false,
        "changed": [{"status": "A", "path": {"$blob": "0", "len": 5000}, "mode": "100644", "sha": "0"}], "later": 1
    }))
    .unwrap();
    assert!(seen.changed_cut && seen.changed.is_empty());
    assert_eq!(Worktree::from_json(&json!("no object")), None);
}
