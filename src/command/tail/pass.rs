//! One pass over one rollout: from where the ledger says reading stood to the last whole line.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::time::{Duration, Instant};

use super::ahead::{Ahead, Roots};
use super::back::Back;
use super::batch::{BATCHES_WAITING, Batches, append_all};
use super::lines::{Lines, Next, NextBlock};
use super::live::Live;
use super::position::{ReadTo, Store};
use super::source::Source;
use super::turn::{Reached, Turn};
use super::workers::{Made, Shared};
use crate::adapter::codex_rollout::{NoPast, Past, Rollout, Thread};
use crate::clock;
use crate::error::{Error, Result};
use crate::layout::Env;
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

    pub(super) fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// With more bytes than this to read, several threads are worth being started.
const MANY: u64 = 2 << 20;

/// More threads than this would wait for the one that takes what they made.
const WORKERS_MAX: usize = 4;

/// What is read at once where no other thread helps.
const CHUNK_ALONE: usize = 64 << 10;

fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS_MAX)
}

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
    pub(super) store: &'s mut Store,
    pub(super) env: &'s Env,
    pub(super) thread: &'s Thread,
    pub(super) patience: Patience,
    path: PathBuf,
    /// What is read is being written.
    pub live: Option<Live>,
    pub(super) scene: Scene,
    pub(super) roots: Roots,
    /// The ledger's directory is there.
    pub(super) prepared: bool,
    /// A line whose drafts were all known: no entry says yet that reading came so far.
    pub(super) unmarked: Option<ReadTo>,
    /// It is not the file that was read before, and what is known of it is known from there.
    pub(super) again: bool,
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
            path: PathBuf::new(),
            live: None,
            scene,
            roots: Roots::default(),
            prepared: false,
            unmarked: None,
            again: false,
            done: Done::default(),
        }
    }

    /// Reads on from where the ledger says reading stood, if the file has that place; else from the beginning, and what
    /// the session left before is not recorded again.
    pub fn file(&mut self, source: &Source, path: &Path, passed: &mut dyn FnMut(u64)) -> Result<()> {
        let unreadable = |error| unreadable(path, error);
        self.path = path.to_owned();
        let len = source.meta.len();
        let mut rollout = Rollout::new(&path.to_string_lossy());
        let place = self.store.position(&self.thread.id, &self.thread.session_id).cloned();
        match place {
            None => {}
            Some(place) if source.compressed => {
                let mut lines = Lines::in_chunks(source.whole().map_err(unreadable)?, 0, CHUNK_ALONE);
                if skip_to(&place, &mut lines, &mut rollout, passed).map_err(unreadable)? {
                    return self.lines(lines, len, &mut rollout, &mut NoPast, passed);
                }
                self.again()?;
            }
            Some(place) if place.stands_in(source).map_err(unreadable)? => {
                open(source, &mut rollout).map_err(unreadable)?;
                let mut past = Back::new(source.from(0).map_err(unreadable)?, place.offset);
                let from = source.from(place.offset).map_err(unreadable)?;
                let lines = Lines::in_chunks(from, place.offset, CHUNK_ALONE);
                passed(place.offset);
                return self.lines(lines, len.saturating_sub(place.offset), &mut rollout, &mut past, passed);
            }
            Some(_) => self.again()?,
        }
        let mut rollout = Rollout::new(&path.to_string_lossy());
        let lines = Lines::in_chunks(source.whole().map_err(unreadable)?, 0, CHUNK_ALONE);
        self.lines(lines, len, &mut rollout, &mut NoPast, passed)
    }

    fn again(&mut self) -> Result<()> {
        self.again = true;
        self.store.recall(&self.thread.session_id)
    }

    /// Reads to the end, while another thread appends.
    fn lines<R: Read + Send>(
        &mut self,
        lines: Lines<R>,
        rest: u64,
        rollout: &mut Rollout,
        past: &mut dyn Past,
        passed: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let (ledger, wait) = (self.store.ledger.clone(), self.patience.lock);
        let workers = if rest < MANY || self.patience.until.is_some() { 1 } else { workers() };
        let reached = std::thread::scope(|scope| {
            let (batches, waiting) = sync_channel(BATCHES_WAITING);
            let appender = scope.spawn(move || append_all(&ledger, wait, &waiting));
            let mut turn = Turn { rollout, past, passed, batches: Batches::new(batches), reached: Reached::default() };
            let read = self.read_all(lines, workers, &mut turn);
            let read = read.and_then(|()| self.mark(&mut turn.batches));
            // What came before an error can be recorded all the same.
            turn.batches.send();
            let Turn { batches, reached, .. } = turn;
            drop(batches);
            // The appender ends when there is nothing left to wait for, and has ended already if it failed.
            let appended =
                appender.join().unwrap_or_else(|_| Err(Error::unable("bug", "the appending thread failed")))?;
            if let Some(seq) = appended {
                self.store.ledger.note(&self.thread.session_id, seq);
            }
            read.map(|()| reached)
        })?;
        // What followed the last entry left nothing; while this process lives it need not be gone through again.
        if reached.at > 0 {
            self.store.advance(ReadTo::after(&self.thread.id, reached.at, &reached.last));
        }
        Ok(())
    }

    /// Goes through block after block: alone, and once it is known which thread it is, with `workers` that look ahead.
    fn read_all<R: Read + Send>(&mut self, mut lines: Lines<R>, workers: usize, turn: &mut Turn<'_>) -> Result<()> {
        let mut spare = vec![0; CHUNK_ALONE];
        let mut ahead = self.ahead(turn);
        loop {
            if ahead.is_able() && workers > 1 {
                return self.read_with(lines, workers, turn);
            }
            let block = match lines.next_block(spare).map_err(|error| self.unreadable(error))? {
                NextBlock::End => return Ok(()),
                NextBlock::Lines(block) => block,
                NextBlock::Long(long) => {
                    (turn.passed)(long.end - long.at);
                    self.long(&long, turn)?;
                    spare = vec![0; CHUNK_ALONE];
                    continue;
                }
            };
            let items = ahead.block(&block);
            if !self.take(&block, items, turn)? {
                return Ok(());
            }
            spare = if block.buffer.len() == CHUNK_ALONE { block.buffer } else { vec![0; CHUNK_ALONE] };
            if !ahead.is_able() {
                ahead = self.ahead(turn);
            }
        }
    }

    fn read_with<R: Read + Send>(&mut self, lines: Lines<R>, workers: usize, turn: &mut Turn<'_>) -> Result<()> {
        let shared = Shared::new(lines, workers);
        std::thread::scope(|scope| {
            let (to, made) = channel();
            for _ in 0..workers {
                let (mut ahead, shared, to) = (self.ahead(turn), &shared, to.clone());
                scope.spawn(move || shared.work(&mut ahead, &to));
            }
            drop(to);
            let read = self.in_order(&made, &shared, turn);
            shared.stop();
            read
        })
    }

    /// Takes what the workers made in the order of the file.
    fn in_order<R: Read>(
        &mut self,
        made: &Receiver<(u64, io::Result<Made>)>,
        shared: &Shared<R>,
        turn: &mut Turn<'_>,
    ) -> Result<()> {
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (number, one) in made {
            early.insert(number, one);
            while let Some(one) = early.remove(&next) {
                let (block, items) = one.map_err(|error| self.unreadable(error))?;
                if !self.take(&block, items, turn)? {
                    return Ok(());
                }
                shared.give_back(block);
                next += 1;
            }
        }
        if early.is_empty() { Ok(()) } else { Err(Error::unable("bug", "a reading thread failed")) }
    }

    fn ahead(&self, turn: &Turn<'_>) -> Ahead<'s> {
        Ahead::new(self.env, self.store.ledger.clone(), turn.rollout, self.scene.clone(), self.live.is_some())
    }

    fn unreadable(&self, error: io::Error) -> Error {
        unreadable(&self.path, error)
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
