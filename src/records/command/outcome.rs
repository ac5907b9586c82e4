//! Whose status is reported. A small machine runs the [`Plan`] once for each invocation, with all that can happen: every
//! other command succeeds or fails, and the set of states at the end says what the reported status allows to conclude.
//! So one rule holds for `&&`, `set -e`, `pipefail`, `!`, `wait $!`, `rc=$?` and whatever else bash combines.
//!
//! Architecture invariant: the set of states only ever errs by holding too many; a claim is what holds in all of them.

use super::plan::{ENTRY, Ends, Plan, Traps, Value};
use super::state::{Code, Flow, Held, Ran, State, States, negate, split};
use super::syntax::Join;
use super::wrapper::{Codes, Starts};
use crate::records::invocation::{Reached, Status};

/// Most steps for a whole line; 100 commands take about 40,000.
const MAX_STEPS: usize = 100_000;

/// What surrounds a command: whether a failure is looked at (so that `set -e` does not count), and whether what the shell
/// itself prints goes into a pipe.
#[derive(Clone, Copy)]
struct Around {
    checked: bool,
    piped: bool,
}

pub struct Machine<'a> {
    traps: &'a Traps,
    /// `PIPESTATUS` is asked for.
    pipes: bool,
    steps: usize,
    tracked: usize,
}

/// What can be said of one invocation; `None`: it never runs.
pub type Claim = Option<(Reached, Status)>;

/// How a shell ended: what ran, its status, and whether that is sure.
type End = (Ran, Code, bool);

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

    fn run(&mut self, plan: &Plan, from: States, around: Around) -> States {
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
                for mut state in self.run(&parts[0], live, checked) {
                    if !matches!(state.flow, Flow::Exit | Flow::Return) {
                        state.code = negate(state.code);
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
                                _ => leave_loop(state, out, &mut rounds),
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

    fn step(&mut self, plan: &Plan, mut state: State, around: Around, out: &mut States) {
        match plan {
            Plan::Ends(ends) => self.ends(*ends, None, state, around, out),
            Plan::Run { run, ends } => self.ends(*ends, Some(*run), state, around, out),
            Plan::Expands { always } => {
                if *always || state.no_unset {
                    out.push(state.exits(Code::Other));
                }
                out.push(state);
            }
            Plan::Substitutes(runs, then) => {
                let mut states = vec![state];
                for plan in runs {
                    let mut after = States::new();
                    for state in states {
                        let inner = State { err_exit: false, ..state.inner() };
                        for (ran, captured, wild) in self.shell(plan, inner, Around { checked: false, piped: false }) {
                            after.push(State { ran, captured, wild: state.wild | wild, ..state });
                        }
                    }
                    after.sort_unstable();
                    after.dedup();
                    states = after;
                }
                out.extend(self.run(then, states, around));
            }
            Plan::Captured => {
                let code = std::mem::replace(&mut state.captured, Code::Zero);
                out.push(self.end(state, code, around));
            }
            Plan::Pipeline { negated, parts } => self.pipeline(*negated, parts, state, around, out),
            Plan::Subshell(body) => {
                for end in self.shell(body, state.inner(), around) {
                    out.push(self.after(state, end, around));
                }
            }
            Plan::Shell { body, options } => {
                let mut inner = State::fresh(state.ran);
                inner.set(options);
                for end in self.shell(body, inner, Around { checked: false, ..around }) {
                    out.push(self.after(state, end, around));
                }
            }
            Plan::Wrapped(effect, body) => {
                if effect.starts != Starts::Always {
                    out.push(self.end(state, Code::Other, around));
                }
                if effect.starts == Starts::OrNothing {
                    out.push(self.end(state, Code::Zero, around));
                }
                for state in self.run(body, vec![state], Around { checked: true, ..around }) {
                    let codes: &[Code] = match (effect.codes, state.code) {
                        (Codes::Any, _) => &[Code::Zero, Code::Other],
                        (Codes::Zero, _) => &[Code::Zero],
                        (Codes::Folded, Code::Own) => &[Code::Other],
                        (Codes::Folded | Codes::Own, code) => &[code],
                    };
                    out.extend(codes.iter().map(|code| self.end(state, *code, around)));
                }
            }
            Plan::Background(body) => {
                for (ran, code, wild) in self.shell(body, state.inner(), around) {
                    let state = State { ran, job: Some(code), wild: state.wild | wild, ..state };
                    out.push(self.end(state, Code::Zero, around));
                }
            }
            Plan::Options(options) => {
                state.set(options);
                out.push(self.end(state, Code::Zero, around));
            }
            Plan::Assign(variable, value) => {
                let held = match value {
                    Value::Job => state.job.map_or(Held::Unknown, Held::Job),
                    value => state.code(*value).map_or(Held::Unknown, Held::Code),
                };
                state.hold(*variable, held);
                out.push(self.end(state, Code::Zero, around));
            }
            Plan::Exit(value) => out.extend(state.codes(*value).into_iter().map(|code| state.exits(code))),
            Plan::Return(value) => {
                out.extend(state.codes(*value).into_iter().map(|code| State { flow: Flow::Return, code, ..state }));
            }
            Plan::Break(levels) => {
                out.push(State { flow: Flow::Break(*levels), ..self.end(state, Code::Zero, around) });
            }
            Plan::Continue(levels) => {
                out.push(State { flow: Flow::Continue(*levels), ..self.end(state, Code::Zero, around) });
            }
            Plan::Wait(job) => {
                let codes = match job {
                    None => vec![Code::Zero],
                    Some(Value::Job) => vec![state.job.unwrap_or(Code::Other)],
                    Some(Value::Variable(variable)) => match state.held(*variable) {
                        Held::Job(code) => vec![code],
                        _ => vec![Code::Zero, Code::Other],
                    },
                    Some(_) => vec![Code::Zero, Code::Other],
                };
                out.extend(codes.into_iter().map(|code| self.end(state, code, around)));
            }
            Plan::Exec(body) => {
                for state in self.run(body, vec![state], Around { checked: true, ..around }) {
                    out.push(State { flow: Flow::Exit, trap: None, ..state });
                }
            }
            Plan::Trap(trap) => {
                state.trap = *trap;
                out.push(self.end(state, Code::Zero, around));
            }
            Plan::Test { value, zero } => {
                for code in state.codes(*value) {
                    let holds = (code == Code::Zero) == *zero;
                    out.push(self.end(state, if holds { Code::Zero } else { Code::One }, around));
                }
            }
            Plan::Foreign => {
                state.forget();
                for code in [Code::Zero, Code::Other] {
                    out.push(state.exits(code));
                    for err_exit in [false, true] {
                        for pipe_fail in [false, true] {
                            out.push(self.end(State { err_exit, pipe_fail, ..state }, code, around));
                        }
                    }
                }
            }
            Plan::Wild => {
                state.wild = true;
                self.ends(Ends::Any, None, state, around, out);
            }
            // The rest is handled for whole sets.
            _ => out.push(state),
        }
    }

    fn ends(&self, ends: Ends, run: Option<usize>, state: State, around: Around, out: &mut States) {
        let own = run == Some(self.tracked);
        let failed = if own { Code::Own } else { Code::Other };
        let codes: &[Code] = match ends {
            Ends::Zero | Ends::Prints => &[Code::Zero],
            Ends::Filters if around.piped => &[Code::Zero, failed],
            Ends::Filters => &[Code::Zero],
            Ends::One if !own => &[Code::One],
            Ends::One => &[Code::Own],
            Ends::Test if !own => &[Code::Zero, Code::One, Code::Other],
            Ends::Test | Ends::Any | Ends::Complains => &[Code::Zero, failed],
        };
        if matches!(ends, Ends::Prints | Ends::Complains) && around.piped {
            out.push(state.exits(Code::Other));
        }
        for code in codes {
            let now = if *code == Code::Zero { Ran::Zero } else { Ran::Nonzero };
            let ran = if own { state.ran.max(now) } else { state.ran };
            out.push(self.end(State { ran, ..state }, *code, around));
        }
    }

    /// `$?` is set; under `set -e`, a failure that nothing looks at ends the shell.
    fn end(&self, mut state: State, code: Code, around: Around) -> State {
        state.code = code;
        if self.pipes {
            state.piped([code]);
        }
        if code != Code::Zero && state.err_exit && !around.checked {
            state.flow = Flow::Exit;
        }
        state
    }

    fn after(&self, state: State, (ran, code, wild): End, around: Around) -> State {
        self.end(State { ran, wild: state.wild | wild, ..state }, code, around)
    }

    /// Runs a shell to its end.
    fn shell(&mut self, body: &Plan, inner: State, around: Around) -> Vec<End> {
        let ends = self.run(body, vec![inner], around);
        let mut ends: Vec<End> = self.finish(ends).iter().map(|state| (state.ran, state.code, state.wild)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Runs exit traps. Such a trap changes the status only by exiting itself.
    fn finish(&mut self, ends: States) -> States {
        let mut out = States::new();
        for mut state in ends {
            let Some(body) = state.trap.take().and_then(|trap| self.traps.get(trap)) else {
                out.push(state);
                continue;
            };
            let code = state.code;
            state.flow = Flow::On;
            state.hold(ENTRY, Held::Code(code));
            for mut state in self.run(body, vec![state], Around { checked: false, piped: false }) {
                if state.flow != Flow::Exit {
                    state.code = code;
                }
                out.push(state);
            }
        }
        out
    }

    fn pipeline(&mut self, negated: bool, parts: &[Plan], state: State, around: Around, out: &mut States) {
        if let [part] = parts {
            out.extend(self.run(part, vec![state], around));
            return;
        }
        // Beside how the last part ended: the last status that was not 0, and all of them if they are asked for.
        let mut ends: Vec<(End, Code, Vec<Code>)> = vec![((state.ran, Code::Zero, state.wild), Code::Zero, Vec::new())];
        let checked = Around { checked: around.checked || negated, ..around };
        for (index, part) in parts.iter().enumerate() {
            let piped = around.piped || index + 1 < parts.len();
            let part = self.shell(part, state.inner(), Around { piped, ..checked });
            let mut next = Vec::new();
            for ((ran, _, wild), failed, codes) in &ends {
                for (part_ran, code, part_wild) in &part {
                    self.steps += 1;
                    let failed = if *code == Code::Zero { *failed } else { *code };
                    let mut codes = codes.clone();
                    if self.pipes {
                        codes.push(*code);
                    }
                    next.push((((*ran).max(*part_ran), *code, *wild | *part_wild), failed, codes));
                }
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
            if self.steps > MAX_STEPS {
                return;
            }
        }
        for ((ran, last, wild), failed, codes) in ends {
            let code = if state.pipe_fail { failed } else { last };
            let code = if negated { negate(code) } else { code };
            let mut state = self.after(state, (ran, code, wild), checked);
            state.piped(codes);
            out.push(state);
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
