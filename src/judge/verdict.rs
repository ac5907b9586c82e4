//! What is said about each claim, and how it is arrived at.

use std::collections::HashMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::input::{ClaimRequirement, EvidenceClaim, EvidenceOutcome, EvidenceRecord};

/// One result a claim, in the order of the claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceVerdict {
    pub claims: Vec<ClaimResult>,
}

/// Serialises as `{"claimId","outcome","reason"?,"evidenceId"?}`, in that order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimResult {
    pub claim_id: String,
    pub outcome: ClaimOutcome,
}

/// `evidence_id` is that of the requirement that decided: the first, as declared, of the class that won.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    Supported,
    Contradicted { evidence_id: String },
    Unsupported { reason: UnsupportedReason, evidence_id: String },
}

/// Why a claim is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedReason {
    MissingEvidence,
    SubjectMismatch,
    UnconfirmedEvidence,
}

impl ClaimOutcome {
    /// The contract's word.
    pub fn as_str(&self) -> &'static str {
        match self {
            ClaimOutcome::Supported => "supported",
            ClaimOutcome::Contradicted { .. } => "contradicted",
            ClaimOutcome::Unsupported { .. } => "unsupported",
        }
    }

    pub fn reason(&self) -> Option<UnsupportedReason> {
        match self {
            ClaimOutcome::Unsupported { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// What decided; nothing did where all requirements are met.
    pub fn evidence_id(&self) -> Option<&str> {
        match self {
            ClaimOutcome::Supported => None,
            ClaimOutcome::Contradicted { evidence_id } | ClaimOutcome::Unsupported { evidence_id, .. } => {
                Some(evidence_id)
            }
        }
    }
}

impl UnsupportedReason {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            UnsupportedReason::MissingEvidence => "missing_evidence",
            UnsupportedReason::SubjectMismatch => "subject_mismatch",
            UnsupportedReason::UnconfirmedEvidence => "unconfirmed_evidence",
        }
    }
}

impl Serialize for ClaimResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ClaimResult", 4)?;
        object.serialize_field("claimId", &self.claim_id)?;
        object.serialize_field("outcome", self.outcome.as_str())?;
        match self.outcome.reason() {
            Some(reason) => object.serialize_field("reason", reason.as_str())?,
            None => object.skip_field("reason")?,
        }
        match self.outcome.evidence_id() {
            Some(id) => object.serialize_field("evidenceId", id)?,
            None => object.skip_field("evidenceId")?,
        }
        object.end()
    }
}

/// What one requirement comes to, the strongest last: the greatest of a claim's requirements decides it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    Satisfied,
    Unconfirmed,
    Missing,
    Mismatch,
    Contradicted,
}

/// `claim` against all `records`, by id.
pub(super) fn result<S: AsRef<str>>(
    claim: &EvidenceClaim<S>,
    records: &HashMap<&str, &EvidenceRecord<S>>,
) -> ClaimResult {
    let mut decided = (Finding::Satisfied, "");
    for requirement in &claim.requires {
        let finding = find(requirement, records.get(requirement.evidence_id.as_ref()).copied());
        if finding > decided.0 {
            decided = (finding, requirement.evidence_id.as_ref());
        }
    }
    let unsupported = |reason| ClaimOutcome::Unsupported { reason, evidence_id: decided.1.to_owned() };
    let outcome = match decided.0 {
        Finding::Satisfied => ClaimOutcome::Supported,
        Finding::Unconfirmed => unsupported(UnsupportedReason::UnconfirmedEvidence),
        Finding::Missing => unsupported(UnsupportedReason::MissingEvidence),
        Finding::Mismatch => unsupported(UnsupportedReason::SubjectMismatch),
        Finding::Contradicted => ClaimOutcome::Contradicted { evidence_id: decided.1.to_owned() },
    };
    ClaimResult { claim_id: claim.id.as_ref().to_owned(), outcome }
}

/// The subject is held against the record's before its outcome: what refutes another state contradicts nothing here.
fn find<S: AsRef<str>>(requirement: &ClaimRequirement<S>, record: Option<&EvidenceRecord<S>>) -> Finding {
    let Some(record) = record else { return Finding::Missing };
    if let Some(wanted) = &requirement.subject
        && record.subject.as_ref().is_none_or(|subject| subject.as_ref() != wanted.as_ref())
    {
        return Finding::Mismatch;
    }
    match record.outcome {
        EvidenceOutcome::Refuted => Finding::Contradicted,
        EvidenceOutcome::Unknown => Finding::Unconfirmed,
        EvidenceOutcome::Confirmed => Finding::Satisfied,
    }
}
