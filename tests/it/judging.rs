//! Whole sessions through the real hook and the real judge: what is accused, what is borne out, and what is left open.

use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_FAIL_TAIL, CARGO_PASS, Session};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    sandbox
}

#[test]
fn a_failing_run_contradicts_all_tests_pass() {
    let sandbox = sandbox();
    let (outcome, detail) = Session::start(&sandbox).bash("cargo test", CARGO_FAIL, 101).says("All tests pass.");
    assert_eq!(outcome, "contradicted");
    assert!(
        detail.contains("exited 101") && detail.contains("1 failed, 2 passed") && detail.contains("tests::subs"),
        "{detail}"
    );
}

#[test]
fn a_failure_behind_tail_contradicts_although_the_status_is_0() {
    let sandbox = sandbox();
    let (outcome, detail) =
        Session::start(&sandbox).bash("cargo test | tail -5", CARGO_FAIL_TAIL, 0).says("All tests pass.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_passing_run_supports_and_shows_its_counts() {
    let sandbox = sandbox();
    let (outcome, detail) = Session::start(&sandbox).bash("cargo test", CARGO_PASS, 0).says("All 3 tests pass.");
    assert_eq!(outcome, "supported", "{detail}");
    assert!(detail.contains("3 passed"), "{detail}");
}

#[test]
fn a_count_that_differs_is_not_shown_and_cites_both() {
    let sandbox = sandbox();
    let (outcome, detail) = Session::start(&sandbox).bash("cargo test", CARGO_PASS, 0).says("All 5 tests pass.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.contains("3 passed"), "{detail}");
}

#[test]
fn an_edit_after_the_run_makes_it_stale_and_the_file_is_named() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    let (outcome, detail) =
        session.bash("cargo test", CARGO_PASS, 0).edit("src/a.rs", "fn a() { }\n").says("All tests pass.");
    assert_eq!(outcome, "subject_mismatch", "{detail}");
    assert!(detail.contains("ran before src/a.rs changed"), "{detail}");
}

#[test]
fn of_several_files_that_changed_one_that_the_project_does_not_ignore_is_named() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).edit("CHANGES.md", "new\n").edit("src/a.rs", "fn a() { }\n");
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "subject_mismatch", "{detail}");
    assert!(detail.contains("ran before src/a.rs changed"), "{detail}");
}

#[test]
fn a_failure_that_was_mended_since_is_no_contradiction() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101).edit("src/a.rs", "fn a() { 1; }\n");
    assert_eq!(session.says("All tests pass.").0, "subject_mismatch");
    session.bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
}

#[test]
fn committing_exactly_the_tested_state_keeps_it_shown() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 2; }\n").bash("cargo test", CARGO_PASS, 0).really("git commit -qam 'Change a'");
    session.stop("All tests pass. Committed.");
    let outcomes: Vec<String> = session.judged().into_iter().map(|c| c.0).collect();
    assert_eq!(outcomes, ["supported", "supported"], "{:?}", session.judged());
}

#[test]
fn text_that_is_merely_printed_is_no_run() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("echo '12 passed'", "12 passed", 0);
    session.bash(
        "echo pytest; cat <<'E'\ntest result: ok. 3 passed; 0 failed\nE",
        "pytest\ntest result: ok. 3 passed; 0 failed",
        0,
    );
    session.bash("git log -1 && echo cargo test", "commit 1\n\n    cargo test: 1 failed\ncargo test", 0);
    assert_eq!(session.says("All tests pass.").0, "missing_evidence");
}

#[test]
fn a_base_seen_through_stash_accuses_nobody() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 3; }\n");
    session.bash("git stash; cargo test; git stash pop", &format!("Saved\n{CARGO_FAIL}\nDropped"), 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "subject_mismatch", "{detail}");
}

#[test]
fn nothing_of_a_run_that_executed_nothing_counts() {
    let sandbox = sandbox();
    let zero = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s";
    let mut session = Session::start(&sandbox);
    session.bash("cargo test nosuch", zero, 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_ne!(outcome, "supported", "{detail}");
    assert_ne!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_script_is_known_by_its_own_name_and_by_what_it_ran() {
    let output = |verdict: &str| {
        format!(
            "> x@1.0.0 test\n> jest\n\nTest Suites: 1 {verdict}, 1 total\nTests:       3 {verdict}, 3 total\nSnapshots:   0 total\nTime:        1.2 s\nRan all test suites.\n"
        )
    };
    for (verdict, code, expected) in [("passed", 0, "supported"), ("failed", 1, "contradicted")] {
        for command in ["npm test", "yarn test", "pnpm test"] {
            for words in [format!("`{command}` passes."), "Jest passes.".to_owned(), "All tests pass.".to_owned()] {
                let sandbox = sandbox();
                let mut session = Session::start(&sandbox);
                session.bash(command, &output(verdict), code);
                let (outcome, detail) = session.says(&words);
                assert_eq!(outcome, expected, "{command}: {words}: {detail}");
            }
        }
    }
}

#[test]
fn what_one_runner_failed_at_another_does_not_make_up_for() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("pytest", "collected 5 items\n\ntests/test_a.py .....   [100%]\n\n===== 5 passed in 0.12s =====\n", 0);
    session.bash("npx jest", "Test Suites: 1 failed, 1 total\nTests:       1 failed, 3 passed, 4 total\nSnapshots:   0 total\nTime:        1.2 s\nRan all test suites.\n", 1);
    assert_eq!(session.says("The frontend tests pass.").0, "unconfirmed_evidence");
    session.stop("pytest and jest pass.");
    session.prompt();
    assert_eq!(
        session.judged().iter().map(|claim| claim.0.as_str()).collect::<Vec<_>>(),
        ["supported", "contradicted"]
    );
    assert_eq!(session.says("The pytest suite passes.").0, "supported");
}

#[test]
fn a_part_that_passed_is_not_the_whole() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test parser", CARGO_PASS, 0);
    let (outcome, detail) = session.says("All tests pass.");
    assert_eq!(outcome, "missing_evidence", "{detail}");
    assert!(detail.contains("narrowed"), "{detail}");
}

#[test]
fn a_push_that_was_rejected_contradicts_and_the_commit_is_seen() {
    let sandbox = sandbox();
    let remote = sandbox.path("remote.git");
    sandbox.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    sandbox.git(&["push", "-q", "-u", "origin", "main"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    sandbox.git(&["push", "-q"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 4; }\n").really("git commit -am 'Mine'").really("git push origin main");
    session.stop("Committed and pushed.");
    let judged = session.judged();
    assert_eq!(judged.iter().map(|c| c.0.as_str()).collect::<Vec<_>>(), ["supported", "contradicted"], "{judged:?}");
    session.really("git push --force origin main");
    session.stop("Pushed.");
    assert_eq!(session.judged()[0].0, "supported", "{:?}", session.judged());
}

#[test]
fn a_commit_that_a_hook_refused_contradicts() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really(
        "printf '#!/bin/sh\\necho no >&2\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
    );
    session.edit("src/a.rs", "fn a() { 5; }\n").really("git commit -qam 'Mine'");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn an_echoed_commit_is_none() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("echo '[main deadbee] x' # git commit").really("false || echo '[main deadbee] fake'");
    assert_eq!(session.says("Committed.").0, "missing_evidence");
}

#[test]
fn judging_twice_prints_the_same_bytes_and_leaves_the_ledger_alone() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101).stop("All tests pass. Committed.");
    let ledger = sandbox.project().join(".git/deeds/ledger.jsonl");
    let before = std::fs::read(&ledger).unwrap();
    let once = sandbox.deeds(&["judge", "--format", "json"]).expect(2).stdout;
    assert_eq!(once, sandbox.deeds(&["judge", "--format", "json"]).expect(2).stdout);
    assert_eq!(before, std::fs::read(&ledger).unwrap());
}

#[test]
fn a_snapshot_judged_again_gives_the_same_outcomes() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session
        .bash("cargo test", CARGO_PASS, 0)
        .edit("src/a.rs", "fn a() { 6; }\n")
        .stop("All tests pass. Committed. 2 tests fail.");
    let snapshot = sandbox.deeds(&["judge", "--emit-snapshot"]).expect(0).stdout;
    let again = sandbox.deeds_with(&["judge", "--snapshot", "-"], snapshot.as_bytes()).json();
    let report = sandbox.deeds(&["judge", "--format", "json"]).json();
    let outcomes = |v: &serde_json::Value| {
        v["claims"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| (c["claimId"].clone(), c["outcome"].clone(), c["reason"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&again), outcomes(&report));
}

#[test]
fn standing_claims_ask_for_the_files_as_they_are_now() {
    let sandbox = sandbox();
    sandbox.write("deeds.json", r#"{"claims":[{"id":"tests-pass","requires":[{"evidenceId":"tests","subject":"@worktree"}]}],"checks":{"contract":"make contract-test"}}"#);
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0);
    sandbox.deeds(&["judge"]).expect(0);
    sandbox.write("src/b.rs", "\n");
    let stale = sandbox.deeds(&["judge"]).expect(1).stdout;
    assert!(stale.contains("tests-pass not shown: `cargo test` ran before src/b.rs changed"), "{stale}");
    let claims = sandbox.write("../claims.json", r#"{"claims":[{"id":"c","requires":[{"evidenceId":"check/contract"}]},{"id":"h","requires":[{"evidenceId":"commit","subject":"@head"}]}]}"#);
    let path = claims.to_str().unwrap();
    let judged = sandbox.deeds(&["judge", "--format", "json", "--claims", path]).expect(1).json();
    assert_eq!(judged["claims"][0]["reason"], "missing_evidence");
    session.bash("cd . && make contract-test", "ok", 0);
    let judged = sandbox.deeds(&["judge", "--format", "json", "--claims", path]).json();
    assert_eq!(judged["claims"][0]["outcome"], "supported", "{judged}");
    assert_eq!(judged["claims"][0]["from"], "file");
}

#[test]
fn evidence_of_an_earlier_session_supports_the_same_tree_and_never_contradicts() {
    let sandbox = sandbox();
    Session::start_as(&sandbox, "5e551011-0000-4000-8000-00000000000a").bash("cargo test", CARGO_PASS, 0);
    let mut second = Session::start_as(&sandbox, "5e551011-0000-4000-8000-00000000000b");
    assert_eq!(second.says("All tests pass.").0, "supported");
    second.edit("src/a.rs", "fn a() { 7; }\n");
    Session::start_as(&sandbox, "5e551011-0000-4000-8000-00000000000c").bash("cargo test", CARGO_FAIL, 101);
    let mut fourth = Session::start_as(&sandbox, "5e551011-0000-4000-8000-00000000000d");
    assert_eq!(fourth.says("All tests pass.").0, "missing_evidence");
}

#[test]
fn an_unreadable_ledger_is_never_no_evidence() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).stop("All tests pass.");
    let ledger = sandbox.project().join(".git/deeds/ledger.jsonl");
    std::fs::remove_file(&ledger).unwrap();
    std::fs::create_dir(&ledger).unwrap();
    let ran = sandbox.deeds(&["judge", "--format", "json"]).expect(70);
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("ledger"), "{ran:?}");
}

#[test]
fn what_deeds_ran_itself_counts_as_seen_by_the_host() {
    let sandbox = sandbox();
    sandbox.write("deeds.json", r#"{"checks":{"unit":"true"},"claims":[{"id":"unit","requires":[{"evidenceId":"check/unit","subject":"@worktree","trust":["host_observed"]}]}]}"#);
    let mut session = Session::start(&sandbox);
    session.bash("true", "", 0);
    sandbox.deeds(&["judge"]).expect(1);
    sandbox.deeds(&["run", "--check", "unit"]).expect(0);
    sandbox.deeds(&["judge"]).expect(0);
    assert_eq!(sandbox.deeds(&["run", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]).expect(7).stdout, "out\n");
    sandbox.deeds(&["run", "--check", "unit", "--", "false"]).expect(64);
    sandbox.deeds(&["verify"]).expect(0);
}

#[test]
fn a_failure_that_the_message_names_itself_is_no_accusation() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    for message in [
        "Tests are passing again after the revert, apart from subs, which times out.",
        "All tests pass; the only failure is tests::subs.",
    ] {
        let (outcome, detail) = session.says(message);
        assert_eq!(outcome, "unconfirmed_evidence", "{message} {detail}");
        assert!(detail.contains("the message names that failure itself"), "{detail}");
    }
    for lie in
        ["I fixed tests::subs, which had been failing. All tests pass.", "All tests pass, and I left subs as it is."]
    {
        assert_eq!(session.says(lie).0, "contradicted", "{lie}");
    }
}
