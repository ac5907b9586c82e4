//! One command of the [`Plan`], from one state on.

use super::outcome::{Around, End, MAX_STEPS, Machine};
use super::plan::{ENTRY, Ends, Plan, Value};
use super::state::{Code, Flow, Held, Ran, State, States, negate};
use super::wrapper::{Codes, Starts};

impl Machine<'_> {
    pub fn step(&mut self, plan: &Plan, mut state: State, around: Around, out: &mut States) {
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
                out.push(state);
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

    pub fn ends(&self, ends: Ends, run: Option<usize>, state: State, around: Around, out: &mut States) {
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
    pub fn end(&self, mut state: State, code: Code, around: Around) -> State {
        state.code = code;
        if self.pipes {
            state.piped([code]);
        }
        if code != Code::Zero && state.err_exit && !around.checked {
            state.flow = Flow::Exit;
        }
        state
    }

    pub fn after(&self, state: State, (ran, code, wild): End, around: Around) -> State {
        self.end(State { ran, wild: state.wild | wild, ..state }, code, around)
    }

    /// Runs a shell to its end.
    pub fn shell(&mut self, body: &Plan, inner: State, around: Around) -> Vec<End> {
        let ends = self.run(body, vec![inner], around);
        let mut ends: Vec<End> = self.finish(ends).iter().map(|state| (state.ran, state.code, state.wild)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Runs exit traps. Such a trap changes the status only by exiting itself.
    pub fn finish(&mut self, ends: States) -> States {
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

    pub fn pipeline(&mut self, negated: bool, parts: &[Plan], state: State, around: Around, out: &mut States) {
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
