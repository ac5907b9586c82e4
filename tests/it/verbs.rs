//! `verify`, `log` and `show`: what they print, and what they exit with.

use deeds::command::{Output, log, show, verify};
use deeds::error::Exit;
use deeds::ledger::{EntryKind, Ledger};
use serde_json::{Value, json};

use crate::drafts::{append, bytes, claim, draft, evidence, filled, ledger, look, set_bytes};
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
    assert!(told.contains("3 entries have no mac"), "{told}");
    assert!(told.contains("Not shown: that nothing was cut off at the end"), "{told}");
}

#[test]
fn log_shows_each_thing_once_with_its_trust_and_method() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(
        &ledger,
        vec![
            evidence("a", "x"),
            look("a", "0123456789abcdef0123456789abcdef01234567"),
            claim("t", "All tests\npass.", "1"),
        ],
    );
    for i in 0..100 {
        append(&ledger, vec![evidence(&format!("more {i}"), &"x".repeat(4000))]);
    }
    // So far apart that the ledger itself does not notice.
    append(&ledger, vec![evidence("a", "x"), evidence("a", "y")]);
    ledger.spool().put(&[evidence("waiting", "x"), evidence("a", "x")], "a test").unwrap();
    let json = text(|out| log::report(&ledger, Output::Json, out));
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 106);
    assert_eq!(lines[105]["spooled"], true);
    let stored = bytes(&ledger);
    assert!(json.lines().take(105).all(|line| memchr::memmem::find(&stored, line.as_bytes()).is_some()));
    let told = text(|out| log::report(&ledger, Output::Text, out));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[1],
        "    #1  2026-11-30T21:04:05Z  exit_code            cargo test → exit 0 (event)  [agent_adjacent via hook_callback]"
    );
    assert_eq!(
        lines[2],
        "    #2  2026-11-30T21:04:05Z  process_observation  git is at: main 0123456789ab clean  [host_observed via process_observation]"
    );
    assert_eq!(lines[3], "    #3  2026-11-30T21:04:09Z  claim                Stop \"All tests …\"");
    assert!(lines[104].ends_with("(conflicts with #104)"), "{}", lines[104]);
    assert!(lines[105].starts_with("spooled"), "{}", lines[105]);
}

#[test]
fn log_does_not_pass_over_what_is_wrong() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    let mut content = bytes(&ledger);
    let at = content.len() - 300;
    content[at] ^= 1;
    set_bytes(&ledger, &content);
    let told = text(|out| log::report(&ledger, Output::Text, out));
    assert!(told.lines().last().unwrap().starts_with("!  altered, line 4: "), "{told}");
    let json = text(|out| log::report(&ledger, Output::Json, out));
    assert!(json.lines().last().unwrap().starts_with("{\"finding\":{\"kind\":\"altered\",\"line\":4,"), "{json}");
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
    assert!(text(|out| log::report(&ledger, Output::Text, out)).contains("telepathy"));
    assert!(text(|out| show::report(&ledger, "1", out)).contains("says: hm\n"));
}
