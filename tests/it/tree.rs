//! The tree id of a worktree, against real git: what it equals, what it notices, what it never runs or writes.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use deeds::evidence::id::sha256_hex;
use deeds::sensor::git_command::Git;
use deeds::sensor::tree::observe_with;
use deeds::sensor::worktree::Worktree;

use crate::sandbox::Sandbox;

/// Far more than a look takes, on a machine that does much else.
const AMPLE: Duration = Duration::from_secs(60);

pub fn host_git(sandbox: &Sandbox) -> Git {
    std::fs::create_dir_all(sandbox.path("tmp")).unwrap();
    Git::find(std::env::var_os("PATH").as_deref(), None)
        .unwrap()
        .with("HOME", sandbox.home())
        .with("XDG_CONFIG_HOME", sandbox.home().join(".config"))
        .with("TMPDIR", sandbox.path("tmp"))
}

fn seen_in(sandbox: &Sandbox, dir: &Path) -> Worktree {
    let seen = observe_with(&host_git(sandbox), dir, AMPLE);
    assert_eq!(left_behind(sandbox), Vec::<PathBuf>::new(), "a throw-away directory stayed");
    seen
}

fn seen(sandbox: &Sandbox) -> Worktree {
    seen_in(sandbox, &sandbox.project())
}

#[track_caller]
fn tree(sandbox: &Sandbox) -> String {
    let seen = seen(sandbox);
    assert_eq!(seen.reason, None);
    seen.tree.unwrap()
}

#[track_caller]
fn reason(sandbox: &Sandbox) -> String {
    let seen = seen(sandbox);
    assert_eq!(seen.tree, None);
    seen.reason.unwrap()
}

fn left_behind(sandbox: &Sandbox) -> Vec<PathBuf> {
    let shelves = std::fs::read_dir(sandbox.path("tmp")).unwrap().flatten();
    shelves.flat_map(|shelf| std::fs::read_dir(shelf.path()).unwrap().flatten()).map(|entry| entry.path()).collect()
}

fn commit_all(sandbox: &Sandbox) -> String {
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "all"]);
    sandbox.git(&["rev-parse", "HEAD^{tree}"])
}

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Every file under `dir`: its content and time.
fn fingerprint(dir: &Path) -> BTreeMap<PathBuf, (String, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let meta = std::fs::symlink_metadata(entry.path()).unwrap();
        if meta.is_dir() {
            found.insert(entry.path(), (String::new(), meta.modified().unwrap()));
            found.extend(fingerprint(&entry.path()));
        } else if meta.is_file() {
            found.insert(entry.path(), (sha256_hex(&std::fs::read(entry.path()).unwrap()), meta.modified().unwrap()));
        }
    }
    found
}

#[test]
fn the_id_of_a_state_is_that_of_head_once_it_is_committed_whole() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.write("src/deep/er/b.rs", "fn b() {}\n");
    sandbox.write("gone.txt", "gone\n");
    sandbox.write("folder/file", "x\n");
    sandbox.write("file", "x\n");
    assert_eq!(tree(&sandbox), commit_all(&sandbox));

    sandbox.write("src/a.rs", "fn a() { 1; }\n");
    std::fs::remove_file(sandbox.project().join("gone.txt")).unwrap();
    std::fs::remove_dir_all(sandbox.project().join("folder")).unwrap();
    sandbox.write("folder", "now a file\n");
    std::fs::remove_file(sandbox.project().join("file")).unwrap();
    sandbox.write("file/now/a/folder", "x\n");
    script(&sandbox.project().join("run.sh"), "#!/bin/sh\n");
    std::os::unix::fs::symlink("src/a.rs", sandbox.project().join("link")).unwrap();
    sandbox.write("empty", "");
    std::fs::create_dir(sandbox.project().join("nothing-in-it")).unwrap();
    let before = seen(&sandbox);
    assert_eq!(before.clean, Some(false));
    assert_eq!(before.tree.unwrap(), commit_all(&sandbox));
    let after = seen(&sandbox);
    assert_eq!(after.clean, Some(true));
    assert_eq!(after.changed, []);
    assert_eq!(after.head.unwrap(), sandbox.git(&["rev-parse", "HEAD"]));
}

#[test]
fn a_look_agrees_with_git_on_a_thousand_random_edits() {
    let sandbox = Sandbox::with_repository();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    sandbox.write(".gitignore", "*.tmp\n/d3/\n!/d3/keep\n");
    sandbox.write(".gitattributes", "*.crlf text eol=crlf\n*.auto text=auto\n");
    for round in 0..25 {
        for _ in 0..40 {
            let ending = ["", ".tmp", ".crlf", ".auto"][random(4) as usize];
            let path = format!("d{}/e{}/f{}{ending}", random(5), random(3), random(6));
            let full = sandbox.project().join(&path);
            // A file may stand where this path has a folder.
            let free = full.ancestors().skip(1).take(2).all(|dir| dir.is_dir() || dir.symlink_metadata().is_err());
            let there = full.symlink_metadata().is_ok();
            match random(8) {
                0 if there => std::fs::remove_file(&full).unwrap(),
                1 if there && !full.is_symlink() => {
                    let mode = if random(2) == 0 { 0o755 } else { 0o644 };
                    std::fs::set_permissions(&full, std::fs::Permissions::from_mode(mode)).unwrap();
                }
                2 if free && !there => {
                    std::fs::create_dir_all(full.parent().unwrap()).unwrap();
                    std::os::unix::fs::symlink("nowhere", &full).unwrap();
                }
                3 if free && random(4) == 0 => {
                    let dir = full.parent().unwrap();
                    let _ = std::fs::remove_dir_all(dir);
                    std::fs::create_dir_all(dir.parent().unwrap()).unwrap();
                    std::fs::write(dir, "a file where a folder was\n").unwrap();
                }
                4 if full.parent().unwrap().is_file() => std::fs::remove_file(full.parent().unwrap()).unwrap(),
                _ if free && !full.is_symlink() => {
                    let end = if random(3) == 0 { "\r\n" } else { "\n" };
                    sandbox.write(&path, format!("line {}{end}", random(4)).repeat(random(4) as usize));
                }
                _ => {}
            }
        }
        if random(3) == 0 {
            sandbox.git(&["add", "d1"]);
        }
        let ours = tree(&sandbox);
        sandbox.git(&["add", "-A"]);
        assert_eq!(ours, sandbox.git(&["write-tree"]), "round {round}");
        if random(2) == 0 {
            sandbox.git(&["commit", "-q", "--allow-empty", "-m", "round"]);
        }
    }
}

#[test]
fn nothing_in_the_repository_or_the_worktree_is_touched() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("tracked", "one\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["update-index", "--assume-unchanged", "tracked"]);
    sandbox.git(&["update-index", "--split-index"]);
    sandbox.write("tracked", "two\n");
    sandbox.write("untracked", "three\n");
    sandbox.write("README.md", "more\n");
    let before = fingerprint(&sandbox.project());
    tree(&sandbox);
    assert_eq!(fingerprint(&sandbox.project()), before);
}

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
fn what_the_index_was_told_to_overlook_is_seen() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("a", "one\n");
    sandbox.write("b", "one\n");
    sandbox.write("c", "one\n");
    commit_all(&sandbox);
    sandbox.git(&["update-index", "--assume-unchanged", "a"]);
    sandbox.git(&["update-index", "--skip-worktree", "b", "c"]);
    assert_eq!(tree(&sandbox), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    sandbox.write("a", "two\n");
    sandbox.write("b", "two\n");
    std::fs::remove_file(sandbox.project().join("c")).unwrap();
    let seen = seen(&sandbox);
    let rows: Vec<_> = seen.changed.iter().map(|row| (row.status.as_str(), row.path.as_str())).collect();
    assert_eq!(rows, [("M", "a"), ("M", "b"), ("D", "c")]);
}

#[test]
fn an_edit_of_the_same_size_within_the_second_is_seen() {
    let sandbox = Sandbox::with_repository();
    for round in 0..20 {
        sandbox.write("racy", "aaaa\n");
        sandbox.git(&["add", "racy"]);
        let before = tree(&sandbox);
        sandbox.write("racy", "bbbb\n");
        assert_ne!(tree(&sandbox), before, "round {round}");
    }
}

#[test]
fn looking_less_closely_by_configuration_hides_nothing() {
    let sandbox = Sandbox::with_repository();
    let past = std::time::SystemTime::now() - Duration::from_secs(100);
    let write_in_the_past = |name: &str, text: &str| {
        let path = sandbox.write(name, text);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(past).unwrap();
        path
    };
    let kept = write_in_the_past("kept", "aaaa\n");
    commit_all(&sandbox);
    for (key, value) in [("core.trustctime", "false"), ("core.checkStat", "minimal"), ("core.ignoreStat", "true")] {
        sandbox.git(&["config", key, value]);
    }
    let other = write_in_the_past(".git/other", "bbbb\n");
    std::fs::rename(other, kept).unwrap();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "git itself does not see it");
    let seen = seen(&sandbox);
    assert_eq!(seen.changed[0].path, "kept");
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
fn where_there_is_no_worktree_the_reason_is_said() {
    let sandbox = Sandbox::new();
    let outside = std::env::temp_dir();
    assert_eq!(seen_in(&sandbox, &outside).reason.unwrap(), "not in a git repository");
    sandbox.git(&["init", "-q", "--bare"]);
    assert_eq!(reason(&sandbox), "a bare repository has no worktree");
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
fn names_may_have_any_bytes() {
    let sandbox = Sandbox::with_repository();
    let names: [&[u8]; 5] = [b"with space", b"new\nline", b"not-\xff-utf8", b"\"quoted\"", b"-dash"];
    for name in names {
        std::fs::write(sandbox.project().join(std::ffi::OsStr::from_bytes(name)), name).unwrap();
    }
    let seen = seen(&sandbox);
    let paths: Vec<_> = seen.changed.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, ["\"\\\"quoted\\\"\"", "-dash", "new\nline", "\"not-\\377-utf8\"", "with space"]);
    assert_eq!(seen.tree.unwrap(), commit_all(&sandbox));
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
fn line_endings_are_converted_as_a_commit_would() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("crlf-in-index", "a\r\nb\r\n");
    commit_all(&sandbox);
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.git(&["config", "core.safecrlf", "true"]);
    sandbox.write("crlf-in-index", "a\r\nb\r\nc\r\n");
    sandbox.write("new", "a\r\nb\r\n");
    sandbox.write(".gitattributes", "*.bin -text\n*.utf16 working-tree-encoding=UTF-16\n");
    sandbox.write("x.bin", "a\r\nb\r\n");
    sandbox.write("x.utf16", b"\xff\xfea\0\n\0");
    let ours = tree(&sandbox);
    sandbox.git(&["config", "core.safecrlf", "false"]);
    assert_eq!(ours, commit_all(&sandbox));
}

#[test]
fn what_the_user_ignores_is_ignored_and_so_is_a_ledger() {
    let sandbox = Sandbox::with_repository();
    let before = tree(&sandbox);
    std::fs::create_dir_all(sandbox.home().join(".config/git")).unwrap();
    std::fs::write(sandbox.home().join(".config/git/ignore"), "*.swp\n").unwrap();
    std::fs::write(sandbox.project().join(".git/info/exclude"), "/private").unwrap();
    for path in ["x.swp", "private/x", ".deeds/ledger.jsonl"] {
        sandbox.write(path, "x\n");
    }
    std::fs::create_dir(sandbox.project().join(".git/deeds")).unwrap();
    std::fs::write(sandbox.project().join(".git/deeds/ledger.jsonl"), "{}\n").unwrap();
    assert_eq!(tree(&sandbox), before);
    std::fs::write(sandbox.home().join("patterns"), "*.other\n").unwrap();
    sandbox.git(&["config", "core.excludesFile", "~/patterns"]);
    sandbox.write("x.other", "x\n");
    std::fs::remove_file(sandbox.project().join("x.swp")).unwrap();
    assert_eq!(tree(&sandbox), before);
}

#[test]
fn a_large_untracked_file_costs_its_hash_and_too_large_a_one_is_refused_at_once() {
    let sandbox = Sandbox::with_repository();
    let file = std::fs::File::create(sandbox.project().join("big")).unwrap();
    file.set_len(200 << 20).unwrap();
    let expected = sandbox.git(&["hash-object", "big"]);
    let seen_large = seen(&sandbox);
    assert_eq!(seen_large.changed[0].sha, expected);
    file.set_len(1 << 40).unwrap();
    let begun = Instant::now();
    let refused = observe_with(&host_git(&sandbox), &sandbox.project(), Duration::from_secs(20));
    let why = refused.reason.unwrap();
    assert!(why.starts_with("too much to read: 1099511627776 bytes") && why.ends_with("in big"), "{why}");
    assert!(begun.elapsed() < Duration::from_secs(19));
}

#[test]
fn more_rows_than_are_kept_are_said_to_be_cut() {
    let sandbox = Sandbox::with_repository();
    for i in 0..250 {
        sandbox.write(&format!("new/{i:03}"), "x\n");
    }
    let many = seen(&sandbox);
    assert_eq!((many.changed.len(), many.changed_cut, many.clean), (200, true, Some(false)));
    assert_eq!(many.tree.unwrap(), commit_all(&sandbox));
    let deep = vec!["d".repeat(200); 8].join("/");
    for i in 0..40 {
        sandbox.write(&format!("{deep}/{i}"), "x\n");
    }
    let long = seen(&sandbox);
    assert!(long.changed_cut && long.changed.len() < 20);
}
