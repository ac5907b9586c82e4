//! Simple commands: expansion as far as the text tells, assignments, functions, and programs in their wrappers.

use super::grammar;
use super::place::{After, enter};
use super::plan::{Ends, Plan, Value};
use super::program::Filter;
use super::record::names_result;
use super::scope::{Function, Scope, Shell};
use super::sink::{Sink, Stored};
use super::syntax::{Assignment, Part, SubstitutionKind, Word};
use super::unwrap::{Inside, Layer, unwrap};
use super::walk::{Walk, Walked, after_expanding};
use super::wrapper::{Codes, Effect, Starts};
use crate::records::invocation::Dir;

/// Deepest calls of functions by functions.
const MAX_CALLS: usize = 8;

impl Walk {
    pub fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        span: (usize, usize),
        scope: &Scope,
    ) -> Walked {
        let words = self.expand(words);
        let mut first = Vec::new();
        let mut captured = false;
        let mut kept = Vec::new();
        for assignment in assignments {
            let all = &assignment.value.substitutions;
            let whole = all.len() == 1 && matches!(assignment.value.parts.as_slice(), [Part::Opaque]);
            let mut sink = Sink::hidden();
            if whole && words.is_empty() && all[0].kind == SubstitutionKind::Command {
                // Each time another, since a subshell's variable is not its parent's.
                let key = format!("${} {}", assignment.name, self.captures.len());
                self.captures.insert(key.clone(), Default::default());
                kept.push((assignment.name.clone(), key.clone()));
                sink.stored.push(Stored { key, filter: Filter::WHOLE });
            }
            captured |= all.iter().any(|substitution| substitution.kind == SubstitutionKind::Command);
            first.extend(self.substitutes(all, &sink, scope)?);
        }
        let prints = words.first().and_then(Word::literal).is_some_and(|name| name == "echo" || name == "printf");
        for word in &words {
            let sink = match prints {
                true if word.substitutions.iter().all(|substitution| substitution.whole) => scope.out.clone(),
                true => scope.out.through(Filter::SOME, 0),
                false => Sink::hidden(),
            };
            first.extend(self.substitutes(&word.substitutions, &sink, scope)?);
        }
        let expands = self.expands(words.iter().chain(assignments.iter().map(|assignment| &assignment.value)));
        let (plan, after) = if words.is_empty() {
            let plan = self.assign_all(assignments, captured, scope);
            self.shell.captured.extend(kept);
            (plan, After::both(self.shell.dir.clone()))
        } else {
            let mut scope = scope.clone();
            scope.environment.extend(assignments.iter().map(|a| (a.name.clone(), self.resolve(&a.value))));
            self.named(&words, span, &scope)?
        };
        let plan = after_expanding(expands, plan);
        Ok((if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) }, after))
    }

    /// Whether expanding a word may end the shell: under `set -u`, and always.
    pub fn may_fail(&self, word: &Word) -> (bool, bool) {
        let unset = word.parts.iter().any(|part| match part {
            Part::Text(_) => false,
            Part::Opaque => word.raw.contains("${"),
            Part::Variable { name, .. } => {
                !name.starts_with(['?', '@', '*', '#', '$', '!', '-'])
                    && !name.starts_with("PIPESTATUS")
                    && !self.shell.plain.contains(name)
                    && !self.statuses.contains(name)
            }
        });
        let opaque = word.parts.contains(&Part::Opaque);
        (unset, opaque && (word.raw.contains("$((") || (word.raw.contains("${") && word.raw.contains('?'))))
    }

    fn assign_all(&mut self, assignments: &[Assignment], captured: bool, scope: &Scope) -> Plan {
        let mut plans: Vec<Plan> = assignments
            .iter()
            .filter_map(|assignment| self.assign(&assignment.name, &assignment.value, scope))
            .collect();
        plans.push(if captured { Plan::Captured } else { Plan::Ends(Ends::Zero) });
        Plan::Sequence(plans)
    }

    /// Notes an assignment; a plan if it keeps a status.
    pub fn assign(&mut self, name: &str, value: &Word, scope: &Scope) -> Option<Plan> {
        let value = self.resolve(value);
        let literal = value.literal();
        let kept = self.value_of(&value);
        let status = !matches!(kept, Value::Unknown);
        if let (Value::Job, Some(job)) = (kept, self.shell.last_job) {
            self.shell.job_names.insert(name.to_owned(), job);
        }
        self.forget(name);
        if let Some(text) = literal.filter(|_| scope.sure) {
            self.shell.values.insert(name.to_owned(), text);
        }
        let tame = value.literal().is_some_and(|text| !names_result(&text));
        if status || tame || value.raw.starts_with("$(date") {
            self.shell.plain.insert(name.to_owned());
        }
        let slot = self.statuses.iter().position(|known| known == name);
        match (slot, status) {
            (Some(slot), _) => Some(Plan::Assign(slot, kept)),
            (None, true) => {
                self.statuses.push(name.to_owned());
                Some(Plan::Assign(self.statuses.len() - 1, kept))
            }
            (None, false) => None,
        }
    }

    /// A variable's text is no longer known.
    pub fn forget(&mut self, name: &str) {
        self.shell.values.remove(name);
        self.shell.plain.remove(name);
        self.shell.captured.remove(name);
    }

    /// The status that a word stands for.
    pub fn value_of(&mut self, word: &Word) -> Value {
        match word.literal().as_deref() {
            Some("0") => return Value::Zero,
            Some("1") => return Value::One,
            Some(text) if text.parse::<u8>().is_ok() => return Value::Number,
            Some(_) => return Value::Unknown,
            None => {}
        }
        word.variable().map_or(Value::Unknown, |name| self.value_named(name))
    }

    pub fn value_named(&mut self, name: &str) -> Value {
        if let Some(index) = name.strip_prefix("PIPESTATUS") {
            self.pipes = true;
            let index = index.trim_matches(['[', ']']);
            return if index.is_empty() { Value::Pipe(0) } else { index.parse().map_or(Value::Unknown, Value::Pipe) };
        }
        match name {
            "?" => Value::Last,
            "!" => Value::Job,
            _ => self.statuses.iter().position(|known| known == name).map_or(Value::Unknown, Value::Variable),
        }
    }

    /// Words after the expansions that are sure.
    pub fn expand(&self, words: &[Word]) -> Vec<Word> {
        let mut out = Vec::new();
        for word in words {
            let argument = |name: &str| name.parse::<usize>().ok().filter(|at| *at > 0);
            match (word.variable(), &self.shell.arguments) {
                (Some("@" | "*"), Some(arguments)) => out.extend(arguments.iter().cloned()),
                (Some(name), Some(arguments)) if argument(name).is_some_and(|at| at <= arguments.len()) => {
                    out.push(arguments[argument(name).unwrap_or(1) - 1].clone());
                }
                (Some(name), _) if word.raw.starts_with('$') && self.shell.values.contains_key(name) => {
                    let text = &self.shell.values[name];
                    match text.contains(['*', '?', '[', '\\']) {
                        true => out.push(word.clone()),
                        false => out.extend(text.split_ascii_whitespace().map(Word::plain)),
                    }
                }
                _ => out.push(self.resolve(word)),
            }
        }
        out
    }

    /// A word with known variables replaced, where that cannot split it.
    pub fn resolve(&self, word: &Word) -> Word {
        let known = |part: &Part| match part {
            Part::Variable { name, quoted } => self
                .shell
                .values
                .get(name)
                .filter(|text| *quoted || !text.contains(|c: char| c.is_whitespace() || "*?[~".contains(c)))
                .map(|text| Part::Text(text.clone())),
            _ => None,
        };
        let parts = word.parts.iter().map(|part| known(part).unwrap_or_else(|| part.clone())).collect();
        Word { parts, ..word.clone() }
    }

    fn named(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> Walked {
        let name = words[0].literal().unwrap_or_default();
        if let Some(function) = self.shell.functions.get(&name).cloned() {
            return self.call(&function, &words[1..], span, scope);
        }
        if let Some(walked) = self.builtin(&name, words, span, scope) {
            return walked;
        }
        if matches!(name.as_str(), "command" | "builtin")
            && let Some(inner) = words.get(1).and_then(Word::literal)
            && let Some(walked) = self.builtin(&inner, &words[1..], span, scope)
        {
            return walked;
        }
        let plan = self.program(words, span, scope)?;
        Ok((plan, After::both(self.shell.dir.clone())))
    }

    fn call(&mut self, function: &Function, arguments: &[Word], span: (usize, usize), scope: &Scope) -> Walked {
        if self.calls >= MAX_CALLS {
            return Err("functions call each other without end".into());
        }
        let arguments = arguments.iter().map(|word| Word { substitutions: Vec::new(), ..word.clone() }).collect();
        let before = self.shell.arguments.replace(arguments);
        self.calls += 1;
        let returned = self.returned.take();
        let inner = Scope { in_function: true, breaks: false, piece: false, span: Some(span), ..scope.unsure() };
        let inner = self.redirected(scope.out.clone(), scope.err.clone(), &function.body, &inner);
        let walked = self.command(&function.body, &inner);
        self.calls -= 1;
        self.shell.arguments = before;
        let returned = std::mem::replace(&mut self.returned, returned);
        let (plan, after) = walked?;
        let after = after.or(After { zero: returned.clone(), other: returned, missed: None });
        let call = Plan::Call(Box::new(plan));
        if function.sure {
            return Ok((call, after));
        }
        let here = After::both(self.shell.dir.clone());
        Ok((Plan::Case { arms: vec![(call, false), (Plan::Ends(Ends::Any), false)], complete: true }, after.or(here)))
    }

    /// A program, out of its wrappers.
    pub fn program(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> Result<Plan, String> {
        let Some(layer) = unwrap(words).filter(|layer| self.readable(layer, scope)) else {
            return Ok(self.record(words, span, scope));
        };
        let dir = self.shell.dir.clone();
        let mut inner = scope.clone();
        inner.via.push(layer.via);
        inner.codes.extend(layer.codes);
        inner.environment.extend(layer.environment);
        inner.wrapped = true;
        inner.resolved |= layer.names;
        inner.talked(layer.talks);
        if let Some(directory) = &layer.directory {
            self.shell.dir = enter(&dir, directory);
        }
        if let Some(place) = layer.elsewhere {
            inner.elsewhere = Some(place);
            self.shell.dir = Dir::Unknown;
        }
        if layer.effect.codes == Codes::Zero {
            (inner.out, inner.err) = (Sink::hidden(), Sink::hidden());
        }
        let plan = self.inside(layer.inside, span, &inner);
        self.shell.dir = dir;
        let plan = plan?;
        let plain = Effect { codes: Codes::Own, starts: Starts::Always };
        Ok(if layer.effect == plain { plan } else { Plan::Wrapped(layer.effect, Box::new(plan)) })
    }

    /// A shell that reads a script which is not known is only a program.
    fn readable(&self, layer: &Layer, scope: &Scope) -> bool {
        !matches!(layer.inside, Inside::Input(_)) || scope.input.is_some()
    }

    fn inside(&mut self, inside: Inside, span: (usize, usize), scope: &Scope) -> Result<Plan, String> {
        self.layers += 1;
        let plan = if self.layers > super::walk::MAX_LAYERS {
            Err(format!("more than {} wrappers in each other", super::walk::MAX_LAYERS))
        } else {
            match inside {
                Inside::Words(words) => self.program(&words, span, scope),
                Inside::Each(programs) => {
                    let plans = programs.iter().map(|words| self.program(words, span, scope)).collect::<Result<_, _>>();
                    plans.map(Plan::Sequence)
                }
                Inside::Text(text, options) => self.nested(&text, options, span, scope),
                Inside::Input(options) => {
                    let text = scope.input.clone().unwrap_or_default();
                    self.nested(&text, options, span, &Scope { input: None, ..scope.clone() })
                }
            }
        };
        self.layers -= 1;
        plan
    }

    /// A script in a new shell.
    fn nested(
        &mut self,
        text: &str,
        options: Vec<(super::plan::Flag, bool)>,
        span: (usize, usize),
        scope: &Scope,
    ) -> Result<Plan, String> {
        let script = grammar::script(text)?;
        let inner = Scope {
            span: Some(span),
            in_function: false,
            breaks: false,
            piece: false,
            fed: false,
            writes: false,
            wrapped: false,
            resolved: false,
            ..scope.clone()
        };
        let shell = Shell {
            dir: self.shell.dir.clone(),
            exported: self.shell.exported.clone(),
            silenced: self.shell.silenced,
            ..Shell::default()
        };
        let outer = std::mem::replace(&mut self.shell, shell);
        let plan = self.script(&script, &inner);
        self.shell = outer;
        Ok(Plan::Shell { body: Box::new(plan?.0), options })
    }
}
