//! What the hook does with the rollout of its session: one item from the back when a call has ended, and at a Stop
//! everything that has not been read yet.
//!
//! The path comes from the payload, so the file has to be regular, ours, and no link. One that cannot be read costs the
//! second observation and nothing else.

use std::path::Path;

use memchr::memmem;

use super::back::Back;
use super::lines::MOST;
use super::pass::{Pass, Patience};
use super::position::Store;
use super::reader::first;
use super::source::Source;
use crate::adapter::codex_rollout::{NoPast, Rollout, Seen, Thread, calls, shape};
use crate::error::Result;
use crate::evidence::event::AgentEvent;
use crate::layout::Env;
use crate::ledger::Ledger;
use crate::sensor::disk::{self, Owner};

/// An item is looked for in so much of the rollout's end: it was written a moment ago.
const LOOK_BACK: u64 = 4 * MOST as u64;

/// A session's rollout, as a hook's payload names it.
pub struct SessionFile {
    source: Source,
    path: String,
    thread: Thread,
}

impl SessionFile {
    /// `Err` says why it is not read.
    pub fn open(path: &str) -> std::result::Result<SessionFile, String> {
        let file = disk::open(Path::new(path), Owner::Us).map_err(|why| format!("the rollout was not read: {why}"))?;
        let source = Source::of(file.into_file(), Path::new(path)).map_err(|error| unreadable(&error))?;
        let thread = first(&source, Path::new(path)).map_err(|error| unreadable(&error))?;
        Ok(SessionFile { source, path: path.to_owned(), thread: thread.unwrap_or_else(|| Thread::of_path(path)) })
    }

    /// Where the session began.
    pub fn cwd(&self) -> Option<&str> {
        self.thread.cwd.as_deref()
    }

    /// Shows `see` the events of the item of this call, looked for from the end. False: it is not there.
    pub fn item(&self, call: &str, see: &mut dyn FnMut(&AgentEvent<'_>)) -> std::result::Result<bool, String> {
        if self.source.compressed {
            return Ok(false);
        }
        let file = self.source.from(0).map_err(|error| unreadable(&error))?;
        let mut back = Back::new(file, self.source.meta.len());
        let wanted = memmem::Finder::new(call.as_bytes());
        let mut passed = 0;
        while passed < LOOK_BACK {
            let Some(line) = back.line().map_err(|error| unreadable(&error))? else { break };
            passed += line.len() as u64 + 1;
            if wanted.find(&line).is_none() {
                continue;
            }
            // The call itself: its item can only stand after it.
            if shape::names(&line).shape().begins_a_call()
                && calls::begun(&line).ok().flatten().is_some_and(|(id, _)| id == call)
            {
                break;
            }
            let mut seen = Vec::new();
            Rollout::of(self.thread.clone(), &self.path).read(&line, &mut NoPast, &mut seen);
            let mut found = false;
            for event in seen.iter().filter_map(|seen| item(seen, call)) {
                found = true;
                see(event);
            }
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records everything up to the last whole line that has not been recorded.
    pub fn catch_up(&self, ledger: Ledger, env: &Env, patience: Patience) -> Result<()> {
        let mut store = Store::of_hook(ledger, &self.thread.session_id)?;
        Pass::new(&mut store, env, &self.thread, patience).file(&self.source, Path::new(&self.path), &mut |_| {})
    }
}

/// An item or an `…_end` event of this call; never the text that the model got.
fn item<'a, 'e>(seen: &'a Seen<'e>, call: &str) -> Option<&'a AgentEvent<'e>> {
    match seen {
        Seen::Event(event) if event.call_id.as_deref() == Some(call) && !event.name.ends_with("_output") => Some(event),
        _ => None,
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("the rollout was not read: {error}")
}
