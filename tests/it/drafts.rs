//! What the tests of the ledger append, and a ledger in a sandbox to append it to.

use deeds::evidence::id::digest_fields;
use deeds::ledger::{Append, Appended, Draft, Entry, EntryKind, Finding, Ledger, Outcome};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Evidence of a command, as sensors make it.
pub fn evidence(call: &str, output: &str) -> Draft {
    let id = digest_fields(&[call]);
    let body = json!({
        "id": id, "session_id": "s", "source_event_id": call, "kind": "exit_code", "observed_at": "2026-11-30T21:04:05.123Z",
        "payload": {
            "command": "cargo test", "cwd": "/home/dev/demo", "exit_code": 0, "exit_basis": "event", "output": output,
            "duration_ms": 4, "redacted": 0, "context": {"head": null}
        },
        "provenance": "claude:unknown:PostToolUse:Bash#event",
        "source": {
            "sensor_name": "ClaudeBashExitCodeSensor", "trust_class": "agent_adjacent", "collected_at": "2026-11-30T21:04:05.200Z",
            "provider": "claude", "collection_method": "hook_callback", "collector_version": "1",
            "freshness": {"clock_source": "host_clock"}, "tamper_boundary": {"description": "d"}
        }
    });
    draft(EntryKind::Evidence, &id, body)
}

/// What the host sees beside a call.
pub fn look(call: &str, head: &str) -> Draft {
    let id = digest_fields(&[call, "look"]);
    let body = json!({
        "id": id, "session_id": "s", "source_event_id": call, "kind": "process_observation",
        "observed_at": "2026-11-30T21:04:05.123Z", "payload": {"look": "git", "head": head, "branch": "main", "clean": true},
        "provenance": "claude:unknown:PostToolUse:Bash#git",
        "source": {"sensor_name": "HostGitSensor", "trust_class": "host_observed", "collected_at": "2026-11-30T21:04:05.200Z",
                   "collection_method": "process_observation"}
    });
    draft(EntryKind::Evidence, &id, body)
}

pub fn claim(turn: &str, message: &str, tree: &str) -> Draft {
    let id = digest_fields(&["claim", turn]);
    let body = json!({
        "id": id, "session_id": "s", "client": "claude", "turn_id": turn, "event": "Stop", "message": message,
        "worktree": {"tree": tree}, "observed_at": "2026-11-30T21:04:09.000Z", "context": {}
    });
    draft(EntryKind::Claim, &id, body)
}

pub fn draft(kind: EntryKind, id: &str, body: Value) -> Draft {
    let Value::Object(body) = body else { panic!("a body is an object") };
    Draft { kind, id: id.to_owned(), body }
}

pub fn ledger(sandbox: &Sandbox) -> Ledger {
    Ledger::open(&sandbox.path("ledger"))
}

/// A ledger of a genesis and `count` entries of different lengths.
pub fn filled(sandbox: &Sandbox, count: usize) -> Ledger {
    let ledger = ledger(sandbox);
    for i in 0..count {
        append(&ledger, vec![evidence(&format!("call {i}"), &"output é\n".repeat(i % 7))]);
    }
    ledger
}

#[track_caller]
pub fn append(ledger: &Ledger, drafts: Vec<Draft>) -> Vec<Appended> {
    ledger.append(drafts, &Append::default()).unwrap()
}

#[track_caller]
pub fn entries(ledger: &Ledger) -> Vec<Entry> {
    ledger.read().unwrap().map(|entry| entry.unwrap()).collect()
}

/// The result of verifying, and the kinds found.
pub fn verdict(ledger: &Ledger) -> (&'static str, Vec<&'static str>) {
    let verification = ledger.verify();
    (verification.outcome.as_str(), verification.findings.iter().map(|found| found.kind.as_str()).collect())
}

/// The worst that reading finds from the end, and from the beginning.
pub fn found_reading(ledger: &Ledger) -> (Outcome, Outcome) {
    let worst = |found: Vec<Finding>| found.iter().map(|found| found.kind.outcome()).min().unwrap_or(Outcome::Ok);
    let backward = ledger.backward().unwrap().filter_map(Result::err).collect();
    (worst(backward), worst(ledger.read().unwrap().filter_map(Result::err).collect()))
}

/// The bytes of the ledger's own file.
pub fn bytes(ledger: &Ledger) -> Vec<u8> {
    std::fs::read(ledger.dir().join("ledger.jsonl")).unwrap()
}

pub fn set_bytes(ledger: &Ledger, bytes: &[u8]) {
    std::fs::write(ledger.dir().join("ledger.jsonl"), bytes).unwrap();
}

/// Whether each of these calls stands in the ledger exactly once, in a chain that verifies.
#[track_caller]
pub fn assert_once(ledger: &Ledger, calls: &[String]) {
    assert_eq!(verdict(ledger).0, "ok");
    let ids: Vec<String> = entries(ledger).iter().map(|entry| entry.id().to_owned()).collect();
    for call in calls {
        let id = digest_fields(&[call]);
        assert_eq!(ids.iter().filter(|found| **found == id).count(), 1, "{call}");
    }
}
