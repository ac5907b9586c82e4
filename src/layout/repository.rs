//! A git repository, found and read without git: its directories, and what is checked out.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::LOCK;
use crate::durable::read_small;

/// `HEAD`, a ref, `.git` and `commondir` files are one line; what is longer is none of them.
const LINE_CAP: u64 = 4096;
/// A repository with more packed refs than fit here is read as one without.
const PACKED_CAP: u64 = 64 << 20;
/// Symbolic refs that lead to symbolic refs are followed this far, as git does.
const SYMREF_DEPTH: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The worktree's root; `None` in a bare repository or inside a `.git` directory.
    pub root: Option<PathBuf>,
    /// This worktree's own git directory.
    pub git_dir: PathBuf,
    /// What all worktrees share; the same as `git_dir` in the main one.
    pub common_dir: PathBuf,
}

/// What is checked out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` on a branch without one.
    pub sha: Option<String>,
    /// The branch; `None` where HEAD is detached.
    pub branch: Option<String>,
}

/// The `context` of an entry: in which worktree, at which commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    pub root: Option<PathBuf>,
    pub git_dir: Option<PathBuf>,
    pub common_dir: Option<PathBuf>,
    pub head: Option<String>,
    pub branch: Option<String>,
}

impl Repository {
    /// The repository whose worktree root, or whose git directory, is `dir` itself.
    pub fn at(dir: &Path) -> Option<Repository> {
        let dot_git = dir.join(".git");
        match std::fs::metadata(&dot_git) {
            Ok(found) if found.is_dir() => {
                // An empty `.git` directory is no repository; git too walks on.
                is_file(&dot_git.join("HEAD")).then(|| Repository {
                    root: Some(dir.to_owned()),
                    common_dir: dot_git.clone(),
                    git_dir: dot_git,
                })
            }
            Ok(found) if found.is_file() => linked(dir, &dot_git),
            _ => bare(dir),
        }
    }

    /// Reads HEAD and the branch it names, loose or packed.
    pub fn head(&self) -> Head {
        let mut head = Head::default();
        let Some(mut text) = read_line(&self.git_dir.join("HEAD")) else { return head };
        for depth in 0..SYMREF_DEPTH {
            let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
                head.sha = sha(&text);
                return head;
            };
            if !is_ref_name(name) {
                return head;
            }
            // With the reftable format HEAD names this branch, and what is checked out is not in a file of its own.
            if name == "refs/heads/.invalid" {
                return head;
            }
            if depth == 0 {
                head.branch = name.strip_prefix("refs/heads/").map(str::to_owned);
            }
            let loose = read_line(&self.common_dir.join(name)).or_else(|| read_line(&self.git_dir.join(name)));
            match loose {
                Some(next) => text = next,
                None => {
                    head.sha = self.packed(name);
                    return head;
                }
            }
        }
        head
    }

    pub fn context(&self) -> Context {
        let head = self.head();
        Context {
            root: self.root.clone(),
            git_dir: Some(self.git_dir.clone()),
            common_dir: Some(self.common_dir.clone()),
            head: head.sha,
            branch: head.branch,
        }
    }

    /// A ref's commit from `packed-refs`: lines of `<sha> <name>`.
    fn packed(&self, name: &str) -> Option<String> {
        let packed = read_small(&self.common_dir.join("packed-refs"), PACKED_CAP).ok()?;
        let needle = format!(" {name}\n");
        let at = memmem::find(&packed, needle.as_bytes())?;
        let start = memchr::memrchr(b'\n', &packed[..at]).map_or(0, |newline| newline + 1);
        sha(std::str::from_utf8(&packed[start..at]).ok()?)
    }
}

/// A `.git` file: `gitdir: <path>`, as linked worktrees and submodules have.
fn linked(dir: &Path, dot_git: &Path) -> Option<Repository> {
    let text = read_line(dot_git)?;
    let git_dir = super::normal(&dir.join(text.strip_prefix("gitdir:")?.trim()));
    if !is_file(&git_dir.join("HEAD")) {
        return None;
    }
    let common_dir = match read_line(&git_dir.join("commondir")) {
        Some(common) => super::normal(&git_dir.join(common)),
        None => git_dir.clone(),
    };
    Some(Repository { root: Some(dir.to_owned()), git_dir, common_dir })
}

/// A directory that is itself a git directory.
fn bare(dir: &Path) -> Option<Repository> {
    let is_git_dir = is_file(&dir.join("HEAD")) && dir.join("refs").is_dir() && dir.join("objects").is_dir();
    is_git_dir.then(|| Repository { root: None, git_dir: dir.to_owned(), common_dir: dir.to_owned() })
}

fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

fn read_line(path: &Path) -> Option<String> {
    let bytes = read_small(path, LINE_CAP).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    Some(text.lines().next().unwrap_or_default().trim_end().to_owned())
}

/// Whether a ref's name is a path inside the repository.
fn is_ref_name(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn sha(text: &str) -> Option<String> {
    let hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (hex && matches!(text.len(), 40 | 64)).then(|| text.to_owned())
}

/// Whether `dir` is a ledger's directory that was made here: a checked-out one is not private to its owner.
pub(super) fn is_private_place(dir: &Path) -> bool {
    std::fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir() && found.mode() & 0o077 == 0)
        && is_file(&dir.join(LOCK))
}
