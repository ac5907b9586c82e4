//! What is kept of a payload that nobody here understands: a reason and, redacted and capped, its text.

use serde_json::{Map, Value};

use super::clean::{Cleaner, TEXT_CAP, floor};
use crate::evidence::event::{RawText, Unparsed};
use crate::evidence::id::{digest_fields, sha256_hex};
use crate::ledger::{Draft, EntryKind};

/// Stands where a text may hold a user's words.
const WITHHELD: &str = "[withheld: it may hold a user's words]";

/// The entry of an unparsed payload.
pub fn draft(unparsed: Unparsed, observed_at: &str) -> Draft {
    let mut clean = Cleaner::default();
    let (text, cut) = match unparsed.text {
        RawText::Text(text) => capped(clean.text(&text)),
        RawText::Json(value) => capped(clean.json(value).to_string()),
        RawText::Withheld => (WITHHELD.to_owned(), false),
    };
    let session_id = unparsed.session_id.map(|session| clean.text(&session));
    let reason = clean.text(&unparsed.reason);
    let len = unparsed.len.to_string();
    let id = digest_fields(&[
        "unparsed",
        session_id.as_deref().unwrap_or_default(),
        &reason,
        &len,
        &sha256_hex(text.as_bytes()),
    ]);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("id", id.as_str().into());
    put("reason", reason.into());
    put("text", text.into());
    put("text_cut", cut.into());
    put("len", unparsed.len.into());
    put("session_id", session_id.into());
    put("cwd", unparsed.cwd.map(|cwd| clean.text(&cwd)).into());
    put("observed_at", observed_at.into());
    put("redacted", clean.count().into());
    Draft { kind: EntryKind::Unparsed, id, body }
}

/// The beginning: what went wrong with a payload is there.
fn capped(mut text: String) -> (String, bool) {
    let cut = text.len() > TEXT_CAP;
    text.truncate(floor(&text, TEXT_CAP));
    (text, cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_payload_is_the_same_entry_and_a_users_words_are_not_kept() {
        let unparsed = |text| Unparsed { reason: "r".into(), text, len: 7, session_id: None, cwd: None };
        let entry = draft(unparsed(RawText::Json(json!({"a": 1}))), "t");
        assert_eq!(entry, draft(unparsed(RawText::Json(json!({"a": 1}))), "t"));
        assert_eq!((&entry.body["text"], &entry.body["len"]), (&json!("{\"a\":1}"), &json!(7)));
        assert_eq!(draft(unparsed(RawText::Withheld), "t").body["text"], WITHHELD);
        let long = draft(unparsed(RawText::Text("é".repeat(TEXT_CAP))), "t");
        assert_eq!((long.body["text"].as_str().unwrap().len(), &long.body["text_cut"]), (TEXT_CAP, &json!(true)));
    }
}
