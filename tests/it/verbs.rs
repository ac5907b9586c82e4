//! `verify` and `show`: what they print, and what they exit with.

use deeds::command::{Output, log, show, verify};
use deeds::error::Exit;
use deeds::ledger::{EntryKind, Ledger};
use serde_json::{Value, json};

use crate::drafts::{append, bytes, draft, evidence, filled, ledger, look, set_bytes};
use crate::sandbox::Sandbox;

fn verified(ledger: &Ledger) -> (Exit, Value) {
    let mut out = Vec::new();
    let exit = verify::report(ledger, Output::Json, &mut out).unwrap();
    (exit, serde_json::from_slice(&out).unwrap())
}

fn text(run: impl FnOnce(&mut Vec<u8>) -> deeds::error::Result<Exit>) -> String {
    let mut out = Vec::new();
    assert_eq!(run(&mut out).unwrap(), Exit::Holds);
    String::from_utf8(out).unwrap()
}

#[test]
fn verify_exits_with_what_it_found() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    assert_eq!(verified(&ledger), (Exit::Holds, json!({"result": "ok", "entries": 0, "findings": []})));
    append(&ledger, vec![evidence("a", "x"), evidence("b", "x")]);
    let good = bytes(&ledger);
    assert_eq!(verified(&ledger), (Exit::Holds, json!({"result": "ok", "entries": 3, "findings": []})));
    set_bytes(&ledger, &good[..good.len() - 10]);
    let (exit, found) = verified(&ledger);
    assert_eq!((exit, &found["result"], &found["entries"]), (Exit::NotShown, &json!("torn_tail"), &json!(2)));
    assert_eq!((&found["findings"][0]["kind"], &found["findings"][0]["line"]), (&json!("torn_tail"), &json!(3)));
    append(&ledger, vec![evidence("c", "x")]);
    assert_eq!(verified(&ledger), (Exit::Holds, json!({"result": "ok", "entries": 4, "findings": []})));
    let mut altered = good.clone();
    altered[good.len() - 300] ^= 1;
    set_bytes(&ledger, &altered);
    let (exit, found) = verified(&ledger);
    assert_eq!((exit, &found["result"]), (Exit::DoesNotHold, &json!("altered")));
    assert_eq!(found["findings"][0]["line"], 3);
    std::fs::remove_file(ledger.dir().join("ledger.jsonl")).unwrap();
    assert_eq!(verified(&ledger).0, Exit::DoesNotHold);
    assert_eq!(verified(&ledger).1["result"], "shrunk");
    std::fs::create_dir(ledger.dir().join("ledger.jsonl")).unwrap();
    assert_eq!(verified(&ledger).0, Exit::Unable);
    assert_eq!(verified(&ledger).1["result"], "unreadable");
}

#[test]
fn verify_says_what_the_chain_shows_and_what_it_does_not() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let told = text(|out| verify::report(&ledger, Output::Text, out));
    assert!(told.starts_with("ok: 3 entries in "), "{told}");
    assert!(told.contains("3 entries without a mac"), "{told}");
    assert!(told.contains("Not shown: that nothing was cut off at the end"), "{told}");
}

#[test]
fn show_prints_one_entry_whole_and_nothing_that_a_terminal_would_obey() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let output = format!("\u{1b}[2Jrunning 3 tests\n{}test result: FAILED\n", "test a ... ok\n".repeat(1000));
    append(&ledger, vec![evidence("a", &output), look("a", "1")]);
    let told = text(|out| show::report(&ledger, "#1", out));
    assert!(told.contains("trust       agent_adjacent via hook_callback\n"), "{told}");
    // The stored sentence is none of ours.
    assert!(told.contains("boundary    reported by the agent's client through a hook callback"), "{told}");
    assert!(told.contains("is not believed"), "{told}");
    assert!(told.contains("command: cargo test\n"), "{told}");
    assert!(told.contains("output:\n  | \\x1b[2Jrunning 3 tests\n"), "{told}");
    assert!(told.contains("  | test result: FAILED\n"), "{told}");
    assert!(!told.contains('\u{1b}'));
    let id = deeds::evidence::id::digest_fields(&["a"]);
    assert_eq!(text(|out| show::report(&ledger, &id[..8], out)), told);
    assert_eq!(text(|out| show::report(&ledger, "1", out)), told);
    std::fs::remove_dir_all(ledger.dir().join("blobs")).unwrap();
    assert!(text(|out| show::report(&ledger, "1", out)).contains("is gone, or holds something else"));
    let error = show::report(&ledger, "99", &mut Vec::new()).unwrap_err();
    assert_eq!((error.exit, error.code), (Exit::NotShown, "not_found"));
    assert_eq!(show::report(&ledger, "../x", &mut Vec::new()).unwrap_err().exit, Exit::Usage);
}

#[test]
fn an_entry_of_a_kind_that_a_later_version_writes_is_kept_and_shown() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(&ledger, vec![draft(EntryKind::from("telepathy"), "i", json!({"id": "i", "says": "hm"}))]);
    assert_eq!(verified(&ledger).0, Exit::Holds);
    assert!(text(|out| log::report(&ledger, &log::View::all(Output::Text, 0), out)).contains("telepathy"));
    assert!(text(|out| show::report(&ledger, "1", out)).contains("says: hm\n"));
}

#[test]
fn show_says_where_an_entry_stands_in_the_chain() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    let all = crate::drafts::entries(&ledger);
    let told = text(|out| show::report(&ledger, "2", out));
    assert!(told.contains(&format!("hash        {}, recomputed from its bytes: the same\n", all[2].hash)), "{told}");
    assert!(told.contains(&format!("prev        {}, the hash of #1\n", all[1].hash)), "{told}");
    assert!(told.contains("next        #3 names this hash as the one before it\n"), "{told}");
    assert!(text(|out| show::report(&ledger, "0", out)).contains(": it is the first\n"));
    assert!(text(|out| show::report(&ledger, "3", out)).contains("next        none yet: it is the newest"));
}

#[test]
fn show_says_that_a_ledger_is_damaged_rather_than_that_there_is_no_such_entry() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    let good = bytes(&ledger);
    let missing = |name: &str| show::report(&ledger, name, &mut Vec::new()).unwrap_err();
    assert_eq!((missing("9").exit, missing("9").code), (Exit::NotShown, "not_found"));
    // One byte of the second line.
    let mut altered = good.clone();
    let line = good.iter().position(|byte| *byte == b'\n').unwrap() + 200;
    altered[line] ^= 1;
    set_bytes(&ledger, &altered);
    let error = missing("1");
    assert_eq!((error.exit, error.code), (Exit::DoesNotHold, "damaged_ledger"));
    assert!(error.message.starts_with("entry 1 cannot be shown: the ledger is damaged: altered, line 2: "), "{error}");
    assert!(error.message.ends_with("; see deeds verify"), "{error}");
    // What can be read is shown, with what is wrong before it.
    let told = text(|out| show::report(&ledger, "3", out));
    assert!(told.contains("damage      before or at this entry: altered, line 2: "), "{told}");
    // A crash is no damage.
    set_bytes(&ledger, &good[..good.len() - 10]);
    assert_eq!(missing("3").code, "not_found");
    assert!(missing("3").message.contains("cut short, as by a crash"));
    std::fs::remove_file(ledger.dir().join("ledger.jsonl")).unwrap();
    assert_eq!((missing("1").exit, missing("1").code), (Exit::DoesNotHold, "damaged_ledger"));
}

#[test]
fn show_says_what_became_of_the_claims_in_a_message() {
    let sandbox = Sandbox::with_repository();
    let mut session = crate::session::Session::start(&sandbox);
    session.bash("cargo test", crate::session::CARGO_FAIL, 101).stop("All tests pass.");
    let log = sandbox.deeds(&["log", "--kind", "claim", "--json"]).expect(0).json();
    let told = sandbox.deeds(&["show", &log["seq"].to_string()]).expect(0).stdout;
    assert!(told.contains("why:\n  ✗ \"All tests pass\" contradicted: `cargo test` exited 101"), "{told}");
    let run = sandbox.deeds(&["log", "--kind", "run", "--json"]).expect(0).json();
    let told = sandbox.deeds(&["show", &run["body"]["id"].as_str().unwrap()[..10]]).expect(0).stdout;
    assert!(told.contains("counts as tests/cargo") && told.contains("commit      "), "{told}");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_and_is_not_made() {
    let sandbox = Sandbox::new();
    let there = sandbox.path("nowhere").display().to_string();
    for verb in
        [&["judge"] as &[&str], &["log"], &["doctor"], &["install", "claude", "--project"], &["evidence", "list"]]
    {
        let ran = sandbox.deeds(&[&["-w", &there], verb].concat()).expect(70);
        assert!(ran.stderr.starts_with(&format!("deeds: failed to enter: {there}: ")), "{ran:?}");
    }
    assert!(!sandbox.path("nowhere").exists());
    let file = sandbox.write("a.txt", "").display().to_string();
    assert!(sandbox.deeds(&["-w", &file, "log"]).expect(70).stderr.ends_with("it is no folder\n"));
}

#[test]
fn where_there_is_nothing_that_is_said() {
    let sandbox = Sandbox::with_repository();
    assert_eq!(sandbox.deeds(&["log"]).expect(0).stdout, "nothing is recorded here yet\n");
    for quiet in [&["log", "-q"], &["log", "--json"]] {
        assert_eq!(sandbox.deeds(quiet).expect(0).stdout, "");
    }
    let mut session = crate::session::Session::start(&sandbox);
    session.bash("ls", "", 0);
    let filtered = sandbox.deeds(&["log", "--kind", "bundle"]).expect(0).stdout;
    assert_eq!(filtered, "nothing that is recorded here is like that\n");
    assert_eq!(sandbox.deeds(&["evidence", "verify", "--all"]).expect(0).stdout, "no bundles\n");
    assert_eq!(sandbox.deeds(&["evidence", "verify", "t"]).expect(1).stdout, "no bundle: t\n");
    assert_eq!(sandbox.deeds(&["evidence", "verify", "--bundle", "t"]).expect(1).stdout, "no bundle: t\n");
}

#[test]
fn a_run_that_cannot_start_or_fails_says_so_plainly() {
    let sandbox = Sandbox::with_repository();
    let ran = |args: &[&str]| sandbox.deeds(&[&["run"], args].concat());
    assert_eq!((ran(&["false"]).code, ran(&["false"]).stderr.as_str()), (Some(1), ""));
    assert_eq!(ran(&[]).expect(64).stderr, "deeds: there is no command to run; deeds run -- cargo test\n");
    assert_eq!(ran(&["nosuch-program"]).expect(127).stderr, "deeds: failed to run: nosuch-program: no such command\n");
    assert!(ran(&["/tmp"]).expect(126).stderr.starts_with("deeds: failed to run: /tmp: "));
    assert_eq!(ran(&["--", "sh", "-c", "kill -9 $$"]).expect(137).stderr, "");
    let check = ran(&["--check", "x"]).expect(64).stderr;
    assert_eq!(check, "deeds: deeds.json declares no check named x; it declares none\n");
}

#[test]
fn judge_takes_json_as_every_other_verb_does() {
    let sandbox = Sandbox::with_repository();
    crate::session::Session::start(&sandbox).stop("All tests pass.");
    let json = sandbox.deeds(&["judge", "--json"]).expect(1);
    assert_eq!(json.stdout, sandbox.deeds(&["judge", "--format", "json"]).stdout);
    sandbox.deeds(&["judge", "--json", "--format", "text"]).expect(64);
}
