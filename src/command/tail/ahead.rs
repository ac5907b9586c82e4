//! What the lines of a block leave, as far as each tells it by itself: worked out ahead of the reader, by any thread.
//!
//! Architecture invariant: nothing is decided here. Whether a line is a repeat, what it means for later ones and what of it
//! is recorded is for whoever takes the blocks in order; a line that cannot be told alone is left for him as it is.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::lines::{Block, Long, MOST};
use super::position::{self, ReadTo};
use crate::adapter::codex_rollout::shape::{self, Shape};
use crate::adapter::codex_rollout::{Effect, Parser, Repeats, Rollout, Seen};
use crate::evidence::event::{Action, AgentEvent};
use crate::layout::Env;
use crate::ledger::{Draft, Ledger, Written};
use crate::redact;
use crate::sensor::codex_capture::{self, Standing};
use crate::sensor::scene::Scene;

/// A line that leaves something, or may.
pub struct Item {
    pub line: Range<usize>,
    pub shape: Shape,
    /// What it is known by if it comes again; of an output, that is found in its turn.
    pub key: Option<u64>,
    pub what: What,
}

pub enum What {
    /// It can only be told in its turn.
    InTurn,
    /// The last of what is written out says how far reading got with the line.
    Left {
        effect: Effect,
        written: Vec<Written>,
        commands: u64,
    },
    Long(Box<Long>),
}

/// Works out what lines leave.
pub struct Ahead<'e> {
    env: &'e Env,
    ledger: Ledger,
    /// The ledger's directory is there.
    prepared: bool,
    parser: Parser,
    repeats: Repeats,
    scene: Scene,
    roots: Roots,
    /// Whether anything can be told ahead.
    able: bool,
}

impl<'e> Ahead<'e> {
    /// Of lines of `rollout`. As long as it does not know its thread, and where the host looks while reading, everything is
    /// told in its turn.
    pub fn new(env: &'e Env, ledger: Ledger, rollout: &Rollout, scene: Scene, live: bool) -> Ahead<'e> {
        let (parser, repeats) = (rollout.parser().clone(), rollout.repeats());
        let able = rollout.is_opened() && !live;
        Ahead { env, ledger, prepared: false, parser, repeats, scene, roots: Roots::default(), able }
    }

    pub fn is_able(&self) -> bool {
        self.able
    }

    pub fn block(&mut self, block: &Block) -> Vec<Item> {
        let mut items = Vec::new();
        for line in block.lines() {
            let bytes = &block.buffer[line.clone()];
            let (at, end) = block.place(&line);
            if bytes.len() > MOST {
                let what = What::Long(Box::new(Long::of(bytes, at)));
                items.push(Item { line, shape: Shape::Unknown, key: None, what });
                continue;
            }
            let (shape, _) = shape::of(bytes);
            if shape == Shape::Ignored {
                continue;
            }
            // Most outputs add nothing, which is told in their turn, without a look at all of them.
            let key = if shape.is_output() { None } else { self.repeats.key(shape, bytes) };
            if self.able && shape.stands_alone() {
                if key.is_some_and(|key| self.repeats.knows(key)) {
                    continue;
                }
                let what = self.line(shape, bytes, at, end).unwrap_or(What::InTurn);
                items.push(Item { line, shape, key, what });
            } else {
                items.push(Item { line, shape, key, what: What::InTurn });
            }
        }
        items
    }

    /// `None`: it has to wait for its turn, also for the error that it will meet with then.
    fn line(&mut self, shape: Shape, line: &[u8], at: u64, end: u64) -> Option<What> {
        let mut seen = Vec::new();
        let effect = self.parser.parse(shape, line, &mut seen).ok()?;
        if seen.is_empty() {
            return Some(What::Left { effect, written: Vec::new(), commands: 0 });
        }
        let mut drafts = Vec::new();
        for thing in seen {
            let Seen::Event(event) = thing else { return None };
            // The digest of such a file needs the ledger's key.
            if matches!(&event.action, Action::Edit(edit) if redact::secret_name(&edit.path)) {
                return None;
            }
            self.scene.root = self.roots.of(&event, self.env);
            let standing = Standing { thread: &self.parser.thread.id, offset: at, opened: None };
            drafts.append(&mut codex_capture::line(&event, &self.scene, standing));
        }
        let read_to = ReadTo::after(&self.parser.thread.id, end, line);
        drafts.last_mut()?.body.insert(position::KEY.to_owned(), read_to.to_json());
        self.prepared = self.prepared || self.ledger.prepare().is_ok();
        if !self.prepared {
            return None;
        }
        let commands = drafts.iter().filter(|draft| is_command(draft)).count() as u64;
        let written = drafts.iter().map(|draft| self.ledger.write_out(draft)).collect::<Result<_, _>>().ok()?;
        Some(What::Left { effect, written, commands })
    }
}

/// The end of a command. A code-mode cell is a script; the commands that it ran have lines of their own.
pub fn is_command(draft: &Draft) -> bool {
    let is_script = draft.body.get("payload").is_some_and(|payload| payload.get("script").is_some());
    !is_script && draft.body.get("kind").is_some_and(|kind| kind == "exit_code")
}

/// The roots of the folders that events happened in, each looked up once.
#[derive(Debug, Default)]
pub struct Roots(HashMap<String, Option<PathBuf>>);

impl Roots {
    /// As far as paths tell.
    pub fn of(&mut self, event: &AgentEvent<'_>, env: &Env) -> Option<PathBuf> {
        let cwd = event.cwd.as_deref().unwrap_or_default();
        if let Some(root) = self.0.get(cwd) {
            return root.clone();
        }
        let found = Path::new(cwd).is_absolute().then(|| env.context(Path::new(cwd)).root).flatten();
        self.0.insert(cwd.to_owned(), found.clone());
        found
    }
}
