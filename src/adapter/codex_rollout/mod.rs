//! A Codex rollout, line by line, as events.
//!
//! Recorded from Codex CLI 0.171.0, where a call's end is an `item_completed` line with a literal exit code; older
//! rollouts have `…_end` events in its place, or only the text that the model got. All are told by their shape.
//!
//! Architecture invariant: no I/O and no ledger. The same lines give the same events, however often reading stopped
//! between two of them: what a line needs from before it is kept in [`Calls`], or asked of [`Past`].

pub mod calls;
mod item;
mod output;
pub mod patch;
pub mod paths;
mod repeats;
pub mod shape;
pub mod text;
mod thread;
mod told;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use calls::{NoPast, Past};
pub use thread::Thread;

use self::calls::Calls;
use self::item::{Command, ItemPayload, Mcp, Patch};
use self::repeats::Repeats;
use self::shape::Shape;
use self::told::Text;
use crate::clock;
use crate::evidence::ClockSource;
use crate::evidence::event::{Action, AgentEvent, Client, Stop, SubAgent, Via};

/// What a line held.
#[derive(Debug)]
pub enum Seen<'a> {
    Event(Box<AgentEvent<'a>>),
    /// The rollout's own first line.
    Opened(Box<AgentEvent<'a>>),
    /// Something that this version does not understand, and where on the line it begins.
    Unparsed {
        reason: String,
        at: usize,
        text: &'a [u8],
    },
}

/// A reader of one rollout.
#[derive(Debug, Default)]
pub struct Rollout {
    /// From the first `session_meta`.
    thread: Thread,
    opened: bool,
    calls: Calls,
    repeats: Repeats,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Line<'a, P> {
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    payload: P,
}

impl Rollout {
    /// `path` is where the rollout lies; its name says which thread it is until its first line does.
    pub fn new(path: &str) -> Rollout {
        Rollout { thread: Thread::of_path(path), path: Some(path.to_owned()), ..Rollout::default() }
    }

    /// A reader of single lines of a rollout whose first line is known.
    pub fn of(thread: Thread, path: &str) -> Rollout {
        Rollout { thread, opened: true, path: Some(path.to_owned()), ..Rollout::default() }
    }

    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Whether the line that says which thread it is has been read.
    pub fn is_opened(&self) -> bool {
        self.opened
    }

    /// Takes in one of the first lines, for the thread that it may name and for nothing else.
    pub fn replay_opening(&mut self, line: &[u8]) {
        if shape::names(line).shape() == Shape::SessionMeta {
            self.read(line, &mut NoPast, &mut Vec::new());
        }
    }

    /// Takes in a line that was recorded before, for what later lines need of it.
    pub fn replay(&mut self, line: &[u8]) {
        match shape::names(line).shape() {
            Shape::Ignored => {}
            Shape::SessionMeta
            | Shape::Unknown
            | Shape::CommandItem
            | Shape::FileChangeItem
            | Shape::McpItem
            | Shape::ExecCommandEnd
            | Shape::PatchApplyEnd
            | Shape::McpToolCallEnd
            | Shape::FunctionCall
            | Shape::CustomToolCall
            | Shape::LocalShellCall
            | Shape::FunctionCallOutput
            | Shape::CustomToolCallOutput => self.read(line, &mut NoPast, &mut Vec::new()),
            Shape::Compacted | Shape::TaskStarted | Shape::TaskComplete | Shape::TurnAborted => {}
        }
    }

    /// One line, without its line break, to what it holds. Most hold nothing.
    pub fn read<'a>(&mut self, line: &'a [u8], past: &mut dyn Past, seen: &mut Vec<Seen<'a>>) {
        let names = shape::names(line);
        let shape = names.shape();
        if shape != Shape::Unknown && shape::is_one_object(line) {
            let told_already = matches!(shape, Shape::FunctionCallOutput | Shape::CustomToolCallOutput)
                && !names.call_id.is_empty()
                && self.calls.is_told(names.call_id);
            if shape == Shape::Ignored {
                return;
            }
            if told_already {
                self.calls.ended(names.call_id, past);
                return;
            }
            if self.repeats.again(shape, line) {
                return;
            }
            if self.object(shape, line, past, seen).is_ok() {
                return;
            }
        }
        self.slowly(line, past, seen);
    }

    /// A line that is not one object of a known shape: every whole object on it is read, and what lies between is not
    /// understood.
    fn slowly<'a>(&mut self, line: &'a [u8], past: &mut dyn Past, seen: &mut Vec<Seen<'a>>) {
        let mut at = 0;
        while at < line.len() {
            let mut objects = serde_json::Deserializer::from_slice(&line[at..]).into_iter::<&RawValue>();
            let error = match objects.next() {
                None => return,
                Some(Ok(object)) => {
                    let bytes = object.get().as_bytes();
                    let end = at + objects.byte_offset();
                    if let Err(reason) = self.whole(bytes, past, seen) {
                        seen.push(Seen::Unparsed { reason, at: end - bytes.len(), text: bytes });
                    }
                    at = end;
                    continue;
                }
                Some(Err(error)) => error,
            };
            let end = shape::next_start(line, at + 1).unwrap_or(line.len());
            let reason = match std::str::from_utf8(&line[at..end]) {
                Ok(_) => format!("not JSON: {error}"),
                Err(_) => "not UTF-8".to_owned(),
            };
            seen.push(Seen::Unparsed { reason, at, text: &line[at..end] });
            at = end;
        }
    }

    /// One object, by the names that parsing it gives.
    fn whole<'a>(&mut self, object: &'a [u8], past: &mut dyn Past, seen: &mut Vec<Seen<'a>>) -> Result<(), String> {
        let parsed = serde_json::from_slice::<thread::ParsedNames<'_>>(object);
        let parsed = parsed.map_err(|error| format!("not a rollout line: {error}"))?;
        match parsed.names().shape() {
            Shape::Ignored => Ok(()),
            Shape::Unknown => Err(parsed.unknown()),
            shape => self.object(shape, object, past, seen).map_err(|error| format!("not of its shape: {error}")),
        }
    }

    /// One object of a known shape.
    fn object<'a>(
        &mut self,
        shape: Shape,
        line: &'a [u8],
        past: &mut dyn Past,
        seen: &mut Vec<Seen<'a>>,
    ) -> serde_json::Result<()> {
        match shape {
            Shape::Ignored | Shape::Unknown => {}
            Shape::SessionMeta => {
                if !self.opened {
                    let timestamp = self.thread.open(line)?;
                    self.opened = true;
                    let source = self.thread.source.clone().map(Cow::Owned);
                    let event = self.event("session_meta", timestamp, Action::SessionStarted { source });
                    seen.push(Seen::Opened(Box::new(event)));
                }
            }
            Shape::CommandItem => {
                let Line { timestamp, payload } =
                    serde_json::from_slice::<Line<'_, ItemPayload<'_, Command<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.command("item_completed", timestamp, turn_id, item, seen);
            }
            Shape::ExecCommandEnd => {
                let Line { timestamp, payload: mut item } = serde_json::from_slice::<Line<'_, Command<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.command("exec_command_end", timestamp, turn_id, item, seen);
            }
            Shape::FileChangeItem => {
                let Line { timestamp, payload } = serde_json::from_slice::<Line<'_, ItemPayload<'_, Patch<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.patch("item_completed", timestamp, turn_id, item, seen);
            }
            Shape::PatchApplyEnd => {
                let Line { timestamp, payload: mut item } = serde_json::from_slice::<Line<'_, Patch<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.patch("patch_apply_end", timestamp, turn_id, item, seen);
            }
            Shape::McpItem => {
                let Line { timestamp, payload } = serde_json::from_slice::<Line<'_, ItemPayload<'_, Mcp<'_>>>>(line)?;
                let ItemPayload { turn_id, item } = payload;
                self.mcp("item_completed", timestamp, turn_id, item, seen);
            }
            Shape::McpToolCallEnd => {
                let Line { timestamp, payload: mut item } = serde_json::from_slice::<Line<'_, Mcp<'_>>>(line)?;
                let turn_id = std::mem::take(&mut item.turn_id);
                self.mcp("mcp_tool_call_end", timestamp, turn_id, item, seen);
            }
            Shape::FunctionCall | Shape::CustomToolCall | Shape::LocalShellCall => {
                if let Some((id, call)) = calls::begun(line)? {
                    self.calls.begin(&id, call);
                }
            }
            Shape::FunctionCallOutput => self.output("function_call_output", line, past, seen)?,
            Shape::CustomToolCallOutput => self.output("custom_tool_call_output", line, past, seen)?,
            Shape::TaskStarted | Shape::TaskComplete | Shape::TurnAborted | Shape::Compacted => {
                self.turn(shape, line, seen)?;
            }
        }
        Ok(())
    }

    fn command<'a>(
        &mut self,
        name: &'static str,
        at: Text<'a>,
        turn: Text<'a>,
        item: Command<'a>,
        seen: &mut Vec<Seen<'a>>,
    ) {
        let (cwd, id) = (item.cwd(), item.id.clone().some());
        if let Some(id) = &id {
            self.calls.told(id);
        }
        // Text typed into a running process: that process is the item of the call that began it.
        if item.source.as_str() == Some("unified_exec_interaction") {
            return;
        }
        let mut event = self.event(name, at, item.action());
        event.tool = Some("CommandExecution".into());
        event.cwd = cwd.map(Cow::Owned).or(event.cwd);
        event.call_id = id;
        event.turn_id = turn.some();
        seen.push(Seen::Event(Box::new(event)));
    }

    fn patch<'a>(
        &mut self,
        name: &'static str,
        at: Text<'a>,
        turn: Text<'a>,
        item: Patch<'a>,
        seen: &mut Vec<Seen<'a>>,
    ) {
        let (turn, id) = (turn.some(), item.id.clone().some());
        if let Some(id) = &id {
            self.calls.told(id);
        }
        for edit in item.edits(self.thread.cwd.as_deref()) {
            let mut event = self.event(name, at.clone(), Action::Edit(edit));
            event.tool = Some("FileChange".into());
            event.call_id = id.clone();
            event.turn_id = turn.clone();
            seen.push(Seen::Event(Box::new(event)));
        }
    }

    fn mcp<'a>(&mut self, name: &'static str, at: Text<'a>, turn: Text<'a>, item: Mcp<'a>, seen: &mut Vec<Seen<'a>>) {
        let id = item.id.clone().some();
        if let Some(id) = &id {
            self.calls.told(id);
        }
        let (tool, action) = item.call();
        let mut event = self.event(name, at, action);
        event.tool = Some(tool.into());
        event.call_id = id;
        event.turn_id = turn.some();
        seen.push(Seen::Event(Box::new(event)));
    }

    fn turn<'a>(&mut self, shape: Shape, line: &'a [u8], seen: &mut Vec<Seen<'a>>) -> serde_json::Result<()> {
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
        let Line { timestamp, payload } = serde_json::from_slice::<Line<'_, Turn<'_>>>(line)?;
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
    fn event<'a>(&self, name: &'static str, timestamp: Text<'a>, action: Action<'a>) -> AgentEvent<'a> {
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
