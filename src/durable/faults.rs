//! Stands in for a disk that fills, a call that fails, and a process that dies, at any one call of [`super`].
//!
//! A fault is set for the current thread and a piece of code; outside of [`with`] the cost is one thread-local read.

use std::cell::Cell;
use std::io;

/// What a call changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Open,
    Write,
    Overwrite,
    Sync,
    Rename,
    Remove,
    MakeDir,
}

/// What happens at the call that the fault is set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It fails with this `errno`, and whatever is called afterwards works.
    Fail(i32),
    /// If it is a write, this many bytes (at most all but one) are taken before it fails with this `errno`.
    Short(usize, i32),
    /// The process dies: of a write this many bytes are taken, and nothing called afterwards does anything.
    Die(usize),
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    calls_left: usize,
    how: How,
    only: Option<Call>,
    dead: bool,
    reached: bool,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
}

/// What becomes of a write.
pub(super) enum Verdict {
    Go,
    Partly(usize, io::Error),
}

/// Runs `code` with the fault `how` at call number `nth` (from 0; of kind `only`, if given). The second value says whether that call was reached.
pub fn with<T>(nth: usize, only: Option<Call>, how: How, code: impl FnOnce() -> T) -> (T, bool) {
    PLAN.set(Some(Plan { calls_left: nth, how, only, dead: false, reached: false }));
    let result = code();
    let reached = PLAN.take().is_some_and(|plan| plan.reached);
    (result, reached)
}

/// Whether the fault strikes here, and how.
fn strikes(call: Call) -> Option<How> {
    let mut plan = PLAN.get()?;
    if plan.dead {
        return Some(How::Die(0));
    }
    if plan.reached || plan.only.is_some_and(|only| only != call) {
        return None;
    }
    if plan.calls_left > 0 {
        plan.calls_left -= 1;
        PLAN.set(Some(plan));
        return None;
    }
    plan.reached = true;
    plan.dead = matches!(plan.how, How::Die(_));
    PLAN.set(Some(plan));
    Some(plan.how)
}

pub(super) fn at(call: Call) -> io::Result<()> {
    match strikes(call) {
        None => Ok(()),
        Some(How::Fail(errno) | How::Short(_, errno)) => Err(io::Error::from_raw_os_error(errno)),
        Some(How::Die(_)) => Err(died()),
    }
}

pub(super) fn on_write(len: usize) -> Verdict {
    match strikes(Call::Write) {
        None => Verdict::Go,
        Some(How::Fail(errno)) => Verdict::Partly(0, io::Error::from_raw_os_error(errno)),
        Some(How::Short(taken, errno)) => {
            Verdict::Partly(taken.min(len.saturating_sub(1)), io::Error::from_raw_os_error(errno))
        }
        Some(How::Die(taken)) => Verdict::Partly(taken.min(len), died()),
    }
}

fn died() -> io::Error {
    io::Error::other("the process died here")
}
