//! What is found wrong with a ledger, and what that makes of the whole.

use std::fmt;

/// What all findings of a ledger come to; the worst first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It cannot be read, in whole or in part: nothing is said about what it holds.
    Unreadable,
    /// A line is not what was written, or is not where it was written.
    Altered,
    /// Two writers, each believing to be alone, continued the same entry.
    Forked,
    /// Something that was there is gone.
    Shrunk,
    /// The last line was cut short, by a crash as a rule; the next append isolates it.
    TornTail,
    #[default]
    Ok,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Unreadable => "unreadable",
            Outcome::Altered => "altered",
            Outcome::Forked => "forked",
            Outcome::Shrunk => "shrunk",
            Outcome::TornTail => "torn_tail",
            Outcome::Ok => "ok",
        }
    }
}

/// Kinds of findings: the tag, and what one of them makes of the ledger.
macro_rules! kinds {
    ($($(#[$meta:meta])* $variant:ident = $tag:literal => $outcome:ident),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FindingKind { $($(#[$meta])* $variant),+ }

        impl FindingKind {
            pub fn as_str(self) -> &'static str {
                match self { $(FindingKind::$variant => $tag),+ }
            }

            pub fn outcome(self) -> Outcome {
                match self { $(FindingKind::$variant => Outcome::$outcome),+ }
            }
        }
    };
}

kinds! {
    /// Reading failed.
    Unreadable = "unreadable" => Unreadable,
    /// A later version's format.
    Newer = "newer" => Unreadable,
    /// A line's bytes are not those that were written.
    Altered = "altered" => Altered,
    /// Entries are gone from the middle or the beginning.
    Missing = "missing" => Altered,
    /// A line stands there twice.
    Repeated = "repeated" => Altered,
    /// A line stands after one that was written after it.
    OutOfOrder = "out_of_order" => Altered,
    /// Not the ledger that was begun here.
    Replaced = "replaced" => Altered,
    /// A blob holds something else than what it was stored for.
    BlobAltered = "blob_altered" => Altered,
    /// An entry without a mac where the ledger has a key.
    MacMissing = "mac_missing" => Altered,
    /// An entry's mac is not what its key makes of it.
    MacDiffers = "mac_differs" => Altered,
    Forked = "forked" => Forked,
    /// A checkpoint was made of other entries than those that stand there.
    OtherHistory = "other_history" => Forked,
    /// The key is ahead of the entries, or was when it signed one: those between are gone.
    KeyAhead = "key_ahead" => Shrunk,
    /// A checkpoint counts more entries than there are.
    FewerEntries = "fewer_entries" => Shrunk,
    /// A ledger was begun here, and it is gone.
    Gone = "gone" => Shrunk,
    BlobMissing = "blob_missing" => Shrunk,
    /// The same of a ledger that was here before this one, and somebody said that he knows of it.
    Forgotten = "forgotten" => Ok,
    TornTail = "torn_tail" => TornTail,
    /// A key was made for a ledger whose entries had been signed with another one.
    Rekeyed = "rekeyed" => Ok,
    /// There is a key and it cannot be read: the chain alone was checked.
    KeyUnreadable = "key_unreadable" => Ok,
    /// Two observations with one id say different things; both stand.
    Conflict = "conflict" => Ok,
}

/// One thing found, with the first line that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// From 1, in its file; 0 where it is about no line.
    pub line: u64,
    pub detail: String,
}

/// What reading yields where a line is not what it should be.
pub type BadLine = Finding;

impl Finding {
    pub(super) fn new(kind: FindingKind, line: u64, detail: impl Into<String>) -> Finding {
        Finding { kind, line, detail: detail.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.kind.as_str(), self.detail),
            line => write!(f, "{}, line {line}: {}", self.kind.as_str(), self.detail),
        }
    }
}
