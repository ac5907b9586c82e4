//! What the judge refuses: one code, the place as a JSON pointer, and the rule. Never what stood there.

use std::fmt::{self, Write as _};

use serde::Serialize;

/// The contract knows one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceErrorCode {
    InvalidInput,
}

/// Why nothing was judged. Serialises as `{"code","message","at"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceError {
    pub code: EvidenceErrorCode,
    /// Where and why, for a reader.
    pub message: String,
    /// Where, as a JSON pointer. It goes as far as the contract's own keys go: a key that the judge ignores is the
    /// caller's, and may be an identifier.
    pub at: String,
}

impl EvidenceError {
    /// `rule` reads as what is wrong at `at`.
    pub(super) fn new(at: String, rule: impl fmt::Display) -> EvidenceError {
        let place = if at.is_empty() { "the input" } else { &at };
        EvidenceError { code: EvidenceErrorCode::InvalidInput, message: format!("{place}: {rule}"), at }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvidenceError {}

/// One step of a JSON pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Key(&'static str),
    Index(usize),
}

/// RFC 6901. The contract's keys have neither `~` nor `/`, so nothing needs escaping.
pub(super) fn pointer(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        // Writing to a String cannot fail.
        let _ = match step {
            Step::Key(key) => write!(out, "/{key}"),
            Step::Index(index) => write!(out, "/{index}"),
        };
    }
    out
}
