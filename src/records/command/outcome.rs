//! Whose status is reported. A small machine runs the [`Plan`] once for each invocation, with all that can happen: every
//! other command succeeds or fails, and the set of states at the end says what the reported status allows to conclude.
//! So one rule holds for `&&`, `set -e`, `pipefail`, `!`, `wait $!`, `rc=$?` and whatever else bash combines.
//!
//! Architecture invariant: the set of states only ever errs by holding too many; a claim is what holds in all of them.

use std::collections::BTreeSet;

use super::plan::{ENTRY, Ends, Flag, Plan, Traps, Value};
use super::syntax::Join;
use super::wrapper::{Codes, Starts};
use crate::records::invocation::{Reached, Status};

/// Most steps for a whole line; 100 commands take about 40,000.
const MAX_STEPS: usize = 300_000;

/// What the invocation in question has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ran {
    No,
    Zero,
    Nonzero,
}

/// A status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    Zero,
    One,
    /// The invocation's own, not zero.
    Own,
    /// Not zero.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Unknown,
    Code(Code),
    Job(Code),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    On,
    Exit,
    Return,
    Break(u32),
    Continue(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    ran: Ran,
    code: Code,
    flow: Flow,
    err_exit: bool,
    pipe_fail: bool,
    no_unset: bool,
    wild: bool,
    trap: Option<usize>,
    job: Option<Code>,
    captured: Code,
    variables: Vec<Held>,
    pipe: Vec<Code>,
}

/// What surrounds a command: whether a failure ends the shell under `set -e`, and whether its output goes to a pipe.
#[derive(Clone, Copy)]
struct Around {
    checked: bool,
    piped: bool,
}

type States = BTreeSet<State>;

pub struct Machine<'a> {
    pub traps: &'a Traps,
    /// How many variables hold statuses.
    pub variables: usize,
    /// `PIPESTATUS` is asked for.
    pub pipes: bool,
    steps: usize,
    tracked: usize,
}

/// What can be said of one invocation; `None`: it never runs.
pub type Claim = Option<(Reached, Status)>;

impl<'a> Machine<'a> {
    pub fn new(traps: &'a Traps, variables: usize, pipes: bool) -> Self {
        Machine { traps, variables, pipes, steps: 0, tracked: 0 }
    }

    pub fn claim(&mut self, plan: &Plan, run: usize) -> Result<Claim, String> {
        self.tracked = run;
        let start = self.fresh(Ran::No);
        let ends = self.run(plan, [start].into(), Around { checked: false, piped: false });
        let ends = self.finish(ends);
        match self.steps > MAX_STEPS {
            true => Err("the command line has too many ways to end".into()),
            false => Ok(conclude(&ends)),
        }
    }

    fn fresh(&self, ran: Ran) -> State {
        State {
            ran,
            code: Code::Zero,
            flow: Flow::On,
            err_exit: false,
            pipe_fail: false,
            no_unset: false,
            wild: false,
            trap: None,
            job: None,
            captured: Code::Zero,
            variables: vec![Held::Unknown; self.variables],
            pipe: Vec::new(),
        }
    }

    fn run(&mut self, plan: &Plan, from: States, around: Around) -> States {
        let (live, mut out): (States, States) = from.into_iter().partition(|state| state.flow == Flow::On);
        self.steps += live.len();
        if live.is_empty() || self.steps > MAX_STEPS {
            return out;
        }
        match plan {
            Plan::Sequence(plans) => {
                let mut states = live;
                for plan in plans {
                    states = self.run(plan, states, around);
                }
                out.extend(states);
            }
            Plan::List(first, rest) => {
                let last = rest.len();
                let inner = Around { checked: true, ..around };
                let mut states = self.run(first, live, inner);
                for (index, (join, plan)) in rest.iter().enumerate() {
                    let goes = |s: &State| s.flow == Flow::On && (s.code == Code::Zero) == (*join == Join::And);
                    let (go, stay): (States, States) = states.into_iter().partition(goes);
                    states = stay;
                    states.extend(self.run(plan, go, if index + 1 == last { around } else { inner }));
                }
                out.extend(states);
            }
            Plan::Pipeline { negated: true, parts } if parts.len() == 1 => {
                for mut state in self.run(&parts[0], live, Around { checked: true, ..around }) {
                    if matches!(state.flow, Flow::On | Flow::Break(_) | Flow::Continue(_)) {
                        state.code = negate(state.code);
                    }
                    out.insert(state);
                }
            }
            Plan::If { branches, otherwise } => {
                let mut states = live;
                for (condition, body) in branches {
                    let tested = self.run(condition, states, Around { checked: true, ..around });
                    let (ended, tested): (States, States) = tested.into_iter().partition(|s| s.flow != Flow::On);
                    let (yes, no): (States, States) = tested.into_iter().partition(|s| s.code == Code::Zero);
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
                    let mut states = live.clone();
                    states.extend(std::mem::take(&mut falling));
                    let states = self.run(body, states, around);
                    if *falls {
                        falling.extend(states.iter().filter(|state| state.flow == Flow::On).cloned());
                    }
                    out.extend(states);
                }
                if !complete {
                    out.extend(live.into_iter().map(|state| State { code: Code::Zero, ..state }));
                }
            }
            Plan::While { until, condition, body } => {
                self.repeat(Some((condition, *until)), body, false, live, around, &mut out)
            }
            Plan::For { once, body } => self.repeat(None, body, *once, live, around, &mut out),
            Plan::Call(body) => {
                for mut state in self.run(body, live, around) {
                    match state.flow {
                        Flow::Return => state.flow = Flow::On,
                        Flow::Break(_) | Flow::Continue(_) => (state.flow, state.code) = (Flow::On, Code::Zero),
                        Flow::On | Flow::Exit => {}
                    }
                    let code = state.code;
                    out.insert(if state.flow == Flow::On { self.end(state, code, around) } else { state });
                }
            }
            Plan::MayCount(body) => {
                for state in self.run(body, live.clone(), Around { checked: false, ..around }) {
                    if state.flow == Flow::Exit && state.code != Code::Zero {
                        out.insert(State { code: Code::Other, ..state.clone() });
                    }
                    out.insert(state);
                }
                out.extend(self.run(body, live, around));
            }
            Plan::Timed(body) => {
                for state in self.run(body, live, around) {
                    if around.piped && state.flow == Flow::On {
                        out.insert(State { flow: Flow::Exit, code: Code::Other, ..state.clone() });
                    }
                    out.insert(state);
                }
            }
            Plan::Redirected(body) => {
                for state in &live {
                    if around.piped {
                        out.insert(State { flow: Flow::Exit, code: Code::Other, ..state.clone() });
                    }
                    out.insert(self.end(state.clone(), Code::One, around));
                }
                out.extend(self.run(body, live, around));
            }
            _ => {
                for state in live {
                    self.step(plan, state, around, &mut out);
                }
            }
        }
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
        let mut seen: BTreeSet<(State, Code)> = BTreeSet::new();
        let mut next: BTreeSet<(State, Code)> = live.into_iter().map(|state| (state, Code::Zero)).collect();
        let mut first = true;
        while !next.is_empty() && self.steps <= MAX_STEPS {
            let mut rounds: BTreeSet<(State, Code)> = BTreeSet::new();
            for (state, before) in next {
                if condition.is_none() && !(once && first) {
                    out.insert(State { code: before, ..state.clone() });
                }
                if !seen.insert((state.clone(), before)) {
                    continue;
                }
                let entering = match condition {
                    None => [state].into(),
                    Some((condition, until)) => {
                        let tested = self.run(condition, [state].into(), Around { checked: true, ..around });
                        let mut entering = States::new();
                        for state in tested {
                            match state.flow {
                                Flow::On if (state.code == Code::Zero) != until => drop(entering.insert(state)),
                                Flow::On => {
                                    out.insert(State { code: before, ..state });
                                }
                                _ => leave_loop(state, out, &mut rounds),
                            }
                        }
                        entering
                    }
                };
                for state in self.run(body, entering, around) {
                    match state.flow {
                        Flow::On => drop(rounds.insert((state.clone(), state.code))),
                        _ => leave_loop(state, out, &mut rounds),
                    }
                }
            }
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
                    out.insert(State { flow: Flow::Exit, code: Code::Other, ..state.clone() });
                }
                out.insert(state);
            }
            Plan::Substitutes(runs, then) => {
                let mut states: States = [state].into();
                for plan in runs {
                    let mut after = States::new();
                    for state in states {
                        let inner = State { err_exit: false, ..self.inner(&state) };
                        for (ran, code, wild) in self.shell(plan, inner, Around { checked: false, piped: false }) {
                            after.insert(State { ran, captured: code, wild: state.wild | wild, ..state.clone() });
                        }
                    }
                    states = after;
                }
                out.extend(self.run(then, states, around));
            }
            Plan::Captured => {
                let code = std::mem::replace(&mut state.captured, Code::Zero);
                out.insert(self.end(state, code, around));
            }
            Plan::Pipeline { negated, parts } => self.pipeline(*negated, parts, state, around, out),
            Plan::Subshell(body) => {
                let inner = self.inner(&state);
                self.enclosed(body, inner, state, around, out);
            }
            Plan::Shell { body, options } => {
                let mut inner = self.fresh(state.ran);
                inner.set(options);
                let unchecked = Around { checked: false, ..around };
                for (ran, code, wild) in self.shell(body, inner, unchecked) {
                    let state = State { ran, wild: state.wild | wild, ..state.clone() };
                    out.insert(self.end(state, code, around));
                }
            }
            Plan::Wrapped(effect, body) => {
                if effect.starts != Starts::Always {
                    out.insert(self.end(state.clone(), Code::Other, around));
                }
                if effect.starts == Starts::OrNothing {
                    out.insert(self.end(state.clone(), Code::Zero, around));
                }
                for state in self.run(body, [state].into(), Around { checked: true, ..around }) {
                    let codes: &[Code] = match (effect.codes, state.code) {
                        (Codes::Any, _) => &[Code::Zero, Code::Other],
                        (Codes::Zero, _) => &[Code::Zero],
                        (Codes::Folded, Code::Own) => &[Code::Other],
                        (Codes::Folded | Codes::Own, code) => &[code],
                    };
                    for code in codes {
                        out.insert(self.end(state.clone(), *code, around));
                    }
                }
            }
            Plan::Background(body) => {
                let inner = self.inner(&state);
                for (ran, code, wild) in self.shell(body, inner, around) {
                    let state = State { ran, job: Some(code), wild: state.wild | wild, ..state.clone() };
                    out.insert(self.end(state, Code::Zero, around));
                }
            }
            Plan::Options(options) => {
                state.set(options);
                out.insert(self.end(state, Code::Zero, around));
            }
            Plan::Assign(variable, value) => {
                let held = match value {
                    Value::Job => state.job.map_or(Held::Unknown, Held::Job),
                    Value::Unknown => Held::Unknown,
                    value => state.code_of(*value).map_or(Held::Unknown, Held::Code),
                };
                state.variables[*variable] = held;
                out.insert(self.end(state, Code::Zero, around));
            }
            Plan::Exit(value) => {
                for code in state.codes_of(*value) {
                    out.insert(State { flow: Flow::Exit, code, ..state.clone() });
                }
            }
            Plan::Return(value) => {
                for code in state.codes_of(*value) {
                    out.insert(State { flow: Flow::Return, code, ..state.clone() });
                }
            }
            Plan::Break(levels) => {
                let state = self.end(state, Code::Zero, around);
                out.insert(State { flow: Flow::Break(*levels), ..state });
            }
            Plan::Continue(levels) => {
                let state = self.end(state, Code::Zero, around);
                out.insert(State { flow: Flow::Continue(*levels), ..state });
            }
            Plan::Wait(None) => {
                out.insert(self.end(state, Code::Zero, around));
            }
            Plan::Wait(Some(value)) => {
                let codes = match value {
                    Value::Job => state.job.map_or(vec![Code::Other], |code| vec![code]),
                    Value::Variable(variable) => match state.variables[*variable] {
                        Held::Job(code) => vec![code],
                        _ => vec![Code::Zero, Code::Other],
                    },
                    _ => vec![Code::Zero, Code::Other],
                };
                for code in codes {
                    out.insert(self.end(state.clone(), code, around));
                }
            }
            Plan::Exec(body) => {
                for state in self.run(body, [state].into(), Around { checked: true, ..around }) {
                    out.insert(State { flow: Flow::Exit, trap: None, ..state });
                }
            }
            Plan::Trap(trap) => {
                state.trap = *trap;
                out.insert(self.end(state, Code::Zero, around));
            }
            Plan::Test { value, zero } => {
                for code in state.codes_of(*value) {
                    let holds = (code == Code::Zero) == *zero;
                    out.insert(self.end(state.clone(), if holds { Code::Zero } else { Code::One }, around));
                }
            }
            Plan::Foreign => {
                state.variables.fill(Held::Unknown);
                for code in [Code::Zero, Code::Other] {
                    out.insert(State { flow: Flow::Exit, code, ..state.clone() });
                    for err_exit in [state.err_exit, !state.err_exit] {
                        for pipe_fail in [state.pipe_fail, !state.pipe_fail] {
                            let state = State { err_exit, pipe_fail, ..state.clone() };
                            out.insert(self.end(state, code, around));
                        }
                    }
                }
            }
            Plan::Wild => {
                state.wild = true;
                self.ends(Ends::Any, None, state, around, out);
            }
            // The rest is handled for whole sets.
            _ => {
                out.insert(state);
            }
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
            out.insert(State { flow: Flow::Exit, code: Code::Other, ..state.clone() });
        }
        for code in codes {
            let now = if *code == Code::Zero { Ran::Zero } else { Ran::Nonzero };
            let ran = if own { state.ran.max(now) } else { state.ran };
            out.insert(self.end(State { ran, ..state.clone() }, *code, around));
        }
    }

    /// `$?` is set; under `set -e`, a failure that nothing looks at ends the shell.
    fn end(&self, mut state: State, code: Code, around: Around) -> State {
        state.code = code;
        if self.pipes {
            state.pipe = vec![code];
        }
        if code != Code::Zero && state.err_exit && !around.checked {
            state.flow = Flow::Exit;
        }
        state
    }

    /// The state in which a subshell begins: no trap, no jobs.
    fn inner(&self, state: &State) -> State {
        State { trap: None, job: None, ..state.clone() }
    }

    /// Runs a shell to its end: what ran, and with which status.
    fn shell(&mut self, body: &Plan, inner: State, around: Around) -> BTreeSet<(Ran, Code, bool)> {
        let ends = self.run(body, [inner].into(), around);
        self.finish(ends).into_iter().map(|state| (state.ran, state.code, state.wild)).collect()
    }

    fn enclosed(&mut self, body: &Plan, inner: State, state: State, around: Around, out: &mut States) {
        for (ran, code, wild) in self.shell(body, inner, around) {
            let state = State { ran, wild: state.wild | wild, ..state.clone() };
            out.insert(self.end(state, code, around));
        }
    }

    /// Runs exit traps. Such a trap changes the status only by exiting itself.
    fn finish(&mut self, ends: States) -> States {
        let mut out = States::new();
        for mut state in ends {
            let Some(trap) = state.trap.take() else {
                out.insert(state);
                continue;
            };
            let code = state.code;
            state.flow = Flow::On;
            if let Some(entry) = state.variables.get_mut(ENTRY) {
                *entry = Held::Code(code);
            }
            let Some(body) = self.traps.get(trap) else { continue };
            for mut state in self.run(body, [state].into(), Around { checked: false, piped: false }) {
                if state.flow != Flow::Exit {
                    state.code = code;
                }
                out.insert(state);
            }
        }
        out
    }

    fn pipeline(&mut self, negated: bool, parts: &[Plan], state: State, around: Around, out: &mut States) {
        if parts.len() == 1 {
            out.extend(self.run(&parts[0], [state].into(), around));
            return;
        }
        // (what ran, the last status, the last one that was not 0, all of them if they are asked for)
        type Ends = (Ran, Code, Code, Vec<Code>, bool);
        let mut ends: BTreeSet<Ends> = [(state.ran, Code::Zero, Code::Zero, Vec::new(), state.wild)].into();
        for (index, part) in parts.iter().enumerate() {
            let piped = index + 1 < parts.len();
            let around = Around { checked: around.checked || negated, piped: piped || around.piped };
            let part = self.shell(part, self.inner(&state), around);
            let mut next: BTreeSet<Ends> = BTreeSet::new();
            for (ran, _, failed, codes, wild) in &ends {
                for (part_ran, code, part_wild) in &part {
                    self.steps += 1;
                    let failed = if *code == Code::Zero { *failed } else { *code };
                    let mut codes = codes.clone();
                    if self.pipes {
                        codes.push(*code);
                    }
                    next.insert(((*ran).max(*part_ran), *code, failed, codes, *wild | *part_wild));
                }
            }
            ends = next;
            if self.steps > MAX_STEPS {
                return;
            }
        }
        for (ran, last, failed, codes, wild) in ends {
            let code = if state.pipe_fail { failed } else { last };
            let checked = around.checked || negated;
            let code = if negated { negate(code) } else { code };
            let mut state = self.end(State { ran, wild, ..state.clone() }, code, Around { checked, ..around });
            state.pipe = codes;
            out.insert(state);
        }
    }
}

impl State {
    fn set(&mut self, options: &[(Flag, bool)]) {
        for (flag, on) in options {
            match flag {
                Flag::ErrExit => self.err_exit = *on,
                Flag::PipeFail => self.pipe_fail = *on,
                Flag::NoUnset => self.no_unset = *on,
            }
        }
    }

    fn code_of(&self, value: Value) -> Option<Code> {
        match value {
            Value::Zero => Some(Code::Zero),
            Value::One => Some(Code::One),
            Value::Number => Some(Code::Other),
            Value::Last => Some(self.code),
            Value::Variable(variable) => match self.variables.get(variable) {
                Some(Held::Code(code)) => Some(*code),
                _ => None,
            },
            Value::Pipe(index) => self.pipe.get(index).copied(),
            Value::Job | Value::Unknown => None,
        }
    }

    fn codes_of(&self, value: Value) -> Vec<Code> {
        self.code_of(value).map_or_else(|| vec![Code::Zero, Code::Other], |code| vec![code])
    }
}

fn negate(code: Code) -> Code {
    if code == Code::Zero { Code::One } else { Code::Zero }
}

/// `break` and `continue` leave as many loops as they say; anything else ends more than a loop.
fn leave_loop(state: State, out: &mut States, rounds: &mut BTreeSet<(State, Code)>) {
    match state.flow {
        Flow::Break(levels) if levels > 1 => out.insert(State { flow: Flow::Break(levels - 1), ..state }),
        Flow::Continue(levels) if levels > 1 => out.insert(State { flow: Flow::Continue(levels - 1), ..state }),
        Flow::Break(_) => out.insert(State { flow: Flow::On, ..state }),
        Flow::Continue(_) => rounds.insert((State { flow: Flow::On, ..state.clone() }, state.code)),
        Flow::On | Flow::Exit | Flow::Return => out.insert(state),
    };
}

fn conclude(ends: &States) -> Claim {
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
