//! Command lines: which programs are in them, and whose status and output is reported.

use deeds::records::command::read;
use deeds::records::invocation::{Invocation, Reading};

mod differential;
mod generator;
mod hostile;
mod lists;
mod output;
mod places;
mod wrappers;

/// Everything that a line runs.
fn script(line: &str) -> Vec<Invocation> {
    match read(line) {
        Reading::Script(invocations) => invocations,
        Reading::CannotTell(why) => panic!("{line}: {why}"),
    }
}

/// The only invocation of `F`, or of what else is asked for.
fn only(line: &str, program: &str) -> Invocation {
    let mut all = script(line).into_iter().filter(|invocation| invocation.program == program);
    let first = all.next().unwrap_or_else(|| panic!("{line}: no {program}"));
    assert!(all.next().is_none(), "{line}: more than one {program}");
    first
}

fn f(line: &str) -> Invocation {
    only(line, "F")
}

/// Pseudo-random numbers that are the same on every machine (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % end as u64) as usize
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}
