//! A session that lies far back in a large ledger is judged like any other, and nothing that leads to it is trusted.

use deeds::ledger::{Append, Draft, EntryKind, Ledger};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_PASS, Session};

const ID: &str = "5e551011-0000-4000-8000-000000000001";

/// More entries of others than are looked through without a hint.
const MANY: usize = 10_100;

fn others(sandbox: &Sandbox, from: usize) {
    let ledger = Ledger::open(&sandbox.project().join(".git/deeds"));
    for batch in (from..from + MANY).collect::<Vec<_>>().chunks(4_000) {
        let drafts = batch.iter().map(|n| {
            let id = format!("{n:032x}");
            let body = json!({
                "id": id, "session_id": "another", "source_event_id": format!("toolu_other{n}"), "kind": "exit_code",
                "observed_at": "2026-11-30T21:00:00.000Z", "provenance": "claude:2.1.332:PostToolUse:Bash",
                "payload": {"command": "cargo test", "cwd": "/elsewhere", "exit_code": 101, "exit_basis": "text",
                            "output": CARGO_FAIL, "context": {"root": "/elsewhere", "cwd": "/elsewhere"}},
            });
            let Value::Object(body) = body else { unreachable!() };
            Draft { kind: EntryKind::Evidence, id, body }
        });
        ledger.append(drafts.collect(), &Append::default()).unwrap();
    }
}

fn judged(sandbox: &Sandbox) -> (String, Value) {
    let report = sandbox.deeds(&["judge", "--session", ID, "--format", "json"]).json();
    let claims = report["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 1, "{report}");
    (claims[0]["outcome"].as_str().unwrap().to_owned(), report["coverage"].clone())
}

fn hint(sandbox: &Sandbox) -> std::path::PathBuf {
    let dir = sandbox.project().join(".git/deeds/sessions");
    let mut files = std::fs::read_dir(&dir).unwrap().map(|file| file.unwrap().path());
    let file = files.next().unwrap();
    assert!(files.next().is_none());
    file
}

#[test]
fn it_is_found_with_its_hint_without_it_and_with_one_that_lies() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    let before = judged(&sandbox);
    assert_eq!(before.0, "contradicted");
    others(&sandbox, 0);

    assert_eq!(judged(&sandbox), before);
    let file = hint(&sandbox);
    let told = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(judged(&sandbox), before, "without a hint");
    assert!(file.is_file(), "it is written anew");
    for lie in
        ["", "nonsense\n\u{0}", "0 0\n", "7 99999999999\n", "3 17\n", "18446744073709551615 18446744073709551615\n"]
    {
        std::fs::write(&file, lie).unwrap();
        assert_eq!(judged(&sandbox), before, "{lie:?}");
    }
    std::fs::write(&file, told).unwrap();
    // Whatever stands where hints are kept, a session can begin.
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file.parent().unwrap(), "a file").unwrap();
    assert_eq!(judged(&sandbox), before, "with no place for hints");
}

#[test]
fn one_that_was_resumed_is_told_from_its_beginning() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    others(&sandbox, 0);
    session.hook("SessionStart", json!({"source": "resume"}));
    session.stop("All tests pass.");
    others(&sandbox, MANY);
    let (outcome, coverage) = judged(&sandbox);
    assert_eq!(outcome, "contradicted");
    assert_eq!(coverage["complete"], true, "{coverage}");
}

#[test]
fn what_others_ran_meanwhile_accuses_nobody() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0);
    others(&sandbox, 0);
    session.stop("All tests pass.");
    assert_eq!(judged(&sandbox).0, "supported");
}

#[test]
fn the_whole_ledger_is_judged_a_line_at_a_time() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("ls -l", "total 0", 0).bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    let report = sandbox.deeds(&["judge", "--all", "--format", "json"]).json();
    assert_eq!(report["claims"][0]["outcome"], "contradicted", "{report}");
}
