//! The rules that types cannot carry: identifiers, duplicates, at least one requirement.

use std::collections::{HashMap, HashSet};

use super::error::{EvidenceError, Step, pointer};
use super::identifier;
use super::input::{EvidenceClaim, EvidenceRecord};

/// Up to this many names are compared with one another; above, a set is cheaper.
const FEW: usize = 16;

/// All claims, in order.
pub(super) fn claims<S: AsRef<str>>(claims: &[EvidenceClaim<S>]) -> Result<(), EvidenceError> {
    let mut seen = HashMap::with_capacity(claims.len());
    for (index, claim) in claims.iter().enumerate() {
        let at = [Step::Key("claims"), Step::Index(index)];
        identifier(claim.id.as_ref(), &at, "id")?;
        if let Some(first) = seen.insert(claim.id.as_ref(), index) {
            return Err(refuse(&at, "id", format_args!("claim ids must differ, and /claims/{first}/id is the same")));
        }
        if claim.requires.is_empty() {
            return Err(refuse(&at, "requires", "a claim needs at least one requirement"));
        }
        requirements(claim, index)?;
    }
    Ok(())
}

fn requirements<S: AsRef<str>>(claim: &EvidenceClaim<S>, index: usize) -> Result<(), EvidenceError> {
    let mut seen = HashSet::new();
    for (number, requirement) in claim.requires.iter().enumerate() {
        let at = [Step::Key("claims"), Step::Index(index), Step::Key("requires"), Step::Index(number)];
        identifier(requirement.evidence_id.as_ref(), &at, "evidenceId")?;
        let repeated = if claim.requires.len() <= FEW {
            claim
                .requires
                .iter()
                .take(number)
                .any(|before| before.evidence_id.as_ref() == requirement.evidence_id.as_ref())
        } else {
            !seen.insert(requirement.evidence_id.as_ref())
        };
        if repeated {
            return Err(refuse(&at, "evidenceId", "one claim must not require the same evidence twice"));
        }
        if let Some(subject) = &requirement.subject {
            identifier(subject.as_ref(), &at, "subject")?;
        }
    }
    Ok(())
}

/// All records, referred to or not, by id.
pub(super) fn records<S: AsRef<str>>(
    evidence: &[EvidenceRecord<S>],
) -> Result<HashMap<&str, &EvidenceRecord<S>>, EvidenceError> {
    let mut records = HashMap::with_capacity(evidence.len());
    for (index, record) in evidence.iter().enumerate() {
        let at = [Step::Key("evidence"), Step::Index(index)];
        identifier(record.id.as_ref(), &at, "id")?;
        if let Some(subject) = &record.subject {
            identifier(subject.as_ref(), &at, "subject")?;
        }
        if records.insert(record.id.as_ref(), record).is_some() {
            let first = evidence.iter().position(|before| before.id.as_ref() == record.id.as_ref()).unwrap_or_default();
            let rule = format_args!("record ids must differ, and /evidence/{first}/id is the same").to_string();
            return Err(refuse(&at, "id", rule));
        }
    }
    Ok(records)
}

fn identifier(text: &str, at: &[Step], key: &'static str) -> Result<(), EvidenceError> {
    if identifier::is_valid(text) {
        return Ok(());
    }
    Err(refuse(at, key, "an identifier must have a character that is not white space"))
}

fn refuse(at: &[Step], key: &'static str, rule: impl std::fmt::Display) -> EvidenceError {
    let mut steps = at.to_vec();
    steps.push(Step::Key(key));
    EvidenceError::new(pointer(&steps), rule)
}

/// Something valid that a reader should know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// A JSON pointer.
    pub at: String,
    pub rule: &'static str,
}

/// Identifiers with characters that do not show: they are taken as they are, and two that look alike can differ.
pub fn warnings<S: AsRef<str>>(claims: &[EvidenceClaim<S>], evidence: &[EvidenceRecord<S>]) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut look = |text: &str, at: &[Step]| {
        if identifier::hides_something(text) {
            let rule = "the identifier has a character that does not show; it is taken as it is";
            found.push(Warning { at: pointer(at), rule });
        }
    };
    for (index, claim) in claims.iter().enumerate() {
        let (claims, index) = (Step::Key("claims"), Step::Index(index));
        look(claim.id.as_ref(), &[claims, index, Step::Key("id")]);
        for (number, requirement) in claim.requires.iter().enumerate() {
            let (requires, number) = (Step::Key("requires"), Step::Index(number));
            look(requirement.evidence_id.as_ref(), &[claims, index, requires, number, Step::Key("evidenceId")]);
            if let Some(subject) = &requirement.subject {
                look(subject.as_ref(), &[claims, index, requires, number, Step::Key("subject")]);
            }
        }
    }
    for (index, record) in evidence.iter().enumerate() {
        let (evidence, index) = (Step::Key("evidence"), Step::Index(index));
        look(record.id.as_ref(), &[evidence, index, Step::Key("id")]);
        if let Some(subject) = &record.subject {
            look(subject.as_ref(), &[evidence, index, Step::Key("subject")]);
        }
    }
    found
}
