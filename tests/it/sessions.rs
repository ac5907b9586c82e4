//! `deeds sessions`: what each session did, counted once, and what came of what it claimed.

use serde_json::{Value, json};

use crate::drafts::{append, claim, evidence};
use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_PASS, Session};

fn listed(sandbox: &Sandbox, more: &[&str]) -> Vec<Value> {
    let ran = sandbox.deeds(&[&["sessions", "--json"], more].concat()).expect(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const THIRD: &str = "77770000-0000-4000-8000-000000000003";
const SECOND: &str = "5e551011-0000-4000-8000-000000000002";

#[test]
fn a_line_a_session_the_newest_last_with_its_recorded_verdicts() {
    let sandbox = Sandbox::with_repository();
    assert_eq!(sandbox.deeds(&["sessions"]).expect(0).stdout, "no session is recorded here yet\n");
    let mut first = Session::start(&sandbox);
    first.edit("src/a.rs", "1\n").bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    first.prompt();
    first.bash("cargo test", CARGO_PASS, 0).stop("All tests pass now. I updated `src/a.rs`.");
    let mut second = Session::start_as(&sandbox, SECOND);
    second.bash("ls", "", 0).stop("Nothing to report.");
    let rows = listed(&sandbox, &[]);
    assert_eq!(rows.len(), 2);
    let row = &rows[0];
    assert_eq!((row["session"].as_str(), row["client"].as_str()), (Some(first.id), Some("claude")));
    assert_eq!((row["runs"].as_u64(), row["edits"].as_u64(), row["claims"].as_u64()), (Some(2), Some(1), Some(2)));
    assert_eq!(row["verdicts"], json!({"contradicted": 1, "not_shown": 0, "supported": 2, "from": "recorded"}));
    for key in ["started_at", "last_event_at"] {
        let time = row[key].as_str().unwrap();
        assert!(deeds::clock::parse_millis(time).is_some() && time.ends_with('Z'), "{time}");
    }
    // The second claimed nothing, and nobody judged it: now it is seen that there is nothing to judge.
    assert_eq!(rows[1]["session"], SECOND);
    assert_eq!(rows[1]["verdicts"], json!({"contradicted": 0, "not_shown": 0, "supported": 0, "from": "judged_now"}));
    assert_eq!(listed(&sandbox, &["-n", "1"])[0]["session"], SECOND);
    let told = sandbox.deeds(&["sessions"]).expect(0).stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("session ") && lines[0].ends_with("claims  verdicts"), "{told}");
    assert!(lines[1].starts_with(first.id) && lines[1].ends_with("✗ 1  ✓ 2"), "{told}");
    assert!(lines[2].starts_with(SECOND) && lines[2].ends_with("~ nothing claimed"), "{told}");
    assert!(!told.contains('\u{1b}'));
}

#[test]
fn a_session_that_nobody_judged_is_judged_now_and_says_so() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("project/.deeds");
    let ledger = deeds::ledger::Ledger::open(&place);
    let mut failed = evidence("a", CARGO_FAIL);
    failed.body["payload"]["exit_code"] = 101.into();
    // Twice told by another method is one call still.
    let mut again = evidence("again", CARGO_FAIL);
    again.body["source_event_id"] = "a".into();
    again.body["payload"]["exit_code"] = 101.into();
    append(&ledger, vec![failed, again, claim("t", "All tests pass.", "1")]);
    let rows = listed(&sandbox, &[]);
    assert_eq!((rows[0]["runs"].as_u64(), rows[0]["claims"].as_u64()), (Some(1), Some(1)), "{rows:?}");
    assert_eq!(rows[0]["verdicts"]["from"], "judged_now");
    assert_eq!(rows[0]["started_at"], "2026-11-30T21:04:05.123Z");
    assert_eq!(rows[0]["duration_ms"], 3877);
}

#[test]
fn what_is_wrong_with_the_ledger_comes_first() {
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_PASS, 0);
    let path = sandbox.project().join(".git/deeds/ledger.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("genesis", "genesit", 1)).unwrap();
    let rows = listed(&sandbox, &[]);
    assert_eq!(rows[0]["finding"]["kind"], "altered");
    assert_eq!(rows.len(), 2);
    assert!(sandbox.deeds(&["sessions"]).expect(0).stdout.starts_with("!  altered, line 1: "));
}

#[test]
fn a_session_is_named_by_the_beginning_of_its_id_everywhere() {
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    Session::start_as(&sandbox, SECOND).bash("cargo test", CARGO_PASS, 0).stop("All tests pass.");
    Session::start_as(&sandbox, THIRD).bash("ls -A", "", 0).stop("Nothing to report.");
    let page = sandbox.path("page.html").display().to_string();
    let verbs: [&[&str]; 3] = [&["judge"], &["log"], &["report", "--html", &page]];
    let asked = |verb: &[&str], id: &str| sandbox.deeds(&[verb, &["--session", id]].concat());
    for verb in verbs {
        let (whole, begun) = (asked(verb, THIRD), asked(verb, "77"));
        assert_eq!((whole.code, begun.code), (Some(0), Some(0)), "{whole:?} {begun:?}");
        let ambiguous = asked(verb, "5e55").expect(64).stderr;
        let both = format!(
            "deeds: 2 sessions begin with 5e55: 5e551011-0000-4000-8000-000000000001, {SECOND}; give more of the id\n"
        );
        assert_eq!(ambiguous, both, "{verb:?}");
        let unknown = asked(verb, "nobody").expect(64).stderr;
        assert!(unknown.starts_with("deeds: no session nobody is recorded here; the newest are "), "{unknown}");
        assert!(unknown.contains(SECOND), "{unknown}");
    }
    let listed = asked(&["log"], "77").stdout;
    assert!(listed.contains("ls -A") && !listed.contains("cargo test"), "{listed}");
}
