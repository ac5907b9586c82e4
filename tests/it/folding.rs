//! Several runs, parts of runs, other deeds: what they come to together.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_PASS, Session};

const PYTEST_PASS: &str = "\
============================= test session starts ==============================
collected 4 items

test_demo.py ....                                                        [100%]

============================== 4 passed in 0.02s ===============================";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.write("web/x.py", "\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    sandbox
}

#[test]
fn a_failing_part_refutes_until_it_or_the_whole_passes() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).bash("cargo test subs", CARGO_FAIL, 101);
    assert_eq!(session.says("All tests pass.").0, "contradicted");
    session.bash("cargo test subs", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
    session.bash("cargo test subs", CARGO_FAIL, 101).bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
}

#[test]
fn another_runner_that_did_not_run_again_is_stale() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("pytest", PYTEST_PASS, 0).edit("web/x.py", "x = 1\n").bash("cargo test", CARGO_PASS, 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "subject_mismatch", "{detail}");
    assert!(detail.contains("`pytest` ran before web/x.py changed"), "{detail}");
}

#[test]
fn directories_are_kept_apart_and_the_worst_governs() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cd src && cargo test", CARGO_FAIL, 101).bash("cd web && cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "contradicted");
    session.bash("cd src && cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
}

#[test]
fn a_failure_elsewhere_accuses_nobody() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0);
    session.bash("cd /tmp && cargo test", CARGO_FAIL, 101).bash("ssh build-host 'cargo test'", CARGO_FAIL, 101);
    session.bash("cargo test --manifest-path nosuch.toml", "error: manifest path `nosuch.toml` does not exist", 101);
    session.bash("cargo test; git log -1", &format!("{CARGO_PASS}\ncommit 1\n\n    1 failed, 2 passed"), 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_ne!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_part_is_not_contradicted_by_somebody_elses_failure() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    let (outcome, detail) = session.says("The parser tests pass.");
    assert_eq!(outcome, "missing_evidence", "{detail}");
    let (outcome, detail) = session.says("The subs tests pass.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn what_was_not_done_is_contradicted_only_by_its_being_done() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    assert_eq!(session.says("I have not run the tests.").0, "missing_evidence");
    session.bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("I have not run the tests.").0, "contradicted");
    session.edit("src/a.rs", "fn a() { 1; }\n");
    assert_eq!(session.says("I have not committed anything.").0, "missing_evidence");
}

#[test]
fn files_are_what_the_host_saw() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/new.rs", "fn n() {}\n");
    session
        .stop("I updated `src/a.rs` and created `src/new.rs`. I left `src/a.rs` untouched. I also updated `src/b.rs`.");
    let outcomes: Vec<String> = session.judged().into_iter().map(|c| c.0).collect();
    assert_eq!(outcomes, ["supported", "supported", "contradicted", "missing_evidence"], "{:?}", session.judged());
}

#[test]
fn a_background_run_counts_from_its_notification() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    let output = sandbox.write("../task.output", CARGO_FAIL);
    let response =
        json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "backgroundTaskId": "b1"});
    session.hook("PostToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "cargo test", "run_in_background": true}, "tool_use_id": "toolu_bg", "tool_response": response}));
    let (outcome, detail) = session.says("All tests pass.");
    assert!(outcome == "subject_mismatch" && detail.contains("its end was not seen"), "{outcome}: {detail}");
    let prompt = format!(
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_bg</tool-use-id>\n<output-file>{}</output-file>\n<status>failed</status>\n<summary>Background command \"step\" failed with exit code 101</summary>\n</task-notification>",
        output.display()
    );
    session.hook("UserPromptSubmit", json!({"prompt": prompt}));
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn two_runners_on_one_line_are_told_apart() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test && pytest", &format!("{CARGO_PASS}\n\n{PYTEST_PASS}"), 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
    session.bash("cargo test; pytest", &format!("{CARGO_FAIL}\n\n{PYTEST_PASS}"), 0);
    assert_eq!(session.says("All tests pass.").0, "contradicted");
}
