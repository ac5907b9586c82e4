//! How far a rollout has been read: told by the ledger itself, in the entries that reading left there.
//!
//! The last entry that a line leaves carries `read_to`: the thread, where the line ends in the uncompressed file, and what
//! that line is known by. So whatever became of the process between two entries, the ledger and the position cannot
//! disagree; a copy of the rollout, or its compression, has the same place in the same thread. Only reading from the front
//! writes it; what the hook finds from the back carries none, and is known by its id when reading comes to it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::FileExt;

use memchr::memrchr;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::lines::LAST;
use super::source::Source;
use crate::error::Result;
use crate::evidence::id::{hex, sha256_hex};
use crate::ledger::{Backward, CONFLICT_KEY, Draft, Entry, EntryKind, INLINE_MAX, Ledger, blob_of};

/// The key in an entry's body.
pub const KEY: &str = "read_to";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTo {
    pub thread: String,
    /// After the line break of the last line read, in bytes of the uncompressed file.
    pub offset: u64,
    /// 16 hex digits of SHA-256 over the line's last 256 bytes.
    pub line: String,
}

impl ReadTo {
    pub fn after(thread: &str, end: u64, line: &[u8]) -> ReadTo {
        let last = &line[line.len().saturating_sub(LAST)..];
        ReadTo { thread: thread.to_owned(), offset: end, line: hex(&Sha256::digest(last)[..8]) }
    }

    pub fn to_json(&self) -> Value {
        json!({"thread": self.thread, "offset": self.offset, "line": self.line})
    }

    /// Only at the top of a body: anywhere else an agent may have put it.
    pub fn of(body: &Value) -> Option<ReadTo> {
        let told = body.get(KEY)?;
        Some(ReadTo {
            thread: told.get("thread")?.as_str()?.to_owned(),
            offset: told.get("offset")?.as_u64()?,
            line: told.get("line")?.as_str()?.to_owned(),
        })
    }

    /// Whether a plain file has that line in that place.
    pub fn stands_in(&self, source: &Source) -> io::Result<bool> {
        if self.offset == 0 || self.offset > source.meta.len() {
            return Ok(false);
        }
        let len = (LAST as u64 + 2).min(self.offset);
        let mut bytes = vec![0; len as usize];
        source.file.read_exact_at(&mut bytes, self.offset - len)?;
        let Some((b'\n', line)) = bytes.split_last() else { return Ok(false) };
        let start = memrchr(b'\n', line).map_or(0, |at| at + 1);
        Ok(*self == ReadTo::after(&self.thread, self.offset, &line[start..]))
    }
}

/// A ledger, and what it says has been read: gone through from its end, as far back as was asked for.
pub struct Store {
    pub ledger: Ledger,
    /// What has not been gone through.
    rest: Option<Backward>,
    /// By thread. Ahead of the ledger where what was read since left nothing.
    positions: HashMap<String, ReadTo>,
    /// What the hook found from the back, by id.
    found: HashMap<String, Sighting>,
    /// Sessions that the hook tells of. It tells when they and their turns begin, in the order in which things happened;
    /// a rollout that is read later would tell it out of that order.
    hooked: HashSet<String>,
    /// Turns at whose end the hook recorded what was said, and what the host saw then.
    said: HashSet<String>,
}

/// An entry that a draft may be the same as.
#[derive(Debug, Clone, Copy)]
struct Sighting {
    seq: u64,
    /// `None`: it is the same whatever it says.
    digest: Option<[u8; 8]>,
}

/// Whether a draft is to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    New,
    Known,
}

impl Store {
    pub fn open(ledger: Ledger) -> Result<Store> {
        Ok(Store {
            rest: Some(ledger.backward()?),
            ledger,
            positions: HashMap::new(),
            found: HashMap::new(),
            hooked: HashSet::new(),
            said: HashSet::new(),
        })
    }

    /// The same for the hook of this session.
    pub fn of_hook(ledger: Ledger, session: &str) -> Result<Store> {
        let mut store = Store::open(ledger)?;
        store.hooked.insert(session.to_owned());
        Ok(store)
    }

    /// How far `thread`, of `session`, has been read. The newest entry that says so counts; none can be older than the
    /// session.
    pub fn position(&mut self, thread: &str, session: &str) -> Option<&ReadTo> {
        while !self.positions.contains_key(thread) {
            let Some(entry) = self.rest.as_mut().and_then(Iterator::next) else {
                self.rest = None;
                break;
            };
            let Ok(entry) = entry else { continue };
            self.take_in(&entry);
            if begins(&entry, session) {
                break;
            }
        }
        self.positions.get(thread)
    }

    fn take_in(&mut self, entry: &Entry) {
        if let Some(read_to) = ReadTo::of(&entry.body) {
            self.positions.entry(read_to.thread.clone()).or_insert(read_to);
            return;
        }
        let body = &entry.body;
        match entry.kind {
            EntryKind::Evidence if body["source"]["collection_method"] == "file_poll" => {
                self.found.insert(entry.id().to_owned(), Sighting::of(entry));
            }
            EntryKind::Evidence if body["source"]["provider"] == "codex" => {
                self.hooked.extend(body["session_id"].as_str().map(str::to_owned));
            }
            EntryKind::Session if body["client"] == "codex" => {
                self.hooked.extend(body["session_id"].as_str().map(str::to_owned));
            }
            EntryKind::Claim => self.said.extend(body["turn_id"].as_str().map(str::to_owned)),
            _ => {}
        }
    }

    pub fn advance(&mut self, read_to: ReadTo) {
        self.positions.insert(read_to.thread.clone(), read_to);
    }

    /// Everything that `session` ever left, for a rollout that is not the one read before and may hold the same again.
    pub fn recall(&mut self, session: &str) -> Result<()> {
        for entry in self.ledger.read()?.filter_map(std::result::Result::ok) {
            if entry.body["session_id"] == session {
                self.found.insert(entry.id().to_owned(), Sighting::of(&entry));
            }
        }
        Ok(())
    }

    /// Whether a draft of this kind and id may be known: [`Store::meet`] says whether it is.
    pub fn may_know(&self, kind: &EntryKind, id: &str) -> bool {
        match kind {
            EntryKind::Session if !self.hooked.is_empty() => true,
            EntryKind::Claim if !self.said.is_empty() => true,
            _ => self.found.contains_key(id),
        }
    }

    /// Whether this has been recorded already. Where an entry has its id and says something else, the draft is new, and
    /// names that entry.
    pub fn meet(&self, draft: &mut Draft) -> Novelty {
        let text = |key: &str| draft.body.get(key).and_then(Value::as_str).unwrap_or_default();
        match draft.kind {
            EntryKind::Session if COURSE.contains(&text("event")) && self.hooked.contains(text("session_id")) => {
                return Novelty::Known;
            }
            EntryKind::Claim if self.said.contains(text("turn_id")) => return Novelty::Known,
            _ => {}
        }
        let Some(sighting) = self.found.get(&draft.id) else { return Novelty::New };
        let ours = draft.body.get("payload").map(digest);
        match (sighting.digest, ours) {
            (Some(theirs), Some(ours)) if theirs != ours => {
                draft.body.insert(CONFLICT_KEY.to_owned(), sighting.seq.into());
                Novelty::New
            }
            _ => Novelty::Known,
        }
    }
}

/// What the hook tells of a session's course.
const COURSE: &[&str] = &["SessionStart", "TurnBegan"];

/// Before this entry, nothing can have been recorded of the session.
fn begins(entry: &Entry, session: &str) -> bool {
    let body = &entry.body;
    entry.kind == EntryKind::Session
        && body["session_id"] == session
        && body["event"] == "SessionStart"
        && body["source"] == "startup"
}

impl Sighting {
    fn of(entry: &Entry) -> Sighting {
        let payload = entry.body.get("payload").filter(|payload| !holds_json_blob(payload));
        Sighting { seq: entry.seq, digest: payload.map(digest) }
    }
}

/// The ledger moved a whole value out of the line; which, the draft does not tell.
fn holds_json_blob(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_json_blob),
        Value::Object(members) if blob_of(value).is_some() => members.contains_key("json"),
        Value::Object(members) => members.values().any(holds_json_blob),
        _ => false,
    }
}

/// What a payload says, but for where and how long; the same for a draft and for what the ledger made of it.
fn digest(payload: &Value) -> [u8; 8] {
    let mut hash = Sha256::new();
    if let Some(members) = payload.as_object() {
        for (key, value) in members.iter().filter(|(key, _)| *key != "context" && *key != "duration_ms") {
            hash.update(key.as_bytes());
            add(value, &mut hash);
        }
    }
    let mut short = [0; 8];
    short.copy_from_slice(&hash.finalize()[..8]);
    short
}

fn add(value: &Value, hash: &mut Sha256) {
    match value {
        Value::String(text) if text.len() > INLINE_MAX => hash.update(sha256_hex(text.as_bytes())),
        Value::Array(items) => items.iter().for_each(|item| add(item, hash)),
        Value::Object(members) => match blob_of(value) {
            Some(blob) => hash.update(blob),
            None => members.iter().for_each(|(key, value)| {
                hash.update(key.as_bytes());
                add(value, hash);
            }),
        },
        scalar => hash.update(scalar.to_string()),
    }
    hash.update([0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_counts_only_at_the_top_of_a_body() {
        let read_to = ReadTo::after("t", 120, b"{\"a\":1}");
        assert_eq!(ReadTo::of(&json!({"id": "x", "read_to": read_to.to_json()})), Some(read_to.clone()));
        assert_eq!(ReadTo::of(&json!({"payload": {"input": {"read_to": read_to.to_json()}}})), None);
    }

    #[test]
    fn a_place_is_recognised_by_the_line_before_it() {
        let path = std::env::temp_dir().join(format!("deeds-position-{}", std::process::id()));
        let long = "x".repeat(1000);
        std::fs::write(&path, format!("{long}\nshort\nlast\n")).unwrap();
        let source = Source::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(ReadTo::after("t", 1001, long.as_bytes()).stands_in(&source).unwrap());
        assert!(ReadTo::after("t", 1007, b"short").stands_in(&source).unwrap());
        for wrong in
            [ReadTo::after("t", 1007, b"other"), ReadTo::after("t", 1006, b"short"), ReadTo::after("t", 9999, b"short")]
        {
            assert!(!wrong.stands_in(&source).unwrap(), "{wrong:?}");
        }
    }

    #[test]
    fn a_payload_is_the_same_with_its_long_strings_moved_to_blobs() {
        let long = "y".repeat(INLINE_MAX + 1);
        let draft = json!({"output": long, "exit_code": 1, "context": {"cwd": "/a"}, "duration_ms": 3});
        let kept =
            json!({"output": {"$blob": sha256_hex(long.as_bytes()), "len": long.len()}, "exit_code": 1, "context": {}});
        assert_eq!(digest(&draft), digest(&kept));
        assert_ne!(digest(&draft), digest(&json!({"output": long, "exit_code": 0})));
    }
}
