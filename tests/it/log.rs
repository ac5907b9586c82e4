//! `deeds log`: each thing once, what was asked for and nothing else, and nothing that a terminal would obey.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use deeds::command::log::filter::{Asked, Filter};
use deeds::command::log::{self, Legend, Reported, Times, View};
use deeds::command::terminal::{Colour, Terminal};
use deeds::command::{Output, human};
use deeds::error::Exit;
use deeds::ledger::{EntryKind, Ledger};
use serde_json::{Value, json};

use crate::drafts::{append, bytes, claim, draft, evidence, filled, ledger, look, set_bytes};
use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, Session};

/// Two minutes after what the drafts say that they were observed at.
const NOW: i64 = 1_796_072_765_123;

fn printed(ledger: &Ledger, view: &View) -> String {
    let mut out = Vec::new();
    assert_eq!(log::report(ledger, view, &mut out).unwrap(), Exit::Holds);
    String::from_utf8(out).unwrap()
}

fn text(ledger: &Ledger) -> String {
    printed(ledger, &View::all(Output::Text, NOW))
}

fn filtered(ledger: &Ledger, asked: Asked) -> Vec<u64> {
    let filter = Filter::parse(&asked, NOW).unwrap();
    let json = printed(ledger, &View { filter, ..View::all(Output::Json, NOW) });
    json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap()).collect()
}

#[test]
fn each_thing_is_shown_once_with_its_trust_and_method() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let tree = "0123456789abcdef0123456789abcdef01234567";
    append(&ledger, vec![evidence("a", "x"), look("a", tree), claim("t", "All tests\npass.", "1")]);
    for i in 0..100 {
        append(&ledger, vec![evidence(&format!("more {i}"), &"x".repeat(4000))]);
    }
    // So far apart that the ledger itself does not notice.
    append(&ledger, vec![evidence("a", "x"), evidence("a", "y")]);
    ledger.spool().put(&[evidence("waiting", "x"), evidence("a", "x")], "a test").unwrap();
    let json = printed(&ledger, &View::all(Output::Json, NOW));
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 106);
    assert_eq!(lines[105]["spooled"], true);
    let stored = bytes(&ledger);
    assert!(json.lines().take(105).all(|line| memchr::memmem::find(&stored, line.as_bytes()).is_some()));
    let told = text(&ledger);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[1], "     #1      2m ago  agent·hook  run        cargo test → exit 0 (event)");
    assert_eq!(lines[2], "     #2      2m ago  host·eyes   look       git is at: main 0123456789ab clean");
    assert_eq!(lines[3], "     #3      1m ago              claim      Stop \"All tests …\"");
    assert!(lines[104].ends_with("(conflicts with #104)"), "{}", lines[104]);
    assert!(lines[105].starts_with("spooled"), "{}", lines[105]);
    assert_eq!(
        lines[106],
        "trust: agent = agent_adjacent, host = host_observed · method: hook = hook_callback, eyes = process_observation"
    );
    let quiet = printed(&ledger, &View { legend: Legend::Left, ..View::all(Output::Text, NOW) });
    assert_eq!(quiet.lines().count(), 106);
}

#[test]
fn what_is_wrong_is_not_passed_over() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    let mut content = bytes(&ledger);
    let at = content.len() - 300;
    content[at] ^= 1;
    set_bytes(&ledger, &content);
    let told = text(&ledger);
    assert!(told.lines().any(|line| line.starts_with("!  altered, line 4: ")), "{told}");
    let json = printed(&ledger, &View::all(Output::Json, NOW));
    assert!(json.lines().last().unwrap().starts_with("{\"finding\":{\"kind\":\"altered\",\"line\":4,"), "{json}");
    // A filter that takes none of the entries still lets the finding through, from either end.
    for last in [None, Some(5)] {
        let asked = Asked { kinds: vec!["claim".into()], ..Asked::default() };
        let filter = Filter::parse(&asked, NOW).unwrap();
        let told = printed(&ledger, &View { filter, last, ..View::all(Output::Text, NOW) });
        assert!(told.starts_with("!  altered"), "{told}");
        assert_eq!(told.lines().count(), 1);
    }
}

/// A run that failed, one of which nothing is known, an edit, a look, a claim, a judgement; of two sessions.
fn mixed(sandbox: &Sandbox) -> Ledger {
    let ledger = ledger(sandbox);
    let ended = |call: &str, exit: Value, agent: Value| {
        let mut draft = evidence(call, "x");
        draft.body["payload"]["exit_code"] = exit;
        draft.body["payload"]["context"] = json!({ "agent": agent });
        draft
    };
    let mut other = evidence("other", "x");
    other.body["session_id"] = "t-9".into();
    other.body["observed_at"] = "2026-11-30T20:00:00.000Z".into();
    let judged =
        json!({"id": "j", "session_id": "s", "claims": [{"outcome": "supported"}, {"outcome": "contradicted"}]});
    append(
        &ledger,
        vec![
            evidence("ok", "x"),
            ended("bad", 101.into(), Value::Null),
            ended("open", Value::Null, json!({"id": "ag-1"})),
            look("ok", "1"),
            claim("t", "All tests pass.", "1"),
            draft(EntryKind::Judgement, "j", judged),
            other,
        ],
    );
    ledger
}

#[test]
fn filters_take_what_meets_all_of_them() {
    let sandbox = Sandbox::new();
    let ledger = mixed(&sandbox);
    let asked = |kinds: &[&str], outcomes: &[Reported]| Asked {
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        outcomes: outcomes.to_vec(),
        ..Asked::default()
    };
    assert_eq!(filtered(&ledger, asked(&["run"], &[])), [1, 2, 3, 7]);
    assert_eq!(filtered(&ledger, asked(&["exit_code,look"], &[])), [1, 2, 3, 4, 7]);
    assert_eq!(filtered(&ledger, asked(&["evidence", "claim"], &[])), [1, 2, 3, 4, 5, 7]);
    assert_eq!(filtered(&ledger, asked(&[], &[Reported::Failed])), [2]);
    assert_eq!(filtered(&ledger, asked(&[], &[Reported::Unknown, Reported::Contradicted])), [3, 6]);
    assert_eq!(filtered(&ledger, asked(&["judgement"], &[Reported::Supported])), [0u64; 0]);
    let of = |session: Option<&str>, agent: Option<&str>| Asked {
        session: session.map(str::to_owned),
        agent: agent.map(str::to_owned),
        ..Asked::default()
    };
    assert_eq!(filtered(&ledger, of(Some("t-9"), None)), [7]);
    assert_eq!(filtered(&ledger, of(Some("s"), Some("ag-1"))), [3]);
    assert_eq!(filtered(&ledger, of(Some("s"), Some("main"))), [1, 2, 4, 5, 6]);
    let since = |text: &str| filtered(&ledger, Asked { since: Some(text.into()), ..asked(&["run"], &[]) });
    assert_eq!(since("2026-11-30T21:00:00Z"), [1, 2, 3]);
    assert_eq!(since("2026-11-30"), [1, 2, 3, 7]);
    // Nobody has observed anything so late, and it was appended before.
    assert_eq!(since("2200-01-01"), [0u64; 0]);
}

#[test]
fn the_newest_are_read_from_the_end_and_come_last() {
    let sandbox = Sandbox::new();
    let ledger = mixed(&sandbox);
    let last = |n: usize, kinds: &[&str]| {
        let asked = Asked { kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(), ..Asked::default() };
        let filter = Filter::parse(&asked, NOW).unwrap();
        let json = printed(&ledger, &View { filter, last: Some(n), ..View::all(Output::Json, NOW) });
        json.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["seq"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(last(2, &[]), [6, 7]);
    assert_eq!(last(2, &["run"]), [3, 7]);
    assert_eq!(last(100, &[]), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(last(0, &[]), [0u64; 0]);
}

#[test]
fn a_line_fits_the_terminal_and_keeps_how_it_ended() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let mut long = evidence("a", "x");
    long.body["payload"]["command"] = format!("cargo test \u{1b}[31m\u{202e} {}", "日本".repeat(100)).into();
    append(&ledger, vec![long]);
    for width in [80, 100, 120] {
        let terminal = Terminal { width, ..Terminal::PLAIN };
        let told = printed(&ledger, &View { terminal, legend: Legend::Left, ..View::all(Output::Text, NOW) });
        let line = told.lines().nth(1).unwrap();
        assert!(line.ends_with("… → exit 0 (event)"), "{line}");
        let columns = deeds::command::terminal::columns(line);
        assert!(columns <= width && columns > width - 4, "{columns} of {width}: {line}");
    }
    let absolute = printed(&ledger, &View { times: Times::Absolute, ..View::all(Output::Text, NOW) });
    assert!(absolute.contains("  2026-11-30T21:04:05Z  agent·hook  run"), "{absolute}");
    assert!(!absolute.contains('\u{1b}') && !absolute.contains('\u{202e}') && absolute.contains("\\x1b[31m\\u{202e}"));
}

#[test]
fn colour_follows_what_was_reported_and_a_reported_0_has_none() {
    let sandbox = Sandbox::new();
    let ledger = mixed(&sandbox);
    let terminal = Terminal { colour: Colour::Always, width: 100 };
    let told = printed(&ledger, &View { terminal, ..View::all(Output::Text, NOW) });
    assert!(told.contains("\u{1b}[31m → exit 101 (event)\u{1b}[0m"), "{told}");
    assert!(told.contains("\u{1b}[33m → exit unknown\u{1b}[0m"), "{told}");
    assert!(told.contains("\u{1b}[31m1 contradicted, 1 supported\u{1b}[0m"), "{told}");
    assert!(told.contains("cargo test → exit 0 (event)\n"), "{told}");
    // Not a terminal: the real program prints none, whatever the environment says.
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_FAIL, 101);
    let told = sandbox.deeds(&["log"]).expect(0).stdout;
    assert!(told.contains("exit 101") && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn a_wrong_filter_is_wrong_usage_and_says_what_is_right() {
    let sandbox = Sandbox::with_repository();
    let ran = sandbox.deeds(&["log", "--kind", "claims"]).expect(64);
    assert_eq!(ran.stderr, "deeds: `claims` is no kind of entry; did you mean `claim`?\n");
    assert!(sandbox.deeds(&["log", "--since", "teatime"]).expect(64).stderr.contains("no time"));
    let ran = sandbox.deeds(&["log", "--json", "--since", "teatime"]).expect(64);
    assert_eq!(ran.json()["error"]["code"], "usage");
}

#[test]
fn what_is_appended_while_it_follows_is_shown_and_a_reader_that_goes_away_ends_it() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("cargo build", "", 0);
    let mut child = sandbox
        .deeds_command()
        .args(["log", "--follow", "--json", "--kind", "run"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || {
        let line = lines.next().unwrap().unwrap();
        let entry: Value = serde_json::from_str(&line).unwrap();
        (entry["body"]["payload"]["command"].as_str().unwrap().to_owned(), line)
    };
    assert_eq!(next().0, "cargo build");
    session.bash("cargo test", CARGO_FAIL, 101);
    let (command, line) = next();
    assert_eq!(command, "cargo test");
    // As it stands in the ledger.
    let stored = std::fs::read(sandbox.project().join(".git/deeds/ledger.jsonl")).unwrap();
    assert!(memchr::memmem::find(&stored, line.as_bytes()).is_some());
    session.edit("src/a.rs", "x").bash("cargo check", "", 0);
    assert_eq!(next().0, "cargo check");
    drop(lines);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    // More than a pipe holds.
    for _ in 0..40 {
        session.bash("cargo test", &"x".repeat(3900), 0);
    }
    for args in [&["log", "--json"][..], &["log"], &["sessions"], &["report", "--html", "-"]] {
        let mut child =
            sandbox.deeds_command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), b"".as_slice()), "{args:?}");
    }
}

#[test]
fn quiet_leaves_the_exit_code_of_judge_and_verify() {
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    let judged = sandbox.deeds(&["judge", "-q"]).expect(2);
    let verified = sandbox.deeds(&["-q", "verify"]).expect(0);
    assert_eq!([judged.stdout, judged.stderr, verified.stdout, verified.stderr], ["", "", "", ""]);
    assert!(!sandbox.deeds(&["log", "--quiet"]).expect(0).stdout.contains("trust: "));
    assert!(sandbox.deeds(&["log"]).expect(0).stdout.contains("trust: "));
}

#[test]
fn ages_are_relative_for_people() {
    assert_eq!(human::ago(NOW - 120_000, NOW), "2m ago");
}
