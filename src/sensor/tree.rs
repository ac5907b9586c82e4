//! The tree id of a worktree: what `git add -A` and `git write-tree` would say, taken without touching anything.
//!
//! Files whose state git cannot take for granted are listed, then hashed into a throw-away index whose objects are never
//! written (`--info-only`), so that a large file costs its hash and no disk. The id of a state that was then committed
//! whole is that of `HEAD^{tree}`, but for two kinds of entries, which stand for what is on disk and so stay the same
//! over a commit: a checked-out submodule or embedded repository has the tree id of its own worktree, and a file behind
//! a filter other than Git LFS has its plain content ([`super::filtered`]).
//!
//! Architecture invariant: no id is better than a wrong one. A step that fails, complains, or is not done in time ends
//! the look with the reason.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use super::checkout::Checkout;
use super::filtered::{Substitutes, substitutes};
use super::git_command::{Deadline, Git, not_run};
use super::git_config::Config;
use super::scratch::Scratch;
use super::worktree::{Changed, Nested, Worktree, path_text};
use crate::layout;

/// Repositories inside repositories are followed this far.
const DEPTH: usize = 4;
/// The bytes that are hashed at most, for each second there is.
const BYTES_PER_SECOND: u64 = 1 << 30;
/// Rows of changes kept, and the bytes of their paths.
const ROWS: usize = 200;
const ROW_BYTES: usize = 24 << 10;

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// Looks at the worktree that `cwd` is in. Never fails: where there is no tree id there is a reason.
pub fn observe(cwd: &Path, budget: Duration) -> Worktree {
    let deadline = Deadline::after(budget);
    match Checkout::find(cwd) {
        Ok(checkout) => match Git::find(layout::var("PATH").as_deref(), Some(&checkout.root)) {
            Ok(git) => look_into(&git, &checkout, &deadline, 0),
            Err(reason) => Worktree::without(reason),
        },
        Err(reason) => Worktree::without(reason),
    }
}

/// The same with a git of the caller's choice.
pub fn observe_with(git: &Git, cwd: &Path, budget: Duration) -> Worktree {
    let deadline = Deadline::after(budget);
    match Checkout::find(cwd) {
        Ok(checkout) => look_into(git, &checkout, &deadline, 0),
        Err(reason) => Worktree::without(reason),
    }
}

fn look_into(git: &Git, of: &Checkout, deadline: &Deadline, depth: usize) -> Worktree {
    let mut seen = Worktree::default();
    if let Err(reason) = fill(&mut seen, git, of, deadline, depth) {
        seen.tree = None;
        seen.clean = None;
        seen.reason = Some(reason);
    }
    seen
}

fn fill(seen: &mut Worktree, git: &Git, of: &Checkout, deadline: &Deadline, depth: usize) -> Result<(), String> {
    of.check_owner(git, deadline)?;
    let (config, head) = settings_and_head(git, of, deadline)?;
    seen.head = head;
    check_place(&config, of)?;
    let scratch = Scratch::new(git, of, &config, deadline)?;
    scratch.take_index(of)?;
    let listing = Listing::take(&scratch)?;

    let mut candidates = listing.changed.clone();
    candidates.extend(listing.untracked.iter().filter(|path| !path.ends_with(b"/")).cloned());
    candidates.extend(clear_flags(&scratch, &config, &listing)?);
    check_sizes(&of.root, &candidates, deadline)?;
    let substituted = substitutes(
        &scratch,
        &config,
        &of.root,
        &candidates,
        listing.entries().filter(|entry| entry.is_file()).map(|entry| entry.path.to_vec()),
        |path| listing.entries().find(|entry| entry.path == path).map(|entry| entry.mode.to_vec()),
    )?;
    let nested = look_into_nested(git, of, &listing, deadline, depth)?;
    update_index(&scratch, &candidates, &substituted, &nested)?;

    let tree = text(scratch.git(&["write-tree", "--missing-ok"], None)?);
    if !is_object_id(&tree) {
        return Err("git write-tree named no tree".into());
    }
    let empty = if config.get("extensions.objectformat") == Some(b"sha256") { EMPTY_TREE_SHA256 } else { EMPTY_TREE };
    let base = seen.head.clone().unwrap_or_else(|| empty.into());
    let args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty", &base];
    match scratch.git(&args, None) {
        Ok(raw) => read_changes(seen, &raw, &listing, &substituted, &nested),
        // Without its rows the tree id still stands.
        Err(_) => seen.changed_cut = true,
    }
    seen.submodules = nested.into_iter().map(|one| one.row).collect();
    seen.tree = Some(tree);
    Ok(())
}

/// The two questions that are put to the repository itself. Neither starts anything.
pub(super) fn settings_and_head(
    git: &Git,
    of: &Checkout,
    deadline: &Deadline,
) -> Result<(Config, Option<String>), String> {
    let head_args: &[&str] = &["rev-parse", "--quiet", "--verify", "HEAD"];
    let mut answers = of.ask(git, &[Config::LIST, head_args], deadline);
    let head = answers.pop().unwrap_or_else(not_run)?;
    let listed = answers.pop().unwrap_or_else(not_run)?.output("config")?;
    let head = if head.code == Some(0) { Some(text(head.stdout)).filter(|head| is_object_id(head)) } else { None };
    Ok((Config::read(&listed, git, of, deadline)?, head))
}

/// The files are where `.git` is, or there is no telling which they are.
fn check_place(config: &Config, of: &Checkout) -> Result<(), String> {
    if of.git_dir != of.common_dir {
        return Ok(());
    }
    if let Some(elsewhere) = config.get("core.worktree").filter(|path| !path.is_empty()) {
        let elsewhere = of.git_dir.join(OsStr::from_bytes(elsewhere)).canonicalize().ok();
        if elsewhere.is_none() || elsewhere != of.root.canonicalize().ok() {
            return Err("core.worktree names another directory".into());
        }
    } else if config.is_true("core.bare") {
        return Err("a bare repository has no worktree".into());
    }
    Ok(())
}

/// What git says about the files as they are.
struct Listing {
    /// `ls-files -s -v -z`
    index: Vec<u8>,
    /// Tracked paths that are not, or may not be, as the index has them; without those that are repositories.
    changed: BTreeSet<Vec<u8>>,
    /// Paths that are neither tracked nor ignored; a nested repository's ends in a slash.
    untracked: Vec<Vec<u8>>,
}

/// A line of the index.
#[derive(Clone, Copy)]
struct Entry<'a> {
    tag: u8,
    mode: &'a [u8],
    path: &'a [u8],
}

impl Entry<'_> {
    fn is_repository(&self) -> bool {
        self.mode == b"160000"
    }

    fn is_file(&self) -> bool {
        self.mode.starts_with(b"100")
    }
}

impl Listing {
    fn take(scratch: &Scratch<'_>) -> Result<Listing, String> {
        let mut answers = scratch.run_all(&[
            (&["diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty"], None),
            (&["ls-files", "-o", "-z", "--exclude-standard"], None),
            (&["ls-files", "-s", "-v", "-z"], None),
        ]);
        let mut next = |name| answers.pop().unwrap_or_else(not_run)?.output(name);
        let index = next("ls-files")?;
        let untracked = next("ls-files")?;
        let changed = next("diff-files")?;
        let untracked = untracked.split(|b| *b == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect();
        let changed = rows(&changed).filter(|row| row.mode != b"160000").map(|row| row.path.to_vec()).collect();
        Ok(Listing { index, changed, untracked })
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.index.split(|b| *b == 0).filter_map(|line| {
            let tab = line.iter().position(|b| *b == b'\t')?;
            let (front, path) = (&line[..tab], &line[tab + 1..]);
            let mut fields = front.split(|b| *b == b' ');
            Some(Entry { tag: *fields.next()?.first()?, mode: fields.next()?, path })
        })
    }
}

/// One row of git's raw diff format.
pub(super) struct Row<'a> {
    /// The mode and id before.
    pub before_mode: &'a [u8],
    pub before: &'a [u8],
    /// The mode and id now.
    pub mode: &'a [u8],
    pub sha: &'a [u8],
    pub status: &'a [u8],
    pub path: &'a [u8],
}

/// `:<mode> <mode> <id> <id> <status>\0<path>\0`, the second of each pair being what is there now.
pub(super) fn rows(raw: &[u8]) -> impl Iterator<Item = Row<'_>> {
    let mut fields = raw.split(|b| *b == 0);
    std::iter::from_fn(move || {
        let mut front = fields.next()?.strip_prefix(b":")?.split(|b| *b == b' ');
        let (before_mode, mode, before) = (front.next()?, front.next()?, front.next()?);
        let (sha, status) = (front.next()?, front.next()?);
        Some(Row { before_mode, before, mode, sha, status, path: fields.next()? })
    })
}

/// Entries that git was told not to look at are looked at: the flags are cleared in the copy, and their paths returned.
/// In a sparse checkout, git itself clears the flag of those that are there.
fn clear_flags(scratch: &Scratch<'_>, config: &Config, listing: &Listing) -> Result<Vec<Vec<u8>>, String> {
    let sparse = config.is_true("core.sparsecheckout");
    let (mut unwatched, mut skipped) = (Vec::new(), Vec::new());
    for entry in listing.entries().filter(|entry| !entry.is_repository()) {
        if entry.tag.is_ascii_lowercase() {
            unwatched.push(entry.path.to_vec());
        }
        if entry.tag.eq_ignore_ascii_case(&b'S') && !sparse {
            skipped.push(entry.path.to_vec());
        }
    }
    for (option, paths) in [("--no-assume-unchanged", &unwatched), ("--no-skip-worktree", &skipped)] {
        if !paths.is_empty() {
            scratch.git(&["update-index", option, "-z", "--stdin"], Some(&terminated(paths)))?;
        }
    }
    if sparse {
        // Cleared or not, what lies outside the sparse part and is not on disk is not missing.
        let hidden: BTreeSet<&[u8]> = listing.entries().filter(|e| e.tag == b's').map(|e| e.path).collect();
        unwatched.retain(|path| !hidden.contains(path.as_slice()));
    }
    unwatched.append(&mut skipped);
    Ok(unwatched)
}

/// Refuses what cannot be hashed in the time there is, rather than spend it all.
fn check_sizes(root: &Path, candidates: &BTreeSet<Vec<u8>>, deadline: &Deadline) -> Result<(), String> {
    let cap = (deadline.budget().as_millis() as u64).saturating_mul(BYTES_PER_SECOND) / 1000;
    let (mut sum, mut largest) = (0u64, (0, &[][..]));
    for path in candidates {
        let len = std::fs::symlink_metadata(root.join(OsStr::from_bytes(path))).map_or(0, |meta| meta.len());
        sum = sum.saturating_add(len);
        if len > largest.0 {
            largest = (len, path);
        }
    }
    if sum <= cap {
        return Ok(());
    }
    let name = path_text(largest.1);
    Err(format!("too much to read: {sum} bytes changed or untracked, {} of them in {name}", largest.0))
}

/// A repository inside the worktree, and what stands for it in the index.
struct Found {
    path: Vec<u8>,
    tree: String,
    row: Nested,
}

fn look_into_nested(
    git: &Git,
    of: &Checkout,
    listing: &Listing,
    deadline: &Deadline,
    depth: usize,
) -> Result<Vec<Found>, String> {
    let submodules = listing.entries().filter(Entry::is_repository).map(|entry| (entry.path, true));
    let embedded = listing.untracked.iter().filter_map(|path| Some((path.strip_suffix(b"/")?, false)));
    let mut found = Vec::new();
    for (path, tracked) in submodules.chain(embedded).collect::<std::collections::BTreeMap<_, _>>() {
        let dir = of.root.join(OsStr::from_bytes(path));
        let name = path_text(path);
        if !std::fs::symlink_metadata(&dir).is_ok_and(|meta| meta.is_dir()) {
            continue;
        }
        let Some(inner) = Checkout::at(&dir) else {
            if tracked {
                continue;
            }
            return Err(format!("{name} looks like a repository and cannot be read as one"));
        };
        // Another worktree of this repository is a checkout of its own, wherever it lies.
        if !tracked && inner.shares_repository(of) {
            continue;
        }
        if depth >= DEPTH {
            return Err(format!("{name} is a repository too deep inside others"));
        }
        let inside = look_into(git, &inner, deadline, depth + 1);
        let Some(tree) = inside.tree else {
            return Err(format!("{name}: {}", inside.reason.unwrap_or_default()));
        };
        let row = Nested { path: name, head: inside.head, tree: Some(tree.clone()), clean: inside.clean };
        found.push(Found { path: path.to_vec(), tree, row });
    }
    Ok(found)
}

fn update_index(
    scratch: &Scratch<'_>,
    candidates: &BTreeSet<Vec<u8>>,
    substituted: &Substitutes,
    nested: &[Found],
) -> Result<(), String> {
    let replaced: BTreeSet<&[u8]> = substituted.lines.iter().map(|(path, _)| path.as_slice()).collect();
    let plain: Vec<&Vec<u8>> = candidates.iter().filter(|path| !replaced.contains(path.as_slice())).collect();
    if !plain.is_empty() {
        let args = ["update-index", "--info-only", "--add", "--remove", "--replace", "-z", "--stdin"];
        scratch.git(&args, Some(&terminated(plain)))?;
    }
    let mut lines: Vec<Vec<u8>> = substituted.lines.iter().map(|(_, line)| line.clone()).collect();
    for one in nested {
        lines.push([b"160000 ", one.tree.as_bytes(), b"\t", &one.path].concat());
    }
    if !lines.is_empty() {
        scratch.git(&["update-index", "-z", "--index-info"], Some(&terminated(&lines)))?;
    }
    Ok(())
}

/// Keeps the rows against HEAD, as far as they go, and whether there is any.
fn read_changes(seen: &mut Worktree, raw: &[u8], listing: &Listing, substituted: &Substitutes, nested: &[Found]) {
    let (mut bytes, mut clean) = (0, Some(true));
    for row in rows(raw) {
        let inner = nested.iter().find(|one| one.path == row.path).map(|one| &one.row);
        // The entry of a repository inside differs from HEAD's in any case; the repository may not.
        let at_recorded = |inner: &Nested| inner.head.as_deref().map(str::as_bytes) == Some(row.before);
        if inner.is_some_and(|inner| inner.clean == Some(true) && at_recorded(inner)) {
            continue;
        }
        if substituted.plain.contains(row.path) {
            if clean == Some(true) && listing.changed.contains(row.path) {
                clean = None;
            }
        } else {
            clean = Some(false);
        }
        bytes += row.path.len();
        if seen.changed.len() == ROWS || bytes > ROW_BYTES {
            seen.changed_cut = true;
            continue;
        }
        seen.changed.push(Changed {
            status: String::from_utf8_lossy(row.status).into_owned(),
            path: path_text(row.path),
            mode: String::from_utf8_lossy(row.mode).into_owned(),
            sha: String::from_utf8_lossy(row.sha).into_owned(),
        });
    }
    seen.clean = clean;
}

fn terminated<T: AsRef<[u8]>>(items: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut out = Vec::new();
    for item in items {
        out.extend_from_slice(item.as_ref());
        out.push(0);
    }
    out
}

/// A line of output.
fn text(output: Vec<u8>) -> String {
    String::from_utf8_lossy(&output).trim_end().to_owned()
}

pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
