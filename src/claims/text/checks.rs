//! Results of checks: a noun phrase and what is said of it. "All 42 tests pass", "Lint, types and tests all pass",
//! "`mypy .` | clean", "✅ Prettier", "no type errors".

use super::lead::{self, Lead};
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::outcome::{self, Outcome};
use super::reading::{Draft, Sense};
use super::subset::{self, Tail};
use super::token::{Mark, Tok, Token, word};
use super::verb::{self, Copula, Said};
use super::words::{self, has};
use super::{Count, Kind, Says, Scope};

/// What was found out about one or more noun phrases with one predicate.
#[derive(Debug, Clone, Copy)]
pub struct Finding {
    pub says: Says,
    /// Where the predicate ends.
    pub end: usize,
    pub outcome: Option<Outcome>,
    pub all: bool,
    pub past: bool,
    /// What stood between the noun and the verb, and after the verb.
    pub post: Tail,
    pub tail: Tail,
}

/// How far a verb may stand from its noun.
const REACH: usize = 18;

/// Finds the results that the sentence claims of the checks it names.
pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let mut at = 0;
    while at < sense.phrases.len() {
        let group = group(sense.tokens, &sense.phrases[at..]);
        at += group.len();
        if let Some((finding, lead, start)) = group.first().and_then(|first| of_group(sense, first, group)) {
            for (i, phrase) in group.iter().enumerate() {
                let from = if i == 0 { start } else { phrase.start };
                if let Some(draft) = draft(sense, phrase, &finding, lead, from) {
                    out.push(draft);
                }
            }
        }
    }
}

/// "Lint, types and tests": phrases that share a predicate.
pub fn group<'p>(tokens: &[Token], phrases: &'p [NounPhrase]) -> &'p [NounPhrase] {
    let mut len = 1;
    while len < phrases.len() {
        let (left, right) = (&phrases[len - 1], &phrases[len]);
        let same = left.head == right.head && left.end == right.end;
        let between = tokens.get(left.end..right.start).unwrap_or_default();
        let joins = |token: &Token| {
            matches!(token.punct(), Some(',' | '/' | '&' | '+'))
                || matches!(token.low.as_str(), "and" | "or" | "nor" | "plus" | "both")
        };
        if !(same || (!between.is_empty() && between.len() <= 2 && between.iter().all(joins))) {
            break;
        }
        len += 1;
    }
    &phrases[..len]
}

fn of_group(sense: &Sense, first: &NounPhrase, group: &[NounPhrase]) -> Option<(Finding, Lead, usize)> {
    let tokens = sense.tokens;
    let last = group.last()?;
    if let Some(found) = super::unrun::not_brought(sense, first, last) {
        return Some(found);
    }
    if let Some(found) = passes_object(sense, first, last) {
        return Some(found);
    }
    if !sense.guarded.allows_check(first.start) {
        return None;
    }
    let determined = first.definite
        || first.amount != Amount::Bare
        || first.number.is_some()
        || first.ratio.is_some()
        || first.by_command;
    let lead = lead::read(tokens, first.start, determined);
    if group.iter().all(|phrase| phrase.form == Form::Problem) {
        return super::fragments::problem(sense, first, last, lead).map(|finding| (finding, Lead::Plain, first.start));
    }
    if matches!(lead, Lead::Other) {
        return None;
    }
    let found =
        subject(tokens, last, lead).or_else(|| label(tokens, last, lead)).or_else(|| marked(tokens, first, last, lead));
    let finding = found?;
    if lead == Lead::AfterPast && !finding.past {
        return None;
    }
    let fails = finding.says == Says::Fail;
    if super::guard::tail(tokens, finding.end, fails, finding.past) == super::guard::Tail::Barred
        && finding.says != Says::NotDone
    {
        return None;
    }
    let start = match lead {
        Lead::Exception { from, .. } => from,
        _ => first.start,
    };
    Some((finding, lead, start))
}

/// The phrase as subject of a verb group, which may stand some way off.
fn subject(tokens: &[Token], phrase: &NounPhrase, lead: Lead) -> Option<Finding> {
    let mut post = Tail::default();
    let mut at = phrase.end;
    let mut relative = false;
    let mut inside = false;
    while at <= tokens.len() && at - phrase.end <= REACH {
        let near = at == phrase.end || tokens.get(at - 1).and_then(Token::punct) == Some(')');
        let spared = near && matches!(lead, Lead::Plain | Lead::With | Lead::Ran | Lead::Exception { .. });
        let copula = if spared { Copula::Spared } else { Copula::Needed };
        let start = at + usize::from(lead == Lead::With && near && word(tokens, at) == "to");
        let barred = lead == Lead::Ran
            && word(tokens, at) != "successfully"
            && !matches!(
                word(tokens, at),
                "gives"
                    | "gave"
                    | "reports"
                    | "reported"
                    | "shows"
                    | "showed"
                    | "passes"
                    | "passed"
                    | "succeeds"
                    | "succeeded"
                    | "fails"
                    | "failed"
                    | "finishes"
                    | "finished"
                    | "exits"
                    | "exited"
                    | "returns"
                    | "returned"
            );
        let said = if barred { Said::Nothing } else { verb::read(tokens, start, phrase.kind, copula) };
        match said {
            Said::Nothing => {}
            Said::NoClaim | Said::Run { .. } if relative && inside => {}
            Said::Run { end } if phrase.amount == Amount::No => {
                return Some(Finding {
                    says: Says::NotDone,
                    end,
                    outcome: None,
                    all: false,
                    past: false,
                    post,
                    tail: Tail::default(),
                });
            }
            Said::Run { .. } => return None,
            Said::NoClaim => return None,
            Said::Result(_) if relative && word(tokens, at.wrapping_sub(1)) == "and" => return None,
            Said::Result(predicate) => {
                if lead == Lead::Ran && !predicate.past && start == at && near && word(tokens, at).ends_with("ing") {
                    return None;
                }
                let tail = subset::tail(tokens, predicate.end, phrase.kind);
                let mut says = if predicate.passes { Says::Pass } else { Says::Fail };
                let mut end = tail.end.max(predicate.end);
                // "fails without the fix and passes with it": what holds now is the pass.
                if says == Says::Fail {
                    if let Some(later) = passes_with(tokens, predicate.end) {
                        says = Says::Pass;
                        end = later;
                    }
                }
                return Some(Finding {
                    says,
                    end,
                    outcome: predicate.outcome,
                    all: predicate.all,
                    past: predicate.past,
                    post,
                    tail,
                });
            }
            Said::NotRun { end } => {
                return Some(Finding {
                    says: Says::NotDone,
                    end,
                    outcome: None,
                    all: false,
                    past: false,
                    post,
                    tail: Tail::default(),
                });
            }
            Said::DoNot { end } => {
                let passed_before =
                    tokens[..phrase.start].iter().any(|token| matches!(token.low.as_str(), "pass" | "passes"));
                let tail = subset::tail(tokens, end, phrase.kind);
                let says = Says::Fail;
                return passed_before.then_some(Finding {
                    says,
                    end: tail.end.max(end),
                    outcome: None,
                    all: false,
                    past: false,
                    post,
                    tail,
                });
            }
        }
        let Some(token) = tokens.get(at) else { break };
        let low = token.low.as_str();
        match &token.tok {
            Tok::Punct('(') => {
                let close = (at + 1..tokens.len().min(at + 16)).find(|i| tokens[*i].punct() == Some(')'))?;
                if post.outcome.is_none() {
                    post.outcome = subset::tail(tokens, at, phrase.kind).outcome;
                }
                at = close + 1;
                continue;
            }
            Tok::Punct(',')
                if matches!(
                    word(tokens, at + 1),
                    "which" | "including" | "even" | "also" | "old" | "especially" | "among"
                ) =>
            {
                if word(tokens, at + 1) == "which" {
                    // ", which all pass" says it of them.
                    if let Said::Result(predicate) = verb::read(tokens, at + 2, phrase.kind, Copula::Needed) {
                        let says = if predicate.passes { Says::Pass } else { Says::Fail };
                        let tail = subset::tail(tokens, predicate.end, phrase.kind);
                        return Some(Finding {
                            says,
                            end: tail.end,
                            outcome: predicate.outcome,
                            all: predicate.all,
                            past: predicate.past,
                            post,
                            tail,
                        });
                    }
                }
                at = (at + 1..tokens.len().min(at + 16)).find(|i| tokens[*i].punct() == Some(','))? + 1;
                continue;
            }
            Tok::Word if has(words::RELATIVES, low) => {
                relative = true;
                inside = true;
                post.subset = post.subset.or(Some((at, subset::phrase_end(tokens, at))));
                at += 2;
                continue;
            }
            Tok::Word if matches!(low, "i" | "we" | "you") && !inside => {
                inside = true;
                relative = true;
                post.subset = post.subset.or(Some((at, at + 2)));
                at += 2;
                continue;
            }
            Tok::Word
                if has(words::PREPOSITIONS, low)
                    || matches!(
                        low,
                        "covering"
                            | "touching"
                            | "related"
                            | "affected"
                            | "added"
                            | "written"
                            | "named"
                            | "called"
                            | "involving"
                    ) =>
            {
                inside = true;
                let end = subset::phrase_end(tokens, at);
                let names = subset::names_part(tokens, at, end, phrase.kind) || !has(words::PREPOSITIONS, low);
                if post.subset.is_none() && names {
                    post.subset = Some((at, end));
                }
            }
            Tok::Word if matches!(low, "and" | "or") && inside => {}
            Tok::Word | Tok::Ident | Tok::Path | Tok::Number(_) | Tok::Command(_) | Tok::Hash if inside => {}
            Tok::Break => {}
            _ => break,
        }
        at += 1;
    }
    None
}

/// "… and passes with it" after "fails without the fix".
fn passes_with(tokens: &[Token], from: usize) -> Option<usize> {
    let without = matches!(word(tokens, from), "without" | "before" | "on");
    let and = (from..tokens.len().min(from + 9)).find(|i| matches!(word(tokens, *i), "and" | "but"))?;
    let at = and + 1 + usize::from(word(tokens, and + 1) == "now");
    let passes = matches!(word(tokens, at), "passes" | "pass" | "succeeds");
    let with = matches!(word(tokens, at + 1), "with" | "after" | "now" | "on");
    (without && passes && with).then_some((at + 3).min(tokens.len()))
}

/// "`cargo test`: 88 passed, 0 failed", "Lint | ✅", "42 tests, all passing".
fn label(tokens: &[Token], phrase: &NounPhrase, lead: Lead) -> Option<Finding> {
    if !matches!(lead, Lead::Plain | Lead::Ran | Lead::Exception { .. }) {
        return None;
    }
    let mut at = phrase.end;
    let mut post = Tail::default();
    if tokens.get(at).and_then(Token::punct) == Some('(') {
        let close = (at + 1..tokens.len().min(at + 16)).find(|i| tokens[*i].punct() == Some(')'))?;
        let inner = outcome::read(tokens, at, Some(phrase.kind)).filter(|outcome| outcome.verdict().is_some());
        if let Some(outcome) = inner {
            return finding(outcome, post, tokens, phrase.kind);
        }
        at = close + 1;
    }
    if has(words::PREPOSITIONS, word(tokens, at)) && matches!(word(tokens, at), "in" | "for" | "on") {
        let end = subset::phrase_end(tokens, at);
        if subset::names_part(tokens, at, end, phrase.kind) {
            post.subset = Some((at, end));
        }
        at = end;
    }
    let token = tokens.get(at)?;
    let start = match &token.tok {
        Tok::Punct(':' | '—' | '→' | '|' | '=' | ',' | '…') => at + 1,
        Tok::Mark(Mark::Good | Mark::Bad) => at,
        Tok::Ratio(..) => at,
        Tok::Word if lead == Lead::Ran && matches!(token.low.as_str(), "with" | "and" | "without") => {
            at + usize::from(token.low == "with" || token.low == "and")
        }
        _ => return None,
    };
    let start =
        start + usize::from(tokens.get(start).is_some_and(|token| matches!(token.punct(), Some('—' | '|' | '→'))));
    let start = start + usize::from(matches!(word(tokens, start), "the" | "with" | "got" | "gives" | "at" | "status"));
    let outcome = outcome::read(tokens, start, Some(phrase.kind))?;
    let loose = token.punct() == Some(',') || token.tok == Tok::Word;
    if loose && outcome.figures == 0 && !outcome.all && outcome.failed.is_none() && !(token.is("without")) {
        return None;
    }
    finding(outcome, post, tokens, phrase.kind)
}

fn finding(outcome: Outcome, post: Tail, tokens: &[Token], kind: Kind) -> Option<Finding> {
    let says = match (outcome.not_run, outcome.verdict()) {
        (true, None) => Says::NotDone,
        (_, Some(true)) => Says::Pass,
        (_, Some(false)) => Says::Fail,
        (false, None) => return None,
    };
    let tail = subset::tail(tokens, outcome.end, kind);
    Some(Finding {
        says,
        end: tail.end.max(outcome.end),
        outcome: Some(outcome),
        all: outcome.all,
        past: false,
        post,
        tail,
    })
}

/// "✅ Lint": a mark, the check, and nothing else.
fn marked(tokens: &[Token], first: &NounPhrase, last: &NounPhrase, lead: Lead) -> Option<Finding> {
    let before = tokens[..first.start].iter().rev().find(|token| token.punct().is_none());
    let good = match before.map(|token| &token.tok) {
        Some(Tok::Mark(Mark::Good)) => true,
        Some(Tok::Mark(Mark::Bad)) => false,
        _ => return None,
    };
    let closed = match tokens.get(last.end) {
        None => true,
        Some(token) => token.punct() == Some('(') && tokens.last().and_then(Token::punct) == Some(')'),
    };
    if lead != Lead::Plain
        || !closed
        || first.number.is_some()
        || (first.form == Form::One && first.amount != Amount::All)
    {
        return None;
    }
    let says = if good { Says::Pass } else { Says::Fail };
    Some(Finding {
        says,
        end: last.end,
        outcome: None,
        all: false,
        past: false,
        post: Tail::default(),
        tail: Tail::default(),
    })
}

/// "The change passes all tests", "it does not pass clippy".
fn passes_object(sense: &Sense, first: &NounPhrase, last: &NounPhrase) -> Option<(Finding, Lead, usize)> {
    let tokens = sense.tokens;
    let verb = first.start.checked_sub(1)?;
    let passes = matches!(word(tokens, verb), "pass" | "passes" | "passed");
    let fails = matches!(word(tokens, verb), "fails" | "failed");
    let from = lead::clause_start(tokens, verb);
    let subject = tokens.get(from..verb).unwrap_or_default();
    let known = |token: &Token| {
        !(has(words::RELATIVES, &token.low)
            || has(words::MODALS, &token.low)
            || matches!(token.low.as_str(), "to" | "you" | "i" | "we" | "they" | "he" | "she")
            || has(words::IMPRESSIONS, &token.low))
    };
    let opens = matches!(
        word(tokens, from),
        "it" | "this" | "the" | "my" | "our" | "everything" | "all" | "both" | "code" | "now"
    ) && subject.len() <= 7;
    if !(passes || fails)
        || !opens
        || !subject.iter().all(known)
        || !sense.guarded.allows_check(from)
        || first.form == Form::Problem
    {
        return None;
    }
    let negated = subject.iter().any(|token| token.is("not"));
    let tail = subset::tail(tokens, last.end, last.kind);
    let past = word(tokens, verb).ends_with("ed");
    let says = if passes == negated { Says::Fail } else { Says::Pass };
    if super::guard::tail(tokens, last.end, says == Says::Fail, past) == super::guard::Tail::Barred {
        return None;
    }
    let finding =
        Finding { says, end: tail.end.max(last.end), outcome: None, all: false, past, post: Tail::default(), tail };
    Some((finding, Lead::Plain, from))
}

/// Makes the claim of one phrase.
pub fn draft(sense: &Sense, phrase: &NounPhrase, finding: &Finding, lead: Lead, from: usize) -> Option<Draft> {
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
    let mut figures = 0;
    let mut whole = false;
    for outcome in [finding.outcome, finding.post.outcome, finding.tail.outcome].into_iter().flatten() {
        if outcome.verdict() == Some(false) && says == Says::Pass && !finding.tail.exception {
            continue;
        }
        passed = passed.or(outcome.passed);
        failed = failed.or(outcome.failed);
        figures = figures.max(outcome.figures);
        whole |= outcome.ratio.is_some() || outcome.figures > 1 || (outcome.all && outcome.figures > 0);
    }
    let (exception, excepted) = match lead {
        Lead::Exception { number, .. } => (true, number),
        _ => (finding.tail.exception, finding.tail.excepted),
    };
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
    // Where a linter found something does not narrow down what it looked at.
    let place = if phrase.kind == Kind::Tests || says != Says::Fail {
        finding.post.subset.or(finding.tail.subset)
    } else {
        None
    };
    let named = phrase.subset.or(place);
    let part = named.is_some() || filter.is_some() || exception;
    let scope = if phrase.kind == Kind::Tests {
        let partial = part
            || phrase.form == Form::Part
            || matches!(phrase.amount, Amount::AllBut(_) | Amount::One)
            || (phrase.amount == Amount::Some && phrase.number.is_none())
            || (phrase.form == Form::One
                && !matches!(phrase.amount, Amount::All | Amount::No | Amount::NotAll)
                && phrase.ratio.is_none());
        let whole = whole
            || finding.all && phrase.number.is_some()
            || matches!(phrase.amount, Amount::All | Amount::No | Amount::NotAll)
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
    let past = finding.past && says == Says::Fail;
    sense.draft(phrase.kind, says, scope, count, runner, subset, from..finding.end.max(phrase.end), past)
}
