//! When each kind of event came last, read from the ledger's end.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::report::{Check, Report};
use crate::clock;
use crate::command::human;
use crate::command::install::client::Client;
use crate::evidence::EvidenceKind;
use crate::ledger::{Entry, EntryKind, Ledger};

/// How far back the ledger is read.
const ENTRIES_MAX: usize = 100_000;

/// Claude Code's tools that write files.
const EDITS: &[&str] = &["Edit", "Write", "NotebookEdit"];

/// What the ledger holds of clients' events.
#[derive(Debug, Default)]
pub struct Past {
    /// (client, event) → when it came last, in the order of how recent that is.
    last: Vec<((String, String), i64)>,
    /// Session → when the first entry of it was made, as far back as was read.
    pub sessions: HashMap<String, i64>,
    /// All calls of which anything is recorded: session, and the client's own id. The same id may come in two sessions.
    pub calls: HashSet<(String, String)>,
    /// Events of a shape that deeds does not know: entry and what it was, the newest first.
    odd: Vec<(u64, String)>,
}

impl Past {
    pub fn read(ledger: &Ledger) -> Past {
        let mut past = Past::default();
        for draft in ledger.spool().drafts().0 {
            past.take(&Value::Object(draft.body), None);
        }
        // A ledger that cannot be read is reported by another look.
        for entry in ledger.backward().into_iter().flatten().flatten().take(ENTRIES_MAX) {
            past.take(&entry.body, Some(&entry.at));
            past.take_odd(&entry);
        }
        past
    }

    /// Whether a hook of the client came since then.
    pub fn arrives(&self, client: Client, since: Option<i64>) -> bool {
        let hooks = client.wanted();
        let is_hook = |event: &str| hooks.iter().any(|one| one.event == event);
        self.last
            .iter()
            .any(|((of, event), at)| of == client.tag() && is_hook(event) && since.is_none_or(|since| *at > since))
    }

    /// An event that could not be read, or an edit of which no more is known than that there was one.
    fn take_odd(&mut self, entry: &Entry) {
        let (body, payload) = (&entry.body, &entry.body["payload"]);
        let tool = payload["tool"].as_str().filter(|tool| EDITS.contains(tool) && payload["ok"] == true);
        let what = match entry.kind {
            EntryKind::Unparsed => body["reason"].as_str(),
            EntryKind::Evidence if body["kind"] == EvidenceKind::ToolResult.as_str() => tool,
            _ => None,
        };
        self.odd.extend(what.map(|what| (entry.seq, what.to_owned())));
    }

    fn take(&mut self, body: &Value, at: Option<&str>) {
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let observed = text("observed_at").or(at).and_then(clock::parse_millis);
        let (Some(session), Some(observed)) = (text("session_id"), observed) else { return };
        self.calls.extend(text("source_event_id").map(|call| (session.to_owned(), call.to_owned())));
        let appended = at.and_then(clock::parse_millis).unwrap_or(observed);
        let first = self.sessions.entry(session.to_owned()).or_insert(appended);
        *first = appended.min(*first);
        let mut parts = text("provenance").unwrap_or_default().split(':');
        let (client, _, event) = (parts.next(), parts.next(), parts.next());
        let named = text("client").zip(text("event")).or_else(|| client.zip(event));
        let Some((client, event)) = named.filter(|(client, _)| *client != "deeds") else { return };
        let event = if event == "TurnBegan" { "UserPromptSubmit" } else { event };
        let key = (client.to_owned(), event.to_owned());
        if !self.last.iter().any(|(seen, _)| *seen == key) {
            self.last.push((key, observed));
        }
    }
}

pub fn look(client: Client, past: &Past, report: &mut Report) {
    let about = format!("{} events seen", client.tag());
    let now = clock::parse_millis(&clock::now()).unwrap_or_default();
    let hooks = client.wanted();
    let is_hook = |event: &str| hooks.iter().any(|one| one.event == event);
    let of_client = past.last.iter().filter(|((of, event), _)| of == client.tag() && is_hook(event));
    let seen: Vec<String> = of_client.map(|((_, event), at)| format!("{event} {}", ago(now - at))).collect();
    report.add(if seen.is_empty() {
        Check::ok(about, "none in this project yet")
            .with(format!("it begins with the next session of {}", client.name()))
    } else {
        Check::ok(about, seen.join(" · "))
    });
}

/// A client may have changed what it says: what deeds cannot read of it shows nothing.
pub fn look_at_shapes(past: &Past, report: &mut Report) {
    let Some((seq, what)) = past.odd.first() else { return };
    let count = human::count(past.odd.len(), "event has", "events have");
    report.add(Check::warning(
        "shapes",
        format!("{count} a shape that deeds does not know, the newest #{seq} ({what}): kept as told, and counted as no edit or run"),
        format!("deeds show {seq} has it; the client may be newer than this deeds"),
    ));
}

/// How long ago, for people.
pub fn ago(millis: i64) -> String {
    match millis / 1000 {
        ..=1 => "just now".to_owned(),
        seconds @ 2..=119 => format!("{seconds} s ago"),
        seconds @ 120..=7199 => format!("{} min ago", seconds / 60),
        seconds @ 7200..=172_799 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}
