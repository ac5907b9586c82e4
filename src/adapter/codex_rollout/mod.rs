//! A Codex rollout, line by line, as events.
//!
//! Recorded from Codex CLI 0.171.0, where a call's end is an `item_completed` line with a literal exit code; older
//! rollouts have `…_end` events in its place, or only the text that the model got. All are told by their shape.
//!
//! Architecture invariant: no I/O and no ledger. The same lines give the same events, however often reading stopped
//! between two of them: what a line needs from before it is kept in [`Calls`], or asked of [`Past`].

pub mod calls;
mod compact;
mod item;
mod members;
mod output;
mod parser;
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
pub use parser::{Effect, Parser};
pub use repeats::Repeats;
pub use thread::Thread;

use self::calls::Calls;
use self::shape::Shape;
use self::told::Text;
use crate::evidence::event::{Action, AgentEvent};

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
    /// Of the thread that the first `session_meta` names.
    parser: Parser,
    opened: bool,
    calls: Calls,
    repeats: Repeats,
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
        Rollout { parser: Parser { thread: Thread::of_path(path), path: Some(path.to_owned()) }, ..Rollout::default() }
    }

    /// A reader of single lines of a rollout whose first line is known.
    pub fn of(thread: Thread, path: &str) -> Rollout {
        let parser = Parser { thread, path: Some(path.to_owned()) };
        Rollout { parser, opened: true, ..Rollout::default() }
    }

    pub fn thread(&self) -> &Thread {
        &self.parser.thread
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

    /// A parser of this thread's lines.
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    /// What was read before, for whoever looks at lines ahead.
    pub fn repeats(&self) -> Repeats {
        self.repeats.clone()
    }

    /// One line, without its line break, to what it holds. Most hold nothing.
    pub fn read<'a>(&mut self, line: &'a [u8], past: &mut dyn Past, seen: &mut Vec<Seen<'a>>) {
        let (shape, names) = shape::of(line);
        match shape {
            Shape::Ignored => {}
            Shape::Unknown => self.slowly(line, past, seen),
            shape => {
                let key = if shape.is_output() { None } else { self.repeats.key(shape, line) };
                self.read_known(line, shape, names.call_id, key, past, seen);
            }
        }
    }

    /// One line that is one object of a known shape, as its beginning says. `call` is what an output is the output of, if
    /// that stands there; `key` what any other line is known by if it comes again.
    pub fn read_known<'a>(
        &mut self,
        line: &'a [u8],
        shape: Shape,
        call: &str,
        key: Option<u64>,
        past: &mut dyn Past,
        seen: &mut Vec<Seen<'a>>,
    ) {
        if shape.is_output() && !call.is_empty() && self.calls.is_told(call) {
            self.calls.ended(call, past);
            return;
        }
        let key = if shape.is_output() { self.repeats.key(shape, line) } else { key };
        if !self.is_repeated(key) && self.object(shape, line, past, seen).is_err() {
            self.slowly(line, past, seen);
        }
    }

    /// Whether a line with this key was read before; from now on, one was.
    pub fn is_repeated(&mut self, key: Option<u64>) -> bool {
        key.is_some_and(|key| self.repeats.again(key))
    }

    /// What a line that was parsed elsewhere changes for those after it.
    pub fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Nothing => {}
            Effect::Told(id) => self.calls.told(&id),
            Effect::Begun(id, call) => self.calls.begin(&id, call),
        }
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
                    let timestamp = self.parser.thread.open(line)?;
                    self.opened = true;
                    let source = self.parser.thread.source.clone().map(Cow::Owned);
                    let event = self.parser.event("session_meta", timestamp, Action::SessionStarted { source });
                    seen.push(Seen::Opened(Box::new(event)));
                }
            }
            Shape::FunctionCallOutput => self.output("function_call_output", line, past, seen)?,
            Shape::CustomToolCallOutput => self.output("custom_tool_call_output", line, past, seen)?,
            _ => {
                let effect = self.parser.parse(shape, line, seen)?;
                self.take(effect);
            }
        }
        Ok(())
    }
}
