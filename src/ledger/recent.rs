//! Whether something was recorded a moment ago, asked without the lock.
//!
//! Only the window that an append reads is looked at. What comes to be written while one looks is not seen: for the event
//! that comes after another, that is enough.

use std::io::{ErrorKind, Result};

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

    /// Whether an entry has one of these ids.
    pub fn has_any(&self, ids: &[String]) -> bool {
        let lines = self.0.iter().flat_map(Tail::lines);
        let mut found = lines.filter_map(entry::id_at_its_place);
        found.any(|found| ids.iter().any(|id| id.as_bytes() == found))
    }
}
