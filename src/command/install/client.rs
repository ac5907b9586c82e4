//! The two clients: which events are registered with each and why, and where each keeps its settings.
//!
//! Architecture invariant: the events and their time-outs stand in `hooks/*.json`, which is the text that is installed.

use std::path::{Path, PathBuf};

use super::json::{self, Node};
use crate::error::{Error, Result};
use crate::layout::Env;

/// A client that hooks are registered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Client {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
}

/// Whose sessions are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Yours, in every project.
    User,
    /// Everybody's in this project: the file is committed with it.
    Project,
    /// Yours in this project.
    Local,
}

/// One event that is registered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    pub event: &'static str,
    /// The event's list of groups, as it is installed but for the command.
    pub groups: &'static str,
    pub timeout: f64,
    pub why: &'static str,
}

/// Why each event is registered. What is lost without it, the doctor says.
const WHY: &[(&str, &str)] = &[
    ("PostToolUse", "what a tool call did"),
    ("PostToolUseFailure", "tool calls that failed; without it failures are invisible"),
    ("PostToolBatch", "calls that never ran: refused, denied, invalid"),
    ("UserPromptSubmit", "how background commands ended; nothing of your prompts is kept"),
    ("SessionStart", "the session's beginning, and deeds.json as it then stood"),
    ("SessionEnd", "its end"),
    ("Interrupt", "a turn that was broken off"),
    ("Stop", "what the agent says it did: the moment it is judged"),
    ("SubagentStop", "what a sub-agent says it did"),
    ("TaskCompleted", "a task that is called done"),
];

impl Client {
    pub const ALL: [Client; 2] = [Client::Claude, Client::Codex];

    /// As evidence and the command line name it.
    pub fn tag(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
        }
    }

    /// As people do.
    pub fn name(self) -> &'static str {
        match self {
            Client::Claude => "Claude Code",
            Client::Codex => "Codex",
        }
    }

    /// The file that is installed where there is none.
    pub fn template(self) -> &'static str {
        match self {
            Client::Claude => include_str!("../../../hooks/claude.json"),
            Client::Codex => include_str!("../../../hooks/codex.json"),
        }
    }

    /// The events to register, in order.
    pub fn wanted(self) -> Vec<Wanted> {
        let text = self.template();
        let root = json::parse(text).ok();
        let hooks = root.as_ref().and_then(|root| root.get(text, "hooks"));
        let members = hooks.and_then(Node::members).unwrap_or_default();
        let wanted = |member: &json::Member| {
            let event = text[member.key.clone()].trim_matches('"');
            let first = member.value.items()?.first()?.get(text, "hooks")?.items()?.first()?;
            let timeout = text[first.get(text, "timeout")?.span.clone()].parse().ok()?;
            let why = WHY.iter().find(|(name, _)| *name == event).map_or("", |(_, why)| why);
            Some(Wanted { event, groups: &text[member.value.span.clone()], timeout, why })
        };
        members.iter().filter_map(wanted).collect()
    }

    /// The folder of the client's settings.
    pub fn folder(self, scope: Scope, env: &Env, root: &Path) -> Result<PathBuf> {
        let no_home =
            || Error::usage(format!("HOME is not set, so it is not known where {} has its settings", self.name()));
        match (self, scope) {
            (Client::Codex, Scope::Local) => Err(Error::usage(
                "Codex has no settings of your own within a project; use --user, or --project for everybody's",
            )),
            (Client::Claude, Scope::User) => env.claude().ok_or_else(no_home),
            (Client::Codex, Scope::User) => env.codex().ok_or_else(no_home),
            (Client::Claude, _) => Ok(root.join(".claude")),
            (Client::Codex, _) => Ok(root.join(".codex")),
        }
    }
}

impl Scope {
    pub const ALL: [Scope; 3] = [Scope::User, Scope::Project, Scope::Local];

    /// Whom it is for, as a reader is told.
    pub fn whose(self) -> &'static str {
        match self {
            Scope::User => "you, in all projects",
            Scope::Project => "everybody in this project",
            Scope::Local => "you, in this project",
        }
    }

    pub fn option(self) -> &'static str {
        match self {
            Scope::User => "--user",
            Scope::Project => "--project",
            Scope::Local => "--local",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_says_why_and_waits_for_seconds() {
        for (client, count) in [(Client::Claude, 9), (Client::Codex, 6)] {
            let wanted = client.wanted();
            assert_eq!(wanted.len(), count);
            for one in wanted {
                assert!(!one.why.is_empty(), "{}", one.event);
                assert!((1.0..=60.0).contains(&one.timeout), "{}", one.event);
            }
        }
    }
}
