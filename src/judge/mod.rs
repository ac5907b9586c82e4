//! The pure judge: claims and records in, one result per claim out.
//!
//! It holds what was declared against what was declared: whether a record is true, what a subject names and whether a
//! claim is worth making are its caller's business. Everything is validated before anything is judged; the first thing
//! that is wrong refuses the whole input.
//!
//! Architecture invariant: no I/O, no clock, no environment, no logging, no panic; it imports nothing but serde. Equal
//! inputs give byte-equal JSON. No error and no warning repeats an identifier: they say where, and which rule.

mod error;
mod identifier;
mod input;
mod json;
mod validate;
mod verdict;

pub use error::{EvidenceError, EvidenceErrorCode};
pub use input::{ClaimRequirement, EvidenceClaim, EvidenceOutcome, EvidenceRecord, Snapshot};
pub use validate::{Warning, warnings};
pub use verdict::{ClaimOutcome, ClaimResult, EvidenceVerdict, UnsupportedReason};

/// Judges one JSON document, `{"claims":[…],"evidence":[…]}`, of which nothing is taken on trust.
pub fn judge_evidence(input: &[u8]) -> Result<EvidenceVerdict, EvidenceError> {
    let snapshot = Snapshot::read(input)?;
    judge(&snapshot.claims, &snapshot.evidence)
}

/// Judges values that the caller holds already. They are validated as a document is: types leave identifiers,
/// duplicates and empty `requires` open.
pub fn judge<S: AsRef<str>>(
    claims: &[EvidenceClaim<S>],
    evidence: &[EvidenceRecord<S>],
) -> Result<EvidenceVerdict, EvidenceError> {
    validate::claims(claims)?;
    let records = validate::records(evidence)?;
    Ok(EvidenceVerdict { claims: claims.iter().map(|claim| verdict::result(claim, &records)).collect() })
}
