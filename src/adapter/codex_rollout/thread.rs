//! Which thread a rollout is, from its first line; until that is read, from its file's name.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::Line;
use super::shape::Names;
use super::told::Text;
use crate::clock;

/// A rollout's thread. A sub-agent's has its own file, its parent's id, and the root's session id; a fork has a file and
/// a session of its own, and names what it goes on from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thread {
    pub id: String,
    pub session_id: String,
    pub parent: Option<String>,
    /// A sub-agent's role.
    pub role: Option<String>,
    pub cwd: Option<String>,
    /// Of the client.
    pub version: Option<String>,
    /// RFC 3339.
    pub started: Option<String>,
    /// How the client was started (`exec`, `cli`); of a sub-agent, `subagent`.
    pub source: Option<String>,
    /// The thread that this one goes on from, and up to where: `history_base`, as told.
    pub base: Option<Value>,
    pub forked_from: Option<String>,
    /// The commit and branch at the session's beginning, as told.
    pub git: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    session_id: Text<'a>,
    #[serde(borrow)]
    parent_thread_id: Text<'a>,
    #[serde(borrow)]
    forked_from_id: Text<'a>,
    #[serde(borrow)]
    timestamp: Text<'a>,
    #[serde(borrow)]
    cwd: Text<'a>,
    #[serde(borrow)]
    cli_version: Text<'a>,
    #[serde(borrow)]
    thread_source: Text<'a>,
    #[serde(borrow)]
    agent_role: Text<'a>,
    source: Value,
    history_base: Option<Value>,
    git: Option<Value>,
}

impl Thread {
    /// `rollout-2026-11-30T19-39-16-<uuid>.jsonl`.
    pub fn of_path(path: &str) -> Thread {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        let uuid = stem.len().checked_sub(36).and_then(|at| stem.get(at..)).filter(|id| is_uuid(id));
        let id = uuid.unwrap_or(stem).to_owned();
        Thread { session_id: id.clone(), id, ..Thread::default() }
    }

    /// Takes over what a `session_meta` line tells; gives the line's own time.
    pub(super) fn open<'a>(&mut self, line: &'a [u8]) -> serde_json::Result<Text<'a>> {
        let Line { timestamp, payload } = serde_json::from_slice::<Line<'a, Meta<'a>>>(line)?;
        let own = |text: Text<'_>| text.some().map(Cow::into_owned);
        if let Some(id) = own(payload.id) {
            self.session_id.clone_from(&id);
            self.id = id;
        }
        if let Some(session) = own(payload.session_id) {
            self.session_id = session;
        }
        let spawned = payload.source.pointer("/subagent/thread_spawn");
        let spawned = |key: &str| spawned.and_then(|spawn| spawn.get(key)?.as_str()).map(str::to_owned);
        self.parent = own(payload.parent_thread_id).or_else(|| spawned("parent_thread_id"));
        self.role = own(payload.agent_role).or_else(|| spawned("agent_role"));
        self.source = payload.source.as_str().map(str::to_owned).or_else(|| own(payload.thread_source));
        self.started = payload.timestamp.as_str().and_then(clock::parse_millis).map(clock::format_millis);
        self.cwd = own(payload.cwd).map(|cwd| super::paths::from_uri(&cwd));
        self.version = own(payload.cli_version);
        self.base = payload.history_base;
        self.forked_from = own(payload.forked_from_id);
        self.git = payload.git;
        Ok(timestamp)
    }
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// A line's names, where its beginning did not tell them.
#[derive(Deserialize)]
pub(super) struct ParsedNames<'a> {
    #[serde(borrow, rename = "type", default)]
    line: Text<'a>,
    #[serde(borrow, default)]
    payload: Option<Inner<'a>>,
}

#[derive(Default)]
struct Inner<'a> {
    kind: Text<'a>,
    item: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Inner<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Payload<'a> {
            Object {
                #[serde(borrow, rename = "type", default)]
                kind: Text<'a>,
                #[serde(borrow, default)]
                item: Option<Item<'a>>,
            },
            Other(serde::de::IgnoredAny),
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Item<'a> {
            Object {
                #[serde(borrow, rename = "type", default)]
                kind: Text<'a>,
            },
            Other(serde::de::IgnoredAny),
        }
        Ok(match Payload::deserialize(from)? {
            Payload::Object { kind, item: Some(Item::Object { kind: item }) } => Inner { kind, item },
            Payload::Object { kind, .. } => Inner { kind, item: Text::default() },
            Payload::Other(_) => Inner::default(),
        })
    }
}

impl ParsedNames<'_> {
    pub fn names(&self) -> Names<'_> {
        let payload = self.payload.as_ref();
        Names {
            line: self.line.as_str().unwrap_or_default(),
            payload: payload.and_then(|inner| inner.kind.as_str()).unwrap_or_default(),
            item: payload.and_then(|inner| inner.item.as_str()).unwrap_or_default(),
            call_id: "",
        }
    }

    /// Why nothing is known of such a line.
    pub fn unknown(&self) -> String {
        let names = self.names();
        let named: Vec<&str> =
            [names.line, names.payload, names.item].into_iter().filter(|name| !name.is_empty()).collect();
        match named.as_slice() {
            [] => "a line without a type".to_owned(),
            named => format!("an unknown shape: {}", named.join(" / ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_is_named_after_its_thread() {
        let id = "01a22df7-fa9e-7340-879d-7a348e4d6cca";
        assert_eq!(Thread::of_path(&format!("/x/rollout-2026-11-30T19-39-16-{id}.jsonl.zst")).id, id);
        assert_eq!(Thread::of_path("/x/mine.jsonl").session_id, "mine");
    }

    #[test]
    fn a_sub_agent_belongs_to_its_parents_session() {
        let line = br#"{"timestamp":"2026-11-30T19:49:14.960Z","type":"session_meta","payload":{"session_id":"root","id":"agent","parent_thread_id":"root","timestamp":"2026-11-30T19:49:14.958Z","cwd":"/home/dev/demo/project","cli_version":"0.171.0","source":{"subagent":{"thread_spawn":{"parent_thread_id":"root","depth":1,"agent_role":null}}},"thread_source":"subagent"}}"#;
        let mut thread = Thread::of_path("x.jsonl");
        thread.open(line).unwrap();
        assert_eq!((thread.id.as_str(), thread.session_id.as_str()), ("agent", "root"));
        assert_eq!((thread.parent.as_deref(), thread.role), (Some("root"), None));
        assert_eq!(thread.source.as_deref(), Some("subagent"));
    }

    #[test]
    fn what_an_unknown_line_is_named_is_said() {
        let unknown = |text: &str| serde_json::from_str::<ParsedNames<'_>>(text).unwrap().unknown();
        assert_eq!(
            unknown(r#"{"type":"event_msg","payload":{"type":"telepathy"}}"#),
            "an unknown shape: event_msg / telepathy"
        );
        assert_eq!(unknown(r#"{"type":7,"payload":[1]}"#), "a line without a type");
        assert_eq!(unknown("{}"), "a line without a type");
    }
}
