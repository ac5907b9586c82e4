//! What the machine of [`super::outcome`] knows at one moment of one way in which the line can go.

use super::plan::{Flag, Value};

/// What the invocation in question has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ran {
    No,
    Zero,
    Nonzero,
}

/// A status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    Zero,
    One,
    /// The invocation's own, not zero.
    Own,
    /// Not zero.
    Other,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    Unknown,
    Code(Code),
    /// A job that ends, or ended, so.
    Job(Code),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flow {
    On,
    Exit,
    Return,
    Break(u8),
    Continue(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub ran: Ran,
    pub code: Code,
    pub flow: Flow,
    pub err_exit: bool,
    pub pipe_fail: bool,
    pub no_unset: bool,
    /// Nothing about statuses is sure any more.
    pub wild: bool,
    pub trap: Option<usize>,
    pub job: Option<Code>,
    /// The last command substitution's status.
    pub captured: Code,
    /// So many variables, and so many parts of the last pipeline, are followed; what is beyond is unknown.
    pub(super) variables: [Held; 6],
    pub(super) pipe: [Option<Code>; 6],
}

/// A set of states, as a list: it is nearly always small.
pub type States = Vec<State>;

impl State {
    /// A new shell.
    pub fn fresh(ran: Ran) -> State {
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
            variables: [Held::Unknown; 6],
            pipe: [None; 6],
        }
    }

    /// In which a subshell begins: no trap, no jobs.
    pub fn inner(self) -> State {
        State { trap: None, job: None, ..self }
    }

    pub fn exits(self, code: Code) -> State {
        State { flow: Flow::Exit, code, ..self }
    }

    pub fn set(&mut self, options: &[(Flag, bool)]) {
        for (flag, on) in options {
            match flag {
                Flag::ErrExit => self.err_exit = *on,
                Flag::PipeFail => self.pipe_fail = *on,
                Flag::NoUnset => self.no_unset = *on,
            }
        }
    }

    pub fn held(&self, variable: usize) -> Held {
        self.variables.get(variable).copied().unwrap_or(Held::Unknown)
    }

    pub fn hold(&mut self, variable: usize, held: Held) {
        if let Some(slot) = self.variables.get_mut(variable) {
            *slot = held;
        }
    }

    pub fn forget(&mut self) {
        self.variables = [Held::Unknown; 6];
    }

    pub fn piped(&mut self, codes: impl IntoIterator<Item = Code>) {
        self.pipe = [None; 6];
        for (slot, code) in self.pipe.iter_mut().zip(codes) {
            *slot = Some(code);
        }
    }

    /// The statuses that a value can stand for.
    pub fn codes(&self, value: Value) -> Vec<Code> {
        self.code(value).map_or_else(|| vec![Code::Zero, Code::Other], |code| vec![code])
    }

    pub fn code(&self, value: Value) -> Option<Code> {
        match value {
            Value::Zero => Some(Code::Zero),
            Value::One => Some(Code::One),
            Value::Number => Some(Code::Other),
            Value::Last => Some(self.code),
            Value::Variable(variable) => match self.held(variable) {
                Held::Code(code) => Some(code),
                _ => None,
            },
            Value::Pipe(index) => self.pipe.get(index).copied().flatten(),
            Value::Job | Value::Unknown => None,
        }
    }
}

pub fn negate(code: Code) -> Code {
    if code == Code::Zero { Code::One } else { Code::Zero }
}

/// Those that go on, and those that do not.
pub fn split(states: States, goes: impl Fn(&State) -> bool) -> (States, States) {
    states.into_iter().partition(goes)
}
