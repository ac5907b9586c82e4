//! A shell command line, read as bash: which programs ran, where, and whose status and output were reported.
//!
//! A line passes through six steps, a file or two each:
//! [`scan`] and [`lift`] take here-documents out; [`lexer`] tells words from operators, and [`grammar`] makes a
//! [`syntax::Script`] of them, for which [`parser`] and [`word`] read each simple command; [`walk`] (with [`simple`],
//! [`builtin`], [`unwrap`], [`sink`], [`place`]) follows it in the order in which it runs; [`outcome`] finds out whose status
//! is reported; and [`around`] says of each program what else happens in the line.
//!
//! Architecture invariant: nothing here knows a test runner. It says what the shell does; what that means is the runner
//! table's to say.

mod around;
mod builtin;
mod compound;
mod containers;
mod grammar;
mod lexer;
mod lift;
mod outcome;
mod parser;
mod place;
mod plan;
mod program;
mod record;
mod scan;
mod scope;
mod segment;
mod simple;
mod sink;
mod state;
mod step;
mod syntax;
mod unwrap;
mod walk;
mod word;
mod wrapper;
mod wrappers;

use super::invocation::{Invocation, Reached, Reading, Status};
use outcome::Machine;
use scope::Scope;
use walk::Walk;

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
    let mut machine = Machine::new(&walk.traps, walk.pipes);
    let claims = (0..walk.runs.len()).map(|run| machine.claim(&plan, run)).collect::<Result<Vec<_>, _>>()?;
    Ok(around::invocations(&walk, &claims))
}
