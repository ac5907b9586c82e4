//! A shell command line, read as bash: which programs ran, where, and whose status and output were reported.
//!
//! A line passes through six steps, a file or two each:
//! [`lift`] takes here-documents out and turns away what would keep the parser busy; [`bounds`] parses; [`token`],
//! [`word`] and [`grammar`] make a [`syntax::Script`] of the tree; [`walk`] (with [`simple`], [`builtin`], [`unwrap`],
//! [`sink`], [`place`]) follows it in the order in which it runs; [`outcome`] finds out whose status is reported; and
//! [`around`] says of each program what else happens in the line.
//!
//! Architecture invariant: nothing here knows a test runner. It says what the shell does; what that means is the runner
//! table's to say.

mod around;
mod bounds;
mod builtin;
mod grammar;
mod lift;
mod outcome;
mod place;
mod plan;
mod program;
mod record;
mod simple;
mod sink;
mod syntax;
mod token;
mod unwrap;
mod walk;
mod word;
mod wrapper;

use super::invocation::{Invocation, Reached, Reading, Status};
use outcome::Machine;
use walk::{Scope, Walk};

/// Reads a command line. Bounded: hostile or odd input is [`Reading::CannotTell`], never a guess.
pub fn read(command: &str) -> Reading {
    match invocations(command) {
        Ok(invocations) => Reading::Script(invocations),
        Err(reason) => Reading::CannotTell(reason),
    }
}

fn invocations(command: &str) -> Result<Vec<Invocation>, String> {
    let script = grammar::script(command)?;
    let mut walk = Walk::new();
    let (plan, _) = walk.script(&script, &Scope::top())?;
    let variables = if walk.traps.is_empty() && walk.statuses.len() == 1 { 0 } else { walk.statuses.len() };
    let mut machine = Machine::new(&walk.traps, variables, walk.pipes);
    let claims = (0..walk.runs.len()).map(|run| machine.claim(&plan, run)).collect::<Result<Vec<_>, _>>()?;
    Ok(around::invocations(&walk, &claims))
}
