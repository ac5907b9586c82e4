//! What a Stop is answered with, through the real hook.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::session::{CARGO_FAIL, CARGO_PASS, Session};

const STANDING: &str = r#""claims":[{"id":"tests-pass","requires":[{"evidenceId":"tests","subject":"@worktree"}]}]"#;

fn sandbox(config: &str) -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    if !config.is_empty() {
        sandbox.write("deeds.json", config);
    }
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    sandbox
}

fn block() -> String {
    format!(r#"{{"gate":"block",{STANDING}}}"#)
}

fn reply(ran: &Ran) -> Value {
    if ran.stdout.is_empty() { Value::Null } else { serde_json::from_str(&ran.stdout).unwrap() }
}

fn again(session: &mut Session<'_>, message: &str) -> Ran {
    let body = json!({"stop_hook_active": true, "last_assistant_message": message, "background_tasks": []});
    session.hook("Stop", body)
}

#[test]
fn a_contradicted_word_is_reported_to_the_user_in_one_line() {
    let sandbox = sandbox("");
    let mut session = Session::start(&sandbox);
    let answer = reply(&session.bash("cargo test", CARGO_FAIL, 101).stop("All tests pass."));
    let text = answer["systemMessage"].as_str().unwrap();
    assert!(text.starts_with("deeds: ✗ \"All tests pass\" contradicted: `cargo test` exited 101"), "{text}");
    assert_eq!(text.lines().count(), 1);
    assert_eq!(answer["decision"], Value::Null);
}

#[test]
fn all_is_well_and_nothing_is_said() {
    let sandbox = sandbox("");
    let mut session = Session::start(&sandbox);
    assert_eq!(session.bash("cargo test", CARGO_PASS, 0).stop("All 3 tests pass.").stdout, "");
    assert_eq!(session.stop("I looked around and have a question.").stdout, "");
}

#[test]
fn an_honest_failure_is_never_held_against_the_agent() {
    let sandbox = sandbox(r#"{"gate":"block"}"#);
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    assert_eq!(session.stop("1 test still fails.").stdout, "");
    assert_eq!(session.judged()[0].0, "supported", "{:?}", session.judged());
}

#[test]
fn a_block_comes_once_in_a_chain_of_stops() {
    let sandbox = sandbox(&block());
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").bash("cargo test", CARGO_FAIL, 101);
    let answer = reply(&session.stop("All tests pass."));
    assert_eq!(answer["decision"], "block");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("exited 101") && reason.len() < 8_000, "{reason}");
    let second = reply(&again(&mut session, "All tests pass, really."));
    assert_eq!(second["decision"], Value::Null, "{second}");
    assert!(second["systemMessage"].as_str().unwrap().contains("contradicted"));
}

#[test]
fn a_standing_claim_that_is_not_shown_blocks_and_says_what_to_run() {
    let sandbox = sandbox(&block());
    let mut session = Session::start(&sandbox);
    let answer = reply(&session.edit("src/a.rs", "fn a() { 1; }\n").stop("I changed a."));
    assert_eq!(answer["decision"], "block", "{answer}");
    assert!(answer["reason"].as_str().unwrap().contains("run the whole test suite"), "{answer}");
    session.bash("cargo test", CARGO_PASS, 0);
    assert_eq!(again(&mut session, "I changed a.").stdout, "");
    session.prompt();
    assert_eq!(session.stop("What else?").stdout, "");
}

#[test]
fn a_question_and_its_answer_are_never_blocked() {
    let sandbox = sandbox(&block());
    let mut session = Session::start(&sandbox);
    session.bash("ls", "src", 0);
    assert_eq!(session.stop("The function is in src/a.rs.").stdout, "");
    session.edit("src/a.rs", "fn a() { 1; }\n").stop("Changed.");
    session.prompt();
    assert_eq!(session.stop("It adds one.").stdout, "");
}

#[test]
fn words_that_are_not_shown_are_reported_and_not_blocked_and_only_once() {
    let sandbox = sandbox(r#"{"gate":"block"}"#);
    let mut session = Session::start(&sandbox);
    let answer = reply(&session.stop("All tests pass."));
    assert_eq!(answer["decision"], Value::Null);
    assert!(answer["systemMessage"].as_str().unwrap().contains("not shown"), "{answer}");
    session.prompt();
    assert_eq!(session.stop("All tests pass.").stdout, "");
}

#[test]
fn documents_that_changed_since_never_block() {
    let sandbox = sandbox(&block());
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").bash("cargo test", CARGO_PASS, 0).edit("README.md", "more\n");
    let answer = reply(&session.stop("Done."));
    assert_eq!(answer["decision"], Value::Null, "{answer}");
}

#[test]
fn a_malformed_file_is_named_once_and_the_defaults_apply() {
    let sandbox = sandbox(r#"{"gaet":"block"}"#);
    let mut session = Session::start(&sandbox);
    let answer = reply(&session.bash("cargo test", CARGO_FAIL, 101).stop("All tests pass."));
    let text = answer["systemMessage"].as_str().unwrap();
    assert!(
        text.contains("deeds.json") && text.contains("did you mean `gate`") && text.contains("contradicted"),
        "{text}"
    );
    session.prompt();
    assert!(!session.stop("Nothing more.").stdout.contains("deeds.json"));
    sandbox.deeds(&["judge"]).expect(65);
}

#[test]
fn the_gate_goes_by_the_file_that_the_session_began_with() {
    let sandbox = sandbox(&block());
    let mut session = Session::start(&sandbox);
    session.edit("deeds.json", r#"{"gate":"off"}"#).bash("cargo test", CARGO_FAIL, 101);
    assert_eq!(reply(&session.stop("All tests pass."))["decision"], "block");
}

#[test]
fn off_records_only() {
    let sandbox = sandbox(r#"{"gate":"off"}"#);
    let mut session = Session::start(&sandbox);
    assert_eq!(session.bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.").stdout, "");
    assert_eq!(session.judged()[0].0, "contradicted");
}

#[test]
fn a_sub_agents_words_are_its_own() {
    let sandbox = sandbox("");
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    let body = json!({"agent_id": "a1", "agent_type": "general-purpose", "stop_hook_active": false, "last_assistant_message": "All tests pass.", "background_tasks": []});
    let answer = reply(&session.hook("SubagentStop", body));
    assert!(answer["systemMessage"].as_str().unwrap().contains("contradicted"), "{answer}");
    assert_eq!(session.stop("The sub-agent is done.").stdout, "");
}

#[test]
fn what_could_not_be_seen_is_named_beside_the_verdict() {
    let sandbox = sandbox("");
    let told = |event: &str, body: Value| {
        let mut payload = json!({
            "session_id": "c0", "transcript_path": "/home/dev/.claude/projects/x/s.jsonl", "prompt_id": "p", "cwd": sandbox.project(),
            "permission_mode": "acceptEdits", "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        sandbox.deeds_with(&["hook"], payload.to_string().as_bytes()).expect(0)
    };
    let holes = || sandbox.deeds(&["judge", "--format", "json"]).json()["coverage"]["holes"].to_string();
    let response = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
    told(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": response}),
    );
    assert!(holes().contains("failures are invisible"), "{}", holes());
    told("UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(holes().contains("began in the middle"), "{}", holes());
    let launched = json!({"status": "async_launched", "agentId": "a1"});
    told(
        "PostToolUse",
        json!({"tool_name": "Agent", "tool_input": {"prompt": "p"}, "tool_use_id": "t2", "tool_response": launched}),
    );
    assert!(holes().contains("a sub-agent was started"), "{}", holes());
}
