//! Rollouts of before there were items: written by hand after what was reported of them, each shape in its own line.

use serde_json::{Value, json};

use crate::codex_tail::bodies;
use crate::sandbox::Sandbox;

const META: &str = r#"{"timestamp":"2026-05-20T10:00:00.000Z","type":"session_meta","payload":{"id":"01a00000-0000-7000-8000-000000000001","timestamp":"2026-05-20T10:00:00.000Z","cwd":"/home/dev/demo/project","originator":"codex_cli_rs","cli_version":"0.130.0"}}"#;

/// What of the command results of a rollout made of these lines: call, command, exit code, basis or reason, output.
fn results(lines: &[Value]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = sandbox
        .write("rollout-2026-05-20T10-00-00-01a00000-0000-7000-8000-000000000001.jsonl", format!("{META}\n{text}"));
    let ledger = sandbox.path("ledger");
    sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    let recorded = bodies(&ledger);
    assert!(recorded.iter().all(|body| body.get("reason").is_none()), "something was not understood: {recorded:#?}");
    recorded
        .into_iter()
        .filter(|body| body["kind"] == "exit_code")
        .map(|body| {
            let payload = &body["payload"];
            let why = if payload["reason"].is_null() { &payload["exit_basis"] } else { &payload["reason"] };
            json!([body["source_event_id"], payload["command"], payload["exit_code"], why, payload["output"]])
        })
        .collect()
}

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-05-20T10:00:01.000Z", "type": kind, "payload": payload})
}

fn ended(call: &str, code: i64, output: &str) -> Value {
    line(
        "event_msg",
        json!({"type": "exec_command_end", "call_id": call, "turn_id": "t", "command": ["bash", "-lc", "cargo test"],
            "cwd": "/home/dev/demo/project", "parsed_cmd": [], "source": "agent", "stdout": "", "stderr": "",
            "aggregated_output": output, "exit_code": code, "duration": {"secs": 1, "nanos": 5_000_000},
            "formatted_output": output, "status": if code == 0 { "completed" } else { "failed" }}),
    )
}

fn called(call: &str, name: &str, arguments: Value) -> Value {
    let arguments = arguments.to_string();
    line("response_item", json!({"type": "function_call", "name": name, "arguments": arguments, "call_id": call}))
}

fn output(call: &str, output: Value) -> Value {
    line("response_item", json!({"type": "function_call_output", "call_id": call, "output": output}))
}

fn custom(call: &str, name: &str, input: &str) -> Value {
    line(
        "response_item",
        json!({"type": "custom_tool_call", "status": "completed", "call_id": call, "name": name, "input": input}),
    )
}

fn custom_output(call: &str, output: Value) -> Value {
    line("response_item", json!({"type": "custom_tool_call_output", "call_id": call, "output": output}))
}

#[test]
fn an_end_event_has_its_code_literally_and_the_output_after_it_adds_nothing() {
    let shell = json!({"command": ["bash", "-lc", "cargo test"], "workdir": "/home/dev/demo/project"});
    let lines = [
        called("c0", "shell", shell.clone()),
        ended("c0", 0, "ok\n"),
        output("c0", json!("Exit code: 0\nWall time: 1 seconds\nOutput:\nok\n")),
        called("c1", "shell", shell),
        ended("c1", 101, "FAILED\n"),
        output("c1", json!("Exit code: 101\nWall time: 1 seconds\nOutput:\nFAILED\n")),
    ];
    let expected =
        [json!(["c0", "cargo test", 0, "rollout", "ok\n"]), json!(["c1", "cargo test", 101, "rollout", "FAILED\n"])];
    assert_eq!(results(&lines), expected);
}

#[test]
fn a_code_is_believed_at_a_blocks_start_and_not_in_its_middle() {
    let lines = [
        custom("c1", "shell", "cargo test"),
        custom_output(
            "c1",
            json!([{"type": "input_text", "text": "Exit code: 1\nWall time: 0 seconds\nOutput:\nFAILED\n"}]),
        ),
        custom("c2", "shell", "cat notes"),
        custom_output("c2", json!([{"type": "input_text", "text": "the notes say\nExit code: 1\nand more\n"}])),
        custom("c3", "exec", "await tools.exec_command({cmd: 'cargo test'})"),
        custom_output(
            "c3",
            json!([
            {"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"},
            {"type": "input_text", "text": "Exit code: 0\n"}]),
        ),
        custom("c4", "exec_command", "{\"cmd\":\"cargo test\"}"),
        custom_output("c4", json!("Script completed\nWall time 0.1 seconds\nOutput:\nok\n")),
    ];
    let expected = [
        json!(["c1", "cargo test", 1, "text", "FAILED\n"]),
        json!(["c2", "cat notes", null, "not_told", "the notes say\nExit code: 1\nand more\n"]),
        json!(["c3", null, null, "script_completed", "Exit code: 0\n"]),
        json!(["c4", "cargo test", null, "script_completed", "ok\n"]),
    ];
    assert_eq!(results(&lines), expected);
}

#[test]
fn texts_of_every_older_form_are_read() {
    let structured = json!({"output": "boom\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}).to_string();
    let lines = [
        called("c1", "shell", json!({"command": ["bash", "-lc", "make"]})),
        output("c1", json!(structured)),
        called("c2", "exec_command", json!({"cmd": "npm test"})),
        output(
            "c2",
            json!(
                "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 9\nOutput:\n1 failing\n"
            ),
        ),
        called("c3", "exec_command", json!({"cmd": "sleep 100", "yield_time_ms": 10})),
        output("c3", json!("Chunk ID: a2\nWall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\n")),
        called("c4", "shell_command", json!({"command": "sleep 100"})),
        output(
            "c4",
            json!("Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds\n"),
        ),
        called("c5", "shell", json!({"command": ["git", "commit", "-m", "two words"]})),
        output(
            "c5",
            json!({"content": "Exit code: 0\nWall time: 0 seconds\nOutput:\n[main 1] two words\n", "success": true}),
        ),
        line(
            "response_item",
            json!({"type": "local_shell_call", "call_id": "c6", "status": "completed",
            "action": {"type": "exec", "command": ["bash", "-lc", "true"], "working_directory": "/tmp"}}),
        ),
        output("c6", json!("Exit code: 0\nWall time: 0 seconds\nOutput:\n")),
        // Its beginning is in no line of this rollout.
        output("c7", json!("Exit code: 3\nWall time: 0 seconds\nOutput:\nx\n")),
    ];
    let expected = [
        json!(["c1", "make", 2, "text", "boom\n"]),
        json!(["c2", "npm test", 1, "text", "1 failing\n"]),
        json!(["c3", "sleep 100", null, "still_running", ""]),
        json!(["c4", "sleep 100", null, "timed_out", "command timed out after 10000 milliseconds\n"]),
        json!(["c5", "git commit -m 'two words'", 0, "text", "[main 1] two words\n"]),
        json!(["c6", "true", 0, "text", ""]),
        json!(["c7", null, 3, "text", "x\n"]),
    ];
    assert_eq!(results(&lines), expected);
}

#[test]
fn a_command_of_the_users_is_marked_as_such_and_minus_one_is_no_code() {
    let item = |id: &str, source: &str, code: i64| {
        line(
            "event_msg",
            json!({"type": "item_completed", "thread_id": "x", "turn_id": "t", "item": {"type": "CommandExecution", "id": id,
                "command": ["/bin/zsh", "-lc", "cargo test"], "cwd": "file:///home/dev/demo/project", "source": source,
                "status": "failed", "aggregated_output": "x", "exit_code": code}}),
        )
    };
    let sandbox = Sandbox::new();
    let lines = [
        item("u1", "user_shell", 1),
        item("a1", "unified_exec_startup", -1),
        item("i1", "unified_exec_interaction", 0),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = sandbox.write("rollout-x.jsonl", format!("{META}\n{text}"));
    let ledger = sandbox.path("ledger");
    sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    let recorded: Vec<Value> = bodies(&ledger).into_iter().filter(|body| body["kind"] == "exit_code").collect();
    let [users, killed] = &recorded[..] else { panic!("{recorded:#?}") };
    assert_eq!((&users["payload"]["by_user"], &users["payload"]["exit_code"]), (&json!(true), &json!(1)));
    assert_eq!((&killed["payload"]["exit_code"], &killed["payload"]["interrupted"]), (&Value::Null, &json!(true)));
    assert_eq!(killed["payload"]["by_user"], Value::Null);
}

#[test]
fn the_course_of_a_session_is_recorded_and_none_of_its_words_but_the_last() {
    let sandbox = Sandbox::new();
    let lines = [
        line("event_msg", json!({"type": "task_started", "turn_id": "t1"})),
        line("event_msg", json!({"type": "user_message", "message": "the user's own words"})),
        line(
            "response_item",
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the user's own words"}]}),
        ),
        line("event_msg", json!({"type": "turn_aborted", "turn_id": "t1", "reason": "interrupted"})),
        line("compacted", json!({"message": "a summary of what the user's own words were"})),
        line("event_msg", json!({"type": "task_started", "turn_id": "t2"})),
        line(
            "event_msg",
            json!({"type": "task_complete", "turn_id": "t2", "last_agent_message": null, "error": {"message": "boom"}}),
        ),
        line("event_msg", json!({"type": "task_complete", "last_agent_message": "All tests pass."})),
        line("event_msg", json!({"type": "user_telepathy", "text": "the user's own words"})),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = sandbox.write("rollout-x.jsonl", format!("{META}\n{text}"));
    let ledger = sandbox.path("ledger");
    sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]).expect(0);
    let recorded = bodies(&ledger);
    let course: Vec<Value> =
        recorded.iter().map(|body| json!([body["event"], body["turn_id"], body["reason"], body["message"]])).collect();
    assert_eq!(
        course,
        [
            json!(["SessionStart", null, null, null]),
            json!(["TurnBegan", "t1", null, null]),
            json!(["Interrupt", "t1", "interrupted", null]),
            json!(["Compacted", null, null, null]),
            json!(["TurnBegan", "t2", null, null]),
            json!(["Interrupt", "t2", "no_last_message", null]),
            json!(["task_complete", null, null, "All tests pass."]),
            json!([null, null, "an unknown shape: event_msg / user_telepathy", null]),
        ]
    );
    assert!(!std::fs::read_to_string(ledger.join("ledger.jsonl")).unwrap().contains("own words"));
}
