//! A session that is read from its rollout long after: what it can show, what it cannot, and how that is said.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const THREAD: &str = "01a00000-0000-7000-8000-000000000004";
const PASSED: &str = "running 3 tests\ntest a ... ok\ntest b ... ok\ntest c ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";

/// A rollout of last week, in the sandbox's project: these items, and then these words.
fn rollout(sandbox: &Sandbox, items: &[Value], words: &str) {
    let cwd = sandbox.project();
    let at = |second: usize| format!("2026-11-23T10:00:{second:02}.000Z");
    let mut lines = vec![
        json!({"timestamp": at(0), "ordinal": 0, "type": "session_meta", "payload": {"session_id": THREAD, "id": THREAD,
            "timestamp": at(0), "cwd": cwd, "cli_version": "0.171.0", "source": "exec", "thread_source": "user"}}),
        json!({"timestamp": at(1), "type": "event_msg", "payload": {"type": "task_started", "turn_id": "t"}}),
    ];
    for (n, item) in items.iter().enumerate() {
        let payload = json!({"type": "item_completed", "thread_id": THREAD, "turn_id": "t", "item": item});
        lines.push(json!({"timestamp": at(n + 2), "type": "event_msg", "payload": payload}));
    }
    let payload = json!({"type": "task_complete", "turn_id": "t", "last_agent_message": words});
    lines.push(json!({"timestamp": at(30), "type": "event_msg", "payload": payload}));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let dir = sandbox.home().join(".codex/sessions/2026/11/23");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join(format!("rollout-2026-11-23T10-00-00-{THREAD}.jsonl")), text).unwrap();
}

fn test_run(sandbox: &Sandbox, id: &str) -> Value {
    json!({"type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", "cargo test"],
        "cwd": format!("file://{}", sandbox.project().display()), "source": "unified_exec_startup", "status": "completed",
        "aggregated_output": PASSED, "exit_code": 0})
}

fn edit(sandbox: &Sandbox, id: &str) -> Value {
    let path = sandbox.project().join("src/lib.rs");
    json!({"type": "FileChange", "id": id, "status": "completed",
        "changes": {path.to_str().unwrap(): {"type": "add", "content": "// new\n"}}})
}

#[test]
fn a_run_of_last_week_shows_nothing_of_the_files_of_today() {
    let sandbox = Sandbox::with_repository();
    sandbox
        .write("deeds.json", r#"{"claims":[{"id":"done","requires":[{"evidenceId":"tests","subject":"@worktree"}]}]}"#);
    rollout(&sandbox, &[test_run(&sandbox, "c1")], "All tests pass.");
    sandbox.write("README.md", "changed since\n");
    sandbox.deeds(&["tail"]).expect(0);
    let judged = sandbox.deeds(&["judge", "--format", "json"]).expect(1).json();
    let outcome = |id: &str| {
        let claims = judged["claims"].as_array().unwrap();
        let claim = claims.iter().find(|claim| claim["claimId"] == id).unwrap();
        (claim["outcome"].as_str().unwrap().to_owned(), claim["detail"].as_str().unwrap().to_owned())
    };
    let (standing, why) = outcome("done");
    assert_eq!(standing, "unsupported");
    assert!(!why.contains("changed"), "nobody saw which files changed: {why}");
    // What it said then is held against what was recorded of then, and the verdict says what that rests on.
    let (said, why) = outcome("message/1");
    assert_eq!(said, "supported");
    assert!(why.contains("the tree was not seen") && why.contains("no recorded edit came between"), "{why}");
    let trees = crate::codex_tail::bodies(&sandbox.project().join(".git/deeds"));
    assert!(trees.iter().all(|body| body["payload"]["look"].is_null() && body["worktree"].is_null()));
}

#[test]
fn an_edit_after_the_run_leaves_the_claim_not_shown() {
    let sandbox = Sandbox::with_repository();
    rollout(&sandbox, &[edit(&sandbox, "e1"), test_run(&sandbox, "c1"), edit(&sandbox, "e2")], "All tests pass.");
    sandbox.deeds(&["tail"]).expect(0);
    let judged = sandbox.deeds(&["judge"]).expect(1);
    assert!(judged.stdout.starts_with("? \"All tests pass\" not shown"), "{judged:?}");
}
