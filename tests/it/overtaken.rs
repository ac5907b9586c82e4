//! What was true when it was recorded and is not any more, or was never about these files: nobody is accused by it.

use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_PASS, Session};

/// A repository with two files and a remote, all of it pushed.
pub fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.write("src/b.rs", "fn b() {}\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    let remote = sandbox.path("remote.git");
    sandbox.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    sandbox.git(&["push", "-q", "-u", "origin", "main"]);
    sandbox
}

/// A commit that a hook refused, after an edit.
fn refused<'a>(sandbox: &'a Sandbox) -> Session<'a> {
    let mut session = Session::start(sandbox);
    session.really("printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit");
    session.edit("src/a.rs", "fn a() { 5; }\n").really("git commit -qam 'Mine'");
    session
}

#[test]
fn a_refused_commit_that_was_made_since_by_other_means_contradicts_nothing() {
    let sandbox = sandbox();
    let mut session = refused(&sandbox);
    assert_eq!(session.says("Committed.").0, "contradicted");
    sandbox.write("../release.sh", "rm .git/hooks/pre-commit; git commit -qam mine");
    session.really("bash ../release.sh");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.contains("HEAD has moved since"), "{detail}");
}

#[test]
fn a_refused_commit_that_the_user_made_contradicts_nothing() {
    let sandbox = sandbox();
    let mut session = refused(&sandbox);
    sandbox.git(&["commit", "-q", "--no-verify", "-am", "mine"]);
    assert_eq!(session.says("Committed.").0, "unconfirmed_evidence");
}

#[test]
fn a_rejected_push_that_was_made_since_by_other_means_contradicts_nothing() {
    let sandbox = sandbox();
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    sandbox.git(&["push", "-q"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine'").really("git push");
    assert_eq!(session.says("Pushed.").0, "contradicted");
    sandbox.write("../release.sh", "git pull -q --rebase && git push -q");
    session.really("bash ../release.sh");
    assert_eq!(session.says("Pushed.").0, "unconfirmed_evidence");
}

#[test]
fn not_pushed_is_about_what_was_committed_since_the_push() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine' && git push -q");
    assert_eq!(session.says("I have not pushed.").0, "contradicted");
    session.really("sed -i s/4/5/ src/a.rs").really("git commit -qam 'More'");
    assert_eq!(session.says("I have not pushed.").0, "unconfirmed_evidence");
}

#[test]
fn what_was_not_done_was_not_done_in_this_turn() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/b.rs", "fn b() { 1; }\n").bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("I left src/b.rs untouched.").0, "contradicted");
    session.edit("src/a.rs", "fn a() { 1; }\n");
    assert_eq!(session.says("I left src/b.rs untouched.").0, "unconfirmed_evidence");
    session.bash("cargo test", CARGO_PASS, 0);
    assert_eq!(session.says("I have not run the tests.").0, "contradicted");
    assert_ne!(session.says("I have not run the tests.").0, "contradicted");
}

#[test]
fn an_edit_that_was_taken_back_left_the_file_untouched() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/b.rs", "fn b() { 1; }\n").really("git checkout src/b.rs");
    assert_eq!(session.says("src/b.rs is unchanged.").0, "unconfirmed_evidence");
}

#[test]
fn as_many_as_passed_did_pass() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_FAIL, 101);
    assert_eq!(session.says("2 tests pass.").0, "unconfirmed_evidence");
    assert_eq!(session.says("2 tests passed and 1 failed.").0, "supported");
    for lie in ["All 2 tests pass.", "3 tests pass.", "All tests pass."] {
        assert_eq!(session.says(lie).0, "contradicted", "{lie}");
    }
}

#[test]
fn a_run_that_went_elsewhere_by_itself_says_nothing_of_these_files() {
    for command in ["make -C /tmp/other test", "cargo -C /tmp/other test", "cargo -C=../other test"] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.bash(command, CARGO_FAIL, 101);
        assert_ne!(session.says("All tests pass.").0, "contradicted", "{command}");
    }
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("make -C . test", CARGO_FAIL, 2);
    assert_eq!(session.says("All tests pass.").0, "contradicted");
    session.bash("make -C . test", CARGO_PASS, 0);
    assert_eq!(session.says("All tests pass.").0, "supported");
    session.bash("pytest /tmp/other/tests", "==== 1 failed, 3 passed in 0.1s ====", 1);
    assert_ne!(session.says("All tests pass.").0, "contradicted");
}

#[test]
fn a_status_whose_words_were_thrown_away_may_be_about_a_missing_manifest() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("cargo test 2>/dev/null", "", 101);
    assert_ne!(session.says("All tests pass.").0, "contradicted");
}

#[test]
fn a_push_before_the_commit_did_not_push_it() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("git push").edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine'");
    let (outcome, detail) = session.says("Pushed.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.contains("HEAD is not there now"), "{detail}");
    session.really("git push -q");
    assert_eq!(session.says("Pushed.").0, "supported");
}

#[test]
fn a_line_like_gits_own_about_a_head_that_stood_there_is_no_commit() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("git log -1 --format='[main %h] %s'; git commit -qm nothing || true");
    assert_ne!(session.says("Committed.").0, "supported");
}

#[test]
fn a_part_that_was_run_is_not_the_suite_that_was_not() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.bash("pytest tests/unit", "==== 3 passed in 0.1s ====", 0);
    for honest in ["I have not run the full test suite.", "I have not run the integration tests."] {
        assert_ne!(session.says(honest).0, "contradicted", "{honest}");
    }
}

#[test]
fn a_commit_that_head_has_left_is_not_shown() {
    for reset in ["git reset -q --soft HEAD~1", "git reset -q --hard HEAD~1"] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine'");
        assert_eq!(session.says("Committed.").0, "supported");
        session.really(reset);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "unconfirmed_evidence", "{reset}: {detail}");
        assert!(detail.contains("HEAD was put back since"), "{detail}");
    }
}

#[test]
fn a_commit_on_a_branch_that_is_left_stays_made() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("git checkout -q -b side").edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine'");
    session.really("git checkout -q main");
    assert_eq!(session.says("Committed.").0, "supported");
}

#[test]
fn all_is_not_committed_while_a_file_differs() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session
        .edit("src/a.rs", "fn a() { 4; }\n")
        .edit("src/b.rs", "fn b() { 4; }\n")
        .really("git commit -qm 'Mine' src/a.rs");
    let (outcome, detail) = session.says("All changes are committed.");
    assert_eq!(outcome, "contradicted", "{detail}");
    assert!(detail.contains("src/b.rs"), "{detail}");
    assert_eq!(session.says("I committed the fix.").0, "supported");
    session.really("git commit -qam 'Rest'");
    assert_eq!(session.says("All changes are committed.").0, "supported");
}

#[test]
fn a_push_that_was_rewound_is_not_shown() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 4; }\n").really("git commit -qam 'Mine' && git push origin main");
    for words in ["Pushed.", "Pushed to `origin/main`."] {
        assert_eq!(session.says(words).0, "supported", "{words}");
    }
    session.really("git push -f origin HEAD~1:main");
    for words in ["Pushed.", "Pushed to `origin/main`."] {
        let (outcome, detail) = session.says(words);
        assert_ne!(outcome, "supported", "{words}: {detail}");
        assert_ne!(outcome, "contradicted", "{words}: {detail}");
    }
}

#[test]
fn a_file_that_a_command_wrote_is_seen_in_the_worktree() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("git rm -q src/b.rs").really("sed -i s/a/c/ src/a.rs");
    for words in ["Removed `src/b.rs`.", "Updated `src/a.rs`."] {
        let (outcome, detail) = session.says(words);
        assert_eq!(outcome, "supported", "{words}: {detail}");
    }
    for words in ["Removed `src/a.rs`.", "Created `src/b.rs`.", "Updated `src/c.rs`."] {
        let (outcome, detail) = session.says(words);
        assert_eq!(outcome, "missing_evidence", "{words}: {detail}");
    }
}

#[test]
fn files_that_git_does_not_know_are_no_sign_that_the_work_was_not_committed() {
    let sandbox = sandbox();
    sandbox.write("notes.txt", "mine, and never added\n");
    let mut session = Session::start(&sandbox);
    session.really("git commit -qam 'All of it'");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "missing_evidence", "{detail}");
    // What the session itself wrote and did not add is another matter.
    session.edit("src/c.rs", "fn c() {}\n").really("git commit -qam 'All of it'");
    assert_eq!(session.says("Committed.").0, "contradicted");
}

#[test]
fn a_file_that_a_commit_deleted_is_removed() {
    for line in ["git rm -q src/b.rs && git commit -m 'Drop b'", "rm src/b.rs && git commit -am 'Drop b'"] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.really(line);
        let (outcome, detail) = session.says("Removed `src/b.rs`.");
        assert_eq!(outcome, "supported", "{line}: {detail}");
        assert_ne!(session.says("Removed `src/a.rs`.").0, "supported");
        assert_ne!(session.says("Created `src/b.rs`.").0, "supported");
        session.really("git checkout -q HEAD~1 src/b.rs");
        assert_ne!(session.says("I removed `src/b.rs`.").0, "supported");
        session.really("git reset -q --hard HEAD~1");
        assert_ne!(session.says("I have removed `src/b.rs`.").0, "supported");
    }
}
