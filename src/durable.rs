//! Files that survive: every system call by which deeds changes a disk, and what each guarantees.
//!
//! | call | after it returns |
//! |---|---|
//! | [`append`] | the bytes are in the file for every other process, also if this one dies; a power cut may take them |
//! | [`sync`] | they survive a power cut, as far as the disk keeps its word |
//! | [`put`] | under its name the file is whole or not there; which of the two after a power cut, only [`Sync::Data`] settles |
//!
//! Nothing opened here follows a symbolic link in its last component, and nothing waits for a pipe's other end.
//!
//! Architecture invariant: whoever changes a disk does it through this file, so that [`faults`] can stand in for any of
//! the calls failing, or for the process dying there.

pub mod faults;
mod limit;

pub use limit::outlive_file_limit;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use faults::{Call, Verdict};

/// Whether a write is made to survive a power cut before it counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sync {
    /// It survives the death of the process, not a power cut.
    #[default]
    None,
    /// `fdatasync`: it survives a power cut too.
    Data,
}

const GUARDED: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

fn guarded() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.custom_flags(GUARDED.bits() as i32).mode(0o600);
    options
}

/// Opens a regular file for reading; anything else is refused.
pub fn open(path: &Path) -> io::Result<File> {
    regular(guarded().read(true).open(path)?)
}

/// Opens a regular file for reading and for appending, making it (0600) where there is none.
pub fn open_append(path: &Path) -> io::Result<File> {
    faults::at(Call::Open)?;
    regular(guarded().read(true).append(true).create(true).open(path)?)
}

/// Makes a file (0600) that was not there.
pub fn create_new(path: &Path) -> io::Result<File> {
    faults::at(Call::Open)?;
    guarded().write(true).create_new(true).open(path)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Whether something could not be opened because it is a link, a folder, a pipe: not a file of ours.
pub fn is_irregular(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::IsADirectory
        || error.raw_os_error().is_none_or(|code| code == Errno::LOOP.raw_os_error())
}

/// A name that no other process, and no other call in this one, uses; later ones sort after earlier ones.
pub fn unique_name() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{nanos:020}-{}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

/// Writes all of `bytes`, in one system call unless the kernel takes less than it was given.
///
/// A failure may leave a part of them in the file.
pub fn append(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    match faults::on_write(bytes.len()) {
        Verdict::Go => file.write_all(bytes),
        Verdict::Partly(taken, error) => {
            file.write_all(&bytes[..taken])?;
            Err(error)
        }
    }
}

/// `fdatasync`.
pub fn sync(file: &File) -> io::Result<()> {
    faults::at(Call::Sync)?;
    file.sync_data()
}

/// Syncs a directory, so that the names in it survive a power cut.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    faults::at(Call::Sync)?;
    File::open(path)?.sync_all()
}

/// Makes `path` hold `bytes`: written under the name `draft` in the same file system, then renamed over whatever stood
/// there. A crash leaves at most the draft.
pub fn put(path: &Path, draft: &Path, bytes: &[u8], sync_to: Sync) -> io::Result<()> {
    let file = create_new(draft)?;
    let written = append(&file, bytes).and_then(|()| if sync_to == Sync::Data { sync(&file) } else { Ok(()) });
    if let Err(error) = written.and_then(|()| rename(draft, path)) {
        // The draft is of no use to anybody; that it cannot be removed either changes nothing about the failure.
        let _ = remove(draft);
        return Err(error);
    }
    if sync_to == Sync::Data
        && let Some(parent) = path.parent()
    {
        sync_dir(parent)?;
    }
    Ok(())
}

/// Writes `bytes` over the beginning of a regular file that is there. Of less than a page and a sector a crash leaves all
/// or nothing; it takes no room on the disk.
pub fn overwrite(path: &Path, bytes: &[u8], sync_to: Sync) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let file = regular(guarded().write(true).open(path)?)?;
    faults::at(Call::Overwrite)?;
    file.write_all_at(bytes, 0)?;
    if sync_to == Sync::Data { sync(&file) } else { Ok(()) }
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    faults::at(Call::Rename)?;
    std::fs::rename(from, to)
}

pub fn remove(path: &Path) -> io::Result<()> {
    faults::at(Call::Remove)?;
    std::fs::remove_file(path)
}

/// Makes a file look as if it had been written now.
pub fn touch(file: &File) -> io::Result<()> {
    file.set_modified(std::time::SystemTime::now())
}

/// Removes a directory that is empty.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    faults::at(Call::Remove)?;
    std::fs::remove_dir(path)
}

/// Makes a directory (0700) in one that is there; that it is there itself is no error.
pub fn make_dir(path: &Path) -> io::Result<()> {
    faults::at(Call::MakeDir)?;
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Makes a directory (0700) and all that it is in.
pub fn make_dirs(path: &Path) -> io::Result<()> {
    faults::at(Call::MakeDir)?;
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// What a small file fits into, so that reading it takes one call.
const SMALL: usize = 256;

/// The first `cap` bytes of a small regular file, links followed.
pub fn read_small(path: &Path, cap: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    let file = regular(options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?)?;
    let mut bytes = Vec::with_capacity(SMALL);
    file.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// At most `cap` bytes of an open file.
pub fn read_capped(file: &File, cap: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(SMALL);
    file.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}
