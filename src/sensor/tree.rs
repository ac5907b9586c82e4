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
use super::listing::{Entry, Listing, clear_flags, rows, terminated};
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

    let empty = if config.get("extensions.objectformat") == Some(b"sha256") { EMPTY_TREE_SHA256 } else { EMPTY_TREE };
    let base = seen.head.clone().unwrap_or_else(|| empty.into());
    let mut answers = scratch.run_all(&[
        (&["write-tree", "--missing-ok"], None),
        (&["diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty", &base], None),
    ]);
    let against_head = answers.pop().unwrap_or_else(not_run).and_then(|done| done.output("diff-index"));
    let tree = text(answers.pop().unwrap_or_else(not_run)?.output("write-tree")?);
    if !is_object_id(&tree) {
        return Err("git write-tree named no tree".into());
    }
    match against_head {
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
    // A process costs more than reading three files.
    let head = of.head_by_files();
    let questions: [&[&str]; 2] = [Config::LIST, &["rev-parse", "--quiet", "--verify", "HEAD"]];
    let mut answers = of.ask(git, if head.is_some() { &questions[..1] } else { &questions }, deadline).into_iter();
    let listed = answers.next().unwrap_or_else(not_run)?.output("config")?;
    let told = answers.next().transpose()?.filter(|done| done.code == Some(0)).map(|done| text(done.stdout));
    let head = head.or(told).filter(|head| is_object_id(head));
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

/// A line of output.
fn text(output: Vec<u8>) -> String {
    String::from_utf8_lossy(&output).trim_end().to_owned()
}

pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
