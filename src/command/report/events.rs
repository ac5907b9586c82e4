//! What happened, in the order of recording: runs, edits and words from the story, and what else the ledger tells of the
//! session.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::html;
use crate::command::docket::Docket;
use crate::command::human::count;
use crate::command::log::filter::time_of;
use crate::command::log::what;
use crate::error::Result;
use crate::evidence::{Evidence, EvidenceKind};
use crate::ledger::{Entry, EntryKind, Ledger};
use crate::records::run::EvidenceRef;

/// So many of the newest are listed; a page of more would help nobody.
const SHOWN_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Event {
    /// Its first entry.
    pub seq: u64,
    pub millis: Option<i64>,
    pub what: What,
    pub evidence: Vec<EvidenceRef>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Indices into the story.
    Run(usize),
    Edit(usize),
    Said(usize),
    /// Another tool's call.
    Tool(String),
    /// A session begins, a turn begins, something was not collected: kind and what it says.
    Note(String, String),
}

#[derive(Debug)]
pub struct Events {
    pub list: Vec<Event>,
    /// How many more there were before.
    pub left_out: usize,
    /// What reading said of the ledger's chain.
    pub chain: String,
    /// Entries that a link can lead to, by any of their evidence.
    by_seq: HashMap<u64, usize>,
    totals: (usize, usize, usize),
}

impl Events {
    /// Reads the ledger once, an entry at a time.
    pub fn gather(ledger: &Ledger, docket: &Docket<'_>, all: bool) -> Result<Events> {
        let story = &docket.story;
        let mut found: BTreeMap<u64, Event> = BTreeMap::new();
        let mut covered: HashSet<u64> = HashSet::new();
        let mut put = |evidence: &[EvidenceRef], millis, what| {
            covered.extend(evidence.iter().map(|e| e.seq));
            let Some(seq) = evidence.iter().map(|e| e.seq).min() else { return };
            found.insert(seq, Event { seq, millis, what, evidence: evidence.to_vec() });
        };
        for (index, run) in story.runs.iter().enumerate().filter(|(_, run)| run.is_command()) {
            put(&run.evidence, Some(run.millis).filter(|at| *at > 0), What::Run(index));
        }
        for (index, edit) in story.edits.iter().enumerate() {
            put(&edit.evidence, None, What::Edit(index));
        }
        for (index, words) in story.words.iter().enumerate() {
            let millis = Some(words.millis).filter(|at| *at > 0);
            found.insert(words.seq, Event { seq: words.seq, millis, what: What::Said(index), evidence: Vec::new() });
        }
        let calls: HashMap<(&str, &str), u64> = story
            .runs
            .iter()
            .filter(|run| run.is_command())
            .filter_map(|run| {
                Some(((run.session.as_str(), run.call.as_str()), run.evidence.iter().map(|e| e.seq).min()?))
            })
            .collect();
        let mut entries = 0;
        let mut wrong = Vec::new();
        let mut seen = HashSet::new();
        for entry in ledger.read()? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(finding) => {
                    wrong.push(finding.to_string());
                    continue;
                }
            };
            entries += 1;
            let ours = all || docket.session.as_deref().is_some_and(|id| entry.body["session_id"] == *id);
            if !ours {
                continue;
            }
            let millis = time_of(&entry.body, &entry.at);
            if let Some(event) = found.get_mut(&entry.seq) {
                event.millis = event.millis.or(millis);
            } else if !covered.contains(&entry.seq)
                && (entry.id().is_empty() || seen.insert(entry.id().to_owned()))
                && let Some((what, evidence)) = other(&entry)
            {
                // What git's own words were taken to say belongs to the command that printed them.
                let call = (entry.body["session_id"].as_str(), entry.body["source_event_id"].as_str());
                let run = call.0.zip(call.1).and_then(|call| calls.get(&call)).and_then(|seq| found.get_mut(seq));
                match run {
                    Some(run) => run.evidence.extend(evidence),
                    None => drop(found.insert(entry.seq, Event { seq: entry.seq, millis, what, evidence })),
                }
            }
        }
        let mut list: Vec<Event> = found.into_values().collect();
        let counted = |is: fn(&What) -> bool| list.iter().filter(|event| is(&event.what)).count();
        let totals = (
            counted(|what| matches!(what, What::Run(_))),
            counted(|what| matches!(what, What::Edit(_))),
            counted(|what| matches!(what, What::Said(_))),
        );
        let left_out = list.len().saturating_sub(SHOWN_MAX);
        list.drain(..left_out);
        let mut by_seq = HashMap::new();
        for (index, event) in list.iter().enumerate() {
            by_seq.insert(event.seq, index);
            by_seq.extend(event.evidence.iter().map(|e| (e.seq, index)));
        }
        Ok(Events { list, left_out, chain: chain(entries, &wrong), by_seq, totals })
    }

    /// Whether the page has a place that `#e<seq>` leads to.
    pub fn has(&self, seq: u64) -> bool {
        self.by_seq.contains_key(&seq)
    }

    /// When the first and the last happened.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = || self.list.iter().filter_map(|event| event.millis);
        Some((times().min()?, times().max()?))
    }

    /// Runs, edits, messages; also those left out.
    pub fn counts(&self) -> (usize, usize, usize) {
        self.totals
    }

    /// Each trust class, method and boundary that occurs, with how often.
    pub fn boundaries(&self) -> String {
        let mut all: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
        for e in self.list.iter().flat_map(|event| &event.evidence) {
            *all.entry((&e.trust_class, &e.collection_method, &e.boundary)).or_default() += 1;
        }
        let row = |((trust, method, boundary), n): (&(&str, &str, &str), &usize)| {
            let pieces = count(*n, "piece", "pieces");
            format!(
                "<dt>{} via {} <span>{pieces}</span></dt><dd>{}</dd>",
                html::text(trust),
                html::text(method),
                html::text(boundary)
            )
        };
        all.iter().map(row).collect()
    }
}

fn chain(entries: usize, wrong: &[String]) -> String {
    match wrong {
        [] => {
            let entries = count(entries, "entry", "entries");
            format!("Ledger: {entries}, each chained to the one before; nothing found wrong while reading it.")
        }
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            format!("The ledger is damaged: {first}{more}. See deeds verify.")
        }
    }
}

/// What an entry is that belongs to no run, edit or message. A look on its own is shown with what it was for, or not at all.
fn other(entry: &Entry) -> Option<(What, Vec<EvidenceRef>)> {
    let said = what::label(&entry.kind, &entry.body);
    match entry.kind {
        EntryKind::Session if entry.body["event"] == "TurnBegan" => {
            Some((What::Note("turn".to_owned(), "a turn begins".to_owned()), Vec::new()))
        }
        EntryKind::Session | EntryKind::NotCollected | EntryKind::Unparsed | EntryKind::Recovery => {
            Some((What::Note(entry.kind.as_str().to_owned(), said.what), Vec::new()))
        }
        EntryKind::Judgement if entry.body["blocked"] == Value::Bool(true) => {
            Some((What::Note("gate".to_owned(), said.what), Vec::new()))
        }
        EntryKind::Evidence => {
            let evidence: Evidence = serde_json::from_value(entry.body.clone()).ok()?;
            let is_look = evidence.payload["look"].is_string() || evidence.kind == EvidenceKind::ExitCode;
            let reference = EvidenceRef::of(entry.seq, &evidence);
            (!is_look).then(|| (What::Tool(format!("{}{}", said.what, said.end)), vec![reference]))
        }
        _ => None,
    }
}
