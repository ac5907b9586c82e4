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
    assert_eq!(outcome, "subject_mismatch", "{detail}");
    assert!(detail.starts_with("`cargo test` was started in the background (#"), "{detail}");
    assert!(detail.contains(") and its end was not seen; "), "{detail}");
    let running = json!([{"id": "b1", "type": "shell", "status": "running", "command": "cargo test"}]);
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "Done: all tests pass.", "background_tasks": running});
    session.hook("Stop", stop);
    let detail = session.judged().remove(0).1;
    assert!(detail.contains(") and had not ended; "), "{detail}");
    session.prompt();
    let prompt = format!(
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_bg</tool-use-id>\n<output-file>{}</output-file>\n<status>failed</status>\n<summary>Background command \"step\" failed with exit code 101</summary>\n</task-notification>",
        output.display()
    );
    session.hook("UserPromptSubmit", json!({"prompt": prompt}));
    // What was said before it ended stays as it was, and the fact says that it ended later.
    let before = session.judged().remove(0);
    assert_eq!(before.0, "missing_evidence", "{before:?}");
    assert!(
        before.1.contains("was started in the background (#") && before.1.contains("ended only after"),
        "{before:?}"
    );
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_pass_of_which_most_was_skipped_says_so() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("pytest", "===== 1 passed, 300 skipped in 0.12s =====", 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "supported", "{detail}");
    assert!(detail.ends_with("1 passed, 300 skipped, so most of them did not run"), "{detail}");
    session.bash("pytest", "===== 300 passed, 1 skipped in 0.12s =====", 0);
    let (_, detail) = session.says("All tests pass.");
    assert!(detail.ends_with("300 passed, 1 skipped"), "{detail}");
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

#[test]
fn a_run_that_broke_off_here_proves_nothing_against_a_pass_in_the_container() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    let broken = "==== ERRORS ====\nE   ModuleNotFoundError: No module named 'redis'\n!!!!!!! Interrupted: 1 error during collection !!!!!!!\n=============================== 1 error in 0.12s ===============================";
    session.bash("pytest", broken, 2).bash("docker compose exec app pytest", PYTEST_PASS, 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_ne!(outcome, "contradicted", "{detail}");
    assert_ne!(outcome, "supported", "{detail}");
}

#[test]
fn a_wider_path_that_passes_takes_a_failing_part_with_it() {
    let sandbox = sandbox();
    let failing = "FAILED web/x.py::t - assert 0\n========================= 1 failed, 3 passed in 0.03s ==========================";
    let mut session = Session::start(&sandbox);
    session.bash("pytest", PYTEST_PASS, 0).bash("pytest web/x.py::t", failing, 1).bash(
        "pytest web/x.py",
        PYTEST_PASS,
        0,
    );
    assert_eq!(session.says("All tests pass.").0, "supported");
}

#[test]
fn what_was_tried_again_in_another_way_is_left_open() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit");
    session.edit("src/a.rs", "fn a() { 5; }\n").really("git commit -qam 'Mine'");
    session.bash("git -C ../other commit -qam 'Mine'", "", 0);
    assert_ne!(session.says("Committed in the worktree.").0, "contradicted");
    assert_ne!(session.says("Committed.").0, "contradicted");
}

#[test]
fn deleting_and_creating_are_not_changing() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n");
    assert_eq!(session.says("I deleted `src/a.rs`.").0, "unconfirmed_evidence");
    assert_eq!(session.says("I removed the cache from `src/a.rs`.").0, "supported");
    let (outcome, detail) = session.says("I left `a.rs` untouched.");
    assert_ne!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_failure_in_a_loop_is_of_some_iteration() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("until cargo test; do sleep 1; done", &format!("{CARGO_FAIL}\n{CARGO_PASS}"), 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_ne!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_failing_run_elsewhere_does_not_spoil_a_pass_here() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).bash("cd /tmp/other && pytest", "1 failed in 0.1s", 1);
    assert_eq!(session.says("All tests pass.").0, "supported");
}

#[test]
fn a_failure_in_a_repository_inside_the_worktree_is_not_ours() {
    let sandbox = sandbox();
    sandbox.git(&["worktree", "add", "-q", "-b", "base", ".worktrees/base"]);
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).bash("cd .worktrees/base && cargo test", CARGO_FAIL, 101);
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "supported", "{detail}");
}

#[test]
fn a_linters_warnings_are_no_failure_and_not_clean_either() {
    let warned = "\n/a/b.js\n  1:5  warning  x  no-x\n\n✖ 1 problem (0 errors, 1 warning)\n";
    for (command, words, expected) in [
        ("npx eslint .", "ESLint passes.", "supported"),
        ("npx eslint .", "No lint errors.", "supported"),
        ("npx eslint .", "Lint is clean.", "contradicted"),
        ("npx eslint . | tail -5", "ESLint passes.", "unconfirmed_evidence"),
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.bash(command, warned, 0);
        let (outcome, detail) = session.says(words);
        assert_eq!(outcome, expected, "{command}: {words}: {detail}");
    }
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("npx eslint . | tail -5", &warned.replace("0 errors", "1 error"), 0);
    assert_eq!(session.says("ESLint passes.").0, "contradicted");
}

#[test]
fn a_failure_is_open_where_the_check_was_run_again_in_another_way() {
    for (command, expected) in [
        ("cargo xtask test", "unconfirmed_evidence"),
        ("./scripts/test.sh", "unconfirmed_evidence"),
        ("./scripts/test.sh || true", "contradicted"),
        ("cat tests/it/main.rs", "contradicted"),
        ("git add tests", "contradicted"),
        ("echo test", "contradicted"),
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.bash("cargo test", CARGO_FAIL, 101).bash(command, "done\n", 0);
        let (outcome, detail) = session.says("All tests pass.");
        assert_eq!(outcome, expected, "{command}: {detail}");
    }
}

#[test]
fn a_test_of_the_same_name_elsewhere_leaves_it_open() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101).bash("cd sub && cargo test", CARGO_PASS, 0);
    let (outcome, detail) = session.says("`tests::subs` passes.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
}

#[test]
fn a_deeds_json_that_changed_during_the_session_is_named() {
    let sandbox = sandbox();
    let declared = |command: &str| {
        format!(
            r#"{{"checks":{{"contract":"{command}"}},"claims":[{{"id":"c","requires":[{{"evidenceId":"check/contract"}}]}}]}}"#
        )
    };
    sandbox.write("deeds.json", declared("false"));
    let mut session = Session::start(&sandbox);
    session.bash("true", "", 0).stop("Done.");
    let judge = || sandbox.deeds(&["judge"]).stdout;
    assert!(!judge().contains("changed during this session"), "{}", judge());
    sandbox.write("deeds.json", declared("true"));
    assert!(judge().contains("deeds.json changed during this session"), "{}", judge());
}
