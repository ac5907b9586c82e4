//! Whether something was recorded a moment ago, asked without the lock.
//!
//! Only the window that an append reads is looked at. What comes to be written while one looks is not seen: for the event
//! that comes after another, that is enough.

use std::io::{ErrorKind, Result};

use serde_json::{Map, Value};

use super::Ledger;
use super::entry;
use super::tail::Tail;
use crate::durable;
use crate::layout;

/// The ids in the ledger's window, as they stand first in an entry's body.
#[derive(Default)]
pub struct Recent(Option<Tail>);

impl Recent {
    pub(super) fn of(ledger: &Ledger) -> Result<Recent> {
        match durable::open(&ledger.dir.join(layout::LEDGER)) {
            Ok(file) => Ok(Recent(Some(Tail::read(&file)?))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Recent(None)),
            Err(error) => Err(error),
        }
    }

    /// The last entry of a session that `is` accepts, by its kind and its body: its id.
    pub fn last_of(&self, session: &str, is: impl Fn(&str, &Map<String, Value>) -> bool) -> Option<String> {
        let mut last = None;
        for line in self.0.iter().flat_map(Tail::lines) {
            let Ok(parts) = entry::take_apart(line) else { continue };
            let body: Map<String, Value> = serde_json::from_slice(parts.body).unwrap_or_default();
            if body.get("session_id").is_some_and(|id| id == session) && is(parts.kind, &body) {
                last = body.get("id").and_then(Value::as_str).map(str::to_owned);
            }
        }
        last
    }

    /// Whether an entry has one of these ids.
    pub fn has_any(&self, ids: &[String]) -> bool {
        let lines = self.0.iter().flat_map(Tail::lines);
        let mut found = lines.filter_map(entry::id_at_its_place);
        found.any(|found| ids.iter().any(|id| id.as_bytes() == found))
    }
}
