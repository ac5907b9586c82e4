//! The walk over a script: every command in the order in which it would run, with where it runs and where its output goes.
//! It yields the [`Plan`] of statuses, and the runs and leaves from which [`super::around`] makes the invocations.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::place::{After, join};
use super::plan::{Ends, Plan, Traps};
use super::program::{self, Filter, Reads};
use super::record::{Leaf, Run};
use super::scope::{Function, Scope, Shell};
use super::sink::{Capture, Sink, opens};
use super::syntax::{
    Command, Item, Join, Operator, Pipeline, Redirect, Script, Shape, Substitution, SubstitutionKind, Word,
};
use super::unwrap::{Inside, unwrap};
use crate::records::invocation::Dir;

/// Most commands that are walked, each call of a function counted anew.
const MAX_COMMANDS: usize = 250;
/// Deepest nesting of commands, functions and shells together.
const MAX_DEPTH: usize = 40;
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
    pub loops: u32,
    pipelines: u32,
    commands: usize,
    depth: usize,
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
        if item.first.negated && item.rest.is_empty() {
            // Bash 5.2 forgets the `!` of a job. Either may be so.
            let plain = without_negation(&plan);
            plan = Plan::Case { arms: vec![(plan, false), (plain, false)], complete: true };
        }
        self.shell = Shell { last_job: Some(job), ..shell };
        self.shell.jobs.push(job);
        Ok((Plan::Background(Box::new(plan)), After::both(self.shell.dir.clone())))
    }

    fn list(&mut self, item: &Item, scope: &Scope) -> Walked {
        let (first, mut after) = self.pipeline(&item.first, scope)?;
        if item.rest.is_empty() {
            return Ok((first, after));
        }
        let mut rest = Vec::new();
        for (joint, pipeline) in &item.rest {
            self.shell.dir = after.when(*joint == Join::And);
            let (plan, then) = self.pipeline(pipeline, &scope.unsure())?;
            rest.push((*joint, plan));
            after = match joint {
                Join::And => After {
                    zero: then.zero,
                    other: join(after.other, then.other),
                    missed: join(after.missed, then.missed),
                },
                Join::Or => After { zero: join(after.zero, then.zero), other: then.other, missed: then.missed },
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
            scope.talked(4);
        }
        if self.shell.silenced {
            let log = Sink { file: true, ..Sink::hidden() };
            (scope.out, scope.err) = (log.clone(), log);
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
            Shape::Case { word, arms } => self.case(word, arms, scope),
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
                // Whoever reads it may print it.
                SubstitutionKind::Input => inner.out = scope.out.through(Filter::SOME, 0),
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

fn without_negation(plan: &Plan) -> Plan {
    match plan {
        Plan::Pipeline { parts, .. } => Plan::Pipeline { negated: false, parts: parts.clone() },
        Plan::Timed(inner) => Plan::Timed(Box::new(without_negation(inner))),
        plan => plan.clone(),
    }
}
