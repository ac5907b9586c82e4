//! What is too long for a line: files named by the SHA-256 of what they hold, `blobs/<aa>/<sha256>`.
//!
//! Architecture invariant: what a blob's name is given for is what it holds. Reading checks it, and so does storing over a
//! blob that is there: one that holds something else is moved to the quarantine and made anew.

use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::body::Store;
use crate::durable::{self, Sync};
use crate::evidence::id::{hex, sha256_hex};
use crate::layout;

/// What is younger is not collected, whether anything names it or not; half of it is old enough to be touched.
pub const GRACE: Duration = Duration::from_secs(24 * 3600);
const RECENT: Duration = Duration::from_secs(12 * 3600);

/// The blobs of one ledger.
#[derive(Debug, Clone, Copy)]
pub struct Blobs<'a> {
    pub(super) ledger: &'a Path,
    pub(super) sync: Sync,
}

/// What stands under a blob's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// What the name says.
    Intact,
    /// Nothing, or an empty file: removed, or never written out before a power cut.
    Missing,
    /// Something else.
    Differs,
}

impl Blobs<'_> {
    /// Where a blob is. `digest` is 64 hex digits.
    pub fn path(&self, digest: &str) -> PathBuf {
        let mut path = self.ledger.join(layout::BLOBS);
        path.push(digest.get(..2).unwrap_or_default());
        path.push(digest);
        path
    }

    /// Keeps `bytes` and says their SHA-256. The file is there, whole, when this returns.
    pub fn put(&self, bytes: &[u8]) -> io::Result<String> {
        self.put_as(sha256_hex(bytes), bytes)
    }

    /// The same for bytes whose digest is known.
    fn put_as(&self, digest: String, bytes: &[u8]) -> io::Result<String> {
        debug_assert_eq!(digest, sha256_hex(bytes));
        let path = self.path(&digest);
        match durable::open(&path) {
            Ok(file) if same(&file, bytes)? => {
                in_use(&file);
                if self.sync == Sync::Data {
                    durable::sync(&file)?;
                }
                return Ok(digest);
            }
            Ok(_) => self.set_aside(&path)?,
            Err(error) if durable::is_irregular(&error) => self.set_aside(&path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // Beside its place, so that a missing folder is noticed before anything is written.
        let draft = path.with_file_name(durable::unique_name());
        let put = durable::put(&path, &draft, bytes, self.sync);
        if put.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            durable::make_dirs(path.parent().unwrap_or(self.ledger))?;
            durable::put(&path, &draft, bytes, self.sync)?;
        } else {
            put?;
        }
        Ok(digest)
    }

    /// What a blob holds; `None` if that is not what its name says.
    pub fn get(&self, digest: &str) -> Option<Vec<u8>> {
        if !is_digest(digest) {
            return None;
        }
        let mut bytes = Vec::new();
        durable::open(&self.path(digest)).ok()?.read_to_end(&mut bytes).ok()?;
        (sha256_hex(&bytes) == digest).then_some(bytes)
    }

    /// Reads a blob without keeping it.
    pub fn check(&self, digest: &str) -> io::Result<Held> {
        let mut file = match durable::open(&self.path(digest)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Missing),
            Err(error) if durable::is_irregular(&error) => return Ok(Held::Differs),
            Err(error) => return Err(error),
        };
        let mut sha = Sha256::new();
        let mut chunk = vec![0; 64 << 10];
        let mut total = 0;
        loop {
            let read = file.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            sha.update(&chunk[..read]);
            total += read;
        }
        Ok(match (hex(&sha.finalize()) == digest, total) {
            (true, _) => Held::Intact,
            (false, 0) => Held::Missing,
            (false, _) => Held::Differs,
        })
    }

    fn set_aside(&self, path: &Path) -> io::Result<()> {
        let quarantine = self.ledger.join(layout::QUARANTINE);
        durable::make_dir(&quarantine)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        durable::rename(path, &quarantine.join(format!("blob-{name}-{}", durable::unique_name())))
    }
}

impl Store for Blobs<'_> {
    type Error = io::Error;
    fn store(&mut self, bytes: &[u8], digest: Option<&str>) -> io::Result<String> {
        match digest {
            Some(digest) => self.put_as(digest.to_owned(), bytes),
            None => self.put(bytes),
        }
    }
}

/// Whether `digest` is 64 lower-case hex digits, and so no path.
pub fn is_digest(digest: &str) -> bool {
    digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A blob that is stored again after a long time looks as if it were new, so that nobody takes it for garbage before the
/// line that names it is there. One that cannot be touched is another user's, and not collected by this one.
fn in_use(file: &std::fs::File) {
    let age = file.metadata().and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age > RECENT) {
        let _ = durable::touch(file);
    }
}

fn same(file: &std::fs::File, bytes: &[u8]) -> io::Result<bool> {
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut held = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64 + 1).read_to_end(&mut held)?;
    Ok(held == bytes)
}
