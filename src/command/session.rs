//! Which session is meant by an id, or by the beginning of one.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use memchr::memmem::Finder;

use super::docket::recent_sessions;
use crate::error::{Error, Result};
use crate::layout::{Env, Place};
use crate::ledger::{Finding, Ledger, Met};
use crate::records::story::Scope;
use crate::text::{Lines, sanitise};

/// So many are named to choose from.
const SHOWN: usize = 5;

/// What is judged: the whole ledger, the session that was named, or `None`, the newest one.
pub fn scope_of(place: &Place, given: Option<&str>, all: bool) -> Result<Option<Scope>> {
    match (given, all) {
        (_, true) => Ok(Some(Scope::All)),
        (Some(given), false) => Ok(Some(Scope::Session(resolve(place, given)?))),
        (None, false) => Ok(None),
    }
}

/// The id of the session that `given` names, whole or by a beginning that no other session has.
pub fn resolve(place: &Place, given: &str) -> Result<String> {
    let ledger = Ledger::at(place, &Env::read());
    let (mut found, damage) = beginning_with(&ledger, given)?;
    if found.contains(given) {
        return Ok(given.to_owned());
    }
    match (found.len(), damage) {
        // What cannot be read may be of the session that is asked for.
        (0, Some(damage)) => Err(Error::unable(
            "unreadable_ledger",
            format!("failed to read the ledger: {}: {damage}; see deeds verify", ledger.dir().display()),
        )),
        (0, None) => Err(unknown(place, given)),
        (1, _) => Ok(found.pop_first().unwrap_or_default()),
        (n, _) => Err(Error::usage(format!(
            "{n} sessions begin with {}: {}; give more of the id",
            sanitise(given, Lines::Escape),
            listed(&found.into_iter().collect::<Vec<_>>())
        ))),
    }
}

/// Every session whose id begins so, of the ledger and of what waits beside it, and the first damage on the way. Only entries that name one more are built.
fn beginning_with(ledger: &Ledger, given: &str) -> Result<(BTreeSet<String>, Option<Finding>)> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let key = Finder::new(b"\"session_id\":\"");
    let mut add = |id: Option<&str>| {
        if let Some(id) = id.filter(|id| id.starts_with(given)) {
            found.insert(id.to_owned());
        }
    };
    let mut damage = None;
    // Most entries are of the session of the one before.
    let mut last = Vec::new();
    ledger.scan(&mut |met| {
        match met {
            Met::Entry(raw) => {
                let named = key.find(raw.body()).map(|at| &raw.body()[at + key.needle().len()..]);
                let id = named.map(|rest| &rest[..rest.iter().position(|byte| *byte == b'"').unwrap_or(rest.len())]);
                if let Some(id) = id.filter(|id| *id != last) {
                    last = id.to_owned();
                    if let Ok(entry) = raw.build() {
                        add(entry.body["session_id"].as_str());
                    }
                }
            }
            Met::Built(recorded) => add(recorded.entry.body["session_id"].as_str()),
            Met::Wrong(finding) => {
                damage.get_or_insert(finding);
            }
        }
        ControlFlow::Continue(())
    })?;
    for draft in ledger.spool().drafts().0 {
        add(draft.body.get("session_id").and_then(|id| id.as_str()));
    }
    Ok((found, damage))
}

/// Names the sessions that there are.
fn unknown(place: &Place, given: &str) -> Error {
    let hint = match recent_sessions(place, SHOWN).unwrap_or_default().as_slice() {
        [] => "none is".to_owned(),
        [one] => format!("there is {}", listed(std::slice::from_ref(one))),
        known => format!("the newest are {}", listed(known)),
    };
    Error::usage(format!("no session {} is recorded here; {hint}", sanitise(given, Lines::Escape)))
}

fn listed(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(SHOWN);
    let shown: Vec<String> = ids.iter().take(SHOWN).map(|id| sanitise(id, Lines::Escape)).collect();
    let more = if more > 0 { format!(" and {more} more (deeds sessions)") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
