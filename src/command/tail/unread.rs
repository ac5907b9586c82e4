//! What is kept of a line, or a part of one, that was not understood.

use memchr::memmem;

use super::lines::{Long, MOST};
use crate::adapter::codex_rollout::{Thread, shape};
use crate::adapter::payload;
use crate::clock;
use crate::evidence::event::{RawText, Unparsed};
use crate::evidence::id::{digest_fields, sha256_hex};
use crate::ledger::Draft;
use crate::sensor::unparsed;

/// What stands in a line that holds a user's words.
const USERS: &[&str] = &["\"user\"", "user_message", "UserMessage", "user_instructions", "<user"];

/// `text`, which begins `offset` bytes into the rollout.
pub fn part(thread: &Thread, offset: u64, reason: String, text: &[u8]) -> Draft {
    let raw = if may_be_a_users(text) { RawText::Withheld } else { payload::raw_text(&String::from_utf8_lossy(text)) };
    draft(thread, offset, reason, raw, text.len() as u64, &sha256_hex(text))
}

/// By what stands in it, or by what it is named.
fn may_be_a_users(text: &[u8]) -> bool {
    let names = shape::names(text);
    let named = |name: &str| name.to_ascii_lowercase().contains("user");
    named(names.payload) || named(names.item) || USERS.iter().any(|word| memmem::find(text, word.as_bytes()).is_some())
}

/// A line that was not held.
pub fn long(thread: &Thread, long: &Long) -> Draft {
    let names = shape::names(&long.head);
    let named: Vec<&str> =
        [names.line, names.payload, names.item].into_iter().filter(|name| !name.is_empty()).collect();
    let what = if named.is_empty() { "of unknown shape".to_owned() } else { named.join(" / ") };
    let reason = format!("a line of more than {} MiB: {what}", MOST >> 20);
    let mut draft = draft(thread, long.at, reason, RawText::Text(String::new()), long.len, &long.sha256);
    draft.body.insert("sha256".into(), long.sha256.as_str().into());
    draft
}

fn draft(thread: &Thread, offset: u64, reason: String, text: RawText, len: u64, sha256: &str) -> Draft {
    let unparsed = Unparsed {
        reason,
        text,
        len: usize::try_from(len).unwrap_or(usize::MAX),
        session_id: Some(thread.session_id.clone()),
        cwd: thread.cwd.clone(),
    };
    let seen = thread.started.clone().unwrap_or_else(clock::now);
    let mut draft = unparsed::draft(unparsed, &seen);
    // The same words in another place are another line.
    draft.id = digest_fields(&["unparsed", "codex", &thread.id, &offset.to_string(), sha256]);
    draft.body.insert("id".into(), draft.id.as_str().into());
    draft.body.insert("thread".into(), thread.id.as_str().into());
    draft.body.insert("offset".into(), offset.into());
    draft
}
