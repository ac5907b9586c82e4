//! Files that a configured filter changes on their way into git, seen without running the filter.
//!
//! What Git LFS makes of a file is computed, so that it is what a commit would hold. Of any other filter's files the
//! plain content is taken, always: not what git would store, but the same in two looks exactly when the file is.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::git_command::Deadline;
use super::git_config::Config;
use super::scratch::{Scratch, quoted};
use crate::durable;
use crate::evidence::id::hex;

/// A pointer is shorter than this.
const POINTER_CAP: u64 = 1024;
const POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// What stands in the index for a file instead of what git would put there.
#[derive(Debug, Default)]
pub struct Substitutes {
    /// Path and index line.
    pub lines: Vec<(Vec<u8>, Vec<u8>)>,
    /// Paths whose entry is their plain content and never what a commit holds.
    pub plain: BTreeSet<Vec<u8>>,
}

/// Works out the entries of filtered files: of those LFS ones among `candidates`, and of all others, in `tracked` too.
/// `mode_of` tells the mode that the index has for a path.
pub fn substitutes(
    scratch: &Scratch<'_>,
    config: &Config,
    root: &Path,
    candidates: &BTreeSet<Vec<u8>>,
    tracked: impl Iterator<Item = Vec<u8>>,
    mode_of: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<Substitutes, String> {
    let filters = config.filters();
    let lfs = config.has_plain_lfs();
    let mut asked = Vec::new();
    for path in candidates {
        asked.extend_from_slice(path);
        asked.push(0);
    }
    if filters.iter().any(|name| !(lfs && name == b"lfs")) {
        for path in tracked.filter(|path| !candidates.contains(path)) {
            asked.extend_from_slice(&path);
            asked.push(0);
        }
    }
    let mut found = Substitutes::default();
    if filters.is_empty() || asked.is_empty() {
        return Ok(found);
    }
    let told = scratch.git(&["check-attr", "-z", "--stdin", "filter"], Some(&asked))?;
    let mut sources: Vec<(Vec<u8>, Vec<u8>, PathBuf)> = Vec::new();
    let mut fields = told.split(|b| *b == 0);
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        let file = root.join(OsStr::from_bytes(path));
        let Ok(meta) = std::fs::symlink_metadata(&file) else { continue };
        if !filters.iter().any(|name| name == value) || !meta.is_file() {
            continue;
        }
        let mode = match meta.permissions().mode() & 0o100 != 0 {
            _ if config.is_false("core.filemode") => mode_of(path).unwrap_or_else(|| b"100644".to_vec()),
            true => b"100755".to_vec(),
            false => b"100644".to_vec(),
        };
        let source = if lfs && value == b"lfs" {
            pointer(scratch, &file, meta.len())?.unwrap_or(file)
        } else {
            found.plain.insert(path.to_vec());
            file
        };
        sources.push((path.to_vec(), mode, source));
    }
    if sources.is_empty() {
        return Ok(found);
    }
    let mut paths = Vec::new();
    for (_, _, source) in &sources {
        paths.extend(quoted(source.as_os_str().as_bytes()));
        paths.push(b'\n');
    }
    let hashed = scratch.git(&["hash-object", "--no-filters", "--stdin-paths"], Some(&paths))?;
    let mut hashes = hashed.split(|b| *b == b'\n');
    for (path, mode, _) in sources {
        let hash = hashes.next().filter(|hash| !hash.is_empty()).ok_or("git hash-object said too little")?;
        let line = [mode.as_slice(), b" ", hash, b"\t", &path].concat();
        found.lines.push((path, line));
    }
    Ok(found)
}

/// The LFS pointer to a file's content, in a file of its own; `None` where LFS leaves the content as it is.
fn pointer(scratch: &Scratch<'_>, file: &Path, len: u64) -> Result<Option<PathBuf>, String> {
    let failed = |cause: std::io::Error| format!("{}: {cause}", file.display());
    let mut content = durable::open(file).map_err(failed)?;
    if len < POINTER_CAP {
        let mut text = Vec::new();
        (&mut content).take(POINTER_CAP).read_to_end(&mut text).map_err(failed)?;
        if text.is_empty() || text.starts_with(POINTER_START) {
            return Ok(None);
        }
        content = durable::open(file).map_err(failed)?;
    }
    let (digest, size) = digest(content, scratch.deadline())?;
    let mut text = POINTER_START.to_vec();
    text.extend(format!("oid sha256:{digest}\nsize {size}\n").into_bytes());
    let path = scratch.file("pointer");
    std::fs::write(&path, text).map_err(|cause| format!("no throw-away directory: {cause}"))?;
    Ok(Some(path))
}

fn digest(mut content: File, deadline: &Deadline) -> Result<(String, u64), String> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 20];
    let mut size = 0;
    loop {
        deadline.check("reading a file kept by LFS")?;
        let read = content.read(&mut chunk).map_err(|cause| format!("a file kept by LFS: {cause}"))?;
        if read == 0 {
            return Ok((hex(&hash.finalize()), size));
        }
        hash.update(&chunk[..read]);
        size += read as u64;
    }
}
