//! Deterministic ids: the same observation has the same id however often, and by whichever process, it is met.

use sha2::{Digest, Sha256};

use super::tags::CollectionMethod;

/// What an observation is known by. Fields are length-prefixed before hashing, so that none can run into the next.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceId<'a> {
    /// `claude`, `codex`, `deeds`.
    pub provider: &'a str,
    pub session: &'a str,
    /// The client's event name or rollout item type.
    pub phase: &'a str,
    /// The client's call id; without one, a digest of the payload.
    pub call: &'a str,
    pub sensor: &'a str,
    pub method: &'a CollectionMethod,
    /// What tells several observations of one sensor about one call apart: an ordinal or a path; else empty.
    pub part: &'a str,
}

impl EvidenceId<'_> {
    /// 32 hex digits of SHA-256.
    pub fn hex(&self) -> String {
        digest_fields(&[
            self.provider,
            self.session,
            self.phase,
            self.call,
            self.sensor,
            self.method.as_str(),
            self.part,
        ])
    }
}

/// 32 hex digits over length-prefixed fields; for entries that are not evidence (sessions, claims) too.
pub fn digest_fields(fields: &[&str]) -> String {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field.as_bytes());
    }
    hex(&hash.finalize()[..16])
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out
}

/// SHA-256 of `bytes` as 64 hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cannot_run_into_each_other() {
        assert_ne!(digest_fields(&["ab", "c"]), digest_fields(&["a", "bc"]));
        assert_ne!(digest_fields(&["ab"]), digest_fields(&["ab", ""]));
        let id = |session, part| {
            EvidenceId {
                provider: "claude",
                session,
                phase: "PostToolUse",
                call: "toolu_1",
                sensor: "S",
                method: &CollectionMethod::HookCallback,
                part,
            }
            .hex()
        };
        assert_eq!(id("s", ""), id("s", ""));
        assert_ne!(id("s", ""), id("s", "1"));
        assert_ne!(id("s", ""), id("t", ""));
        assert_eq!(id("s", "").len(), 32);
    }

    #[test]
    fn hex_is_what_sha256sum_prints() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
