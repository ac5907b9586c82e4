//! Rollouts that no Codex should have written: nothing crashes, and no good line is lost.

use serde_json::{Value, json};

use crate::codex_tail::bodies;
use crate::sandbox::Sandbox;

const META: &str = r#"{"timestamp":"2026-11-30T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"session_id":"01a00000-0000-7000-8000-000000000002","id":"01a00000-0000-7000-8000-000000000002","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/home/dev/demo/project","cli_version":"0.171.0","source":"exec"}}"#;

/// A good line: a command with this id and code.
fn good(id: &str, code: i64) -> String {
    json!({"timestamp": "2026-11-30T10:00:01.000Z", "ordinal": 9, "type": "event_msg", "payload": {"type": "item_completed",
        "thread_id": "01a00000-0000-7000-8000-000000000002", "turn_id": "t", "item": {"type": "CommandExecution", "id": id,
        "process_id": "1", "command": ["/bin/bash", "-lc", "true"], "cwd": "file:///home/dev/demo/project", "parsed_cmd": [],
        "source": "unified_exec_startup", "status": "completed", "aggregated_output": "", "exit_code": code,
        "duration": {"secs": 0, "nanos": 1}}, "started_at_ms": 1, "completed_at_ms": 2}})
    .to_string()
}

fn with(id: &str, pointer: &str, value: Value) -> Vec<u8> {
    let mut line: Value = serde_json::from_str(&good(id, 5)).unwrap();
    *line.pointer_mut(pointer).unwrap() = value;
    line.to_string().into_bytes()
}

fn event(payload: Value) -> Vec<u8> {
    json!({"timestamp": "2026-11-30T10:00:01.000Z", "type": "event_msg", "payload": payload}).to_string().into_bytes()
}

/// What stands between two good lines, and what is recorded of it: ids of commands, and lines not understood.
fn cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>, usize)> {
    let bad = good("bad", 5).into_bytes();
    let half = bad[..bad.len() / 2].to_vec();
    let token = br#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":null}}"#.to_vec();
    let join = |parts: &[&[u8]]| parts.concat();
    let none = Vec::new;
    let invalid = |at: &[u8]| {
        let mut line = bad.clone();
        let place = memchr::memmem::find(&line, at).unwrap();
        line.splice(place..place, [0xff, 0xfe]);
        line
    };
    vec![
        ("an empty line", b"".to_vec(), none(), 0),
        ("blanks", b" \t ".to_vec(), none(), 0),
        ("a carriage return at the end", join(&[&bad, b"\r"]), vec!["bad"], 0),
        ("blanks around a line", join(&[b"  ", &bad, b"  "]), vec!["bad"], 0),
        ("half a line", half.clone(), none(), 1),
        ("half a line, and a good one on the same", join(&[&half, &bad]), vec!["bad"], 1),
        ("two objects on a line", join(&[&bad, good("too", 6).as_bytes()]), vec!["bad", "too"], 0),
        ("two objects with a blank between", join(&[&bad, b" ", good("too", 6).as_bytes()]), vec!["bad", "too"], 0),
        ("a line without news, and a good one on the same", join(&[&token, &bad]), vec!["bad"], 0),
        ("half a line without news, and a good one", join(&[&token[..40], &bad]), vec!["bad"], 1),
        ("a good one, and half of one", join(&[&bad, &half]), vec!["bad"], 1),
        ("garbage", b"garbage".to_vec(), none(), 1),
        ("garbage before a line", join(&[b"garbage", &bad]), vec!["bad"], 1),
        ("garbage after a line", join(&[&bad, b"garbage"]), vec!["bad"], 1),
        ("NUL bytes", vec![0; 4096], none(), 1),
        ("NUL bytes before a line", join(&[&[0; 100], &bad]), vec!["bad"], 1),
        ("invalid UTF-8 in a string", invalid(b"true\""), none(), 1),
        ("invalid UTF-8 between two members", invalid(b",\"ordinal\""), none(), 1),
        ("nothing but invalid UTF-8", vec![0xff; 100], none(), 1),
        ("a byte order mark", join(&[b"\xef\xbb\xbf", &bad]), vec!["bad"], 1),
        ("a list", b"[1,2,3]".to_vec(), none(), 1),
        ("a number", b"7".to_vec(), none(), 1),
        ("a string", b"\"text\"".to_vec(), none(), 1),
        ("an empty object", b"{}".to_vec(), none(), 1),
        ("an unknown type", br#"{"timestamp":"t","type":"future","payload":{"type":"x"}}"#.to_vec(), none(), 1),
        ("an unknown event", event(json!({"type": "telepathy"})), none(), 1),
        ("an unknown item", event(json!({"type": "item_completed", "item": {"type": "Telepathy"}})), none(), 1),
        ("no ordinal", join(&[&bad]).replace_once(b"\"ordinal\":9,", b""), vec!["bad"], 0),
        (
            "no timestamp",
            join(&[&bad]).replace_once(b"\"timestamp\":\"2026-11-30T10:00:01.000Z\",", b""),
            vec!["bad"],
            0,
        ),
        ("a timestamp that is none", with("bad", "/timestamp", json!("yesterday")), vec!["bad"], 0),
        ("a payload that is a string", br#"{"timestamp":"t","type":"event_msg","payload":"x"}"#.to_vec(), none(), 1),
        ("no payload", br#"{"timestamp":"t","type":"event_msg"}"#.to_vec(), none(), 1),
        ("an item that is a list", with("bad", "/payload/item", json!([1])), none(), 1),
        ("a code that is a string", with("bad", "/payload/item/exit_code", json!("0")), vec!["bad"], 0),
        ("a code that is a fraction", with("bad", "/payload/item/exit_code", json!(0.5)), vec!["bad"], 0),
        ("a command that is a number", with("bad", "/payload/item/command", json!(7)), vec!["bad"], 0),
        (
            "an output that is an object",
            with("bad", "/payload/item/aggregated_output", json!({"a": 1})),
            vec!["bad"],
            0,
        ),
        ("a duration that is a string", with("bad", "/payload/item/duration", json!("1s")), vec!["bad"], 0),
        (
            "changes that are a list",
            event(json!({"type": "patch_apply_end", "call_id": "x", "changes": [1]})),
            none(),
            1,
        ),
        (
            "very deep nesting",
            event(serde_json::from_str(&format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100))).unwrap()),
            none(),
            1,
        ),
        ("deeper than a parser goes", [b"[".repeat(100_000), b"]".repeat(100_000)].concat(), none(), 1),
        ("the session's line again", META.replace("0002", "0009").into_bytes(), none(), 0),
        ("a key twice", join(&[&bad]).replace_once(b"\"exit_code\":5", b"\"exit_code\":0,\"exit_code\":5"), none(), 1),
        (
            "an output of no call",
            br#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","output":7}}"#
                .to_vec(),
            none(),
            0,
        ),
    ]
}

trait ReplaceOnce {
    fn replace_once(self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl ReplaceOnce for Vec<u8> {
    fn replace_once(mut self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = memchr::memmem::find(&self, from).unwrap();
        self.splice(at..at + from.len(), to.iter().copied());
        self
    }
}

#[test]
fn whatever_stands_between_two_good_lines_neither_crashes_nor_hides_them() {
    let cases = cases();
    assert!(cases.len() >= 40);
    for (name, line, commands, not_understood) in cases {
        let sandbox = Sandbox::new();
        let content = [
            META.as_bytes(),
            b"\n",
            good("first", 1).as_bytes(),
            b"\n",
            &line,
            b"\n",
            good("last", 2).as_bytes(),
            b"\n",
        ]
        .concat();
        let path = sandbox.write("rollout-x.jsonl", content);
        let ledger = sandbox.path("ledger");
        let ran = sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        let recorded = bodies(&ledger);
        let told: Vec<&str> = recorded
            .iter()
            .filter(|body| body["kind"] == "exit_code" && body["source"]["sensor_name"] == "CodexItemCompletedSensor")
            .map(|body| body["source_event_id"].as_str().unwrap())
            .collect();
        assert_eq!(told, [&["first"], &commands[..], &["last"]].concat(), "{name}");
        let strange: Vec<&Value> = recorded.iter().filter(|body| body.get("reason").is_some()).collect();
        assert_eq!(strange.len(), not_understood, "{name}: {strange:#?}");
        assert!(strange.iter().all(|body| body["offset"].is_u64()), "{name}: {strange:#?}");
        let again = sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]);
        assert_eq!(again.stdout, "1 rollout read: nothing new\n", "{name}");
    }
}

#[test]
fn a_code_of_a_wrong_type_is_no_code_and_an_offset_says_where_garbage_stands() {
    let sandbox = Sandbox::new();
    let content = [
        META.as_bytes(),
        b"\n",
        &with("bad", "/payload/item/exit_code", json!("0")),
        b"\nab",
        good("x", 0).as_bytes(),
        b"\n",
    ]
    .concat();
    let path = sandbox.write("rollout-x.jsonl", &content);
    let ledger = sandbox.path("ledger");
    sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    let recorded = bodies(&ledger);
    let bad = recorded.iter().find(|body| body["source_event_id"] == "bad").unwrap();
    assert_eq!((&bad["payload"]["exit_code"], &bad["payload"]["reason"]), (&Value::Null, &json!("not_told")));
    let garbage = recorded.iter().find(|body| body.get("reason").is_some()).unwrap();
    assert_eq!(garbage["offset"], memchr::memmem::find(&content, b"\nab").unwrap() as u64 + 1);
    assert_eq!((&garbage["text"], &garbage["len"]), (&json!("ab"), &json!(2)));
}

#[test]
fn a_damaged_line_before_the_first_one_does_not_hide_whose_rollout_it_is() {
    let sandbox = Sandbox::new();
    let lines = format!("garbage\n{META}\n{}\n", good("first", 1));
    let path = sandbox.write("rollout-x.jsonl", &lines);
    let ledger = sandbox.path("ledger");
    let tail = || sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    tail();
    std::fs::write(&path, format!("{lines}{}\n", good("second", 2))).unwrap();
    tail();
    let recorded = bodies(&ledger);
    let sessions: Vec<&Value> =
        recorded.iter().filter(|body| body["kind"] == "exit_code").map(|body| &body["session_id"]).collect();
    assert_eq!(sessions, ["01a00000-0000-7000-8000-000000000002"; 2]);
}

#[test]
fn a_rollout_without_its_first_line_is_known_by_its_name() {
    let sandbox = Sandbox::new();
    let id = "01a00000-0000-7000-8000-000000000003";
    let path =
        sandbox.write(&format!("rollout-2026-11-30T10-00-00-{id}.jsonl"), format!("{{\"cut\n{}\n", good("x", 4)));
    let ledger = sandbox.path("ledger");
    sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    let recorded = bodies(&ledger);
    assert!(recorded.iter().any(|body| body["session_id"] == id && body["payload"]["exit_code"] == 4), "{recorded:#?}");
    let homeless = sandbox.deeds(&["tail", path.to_str().unwrap()]).expect(0);
    assert!(homeless.stdout.contains("1 skipped that names no project"), "{homeless:?}");
}
