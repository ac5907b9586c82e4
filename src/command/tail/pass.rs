//! One pass over one rollout: from where the ledger says reading stood to the last whole line.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::back::Back;
use super::batch::{BATCHES_WAITING, Batches, append_all};
use super::lines::{LAST, Lines, Next};
use super::live::Live;
use super::position::{self, Novelty, ReadTo, Store};
use super::source::Source;
use super::unread;
use crate::adapter::codex_rollout::{NoPast, Past, Rollout, Seen, Thread};
use crate::clock;
use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::evidence::event::{Action, AgentEvent};
use crate::layout::Env;
use crate::ledger::{Append, Draft, EntryKind};
use crate::redact;
use crate::sensor::codex_capture::{self, Standing};
use crate::sensor::digest;
use crate::sensor::scene::Scene;

/// How long a pass may take. When it is over, reading stops at a place that the ledger knows.
#[derive(Debug, Clone)]
pub struct Patience {
    /// For the ledger's lock.
    pub lock: Duration,
    pub until: Option<Instant>,
    pub stopped: Arc<AtomicBool>,
}

impl Patience {
    /// Nobody waits for a reader; another process may hold the lock for as long as its disk takes.
    pub fn of_a_reader(stopped: Arc<AtomicBool>) -> Patience {
        Patience { lock: Duration::from_secs(30), until: None, stopped }
    }

    /// Somebody waits.
    pub fn for_a_moment(lock: Duration, budget: Duration) -> Patience {
        Patience { lock, until: Some(Instant::now() + budget), stopped: Arc::default() }
    }

    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The clock is looked at after so many lines.
const CHECK_EVERY: u64 = 64;

/// What came of a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    pub recorded: u64,
    pub commands: u64,
    pub not_understood: u64,
}

impl Done {
    pub fn add(&mut self, other: Done) {
        self.recorded += other.recorded;
        self.commands += other.commands;
        self.not_understood += other.not_understood;
    }
}

pub fn unreadable(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::input(format!("failed to read a rollout: {}: {error}", path.display()))
}

/// Reading one rollout into one ledger.
pub struct Pass<'s> {
    store: &'s mut Store,
    env: &'s Env,
    thread: &'s Thread,
    patience: Patience,
    /// What is read is being written.
    pub live: Option<Live>,
    scene: Scene,
    roots: HashMap<String, Option<PathBuf>>,
    /// A line whose drafts were all known: no entry says yet that reading came so far.
    unmarked: Option<ReadTo>,
    /// It is not the file that was read before, and what is known of it is known from there.
    again: bool,
    pub done: Done,
}

impl<'s> Pass<'s> {
    pub fn new(store: &'s mut Store, env: &'s Env, thread: &'s Thread, patience: Patience) -> Pass<'s> {
        let scene = Scene { collected_at: clock::now(), ..Scene::default() };
        Pass {
            store,
            env,
            thread,
            patience,
            live: None,
            scene,
            roots: HashMap::new(),
            unmarked: None,
            again: false,
            done: Done::default(),
        }
    }

    /// Reads on from where the ledger says reading stood, if the file has that place; else from the beginning, and what
    /// the session left before is not recorded again.
    pub fn file(&mut self, source: &Source, path: &Path, passed: &mut dyn FnMut(u64)) -> Result<()> {
        let unreadable = |error| unreadable(path, error);
        let mut rollout = Rollout::new(&path.to_string_lossy());
        let place = self.store.position(&self.thread.id, &self.thread.session_id).cloned();
        match place {
            None => {}
            Some(place) if source.compressed => {
                let mut lines = Lines::new(source.whole().map_err(unreadable)?, 0);
                if skip_to(&place, &mut lines, &mut rollout, passed).map_err(unreadable)? {
                    return self.lines(lines, path, &mut rollout, &mut NoPast, passed);
                }
                self.again()?;
            }
            Some(place) if place.stands_in(source).map_err(unreadable)? => {
                open(source, &mut rollout).map_err(unreadable)?;
                let mut past = Back::new(source.from(0).map_err(unreadable)?, place.offset);
                let lines = Lines::new(source.from(place.offset).map_err(unreadable)?, place.offset);
                passed(place.offset);
                return self.lines(lines, path, &mut rollout, &mut past, passed);
            }
            Some(_) => self.again()?,
        }
        let mut rollout = Rollout::new(&path.to_string_lossy());
        let lines = Lines::new(source.whole().map_err(unreadable)?, 0);
        self.lines(lines, path, &mut rollout, &mut NoPast, passed)
    }

    fn again(&mut self) -> Result<()> {
        self.again = true;
        self.store.recall(&self.thread.session_id)
    }

    /// Reads to the end, while another thread appends.
    fn lines<R: Read>(
        &mut self,
        mut lines: Lines<R>,
        path: &Path,
        rollout: &mut Rollout,
        past: &mut dyn Past,
        passed: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let (ledger, wait) = (self.store.ledger.clone(), self.patience.lock);
        let last = std::thread::scope(|scope| {
            let (batches, waiting) = sync_channel(BATCHES_WAITING);
            let (to_free, done) = channel();
            let appender = scope.spawn(move || append_all(&ledger, wait, &waiting, &to_free));
            let read = self.read_all(&mut lines, path, rollout, past, passed, Batches::new(batches, done));
            // The appender ends when there is nothing left to wait for, and has ended already if it failed.
            let appended =
                appender.join().unwrap_or_else(|_| Err(Error::unable("bug", "the appending thread failed")))?;
            if let Some(seq) = appended {
                self.store.ledger.note(&self.thread.session_id, seq);
            }
            read
        })?;
        // What followed the last entry left nothing; while this process lives it need not be gone through again.
        if lines.at() > 0 {
            self.store.advance(ReadTo::after(&self.thread.id, lines.at(), &last));
        }
        Ok(())
    }

    /// Says how the last whole line ended.
    fn read_all<R: Read>(
        &mut self,
        lines: &mut Lines<R>,
        path: &Path,
        rollout: &mut Rollout,
        past: &mut dyn Past,
        passed: &mut dyn FnMut(u64),
        mut batches: Batches,
    ) -> Result<Vec<u8>> {
        let mut last = Vec::with_capacity(LAST);
        let mut lines_read = 0_u64;
        loop {
            lines_read += 1;
            if lines_read.is_multiple_of(CHECK_EVERY) && self.patience.is_over() {
                self.unmarked = Some(ReadTo::after(&self.thread.id, lines.at(), &last));
                self.mark(&mut batches);
                batches.send();
                return Ok(last);
            }
            let next = match lines.next() {
                Ok(next) => next,
                Err(error) => {
                    // What came before it can be recorded all the same.
                    batches.send();
                    return Err(unreadable(path, error));
                }
            };
            match next {
                Next::End { .. } => {
                    self.mark(&mut batches);
                    batches.send();
                    return Ok(last);
                }
                Next::Line { bytes, at, end } => {
                    passed(end - at);
                    last.clear();
                    last.extend_from_slice(&bytes[bytes.len().saturating_sub(LAST)..]);
                    let mut seen = Vec::new();
                    rollout.read(bytes, past, &mut seen);
                    if !seen.is_empty() {
                        let drafts = self.drafts(seen, at);
                        self.add(drafts, ReadTo::after(&self.thread.id, end, bytes), bytes.len(), &mut batches);
                    }
                }
                Next::Long(long) => {
                    passed(long.end - long.at);
                    last.clone_from(&long.last);
                    let read_to = ReadTo::after(&self.thread.id, long.end, &long.last);
                    self.add(vec![unread::long(self.thread, &long)], read_to, 0, &mut batches);
                }
            }
            if batches.is_closed() {
                return Ok(last);
            }
        }
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
        let cwd = event.cwd.as_deref().unwrap_or_default();
        self.scene.root = match self.roots.get(cwd) {
            Some(root) => root.clone(),
            None => {
                let found = Path::new(cwd).is_absolute().then(|| self.env.context(Path::new(cwd)).root).flatten();
                self.roots.insert(cwd.to_owned(), found.clone());
                found
            }
        };
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
    fn add(&mut self, mut drafts: Vec<Draft>, read_to: ReadTo, bytes: usize, batches: &mut Batches) {
        if let Some(last) = drafts.last_mut() {
            last.body.insert(position::KEY.to_owned(), read_to.to_json());
        }
        drafts.retain_mut(|draft| self.store.meet(draft) == Novelty::New);
        let marked = drafts.last().is_some_and(|draft| draft.body.contains_key(position::KEY));
        self.unmarked = if marked { None } else { Some(read_to) };
        for draft in &drafts {
            self.done.recorded += 1;
            self.done.commands += u64::from(draft.body.get("kind").is_some_and(|kind| kind == "exit_code"));
            self.done.not_understood += u64::from(draft.kind == EntryKind::Unparsed);
        }
        batches.add(drafts, bytes);
        if self.live.is_some() {
            // What the host saw goes with what it looked at: see what the ledger makes of a batch whose first is known.
            batches.send();
        }
    }

    /// Where the last lines left nothing new, an entry of its own says that they were read.
    fn mark(&mut self, batches: &mut Batches) {
        let Some(read_to) = self.unmarked.take().filter(|_| !self.again) else { return };
        let thread = self.thread;
        let mut draft =
            codex_capture::read(&thread.id, &thread.session_id, thread.cwd.as_deref(), read_to.offset, &self.scene);
        draft.body.insert(position::KEY.to_owned(), read_to.to_json());
        batches.add(vec![draft], 0);
    }
}

/// Reads the line that says which thread it is: the first one, or one shortly after where that was damaged. False: there
/// is no whole line yet.
pub fn open(source: &Source, rollout: &mut Rollout) -> io::Result<bool> {
    let mut lines = Lines::first(source.whole()?);
    for nth in 0..FIRST_LINES {
        match lines.next()? {
            Next::Line { bytes, .. } => rollout.replay_opening(bytes),
            Next::Long(_) => {}
            Next::End { .. } => return Ok(nth > 0),
        }
        if rollout.is_opened() {
            break;
        }
    }
    Ok(true)
}

const FIRST_LINES: usize = 16;

/// Goes through what was read before, in a file that can only be read from its beginning. False: it is another file.
fn skip_to<R: Read>(
    place: &ReadTo,
    lines: &mut Lines<R>,
    rollout: &mut Rollout,
    passed: &mut dyn FnMut(u64),
) -> io::Result<bool> {
    loop {
        let (end, mark) = match lines.next()? {
            Next::Line { bytes, at, end } => {
                rollout.replay(bytes);
                passed(end - at);
                if end < place.offset {
                    continue;
                }
                (end, ReadTo::after(&place.thread, end, bytes))
            }
            Next::Long(long) if long.end < place.offset => continue,
            Next::Long(long) => (long.end, ReadTo::after(&place.thread, long.end, &long.last)),
            Next::End { .. } => return Ok(false),
        };
        return Ok(end == place.offset && mark == *place);
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
