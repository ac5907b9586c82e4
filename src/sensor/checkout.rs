//! The worktree a directory is in, and whose it is.
//!
//! Architecture invariant: found by reading files, without git, so that a repository which an agent could have planted
//! is known before anything runs in it.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::git_command::{Call, Deadline, Done, Git};
use crate::layout::{self, Repository};

/// A worktree with its git directories, all of them there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub root: PathBuf,
    /// This worktree's own git directory.
    pub git_dir: PathBuf,
    /// What all worktrees of the repository share.
    pub common_dir: PathBuf,
}

impl Checkout {
    /// The checkout that `cwd` is in. `cwd` itself may be gone.
    pub fn find(cwd: &Path) -> Result<Checkout, String> {
        if !cwd.is_absolute() {
            return Err("the working directory is not an absolute path".into());
        }
        let physical = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let context = layout::context_of(&physical);
        match (context.root, context.git_dir, context.common_dir) {
            (Some(root), Some(git_dir), Some(common_dir)) => Ok(Checkout { root, git_dir, common_dir }),
            (None, Some(_), _) => Err("in a bare repository or a git directory, which has no worktree".into()),
            _ => Err("not in a git repository".into()),
        }
    }

    /// The checkout whose root is `root` itself.
    pub fn at(root: &Path) -> Option<Checkout> {
        let found = Repository::at(root)?;
        Some(Checkout { root: found.root?, git_dir: found.git_dir, common_dir: found.common_dir })
    }

    /// The commit that is checked out, where the files tell; on a branch without a commit, and in a format of refs that
    /// is not files, they do not.
    pub fn head_by_files(&self) -> Option<String> {
        let (git_dir, common_dir) = (self.git_dir.clone(), self.common_dir.clone());
        Repository { root: Some(self.root.clone()), git_dir, common_dir }.head().sha
    }

    /// Two worktrees of one repository, or one and the same.
    pub fn shares_repository(&self, other: &Checkout) -> bool {
        same_directory(&self.common_dir, &other.common_dir)
    }

    /// Refuses what belongs to another user, unless git's own `safe.directory` allows it.
    pub fn check_owner(&self, git: &Git, deadline: &Deadline) -> Result<(), String> {
        if self.owner() == Some(rustix::process::geteuid().as_raw()) {
            return Ok(());
        }
        let parent = self.root.parent().unwrap_or(&self.root);
        let env = with_overrides(("GIT_CEILING_DIRECTORIES", parent.as_os_str()));
        let asked = Call { args: &["rev-parse", "--git-dir"], dir: &self.root, env: &env, stdin: None };
        match git.run(asked, deadline)?.code {
            Some(0) => Ok(()),
            _ => Err("the repository belongs to another user, and git's safe.directory does not list it".into()),
        }
    }

    /// The user whom the worktree and both its git directories belong to, where it is one.
    fn owner(&self) -> Option<u32> {
        let owner = |dir: &Path| std::fs::metadata(dir).ok().map(|found| found.uid());
        let root = owner(&self.root)?;
        [&self.git_dir, &self.common_dir].iter().all(|dir| owner(dir) == Some(root)).then_some(root)
    }

    /// Puts questions to the repository as it is, all at once. Only for commands that read settings, refs or commits:
    /// whatever looks at files could start what the repository's configuration names.
    pub fn ask(&self, git: &Git, questions: &[&[&str]], deadline: &Deadline) -> Vec<Result<Done, String>> {
        let env = with_overrides(("GIT_DIR", self.git_dir.as_os_str()));
        let calls = questions.iter().map(|args| Call { args, dir: &self.root, env: &env, stdin: None });
        git.run_all(calls.collect(), deadline)
    }
}

fn with_overrides<'a>(one: (&'a str, &'a OsStr)) -> Vec<(&'a str, &'a OsStr)> {
    OVERRIDES.iter().map(|(name, value)| (*name, OsStr::new(*value))).chain([one]).collect()
}

/// Configuration from the command line, in the form that any key and value survive.
const OVERRIDES: &[(&str, &str)] = &[
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_2", "explicit"),
];

/// Whether `a` and `b` are in worktrees of one repository, all of one owner.
pub fn same_repository(a: &Path, b: &Path) -> bool {
    match (Checkout::find(a), Checkout::find(b)) {
        (Ok(a), Ok(b)) => a.shares_repository(&b) && a.owner().is_some() && a.owner() == b.owner(),
        _ => false,
    }
}

/// One directory, however it is written.
fn same_directory(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}
