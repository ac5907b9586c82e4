//! The tree id of a worktree, against real git: what it equals, what it notices, what it never runs or writes.

mod filters;
mod hostile;
mod look;
mod nested;
mod recipe;
mod sensors;
mod states;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use deeds::evidence::id::sha256_hex;
use deeds::sensor::git_command::Git;
use deeds::sensor::tree::observe_with;
use deeds::sensor::worktree::Worktree;

use crate::sandbox::{Sandbox, finish};

/// Far more than a look takes, on a machine that does much else.
const AMPLE: Duration = Duration::from_secs(60);

fn host_git(sandbox: &Sandbox) -> Git {
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

/// Writes a program. Another process does, since a file that this one has open for writing, as a child that a test
/// beside this one just forked may, cannot be executed.
fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer = Command::new("sh");
    writer.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path);
    finish(&mut writer, text.as_bytes()).expect(0);
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
