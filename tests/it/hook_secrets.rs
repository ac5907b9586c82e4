//! No secret reaches the disk, whichever field of an event it stands in.

use serde_json::{Value, json};

use crate::claude::{hook, written};
use crate::sandbox::{Sandbox, finish};

/// A run of `len` characters that looks as random as a key does, and is the same each time.
fn run(alphabet: &str, len: usize, seed: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = seed as u64 * 2_654_435_761 + 12_345;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        alphabet[(state >> 33) as usize % alphabet.len()]
    };
    (0..len).map(|_| next()).collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS: &str = "0123456789";

/// What stands before a secret, the secret itself, what stands after it: put together here, so that no file of this
/// repository holds what looks like one.
fn secrets() -> Vec<(String, String, &'static str)> {
    let plain = |secret: String| (String::new(), secret, "");
    let pem_lines: String = (0..6).map(|line| run(ALNUM, 64, 90 + line) + "\n").collect();
    vec![
        plain(["AKIA", &run(UPPER, 16, 1)].concat()),
        ("aws_secret_access_key = ".into(), run(ALNUM, 40, 2), ""),
        plain(["ghp", "_", &run(ALNUM, 36, 3)].concat()),
        plain(["github", "_pat_", &run(ALNUM, 82, 4)].concat()),
        plain(["glpat", "-", &run(ALNUM, 20, 5)].concat()),
        plain(["sk-ant", "-api03-", &run(ALNUM, 93, 6), "AA"].concat()),
        plain(["sk-proj", "-", &run(ALNUM, 40, 7), "T3Blbk", "FJ", &run(ALNUM, 40, 8)].concat()),
        plain(["sk-or", "-v1-", &run(HEX, 64, 9)].concat()),
        plain(["xoxb", "-", &run(DIGITS, 12, 10), "-", &run(DIGITS, 12, 11), "-", &run(ALNUM, 24, 12)].concat()),
        ("https://hooks.slack.com/services/".into(), run(ALNUM, 44, 13), ""),
        plain(["sk", "_live_", &run(ALNUM, 24, 14)].concat()),
        plain(["AIza", &run(ALNUM, 35, 15)].concat()),
        plain(["npm", "_", &run(ALNUM, 36, 16)].concat()),
        plain(["pypi", "-AgEIcHlwaS5vcmc", &run(ALNUM, 60, 17)].concat()),
        plain(["rubygems", "_", &run(HEX, 48, 18)].concat()),
        plain(["hf", "_", &run(LETTERS, 34, 19)].concat()),
        plain(["dapi", &run(HEX, 32, 20)].concat()),
        plain(["dop", "_v1_", &run(HEX, 64, 21)].concat()),
        plain(["SG", ".", &run(ALNUM, 66, 22)].concat()),
        plain(["hvs", ".", &run(ALNUM, 95, 23)].concat()),
        plain(["AGE-SECRET", "-KEY-1", &run("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 24)].concat()),
        plain(["eyJ", &run(ALNUM, 30, 25), ".eyJ", &run(ALNUM, 40, 26), ".", &run(ALNUM, 43, 27)].concat()),
        ("Authorization: Bearer ".into(), run(ALNUM, 30, 28), ""),
        ("postgres://dev:".into(), run(ALNUM, 16, 29), "@db.example.org/demo"),
        (["-----BEGIN RSA PRIVATE", " KEY-----\n"].concat(), pem_lines, "-----END RSA PRIVATE KEY-----"),
    ]
}

/// All of them, a line each.
fn all() -> String {
    secrets().iter().map(|(before, secret, after)| format!("{before}{secret}{after}\n")).collect()
}

/// No file holds any of them, nor the half of one.
fn assert_none_on_disk(sandbox: &Sandbox, field: &str) {
    for (path, text) in written(sandbox) {
        if path.starts_with(sandbox.path("home/given")) {
            continue;
        }
        for (_, secret, _) in secrets() {
            for part in secret.lines().filter(|line| line.len() >= 16) {
                let half = &part[part.len() / 2..];
                let around =
                    text.find(half).map(|at| text[at.saturating_sub(150)..].chars().take(200).collect::<String>());
                assert_eq!(around, None, "{field}: {half} in {}", path.display());
            }
        }
    }
}

fn common(sandbox: &Sandbox, name: &str) -> Value {
    json!({"hook_event_name": name, "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p", "tool_use_id": "toolu_1",
        "agent_id": "a", "agent_type": "t"})
}

fn with(mut payload: Value, more: Value) -> Value {
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

/// One payload of each shape; every string in it gets its turn to hold the secrets.
fn shapes(sandbox: &Sandbox) -> Vec<Value> {
    let event = |name: &str, more: Value| with(common(sandbox, name), more);
    vec![
        event(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "git commit -m x", "description": "d"},
                "tool_response": {"stdout": "o", "stderr": "e", "backgroundTaskId": "b",
                    "gitOperation": {"commit": {"sha": "abc1234", "branch": "main"}}}}),
        ),
        event(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_response": {
                "stdout": "[main abc1234] x\nTo /home/dev/demo/remote.git\n   8003700..54de2ce  main -> main",
                "returnCodeInterpretation": "r"}}),
        ),
        event("PostToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "text"})),
        event(
            "PostToolUseFailure",
            json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "error": "Exit code 1\nx"}),
        ),
        event(
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_input": {}, "tool_response": {"filePath": "/home/dev/demo/a", "oldString": "a",
                "newString": "b", "originalFile": "a", "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1,
                "newLines": 1, "lines": ["-a", "+b"]}]}}),
        ),
        event(
            "PostToolUse",
            json!({"tool_name": "Write", "tool_input": {}, "tool_response": {"type": "create", "content": "c",
                "filePath": "/home/dev/demo/a", "originalFile": "o"}}),
        ),
        event(
            "PostToolUse",
            json!({"tool_name": "mcp__demo__add", "tool_input": {"a": {"deep": ["x"]}}, "tool_response": "{\"sum\":3}"}),
        ),
        event(
            "PostToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_response": {"x": "y"}}),
        ),
        event("PostToolUseFailure", json!({"tool_name": "Write", "tool_input": {"content": "c"}, "error": "e"})),
        event(
            "PostToolBatch",
            json!({"tool_calls": [{"tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": {"command": "c"},
                "tool_response": "<tool_use_error>no"}]}),
        ),
        event(
            "UserPromptSubmit",
            json!({"prompt": "<task-notification>\n<task-id>b</task-id>\n<status>failed</status>\n<summary>Background command \"s\" failed</summary>\n</task-notification>"}),
        ),
        event("SessionStart", json!({"source": "startup"})),
        event("SessionEnd", json!({"reason": "other"})),
        event("TaskCompleted", json!({"task_id": "1", "task_subject": "s"})),
        event(
            "Stop",
            json!({"last_assistant_message": "All tests pass.", "background_tasks": [{"id": "b", "status": "running"}]}),
        ),
        event("SubagentStop", json!({"last_assistant_message": "Done."})),
        event("NeverHeardOf", json!({"x": {"y": ["z"]}})),
    ]
}

/// JSON pointers to every string below `value`.
fn strings(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| strings(item, format!("{at}/{i}"), found)),
        Value::Object(map) => map.iter().for_each(|(key, item)| strings(item, format!("{at}/{key}"), found)),
        _ => {}
    }
}

#[test]
fn no_secret_reaches_the_disk_from_any_field() {
    let sandbox = Sandbox::with_repository();
    let all = all();
    for shape in shapes(&sandbox) {
        let mut pointers = Vec::new();
        strings(&shape, String::new(), &mut pointers);
        for pointer in pointers.iter().filter(|pointer| *pointer != "/hook_event_name") {
            let mut payload = shape.clone();
            let field = payload.pointer_mut(pointer).unwrap();
            let told = field.as_str().unwrap().to_owned();
            // Behind what was there: a failure keeps its first line, a notification its shape.
            let beside = if pointer == "/prompt" {
                told.replace(" failed<", &format!(" failed {all}<"))
            } else {
                format!("{told}\n{all}")
            };
            for said in [beside, all.clone()] {
                *payload.pointer_mut(pointer).unwrap() = json!(said);
                let ran = hook(&sandbox, payload.to_string().as_bytes());
                // What is said at the end of a turn is answered; everything else is met with silence.
                let answered = shape["hook_event_name"].as_str().is_some_and(|event| event.ends_with("Stop"));
                assert_eq!((ran.code, answered || ran.stdout.is_empty()), (Some(0), true), "{pointer}: {ran:?}");
                let printed = format!("{}{}", ran.stdout, ran.stderr);
                assert!(secrets().iter().all(|secret| !printed.contains(secret.1.lines().next().unwrap())), "{ran:?}");
            }
        }
        assert_none_on_disk(&sandbox, &format!("{} {}", shape["hook_event_name"], shape["tool_name"]));
    }
}

#[test]
fn nor_from_what_is_no_event_or_fails() {
    let sandbox = Sandbox::with_repository();
    let all = all();
    let quoted = json!(all).to_string();
    let deep = format!("{{\"x\":{}{quoted}{}}}", "[".repeat(5000), "]".repeat(5000));
    for input in [format!("plain {all}"), format!("{{\"a\":{quoted}"), deep, json!([all]).to_string()] {
        hook(&sandbox, input.as_bytes()).expect(0);
    }
    let payload = with(common(&sandbox, "PostToolUse"), json!({"tool_name": "Bash", "tool_input": {"command": all}}));
    finish(sandbox.deeds_command().arg("hook").env("DEEDS_TEST_PANIC", "once"), payload.to_string().as_bytes())
        .expect(0);
    let mut nowhere = sandbox.deeds_command();
    finish(nowhere.arg("hook").env("DEEDS_DIR", "/dev/null"), payload.to_string().as_bytes()).expect(0);
    assert_none_on_disk(&sandbox, "unparsed, panic, spool");
}

#[test]
fn nor_from_a_file_that_a_client_or_a_project_names() {
    let sandbox = Sandbox::with_repository();
    let given = sandbox.path("home/given");
    std::fs::create_dir_all(&given).unwrap();
    let kept = given.join("kept.txt");
    std::fs::write(&kept, "line\n".repeat(10_000) + &all()).unwrap();
    let long = with(
        common(&sandbox, "PostToolUse"),
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x", "persistedOutputPath": kept}}),
    );
    hook(&sandbox, long.to_string().as_bytes()).expect(0);
    let written_file = given.join("written.txt");
    std::fs::write(&written_file, all()).unwrap();
    let write = with(
        common(&sandbox, "PostToolUse"),
        json!({"tool_name": "Write", "tool_response": {"filePath": written_file, "content": all(), "type": "create"}}),
    );
    hook(&sandbox, write.to_string().as_bytes()).expect(0);
    let digests = [
        deeds::evidence::id::sha256_hex(all().as_bytes()),
        deeds::evidence::id::sha256_hex(&std::fs::read(&kept).unwrap()),
    ];
    for (path, text) in written(&sandbox) {
        assert!(digests.iter().all(|digest| !text.contains(digest)), "{}", path.display());
    }
    assert_none_on_disk(&sandbox, "files");
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let sandbox = Sandbox::with_repository();
    let kept = "commit fecb8ac194ba452602d0b773dc1b21dcfd482150\n3ff46183-4e7a-445b-9d8a-df2e2f8d8bba\n.sk-circle{}\nAKIAIOSFODNN7EXAMPLE\nsha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";
    let payload = with(
        common(&sandbox, "PostToolUse"),
        json!({"tool_name": "Bash", "tool_input": {"command": "git log"}, "tool_response": {"stdout": kept}}),
    );
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    let run = &crate::claude::evidence(&sandbox, "ClaudeBashExitCodeSensor")[0]["payload"];
    assert_eq!((&run["output"], &run["redacted"]), (&json!(kept), &json!(0)));
}
