//! Whose status is reported. A small machine runs the [`Plan`] once for each invocation, with all that can happen: every
//! other command succeeds or fails, and the set of states at the end says what the reported status allows to conclude.
//! So one rule holds for `&&`, `set -e`, `pipefail`, `!`, `wait $!`, `rc=$?` and whatever else bash combines.
//!
//! Architecture invariant: the set of states only ever errs by holding too many; a claim is what holds in all of them.

use super::plan::{Plan, Traps};
use super::state::{Code, Flow, Ran, State, States, negate, split};
use super::syntax::Join;
use crate::records::invocation::{Reached, Status};

/// Most steps for a whole line; 100 commands take about 40,000.
pub const MAX_STEPS: usize = 100_000;

/// What surrounds a command: whether a failure is looked at (so that `set -e` does not count), and whether what the shell
/// itself prints goes into a pipe.
#[derive(Clone, Copy)]
pub struct Around {
    pub checked: bool,
    pub piped: bool,
}

pub struct Machine<'a> {
    pub traps: &'a Traps,
    /// `PIPESTATUS` is asked for.
    pub pipes: bool,
    pub steps: usize,
    pub tracked: usize,
}

/// What can be said of one invocation; `None`: it never runs.
pub type Claim = Option<(Reached, Status)>;

/// How a shell ended: what ran, its status, and whether that is sure.
pub type End = (Ran, Code, bool);

impl<'a> Machine<'a> {
    pub fn new(traps: &'a Traps, pipes: bool) -> Self {
        Machine { traps, pipes, steps: 0, tracked: 0 }
    }

    pub fn claim(&mut self, plan: &Plan, run: usize) -> Result<Claim, String> {
        self.tracked = run;
        let ends = self.run(plan, vec![State::fresh(Ran::No)], Around { checked: false, piped: false });
        let ends = self.finish(ends);
        match self.steps > MAX_STEPS {
            true => Err("the command line has too many ways to end".into()),
            false => Ok(conclude(&ends)),
        }
    }

    pub fn run(&mut self, plan: &Plan, from: States, around: Around) -> States {
        let (live, mut out) = split(from, |state| state.flow == Flow::On);
        self.steps += live.len();
        if live.is_empty() || self.steps > MAX_STEPS {
            return out;
        }
        let checked = Around { checked: true, ..around };
        match plan {
            Plan::Sequence(plans) => {
                out.extend(plans.iter().fold(live, |states, plan| self.run(plan, states, around)));
            }
            Plan::List(first, rest) => {
                let mut states = self.run(first, live, checked);
                for (index, (join, plan)) in rest.iter().enumerate() {
                    let goes = |s: &State| s.flow == Flow::On && (s.code == Code::Zero) == (*join == Join::And);
                    let (go, stay) = split(states, goes);
                    self.steps += stay.len();
                    states = stay;
                    states.extend(self.run(plan, go, if index + 1 == rest.len() { around } else { checked }));
                    states.sort_unstable();
                    states.dedup();
                }
                out.extend(states);
            }
            Plan::Pipeline { negated: true, parts } if parts.len() == 1 => {
                let was_on = live.iter().all(|state| state.err_exit);
                for mut state in self.run(&parts[0], live, checked) {
                    if !matches!(state.flow, Flow::Exit | Flow::Return) {
                        state.code = negate(state.code);
                        // `! set -e` may end the shell at once (seen with bash 5.2, inside `eval`).
                        if !was_on && state.err_exit && state.code != Code::Zero && !around.checked {
                            out.push(state.exits(state.code));
                        }
                    }
                    out.push(state);
                }
            }
            Plan::If { branches, otherwise } => {
                let mut states = live;
                for (condition, body) in branches {
                    let (tested, ended) = split(self.run(condition, states, checked), |s| s.flow == Flow::On);
                    let (yes, no) = split(tested, |state| state.code == Code::Zero);
                    out.extend(ended);
                    out.extend(self.run(body, yes, around));
                    states = no;
                }
                match otherwise {
                    Some(body) => out.extend(self.run(body, states, around)),
                    None => out.extend(states.into_iter().map(|state| State { code: Code::Zero, ..state })),
                }
            }
            Plan::Case { arms, complete } => {
                let mut falling = States::new();
                for (body, falls) in arms {
                    let entering = [live.as_slice(), &std::mem::take(&mut falling)].concat();
                    let states = self.run(body, entering, around);
                    if *falls {
                        falling = states.iter().filter(|state| state.flow == Flow::On).copied().collect();
                    }
                    out.extend(states);
                }
                if !complete {
                    out.extend(live.into_iter().map(|state| State { code: Code::Zero, ..state }));
                }
            }
            Plan::While { until, condition, body } => {
                self.repeat(Some((condition, *until)), body, false, live, around, &mut out);
            }
            Plan::For { once, body } => self.repeat(None, body, *once, live, around, &mut out),
            Plan::Call(body) => {
                for mut state in self.run(body, live, around) {
                    match state.flow {
                        Flow::Return => state.flow = Flow::On,
                        Flow::Break(_) | Flow::Continue(_) => (state.flow, state.code) = (Flow::On, Code::Zero),
                        Flow::On | Flow::Exit => {}
                    }
                    out.push(if state.flow == Flow::On { self.end(state, state.code, around) } else { state });
                }
            }
            Plan::Evaluated(body) => {
                for state in self.run(body, live, around) {
                    out.push(if state.flow == Flow::On { self.end(state, state.code, around) } else { state });
                }
            }
            Plan::MayCount(body) => {
                for state in self.run(body, live.clone(), Around { checked: false, ..around }) {
                    if state.flow == Flow::Exit && state.code != Code::Zero {
                        out.push(state.exits(Code::Other));
                    }
                    out.push(state);
                }
                out.extend(self.run(body, live, around));
            }
            Plan::Timed(body) => {
                for state in self.run(body, live, around) {
                    if around.piped && state.flow == Flow::On {
                        out.push(state.exits(Code::Other));
                    }
                    out.push(state);
                }
            }
            Plan::Redirected(body) => {
                for state in &live {
                    if around.piped {
                        out.push(state.exits(Code::Other));
                    }
                    out.push(self.end(*state, Code::One, around));
                }
                out.extend(self.run(body, live, around));
            }
            _ => {
                for state in live {
                    self.step(plan, state, around, &mut out);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// A loop: the states after any number of rounds.
    fn repeat(
        &mut self,
        condition: Option<(&Plan, bool)>,
        body: &Plan,
        once: bool,
        live: States,
        around: Around,
        out: &mut States,
    ) {
        // Beside each state stands the status of the round before: a loop's own is its body's last.
        let mut seen: Vec<(State, Code)> = Vec::new();
        let mut next: Vec<(State, Code)> = live.into_iter().map(|state| (state, Code::Zero)).collect();
        let mut first = true;
        while !next.is_empty() && self.steps <= MAX_STEPS {
            let mut rounds: Vec<(State, Code)> = Vec::new();
            for (state, before) in next {
                if condition.is_none() && !(once && first) {
                    out.push(State { code: before, ..state });
                }
                if seen.contains(&(state, before)) {
                    continue;
                }
                seen.push((state, before));
                let mut entering = States::new();
                match condition {
                    None => entering.push(state),
                    Some((condition, until)) => {
                        for state in self.run(condition, vec![state], Around { checked: true, ..around }) {
                            match state.flow {
                                Flow::On if (state.code == Code::Zero) != until => entering.push(state),
                                Flow::On => out.push(State { code: before, ..state }),
                                Flow::Break(_) | Flow::Continue(_) => {
                                    leave_loop(State { code: before, ..state }, out, &mut rounds);
                                }
                                Flow::Exit | Flow::Return => out.push(state),
                            }
                        }
                    }
                }
                for state in self.run(body, entering, around) {
                    match state.flow {
                        Flow::On => rounds.push((state, state.code)),
                        _ => leave_loop(state, out, &mut rounds),
                    }
                }
            }
            rounds.sort_unstable();
            rounds.dedup();
            next = rounds;
            first = false;
        }
    }
}

/// `break` and `continue` leave as many loops as they say; anything else ends more than a loop.
fn leave_loop(state: State, out: &mut States, rounds: &mut Vec<(State, Code)>) {
    match state.flow {
        Flow::Break(levels) if levels > 1 => out.push(State { flow: Flow::Break(levels - 1), ..state }),
        Flow::Continue(levels) if levels > 1 => out.push(State { flow: Flow::Continue(levels - 1), ..state }),
        Flow::Break(_) => out.push(State { flow: Flow::On, ..state }),
        Flow::Continue(_) => rounds.push((State { flow: Flow::On, ..state }, state.code)),
        Flow::On | Flow::Exit | Flow::Return => out.push(state),
    }
}

/// What holds in every state at the end; said only if what it says can happen.
fn conclude(ends: &[State]) -> Claim {
    if ends.iter().all(|end| end.ran == Ran::No && !end.wild) {
        return None;
    }
    if ends.iter().any(|end| end.wild) {
        return Some((Reached::Perhaps, Status::MASKED));
    }
    let reached = if ends.iter().all(|end| end.ran != Ran::No) { Reached::Always } else { Reached::Perhaps };
    let is = |ran: Ran, code: Code| ends.iter().any(|end| end.ran == ran && end.code == code);
    let of_zero = |holds: fn(&State) -> bool| ends.iter().filter(|end| end.code == Code::Zero).all(holds);
    let of_others = |holds: fn(&State) -> bool| ends.iter().filter(|end| end.code != Code::Zero).all(holds);
    let zero = is(Ran::Zero, Code::Zero) && of_zero(|end| end.ran != Ran::Nonzero);
    let status = Status {
        zero,
        zero_ran: zero && of_zero(|end| end.ran == Ran::Zero),
        nonzero: is(Ran::Nonzero, Code::Own) && of_others(|end| end.ran == Ran::No || end.code == Code::Own),
        inverted: is(Ran::Nonzero, Code::Zero)
            && is(Ran::Zero, Code::One)
            && of_zero(|end| end.ran == Ran::Nonzero)
            && of_others(|end| end.ran == Ran::Zero),
    };
    Some((reached, status))
}
