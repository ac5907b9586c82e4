//! Where HEAD, its branch and its upstream stand.

use deeds::sensor::checkout::Checkout;
use deeds::sensor::difference::{first_difference, first_difference_over};
use deeds::sensor::git::{GitLook, Upstream, diff_trees, look_with};
use deeds::sensor::git_command::Deadline;
use deeds::sensor::worktree::Worktree;

use super::{AMPLE, commit_all, host_git, seen};
use crate::sandbox::Sandbox;

#[track_caller]
fn look(sandbox: &Sandbox, worktree: Option<&Worktree>) -> GitLook {
    let checkout = Checkout::find(&sandbox.project()).unwrap();
    look_with(&host_git(sandbox), &checkout, &Deadline::after(AMPLE), worktree).unwrap()
}

#[test]
fn head_branch_upstream_and_the_namesakes_on_every_remote() {
    let sandbox = Sandbox::with_repository();
    let first = sandbox.git(&["rev-parse", "HEAD"]);
    for remote in ["origin", "fork/of me"] {
        let bare = sandbox.path(&format!("{}.git", remote.replace(['/', ' '], "-")));
        sandbox.git_in(&sandbox.home(), &["init", "-q", "--bare", bare.to_str().unwrap()]);
        sandbox.git(&["config", &format!("remote.{remote}.url"), bare.to_str().unwrap()]);
        let refspec = format!("+refs/heads/*:refs/remotes/{}/*", remote.replace(' ', "-"));
        sandbox.git(&["config", &format!("remote.{remote}.fetch"), &refspec]);
    }
    sandbox.git(&["push", "-q", "-u", "origin", "main"]);
    sandbox.git(&["push", "-q", "origin", "main:side"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/topic/main", &first]);
    sandbox.write("a", "a\n");
    commit_all(&sandbox);
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let found = look(&sandbox, Some(&seen(&sandbox)));
    assert_eq!(found.head.as_ref(), Some(&head));
    assert_eq!(found.branch.as_deref(), Some("main"));
    assert_eq!(found.upstream, Some(Upstream { name: "origin/main".into(), sha: Some(first.clone()) }));
    assert_eq!(found.remotes.into_iter().collect::<Vec<_>>(), [("origin/main".into(), first.clone())]);
    assert_eq!(found.clean, Some(true));

    sandbox.git(&["config", "branch.main.merge", "refs/heads/side"]);
    let found = look(&sandbox, None);
    assert_eq!(found.upstream.unwrap().name, "origin/side");
    assert_eq!(found.remotes.keys().collect::<Vec<_>>(), ["origin/main", "origin/side"]);
    assert_eq!(found.clean, None, "nobody looked");

    sandbox.git(&["config", "branch.main.merge", "refs/heads/gone"]);
    assert_eq!(look(&sandbox, None).upstream, Some(Upstream { name: "origin/gone".into(), sha: None }));

    sandbox.git(&["pack-refs", "--all"]);
    assert_eq!(look(&sandbox, None).head.as_ref(), Some(&head));
    sandbox.git(&["checkout", "-q", "--detach"]);
    let detached = look(&sandbox, None);
    assert_eq!((detached.head, detached.branch, detached.upstream), (Some(head), None, None));
}

#[test]
fn a_branch_without_a_commit_or_with_a_local_upstream() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q", "-b", "work/in-progress"]);
    let unborn = look(&sandbox, None);
    assert_eq!((unborn.head, unborn.branch.as_deref(), unborn.upstream), (None, Some("work/in-progress"), None));
    commit_all(&sandbox);
    sandbox.git(&["checkout", "-q", "-b", "local", "--track", "work/in-progress"]);
    let found = look(&sandbox, None);
    assert_eq!(found.upstream.unwrap().name, "work/in-progress");
    assert!(found.remotes.is_empty());
}

#[test]
fn refs_in_the_reftable_format_are_read() {
    let sandbox = Sandbox::new();
    let made =
        sandbox.command("git", &sandbox.project()).args(["init", "-q", "-b", "main", "--ref-format=reftable"]).output();
    if !made.unwrap().status.success() {
        // An older git has no such format.
        assert!(Checkout::find(&sandbox.project()).is_err());
        return;
    }
    sandbox.write("a", "a\n");
    let tree = commit_all(&sandbox);
    let found = look(&sandbox, None);
    assert_eq!(found.head.unwrap(), sandbox.git(&["rev-parse", "HEAD"]));
    assert_eq!(found.branch.as_deref(), Some("main"));
    assert_eq!(seen(&sandbox).tree, Some(tree));
}

#[test]
fn the_first_file_that_changed_is_named_also_over_commits() {
    let sandbox = Sandbox::with_repository();
    for name in ["a", "b", "c", "d"] {
        sandbox.write(name, "one\n");
    }
    commit_all(&sandbox);
    sandbox.write("b", "two\n");
    let tested = seen(&sandbox);
    commit_all(&sandbox);
    let committed = seen(&sandbox);
    assert_eq!(first_difference(&tested, &committed), None, "only the commit moved");
    sandbox.write("d", "three\n");
    let edited = seen(&sandbox);
    assert_eq!(first_difference(&committed, &edited).as_deref(), Some("d"));
    assert_eq!(first_difference(&tested, &edited), None, "rows alone do not tell");
    let (from, to) = (tested.head.as_ref().unwrap(), edited.head.as_ref().unwrap());
    let moved = diff_trees(&sandbox.project(), from, to, AMPLE).unwrap();
    assert_eq!(moved.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(first_difference_over(&tested, &edited, &moved).as_deref(), Some("d"));
    sandbox.write("b", "four\n");
    let again = seen(&sandbox);
    assert_eq!(first_difference(&tested, &again).as_deref(), Some("b"));
    assert_eq!(first_difference_over(&tested, &again, &moved).as_deref(), Some("b"));
    std::fs::remove_file(sandbox.project().join("a")).unwrap();
    assert_eq!(first_difference_over(&tested, &seen(&sandbox), &moved).as_deref(), Some("a"));
    assert!(diff_trees(&sandbox.project(), "--output=x", to, AMPLE).is_err());
}
