//! What git says of a worktree's files: the index, what may have changed, and what is not tracked.

use std::collections::BTreeSet;

use memchr::{memchr, memchr_iter};

use super::git_command::not_run;
use super::git_config::Config;
use super::scratch::Scratch;

/// What git says about the files as they are.
pub struct Listing {
    /// `ls-files -s -v -z`
    index: Vec<u8>,
    /// Tracked paths that are not, or may not be, as the index has them; without those that are repositories.
    pub changed: BTreeSet<Vec<u8>>,
    /// Paths that are neither tracked nor ignored; a nested repository's ends in a slash.
    pub untracked: Vec<Vec<u8>>,
}

/// A line of the index.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    tag: u8,
    pub mode: &'a [u8],
    pub path: &'a [u8],
}

impl Entry<'_> {
    pub fn is_repository(&self) -> bool {
        self.mode == b"160000"
    }

    pub fn is_file(&self) -> bool {
        self.mode.starts_with(b"100")
    }
}

impl Listing {
    pub fn take(scratch: &Scratch<'_>) -> Result<Listing, String> {
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

    /// `<tag> <mode> <id> <stage>\t<path>\0` each.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut from = 0;
        memchr_iter(0, &self.index).filter_map(move |end| {
            let line = &self.index[from..end];
            from = end + 1;
            let (front, path) = line.split_at_checked(memchr(b'\t', line)?)?;
            let mut fields = front.split(|b| *b == b' ');
            Some(Entry { tag: *fields.next()?.first()?, mode: fields.next()?, path: path.get(1..)? })
        })
    }
}

/// One row of git's raw diff format.
pub struct Row<'a> {
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
pub fn rows(raw: &[u8]) -> impl Iterator<Item = Row<'_>> {
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
pub fn clear_flags(scratch: &Scratch<'_>, config: &Config, listing: &Listing) -> Result<Vec<Vec<u8>>, String> {
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

/// Items as git reads them with `-z`.
pub fn terminated<T: AsRef<[u8]>>(items: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut out = Vec::new();
    for item in items {
        out.extend_from_slice(item.as_ref());
        out.push(0);
    }
    out
}
