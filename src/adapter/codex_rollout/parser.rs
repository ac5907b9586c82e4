//! What a line of a rollout tells by itself, whatever stands before it.
//!
//! Architecture invariant: nothing is kept from one line for the next, so lines can be parsed in any order, and by several
//! threads; what a line means for later ones is handed back as its [`Effect`].

use std::borrow::Cow;

use serde::Deserialize;

use super::calls::{self, Call};
use super::compact;
use super::item::{Command, ItemPayload, Mcp, Patch};
use super::shape::Shape;
use super::told::Text;
use super::{Line, Seen, Thread};
use crate::clock;
use crate::evidence::ClockSource;
use crate::evidence::event::{Action, AgentEvent, Client, Stop, SubAgent, Via};

/// What a line changes for the lines after it.
#[derive(Debug, PartialEq)]
pub enum Effect {
    Nothing,
    /// More is told of this call than its output will.
    Told(String),
    /// The model made this call.
    Begun(String, Call),
}

/// A parser of single lines of one thread's rollout.
#[derive(Debug, Clone, Default)]
pub struct Parser {
    pub thread: Thread,
    pub(super) path: Option<String>,
}

impl Parser {
    /// One object of a shape that [stands alone](Shape::stands_alone).
    pub fn parse<'a>(&self, shape: Shape, line: &'a [u8], seen: &mut Vec<Seen<'a>>) -> serde_json::Result<Effect> {
        let about = match shape {
            Shape::CommandItem => {
                let Line { timestamp, payload } = compact::from_line::<Line<'_, ItemPayload<'_, Command<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.command("item_completed", timestamp, turn_id, item, seen)
            }
            Shape::ExecCommandEnd => {
                let Line { timestamp, payload: mut item } = compact::from_line::<Line<'_, Command<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.command("exec_command_end", timestamp, turn_id, item, seen)
            }
            Shape::FileChangeItem => {
                let Line { timestamp, payload } = compact::from_line::<Line<'_, ItemPayload<'_, Patch<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.patch("item_completed", timestamp, turn_id, item, seen)
            }
            Shape::PatchApplyEnd => {
                let Line { timestamp, payload: mut item } = compact::from_line::<Line<'_, Patch<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.patch("patch_apply_end", timestamp, turn_id, item, seen)
            }
            Shape::McpItem => {
                let Line { timestamp, payload } = serde_json::from_slice::<Line<'_, ItemPayload<'_, Mcp<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.mcp("item_completed", timestamp, turn_id, item, seen)
            }
            Shape::McpToolCallEnd => {
                let Line { timestamp, payload: mut item } = serde_json::from_slice::<Line<'_, Mcp<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.mcp("mcp_tool_call_end", timestamp, turn_id, item, seen)
            }
            Shape::FunctionCall | Shape::CustomToolCall | Shape::LocalShellCall => {
                return Ok(calls::begun(line)?.map_or(Effect::Nothing, |(id, call)| Effect::Begun(id, call)));
            }
            Shape::TaskStarted | Shape::TaskComplete | Shape::TurnAborted | Shape::Compacted => {
                self.turn(shape, line, seen)?;
                None
            }
            Shape::Ignored
            | Shape::Unknown
            | Shape::SessionMeta
            | Shape::FunctionCallOutput
            | Shape::CustomToolCallOutput => None,
        };
        Ok(about.map_or(Effect::Nothing, |id| Effect::Told(id.into_owned())))
    }

    fn command<'a>(
        &self,
        name: &'static str,
        at: Text<'a>,
        turn: Text<'a>,
        item: Command<'a>,
        seen: &mut Vec<Seen<'a>>,
    ) -> Option<Cow<'a, str>> {
        let (cwd, id) = (item.cwd(), item.id.clone().some());
        // Text typed into a running process: that process is the item of the call that began it.
        if item.source.as_str() == Some("unified_exec_interaction") {
            return id;
        }
        let mut event = self.event(name, at, item.action());
        event.tool = Some("CommandExecution".into());
        event.cwd = cwd.map(Cow::Owned).or(event.cwd);
        event.call_id.clone_from(&id);
        event.turn_id = turn.some();
        seen.push(Seen::Event(Box::new(event)));
        id
    }

    fn patch<'a>(
        &self,
        name: &'static str,
        at: Text<'a>,
        turn: Text<'a>,
        item: Patch<'a>,
        seen: &mut Vec<Seen<'a>>,
    ) -> Option<Cow<'a, str>> {
        let (turn, id) = (turn.some(), item.id.clone().some());
        for edit in item.edits(self.thread.cwd.as_deref()) {
            let mut event = self.event(name, at.clone(), Action::Edit(edit));
            event.tool = Some("FileChange".into());
            event.call_id = id.clone();
            event.turn_id = turn.clone();
            seen.push(Seen::Event(Box::new(event)));
        }
        id
    }

    fn mcp<'a>(
        &self,
        name: &'static str,
        at: Text<'a>,
        turn: Text<'a>,
        item: Mcp<'a>,
        seen: &mut Vec<Seen<'a>>,
    ) -> Option<Cow<'a, str>> {
        let id = item.id.clone().some();
        let (tool, action) = item.call();
        let mut event = self.event(name, at, action);
        event.tool = Some(tool.into());
        event.call_id.clone_from(&id);
        event.turn_id = turn.some();
        seen.push(Seen::Event(Box::new(event)));
        id
    }

    fn turn<'a>(&self, shape: Shape, line: &'a [u8], seen: &mut Vec<Seen<'a>>) -> serde_json::Result<()> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Turn<'a> {
            #[serde(borrow)]
            turn_id: Text<'a>,
            #[serde(borrow)]
            last_agent_message: Text<'a>,
            #[serde(borrow)]
            reason: Text<'a>,
        }
        let Line { timestamp, payload } = compact::from_line::<Line<'_, Turn<'_>>>(line)?;
        let (name, action) = match shape {
            Shape::TaskStarted => ("task_started", Action::TurnBegan),
            Shape::TurnAborted => ("turn_aborted", Action::Interrupted { reason: payload.reason.some() }),
            Shape::Compacted => ("compacted", Action::Compacted),
            // The turn ended with an error, or without a word: nothing is claimed.
            _ if payload.last_agent_message.0.is_none() => {
                ("task_complete", Action::Interrupted { reason: Some("no_last_message".into()) })
            }
            _ => (
                "task_complete",
                Action::Stopped(Stop {
                    message: payload.last_agent_message.0,
                    stop_hook_active: false,
                    running: Vec::new(),
                    subagent: self.thread.parent.is_some(),
                }),
            ),
        };
        let mut event = self.event(name, timestamp, action);
        event.turn_id = payload.turn_id.some();
        seen.push(Seen::Event(Box::new(event)));
        Ok(())
    }

    /// What all events of a rollout have in common.
    pub(super) fn event<'a>(&self, name: &'static str, timestamp: Text<'a>, action: Action<'a>) -> AgentEvent<'a> {
        let thread = &self.thread;
        let own = |text: &Option<String>| text.clone().map(Cow::Owned);
        let told = timestamp.as_str().and_then(clock::parse_millis).map(clock::format_millis);
        // A line without a time of its own is no older than the thread; said to be newer, it could displace what is.
        let (observed_at, clock) = match told {
            Some(at) => (at, ClockSource::ProviderReported),
            None => (thread.started.clone().unwrap_or_else(clock::now), ClockSource::Reconstructed),
        };
        AgentEvent {
            client: Client::Codex,
            client_version: own(&thread.version),
            name: name.into(),
            session_id: thread.session_id.clone().into(),
            agent: thread.parent.is_some().then(|| SubAgent { id: thread.id.clone().into(), kind: own(&thread.role) }),
            turn_id: None,
            call_id: None,
            tool: None,
            transcript_path: own(&self.path),
            cwd: own(&thread.cwd),
            observed_at,
            clock,
            via: Via::File,
            action,
        }
    }
}
