//! The ledger: what is appended stands there, once, in order, chained.

use deeds::evidence::id::{digest_fields, sha256_hex};
use deeds::ledger::{Append, Appended, Draft, Entry, EntryKind, Ledger};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Evidence of a command, as sensors make it.
fn evidence(call: &str, output: &str) -> Draft {
    let id = digest_fields(&[call]);
    let body = json!({
        "id": id, "session_id": "s", "source_event_id": call, "kind": "exit_code", "observed_at": "2026-11-30T21:04:05.123Z",
        "payload": {"command": "cargo test", "exit_code": 0, "output": output, "duration_ms": 4, "context": {"head": null}},
        "provenance": "claude:unknown:PostToolUse:Bash#event",
        "source": {"sensor_name": "ClaudeBashExitCodeSensor", "trust_class": "agent_adjacent"}
    });
    draft(EntryKind::Evidence, id, body)
}

fn draft(kind: EntryKind, id: String, body: Value) -> Draft {
    let Value::Object(body) = body else { panic!("a body is an object") };
    Draft { kind, id, body }
}

fn ledger(sandbox: &Sandbox) -> Ledger {
    Ledger::open(&sandbox.path("ledger"))
}

fn entries(ledger: &Ledger) -> Vec<Entry> {
    ledger.read().unwrap().map(|entry| entry.unwrap()).collect()
}

fn append(ledger: &Ledger, drafts: Vec<Draft>) -> Vec<Appended> {
    ledger.append(drafts, &Append::default()).unwrap()
}

#[test]
fn what_is_appended_is_read_back_behind_a_genesis_in_one_chain() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    assert_eq!(
        append(&ledger, vec![evidence("a", "x"), evidence("b", "y")]),
        [Appended::Written(1), Appended::Written(2)]
    );
    assert_eq!(append(&ledger, vec![evidence("c", "z")]), [Appended::Written(3)]);
    let entries = entries(&ledger);
    assert_eq!(entries[0].kind, EntryKind::Genesis);
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(entries[0].prev.as_str(), "0".repeat(64));
    for pair in entries.windows(2) {
        assert_eq!(pair[1].prev, pair[0].hash);
    }
    assert_eq!(entries[3].body, Value::Object(evidence("c", "z").body));
    assert_eq!(ledger.entry(2).unwrap().unwrap().body["payload"]["output"], "y");
}

#[test]
fn a_body_that_holds_an_entrys_own_end_is_cut_where_the_line_ends() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let end = format!(",\"hash\":\"{}\"}}", "0".repeat(64));
    append(&ledger, vec![evidence("a", &end)]);
    let body = json!({"id": "i", "hash": "0".repeat(64), "x": {"hash": "0".repeat(64), "mac": "0".repeat(64)}});
    append(&ledger, vec![draft(EntryKind::Unparsed, "i".into(), body.clone())]);
    let entries = entries(&ledger);
    assert_eq!(entries[1].body["payload"]["output"], end);
    assert_eq!(entries[2].body, body);
}

#[test]
fn an_output_of_200_kb_is_a_blob_and_reads_back_whole() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let output = "0123456789\n".repeat(20_000);
    append(&ledger, vec![evidence("a", &output)]);
    let entry = ledger.entry(1).unwrap().unwrap();
    let value = &entry.body["payload"]["output"];
    assert_eq!(*value, json!({"$blob": sha256_hex(output.as_bytes()), "len": output.len()}));
    assert_eq!(ledger.resolve(value), Some(output));
}
