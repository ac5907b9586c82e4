//! Which of a session's starts or ends an event is: a session may be resumed any number of times, and each time it begins
//! and ends in the same words.
//!
//! A hook that is registered twice tells the same start twice, at the same moment: nothing of the session lies between.

use crate::evidence::event::{Action, AgentEvent};
use crate::ledger::{EntryKind, Ledger};
use crate::sensor::clean::Cleaner;

const START: &str = "SessionStart";

/// What lies before it in the ledger: an end comes after a start, and a start after whatever the session did before.
/// Where the ledger's window has nothing of the kind, how far the client's own record of the session had come. Without that
/// record nothing is resumed: it is the same event, told again.
pub fn of(event: &AgentEvent<'_>, ledger: &Ledger) -> String {
    let starts = match &event.action {
        Action::SessionStarted { .. } => true,
        Action::SessionEnded { .. } => false,
        _ => return String::new(),
    };
    let record = event.transcript_path.as_deref().and_then(|path| std::fs::metadata(path).ok());
    let Some(record) = record else { return String::new() };
    let session = Cleaner::default().text(&event.session_id);
    let before = ledger.recent().unwrap_or_default().last_of(&session, |kind, body| {
        let is_start = kind == EntryKind::Session.as_str() && body.get("event").is_some_and(|name| name == START);
        is_start != starts
    });
    before.unwrap_or_else(|| record.len().to_string())
}
