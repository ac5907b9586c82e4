//! Files: what an editing tool said it wrote, and what the host saw right afterwards.

use std::path::Path;

use serde_json::Value;

use super::outcome::Outcome;
use super::run::EvidenceRef;
use crate::evidence::{Evidence, EvidenceKind};

/// One write of one file.
#[derive(Debug, Clone)]
pub struct FileDeed {
    pub session: String,
    pub call: String,
    /// Absolute, as told.
    pub path: String,
    /// `created`, `changed`, `removed`.
    pub change: String,
    /// The id of the edit's own evidence: what `edits:<id>` names.
    pub id: String,
    pub seq: u64,
    pub failed: bool,
    /// The worktree that the session was in.
    pub root: Option<String>,
    /// The sub-agent that wrote it.
    pub agent: Option<String>,
    before: Value,
    after: Value,
    pub evidence: Vec<EvidenceRef>,
    look: Option<Value>,
}

impl FileDeed {
    pub fn new(seq: u64, evidence: &Evidence) -> Option<FileDeed> {
        let payload = &evidence.payload;
        if evidence.kind != EvidenceKind::FileDiff {
            return None;
        }
        Some(FileDeed {
            session: evidence.session_id.clone(),
            call: evidence.source_event_id.clone().unwrap_or_else(|| evidence.id.clone()),
            path: payload["path"].as_str()?.to_owned(),
            change: payload["change"].as_str().unwrap_or("changed").to_owned(),
            id: evidence.id.clone(),
            seq,
            failed: payload["failed"] == Value::Bool(true),
            root: payload["context"]["root"].as_str().map(str::to_owned),
            agent: payload["context"]["agent"]["id"].as_str().map(str::to_owned),
            before: payload["before"].clone(),
            after: payload["after"].clone(),
            evidence: vec![EvidenceRef::of(seq, evidence)],
            look: None,
        })
    }

    /// Takes in the host's look at the same file after the same call.
    pub fn look(&mut self, seq: u64, evidence: &Evidence) {
        if evidence.payload["path"].as_str() == Some(self.path.as_str()) && self.look.is_none() {
            self.look = Some(evidence.payload.clone());
            self.evidence.push(EvidenceRef::of(seq, evidence));
        }
    }

    /// Confirmed: done, and the host saw it. Refuted: the host saw the file missing, or unchanged.
    pub fn outcome(&self) -> (Outcome, String) {
        let verb = self.change.as_str();
        if self.failed {
            return (Outcome::Unknown, "the edit failed".into());
        }
        let Some(look) = &self.look else { return (Outcome::Unknown, "the host did not look at the file".into()) };
        if look["unreadable"].is_string() {
            return (Outcome::Unknown, "the host could not read the file".into());
        }
        match (verb, look["exists"].as_bool()) {
            (_, None) => (Outcome::Unknown, "the host did not see the file".into()),
            ("removed", Some(false)) => (Outcome::Confirmed, "the host saw that it is gone".into()),
            ("removed", Some(true)) => (Outcome::Refuted, "the host saw that it is still there".into()),
            (_, Some(false)) => (Outcome::Refuted, format!("reported {verb}, but the host saw no such file")),
            (_, Some(true)) if look["same"] == Value::Bool(true) => {
                (Outcome::Confirmed, format!("{verb}, and the host saw it"))
            }
            (_, Some(true)) if self.was_and_is_same(look) => {
                (Outcome::Refuted, format!("reported {verb}, but the host saw it unchanged"))
            }
            (_, Some(true)) if look["same"].is_null() => {
                (Outcome::Unknown, "the host saw the file, not its content".into())
            }
            (_, Some(true)) => (Outcome::Confirmed, format!("{verb}, and the host saw other content since")),
        }
    }

    /// The content that the host saw is the content from before, and the tool said that it wrote another.
    fn was_and_is_same(&self, look: &Value) -> bool {
        let before = self.before["sha256"].as_str();
        before.is_some() && before == look["sha256"].as_str() && before != self.after["sha256"].as_str()
    }

    /// The host looked at the file when the call had ended.
    pub fn is_looked_at(&self) -> bool {
        self.look.is_some()
    }

    /// The digest of the file as the host saw it.
    pub fn digest(&self) -> Option<&str> {
        self.look.as_ref()?["sha256"].as_str()
    }

    /// Whether the file differs from what it was, as far as the host and the tool can tell.
    pub fn digest_before(&self) -> Option<&str> {
        self.before["sha256"].as_str()
    }
}

/// The path from the project's root, or as it stands where it lies outside.
pub fn relative(path: &str, root: Option<&str>) -> String {
    root.and_then(|root| Path::new(path).strip_prefix(root).ok())
        .map_or_else(|| path.to_owned(), |p| p.display().to_string())
}

/// Whether a path as somebody wrote it (`a.rs`, `src/a.rs`, `./src/a.rs`, absolute) names this file.
pub fn names(written: &str, path: &str) -> bool {
    let written = written.strip_prefix("./").unwrap_or(written).trim_end_matches('/');
    if written.starts_with('/') {
        return written == path;
    }
    !written.is_empty() && Path::new(path).ends_with(written)
}
