//! What one session comes to, counted entry by entry.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::command::log::filter::time_of;
use crate::ledger::{Entry, EntryKind};
use crate::sensor::host_process::HOST_SESSION;

/// All sessions, by id.
#[derive(Debug, Default)]
pub struct Tallies {
    sessions: HashMap<String, Tally>,
    /// The newest entry.
    pub newest: u64,
}

#[derive(Debug, Default)]
pub struct Tally {
    pub id: String,
    pub client: Option<String>,
    /// When the first and the last of it was observed, milliseconds.
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub first_seq: u64,
    pub last_seq: u64,
    /// Calls, however many observations there are of each.
    pub runs: HashSet<u64>,
    pub edits: HashSet<u64>,
    pub claims: HashSet<u64>,
    /// The last judgement of each claim entry.
    pub judged: BTreeMap<u64, Verdicts>,
    /// Judged just now, where nobody did before.
    pub now: Option<Verdicts>,
    /// How often the gate sent the agent back.
    pub blocked: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdicts {
    pub contradicted: usize,
    pub not_shown: usize,
    pub supported: usize,
}

impl Tallies {
    pub fn add(&mut self, entry: &Entry) {
        self.newest = self.newest.max(entry.seq);
        let Some(id) = entry.body["session_id"].as_str() else { return };
        if !self.sessions.contains_key(id) {
            let tally = Tally { id: id.to_owned(), first_seq: entry.seq, ..Tally::default() };
            self.sessions.insert(id.to_owned(), tally);
        }
        if let Some(tally) = self.sessions.get_mut(id) {
            tally.add(entry);
        }
    }

    /// By their last event, the newest last.
    pub fn sorted(self) -> Vec<Tally> {
        let mut sessions: Vec<Tally> = self.sessions.into_values().collect();
        sessions.sort_by_key(|session| (session.last, session.last_seq));
        sessions
    }
}

impl Tally {
    fn add(&mut self, entry: &Entry) {
        let body = &entry.body;
        self.last_seq = entry.seq;
        if let Some(at) = time_of(body, &entry.at).filter(|_| entry.kind != EntryKind::Judgement) {
            self.first = Some(self.first.map_or(at, |first| first.min(at)));
            self.last = Some(self.last.map_or(at, |last| last.max(at)));
        }
        if self.client.is_none() {
            let provider = body["client"].as_str().or(body["source"]["provider"].as_str());
            let own = (self.id == HOST_SESSION).then_some("deeds run");
            self.client = provider.or(own).map(str::to_owned);
        }
        let payload = &body["payload"];
        match entry.kind {
            // A script is no run: the commands in it have entries of their own.
            EntryKind::Evidence if body["kind"] == "exit_code" && !payload["script"].is_string() => {
                self.runs.extend([call(body)])
            }
            EntryKind::Evidence if body["kind"] == "file_diff" && payload["failed"] != Value::Bool(true) => {
                // One call may change several files.
                self.edits.extend([number(&(body["id"].as_str(), payload["path"].as_str()))]);
            }
            EntryKind::Claim => self.claims.extend([number(&entry.id())]),
            EntryKind::Judgement => {
                let claim = body["claim"].as_u64().unwrap_or(entry.seq);
                let counted = self.judged.entry(claim).or_default();
                *counted = Verdicts::of(body);
                self.blocked += usize::from(body["blocked"] == Value::Bool(true));
            }
            _ => {}
        }
    }

    /// Of all that it claimed; `None`: nobody judged it.
    pub fn verdicts(&self) -> Option<Verdicts> {
        let recorded = || {
            self.judged.values().fold(Verdicts::default(), |sum, one| Verdicts {
                contradicted: sum.contradicted + one.contradicted,
                not_shown: sum.not_shown + one.not_shown,
                supported: sum.supported + one.supported,
            })
        };
        self.now.or_else(|| (!self.judged.is_empty()).then(recorded))
    }
}

impl Verdicts {
    /// Of a recorded judgement.
    fn of(body: &Value) -> Verdicts {
        let claims = body["claims"].as_array().map(Vec::as_slice).unwrap_or_default();
        let count = |outcome: &str| claims.iter().filter(|claim| claim["outcome"] == outcome).count();
        Verdicts { contradicted: count("contradicted"), not_shown: count("unsupported"), supported: count("supported") }
    }
}

/// The call that evidence is of; without one, itself.
fn call(body: &Value) -> u64 {
    number(&body["source_event_id"].as_str().or(body["id"].as_str()))
}

fn number(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
