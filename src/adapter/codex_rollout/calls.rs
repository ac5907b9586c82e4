//! The calls that a rollout shows begun and not yet ended, so that an output line can be told what it is the output of.
//!
//! Reading may begin in the middle of a file. A call that stood before that is looked for backwards, only when its
//! output comes, and only as far as needed; whoever reads from a stream replays the lines before instead. Either way the
//! same lines give the same answer.

use std::collections::HashMap;

use serde::Deserialize;

use super::compact;
use super::shape::{self, Shape};
use super::told::{Text, Words};

/// A call as the model made it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// Qualified where the client qualifies it (`mcp__demo__add`).
    pub name: String,
    /// A function's arguments (JSON text), or a custom tool's input.
    pub input: String,
    /// A line that tells more (an item, an `…_end` event) has come for this call; its output adds nothing.
    pub told: bool,
}

/// Lines before the place where reading began, last one first.
pub trait Past {
    fn line_before(&mut self) -> Option<Vec<u8>>;
}

/// Reading began at the beginning, or replayed what came before.
pub struct NoPast;

impl Past for NoPast {
    fn line_before(&mut self) -> Option<Vec<u8>> {
        None
    }
}

/// As many calls are kept waiting; a rollout that begins more without ending them loses the oldest.
const MOST: usize = 4096;

/// As many bytes of input are kept for all of them.
const MOST_BYTES: usize = 8 << 20;

#[derive(Debug, Default)]
pub struct Calls {
    waiting: HashMap<String, (u64, Call)>,
    order: u64,
    bytes: usize,
    /// What was met of calls whose beginning was not: told more of, or ended already.
    unbegun: HashMap<String, Unbegun>,
}

/// As many are kept: a script's nested calls have items and no beginning.
const MOST_UNBEGUN: usize = 100_000;

#[derive(Debug, Default, Clone, Copy)]
struct Unbegun {
    told: bool,
    ended: bool,
}

impl Calls {
    pub fn begin(&mut self, id: &str, mut call: Call) {
        self.end(id);
        call.told |= self.unbegun.remove(id).unwrap_or_default().told;
        self.order += 1;
        self.bytes += call.input.len();
        self.waiting.insert(id.to_owned(), (self.order, call));
        while self.waiting.len() > MOST || (self.bytes > MOST_BYTES && self.waiting.len() > 1) {
            let oldest = self.waiting.iter().min_by_key(|(_, (order, _))| *order).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { break };
            self.end(&oldest);
        }
    }

    /// A line that tells more of this call has come.
    pub fn told(&mut self, id: &str) {
        match self.waiting.get_mut(id) {
            Some((_, call)) => call.told = true,
            None => self.unbegun(id).told = true,
        }
    }

    fn unbegun(&mut self, id: &str) -> &mut Unbegun {
        if self.unbegun.len() >= MOST_UNBEGUN {
            self.unbegun.clear();
        }
        self.unbegun.entry(id.to_owned()).or_default()
    }

    /// The call whose output has come; `None` if its beginning is nowhere in the rollout.
    pub fn ended(&mut self, id: &str, past: &mut dyn Past) -> Option<Call> {
        self.find(id, past)?;
        self.end(id)
    }

    /// Whether an output of this call adds nothing, told without looking back.
    pub fn is_told(&self, id: &str) -> bool {
        self.waiting.get(id).is_some_and(|(_, call)| call.told)
    }

    fn end(&mut self, id: &str) -> Option<Call> {
        let (_, call) = self.waiting.remove(id)?;
        self.bytes -= call.input.len();
        Some(call)
    }

    fn find(&mut self, id: &str, past: &mut dyn Past) -> Option<&mut Call> {
        while !self.waiting.contains_key(id) {
            let line = past.line_before()?;
            self.look_back(&line);
        }
        self.waiting.get_mut(id).map(|(_, call)| call)
    }

    /// Takes in a line from before the place where reading began. Lines come last one first: what ended a call, or told
    /// more of it, is met before the call itself.
    fn look_back(&mut self, line: &[u8]) {
        match shape::names(line).shape() {
            Shape::CommandItem
            | Shape::FileChangeItem
            | Shape::McpItem
            | Shape::ExecCommandEnd
            | Shape::PatchApplyEnd
            | Shape::McpToolCallEnd => {
                if let Some(id) = id_of(line) {
                    self.unbegun(&id).told = true;
                }
            }
            Shape::FunctionCallOutput | Shape::CustomToolCallOutput => {
                if let Some(id) = id_of(line) {
                    self.unbegun(&id).ended = true;
                }
            }
            Shape::FunctionCall | Shape::CustomToolCall | Shape::LocalShellCall => {
                let Ok(Some((id, call))) = begun(line) else { return };
                if self.unbegun.get(&id).is_some_and(|unbegun| unbegun.ended) {
                    self.unbegun.remove(&id);
                } else if !self.waiting.contains_key(&id) {
                    self.begin(&id, call);
                }
            }
            _ => {}
        }
    }
}

#[derive(Deserialize)]
struct Line<P> {
    payload: P,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Ids<'a> {
    #[serde(borrow)]
    call_id: Text<'a>,
    #[serde(borrow)]
    item: Option<Id<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Id<'a> {
    #[serde(borrow)]
    id: Text<'a>,
}

/// The call that an item, an event or an output is about.
fn id_of(line: &[u8]) -> Option<String> {
    let Line { payload } = compact::from_line::<Line<Ids<'_>>>(line).ok()?;
    payload.call_id.some().or_else(|| payload.item?.id.some()).map(|id| id.into_owned())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CallPayload<'a> {
    #[serde(borrow)]
    call_id: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    namespace: Text<'a>,
    #[serde(borrow)]
    arguments: Text<'a>,
    #[serde(borrow)]
    input: Text<'a>,
    #[serde(borrow)]
    action: Option<ShellAction<'a>>,
}

/// What a `local_shell_call` runs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ShellAction<'a> {
    command: Words,
    #[serde(borrow)]
    working_directory: Text<'a>,
}

/// The call that a line begins; `None` if the line names none.
pub fn begun(line: &[u8]) -> serde_json::Result<Option<(String, Call)>> {
    let Line { payload } = compact::from_line::<Line<CallPayload<'_>>>(line)?;
    let Some(id) = payload.call_id.some().or_else(|| payload.id.some()) else { return Ok(None) };
    let id = id.into_owned();
    if let Some(action) = payload.action {
        let input = serde_json::json!({"command": action.command.0, "workdir": action.working_directory.as_str()});
        return Ok(Some((id, Call { name: "local_shell".into(), input: input.to_string(), told: false })));
    }
    let name = payload.name.some().unwrap_or_default();
    let name = match payload.namespace.some() {
        Some(namespace) if namespace.ends_with("__") => format!("{namespace}{name}"),
        Some(namespace) => format!("{namespace}.{name}"),
        None => name.into_owned(),
    };
    let input = payload.arguments.0.or(payload.input.0).unwrap_or_default().into_owned();
    Ok(Some((id, Call { name, input, told: false })))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lines(Vec<&'static str>);

    impl Past for Lines {
        fn line_before(&mut self) -> Option<Vec<u8>> {
            self.0.pop().map(|line| line.as_bytes().to_vec())
        }
    }

    const CALL: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}"#;
    const ITEM: &str = r#"{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","exit_code":0}}}"#;
    const OUTPUT: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"x"}}"#;

    #[test]
    fn a_call_before_the_place_where_reading_began_is_found_with_what_became_of_it() {
        let found = Calls::default().ended("c1", &mut Lines(vec![CALL, "garbage"])).unwrap();
        assert_eq!((found.name.as_str(), found.input.as_str(), found.told), ("exec_command", r#"{"cmd":"ls"}"#, false));
        assert!(Calls::default().ended("c1", &mut Lines(vec![CALL, ITEM])).unwrap().told);
        assert_eq!(Calls::default().ended("c1", &mut Lines(vec![CALL, ITEM, OUTPUT])), None);
        assert_eq!(Calls::default().ended("c2", &mut Lines(vec![CALL])), None);
    }

    #[test]
    fn looking_back_goes_no_further_than_needed() {
        let mut past = Lines(vec![CALL, OUTPUT, CALL]);
        let mut calls = Calls::default();
        assert!(calls.ended("c1", &mut past).is_some());
        assert_eq!(past.0.len(), 2);
    }

    #[test]
    fn calls_that_never_end_do_not_fill_memory() {
        let mut calls = Calls::default();
        for n in 0..MOST + 10 {
            calls.begin(&n.to_string(), Call { input: "x".repeat(10_000), ..Call::default() });
        }
        assert!(calls.bytes <= MOST_BYTES);
        assert!(calls.ended("0", &mut NoPast).is_none());
        assert!(calls.ended(&(MOST + 9).to_string(), &mut NoPast).is_some());
    }

    #[test]
    fn a_local_shell_call_is_a_command_too() {
        let line = br#"{"type":"response_item","payload":{"type":"local_shell_call","call_id":"c9","status":"completed","action":{"type":"exec","command":["bash","-lc","ls"],"working_directory":"/w"}}}"#;
        let (id, call) = begun(line).unwrap().unwrap();
        assert_eq!(id, "c9");
        assert_eq!(call.input, r#"{"command":["bash","-lc","ls"],"workdir":"/w"}"#);
    }
}
