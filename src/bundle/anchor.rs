//! The ledger's entries that anchor bundles: which there were, and which is the latest of each task.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::head::Head;
use super::statement::Statement;
use super::store::TaskId;
use crate::evidence::id::digest_fields;
use crate::ledger::{Asked, Draft, EntryKind, Ledger, Verification};
use crate::sensor::host_process::HOST_SESSION;

/// One sealed bundle, as the ledger names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    pub seq: u64,
    /// The entry's own hash.
    pub entry: String,
    pub at: String,
    pub task: String,
    /// SHA-256 of the bundle's payload.
    pub bundle: String,
    pub result: String,
    pub gate_passed: Option<bool>,
    /// The envelope's text, or the blob that holds it.
    pub envelope: Value,
}

/// All anchors of a ledger, and whether the ledger is what was written.
pub struct Spine {
    pub verification: Verification,
    anchors: Vec<Anchor>,
    by_bundle: HashMap<String, usize>,
    latest: BTreeMap<String, usize>,
    /// The number of the newest entry.
    last: Option<u64>,
    /// The first entry's id.
    ledger: Option<String>,
    /// What is known to be gone, although the chain does not show it.
    pub missed: Option<String>,
}

impl Spine {
    /// Reads the ledger, for its chain and its bundles.
    pub fn read(ledger: &Ledger) -> Spine {
        Spine::among(ledger.verify_against(&Asked { bundles: true, ..Asked::default() }))
    }

    /// The bundles among what was verified.
    pub fn among(mut verification: Verification) -> Spine {
        let (mut by_bundle, mut latest) = (HashMap::new(), BTreeMap::new());
        let mut anchors = Vec::new();
        for entry in std::mem::take(&mut verification.bundles) {
            let text = |key: &str| entry.body[key].as_str().unwrap_or_default().to_owned();
            let anchor = Anchor {
                seq: entry.seq,
                entry: entry.hash.to_string(),
                at: entry.at.clone(),
                task: text("task"),
                bundle: text("bundle"),
                result: text("result"),
                gate_passed: entry.body["gate_passed"].as_bool(),
                envelope: entry.body["envelope"].clone(),
            };
            by_bundle.insert(anchor.bundle.clone(), anchors.len());
            latest.insert(anchor.task.clone(), anchors.len());
            anchors.push(anchor);
        }
        let (last, ledger) = (verification.newest, verification.id.clone());
        Spine { verification, anchors, by_bundle, latest, last, ledger, missed: None }
    }

    /// The same, held against what this user's seals are known to have appended.
    pub fn held_against(mut self, head: Option<Head>) -> Spine {
        self.missed = head.and_then(|head| head.missed(self.ledger.as_deref(), &self.anchors));
        self
    }

    /// Whether anything was appended since.
    pub fn has_grown(&self, ledger: &Ledger) -> bool {
        let newest = ledger.backward().ok().and_then(|mut entries| entries.find_map(std::result::Result::ok));
        newest.is_some_and(|entry| self.last.is_none_or(|last| entry.seq > last))
    }

    /// What stands for a task.
    pub fn latest(&self, task: &str) -> Option<&Anchor> {
        self.latest.get(task).map(|at| &self.anchors[*at])
    }

    /// The entry of one bundle.
    pub fn of(&self, bundle: &str) -> Option<&Anchor> {
        self.by_bundle.get(bundle).map(|at| &self.anchors[*at])
    }

    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Every task, with how many bundles it has had.
    pub fn tasks(&self) -> BTreeMap<&str, usize> {
        let mut tasks = BTreeMap::new();
        for anchor in &self.anchors {
            *tasks.entry(anchor.task.as_str()).or_insert(0) += 1;
        }
        tasks
    }
}

/// The entry that anchors a bundle.
pub fn draft(task: &TaskId, statement: &Statement, envelope: &str, key_id: &str, session: Option<&str>) -> Draft {
    let id = digest_fields(&["bundle", task.as_str(), &statement.hash]);
    let blobs: Vec<Value> = statement.blobs().flatten().map(|(_, digest)| digest.into()).collect();
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("id", id.as_str().into());
    put("session_id", session.unwrap_or(HOST_SESSION).into());
    put("task", task.as_str().into());
    put("bundle", statement.hash.as_str().into());
    put("result", statement.result().into());
    put("gate_passed", statement.gate_passed().into());
    put("key_id", key_id.into());
    put("tree", statement.deeds()["source"]["treeBefore"].clone());
    put("head", statement.deeds()["source"]["commit"].clone());
    put("observed_at", statement.deeds()["endedAt"].clone());
    // What is named here is not collected as garbage.
    put("blobs", blobs.into());
    put("envelope", envelope.into());
    Draft { kind: EntryKind::Bundle, id, body }
}
