//! Reading a file that somebody else named, without being led astray: a regular file, not through a link, never one that
//! blocks, and no more of it than fits.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    Missing,
    /// The name is a symbolic link.
    Link,
    /// A directory, a device, a pipe.
    NotRegular,
    /// It belongs to another user.
    NotOurs,
    /// More bytes than asked for.
    TooLarge(u64),
    Failed(String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unreadable::Missing => f.write_str("no such file"),
            Unreadable::Link => f.write_str("a symbolic link"),
            Unreadable::NotRegular => f.write_str("not a regular file"),
            Unreadable::NotOurs => f.write_str("it belongs to another user"),
            Unreadable::TooLarge(len) => write!(f, "{len} bytes are too many to read"),
            Unreadable::Failed(cause) => f.write_str(cause),
        }
    }
}

/// Whose file it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user that deeds runs as.
    Us,
    Anybody,
}

/// An open regular file and its length when it was opened.
pub struct Regular {
    file: File,
    pub len: u64,
}

/// Opens `path` if it is a regular file and no link.
pub fn open(path: &Path, owner: Owner) -> Result<Regular, Unreadable> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = openat(CWD, path, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR => Unreadable::Missing,
        Errno::LOOP | Errno::MLINK => Unreadable::Link,
        Errno::NXIO => Unreadable::NotRegular,
        other => Unreadable::Failed(std::io::Error::from(other).to_string()),
    })?;
    let stat = fstat(&fd).map_err(|errno| Unreadable::Failed(std::io::Error::from(errno).to_string()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Unreadable::NotRegular);
    }
    if owner == Owner::Us && stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Unreadable::NotOurs);
    }
    Ok(Regular { file: File::from(fd), len: u64::try_from(stat.st_size).unwrap_or(0) })
}

impl Regular {
    /// The file itself, for what has to be read piece by piece.
    pub fn into_file(self) -> File {
        self.file
    }

    /// All of it, if it has no more than `cap` bytes.
    pub fn whole(mut self, cap: u64) -> Result<Vec<u8>, Unreadable> {
        if self.len > cap {
            return Err(Unreadable::TooLarge(self.len));
        }
        let mut bytes = Vec::with_capacity(self.len as usize + 1);
        (&mut self.file).take(cap + 1).read_to_end(&mut bytes).map_err(failed)?;
        match bytes.len() as u64 {
            read if read > cap => Err(Unreadable::TooLarge(read)),
            _ => Ok(bytes),
        }
    }

    /// `len` bytes from `at`, or as many as there are.
    pub fn part(&self, at: u64, len: usize) -> Result<Vec<u8>, Unreadable> {
        let mut bytes = vec![0; len];
        let mut read = 0;
        while read < len {
            match self.file.read_at(&mut bytes[read..], at + read as u64) {
                Ok(0) => break,
                Ok(n) => read += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        bytes.truncate(read);
        Ok(bytes)
    }
}

fn failed(error: std::io::Error) -> Unreadable {
    Unreadable::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("deeds-disk-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn only_a_regular_file_within_the_cap_is_read() {
        let dir = scratch("regular");
        let file = dir.join("a");
        std::fs::write(&file, "0123456789").unwrap();
        assert_eq!(open(&file, Owner::Us).unwrap().whole(10).unwrap(), b"0123456789");
        assert_eq!(open(&file, Owner::Us).unwrap().whole(9), Err(Unreadable::TooLarge(10)));
        assert_eq!(open(&file, Owner::Us).unwrap().part(8, 10).unwrap(), b"89");
        std::os::unix::fs::symlink(&file, dir.join("link")).unwrap();
        assert_eq!(open(&dir.join("link"), Owner::Us).err(), Some(Unreadable::Link));
        assert_eq!(open(&dir, Owner::Us).err(), Some(Unreadable::NotRegular));
        assert_eq!(open(&dir.join("none"), Owner::Us).err(), Some(Unreadable::Missing));
        assert_eq!(open(&file.join("below"), Owner::Us).err(), Some(Unreadable::Missing));
        assert_eq!(open(Path::new("/dev/null"), Owner::Anybody).err(), Some(Unreadable::NotRegular));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_pipe_does_not_block() {
        let dir = scratch("pipe");
        let pipe = dir.join("p");
        rustix::fs::mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(open(&pipe, Owner::Us).err(), Some(Unreadable::NotRegular));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
