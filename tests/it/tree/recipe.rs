//! What the id equals, and what it notices.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant, SystemTime};

use deeds::sensor::tree::observe_with;

use super::{commit_all, fingerprint, host_git, script, seen, tree};
use crate::sandbox::Sandbox;

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
    // Only by the index's own time is it known that the file's time tells nothing.
    let past = SystemTime::now() - Duration::from_secs(100);
    let set_past = |name: &str| {
        let file = std::fs::File::options().write(true).open(sandbox.project().join(name)).unwrap();
        file.set_modified(past).unwrap();
    };
    sandbox.write("racy", "cccc\n");
    set_past("racy");
    sandbox.git(&["add", "racy"]);
    let before = tree(&sandbox);
    sandbox.write("racy", "dddd\n");
    set_past("racy");
    set_past(".git/index");
    assert_ne!(tree(&sandbox), before);
}

#[test]
fn a_file_system_monitor_that_has_seen_nothing_is_not_believed() {
    let sandbox = Sandbox::with_repository();
    let monitor = sandbox.path("monitor.sh");
    script(&monitor, "#!/bin/sh\nprintf 'token\\0'\n");
    sandbox.git(&["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    sandbox.git(&["update-index", "--fsmonitor"]);
    sandbox.git(&["status"]);
    sandbox.write("README.md", "changed\n");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "git itself believes it");
    assert_eq!(seen(&sandbox).changed[0].path, "README.md");
}

#[test]
fn looking_less_closely_by_configuration_hides_nothing() {
    let sandbox = Sandbox::with_repository();
    let past = SystemTime::now() - Duration::from_secs(100);
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
