//! The states that a repository can be in.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{commit_all, fingerprint, reason, seen, seen_in, tree};
use crate::sandbox::Sandbox;

#[test]
fn a_linked_worktree_has_its_own_state() {
    let sandbox = Sandbox::with_repository();
    let linked = sandbox.path("a linked\nworktree \u{e9}");
    sandbox.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    std::fs::write(linked.join("new"), "new\n").unwrap();
    let main = seen(&sandbox);
    let side = seen_in(&sandbox, &linked);
    assert_eq!(main.clean, Some(true));
    assert_eq!(side.clean, Some(false));
    sandbox.git_in(&linked, &["add", "-A"]);
    assert_eq!(side.tree.unwrap(), sandbox.git_in(&linked, &["write-tree"]));
}

#[test]
fn a_worktree_of_this_repository_inside_it_is_not_part_of_it() {
    let sandbox = Sandbox::with_repository();
    let before = tree(&sandbox);
    sandbox.git(&["worktree", "add", "-q", "-b", "side", ".claude/worktrees/side"]);
    sandbox.write(".claude/worktrees/side/work", "in progress\n");
    assert_eq!(tree(&sandbox), before);
}

#[test]
fn without_an_index_or_a_commit_there_is_a_tree_all_the_same() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q"]);
    sandbox.write("a/b", "b\n");
    let unborn = seen(&sandbox);
    assert_eq!(unborn.head, None);
    assert_eq!(unborn.clean, Some(false));
    let rows: Vec<_> = unborn.changed.iter().map(|row| (row.status.as_str(), row.path.as_str())).collect();
    assert_eq!(rows, [("A", "a/b")]);
    assert_eq!(unborn.tree.unwrap(), commit_all(&sandbox));
    std::fs::remove_file(sandbox.project().join(".git/index")).unwrap();
    assert_eq!(tree(&sandbox), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
}

#[test]
fn an_index_that_somebody_holds_is_no_hindrance() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("new", "new\n");
    let free = tree(&sandbox);
    std::fs::write(sandbox.project().join(".git/index.lock"), "").unwrap();
    assert_eq!(tree(&sandbox), free);
    assert!(sandbox.project().join(".git/index.lock").exists());
}

#[test]
fn where_there_is_no_worktree_the_reason_is_said() {
    let sandbox = Sandbox::new();
    let outside = std::env::temp_dir();
    assert_eq!(seen_in(&sandbox, &outside).reason.unwrap(), "not in a git repository");
    sandbox.git(&["init", "-q", "--bare"]);
    assert_eq!(reason(&sandbox), "in a bare repository or a git directory, which has no worktree");
    let half = Sandbox::with_repository();
    half.git(&["config", "core.bare", "true"]);
    assert_eq!(reason(&half), "a bare repository has no worktree");
    let moved = Sandbox::with_repository();
    std::fs::create_dir(moved.path("elsewhere")).unwrap();
    moved.git(&["config", "core.worktree", moved.path("elsewhere").to_str().unwrap()]);
    assert_eq!(reason(&moved), "core.worktree names another directory");
    moved.git(&["config", "core.worktree", ".."]);
    tree(&moved);
    let broken = Sandbox::with_repository();
    std::fs::write(broken.project().join(".git/config"), "[core\n").unwrap();
    assert!(reason(&broken).starts_with("git config: fatal: bad config"), "{}", reason(&broken));
    let garbled = Sandbox::with_repository();
    std::fs::write(garbled.project().join(".git/index"), "not an index").unwrap();
    assert!(reason(&garbled).starts_with("git "), "{}", reason(&garbled));
}

#[test]
fn the_states_that_an_index_can_be_in() {
    // An entry that is only announced.
    let sandbox = Sandbox::with_repository();
    sandbox.write("announced", "text\n");
    sandbox.git(&["add", "-N", "announced"]);
    assert_eq!(tree(&sandbox), commit_all(&sandbox));

    // A merge that stopped half way.
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    sandbox.write("README.md", "theirs\n");
    sandbox.write("removed", "x\n");
    commit_all(&sandbox);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("README.md", "ours\n");
    commit_all(&sandbox);
    let merged = sandbox.command("git", &sandbox.project()).args(["merge", "-q", "other"]).output().unwrap();
    assert!(!merged.status.success());
    let conflicted = tree(&sandbox);
    assert_eq!(conflicted, tree(&sandbox));
    sandbox.write("README.md", "both\n");
    assert_ne!(tree(&sandbox), conflicted);
    assert_eq!(tree(&sandbox), commit_all(&sandbox));

    // Staged, and then changed again.
    sandbox.write("README.md", "staged\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.write("README.md", "after\n");
    assert_eq!(tree(&sandbox), commit_all(&sandbox));

    // Each version of the format, split, with an untracked cache.
    for version in ["2", "3", "4"] {
        sandbox.git(&["update-index", "--index-version", version]);
        assert_eq!(tree(&sandbox), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    }
    sandbox.git(&["config", "core.splitIndex", "true"]);
    sandbox.git(&["config", "core.untrackedCache", "true"]);
    sandbox.git(&["update-index", "--split-index", "--untracked-cache"]);
    sandbox.write("split", "x\n");
    sandbox.git(&["add", "split"]);
    sandbox.git(&["status"]);
    sandbox.write("README.md", "split\n");
    sandbox.write("unsplit", "x\n");
    assert_eq!(tree(&sandbox), commit_all(&sandbox));
}

#[test]
fn a_sparse_checkout_keeps_what_it_leaves_out() {
    for cone in ["--cone", "--no-cone"] {
        let sandbox = Sandbox::with_repository();
        for path in ["in/a", "out/b", "out/deep/c"] {
            sandbox.write(path, path);
        }
        let whole = commit_all(&sandbox);
        sandbox.git(&["sparse-checkout", "set", cone, "in"]);
        assert!(!sandbox.project().join("out").exists());
        assert_eq!(tree(&sandbox), whole);
        if cone == "--cone" {
            sandbox.git(&["sparse-checkout", "reapply", "--sparse-index"]);
            assert_eq!(tree(&sandbox), whole);
        }
        // What is written outside the sparse part all the same is seen, and so is what is edited or removed inside.
        sandbox.write("out/b", "changed\n");
        sandbox.write("out/new", "new\n");
        std::fs::remove_file(sandbox.project().join("in/a")).unwrap();
        let seen = seen(&sandbox);
        let rows: Vec<_> = seen.changed.iter().map(|row| (row.status.as_str(), row.path.as_str())).collect();
        assert_eq!(rows, [("D", "in/a"), ("M", "out/b"), ("A", "out/new")], "{cone}");
    }
}

#[test]
fn repositories_that_lack_objects_have_a_tree() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("a", "one\n");
    commit_all(&sandbox);
    sandbox.write("b/c", "two\n");
    let whole = commit_all(&sandbox);
    sandbox.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", sandbox.project().display());
    let clone = |name: &str, options: &[&str]| {
        let target = sandbox.path(name);
        let args = [&["clone", "-q"], options, &[source.as_str(), target.to_str().unwrap()]].concat();
        sandbox.git_in(&sandbox.home(), &args);
        target
    };
    let shallow = clone("shallow", &["--depth", "1"]);
    assert_eq!(seen_in(&sandbox, &shallow).tree.as_ref(), Some(&whole));

    // Missing blobs and trees are not fetched, and not needed.
    let partial = clone("partial", &["--filter=tree:0", "--sparse"]);
    let before = fingerprint(&partial.join(".git/objects"));
    let seen_there = seen_in(&sandbox, &partial);
    assert_eq!(seen_there.tree.as_ref(), Some(&whole));
    assert_eq!(fingerprint(&partial.join(".git/objects")), before);

    // Objects that are borrowed from a repository that borrows them.
    let borrower = sandbox.path("borrower");
    let second = sandbox.path("second");
    sandbox.git_in(
        &sandbox.home(),
        &["clone", "-q", "--shared", sandbox.project().to_str().unwrap(), borrower.to_str().unwrap()],
    );
    sandbox.git_in(&sandbox.home(), &["clone", "-q", "--shared", borrower.to_str().unwrap(), second.to_str().unwrap()]);
    std::fs::write(borrower.join(".git/objects/info/alternates"), "../../../project/.git/objects\n").unwrap();
    let borrowed = seen_in(&sandbox, &second);
    assert_eq!((borrowed.tree.as_ref(), borrowed.clean), (Some(&whole), Some(true)));
}

#[test]
fn sha256_repositories_have_ids_of_their_own_length() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q", "--object-format=sha256"]);
    sandbox.write("a", "a\n");
    let unborn = seen(&sandbox);
    assert_eq!(unborn.changed.len(), 1);
    assert_eq!(unborn.tree.as_ref().unwrap().len(), 64);
    assert_eq!(unborn.tree.unwrap(), commit_all(&sandbox));
    assert_eq!(seen(&sandbox).clean, Some(true));
}

#[test]
fn from_anywhere_inside_the_whole_worktree_is_seen() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("deep/er/file", "x\n");
    sandbox.write("top", "x\n");
    let whole = tree(&sandbox);
    let deep = sandbox.project().join("deep/er");
    assert_eq!(seen_in(&sandbox, &deep).tree.as_ref(), Some(&whole));
    let gone = deep.join("gone/now");
    assert_eq!(seen_in(&sandbox, &gone).tree.as_ref(), Some(&whole));
}

#[test]
fn a_repository_may_lie_anywhere() {
    let sandbox = Sandbox::with_repository();
    let odd = sandbox.path("").join(OsStr::from_bytes(b"a \"b\"\n#\\c \xff"));
    std::fs::rename(sandbox.project(), &odd).unwrap();
    std::fs::write(odd.join("new"), "new\n").unwrap();
    let seen = seen_in(&sandbox, &odd);
    // Rows need the objects, which are found by this path.
    assert_eq!((seen.changed.len(), seen.changed_cut), (1, false));
    sandbox.git_in(&odd, &["add", "-A"]);
    assert_eq!(seen.tree.unwrap(), sandbox.git_in(&odd, &["write-tree"]));
}
