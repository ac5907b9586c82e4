//! What a real session leaves in the ledger: the exit codes that the facts give, nothing twice, no word of a user.

use std::collections::BTreeSet;

use deeds::ledger::{EntryKind, Outcome};
use serde_json::{Value, json};

use crate::claude::{bodies, entries, evidence, hook, ledger, moved, payloads, replay, written};
use crate::sandbox::Sandbox;

/// Every recorded case, and how many Bash calls an event reported in it.
const CASES: &[(&str, usize)] = &[
    ("agent", 5),
    ("basic", 4),
    ("big", 8),
    ("files", 0),
    ("git", 13),
    ("masks", 17),
    ("maxtok", 1),
    ("mcp", 0),
    ("parallel", 9),
    ("perm", 1),
    ("resume-1-start", 1),
    ("resume-2-continue", 1),
    ("resume-3-fork", 1),
    ("stop-block-once-then-tool", 2),
    ("substop-block", 5),
    ("tasks", 0),
    ("tests", 8),
    ("timeout", 4),
    ("tui", 4),
];

/// What the client did not count as a success, or counted as one though it was none: the code, or the reason why there is
/// none. Everything else exited 0 as far as the client tells.
const NOT_ZERO: &[(&str, &str, Result<i64, &str>)] = &[
    ("agent", "cargo test --fail", Ok(101)),
    ("basic", "echo out; echo err >&2; exit 1", Ok(1)),
    ("basic", "cargo test --fail", Ok(101)),
    ("big", "seq 1 40000; echo THE-END >&2; exit 7", Ok(7)),
    ("big", "printf '\\377\\376bad'; exit 4", Ok(4)),
    ("git", "git commit -m 'nothing here'", Ok(1)),
    ("git", "echo mine >> notes.txt && git commit -qam mine && git push origin main", Ok(1)),
    ("masks", "set -o pipefail; cargo test --fail | tail -3", Ok(101)),
    ("masks", "grep nomatch notes.txt", Err("return_code_interpreted: No matches found")),
    ("masks", "diff notes.txt main.rs", Err("return_code_interpreted: Files differ")),
    ("masks", "test -f nope", Err("return_code_interpreted: Condition is false")),
    ("masks", "nosuchcommand --x", Ok(127)),
    ("masks", "sh -c 'kill -9 $$'", Ok(137)),
    ("masks", "sh -c 'kill -SEGV $$'", Ok(139)),
    ("masks", "exit 2", Ok(2)),
    ("parallel", "sleep 1; exit 5", Ok(5)),
    ("parallel", "exit 9", Ok(9)),
    ("stop-block-once-then-tool", "cargo test --fail", Ok(101)),
    ("substop-block", "cargo test --fail", Ok(101)),
    ("tests", "cargo test --fail", Ok(101)),
    ("tests", "pytest --fail", Ok(1)),
    ("tests", "jest --fail", Ok(1)),
    ("tests", "go test --fail ./...", Ok(1)),
    ("timeout", "echo start; sleep 6; echo end", Err("timed_out")),
    ("timeout", "echo bg-start; sleep 2; echo bg-end; exit 3", Err("background")),
    ("tui", "echo out; echo err >&2; exit 1", Ok(1)),
    ("tui", "cargo test --fail", Ok(101)),
];

fn expected(case: &str, command: &str) -> (Value, Value) {
    let row = NOT_ZERO.iter().find(|row| (row.0, row.1) == (case, command));
    match row.map_or(Ok(0), |row| row.2) {
        Ok(code) => (json!(code), Value::Null),
        Err(reason) => (Value::Null, json!(reason)),
    }
}

/// The calls that no event reported, since they never ran.
fn never_ran(case: &str) -> Vec<(&'static str, &'static str)> {
    match case {
        "git" => vec![("Bash", "denied"), ("Bash", "denied")],
        "files" => {
            let tools = ["Edit", "Edit", "MultiEdit", "NotebookEdit", "NoSuchTool", "Bash"];
            tools.map(|tool| (tool, "invalid")).to_vec()
        }
        _ => vec![],
    }
}

#[test]
fn every_recorded_session_leaves_what_was_told_and_met_again_nothing_more() {
    let mut seen = BTreeSet::new();
    for (case, calls) in CASES {
        let sandbox = Sandbox::with_repository();
        replay(&sandbox, case);
        let runs = evidence(&sandbox, "ClaudeBashExitCodeSensor");
        assert_eq!(runs.len(), *calls, "{case}");
        for run in runs {
            let payload = &run["payload"];
            let command = payload["command"].as_str().unwrap();
            let told = (payload["exit_code"].clone(), payload["reason"].clone());
            assert_eq!(told, expected(case, command), "{case}: {command}");
            seen.insert((case.to_owned(), command.to_owned()));
        }
        let batch = evidence(&sandbox, "ClaudeBatchSensor");
        let text = |body: &Value, key: &str| body["payload"][key].as_str().unwrap().to_owned();
        let batch: Vec<_> = batch.iter().map(|body| (text(body, "tool"), text(body, "why"))).collect();
        let wanted: Vec<_> =
            never_ran(case).iter().map(|(tool, why)| ((*tool).to_owned(), (*why).to_owned())).collect();
        assert_eq!(batch, wanted, "{case}");

        let first = entries(&sandbox).len();
        replay(&sandbox, case);
        assert_eq!(entries(&sandbox).len(), first, "{case}");
        let verified = ledger(&sandbox).verify();
        assert_eq!((verified.outcome, verified.findings), (Outcome::Ok, vec![]), "{case}");
    }
    for (case, command, _) in NOT_ZERO {
        assert!(seen.contains(&(case, (*command).to_owned())), "{case}: {command} was not met");
    }
}

#[test]
fn a_call_whose_event_was_missed_is_not_said_to_have_never_run() {
    let sandbox = Sandbox::with_repository();
    for file in payloads("basic").iter().filter(|file| file.to_string_lossy().contains("PostToolBatch")) {
        hook(&sandbox, moved(&sandbox, file).as_bytes()).expect(0);
    }
    let seen = evidence(&sandbox, "ClaudeBatchSensor");
    assert_eq!(seen.len(), 4);
    for body in seen {
        assert_eq!((&body["payload"]["ran"], &body["payload"]["why"]), (&Value::Null, &json!("unknown")));
        assert_eq!(body["payload"]["text"], "");
    }
}

#[test]
fn a_background_command_gets_its_exit_code_from_its_notification() {
    let sandbox = Sandbox::with_repository();
    replay(&sandbox, "timeout");
    let ends = evidence(&sandbox, "ClaudeTaskNotificationSensor");
    let told: Vec<_> = ends.iter().map(|body| (&body["source_event_id"], &body["payload"]["exit_code"])).collect();
    assert_eq!(
        told,
        [(&json!("toolu_mock00000000000000000002"), &json!(3)), (&json!("toolu_mock00000000000000000001"), &json!(0))]
    );
    // Agents end too, and have no exit code.
    let sandbox = Sandbox::with_repository();
    replay(&sandbox, "agent");
    let ends = evidence(&sandbox, "ClaudeTaskNotificationSensor");
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|body| body["payload"]["exit_code"].is_null()));
}

#[test]
fn the_whole_of_a_long_output_is_read_from_the_clients_file() {
    let sandbox = Sandbox::with_repository();
    let whole: String =
        (1..=40_000).map(|n| format!("{n}\n")).collect::<String>() + "test result: FAILED. 2 passed; 1 failed\n";
    let kept = sandbox.path("kept.txt");
    std::fs::write(&kept, &whole).unwrap();
    let file = &payloads("big")[3];
    let mut payload: Value = serde_json::from_str(&moved(&sandbox, file)).unwrap();
    payload["tool_response"]["persistedOutputPath"] = json!(kept);
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    let runs = evidence(&sandbox, "ClaudeBashExitCodeSensor");
    let payload = &runs[0]["payload"];
    assert_eq!((&payload["output_cut"], &payload["output_len"]), (&json!(false), &json!(whole.len())));
    assert_eq!(ledger(&sandbox).resolve(&payload["output"]), Some(whole));
    assert_eq!(bodies(&sandbox, EntryKind::NotCollected).len(), 0);
}

#[test]
fn a_link_in_place_of_the_clients_file_is_not_followed() {
    let sandbox = Sandbox::with_repository();
    let secret = sandbox.path("elsewhere.txt");
    std::fs::write(&secret, "elsewhere").unwrap();
    std::os::unix::fs::symlink(&secret, sandbox.path("kept.txt")).unwrap();
    let mut payload: Value = serde_json::from_str(&moved(&sandbox, &payloads("big")[3])).unwrap();
    payload["tool_response"]["persistedOutputPath"] = json!(sandbox.path("kept.txt"));
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    let runs = evidence(&sandbox, "ClaudeBashExitCodeSensor");
    assert_eq!(runs[0]["payload"]["output_cut"], true);
    let missed = bodies(&sandbox, EntryKind::NotCollected);
    assert!(missed[0]["detail"].as_str().unwrap().ends_with("kept.txt: a symbolic link"), "{missed:?}");
    assert!(written(&sandbox).iter().all(|(_, text)| !text.contains("\"elsewhere\"")));
}

#[test]
fn an_edit_stands_beside_what_the_host_sees_on_disk() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("notes.txt", "HELLO\nworld\n");
    for file in payloads("files") {
        let payload = moved(&sandbox, &file);
        if payload.contains("\"tool_name\":\"Edit\"") && payload.contains("\"PostToolUse\"") {
            hook(&sandbox, payload.as_bytes()).expect(0);
        }
    }
    let edits = evidence(&sandbox, "ClaudeEditSensor");
    assert_eq!(edits.len(), 1);
    let edit = &edits[0]["payload"];
    assert_eq!(
        (&edit["change"], &edit["patch"]),
        (&json!("changed"), &json!("@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n"))
    );
    let look = &evidence(&sandbox, "HostFileSensor")[0];
    assert_eq!(look["payload"]["same"], true);
    assert_eq!(look["payload"]["sha256"], edit["after"]["sha256"]);
    assert_eq!((&look["source"]["trust_class"], &look["source"]["provider"]), (&json!("host_observed"), &Value::Null));
}

#[test]
fn sub_agents_keep_their_name_and_the_session_of_their_parent() {
    let sandbox = Sandbox::with_repository();
    replay(&sandbox, "agent");
    let claims = bodies(&sandbox, EntryKind::Claim);
    let whose: Vec<_> = claims
        .iter()
        .map(|claim| {
            assert_eq!(claim["session_id"], "c4916b65-6063-49be-af2c-50733cc196bc");
            (claim["event"].as_str().unwrap(), claim["context"]["agent"]["id"].as_str())
        })
        .collect();
    assert_eq!(
        whose,
        [
            ("SubagentStop", Some("a292110d6fdedcaba")),
            ("SubagentStop", Some("a434e82df82c8d444")),
            ("SubagentStop", Some("ac2ff9f85942a0d43")),
            ("Stop", None),
        ]
    );
    let runs = evidence(&sandbox, "ClaudeBashExitCodeSensor");
    assert_eq!(runs[0]["payload"]["context"]["agent"], json!({"id": "a292110d6fdedcaba", "type": "general-purpose"}));
}

#[test]
fn no_word_of_a_users_prompt_is_on_disk() {
    let sandbox = Sandbox::with_repository();
    let words = "zebra quagga okapi";
    for (case, _) in CASES {
        for file in payloads(case) {
            let mut payload: Value = serde_json::from_str(&moved(&sandbox, &file)).unwrap();
            if payload["hook_event_name"] == "UserPromptSubmit" {
                let notification = payload["prompt"].as_str().unwrap().starts_with("<task-notification>");
                let said = if notification { format!("{}\n{words}", payload["prompt"]) } else { words.to_owned() };
                payload["prompt"] = json!(said);
            }
            hook(&sandbox, payload.to_string().as_bytes()).expect(0);
        }
    }
    for broken in [
        format!("{{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s\",\"prompt\":\"{words}"),
        format!("{{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":7,\"prompt\":\"{words}\"}}"),
        format!("{{\"hook_event_name\":\"UserPromptLater\",\"session_id\":\"s\",\"text\":\"{words}\"}}"),
        format!("{{\"hook_event_name\":\"Later\",\"session_id\":\"s\",\"prompt\":\"{words}\"}}"),
    ] {
        hook(&sandbox, broken.as_bytes()).expect(0);
    }
    assert_eq!(bodies(&sandbox, EntryKind::Unparsed).len(), 4);
    for (path, text) in written(&sandbox) {
        assert!(!words.split(' ').any(|word| text.contains(word)), "{}", path.display());
    }
}
