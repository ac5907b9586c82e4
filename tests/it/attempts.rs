//! A commit or push that was tried and came to nothing, beside one that was made: which of them the words are about.

use crate::overtaken::sandbox;
use crate::sandbox::Sandbox;
use crate::session::Session;

const REFUSE: &str =
    "printf '#!/bin/sh\\necho no >&2\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit";
const ALLOW: &str = "rm .git/hooks/pre-commit";

/// A session whose first turn edited, committed and pushed.
fn committed<'a>(sandbox: &'a Sandbox) -> Session<'a> {
    let mut session = Session::start(sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'").really("git push -q");
    assert_eq!(session.says("Committed.").0, "supported");
    session
}

/// The remote has a commit that is not here, so that a push is rejected.
fn remote_is_ahead(sandbox: &Sandbox) {
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    sandbox.git(&["push", "-q"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
}

#[test]
fn a_commit_of_an_earlier_turn_does_not_stand_for_one_that_was_refused() {
    for attempt in [
        "git commit -qam 'Second'",
        "git add -A && git commit -qm 'Second'",
        "git add -A && git commit -m 'Second' && git push",
        "git commit -qam 'Second' 2>&1 | tail -3",
        "git commit -qam 'Second' || true",
    ] {
        let sandbox = sandbox();
        let mut session = committed(&sandbox);
        session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really(attempt);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "unconfirmed_evidence", "{attempt}: {detail}");
        assert!(detail.contains("HEAD had not moved since #"), "{attempt}: {detail}");
    }
}

#[test]
fn the_fact_names_how_the_attempt_ended() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'");
    let (_, detail) = session.says("Committed.");
    assert!(detail.starts_with("git commit exited 1 (#"), "{detail}");
}

#[test]
fn a_commit_that_is_made_after_a_refusal_supports() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'");
    session.really(ALLOW).edit("src/a.rs", "fn a() { 3; }\n").really("git commit -qam 'Second'");
    assert_eq!(session.says("Committed.").0, "supported");
}

#[test]
fn a_second_commit_with_nothing_to_commit_takes_nothing_back() {
    for (more, again) in [
        ("true", "git commit -qam 'Again'"),
        ("true", "git add -A && git commit -qm 'Again' && git push"),
        ("true", "git commit -qam 'Again' >/dev/null 2>&1"),
        ("echo log > build.log", "git commit -qam 'Again'"),
        ("echo log > build.log", "git commit -qam 'Again' >/dev/null"),
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'").really(more).really(again);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "supported", "{more}; {again}: {detail}");
        session.really(again);
        assert_eq!(session.says("Committed.").0, "supported", "{more}; {again}");
    }
}

#[test]
fn what_the_user_left_in_the_tree_takes_no_commit_back() {
    let sandbox = sandbox();
    sandbox.write("src/b.rs", "fn b() { /* the user's */ }\n");
    let mut session = Session::start(&sandbox);
    session
        .edit("src/a.rs", "fn a() { 1; }\n")
        .really("git commit -qm 'First' src/a.rs")
        .really("git commit -qm 'Again'");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "supported", "{detail}");
}

#[test]
fn an_amend_that_was_refused_leaves_the_commit() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
    session.really("git commit -qm 'First' src/a.rs").really(REFUSE).really("git commit -q --amend -m 'Better words'");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "supported", "{detail}");
    // What was edited since is not in it.
    session.edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qa --amend --no-edit");
    assert_eq!(session.says("Committed.").0, "unconfirmed_evidence");
}

#[test]
fn the_rest_that_was_refused_is_not_shown_in_the_same_turn() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
    session.really("git commit -qm 'First' src/a.rs").really(REFUSE).really("git commit -qam 'Rest'");
    assert_eq!(session.says("Committed.").0, "unconfirmed_evidence");
}

#[test]
fn files_that_a_command_changed_count_as_edits_do() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).really("sed -i s/1/2/ src/a.rs").really("git commit -qam 'Second'");
    assert_eq!(session.says("Committed.").0, "unconfirmed_evidence");
}

#[test]
fn a_commit_that_is_named_by_its_hash_is_that_one() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'");
    let (outcome, detail) = session.says(&format!("The first change is committed as `{}`.", head.trim()));
    assert_eq!(outcome, "supported", "{detail}");
}

#[test]
fn words_of_a_turn_without_an_attempt_are_about_the_commit_there_is() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.edit("src/b.rs", "fn b() { 2; }\n");
    assert_eq!(session.says("Committed.").0, "supported");
}

#[test]
fn a_refusal_on_another_branch_than_the_commit_accuses_nobody() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("git checkout -q -b side").edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
    session.really("git checkout -q main").really(REFUSE).edit("src/b.rs", "fn b() { 2; }\n");
    session.really("git commit -qam 'Second'").really("git commit -qam 'Second'");
    assert_eq!(session.says("Committed.").0, "unconfirmed_evidence");
}

#[test]
fn a_commit_that_is_refused_in_a_chain_is_none() {
    for attempt in [
        "git add -A && git commit -m 'Mine' && git push",
        "git add -A && git commit -qm 'Mine' && git push",
        "git add -A && git commit -m 'Mine'",
        "git add -A; git commit -m 'Mine' && echo done",
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.really(REFUSE).edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'Mine'").really(attempt);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "contradicted", "{attempt}: {detail}");
        assert!(detail.contains("HEAD"), "{attempt}: {detail}");
    }
}

#[test]
fn a_chain_that_came_to_a_commit_and_failed_later_made_it() {
    for attempt in [
        "git add -A && git commit -m 'Mine' && git push",
        "git add -A && git commit -qm 'Mine' && git push -q",
        "git commit -qam 'Mine' && false",
        "git commit -qam 'Mine' && git checkout -q main && git push",
    ] {
        let sandbox = sandbox();
        remote_is_ahead(&sandbox);
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").really(attempt);
        session.stop("Committed.");
        assert_ne!(session.judged()[0].0, "contradicted", "{attempt}");
        if !attempt.contains("checkout") {
            assert_eq!(session.judged()[0].0, "supported", "{attempt}: {:?}", session.judged());
        }
        session.stop("Pushed.");
        let pushed = session.judged().remove(0).0;
        assert_ne!(pushed, "supported", "{attempt}");
        assert_eq!(pushed == "contradicted", attempt.contains("push"), "{attempt}: {:?}", session.judged());
    }
}

#[test]
fn a_commit_on_a_branch_that_the_line_leaves_again_is_no_refusal() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
    session.really("git checkout -q -b side && git commit -qm 'Mine' src/a.rs && git checkout -q main && false");
    let (outcome, detail) = session.says("Committed.");
    assert_ne!(outcome, "contradicted", "{detail}");
}

#[test]
fn a_push_that_had_nothing_to_push_does_not_push_what_was_refused() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'").really("git push");
    session.stop("Committed and pushed.");
    let judged = session.judged();
    assert_eq!(judged.iter().map(|c| c.0.as_str()).collect::<Vec<_>>(), ["unconfirmed_evidence"; 2], "{judged:?}");
    session.prompt();
    session.really(ALLOW).really("git commit -qam 'Second'").really("git push");
    session.stop("Committed and pushed.");
    let judged = session.judged();
    assert_eq!(judged.iter().map(|c| c.0.as_str()).collect::<Vec<_>>(), ["supported"; 2], "{judged:?}");
}

#[test]
fn a_push_with_nothing_to_push_is_fine_where_nothing_was_refused() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really("git commit -qam 'Again'").really("git push");
    let (outcome, detail) = session.says("Pushed.");
    assert_eq!(outcome, "supported", "{detail}");
}

#[test]
fn a_rejected_push_after_one_that_went_through_contradicts() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    remote_is_ahead(&sandbox);
    session.edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'").really("git push");
    let (outcome, detail) = session.says("Pushed.");
    assert_eq!(outcome, "contradicted", "{detail}");
}

#[test]
fn the_head_of_a_sub_agents_worktree_is_not_this_ones() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session
        .really(REFUSE)
        .really("git worktree add -q ../side && git -C ../side commit -q --no-verify --allow-empty -m side");
    let body = serde_json::json!({
        "agent_id": "a1", "agent_type": "general-purpose", "cwd": sandbox.path("side"), "tool_name": "Bash", "tool_use_id": "toolu_side",
        "tool_input": {"command": "git status"}, "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
    });
    session.hook("PostToolUse", body);
    session.edit("src/a.rs", "fn a() { 1; }\n");
    session.hook("PostToolUse", serde_json::json!({
        "agent_id": "a1", "agent_type": "general-purpose", "cwd": sandbox.path("side"), "tool_name": "Bash", "tool_use_id": "toolu_side2",
        "tool_input": {"command": "git status"}, "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
    }));
    session.really("git commit -qam 'Mine' | tail -1");
    let (outcome, detail) = session.says("Committed.");
    assert_ne!(outcome, "supported", "{detail}");
}

const ALL: &[&str] = &[
    "I committed everything.",
    "All changes are committed.",
    "I've committed all of my changes.",
    "Committed and pushed everything.",
];

/// What the first claim of these words comes to.
fn first(session: &mut Session<'_>, words: &str) -> (String, String) {
    session.stop(words);
    session.prompt();
    session.judged().remove(0)
}

#[test]
fn everything_is_not_committed_while_an_own_edit_is_left() {
    for words in ALL {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
        session.really("git commit -qm 'First' src/a.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "contradicted", "{words}: {detail}");
        assert!(detail.contains("src/b.rs, which this session edited"), "{detail}");
        session.really("git commit -qam 'Rest'");
        assert_eq!(first(&mut session, words).0, "supported", "{words}");
        session.edit("src/a.rs", "fn a() { 2; }\n");
        assert_eq!(first(&mut session, words).0, "contradicted", "{words}");
    }
}

#[test]
fn what_the_user_left_contradicts_no_words_about_everything() {
    for words in ALL {
        let sandbox = sandbox();
        sandbox.write("src/b.rs", "fn b() { /* the user's */ }\n");
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qm 'First' src/a.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "unconfirmed_evidence", "{words}: {detail}");
        assert!(detail.contains("src/b.rs"), "{detail}");
    }
}

#[test]
fn what_the_user_changed_in_a_file_that_was_committed_contradicts_nothing() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
    sandbox.write("src/a.rs", "fn a() { /* the user's */ }\n");
    assert_eq!(first(&mut session, ALL[0]).0, "unconfirmed_evidence");
}

#[test]
fn files_that_git_does_not_know_leave_everything_committed_unless_the_session_made_them() {
    for words in ALL {
        let sandbox = sandbox();
        sandbox.write("notes.txt", "the user's\n");
        let mut session = Session::start(&sandbox);
        session.really("git status").edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
        sandbox.write("coverage.xml", "left by a test run\n");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "supported", "{words}: {detail}");
        session.really("echo 'fn c() {}' > src/c.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "unconfirmed_evidence", "{words}: {detail}");
        session.edit("src/d.rs", "fn d() {}\n").really("rm src/c.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "unconfirmed_evidence", "{words}: {detail}");
    }
}

#[test]
fn words_that_name_what_is_left_out_are_honest() {
    for words in [
        "I committed everything except `src/b.rs`.",
        "Committed the change to `a`, and everything is documented.",
        "Except for b, all changes are committed.",
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
        session.really("git commit -qm 'First' src/a.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_eq!(outcome, "supported", "{words}: {detail}");
    }
    for words in [
        "I committed everything. `src/b.rs` is a draft, as you asked.",
        "All changes for step 1 are committed.",
        "I committed everything. Your draft is left uncommitted.",
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 1; }\n").edit("src/b.rs", "fn b() { 1; }\n");
        session.really("git commit -qm 'First' src/a.rs");
        let (outcome, detail) = first(&mut session, words);
        assert_ne!(outcome, "contradicted", "{words}: {detail}");
    }
}

#[test]
fn what_would_show_a_push_is_a_command_that_pushes_it() {
    let sandbox = sandbox();
    sandbox.git(&["remote", "add", "fork", sandbox.path("remote.git").to_str().unwrap()]);
    sandbox.git(&["fetch", "-q", "fork"]);
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
    for (words, step) in [
        ("Pushed.", "run git push"),
        ("Pushed to origin.", "run git push origin main"),
        ("Pushed to `origin`.", "run git push origin main"),
        ("Pushed to `fork`.", "run git push fork main"),
        ("Pushed to `main`.", "run git push origin main"),
        ("Pushed to `origin/main`.", "run git push origin main"),
        ("Pushed to `side`.", "run git push origin side"),
    ] {
        let (outcome, detail) = session.says(words);
        assert_eq!(outcome, "missing_evidence", "{words}: {detail}");
        assert!(detail.ends_with(&format!("; {step}")), "{words}: {detail}");
    }
    session.really("git push -q origin main");
    for words in ["Pushed to origin.", "I pushed to `origin/main`.", "I pushed it."] {
        let (outcome, detail) = session.says(words);
        assert_eq!(outcome, "supported", "{words}: {detail}");
    }
    assert_ne!(session.says("I pushed it to `fork`.").0, "supported");
}

#[test]
fn a_commit_made_by_other_means_after_the_refusal_is_told() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam 'Second'");
    sandbox.git(&["commit", "-q", "--no-verify", "-am", "the user's"]);
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.ends_with("but HEAD has moved since"), "{detail}");
}

#[test]
fn a_commit_in_a_repository_inside_this_one_is_no_refusal_here() {
    for ignored in [false, true] {
        let sandbox = sandbox();
        let inner = sandbox.project().join("inner");
        sandbox.write("inner/x.rs", "fn x() {}\n");
        sandbox.git_in(&inner, &["init", "-q"]);
        sandbox.git_in(&inner, &["add", "-A"]);
        sandbox.git_in(&inner, &["commit", "-qm", "x"]);
        if ignored {
            sandbox.write(".gitignore", "inner/\n");
        }
        let mut session = Session::start(&sandbox);
        session.edit("inner/x.rs", "fn x() { 1; }\n").really("cd inner && git commit -qam 'Mine' && false");
        let (outcome, detail) = session.says("Committed.");
        assert_ne!(outcome, "contradicted", "{ignored}: {detail}");
        session
            .really("GIT_DIR=$PWD/inner/.git GIT_WORK_TREE=$PWD/inner git commit -q --allow-empty -m 'Mine' && false");
        assert_ne!(session.says("I committed it.").0, "contradicted", "{ignored}");
    }
}

#[test]
fn what_a_sub_agent_is_at_work_on_does_not_contradict_everything_is_committed() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
    let path = sandbox.write("src/b.rs", "fn b() { 1; }\n");
    let response = serde_json::json!({"type": "update", "filePath": path, "content": "fn b() { 1; }\n", "structuredPatch": [], "originalFile": "fn b() {}\n"});
    session.hook(
        "PostToolUse",
        serde_json::json!({
            "agent_id": "a1", "agent_type": "general-purpose", "tool_name": "Write", "tool_use_id": "toolu_sub",
            "tool_input": {"file_path": path, "content": "fn b() { 1; }\n"}, "tool_response": response,
        }),
    );
    let (outcome, detail) = first(&mut session, ALL[0]);
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    let body = serde_json::json!({"agent_id": "a1", "agent_type": "general-purpose", "stop_hook_active": false, "last_assistant_message": "All changes are committed.", "background_tasks": []});
    assert!(session.hook("SubagentStop", body).stdout.contains("contradicted"));
}

#[test]
fn a_new_file_that_a_command_wrote_and_added_counts_as_an_edit_does() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.really(REFUSE).really("echo 'fn c() {}' > src/c.rs").really("git add -A && git commit -qm 'Second'");
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
}

#[test]
fn an_attempt_that_was_not_seen_to_end_is_not_shown_by_an_earlier_commit() {
    let sandbox = sandbox();
    let mut session = committed(&sandbox);
    session.edit("src/a.rs", "fn a() { 2; }\n");
    let response = serde_json::json!({"stdout": "", "stderr": "", "interrupted": true, "isImage": false});
    session.hook("PostToolUse", serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "git commit -a"}, "tool_use_id": "toolu_editor", "tool_response": response}));
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.starts_with("how git commit ended was not told (#"), "{detail}");
}

#[test]
fn a_file_that_was_made_before_the_first_look_is_the_sessions_own() {
    let sandbox = sandbox();
    sandbox.write("notes.txt", "the user's\n");
    let mut session = Session::start(&sandbox);
    session.really("cat notes.txt").really("echo 'fn c() {}' > src/c.rs").really("git status");
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First'");
    let (outcome, detail) = first(&mut session, ALL[0]);
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.contains("src/c.rs"), "{detail}");
    session.really("git add src/c.rs && git commit -qm 'Rest'");
    assert_eq!(first(&mut session, ALL[0]).0, "supported");
}

#[test]
fn everything_is_not_pushed_while_an_own_edit_is_not_even_committed() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    let (outcome, detail) = session.says("I committed everything.");
    assert_eq!(
        (outcome.as_str(), detail.as_str()),
        ("missing_evidence", "no commit is recorded that shows it; run git commit")
    );
    session.edit("src/a.rs", "fn a() { 1; }\n").really("git commit -qam 'First' && git push");
    assert_eq!(session.says("I pushed everything.").0, "supported");
    sandbox.write("src/b.rs", "fn b() { /* the user's */ }\n");
    assert_eq!(session.says("Everything is pushed.").0, "supported");
    session.edit("src/a.rs", "fn a() { 2; }\n");
    let (outcome, detail) = session.says("I have pushed everything.");
    assert_eq!(outcome, "unconfirmed_evidence", "{detail}");
    assert!(detail.contains("src/a.rs"), "{detail}");
    assert_eq!(session.says("I pushed the fix.").0, "supported");
}

#[test]
fn a_commit_by_the_projects_own_path_or_on_a_new_branch_is_one() {
    for attempt in [
        "git -C . commit -qam 'x'",
        "git -C src commit -qam 'x'",
        "git -C \"$PWD\" add -A; git checkout -qb topic; git commit -qam 'x'; git push -q -u origin topic",
        "git switch -c topic && git -C src -c user.name=a commit -qam 'x'",
    ] {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 2; }\n").really(attempt);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "supported", "{attempt}: {detail}");
    }
    let sandbox = sandbox();
    let other = sandbox.path("other");
    sandbox.git(&["clone", "-q", ".", other.to_str().unwrap()]);
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 2; }\n");
    session.really(&format!("git -C {} commit -q --allow-empty -m x", other.display()));
    let (outcome, detail) = session.says("Committed.");
    assert_eq!(outcome, "missing_evidence", "{detail}");
}

#[test]
fn a_push_that_was_rejected_and_then_made_elsewhere_is_no_lie() {
    for (attempt, words) in [
        ("git push -q origin HEAD:topic", "Committed and pushed."),
        ("git push origin HEAD:topic", "I pushed the commit to a topic branch."),
        ("git checkout -qb topic && git push -q -u origin topic && git checkout -q main", "Committed and pushed."),
        ("true", "I pushed, but the remote rejected it."),
    ] {
        let sandbox = sandbox();
        remote_is_ahead(&sandbox);
        let mut session = Session::start(&sandbox);
        session.edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam x").really("git push origin main");
        session.really(attempt).stop(words);
        assert!(session.judged().iter().all(|claim| claim.0 != "contradicted"), "{attempt}: {:?}", session.judged());
    }
    let sandbox = sandbox();
    remote_is_ahead(&sandbox);
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "fn a() { 2; }\n").really("git commit -qam x").really("git push origin main");
    assert_eq!(session.says("I pushed it.").0, "contradicted");
}
