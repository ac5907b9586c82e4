//! What was recorded a moment ago is not recorded again.
//!
//! Only the window that an append reads is looked at; what lies further apart, readers fold by id.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Draft;
use super::entry::{self, EntryKind};
use super::tail::Tail;

/// What of a payload may differ between two sightings of the same thing.
const INCIDENTAL: &[&str] = &["context", "duration_ms"];
/// The same for entries that are not evidence: besides, what the host saw when it was told, and deeds' own version.
const INCIDENTAL_ELSEWHERE: &[&str] =
    &["context", "duration_ms", "observed_at", "worktree", "git", "config", "capture", CONFLICT_KEY];

/// The key of an entry's body that names an earlier entry with the same id and other content.
pub const CONFLICT_KEY: &str = "conflicts_with";

/// Whether a draft is known already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    New,
    /// This entry says the same.
    Same(u64),
    /// This entry has the same id and says something else.
    Different(u64),
}

/// The entries whose ids the drafts have, each by its id.
pub(super) struct Known<'a>(BTreeMap<&'a [u8], Vec<(u64, &'a [u8])>>);

impl<'a> Known<'a> {
    /// Looks for `wanted`, the drafts' ids in order, in the window. An id counts only as the first key of an entry's body.
    pub fn in_window(tail: &'a Tail, wanted: &[&[u8]]) -> Known<'a> {
        let mut known = Known(BTreeMap::new());
        for line in tail.lines() {
            let id = entry::id_at_its_place(line);
            let Some(id) = id.filter(|id| wanted.binary_search(id).is_ok()) else { continue };
            if let Ok(parts) = entry::take_apart(line) {
                known.remember(id, parts.seq, parts.body);
            }
        }
        known
    }

    pub fn remember(&mut self, id: &'a [u8], seq: u64, body: &'a [u8]) {
        self.0.entry(id).or_default().push((seq, body));
    }

    pub fn meet(&self, kind: &EntryKind, id: &str, body: &[u8]) -> Met {
        let Some(same_id) = self.0.get(id.as_bytes()) else { return Met::New };
        let ours = identity(kind, body);
        match same_id.iter().find(|(_, theirs)| identity(kind, theirs) == ours) {
            Some((seq, _)) => Met::Same(*seq),
            None => same_id.first().map_or(Met::New, |(seq, _)| Met::Different(*seq)),
        }
    }
}

/// What makes two entries with one id the same.
fn identity(kind: &EntryKind, body: &[u8]) -> Map<String, Value> {
    let mut body: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let without = |map: &mut Map<String, Value>, names: &[&str]| map.retain(|key, _| !names.contains(&key.as_str()));
    match kind {
        EntryKind::Evidence => {}
        // What was concluded, and is worked out anew at any time: the first one stands.
        EntryKind::Judgement => return Map::new(),
        _ => {
            without(&mut body, INCIDENTAL_ELSEWHERE);
            return body;
        }
    }
    match body.remove("payload") {
        Some(Value::Object(mut payload)) => {
            without(&mut payload, INCIDENTAL);
            payload
        }
        other => other.map(|payload| ("payload".to_owned(), payload)).into_iter().collect(),
    }
}

/// Whether a draft is something the host itself saw at that moment. Seen again later it would show something else.
pub(super) fn is_host_look(draft: &Draft) -> bool {
    draft.body.get("source").and_then(|source| source.get("trust_class")).is_some_and(|class| class == "host_observed")
}
