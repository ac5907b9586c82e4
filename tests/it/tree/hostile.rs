//! What a look never runs, never waits for, and never believes.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use deeds::sensor::checkout::same_repository;
use deeds::sensor::git_command::Git;
use deeds::sensor::tree::{observe, observe_with};

use super::{AMPLE, commit_all, host_git, left_behind, reason, script, seen, tree};
use crate::sandbox::Sandbox;

/// A git that is the real one but for one command, for which `instead` runs.
fn git_but(sandbox: &Sandbox, command: &str, instead: &str) -> Git {
    let path = sandbox.path(&format!("git-but-{command}"));
    let text = format!("#!/bin/sh\nfor a; do if [ \"$a\" = {command} ]; then\n{instead}\nfi; done\nexec git \"$@\"\n");
    script(&path, &text);
    let real = host_git(sandbox);
    drop(real);
    let mut git = Git::at(path);
    for (name, value) in [("HOME", sandbox.home()), ("TMPDIR", sandbox.path("tmp"))] {
        git = git.with(name, value);
    }
    git
}

#[test]
fn nothing_that_a_configuration_names_is_run() {
    let sandbox = Sandbox::with_repository();
    let ran = sandbox.path("ran");
    let evil = sandbox.path("evil.sh");
    script(&evil, &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", ran.display()));
    let evil = evil.to_str().unwrap();
    sandbox.git(&["remote", "add", "origin", &format!("ext::{evil}")]);
    let keys = [
        "filter.x.clean",
        "filter.x.process",
        "filter.a=b.clean",
        "filter.lfs.clean",
        "diff.external",
        "diff.x.textconv",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.gitProxy",
        "credential.helper",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "gpg.program",
        "alias.add",
        "alias.diff-files",
        "core.askPass",
        "remote.origin.uploadpack",
    ];
    for key in keys {
        sandbox.git(&["config", key, evil]);
    }
    sandbox.git(&["config", "remote.origin.promisor", "true"]);
    sandbox.git(&["config", "protocol.ext.allow", "always"]);
    std::fs::write(sandbox.project().join(".git/more"), format!("[core]\n\tfsmonitor = {evil}\n\thooksPath = hooks\n"))
        .unwrap();
    sandbox.git(&["config", "include.path", "more"]);
    for hook in ["pre-commit", "post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc"] {
        script(&sandbox.project().join(".git/hooks").join(hook), &std::fs::read_to_string(evil).unwrap());
    }
    // The user's own configuration is not run either.
    std::fs::write(
        sandbox.home().join(".gitconfig"),
        format!("[core]\n\tfsmonitor = {evil}\n[filter \"y\"]\n\tclean = {evil}\n"),
    )
    .unwrap();
    sandbox.write(".gitattributes", "*.x filter=x diff=x\n*.ab filter=a=b\n*.lfs filter=lfs\n*.y filter=y\n");
    for name in ["a.x", "a.ab", "a.lfs", "a.y", "plain"] {
        sandbox.write(name, "text\n");
    }
    let _ = std::fs::remove_file(&ran);
    let look = deeds::sensor::checkout::Checkout::find(&sandbox.project()).unwrap();
    let deadline = deeds::sensor::git_command::Deadline::after(AMPLE);
    deeds::sensor::git::look_with(&host_git(&sandbox), &look, &deadline, None).unwrap();
    assert_eq!(seen(&sandbox).reason, None);
    assert!(!ran.exists(), "{}", std::fs::read_to_string(&ran).unwrap());
    sandbox.command("git", &sandbox.project()).args(["add", "-A"]).output().unwrap();
    assert!(ran.exists(), "the plain way runs it");
}

#[test]
fn inherited_variables_of_git_change_nothing() {
    let sandbox = Sandbox::with_repository();
    let before = tree(&sandbox);
    // A look in a process that was itself started by git, in another repository.
    let other = Sandbox::with_repository();
    let test = std::env::current_exe().unwrap();
    let status = std::process::Command::new(test)
        .args(["--exact", "tree::hostile::a_look_for_another_process", "--nocapture"])
        .env("LOOK_AT", sandbox.project())
        .env("LOOK_EXPECTS", &before)
        .env("GIT_DIR", other.project().join(".git"))
        .env("GIT_INDEX_FILE", other.project().join(".git/index"))
        .env("GIT_WORK_TREE", other.project())
        .env("GIT_OBJECT_DIRECTORY", other.path("objects"))
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", "/bin/false")
        .env("GIT_TRACE", other.path("trace"))
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
    assert!(!other.path("trace").exists());
}

/// Run by [`inherited_variables_of_git_change_nothing`], in a process with variables; by itself it looks at nothing.
#[test]
fn a_look_for_another_process() {
    let (Some(at), Ok(expected)) = (std::env::var_os("LOOK_AT"), std::env::var("LOOK_EXPECTS")) else {
        assert!(observe(Path::new("relative"), AMPLE).tree.is_none());
        return;
    };
    assert_eq!(observe(Path::new(&at), AMPLE).tree, Some(expected));
}

#[test]
fn git_is_not_taken_from_inside_the_worktree_nor_from_a_relative_place() {
    let sandbox = Sandbox::with_repository();
    let planted = sandbox.project().join("node_modules/.bin");
    script(&planted.join("git"), "#!/bin/sh\nexit 0\n");
    let search = |dirs: &[&Path]| std::env::join_paths(dirs).unwrap();
    let only_planted = search(&[&planted, Path::new("node_modules/.bin"), Path::new(".")]);
    let found = Git::find(Some(&only_planted), Some(&sandbox.project()));
    assert_eq!(found.unwrap_err(), "git is not on the search path");
    assert!(Git::find(None, None).is_err());
    let elsewhere = sandbox.path("bin");
    script(&elsewhere.join("git"), "#!/bin/sh\nexit 0\n");
    assert!(Git::find(Some(&search(&[&planted, &elsewhere])), Some(&sandbox.project())).is_ok());
    std::fs::set_permissions(elsewhere.join("git"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(Git::find(Some(&search(&[&elsewhere])), None).is_err());
}

#[test]
fn when_the_time_is_up_all_that_was_started_is_gone_and_the_reason_names_it() {
    let sandbox = Sandbox::with_repository();
    let pids = sandbox.path("pids");
    let slow = format!("sleep 600 & echo $! >> '{0}'; echo $$ >> '{0}'; wait", pids.display());
    let git = git_but(&sandbox, "config", &slow);
    let begun = Instant::now();
    let seen = observe_with(&git, &sandbox.project(), Duration::from_secs(2));
    assert_eq!(seen.tree, None);
    assert_eq!(seen.reason.unwrap(), "timed out after 2000 ms (git config)");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(left_behind(&sandbox).is_empty());
    let state = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next()
    };
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        // What was killed dies when the machine comes to it.
        let asked = Instant::now();
        while !matches!(state(pid), None | Some('Z')) && asked.elapsed() < Duration::from_secs(30) {
            std::thread::yield_now();
        }
        assert!(matches!(state(pid), None | Some('Z')), "{pid} still runs: {:?}", state(pid));
    }
    let none = observe_with(&host_git(&sandbox), &sandbox.project(), Duration::ZERO);
    assert!(none.reason.unwrap().starts_with("timed out after 0 ms"));
}

#[test]
fn a_step_that_fails_or_complains_leaves_no_tree() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("new", "x\n");
    let cases = [
        (
            "update-index",
            "echo 'error: open(\"new\"): Permission denied' >&2; exit 128",
            "git update-index: error: open(\"new\"): Permission denied",
        ),
        ("diff-files", "echo 'a/b: Permission denied' >&2; exit 0", "git diff-files: a/b: Permission denied"),
        (
            "-o",
            "echo \"warning: could not open directory 'x/': Permission denied\" >&2; exit 0",
            "git ls-files: warning: could not open directory 'x/': Permission denied",
        ),
        ("write-tree", "exit 1", "git write-tree exited 1"),
        ("write-tree", "kill -9 $$", "git write-tree was killed"),
        ("write-tree", "echo hello; exit 0", "git write-tree named no tree"),
        ("config", "echo 'unknown option' >&2; exit 129", "git config: unknown option"),
    ];
    for (command, instead, expected) in cases {
        let seen = observe_with(&git_but(&sandbox, command, instead), &sandbox.project(), AMPLE);
        assert_eq!((seen.tree, seen.clean), (None, None));
        assert_eq!(seen.head.is_some(), command != "config", "what was seen before is kept");
        assert_eq!(seen.reason.unwrap(), expected);
        assert!(left_behind(&sandbox).is_empty());
    }
    let mild = git_but(&sandbox, "write-tree", "echo 'warning: something' >&2; break");
    assert_eq!(observe_with(&mild, &sandbox.project(), AMPLE).reason, None);
    let without_rows = git_but(&sandbox, "diff-index", "exit 128");
    let seen = observe_with(&without_rows, &sandbox.project(), AMPLE);
    assert!(seen.tree.is_some() && seen.changed_cut && seen.clean.is_none(), "the rows are beside the tree");
}

#[test]
fn a_file_that_cannot_be_read_leaves_no_tree() {
    let sandbox = Sandbox::with_repository();
    let path = sandbox.write("secret", "x\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o0)).unwrap();
    if std::fs::read(&path).is_ok() {
        // To the superuser everything is readable.
        assert_eq!(tree(&sandbox), commit_all(&sandbox));
    } else {
        assert!(reason(&sandbox).contains("Permission denied"), "{}", reason(&sandbox));
    }
    std::fs::remove_file(&path).unwrap();
    let dir = sandbox.project().join("closed");
    sandbox.write("closed/x", "x\n");
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o0)).unwrap();
    let closed = std::fs::read_dir(&dir).is_err();
    let seen = seen(&sandbox);
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(seen.tree.is_none(), closed, "{seen:?}");
}

#[test]
fn what_is_no_file_is_left_out_and_in_a_tracked_files_place_refused() {
    let sandbox = Sandbox::with_repository();
    let before = tree(&sandbox);
    let fifo = |name: &str| {
        let path = sandbox.project().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    fifo("pipe");
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.project().join("socket")).unwrap();
    assert_eq!(tree(&sandbox), before);
    std::fs::remove_file(sandbox.project().join("README.md")).unwrap();
    fifo("README.md");
    assert!(reason(&sandbox).starts_with("git update-index: "), "{}", reason(&sandbox));
    let index = sandbox.project().join(".git/index");
    std::fs::remove_file(&index).unwrap();
    fifo(".git/index");
    assert!(reason(&sandbox).contains("no regular file"), "{}", reason(&sandbox));
}

#[test]
fn another_users_repository_is_looked_at_only_if_git_itself_would() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    let given =
        ["", ".git"].iter().all(|name| std::os::unix::fs::chown(project.join(name), Some(54_321), None).is_ok());
    if !given {
        // Only the superuser can give a directory away.
        tree(&sandbox);
        return;
    }
    assert_eq!(reason(&sandbox), "the repository belongs to another user, and git's safe.directory does not list it");
    std::fs::write(sandbox.home().join(".gitconfig"), format!("[safe]\n\tdirectory = {}\n", project.display()))
        .unwrap();
    tree(&sandbox);
}

#[test]
fn one_repository_is_known_in_all_its_worktrees_and_no_other_is() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    let linked = sandbox.path("linked");
    sandbox.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    sandbox.write("deep/file", "x\n");
    assert!(same_repository(&project, &linked));
    assert!(same_repository(&project.join("deep"), &linked));
    std::os::unix::fs::symlink(&project, sandbox.path("by-another-name")).unwrap();
    assert!(same_repository(&project, &sandbox.path("by-another-name")));
    sandbox.init_repository(&project.join("planted"));
    assert!(!same_repository(&project, &project.join("planted")));
    let other = Sandbox::with_repository();
    assert!(!same_repository(&project, &other.project()));
    assert!(!same_repository(&project, &sandbox.home()));
    if std::os::unix::fs::chown(&linked, Some(54_321), None).is_ok() {
        assert!(!same_repository(&project, &linked));
    }
}

#[test]
fn the_throw_away_directory_is_private_outside_the_worktree_and_swept() {
    let sandbox = Sandbox::with_repository();
    let kept = sandbox.path("kept");
    let git = git_but(
        &sandbox,
        "write-tree",
        &format!("ls -ld \"$GIT_DIR\" >> '{0}'; echo \"$GIT_DIR\" >> '{0}'; break", kept.display()),
    );
    assert_eq!(observe_with(&git, &sandbox.project(), AMPLE).reason, None);
    let said = std::fs::read_to_string(&kept).unwrap();
    assert!(said.starts_with("drwx------"), "{said}");
    assert!(said.lines().nth(1).unwrap().starts_with(sandbox.path("tmp").to_str().unwrap()), "{said}");

    // A temporary directory inside the worktree is not used.
    let inside = sandbox.project().join("tmp");
    std::fs::create_dir(&inside).unwrap();
    std::fs::remove_file(&kept).unwrap();
    assert_eq!(observe_with(&git.with("TMPDIR", &inside), &sandbox.project(), AMPLE).reason, None);
    let said = std::fs::read_to_string(&kept).unwrap();
    assert!(!said.contains(sandbox.project().to_str().unwrap()), "{said}");

    // What a killed process left is removed, what may be in use is not.
    let user = std::fs::metadata(sandbox.project()).unwrap().uid();
    let shelf = sandbox.path("tmp").join(format!("deeds-{user}"));
    assert!(!shelf.exists());
    std::fs::create_dir(&shelf).unwrap();
    std::fs::set_permissions(&shelf, std::fs::Permissions::from_mode(0o700)).unwrap();
    let (old, new) = (shelf.join("deeds-tree-1-0"), shelf.join("deeds-tree-1-1"));
    std::fs::create_dir(&old).unwrap();
    std::fs::create_dir(&new).unwrap();
    let hours_ago = std::time::SystemTime::now() - Duration::from_secs(7200);
    std::fs::File::open(&old).unwrap().set_modified(hours_ago).unwrap();
    observe_with(&host_git(&sandbox), &sandbox.project(), AMPLE);
    assert_eq!((old.exists(), new.exists()), (false, true));
}
