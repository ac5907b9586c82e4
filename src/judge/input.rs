//! The judge's input, as values and as JSON.
//!
//! Read by hand, because a derived reader takes what the contract refuses (`"subject": null`, an array for an object)
//! and refuses what it takes (numbers out of range, deep nesting in keys that are ignored).

use std::borrow::Cow;

use serde::Serialize;

use super::error::{EvidenceError, Step, pointer};
use super::json::{Fault, Kind, Reader};

/// What is judged: nothing else is known. What was read borrows its strings from the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Snapshot<S = String> {
    pub claims: Vec<EvidenceClaim<S>>,
    pub evidence: Vec<EvidenceRecord<S>>,
}

/// What somebody says holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceClaim<S = String> {
    pub id: S,
    /// At least one.
    pub requires: Vec<ClaimRequirement<S>>,
}

/// One record that a claim leans on, and the subject that it must be about; without one, any will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimRequirement<S = String> {
    pub evidence_id: S,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<S>,
}

/// One declared observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceRecord<S = String> {
    pub id: S,
    pub outcome: EvidenceOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<S>,
}

/// What a record says of its matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceOutcome {
    Confirmed,
    Refuted,
    Unknown,
}

impl EvidenceOutcome {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            EvidenceOutcome::Confirmed => "confirmed",
            EvidenceOutcome::Refuted => "refuted",
            EvidenceOutcome::Unknown => "unknown",
        }
    }
}

impl<'a> Snapshot<Text<'a>> {
    /// Reads one JSON document: its syntax, every type, every key that must be there. The rules on the values are
    /// [`judge`](super::judge)'s.
    pub fn read(input: &'a [u8]) -> Result<Snapshot<Text<'a>>, EvidenceError> {
        let mut place = Vec::new();
        Document::read(input, &mut place).map_err(|fault| refuse(place, fault))
    }
}

type Text<'a> = Cow<'a, str>;

/// The keys that mean something, all of them. Only these may be named in an error.
const KEYS: [&str; 7] = ["claims", "evidence", "id", "requires", "evidenceId", "subject", "outcome"];

fn refuse(mut place: Vec<Step>, fault: Fault) -> EvidenceError {
    // A key that stands twice is named if it is one of the contract's.
    if let Some(key) = fault.key.as_deref().and_then(|key| KEYS.into_iter().find(|known| *known == key)) {
        place.push(Step::Key(key));
    }
    EvidenceError::new(pointer(&place), format_args!("{} (byte {})", fault.rule, fault.byte))
}

/// `place` is where the reader is; on the way out of an error it stays, and says where the error was.
struct Document<'a, 'p> {
    reader: Reader<'a>,
    place: &'p mut Vec<Step>,
}

impl<'a, 'p> Document<'a, 'p> {
    fn read(input: &'a [u8], place: &'p mut Vec<Step>) -> Result<Snapshot<Text<'a>>, Fault> {
        let mut document = Document { reader: Reader::new(input)?, place };
        if document.reader.is_blank() {
            return Err(document.reader.fault("there is nothing to judge: no JSON value stands here"));
        }
        let snapshot = document.snapshot()?;
        document.reader.finish()?;
        Ok(snapshot)
    }

    fn snapshot(&mut self) -> Result<Snapshot<Text<'a>>, Fault> {
        let (mut claims, mut evidence) = (None, None);
        self.object(|this, key| {
            match key {
                "claims" => claims = Some(this.array(Self::claim)?),
                "evidence" => evidence = Some(this.array(Self::record)?),
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        Ok(Snapshot { claims: self.required("claims", claims)?, evidence: self.required("evidence", evidence)? })
    }

    fn claim(&mut self) -> Result<EvidenceClaim<Text<'a>>, Fault> {
        let (mut id, mut requires) = (None, None);
        self.object(|this, key| {
            match key {
                "id" => id = Some(this.string()?),
                "requires" => requires = Some(this.array(Self::requirement)?),
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        Ok(EvidenceClaim { id: self.required("id", id)?, requires: self.required("requires", requires)? })
    }

    fn requirement(&mut self) -> Result<ClaimRequirement<Text<'a>>, Fault> {
        let (mut evidence_id, mut subject) = (None, None);
        self.object(|this, key| {
            match key {
                "evidenceId" => evidence_id = Some(this.string()?),
                "subject" => subject = Some(this.string()?),
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        Ok(ClaimRequirement { evidence_id: self.required("evidenceId", evidence_id)?, subject })
    }

    fn record(&mut self) -> Result<EvidenceRecord<Text<'a>>, Fault> {
        let (mut id, mut outcome, mut subject) = (None, None, None);
        self.object(|this, key| {
            match key {
                "id" => id = Some(this.string()?),
                "outcome" => outcome = Some(this.outcome()?),
                "subject" => subject = Some(this.string()?),
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        Ok(EvidenceRecord { id: self.required("id", id)?, outcome: self.required("outcome", outcome)?, subject })
    }

    fn outcome(&mut self) -> Result<EvidenceOutcome, Fault> {
        let fault = self.reader.fault("an outcome must be \"confirmed\", \"refuted\" or \"unknown\"");
        let outcome = self.string()?;
        [EvidenceOutcome::Confirmed, EvidenceOutcome::Refuted, EvidenceOutcome::Unknown]
            .into_iter()
            .find(|known| known.as_str() == outcome)
            .ok_or(fault)
    }

    fn string(&mut self) -> Result<Text<'a>, Fault> {
        self.expect(Kind::String, "this must be a string")?;
        self.reader.string()
    }

    fn array<T>(&mut self, item: fn(&mut Self) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        self.expect(Kind::Array, "this must be an array")?;
        let mut array = self.reader.begin_array();
        let mut items = Vec::new();
        while self.reader.next_item(&mut array)? {
            self.place.push(Step::Index(items.len()));
            items.push(item(self)?);
            self.place.pop();
        }
        Ok(items)
    }

    /// Reads an object; `member` takes the value of a key that it knows, all others are skipped.
    fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Result<Known, Fault>) -> Result<(), Fault> {
        self.expect(Kind::Object, "this must be an object")?;
        let mut object = self.reader.begin_object();
        while let Some(key) = self.reader.next_key(&mut object)? {
            let name = KEYS.into_iter().find(|known| *known == key);
            if let Some(name) = name {
                self.place.push(Step::Key(name));
            }
            if member(self, &key)? == Known::No {
                self.reader.skip()?;
            }
            if name.is_some() {
                self.place.pop();
            }
        }
        Ok(())
    }

    fn required<T>(&self, key: &'static str, value: Option<T>) -> Result<T, Fault> {
        let rule = match key {
            "claims" => "the key `claims` must be there",
            "evidence" => "the key `evidence` must be there",
            "id" => "the key `id` must be there",
            "requires" => "the key `requires` must be there",
            "evidenceId" => "the key `evidenceId` must be there",
            _ => "the key `outcome` must be there",
        };
        value.ok_or_else(|| self.reader.fault(rule))
    }

    fn expect(&mut self, kind: Kind, rule: &'static str) -> Result<(), Fault> {
        if self.reader.kind()? == kind { Ok(()) } else { Err(self.reader.fault(rule)) }
    }
}

#[derive(PartialEq, Eq)]
enum Known {
    Yes,
    No,
}
