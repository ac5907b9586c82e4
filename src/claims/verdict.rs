//! Claims held against the story: needs are resolved to records, the pure judge judges, and each result keeps what it
//! rests on.

use std::collections::HashMap;
use std::ops::Range;

use crate::error::Error;
use crate::judge::{
    ClaimOutcome, ClaimRequirement, ClaimResult, EvidenceClaim, EvidenceOutcome, EvidenceRecord, Snapshot, judge,
};
use crate::records::need::{Because, Moment, Need, Record, resolve};
use crate::records::outcome::Outcome;
use crate::records::story::{Checks, Story};

/// Where a claim comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// `deeds.json`: the project's definition of done.
    Config,
    /// The agent's words.
    Message,
    /// A file of claims.
    File,
    /// Nobody claims it: what has been shown so far.
    Overview,
}

impl From {
    pub fn as_str(self) -> &'static str {
        match self {
            From::Config => "deeds.json",
            From::Message => "message",
            From::File => "file",
            From::Overview => "overview",
        }
    }
}

/// One claim, ready to be judged.
#[derive(Debug, Clone)]
pub struct Claim {
    pub id: String,
    pub from: From,
    pub needs: Vec<Need>,
    /// The state and time that it is about.
    pub moment: Moment,
    /// Set for the claims of a message.
    pub words: Option<Words>,
}

/// What a message said, in the terms of its labels.
#[derive(Debug, Clone)]
pub struct Words {
    pub kind: String,
    pub says: String,
    pub count: Option<(Option<u64>, Option<u64>)>,
    /// The exact words.
    pub text: String,
    /// Where they stand in the message, bytes.
    pub range: Range<usize>,
    /// The sub-agent that said them, where they stand among the words of its parent.
    pub agent: Option<String>,
}

/// One claim's verdict.
#[derive(Debug, Clone)]
pub struct Verdict {
    pub claim: Claim,
    pub result: ClaimResult,
    /// Of the requirement that decided, or of the first where all are satisfied.
    pub because: Because,
    pub need: Option<Need>,
}

/// Judges claims against a story. The snapshot is what the pure judge was given; judging it again gives the same.
pub fn judge_claims(claims: Vec<Claim>, story: &Story, checks: &Checks) -> Result<(Vec<Verdict>, Snapshot), Error> {
    let mut table = Table::default();
    let mut snapshot = Snapshot { claims: Vec::new(), evidence: Vec::new() };
    let mut keyed: Vec<Vec<String>> = Vec::new();
    for claim in &claims {
        let keys: Vec<String> = claim.needs.iter().map(|need| table.add(need, claim, story, checks)).collect();
        let requires = claim
            .needs
            .iter()
            .zip(&keys)
            .map(|(need, key)| ClaimRequirement { evidence_id: key.clone(), subject: need.wanted.to_wire() });
        snapshot.claims.push(EvidenceClaim { id: claim.id.clone(), requires: requires.collect() });
        keyed.push(keys);
    }
    snapshot.evidence = table.records();
    let verdict = judge(&snapshot.claims, &snapshot.evidence).map_err(|e| Error::input(e.to_string()))?;
    let verdicts = claims.into_iter().zip(verdict.claims).zip(keyed).map(|((claim, result), keys)| {
        let decided = result.outcome.evidence_id().and_then(|id| keys.iter().position(|k| k == id)).unwrap_or(0);
        let because = keys.get(decided).and_then(|k| table.because.get(k)).cloned().unwrap_or_default();
        let need = claim.needs.get(decided).cloned();
        Verdict { claim, result, because, need }
    });
    Ok((verdicts.collect(), snapshot))
}

/// Records by id, each resolved once.
#[derive(Default)]
struct Table {
    order: Vec<String>,
    wanted: HashMap<String, (Option<String>, Option<i64>)>,
    records: HashMap<String, Record>,
    because: HashMap<String, Because>,
}

impl Table {
    /// The id of the record that answers a need. The same record wanted at another state has an id of its own.
    fn add(&mut self, need: &Need, claim: &Claim, story: &Story, checks: &Checks) -> String {
        let base = need.record_id();
        let state = (need.wanted.to_wire(), claim.moment.until);
        let mut key = base.clone();
        let mut n = 1;
        while self.wanted.get(&key).is_some_and(|held| *held != state) {
            n += 1;
            let mark = if base.contains('?') { '&' } else { '?' };
            key = format!("{base}{mark}at={n}");
        }
        if self.wanted.contains_key(&key) {
            return key;
        }
        let (record, because) = resolve(need, story, checks, &claim.moment);
        self.wanted.insert(key.clone(), state);
        if let Some(record) = record {
            self.order.push(key.clone());
            self.records.insert(key.clone(), record);
        }
        self.because.insert(key.clone(), because);
        key
    }

    fn records(&self) -> Vec<EvidenceRecord> {
        let record = |key: &String| {
            let record = self.records.get(key)?;
            let outcome = match record.outcome {
                Outcome::Confirmed => EvidenceOutcome::Confirmed,
                Outcome::Refuted => EvidenceOutcome::Refuted,
                Outcome::Unknown => EvidenceOutcome::Unknown,
            };
            Some(EvidenceRecord { id: key.clone(), outcome, subject: record.subject.clone() })
        };
        self.order.iter().filter_map(record).collect()
    }
}

/// The record's id as it is shown: without the mark that tells two states apart.
pub fn shown_id(id: &str) -> &str {
    match id.find("?at=").or_else(|| id.find("&at=")) {
        Some(end) => &id[..end],
        None => id,
    }
}

impl Verdict {
    pub fn is_contradicted(&self) -> bool {
        matches!(self.result.outcome, ClaimOutcome::Contradicted { .. })
    }

    /// The state differs from the one that was shown only in files that the project lets change.
    pub fn only_ignored_changed(&self, ignored: &[String]) -> bool {
        let because = &self.because;
        because.changed_is_all
            && !because.changed.is_empty()
            && because.check.as_ref().is_some_and(|c| c.judged.outcome == Outcome::Confirmed)
            && because.changed.iter().all(|path| is_ignored(path, ignored))
    }

    pub fn is_supported(&self) -> bool {
        self.result.outcome == ClaimOutcome::Supported
    }
}

/// Whether a file is one that the project lets change, by the patterns of `ignoreForFreshness`.
pub fn is_ignored(path: &str, ignored: &[String]) -> bool {
    ignored.iter().any(|pattern| glob(pattern, path))
}

/// `*` stays within a name, `**` does not; a pattern without `/` is about the file's name wherever it lies.
fn glob(pattern: &str, path: &str) -> bool {
    if !pattern.contains('/') {
        return matches(pattern.as_bytes(), path.rsplit('/').next().unwrap_or(path).as_bytes());
    }
    matches(pattern.as_bytes(), path.as_bytes())
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => {
            (0..=text.len()).any(|n| matches(rest.strip_prefix(b"/").unwrap_or(rest), &text[n..]))
        }
        [b'*', rest @ ..] => {
            let within = text.iter().position(|b| *b == b'/').unwrap_or(text.len());
            (0..=within).any(|n| matches(rest, &text[n..]))
        }
        [b'?', rest @ ..] => text.first().is_some_and(|b| *b != b'/') && matches(rest, &text[1..]),
        [first, rest @ ..] => text.first() == Some(first) && matches(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_a_slash_is_about_the_name() {
        assert!(glob("*.md", "README.md") && glob("*.md", "a/b/NOTES.md") && !glob("*.md", "a.rs"));
        assert!(glob("LICENSE*", "LICENSE-MIT") && glob("docs/**", "docs/a/b.rs") && !glob("docs/**", "src/docs/a.rs"));
        assert!(glob("docs/*.txt", "docs/a.txt") && !glob("docs/*.txt", "docs/a/b.txt") && glob("**/x.rs", "a/b/x.rs"));
    }

    #[test]
    fn the_mark_that_tells_two_states_apart_is_not_shown() {
        assert_eq!(shown_id("tests?at=2"), "tests");
        assert_eq!(shown_id("tests?says=fail&at=2"), "tests?says=fail");
        assert_eq!(shown_id("tests?says=fail"), "tests?says=fail");
    }
}
