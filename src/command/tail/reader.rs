//! Rollouts of many threads, each into the ledger of its own project.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::live::Live;
use super::pass::{Done, Pass, Patience, open, unreadable};
use super::position::Store;
use super::source::Source;
use crate::adapter::codex_rollout::{Rollout, Thread};
use crate::error::Result;
use crate::layout::{self, Env};
use crate::ledger::Ledger;

/// Where entries go, and which rollouts are read.
pub struct Reader {
    env: Env,
    /// `--ledger`
    to: Option<PathBuf>,
    /// `--session`
    session: Option<String>,
    stores: HashMap<PathBuf, Store>,
    /// Set when reading is to stop.
    pub stopped: Arc<AtomicBool>,
    pub totals: Totals,
}

/// What became of everything read so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub rollouts: u64,
    pub done: Done,
    /// The project that the rollout names is gone.
    pub gone: u64,
    /// The rollout names no project.
    pub homeless: u64,
}

/// When what a pass finds was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is history.
    Before,
    JustNow,
}

/// What became of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    Read {
        recorded: u64,
    },
    /// There is nothing to be read yet, it was not asked for, or it belongs to no project that is there.
    Nothing,
}

impl Reader {
    pub fn new(env: Env, to: Option<PathBuf>, session: Option<String>) -> Reader {
        Reader { env, to, session, stores: HashMap::new(), stopped: Arc::default(), totals: Totals::default() }
    }

    /// Reads `path` on. `passed` is told how many uncompressed bytes have been gone through since it was told last.
    pub fn pass(&mut self, path: &Path, written: Written, passed: &mut dyn FnMut(u64)) -> Result<Passed> {
        let source = Source::open(path).map_err(|error| unreadable(path, error))?;
        let Some(thread) = first(&source, path)? else { return Ok(Passed::Nothing) };
        if self.session.as_ref().is_some_and(|id| !thread.session_id.starts_with(id) && !thread.id.starts_with(id)) {
            return Ok(Passed::Nothing);
        }
        let Some(dir) = self.place(&thread) else { return Ok(Passed::Nothing) };
        if !self.stores.contains_key(&dir) {
            let ledger = Ledger::within(&dir, &self.env);
            // A folder that was named for this one reading gets no key; a ledger that has one keeps it.
            let has_key = ledger.keys().is_some_and(|keys| keys.path().exists());
            let ledger = if self.to.is_some() && !has_key { Ledger::open(&dir) } else { ledger };
            self.stores.insert(dir.clone(), Store::open(ledger)?);
        }
        let Some(store) = self.stores.get_mut(&dir) else { return Ok(Passed::Nothing) };
        let mut pass = Pass::new(store, &self.env, &thread, Patience::of_a_reader(self.stopped.clone()));
        if written == Written::JustNow
            && let Some(cwd) = thread.cwd.as_deref().filter(|cwd| Path::new(cwd).is_dir())
        {
            pass.live = Some(Live::new(&self.env, cwd));
        }
        let read = pass.file(&source, path, passed);
        let done = pass.done;
        self.totals.done.add(done);
        if read.is_err() {
            // Some of it may have been recorded: the ledger itself knows how far.
            self.stores.remove(&dir);
        }
        read?;
        self.totals.rollouts += 1;
        Ok(Passed::Read { recorded: done.recorded })
    }

    /// The ledger that a thread's entries go to; counts a thread that has none.
    fn place(&mut self, thread: &Thread) -> Option<PathBuf> {
        if let Some(dir) = self.to.as_ref().or(self.env.deeds_dir.as_ref()) {
            return Some(layout::normal(dir));
        }
        let Some(cwd) = thread.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute()) else {
            self.totals.homeless += 1;
            return None;
        };
        if !cwd.is_dir() {
            self.totals.gone += 1;
            return None;
        }
        Some(self.env.place(cwd).ledger)
    }
}

/// The thread that a rollout is; `None` as long as it has no whole line.
pub fn first(source: &Source, path: &Path) -> Result<Option<Thread>> {
    let mut rollout = Rollout::new(&path.to_string_lossy());
    let begun = open(source, &mut rollout).map_err(|error| unreadable(path, error))?;
    Ok(begun.then(|| rollout.thread().clone()))
}
