//! One line after the other, in the order of the file: what it leaves is recorded, unless it is known.

use serde_json::{Map, Value};

use super::ahead::{Item, What, is_command};
use super::batch::{Batches, not_recorded};
use super::lines::{Block, LAST, Long};
use super::pass::Pass;
use super::position::{self, Novelty, ReadTo};
use super::unread;
use crate::adapter::codex_rollout::shape::{self, Shape};
use crate::adapter::codex_rollout::{Past, Rollout, Seen, Thread};
use crate::durable::Sync;
use crate::error::Result;
use crate::evidence::event::{Action, AgentEvent};
use crate::ledger::{Append, Draft, EntryKind, Written};
use crate::redact;
use crate::sensor::codex_capture::{self, Standing};
use crate::sensor::digest;

/// What goes along with reading.
pub struct Turn<'t> {
    pub rollout: &'t mut Rollout,
    pub past: &'t mut dyn Past,
    /// Is told how many bytes have been gone through.
    pub passed: &'t mut dyn FnMut(u64),
    pub batches: Batches,
    pub reached: Reached,
}

/// How far reading has come.
#[derive(Debug, Default)]
pub struct Reached {
    /// 0: nowhere.
    pub at: u64,
    /// How the last whole line ended.
    pub last: Vec<u8>,
}

/// The clock is looked at after so many lines that leave something.
const CHECK_EVERY: usize = 16;

impl Pass<'_> {
    /// Takes what the lines of a block leave. False: reading is to stop, here or at a line of the block.
    pub(super) fn take(&mut self, block: &Block, items: Vec<Item>, turn: &mut Turn<'_>) -> Result<bool> {
        (turn.passed)(block.range.len() as u64);
        for (nth, item) in items.into_iter().enumerate() {
            if (nth % CHECK_EVERY == 0 && self.patience.is_over()) || turn.batches.is_closed() {
                self.unmarked = self.reached(turn);
                return Ok(false);
            }
            let line = &block.buffer[item.line.clone()];
            let (at, end) = block.place(&item.line);
            match item.what {
                What::Long(long) => {
                    if block.range.is_empty() {
                        (turn.passed)(long.end - long.at);
                    }
                    self.long(&long, turn)?;
                    continue;
                }
                What::Left { effect, written, commands } if !self.may_know(&written) => {
                    if !turn.rollout.is_repeated(item.key) {
                        turn.rollout.take(effect);
                        self.left(written, commands, turn);
                    }
                }
                What::InTurn | What::Left { .. } => {
                    let mut seen = Vec::new();
                    if item.shape == Shape::Unknown {
                        turn.rollout.read(line, turn.past, &mut seen);
                    } else {
                        let call = shape::names(line).call_id;
                        turn.rollout.read_known(line, item.shape, call, item.key, turn.past, &mut seen);
                    }
                    if !seen.is_empty() {
                        let drafts = self.drafts(seen, at);
                        self.add(drafts, ReadTo::after(&self.thread.id, end, line), &mut turn.batches)?;
                    }
                }
            }
            turn.read(end, line);
        }
        if let Some(last) = block.last() {
            let (_, end) = block.place(&last);
            turn.read(end, &block.buffer[last]);
        }
        if self.patience.is_over() {
            self.unmarked = self.reached(turn);
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn long(&mut self, long: &Long, turn: &mut Turn<'_>) -> Result<()> {
        let read_to = ReadTo::after(&self.thread.id, long.end, &long.last);
        self.add(vec![unread::long(self.thread, long)], read_to, &mut turn.batches)?;
        turn.read(long.end, &long.last);
        Ok(())
    }

    fn reached(&self, turn: &Turn<'_>) -> Option<ReadTo> {
        let reached = &turn.reached;
        (reached.at > 0).then(|| ReadTo::after(&self.thread.id, reached.at, &reached.last))
    }

    /// Whether any of these may have been recorded already. If so, it is to be looked at closely.
    fn may_know(&self, written: &[Written]) -> bool {
        written.iter().any(|one| self.store.may_know(one.kind(), one.id()))
    }

    fn left(&mut self, written: Vec<Written>, commands: u64, turn: &mut Turn<'_>) {
        if written.is_empty() {
            return;
        }
        self.unmarked = None;
        self.done.recorded += written.len() as u64;
        self.done.commands += commands;
        turn.batches.add(written);
    }

    /// What the things seen on one line leave, in order.
    fn drafts(&mut self, seen: Vec<Seen<'_>>, at: u64) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for thing in seen {
            let (event, opened) = match thing {
                Seen::Event(event) => (event, None),
                Seen::Opened(event) => (event, Some(opened(self.thread))),
                Seen::Unparsed { reason, at: within, text } => {
                    drafts.push(unread::part(self.thread, at + within as u64, reason, text));
                    continue;
                }
            };
            self.look_up(&event);
            let standing = Standing { thread: &self.thread.id, offset: at, opened };
            let mut told = codex_capture::line(&event, &self.scene, standing);
            if let Some(live) = &self.live {
                live.look(&event, &self.scene, &mut told);
            }
            drafts.append(&mut told);
        }
        drafts
    }

    /// Where an event happened, as far as paths tell.
    fn look_up(&mut self, event: &AgentEvent<'_>) {
        self.scene.root = self.roots.of(event, self.env);
        self.scene.digest_key = match &event.action {
            Action::Edit(edit) if redact::secret_name(&edit.path) => {
                // The key lies beside the ledger, whose place must be there first.
                let _ = self.store.ledger.append(Vec::new(), &Append { wait: self.patience.lock, sync: Sync::None });
                digest::key(&edit.path, self.store.ledger.dir())
            }
            _ => None,
        };
    }

    /// Puts a line's drafts into the batch; the last of them says how far reading got with it.
    fn add(&mut self, mut drafts: Vec<Draft>, read_to: ReadTo, batches: &mut Batches) -> Result<()> {
        if let Some(last) = drafts.last_mut() {
            last.body.insert(position::KEY.to_owned(), read_to.to_json());
        }
        drafts.retain_mut(|draft| self.store.meet(draft) == Novelty::New);
        let marked = drafts.last().is_some_and(|draft| draft.body.contains_key(position::KEY));
        self.unmarked = if marked { None } else { Some(read_to) };
        for draft in &drafts {
            self.done.recorded += 1;
            self.done.commands += u64::from(is_command(draft));
            self.done.not_understood += u64::from(draft.kind == EntryKind::Unparsed);
        }
        self.write_out(&drafts, batches)?;
        if self.live.is_some() {
            // What the host saw goes with what it looked at: see what the ledger makes of a batch whose first is known.
            batches.send();
        }
        Ok(())
    }

    fn write_out(&mut self, drafts: &[Draft], batches: &mut Batches) -> Result<()> {
        if drafts.is_empty() {
            return Ok(());
        }
        if !self.prepared {
            self.store.ledger.prepare()?;
            self.prepared = true;
        }
        let written = drafts.iter().map(|draft| self.store.ledger.write_out(draft)).collect::<Result<Vec<_>, _>>();
        batches.add(written.map_err(not_recorded)?);
        Ok(())
    }

    /// Where the last lines left nothing new, an entry of its own says that they were read.
    pub(super) fn mark(&mut self, batches: &mut Batches) -> Result<()> {
        let Some(read_to) = self.unmarked.take().filter(|_| !self.again) else { return Ok(()) };
        let thread = self.thread;
        let mut draft =
            codex_capture::read(&thread.id, &thread.session_id, thread.cwd.as_deref(), read_to.offset, &self.scene);
        draft.body.insert(position::KEY.to_owned(), read_to.to_json());
        self.write_out(&[draft], batches)
    }
}

impl Turn<'_> {
    /// The line that ends at `end`, with its line break, has been gone through.
    fn read(&mut self, end: u64, line: &[u8]) {
        self.reached.at = end;
        self.reached.last.clear();
        self.reached.last.extend_from_slice(&line[line.len().saturating_sub(LAST)..]);
    }
}

/// What the first line tells beside where the session was.
fn opened(thread: &Thread) -> Map<String, Value> {
    let mut opened = Map::new();
    opened.insert("thread".into(), thread.id.as_str().into());
    for (key, told) in [("version", &thread.version), ("parent", &thread.parent), ("forked_from", &thread.forked_from)]
    {
        if let Some(told) = told {
            opened.insert(key.into(), told.as_str().into());
        }
    }
    for (key, told) in [("base", &thread.base), ("git", &thread.git)] {
        if let Some(told) = told {
            opened.insert(key.into(), told.clone());
        }
    }
    opened
}
