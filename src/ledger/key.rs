//! The key that entries are signed with, one after the other: the current one, kept outside of the project.
//!
//! K(N) is for entry N, and K(N+1) is SHA-256 of a fixed text and K(N): whoever reads the current key can forge what comes,
//! not what came. Small files in `$XDG_STATE_HOME/deeds/keys`, named after the ledger's path:
//!
//! | file | holds |
//! |---|---|
//! | `….key` | the key for the next entry, and which entry that is |
//! | `….first` | the first key, until `deeds key take` gives it away |
//! | `….gone` | which ledgers were begun here before, of which nothing was left when this one began |
//!
//! | a crash after | leaves |
//! |---|---|
//! | both files are made | a key that nothing was signed with; the next append takes it |
//! | the lines are written | a key that is behind, and catches up |
//!
//! `….key` is written over in place: one record shorter than a page and a disk's sector, so that neither a kill nor a
//! power cut leaves half of it, it needs no room on a full disk, and the old key's bytes are gone from the disk. (Renaming a
//! new file over it without a sync may leave an empty one after a power cut, and the old key in a free block.)
//!
//! Architecture invariant: a key is only made or moved under the ledger's lock; whoever verifies makes none.

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::hash::Hash;
use crate::durable::{self, Sync};
use crate::evidence::id::{hex, sha256_hex};
use crate::layout;

const RATCHET: &[u8] = b"deeds:key:v1\n";
/// A key that is behind by more entries does not catch up.
pub(super) const BEHIND_MAX: u64 = 1 << 20;
/// So long a list of ledgers that are gone is read.
const GONE_MAX: u64 = 4 << 10;
const TITLE: &str = "deeds-key 1";

/// The key of one entry, and which one that is. Every skipped number stands for an entry that is gone.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// The ledger's id.
    pub ledger: String,
    /// The first entry that was signed, with the first key.
    pub first: u64,
    /// Where the entries begin since which no key was skipped.
    pub start: u64,
    /// The entry that the key is for.
    pub seq: u64,
    /// The key's own number: `seq`, and one more for each entry that is gone.
    pub index: u64,
    bytes: [u8; 32],
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "key {} of ledger {} for entry {}", self.index, self.ledger, self.seq)
    }
}

impl Key {
    fn begin(ledger: String, first: u64) -> io::Result<Key> {
        let mut bytes = [0; 32];
        File::open(layout::RANDOM)?.read_exact(&mut bytes)?;
        Ok(Key { ledger, first, start: first, seq: first, index: first, bytes })
    }

    /// What an entry of this hash is signed with.
    pub(super) fn mac(&self, hash: &Hash) -> Hash {
        let mut raw = [0; 32];
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.bytes) {
            mac.update(&hash.raw());
            raw.copy_from_slice(&mac.finalize().into_bytes());
        }
        Hash::of_raw(&raw)
    }

    /// The key after this one, for the entry after.
    pub(super) fn ratchet(&mut self) {
        self.skip();
        self.seq += 1;
    }

    /// The key after this one, for the same entry.
    pub(super) fn skip(&mut self) {
        let mut sha = Sha256::new();
        sha.update(RATCHET);
        sha.update(self.bytes);
        self.bytes.copy_from_slice(&sha.finalize());
        self.index += 1;
    }

    /// Whether an entry was signed, as far as is known.
    pub(super) fn is_used(&self) -> bool {
        self.seq > self.start || self.start > 0
    }

    /// What `deeds key take` prints, and the files hold: fixed places, so that one record covers another.
    pub fn to_text(&self) -> String {
        let Key { ledger, first, start, seq, index, bytes } = self;
        let key = hex(bytes);
        let mut text = format!(
            "{TITLE}\nledger {ledger}\nfirst {first:020}\nstart {start:020}\nseq {seq:020}\nindex {index:020}\nkey {key}\n"
        );
        let sum = checksum(text.as_bytes());
        text.push_str(&format!("sum {sum:016x}\n"));
        text
    }

    /// Reads [`Key::to_text`] back.
    pub fn parse(text: &str) -> Option<Key> {
        let (before, sum) = text.trim_end().rsplit_once('\n')?;
        let sum = u64::from_str_radix(sum.strip_prefix("sum ")?, 16).ok()?;
        if checksum(format!("{before}\n").as_bytes()) != sum {
            return None;
        }
        let mut lines = before.lines();
        if lines.next()? != TITLE {
            return None;
        }
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let ledger = value("ledger").filter(|id| id.len() == 32)?.to_owned();
        let mut number = |name: &str| value(name)?.parse::<u64>().ok();
        let (first, start, seq, index) = (number("first")?, number("start")?, number("seq")?, number("index")?);
        let bytes = Hash::parse(value("key")?.as_bytes())?.raw();
        Some(Key { ledger, first, start, seq, index, bytes })
    }
}

/// Whether this can be a ledger's id.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// FNV-1a: tells a record that was cut or mixed from a whole one, and is no guard against anybody.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Where a ledger's keys are.
#[derive(Debug, Clone)]
pub struct Keys {
    dir: PathBuf,
    name: String,
}

/// What is known of a ledger's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Key(Key),
    None,
    /// Something stands there that is no key.
    Damaged,
}

impl Keys {
    /// The keys of the ledger in `ledger`; `state` is `$XDG_STATE_HOME/deeds`.
    pub fn of(ledger: &Path, state: Option<&Path>) -> Option<Keys> {
        let path = ledger.canonicalize().ok().or_else(|| {
            // Of a directory that is gone, what it was in may still be there.
            Some(ledger.parent()?.canonicalize().ok()?.join(ledger.file_name()?))
        });
        let path = path.unwrap_or_else(|| ledger.to_owned());
        let name = sha256_hex(path.as_os_str().as_encoded_bytes())[..32].to_owned();
        Some(Keys { dir: state?.join(layout::KEYS), name })
    }

    pub fn path(&self) -> PathBuf {
        self.dir.join(format!("{}.key", self.name))
    }

    pub fn first_path(&self) -> PathBuf {
        self.dir.join(format!("{}.first", self.name))
    }

    /// The current key. Where its file is damaged or gone and the first one is there, that one, which catches up.
    pub fn current(&self) -> io::Result<Found> {
        let found = read(&self.path())?;
        if matches!(found, Found::Key(_)) {
            return Ok(found);
        }
        let first = self.first()?;
        Ok(if matches!(first, Found::Key(_)) { first } else { found })
    }

    /// The first key, if it has not been taken.
    pub fn first(&self) -> io::Result<Found> {
        read(&self.first_path())
    }

    /// Makes the first key of a ledger; `entry` will be the first that is signed. The ledger must be locked.
    pub(super) fn make(&self, ledger: String, entry: u64) -> io::Result<Key> {
        let key = Key::begin(ledger, entry)?;
        durable::make_dirs(&self.dir)?;
        private_dir(&self.dir)?;
        let put = |path: &Path| {
            let draft = self.dir.join(durable::unique_name());
            durable::put(path, &draft, key.to_text().as_bytes(), Sync::None)
        };
        // The current one last: with it alone nothing is lost but the way back.
        if let Err(error) = put(&self.first_path()).and_then(|()| put(&self.path())) {
            // Half of it would be a key that was there before the entries that now go without.
            let _ = durable::remove(&self.path());
            let _ = durable::remove(&self.first_path());
            return Err(error);
        }
        Ok(key)
    }

    /// Writes the current key over the one before.
    pub(super) fn store(&self, key: &Key, sync: Sync) -> io::Result<()> {
        let path = self.path();
        match durable::overwrite(&path, key.to_text().as_bytes(), sync) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                durable::put(&path, &self.dir.join(durable::unique_name()), key.to_text().as_bytes(), sync)
            }
            done => done,
        }
    }

    /// The ledgers that were begun here before this one, and how many entries each had: what its genesis names.
    pub(super) fn gone(&self) -> Vec<(String, u64)> {
        let text = durable::open(&self.gone_path()).and_then(|file| durable::read_capped(&file, GONE_MAX));
        let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
        let row = |line: &str| {
            let (id, entries) = line.split_once(' ')?;
            is_id(id).then_some((id.to_owned(), entries.parse().ok()?))
        };
        let mut rows: Vec<(String, u64)> = text.lines().filter_map(row).collect();
        rows.dedup();
        rows
    }

    /// Notes that nothing is left of a key's ledger. The next ledger here has keys of its own.
    pub(super) fn note_gone(&self, key: &Key) -> io::Result<()> {
        let file = durable::open_append(&self.gone_path())?;
        if file.metadata()?.len() >= GONE_MAX {
            return Err(io::Error::other("it has grown too long"));
        }
        durable::append(&file, format!("{} {}\n", key.ledger, key.seq).as_bytes())
    }

    /// The next ledger here need not name them again.
    pub(super) fn forget_gone(&self) {
        // If it cannot be removed, it is asked about once more.
        let _ = durable::remove(&self.gone_path());
    }

    fn gone_path(&self) -> PathBuf {
        self.dir.join(format!("{}.gone", self.name))
    }

    /// Forgets the first key.
    pub fn forget_first(&self) -> io::Result<()> {
        durable::overwrite(&self.first_path(), &[b'0'; 256], Sync::Data)?;
        durable::remove(&self.first_path())?;
        durable::sync_dir(&self.dir)
    }
}

/// Whether an error says that there is no place to keep keys in, rather than that something went wrong there.
pub(super) fn no_place(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotADirectory | ErrorKind::NotFound
    ) || durable::is_irregular(error)
}

fn private_dir(dir: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(dir)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    if found.mode() & 0o077 != 0 { std::fs::set_permissions(dir, Permissions::from_mode(0o700)) } else { Ok(()) }
}

fn read(path: &Path) -> io::Result<Found> {
    let file = match durable::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::None),
        Err(error) => return Err(error),
    };
    let found = file.metadata()?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    if found.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    let mut bytes = [0; 512];
    let read = file.read_at(&mut bytes, 0)?;
    let text = std::str::from_utf8(&bytes[..read]).ok();
    Ok(text.and_then(Key::parse).map_or(Found::Damaged, Found::Key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key { ledger: "ab".repeat(16), first: 7, start: 7, seq: 7, index: 7, bytes: [0x0b; 32] }
    }

    #[test]
    fn a_key_reads_back_and_no_changed_record_does() {
        let text = key().to_text();
        assert_eq!(Key::parse(&text), Some(key()));
        for cut in 0..text.len() - 1 {
            assert_eq!(Key::parse(&text[..cut]), None, "{cut}");
        }
        assert_eq!(Key::parse(&text.replace("seq 00000000000000000007", "seq 00000000000000000008")), None);
    }

    #[test]
    fn keys_and_macs_are_what_the_format_says() {
        // python3: hashlib.sha256(b"deeds:key:v1\n" + b"\x0b" * 32).hexdigest()
        let mut next = key();
        next.ratchet();
        assert_eq!(hex(&next.bytes), NEXT);
        assert_eq!((next.seq, next.index), (8, 8));
        // python3: hmac.new(b"\x0b" * 32, bytes(range(32)), hashlib.sha256).hexdigest()
        let hash = Hash::of_raw(&std::array::from_fn(|i| i as u8));
        assert_eq!(key().mac(&hash).as_str(), MAC);
    }

    const NEXT: &str = "92214531519b6a585288e8fbbe0b1079a005f016c99f657e5aacd223c0721f1d";
    const MAC: &str = "72769de7f20d73ce35815c4a63afb067ed6ba2829a78ccbb6818cf51a97b4b14";
}
