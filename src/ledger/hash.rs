//! What an entry is known by: the SHA-256 of its bytes, which the entry after it repeats.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::evidence::id::hex;

/// Hashed before an entry's bytes, so that no hash of anything else is one of an entry.
const DOMAIN: &[u8] = b"deeds:entry:v1\n";
/// `prev` of the first entry.
pub const ZERO: Hash = Hash([b'0'; 64]);

/// A SHA-256 as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 64]);

impl Hash {
    pub(super) fn parse(digits: &[u8]) -> Option<Hash> {
        let digits: [u8; 64] = digits.try_into().ok()?;
        digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).then_some(Hash(digits))
    }

    /// The hash of what stands before `,"hash":"`.
    pub(super) fn of(covered: &[u8]) -> Hash {
        let mut sha = Sha256::new();
        sha.update(DOMAIN);
        sha.update(covered);
        let mut digits = [0; 64];
        digits.copy_from_slice(hex(&sha.finalize()).as_bytes());
        Hash(digits)
    }

    /// The 32 bytes themselves.
    pub(super) fn raw(&self) -> [u8; 32] {
        let nibble = |digit: u8| if digit < b'a' { digit - b'0' } else { digit - b'a' + 10 };
        std::array::from_fn(|i| nibble(self.0[2 * i]) << 4 | nibble(self.0[2 * i + 1]))
    }

    pub(super) fn of_raw(raw: &[u8; 32]) -> Hash {
        let mut digits = [0; 64];
        digits.copy_from_slice(hex(raw).as_bytes());
        Hash(digits)
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
