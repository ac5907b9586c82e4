//! A checkpoint: how many entries a ledger had, and one hash over all of theirs, signed, to be kept elsewhere.
//!
//! The text is a C2SP tlog-checkpoint in a signed note (<https://c2sp.org/tlog-checkpoint>,
//! <https://c2sp.org/signed-note>):
//!
//! ```text
//! deeds/<ledger id>
//! <how many entries>
//! <root, base64>
//!
//! — deeds/<ledger id> <base64 of: 4 bytes of the key's id, 64 bytes of Ed25519 signature>
//! ```
//!
//! The root is RFC 6962's (§2.1) over leaves that are the 32 bytes of each entry's hash, in order.
//!
//! Architecture invariant: memory grows with the logarithm of the number of entries.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::finding::{Finding, FindingKind};
use super::hash::Hash;
use super::mac::Whole;

const ORIGIN: &str = "deeds/";
const SIGNED_BY: &str = "\u{2014} ";
/// The signature type of Ed25519.
const ED25519: u8 = 1;
/// A longer file is no checkpoint.
pub const LEN_MAX: usize = 64 << 10;

/// The Merkle tree over the entries so far: the roots of its full subtrees, the largest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    full: Vec<[u8; 32]>,
}

impl Tree {
    pub(super) fn add(&mut self, hash: &Hash) {
        self.add_leaf(&hash.raw());
    }

    fn add_leaf(&mut self, data: &[u8]) {
        let mut node: [u8; 32] = Sha256::new().chain_update([0]).chain_update(data).finalize().into();
        // One full subtree for each bit of the size; a leaf carries as adding one does.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.full.pop() {
                node = inner(&left, &node);
            }
        }
        self.full.push(node);
        self.size += 1;
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn root(&self) -> [u8; 32] {
        let mut subtrees = self.full.iter().rev();
        match subtrees.next() {
            Some(last) => subtrees.fold(*last, |right, left| inner(left, &right)),
            None => Sha256::digest([]).into(),
        }
    }
}

fn inner(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// What a checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The ledger's id.
    pub ledger: String,
    pub size: u64,
    pub root: [u8; 32],
}

/// A signature under a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub by: String,
    id: [u8; 4],
    pub signature: [u8; 64],
}

impl Signed {
    /// Whether it says that it was made with this Ed25519 key.
    pub fn is_of(&self, key: &[u8; 32]) -> bool {
        self.id == key_id(&self.by, key)
    }
}

/// The first four bytes of SHA-256 over the key's name, a newline, the kind of key, and the key.
fn key_id(name: &str, key: &[u8; 32]) -> [u8; 4] {
    let hash = Sha256::new().chain_update(name).chain_update([b'\n', ED25519]).chain_update(key).finalize();
    [hash[0], hash[1], hash[2], hash[3]]
}

impl Checkpoint {
    fn origin(&self) -> String {
        format!("{ORIGIN}{}", self.ledger)
    }

    /// What is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin(), self.size, STANDARD.encode(self.root))
    }

    /// The note, signed with the private half of `key`.
    pub fn note(&self, key: &[u8; 32], sign: impl FnOnce(&[u8]) -> [u8; 64]) -> String {
        let (text, name) = (self.text(), self.origin());
        let mut signature = key_id(&name, key).to_vec();
        signature.extend_from_slice(&sign(text.as_bytes()));
        format!("{text}\n{SIGNED_BY}{name} {}\n", STANDARD.encode(signature))
    }

    /// Reads a note: what it says, the text that is signed, and its Ed25519 signatures. The error is a cause.
    pub fn parse(note: &str) -> Result<(Checkpoint, String, Vec<Signed>), &'static str> {
        let (text, signatures) = note.rsplit_once("\n\n").ok_or("it has no signature")?;
        let text = format!("{text}\n");
        let mut lines = text.lines();
        let origin = lines.next().and_then(|line| line.strip_prefix(ORIGIN));
        let ledger = origin.filter(|id| id.len() == 32).ok_or("its first line names no ledger")?.to_owned();
        let size = lines.next().filter(|size| *size == "0" || !size.starts_with(['0', '+']));
        let size = size.and_then(|size| size.parse().ok()).ok_or("its second line is no number of entries")?;
        let root = lines.next().and_then(|line| STANDARD.decode(line).ok()?.try_into().ok());
        let root = root.ok_or("its third line is no SHA-256 in base64")?;
        let mut signed = Vec::new();
        for line in signatures.lines() {
            let parts = line.strip_prefix(SIGNED_BY).and_then(|line| line.split_once(' '));
            let (by, bytes) = parts.ok_or("what follows the empty line is no signature")?;
            let bytes = STANDARD.decode(bytes).map_err(|_| "a signature is not base64")?;
            // Of another length it is of a kind that is for others.
            if let (Some(id), Some(signature)) = (bytes.first_chunk(), bytes.get(4..).and_then(|s| s.try_into().ok())) {
                signed.push(Signed { by: by.to_owned(), id: *id, signature });
            }
        }
        if signed.is_empty() {
            return Err("it has no Ed25519 signature");
        }
        Ok((Checkpoint { ledger, size, root }, text, signed))
    }
}

/// A checkpoint that a ledger is held against while it is read.
pub(super) struct Expected<'a> {
    checkpoint: &'a Checkpoint,
    /// The root at its size.
    root: Option<[u8; 32]>,
}

impl<'a> Expected<'a> {
    pub fn new(checkpoint: &'a Checkpoint) -> Expected<'a> {
        let root = (checkpoint.size == 0).then(|| Tree::default().root());
        Expected { checkpoint, root }
    }

    pub fn entry(&mut self, tree: &Tree) {
        if tree.size == self.checkpoint.size {
            self.root = Some(tree.root());
        }
    }

    pub fn end(&self, whole: &Whole) -> Option<Finding> {
        let Checkpoint { ledger, size, root } = self.checkpoint;
        match (&whole.id, self.root) {
            (Some(id), _) if id != ledger => {
                let detail = format!("this is ledger {id}; the checkpoint is of ledger {ledger}");
                Some(Finding::new(FindingKind::Replaced, 1, detail))
            }
            (_, None) => {
                let detail = format!("the checkpoint is of {size} entries; {} are here", whole.entries);
                Some(Finding::new(FindingKind::FewerEntries, 0, detail))
            }
            (_, Some(found)) if found != *root => {
                let detail = format!("the first {size} entries are not those that the checkpoint was made of");
                Some(Finding::new(FindingKind::OtherHistory, 0, detail))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::id::hex;

    #[test]
    fn roots_are_those_of_rfc_6962() {
        // The leaves, made with python3's hashlib by the recursive definition of RFC 6962 §2.1:
        //   def mth(d): n = len(d); k = largest power of two < n
        //     n == 0: sha256(b""); n == 1: sha256(b"\0" + d[0]); else sha256(b"\1" + mth(d[:k]) + mth(d[k:]))
        //   leaves = [bytes([i]) * 32 for i in range(n)]
        for (size, root) in ROOTS {
            let mut tree = Tree::default();
            (0..*size).for_each(|i| tree.add_leaf(&[i; 32]));
            assert_eq!(hex(&tree.root()), *root, "{size}");
        }
    }

    #[test]
    fn a_note_has_the_form_of_the_specification_and_reads_back() {
        let checkpoint = Checkpoint { ledger: "ab".repeat(16), size: 7, root: [5; 32] };
        let note = checkpoint.note(&[3; 32], |_| [9; 64]);
        // base64 of python3's hashlib.sha256(b"deeds/" + b"ab" * 16 + b"\n\x01" + b"\x03" * 32).digest()[:4] + b"\x09" * 64
        let name = format!("deeds/{}", "ab".repeat(16));
        assert_eq!(
            note,
            format!("{name}\n7\n{}\n\n\u{2014} {name} {SIGNATURE}\n", "BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU=")
        );
        let (read, text, signed) = Checkpoint::parse(&note).unwrap();
        assert_eq!((&read, text), (&checkpoint, checkpoint.text()));
        assert!(signed[0].is_of(&[3; 32]) && !signed[0].is_of(&[4; 32]) && signed[0].signature == [9; 64]);
        for (from, to) in [("\n7\n", "\n07\n"), ("\n7\n", "\n-7\n"), ("\n\n", "\n"), ("BQUF", "BQ"), ("deeds/", "x/")] {
            assert!(Checkpoint::parse(&note.replacen(from, to, 1)).is_err(), "{to}");
        }
    }

    const SIGNATURE: &str =
        "arVM2AkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=";
    const ROOTS: &[(u8, &str)] = &[
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9"),
        (2, "28fb81e496897e0ce886f08602392e9239b65c659041e5202163e58ad898f444"),
        (3, "ba8d94b7fbcecae7b81c4c80574fe24734a6917bf9c1ecd66ff3e0c34ead4620"),
        (5, "85e20cac1f02fda7bcdb2fc3f908568c57018c77815f1fa361acad13994f08bf"),
        (7, "7318881c41fce3c1de3640df8e8c110c93f43f686b74204a9d1ad5b8c71c2047"),
        (8, "f907f23f76aa01b755a614d31ef9832909f44638b4590073301e61e6d01f9a1d"),
        (100, "3e9a4e174ad846030b2bbaadcc6f51540fd556b27b8af9a6119af6719b7d425f"),
    ];
}
