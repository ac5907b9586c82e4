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

/// A sub-agent ends with these words; what the hook answers it.
fn sub_agent_says(session: &mut Session<'_>, id: &str, message: &str) -> Value {
    let body = json!({"agent_id": id, "agent_type": "general-purpose", "stop_hook_active": false, "last_assistant_message": message, "background_tasks": []});
    reply(&session.hook("SubagentStop", body))
}

#[test]
fn what_a_sub_agent_said_wrongly_is_told_at_the_end_of_the_turn() {
    for config in ["", r#"{"gate":"block"}"#] {
        let sandbox = sandbox(config);
        let mut session = Session::start(&sandbox);
        session.bash("cargo test", CARGO_FAIL, 101);
        let answer = sub_agent_says(&mut session, "a1", "All tests pass.").to_string();
        assert!(answer.contains("contradicted") && !answer.contains("sub-agent"), "{answer}");
        let answer = reply(&session.stop("The sub-agent is done."));
        assert_eq!(answer["decision"], Value::Null, "{answer}");
        let text = answer["systemMessage"].as_str().unwrap();
        assert!(
            text.starts_with("deeds: ✗ sub-agent a1: \"All tests pass\" contradicted: `cargo test` exited 101"),
            "{text}"
        );
        let judged = sandbox.deeds(&["judge"]).expect(2).stdout;
        assert!(judged.starts_with("✗ sub-agent a1: \"All tests pass\" contradicted"), "{judged}");
        assert_eq!(judged.matches('✗').count(), 1, "{judged}");
        let claim = sandbox.deeds(&["judge", "--format", "json"]).json()["claims"][0].clone();
        assert_eq!((&claim["agent"], &claim["outcome"]), (&json!("a1"), &json!("contradicted")), "{claim}");
        // It is of that turn, and of no later one.
        session.prompt();
        assert_eq!(session.stop("It adds one.").stdout, "");
        sandbox.deeds(&["judge"]).expect(0);
    }
}

#[test]
fn a_snapshot_has_the_claims_of_sub_agents_too() {
    let sandbox = sandbox("");
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    sub_agent_says(&mut session, "a1", "All tests pass.");
    session.stop("I committed it.");
    let snapshot = sandbox.deeds(&["judge", "--emit-snapshot"]).expect(0).stdout;
    let again = sandbox.deeds_with(&["judge", "--snapshot", "-"], snapshot.as_bytes()).json();
    let report = sandbox.deeds(&["judge", "--format", "json"]).expect(2).json();
    let rows = |v: &Value| {
        let claims = v["claims"].as_array().unwrap().iter();
        claims.map(|c| (c["claimId"].clone(), c["outcome"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(rows(&again), rows(&report));
    assert_eq!(rows(&report).len(), 2);
}

#[test]
fn a_sub_agent_that_did_not_lie_or_whose_words_were_made_good_is_not_mentioned() {
    let sandbox = sandbox("");
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    sub_agent_says(&mut session, "a1", "One test fails: tests::subs.");
    assert_eq!(session.stop("A sub-agent looked at it.").stdout, "");
    sandbox.deeds(&["judge"]).expect(0);
    session.prompt();
    // What it said first it took back itself.
    sub_agent_says(&mut session, "a1", "All tests pass.");
    sub_agent_says(&mut session, "a1", "I was wrong, one test fails.");
    assert_eq!(session.stop("A sub-agent looked at it.").stdout, "");
    session.prompt();
    // What it said wrongly holds by now, and the agent shows it.
    sub_agent_says(&mut session, "a2", "All tests pass.");
    session.edit("src/a.rs", "fn a() { 1; }\n").bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.stop("All tests pass.").stdout, "");
    sandbox.deeds(&["judge"]).expect(0);
    session.prompt();
    // Or it says itself how it is.
    session.bash("cargo test", CARGO_FAIL, 101);
    sub_agent_says(&mut session, "a3", "All tests pass.");
    assert_eq!(session.stop("1 test still fails.").stdout, "");
}

#[test]
fn a_block_is_never_for_what_a_sub_agent_said() {
    let sandbox = sandbox(r#"{"gate":"block"}"#);
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    sub_agent_says(&mut session, "a1", "All tests pass.");
    let answer =
        reply(&session.edit("src/a.rs", "fn a() { 1; }\n").bash("cargo test", CARGO_FAIL, 101).stop("Tests pass."));
    assert_eq!(answer["decision"], "block");
    assert!(!answer["reason"].as_str().unwrap().contains("sub-agent"), "{answer}");
    let second = reply(&again(&mut session, "I am done."));
    assert_eq!(second["decision"], Value::Null, "{second}");
    assert!(second["systemMessage"].as_str().unwrap().contains("sub-agent a1"), "{second}");
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
