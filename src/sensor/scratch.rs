//! A throw-away git directory over a real worktree.
//!
//! It has a copy of the index, the real objects as alternates, and a configuration of its own into which only settings
//! that say how content is read are copied, by name. So whatever the repository's, the user's or a nested repository's
//! configuration would start (a file system monitor, a filter, a hook, an ssh command), git never hears of it here, nor
//! of a remote to fetch from; and whatever git writes lands in the throw-away directory.
//!
//! Architecture invariant: nothing under the real git directory or the worktree is written, and the directory is removed
//! with the value.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;

use super::checkout::Checkout;
use super::git_command::{Call, Deadline, Done, Git, not_run};
use super::git_config::Config;

/// An index, and the base of a split one, may be this large.
const INDEX_CAP: u64 = 1 << 30;
/// A file of patterns may be this large.
const PATTERNS_CAP: u64 = 8 << 20;
/// How far objects borrowed from repositories that borrow themselves are followed.
const ALTERNATES_DEPTH: usize = 8;
/// What a killed process left behind is removed after this long.
const LEFT_BEHIND: Duration = Duration::from_secs(600);

/// Patterns and attributes that lie in the git directory: what is copied, and whether each worktree has its own.
const INFO: &[(&str, bool)] = &[("info/exclude", false), ("info/attributes", false), ("info/sparse-checkout", true)];

pub struct Scratch<'a> {
    git: &'a Git,
    deadline: &'a Deadline,
    dir: PathBuf,
    root: PathBuf,
    inputs: AtomicU32,
}

impl<'a> Scratch<'a> {
    /// A git directory that knows the objects of `of`, and nothing else.
    pub fn new(git: &'a Git, of: &Checkout, config: &Config, deadline: &'a Deadline) -> Result<Scratch<'a>, String> {
        let dir = make_directory(git, of)?;
        let scratch = Scratch { git, deadline, dir, root: of.root.clone(), inputs: AtomicU32::new(0) };
        scratch.fill(of, config).map_err(|cause| format!("no throw-away directory: {cause}"))?;
        Ok(scratch)
    }

    fn fill(&self, of: &Checkout, config: &Config) -> std::io::Result<()> {
        for name in ["objects", "objects/info", "refs", "info", "home"] {
            DirBuilder::new().mode(0o700).create(self.dir.join(name))?;
        }
        std::fs::write(self.dir.join("HEAD"), "ref: refs/heads/none\n")?;
        std::fs::write(self.dir.join("config"), config.for_scratch())?;
        let mut lines = Vec::new();
        for objects in object_directories(&of.common_dir.join("objects")) {
            lines.extend_from_slice(&quoted(objects.as_os_str().as_bytes()));
            lines.push(b'\n');
        }
        std::fs::write(self.dir.join("objects/info/alternates"), lines)
    }

    /// Copies the index, with its time, since that decides which of its entries can be trusted; and what says which
    /// files are looked at.
    pub fn take_index(&self, of: &Checkout) -> Result<(), String> {
        self.copy(&of.git_dir.join("index"), "index", INDEX_CAP)?;
        for entry in std::fs::read_dir(&of.git_dir).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str().filter(|name| name.starts_with("sharedindex.")) {
                self.copy(&entry.path(), name, INDEX_CAP)?;
            }
        }
        for (name, own) in INFO {
            let from = if *own { &of.git_dir } else { &of.common_dir };
            self.copy(&from.join(name), name, PATTERNS_CAP)?;
        }
        let mut exclude = File::options().append(true).create(true).open(self.dir.join("info/exclude"));
        let written = exclude.as_mut().map(|file| file.write_all(b"\n/.deeds/\n"));
        written.map(drop).map_err(|cause| format!("no throw-away directory: {cause}"))
    }

    /// Copies a regular file that may be absent.
    fn copy(&self, from: &Path, name: &str, cap: u64) -> Result<(), String> {
        let failed = |cause: &dyn std::fmt::Display| format!("{} could not be copied: {cause}", from.display());
        let mut source = match open_regular(from) {
            Ok(source) => source,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(failed(&cause)),
        };
        let found = source.metadata().map_err(|cause| failed(&cause))?;
        if found.len() > cap {
            return Err(failed(&format!("it holds {} bytes", found.len())));
        }
        let mut copy = || -> std::io::Result<()> {
            let mut target = File::create_new(self.dir.join(name))?;
            std::io::copy(&mut source, &mut target)?;
            target.set_modified(found.modified()?)
        };
        copy().map_err(|cause| failed(&cause))
    }

    /// The output of a git command that must succeed and complain of nothing.
    pub fn git(&self, args: &[&str], stdin: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let name = args.first().copied().unwrap_or_default();
        self.run_all(&[(args, stdin)]).pop().unwrap_or_else(not_run)?.output(name)
    }

    /// Several at once.
    pub fn run_all(&self, calls: &[(&[&str], Option<&[u8]>)]) -> Vec<Result<Done, String>> {
        let home = self.dir.join("home");
        // HOME and the rest hide the user's own configuration from every version of git.
        let env = [
            ("GIT_DIR", self.dir.as_os_str()),
            ("GIT_WORK_TREE", self.root.as_os_str()),
            ("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
            ("GIT_CONFIG_GLOBAL", OsStr::new("/dev/null")),
            ("HOME", home.as_os_str()),
            ("XDG_CONFIG_HOME", home.as_os_str()),
        ];
        let mut made = Vec::with_capacity(calls.len());
        for (args, input) in calls {
            let stdin = match input.map(|bytes| self.input(bytes)).transpose() {
                Ok(stdin) => stdin,
                Err(cause) => return calls.iter().map(|_| Err(format!("no throw-away directory: {cause}"))).collect(),
            };
            made.push(Call { args, dir: &self.root, env: &env, stdin });
        }
        self.git.run_all(made, self.deadline)
    }

    /// Bytes as a file to read from.
    fn input(&self, bytes: &[u8]) -> std::io::Result<File> {
        let path = self.file("input");
        std::fs::write(&path, bytes)?;
        File::open(&path)
    }

    /// A new path in here.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}-{}", self.inputs.fetch_add(1, Ordering::Relaxed)))
    }

    pub fn deadline(&self) -> &Deadline {
        self.deadline
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
        // The shelf goes with the last that stood on it.
        if let Some(shelf) = self.dir.parent().filter(|shelf| shelf.file_name() == Some(OsStr::new(&shelf_name()))) {
            let _ = std::fs::remove_dir(shelf);
        }
    }
}

/// Opens what is a regular file, or a link to one; never waits for a pipe's other end.
fn open_regular(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::Error::other("it is no regular file")) }
}

/// Makes an empty directory for this user alone, outside the worktree.
fn make_directory(git: &Git, of: &Checkout) -> Result<PathBuf, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let root = of.root.canonicalize().unwrap_or_else(|_| of.root.clone());
    let mut failed = String::from("no place for it");
    let places = [git.var("TMPDIR").map(PathBuf::from), Some("/tmp".into()), Some("/var/tmp".into())];
    for place in places.into_iter().flatten().chain([of.common_dir.clone()]) {
        let inside = place.canonicalize().map_or(true, |real| real.starts_with(&root) && place != of.common_dir);
        if inside || !place.is_absolute() {
            continue;
        }
        for _ in 0..16 {
            let name = format!("deeds-tree-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let dir = own_shelf(&place).unwrap_or_else(|| place.clone()).join(name);
            match DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => return Ok(dir),
                // Somebody has this name, or has just taken the shelf away.
                Err(cause) if matches!(cause.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {}
                Err(cause) => {
                    failed = format!("{}: {cause}", dir.display());
                    break;
                }
            }
        }
    }
    Err(format!("no throw-away directory: {failed}"))
}

fn shelf_name() -> String {
    format!("deeds-{}", rustix::process::geteuid().as_raw())
}

/// `<place>/deeds-<uid>`, if it is this user's alone; there, what killed processes left is found and removed.
fn own_shelf(place: &Path) -> Option<PathBuf> {
    let me = rustix::process::geteuid().as_raw();
    let shelf = place.join(shelf_name());
    let _ = DirBuilder::new().mode(0o700).create(&shelf);
    let found = std::fs::symlink_metadata(&shelf).ok()?;
    if !found.is_dir() || found.uid() != me || found.mode() & 0o077 != 0 {
        return None;
    }
    for entry in std::fs::read_dir(&shelf).ok()?.flatten() {
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Some(shelf)
}

/// An object directory and all that it borrows from, absolute: git follows relative ones only from the first.
fn object_directories(first: &Path) -> Vec<PathBuf> {
    let mut found = vec![first.to_owned()];
    let mut level = found.clone();
    for _ in 0..ALTERNATES_DEPTH {
        let mut next = Vec::new();
        for objects in &level {
            let mut text = Vec::new();
            if let Ok(file) = open_regular(&objects.join("info/alternates")) {
                let _ = file.take(PATTERNS_CAP).read_to_end(&mut text);
            }
            for line in text.split(|b| *b == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
                let path = objects.join(std::ffi::OsString::from_vec(unquoted(line)));
                if !found.contains(&path) {
                    found.push(path.clone());
                    next.push(path);
                }
            }
        }
        level = next;
    }
    found
}

/// Bytes as a C string in quotation marks, which git reads wherever it reads a path from a line.
pub fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            0x20..=0x7e => out.push(*byte),
            _ => out.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    out.push(b'"');
    out
}

/// What [`quoted`] wrote; other bytes as they stand.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let Some(inner) = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else { return line.to_vec() };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    if let Some(digit) = bytes.next_if(|b| matches!(b, b'0'..=b'7')) {
                        value = (value << 3) | (digit - b'0');
                    }
                }
                out.push(value);
            }
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_back_however_odd() {
        for path in [&b"/home/dev/demo"[..], b"/a \"b\"\n\t\\c", b"/\xff\x01\xe9", b""] {
            assert_eq!(unquoted(&quoted(path)), path);
        }
        assert_eq!(unquoted(b"../plain/\\path"), b"../plain/\\path");
    }
}
