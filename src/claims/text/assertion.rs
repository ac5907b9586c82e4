//! From a finding about a check to the claim: polarity, numbers and scope of noun phrase and predicate put together.

use super::lead::Lead;
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::outcome::Outcome;
use super::reading::{Draft, Sense};
use super::subset::Tail;
use super::token::word;
use super::{Count, Kind, Says, Scope};

/// What was found out about one or more noun phrases with one predicate.
#[derive(Debug, Clone, Copy)]
pub struct Finding {
    pub says: Says,
    /// Where the predicate ends, with its figures and exceptions.
    pub end: usize,
    /// Where the verb group itself ends: from here on a condition may follow.
    pub verb_end: usize,
    pub outcome: Option<Outcome>,
    pub all: bool,
    pub past: bool,
    /// What stood between the noun and the verb, and after the verb.
    pub post: Tail,
    pub tail: Tail,
}

impl Finding {
    /// A finding without figures.
    pub fn new(says: Says, end: usize) -> Finding {
        Finding {
            says,
            end,
            verb_end: end,
            outcome: None,
            all: false,
            past: false,
            post: Tail::default(),
            tail: Tail::default(),
        }
    }
}

/// Makes the claim of one phrase.
pub fn draft(sense: &Sense, phrase: &NounPhrase, finding: &Finding, lead: Lead, from: usize) -> Option<Draft> {
    if finding.outcome.is_some_and(|outcome| outcome.any) && phrase.amount != Amount::No {
        return None;
    }
    // "14 suites": suites are not tests.
    let suites = word(sense.tokens, phrase.end.saturating_sub(1)) == "suites";
    let stripped = NounPhrase { number: phrase.number.filter(|_| !suites), ..phrase.clone() };
    let phrase = &stripped;
    let mut says = finding.says;
    let mut passed = None;
    let mut failed = None;
    let verb_fails = says == Says::Fail;
    if says != Says::NotDone {
        match phrase.amount {
            Amount::No => {
                says = if verb_fails { Says::Pass } else { Says::Fail };
                if verb_fails {
                    failed = Some(0);
                    passed = phrase.number;
                }
            }
            Amount::NotAll if !verb_fails => says = Says::Fail,
            Amount::AllBut(n) if !verb_fails => failed = Some(n),
            _ if verb_fails => failed = phrase.ratio.map(|(k, _)| k).or(phrase.number),
            _ => {
                passed = phrase.ratio.map(|(k, _)| k).or(phrase.number);
                if phrase.amount == Amount::All && phrase.number.is_some() {
                    failed = Some(0);
                }
            }
        }
        if let (Some((k, n)), false) = (phrase.ratio, verb_fails) {
            failed = (k == n).then_some(0);
            says = if k < n { Says::Fail } else { says };
        }
    }
    // "Ran 3 tests, 2 passed": not all of them.
    let mut fewer = false;
    if let (Some(n), Some(outcome), Says::Pass) = (phrase.number, finding.outcome, says)
        && let Some(k) = outcome.passed.filter(|k| *k < n && outcome.figures == 1 && outcome.failed.is_none())
    {
        says = Says::Fail;
        passed = Some(k);
        fewer = true;
    }
    // "Forty-one tests pass and two fail": both numbers are of one run.
    let rest = finding.tail.outcome.filter(|outcome| outcome.verdict() == Some(false) && outcome.failed.is_some());
    let mut both = false;
    if let (Some(rest), Says::Pass, Some(_), false) = (rest, says, passed, finding.tail.exception) {
        says = Says::Fail;
        failed = rest.failed;
        both = true;
    }
    let (exception, excepted) = match lead {
        Lead::Exception { number, .. } => (true, number),
        _ if finding.post.exception => (true, finding.post.excepted),
        _ => (finding.tail.exception, finding.tail.excepted),
    };
    let mut figures = 0;
    let mut whole = both || fewer;
    for outcome in [finding.outcome, finding.post.outcome, finding.tail.outcome].into_iter().flatten() {
        if outcome.verdict() == Some(false) && says == Says::Pass && !exception {
            continue;
        }
        passed = passed.or(outcome.passed);
        failed = failed.or(outcome.failed);
        figures = figures.max(outcome.figures);
        whole |= outcome.ratio.is_some() || outcome.figures > 1 || outcome.all;
    }
    if suites {
        (passed, failed) = (None, None);
    }
    if exception {
        failed = failed.filter(|n| *n > 0).or(excepted);
    }
    if finding.all
        && passed.is_some()
        && failed.is_none()
        && says == Says::Pass
        && phrase.kind == Kind::Tests
        && !exception
    {
        failed = Some(0);
    }
    let (runner, filter) = sense.runner(phrase.kind, phrase.runner, phrase.filter.clone(), phrase.by_command);
    // "The full suite" is not what a narrowed command beside it ran.
    let full = phrase.form == Form::Whole && phrase.amount == Amount::All && !phrase.by_command;
    let (runner, filter) = if full && filter.is_some() { (phrase.runner, None) } else { (runner, filter) };
    // Where a linter found something does not narrow down what it looked at.
    let place = if (phrase.kind == Kind::Tests && !phrase.by_command) || says != Says::Fail {
        finding.post.subset.or(finding.tail.subset)
    } else {
        None
    };
    let named = phrase.subset.or(place);
    let part = named.is_some() || filter.is_some() || exception;
    let scope = if phrase.kind == Kind::Tests {
        let partial = part
            || matches!(phrase.form, Form::Part)
            || (phrase.form == Form::Problem && finding.outcome.is_none())
            || matches!(phrase.amount, Amount::AllBut(_) | Amount::One)
            || (phrase.amount == Amount::Some && phrase.number.is_none())
            || (phrase.form == Form::One
                && !matches!(phrase.amount, Amount::All | Amount::No | Amount::NotAll)
                && phrase.ratio.is_none());
        let whole = whole
            || finding.all && phrase.number.is_some()
            || matches!(phrase.amount, Amount::All | Amount::NotAll)
            || (phrase.amount == Amount::No && !(says == Says::NotDone && phrase.definite))
            || phrase.form == Form::Whole
            || phrase.by_command
            || phrase.ratio.is_some();
        match (partial, whole) {
            (true, _) => Scope::Part,
            (false, true) => Scope::All,
            (false, false) => Scope::Unclear,
        }
    } else if part || matches!(phrase.amount, Amount::AllBut(_)) {
        Scope::Part
    } else {
        Scope::All
    };
    let count = (phrase.kind == Kind::Tests && says != Says::NotDone && (passed.is_some() || failed.is_some()))
        .then_some(Count { passed, failed });
    let subset = match (scope, named, filter) {
        (Scope::Part, Some((start, end)), _) => sense.words(start, end),
        (Scope::Part, None, filter) => filter,
        _ => None,
    };
    let told = [finding.outcome, finding.tail.outcome].into_iter().flatten().any(|outcome| outcome.past);
    let past = (finding.past || told) && says == Says::Fail;
    sense.draft(phrase.kind, says, scope, count, runner, subset, from..finding.end.max(phrase.end), past)
}
