//! Where an event happened: the `context` of every payload.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::clean::Cleaner;
use crate::evidence::event::AgentEvent;

/// What the host knows of the place, read from files once a process; no git is started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scene {
    /// The root of the worktree the agent is in.
    pub root: Option<PathBuf>,
    /// The commit checked out there.
    pub head: Option<String>,
    pub branch: Option<String>,
    /// RFC 3339: when deeds looked.
    pub collected_at: String,
    /// The key for digests of files that are named like secrets.
    pub digest_key: Option<[u8; 32]>,
}

impl Scene {
    /// `{"root","cwd","head","branch","agent"?}`, null where not found.
    pub fn context(&self, event: &AgentEvent<'_>, clean: &mut Cleaner) -> Value {
        let mut context = Map::new();
        let mut put = |key: &str, text: Option<&str>| {
            context.insert(key.into(), text.map_or(Value::Null, |text| clean.text(text).into()));
        };
        put("root", self.root.as_deref().map(|root| root.to_string_lossy()).as_deref());
        put("cwd", event.cwd.as_deref());
        put("head", self.head.as_deref());
        put("branch", self.branch.as_deref());
        if let Some(agent) = &event.agent {
            let mut who = Map::new();
            who.insert("id".into(), clean.text(&agent.id).into());
            if let Some(kind) = &agent.kind {
                who.insert("type".into(), clean.text(kind).into());
            }
            context.insert("agent".into(), who.into());
        }
        context.into()
    }
}
