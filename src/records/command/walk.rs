//! The walk over a script: every command in the order in which it would run, with where it runs and where its output goes.
//! It yields the [`Plan`] of statuses, and the runs and leaves from which [`super::around`] makes the invocations.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::place::{After, join};
use super::plan::{Ends, Plan, Traps};
use super::program::{self, Reads};
use super::record::{Leaf, Run};
use super::sink::{Capture, Sink, opens};
use super::syntax::{
    Command, Item, Join, LoopKind, Operator, Pipeline, Redirect, Script, Shape, Substitution, SubstitutionKind, Word,
};
use super::unwrap::{Inside, unwrap};
use crate::records::invocation::Dir;

/// Most commands that are walked, each call of a function counted anew.
const MAX_COMMANDS: usize = 300;
/// Deepest nesting of commands, functions and shells together, and of loops (a loop's body may be walked twice).
const MAX_DEPTH: usize = 40;
const MAX_LOOPS: usize = 4;
/// Most wrappers and shells in each other.
pub const MAX_LAYERS: usize = 8;

pub type Walked = Result<(Plan, After), String>;

#[derive(Default)]
pub struct Walk {
    pub runs: Vec<Run>,
    pub leaves: Vec<Leaf>,
    pub captures: BTreeMap<String, Capture>,
    pub shell: Shell,
    pub traps: Traps,
    /// Variables that hold statuses; the first is [`super::plan::ENTRY`].
    pub statuses: Vec<String>,
    /// For each background job, the leaf before which it was waited for.
    pub jobs: Vec<Option<usize>>,
    pub tails: u32,
    /// `PIPESTATUS` is asked for.
    pub pipes: bool,
    /// Where `break` and `continue`, and where `return`, may have left from.
    pub left: Option<Dir>,
    pub returned: Option<Dir>,
    /// Functions and shells that are being walked.
    pub calls: usize,
    pub layers: usize,
    /// How often `set -e` was met.
    pub err_exits: usize,
    loops: u32,
    pipelines: u32,
    commands: usize,
    depth: usize,
}

#[derive(Debug)]
pub struct Function {
    pub body: Command,
    /// It is defined for certain where it can be called.
    pub sure: bool,
}

/// What a shell remembers. A subshell gets a copy.
#[derive(Debug, Clone)]
pub struct Shell {
    pub dir: Dir,
    pub previous: Dir,
    pub stack: Vec<Dir>,
    pub functions: BTreeMap<String, Rc<Function>>,
    /// Variables whose text is known.
    pub values: BTreeMap<String, String>,
    pub exported: Vec<(String, Word)>,
    /// Variables that hold no result worth reading: numbers, dates, names.
    pub plain: BTreeSet<String>,
    /// `"$@"`, inside a function.
    pub arguments: Option<Vec<Word>>,
    /// Jobs that this shell has started.
    pub jobs: Vec<usize>,
    pub last_job: Option<usize>,
    pub job_names: BTreeMap<String, usize>,
    /// `exec > file`: nothing is shown any more.
    pub silenced: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Shell {
            dir: Dir::Start,
            previous: Dir::Unknown,
            stack: Vec::new(),
            functions: BTreeMap::new(),
            values: BTreeMap::new(),
            exported: Vec::new(),
            plain: BTreeSet::new(),
            arguments: None,
            jobs: Vec::new(),
            last_job: None,
            job_names: BTreeMap::new(),
            silenced: false,
        }
    }
}

/// What surrounds a command.
#[derive(Debug, Clone)]
pub struct Scope {
    pub out: Sink,
    pub err: Sink,
    pub via: Vec<String>,
    pub codes: Vec<u8>,
    pub environment: Vec<(String, Word)>,
    pub elsewhere: Option<String>,
    pub loops: Vec<u32>,
    /// Pipelines it is part of, and as which part.
    pub pipelines: Vec<(u32, usize)>,
    pub jobs: Vec<usize>,
    /// Where the outermost command stands, inside a nested script.
    pub span: Option<(usize, usize)>,
    /// It runs if the script gets this far.
    pub sure: bool,
    pub in_function: bool,
    /// It is inside a loop that it can leave.
    pub breaks: bool,
    /// It runs when the shell ends.
    pub late: bool,
    /// Its input is a pipe.
    pub fed: bool,
    /// It is by itself a part of a pipeline, or a job.
    pub piece: bool,
    /// Its own redirections write a file.
    pub writes: bool,
    /// What its standard input holds, if that is known.
    pub input: Option<String>,
    /// Its own redirections of standard input.
    pub inputs: Vec<Redirect>,
    /// The program's name is looked up by a tool, not by the shell.
    pub resolved: bool,
    /// It is run by a program: the shell's own `echo` is not meant.
    pub wrapped: bool,
}

impl Scope {
    pub fn top() -> Scope {
        Scope {
            out: Sink::shown(),
            err: Sink::shown(),
            via: Vec::new(),
            codes: Vec::new(),
            environment: Vec::new(),
            elsewhere: None,
            loops: Vec::new(),
            pipelines: Vec::new(),
            jobs: Vec::new(),
            span: None,
            sure: true,
            in_function: false,
            breaks: false,
            late: false,
            fed: false,
            piece: false,
            writes: false,
            input: None,
            inputs: Vec::new(),
            resolved: false,
            wrapped: false,
        }
    }

    /// The same, where commands may or may not be reached.
    pub fn unsure(&self) -> Scope {
        Scope { sure: false, ..self.clone() }
    }
}

impl Walk {
    pub fn new() -> Walk {
        // The first is `plan::ENTRY`.
        Walk { statuses: vec![String::new()], ..Walk::default() }
    }

    pub fn script(&mut self, script: &Script, scope: &Scope) -> Walked {
        let mut plans = Vec::new();
        let mut after = After::both(self.shell.dir.clone());
        for item in &script.items {
            let (plan, ended) = self.item(item, scope)?;
            self.shell.dir = ended.clone().whatever(&self.shell.dir);
            plans.push(plan);
            after = ended;
        }
        Ok((if plans.len() == 1 { plans.remove(0) } else { Plan::Sequence(plans) }, after))
    }

    /// A script in a shell of its own, whose changes to the shell are lost.
    pub fn aside(&mut self, script: &Script, scope: &Scope) -> Result<Plan, String> {
        let shell = self.shell.clone();
        self.shell.jobs.clear();
        self.shell.last_job = None;
        let plan = self.script(script, scope);
        self.shell = shell;
        Ok(plan?.0)
    }

    fn item(&mut self, item: &Item, scope: &Scope) -> Walked {
        if !item.background {
            return self.list(item, scope);
        }
        let shell = self.shell.clone();
        let job = self.jobs.len();
        self.jobs.push(None);
        let mut inner = scope.clone();
        inner.jobs.push(job);
        (inner.piece, inner.breaks) = (true, false);
        let mut plan = self.list(item, &inner)?.0;
        if let Plan::Pipeline { negated: true, parts } = &plan {
            // Bash 5.2 forgets the `!` of a job. Either may be so.
            let plain = Plan::Pipeline { negated: false, parts: parts.clone() };
            plan = Plan::Case { arms: vec![(plan, false), (plain, false)], complete: true };
        }
        self.shell = Shell { last_job: Some(job), ..shell };
        self.shell.jobs.push(job);
        Ok((Plan::Background(Box::new(plan)), After::both(self.shell.dir.clone())))
    }

    fn list(&mut self, item: &Item, scope: &Scope) -> Walked {
        let start = self.shell.dir.clone();
        let (first, mut after) = self.pipeline(&item.first, scope)?;
        if item.rest.is_empty() {
            return Ok((first, after));
        }
        let mut rest = Vec::new();
        for (joint, pipeline) in &item.rest {
            let from = if *joint == Join::And { after.zero.clone() } else { after.other.clone() };
            self.shell.dir = from.unwrap_or_else(|| start.clone());
            let (plan, then) = self.pipeline(pipeline, &scope.unsure())?;
            rest.push((*joint, plan));
            after = match joint {
                Join::And => After { zero: then.zero, other: join(after.other, then.other) },
                Join::Or => After { zero: join(after.zero, then.zero), other: then.other },
            };
        }
        Ok((Plan::List(Box::new(first), rest), after))
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: &Scope) -> Walked {
        let before = self.err_exits;
        let (mut plan, after) = self.untimed(pipeline, scope)?;
        if let Plan::Pipeline { negated: true, parts } = &mut plan
            && self.err_exits > before
        {
            *parts = std::mem::take(parts).into_iter().map(|part| Plan::MayCount(Box::new(part))).collect();
        }
        Ok((if pipeline.timed { Plan::Timed(Box::new(plan)) } else { plan }, after))
    }

    fn untimed(&mut self, pipeline: &Pipeline, scope: &Scope) -> Walked {
        let mut scope = scope.clone();
        if pipeline.timed {
            scope.via.push("time".into());
        }
        if self.shell.silenced {
            (scope.out, scope.err) = (Sink::hidden(), Sink::hidden());
        }
        let mut parts = Vec::new();
        if let [command] = pipeline.commands.as_slice() {
            let (out, err) = (scope.out.clone(), scope.err.clone());
            let inner = self.redirected(out, err, command, &scope);
            let (plan, after) = self.command(command, &inner)?;
            if !pipeline.negated {
                return Ok((plan, after));
            }
            return Ok((Plan::Pipeline { negated: true, parts: vec![plan] }, after.negated()));
        }
        self.pipelines += 1;
        let number = self.pipelines;
        // From the end, since a command's output goes through what comes after it.
        let mut scopes: Vec<Scope> = Vec::new();
        for (index, command) in pipeline.commands.iter().enumerate().rev() {
            let out = match (scopes.last(), pipeline.commands.get(index + 1)) {
                (Some(next), Some(filter)) => {
                    let reads = self.filter_of(filter);
                    let next = next.out.clone();
                    self.before_filter(&next, &reads, &scope)
                }
                _ => scope.out.clone(),
            };
            let mut inner = self.redirected(out, scope.err.clone(), command, &scope);
            inner.pipelines.push((number, index));
            inner.fed |= index > 0;
            (inner.piece, inner.breaks) = (matches!(command.shape, Shape::Simple { .. }), false);
            scopes.push(inner);
        }
        for (command, scope) in pipeline.commands.iter().zip(scopes.iter().rev()) {
            let shell = self.shell.clone();
            let plan = self.command(command, scope);
            self.shell = shell;
            parts.push(plan?.0);
        }
        Ok((Plan::Pipeline { negated: pipeline.negated, parts }, After::both(self.shell.dir.clone())))
    }

    pub fn redirected(&mut self, out: Sink, err: Sink, command: &Command, scope: &Scope) -> Scope {
        let streams = self.redirect(out, err, &command.redirects, scope);
        let input = command.redirects.iter().rev().find_map(|redirect| match &redirect.operator {
            Operator::Text { literal } => Some(literal.clone()),
            Operator::Read => Some(None),
            _ => None,
        });
        let inputs = command
            .redirects
            .iter()
            .filter(|redirect| matches!(redirect.operator, Operator::Read | Operator::Text { .. }));
        let inputs: Vec<Redirect> = inputs.cloned().collect();
        let simple = matches!(command.shape, Shape::Simple { .. });
        Scope {
            out: streams.out,
            err: streams.err,
            writes: streams.writes && simple,
            input: input.flatten(),
            inputs: if simple { inputs } else { Vec::new() },
            fed: scope.fed && simple,
            piece: scope.piece && simple,
            ..scope.clone()
        }
    }

    /// What a command makes of what is piped into it.
    fn filter_of(&self, command: &Command) -> Reads {
        match &command.shape {
            Shape::Simple { words, .. } => {
                let mut words = self.expand(words);
                while let Some(layer) = unwrap(&words) {
                    let Inside::Words(inner) = layer.inside else { break };
                    words = inner;
                }
                match words.first().is_some_and(|word| self.shell.functions.contains_key(&word.raw)) {
                    true => program::reads(&[]),
                    false => program::reads(&words),
                }
            }
            _ => program::reads(&[]),
        }
    }

    pub fn filter_of_script(&self, script: &Script) -> Reads {
        match script.items.as_slice() {
            [Item { first: Pipeline { commands, .. }, rest, background: false }]
                if rest.is_empty() && commands.len() == 1 =>
            {
                self.filter_of(&commands[0])
            }
            _ => program::reads(&[]),
        }
    }

    /// A command whose redirections have been performed.
    pub fn command(&mut self, command: &Command, scope: &Scope) -> Walked {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            return Err(format!("the command line has more than {MAX_COMMANDS} commands"));
        }
        self.depth += 1;
        let walked = if self.depth > MAX_DEPTH {
            Err(format!("commands nested deeper than {MAX_DEPTH}"))
        } else {
            self.shape(command, scope)
        };
        self.depth -= 1;
        let (mut plan, after) = walked?;
        if command.redirects.iter().any(opens) {
            plan = Plan::Redirected(Box::new(plan));
        }
        let mut first = Vec::new();
        for redirect in &command.redirects {
            first.extend(self.substitutes(&redirect.target.substitutions, &Sink::hidden(), scope)?);
        }
        Ok((if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) }, after))
    }

    fn shape(&mut self, command: &Command, scope: &Scope) -> Walked {
        let span = scope.span.unwrap_or(command.span);
        match &command.shape {
            Shape::Simple { assignments, words } => self.simple(assignments, words, span, scope),
            Shape::Test { text, substitutions } => {
                let plan = self.test_text(text);
                let first = self.substitutes(substitutions, &Sink::hidden(), scope)?;
                let plan = if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) };
                Ok((plan, After::both(self.shell.dir.clone())))
            }
            Shape::Group(script) => self.script(script, scope),
            Shape::Subshell(script) => {
                let plan = self.aside(script, &Scope { breaks: false, ..scope.clone() })?;
                Ok((Plan::Subshell(Box::new(plan)), After::both(self.shell.dir.clone())))
            }
            Shape::If { branches, otherwise } => self.conditional(branches, otherwise.as_ref(), scope),
            Shape::Loop { kind, body } => self.repeated(kind, body, scope),
            Shape::Case { word, arms } => {
                let first = self.substitutes(&word.substitutions, &Sink::hidden(), scope)?;
                let start = self.shell.dir.clone();
                let complete = arms.iter().any(|arm| arm.any);
                let mut after =
                    if complete { After::never() } else { After { zero: Some(start.clone()), other: None } };
                let mut plans = Vec::new();
                for arm in arms {
                    self.shell.dir =
                        if plans.last().is_some_and(|(_, falls)| *falls) { Dir::Unknown } else { start.clone() };
                    let (plan, ended) = self.script(&arm.body, &scope.unsure())?;
                    plans.push((plan, arm.falls));
                    after = after.or(ended);
                }
                let plan = after_expanding(self.expands([word]), Plan::Case { arms: plans, complete });
                Ok((if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) }, after))
            }
            Shape::Function { name, body } => {
                if !scope.sure && self.shell.functions.contains_key(name) {
                    return Err(format!("the function {name} is defined twice"));
                }
                let function = Function { body: (**body).clone(), sure: scope.sure };
                self.shell.functions.insert(name.clone(), Rc::new(function));
                Ok((Plan::Ends(Ends::Zero), After::both(self.shell.dir.clone())))
            }
        }
    }

    fn conditional(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>, scope: &Scope) -> Walked {
        let mut after = After::never();
        let mut plans = Vec::new();
        let mut scope = scope.clone();
        let mut start = self.shell.dir.clone();
        for (condition, body) in branches {
            self.shell.dir = start.clone();
            let (condition, tested) = self.script(condition, &scope)?;
            scope.sure = false;
            self.shell.dir = tested.zero.unwrap_or_else(|| start.clone());
            let (body, ended) = self.script(body, &scope)?;
            plans.push((condition, body));
            after = after.or(ended);
            start = tested.other.unwrap_or(start);
        }
        self.shell.dir = start.clone();
        let otherwise = match otherwise {
            Some(body) => {
                let (plan, ended) = self.script(body, &scope)?;
                after = after.or(ended);
                Some(Box::new(plan))
            }
            None => {
                after = after.or(After { zero: Some(start), other: None });
                None
            }
        };
        Ok((Plan::If { branches: plans, otherwise }, after))
    }

    fn repeated(&mut self, kind: &LoopKind, body: &Script, scope: &Scope) -> Walked {
        if scope.loops.len() >= MAX_LOOPS {
            return Err(format!("loops nested deeper than {MAX_LOOPS}"));
        }
        self.loops += 1;
        let mut inner = Scope { breaks: true, ..scope.unsure() };
        inner.loops.push(self.loops);
        let outer = self.left.take();
        let mut first = Vec::new();
        let (mut once, mut expands) = (false, None);
        if let LoopKind::For { name, list } = kind {
            let list = list.as_deref().unwrap_or_default();
            for word in list {
                first.extend(self.substitutes(&word.substitutions, &Sink::hidden(), scope)?);
            }
            expands = self.expands(list.iter());
            once = list.iter().any(|word| word.literal().is_some());
            self.forget(name);
            if list.iter().all(|word| word.literal().is_some_and(|text| !super::record::names_result(&text))) {
                self.shell.plain.insert(name.clone());
            }
        }
        if let LoopKind::Count(substitutions) = kind {
            first.extend(self.substitutes(substitutions, &Sink::hidden(), scope)?);
        }
        // What the body does to the shell is there when it begins again: then it is walked a second time, from there.
        let entry = self.shell.clone();
        let mark = (self.runs.len(), self.leaves.len(), self.traps.len(), self.jobs.len(), self.captures.clone());
        let mut round = self.round(kind, body, &inner)?;
        let ends = join(Some(round.1.clone().whatever(&entry.dir)), self.left.take());
        let left = join(Some(entry.dir.clone()), ends).unwrap_or(Dir::Unknown);
        if left != entry.dir || self.shell.values != entry.values {
            self.runs.truncate(mark.0);
            self.leaves.truncate(mark.1);
            self.traps.truncate(mark.2);
            self.jobs.truncate(mark.3);
            self.captures = mark.4;
            let values = std::mem::take(&mut self.shell.values);
            self.shell = Shell { dir: left.clone(), values, ..entry };
            round = self.round(kind, body, &inner)?;
        }
        self.left = outer;
        let plan = match kind {
            LoopKind::While(_) | LoopKind::Until(_) => round.0,
            LoopKind::For { .. } | LoopKind::Count(_) => Plan::For { once, body: Box::new(round.0) },
        };
        let plan = after_expanding(expands, plan);
        let plan = if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) };
        Ok((plan, After::both(left)))
    }

    fn round(&mut self, kind: &LoopKind, body: &Script, scope: &Scope) -> Walked {
        let (condition, until) = match kind {
            LoopKind::While(condition) => (condition, false),
            LoopKind::Until(condition) => (condition, true),
            LoopKind::For { .. } | LoopKind::Count(_) => return self.script(body, scope),
        };
        let (condition, tested) = self.script(condition, scope)?;
        self.shell.dir = tested.whatever(&self.shell.dir);
        let (body, after) = self.script(body, scope)?;
        Ok((Plan::While { until, condition: Box::new(condition), body: Box::new(body) }, after))
    }

    /// What expanding these words may do to the shell.
    pub fn expands<'a>(&self, words: impl IntoIterator<Item = &'a Word>) -> Option<Plan> {
        let (mut unset, mut always) = (false, false);
        for word in words {
            let (may, fails) = self.may_fail(word);
            (unset, always) = (unset | may, always | fails);
        }
        (unset || always).then_some(Plan::Expands { always })
    }

    /// The scripts inside `$(…)`, `<(…)` and `>(…)`; the output of the first kind goes to `sink`.
    pub fn substitutes(&mut self, all: &[Substitution], sink: &Sink, scope: &Scope) -> Result<Vec<Plan>, String> {
        let mut plans = Vec::new();
        for substitution in all {
            let mut inner = scope.clone();
            inner.writes = false;
            inner.input = None;
            inner.inputs.clear();
            inner.piece = false;
            inner.fed = substitution.kind == SubstitutionKind::Output;
            match substitution.kind {
                SubstitutionKind::Command => inner.out = sink.clone(),
                SubstitutionKind::Input => inner.out = Sink::hidden(),
                SubstitutionKind::Output => {}
            }
            plans.push(self.aside(&substitution.script, &inner)?);
        }
        Ok(plans)
    }
}

pub fn after_expanding(expands: Option<Plan>, plan: Plan) -> Plan {
    match expands {
        Some(expands) => Plan::Sequence(vec![expands, plan]),
        None => plan,
    }
}
