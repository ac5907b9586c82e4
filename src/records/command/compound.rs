//! `if`, `case` and loops: commands that run perhaps, or more than once.

use super::place::{After, join};
use super::plan::Plan;
use super::record::names_result;
use super::scope::{Scope, Shell};
use super::sink::Sink;
use super::syntax::{Arm, LoopKind, Script, Word};
use super::walk::{Walk, Walked, after_expanding};
use crate::records::invocation::Dir;

/// Deepest nesting of loops: a loop's body may be walked twice.
const MAX_LOOPS: usize = 4;

impl Walk {
    pub fn case(&mut self, word: &Word, arms: &[Arm], scope: &Scope) -> Walked {
        let first = self.substitutes(&word.substitutions, &Sink::hidden(), scope)?;
        let start = self.shell.dir.clone();
        let complete = arms.iter().any(|arm| arm.any);
        let mut after = if complete { After::never() } else { After::at(start.clone()) };
        let mut plans: Vec<(Plan, bool)> = Vec::new();
        for arm in arms {
            let fallen = plans.last().is_some_and(|(_, falls)| *falls);
            self.shell.dir = if fallen { Dir::Unknown } else { start.clone() };
            let (plan, ended) = self.script(&arm.body, &scope.unsure())?;
            plans.push((plan, arm.falls));
            after = after.or(ended);
        }
        let plan = after_expanding(self.expands([word]), Plan::Case { arms: plans, complete });
        Ok((if first.is_empty() { plan } else { Plan::Substitutes(first, Box::new(plan)) }, after))
    }

    pub fn conditional(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>, scope: &Scope) -> Walked {
        let mut after = After::never();
        let mut plans = Vec::new();
        let mut scope = scope.clone();
        let mut start = self.shell.dir.clone();
        for (condition, body) in branches {
            self.shell.dir = start.clone();
            let (condition, tested) = self.script(condition, &scope)?;
            scope.sure = false;
            self.shell.dir = tested.when(true);
            let (body, ended) = self.script(body, &scope)?;
            plans.push((condition, body));
            after = after.or(ended);
            start = tested.when(false);
        }
        self.shell.dir = start.clone();
        let otherwise = match otherwise {
            Some(body) => {
                let (plan, ended) = self.script(body, &scope)?;
                after = after.or(ended);
                Some(Box::new(plan))
            }
            None => {
                after = after.or(After::at(start));
                None
            }
        };
        Ok((Plan::If { branches: plans, otherwise }, after))
    }

    pub fn repeated(&mut self, kind: &LoopKind, body: &Script, scope: &Scope) -> Walked {
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
            if list.iter().all(|word| word.literal().is_some_and(|text| !names_result(&text))) {
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
}
