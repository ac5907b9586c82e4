//! Repositories inside the worktree: submodules and embedded ones.

use deeds::sensor::tree::observe_with;

use super::{AMPLE, commit_all, host_git, reason, script, seen, tree};
use crate::sandbox::Sandbox;

/// A project with the submodule `sub`, committed.
fn with_submodule() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.init_repository(&sandbox.path("upstream"));
    let source = sandbox.path("upstream");
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.to_str().unwrap(), "sub"]);
    commit_all(&sandbox);
    sandbox
}

#[test]
fn a_submodules_content_is_part_of_the_state_and_committing_inside_changes_nothing() {
    let sandbox = with_submodule();
    let sub = sandbox.project().join("sub");
    let clean = seen(&sandbox);
    assert_eq!((clean.clean, clean.changed.as_slice()), (Some(true), &[][..]));
    assert_eq!(clean.submodules[0].head.as_ref().unwrap(), &sandbox.git_in(&sub, &["rev-parse", "HEAD"]));
    assert_eq!(clean.submodules[0].tree.as_ref().unwrap(), &sandbox.git_in(&sub, &["rev-parse", "HEAD^{tree}"]));

    std::fs::write(sub.join("README.md"), "dirty\n").unwrap();
    let dirty = seen(&sandbox);
    assert_ne!(dirty.tree, clean.tree);
    assert_eq!((dirty.clean, dirty.submodules[0].clean), (Some(false), Some(false)));
    assert_eq!(dirty.changed[0].path, "sub");
    std::fs::write(sub.join("untracked"), "new\n").unwrap();
    let dirtier = seen(&sandbox);
    assert_ne!(dirtier.tree, dirty.tree);

    sandbox.git_in(&sub, &["add", "-A"]);
    sandbox.git_in(&sub, &["commit", "-q", "-m", "inside"]);
    let committed_inside = seen(&sandbox);
    assert_eq!(committed_inside.tree, dirtier.tree);
    assert_eq!((committed_inside.clean, committed_inside.submodules[0].clean), (Some(false), Some(true)));
    commit_all(&sandbox);
    let committed = seen(&sandbox);
    assert_eq!(committed.tree, dirtier.tree);
    assert_eq!(committed.clean, Some(true));
}

#[test]
fn a_submodule_that_is_not_checked_out_or_was_removed_is_as_git_has_it() {
    let sandbox = with_submodule();
    sandbox.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    assert_eq!(tree(&sandbox), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    std::fs::remove_dir(sandbox.project().join("sub")).unwrap();
    assert_eq!(tree(&sandbox), commit_all(&sandbox));
}

#[test]
fn settings_that_hide_a_submodule_do_not_hide_it() {
    let sandbox = with_submodule();
    sandbox.git(&["config", "-f", ".gitmodules", "submodule.sub.ignore", "all"]);
    sandbox.git(&["config", "submodule.sub.ignore", "all"]);
    sandbox.git(&["config", "diff.ignoreSubmodules", "all"]);
    let before = tree(&sandbox);
    std::fs::write(sandbox.project().join("sub/new"), "new\n").unwrap();
    assert_ne!(tree(&sandbox), before);
}

#[test]
fn an_embedded_repository_is_part_of_the_state_with_or_without_a_commit() {
    let sandbox = Sandbox::with_repository();
    let bare = tree(&sandbox);
    let inside = sandbox.project().join("vendor/inside");
    std::fs::create_dir_all(&inside).unwrap();
    sandbox.git_in(&inside, &["init", "-q"]);
    std::fs::write(inside.join("a"), "one\n").unwrap();
    let unborn = tree(&sandbox);
    assert_ne!(unborn, bare);
    std::fs::write(inside.join("a"), "two\n").unwrap();
    let edited = tree(&sandbox);
    assert_ne!(edited, unborn);
    sandbox.git_in(&inside, &["add", "-A"]);
    sandbox.git_in(&inside, &["commit", "-q", "-m", "a"]);
    assert_eq!(tree(&sandbox), edited);
    let deeper = inside.join("deeper");
    sandbox.init_repository(&deeper);
    std::fs::write(deeper.join("b"), "b\n").unwrap();
    assert_ne!(tree(&sandbox), edited);
    sandbox.write(".gitignore", "/vendor/\n");
    std::fs::remove_dir_all(inside.join("deeper")).unwrap();
    let ignored = tree(&sandbox);
    std::fs::write(inside.join("a"), "three\n").unwrap();
    assert_eq!(tree(&sandbox), ignored, "ignored is ignored");
}

#[test]
fn an_embedded_repository_that_cannot_be_read_leaves_no_tree() {
    let sandbox = Sandbox::with_repository();
    let inside = sandbox.project().join("inside");
    sandbox.init_repository(&inside);
    std::fs::write(inside.join(".git/index"), "not an index").unwrap();
    assert!(reason(&sandbox).starts_with("inside: git "), "{}", reason(&sandbox));
}

#[test]
fn a_planted_repository_runs_nothing() {
    let sandbox = with_submodule();
    sandbox.init_repository(&sandbox.project().join("planted"));
    let ran = sandbox.path("ran");
    let evil = sandbox.path("evil.sh");
    script(&evil, &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", ran.display()));
    let evil = evil.to_str().unwrap();
    for inner in ["planted", "sub"] {
        let dir = sandbox.project().join(inner);
        for key in ["core.fsmonitor", "filter.x.clean", "diff.external", "core.sshCommand"] {
            sandbox.git_in(&dir, &["config", key, evil]);
        }
        std::fs::write(dir.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
        // Of the same size, so that git compares the content.
        std::fs::write(dir.join("README.md"), "deno\n").unwrap();
    }
    let seen = observe_with(&host_git(&sandbox), &sandbox.project(), AMPLE);
    assert_eq!(seen.reason, None);
    assert!(!ran.exists(), "{}", std::fs::read_to_string(&ran).unwrap());
    // The plain way does run it.
    let _ =
        sandbox.command("git", &sandbox.project()).args(["-c", "core.fsmonitor=false", "add", "-A"]).output().unwrap();
    assert!(ran.exists());
}
