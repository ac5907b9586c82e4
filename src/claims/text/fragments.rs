//! Results without a check in front of them: "No type errors", "There are 3 failures left in the suite", "The run ended
//! with 2 failed, 40 passed", and, after a sentence that named the check, "All 42 pass".

use super::assertion::Finding;
use super::ending;
use super::figures;
use super::lead::{self, Lead};
use super::mark::Mark;
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::outcome;
use super::pronoun::pronoun;
use super::reading::{Draft, Sense};
use super::still;
use super::subset;
use super::token::{Tok, Token, word};
use super::words::{self, has};
use super::{Count, Kind, Says, Scope, TextClaim};

/// Verbs by which something is found to be there: "there are", "`tsc` reports", "I see".
#[rustfmt::skip]
const FINDING: &[&str] = &[
    "are", "contains", "currently", "detected", "detects", "finds", "found", "gave", "get", "gets", "gives",
    "giving", "got", "had", "has", "have", "having", "is", "leaves", "left", "now", "only", "produces", "reported",
    "remain", "remains", "reports", "returned", "returns", "saw", "see", "sees", "showed", "shows", "still", "was", "were", "with",
    "without", "yields",
];

/// Subjects of those verbs that are not the agent's own.
const NOT_OWN: &[&str] =
    &["you", "your", "they", "he", "she", "user", "ci", "that", "which", "who", "branch", "upstream", "main"];

/// "No type errors", "there are 2 lint warnings left".
pub fn problem(sense: &Sense, first: &NounPhrase, last: &NounPhrase, lead: Lead) -> Option<Finding> {
    let tokens = sense.tokens;
    let none = first.amount == Amount::No;
    let from = lead::clause_start(tokens, first.start);
    // "I can confirm that there are no failing tests": the first words only say so.
    let said_from =
        (from..first.start).find(|i| word(tokens, *i) == "there" && lead::says_so(tokens, from, *i)).unwrap_or(from);
    let before = tokens.get(said_from..first.start).unwrap_or_default();
    let verb = before.last().map_or("", |token| token.low.as_str());
    let without =
        verb == "without" || (verb == "any" && before.iter().any(|token| token.is("without") || token.is("not")));
    // "We are down to one failing test."
    let down = before.len() >= 2 && verb == "to" && before[before.len() - 2].is("down");
    // "That leaves two failing tests."
    let leaves = before.len() == 2 && matches!(before[0].low.as_str(), "that" | "this") && verb == "leaves";
    let found = (has_any(FINDING, verb) || down)
        && (leaves || !before.iter().any(|token| has_any(NOT_OWN, &token.low) || has(words::MODALS, &token.low)));
    // "The error means there is a type error": there is one where it says so, not here.
    let there = before.iter().position(|token| token.is("there"));
    let found = found && there.is_none_or(|at| at == 0 || lead::says_so(tokens, from, said_from + at));
    // "The price is two failing tests."
    let found = found && (there.is_some() || !has(words::BE, verb));
    let negated = before.iter().any(|token| token.is("not") || token.is("never"));
    let said = matches!(lead, Lead::Plain | Lead::Stated | Lead::With | Lead::Exception { .. });
    let mut end = last.end;
    let stays = |at: usize| {
        matches!(word(tokens, at), "left" | "remain" | "remains" | "remaining" | "found" | "reported" | "persist")
    };
    let adverbs = usize::from(has(words::ADVERBS, word(tokens, end)));
    let stay = stays(end + adverbs) || (has(words::BE, word(tokens, end)) && stays(end + 1));
    if stay {
        end += 1 + adverbs + usize::from(has(words::BE, word(tokens, end)));
    }
    let tail = subset::tail(tokens, end, last.kind);
    let closed = outcome::result_ends(tokens, end);
    let label = tokens.get(end).is_some_and(|token| matches!(token.punct(), Some(':' | '|' | '→' | '—')));
    let mut outcome = None;
    // "⚠️ 1 lint warning"
    let warned = before.is_empty()
        && first.start > 0
        && matches!(tokens[first.start - 1].tok, Tok::Mark(Mark::Bad | Mark::Other))
        && first.number.is_some_and(|n| n > 0)
        && tokens
            .get(end)
            .is_none_or(|token| matches!(token.punct(), Some('(' | ':' | '—')) || token.tok == Tok::Break);
    let says = if warned {
        Says::Fail
    } else if label && matches!(lead, Lead::Plain) && !none && first.number.is_none() {
        let value = tokens.get(end + 1)?;
        let says = match &value.tok {
            Tok::Number(n) => {
                outcome = (last.kind == Kind::Tests).then_some(*n);
                if *n == 0 { Says::Pass } else { Says::Fail }
            }
            Tok::Word if matches!(value.low.as_str(), "none" | "no" | "nothing") => Says::Pass,
            _ => return None,
        };
        end += 2;
        says
    } else if without || (none && closed && (said || found) && !negated) {
        Says::Pass
    } else if negated || none || !closed {
        return None;
    } else if stay && matches!(lead, Lead::Plain | Lead::Stated)
        || found && !before.iter().any(|token| matches!(token.low.as_str(), "were" | "was" | "had" | "with"))
    {
        // "There were 3 type errors" is the time before.
        let marked = stay
            || first.number.is_some()
            || first.amount == Amount::Some
            || before.iter().any(|token| token.is("still") || token.is("there"));
        if !marked {
            return None;
        }
        Says::Fail
    } else {
        return None;
    };
    if ending::takes_back(tokens, end, says == Says::Fail, false) {
        return None;
    }
    // As a finding about the check itself: "no failures" is a pass with 0 failed.
    let number = if none || without { Some(0) } else { first.number.or(outcome) };
    let figures = outcome::Outcome {
        end,
        passes: says == Says::Pass,
        fails: says == Says::Fail,
        failed: number.filter(|_| last.kind == Kind::Tests),
        ..outcome::Outcome::default()
    };
    let says = if none { flip(says) } else { says };
    Some(Finding { verb_end: end, outcome: Some(figures), tail, ..Finding::new(says, tail.end.max(end)) })
}

/// A phrase with "no" flips what is said of it once more.
fn flip(says: Says) -> Says {
    match says {
        Says::Pass => Says::Fail,
        Says::Fail => Says::Pass,
        other => other,
    }
}

fn has_any(set: &[&str], low: &str) -> bool {
    set.contains(&low)
}

/// Results that stand by themselves, where no claim of this sentence has taken them.
pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let mut at = 0;
    while at < tokens.len() {
        let taken = |draft: &Draft| draft.claim.kind == Kind::Tests && draft.claim.span.end > tokens[at].start;
        if out.iter().any(taken) || !sense.guarded.allows_check(at) {
            at += 1;
            continue;
        }
        if at == 0
            && let Some(draft) = none_alone(sense)
        {
            out.push(draft);
            return;
        }
        // "Of the 80 tests, 78 pass" is read with what stands before it.
        let of = if word(tokens, 0) == "of" { pronoun(sense, at) } else { None };
        match left_in(sense, at)
            .or_else(|| still::failing(sense, at))
            .or(of)
            .or_else(|| still::named_after(sense, at, out))
            .or_else(|| bare(sense, at))
            .or_else(|| pronoun(sense, at))
        {
            Some((draft, end)) => {
                if !completes(&draft, sense, out) {
                    out.extend(of_others(sense, at, &draft));
                    out.push(draft);
                }
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
}

/// "I ran `eslint` and `tsc`; both are clean": said of each in the list.
fn of_others(sense: &Sense, at: usize, draft: &Draft) -> Vec<Draft> {
    let plural = matches!(word(sense.tokens, at), "all" | "both" | "neither" | "none" | "they");
    let Some(mention) = sense.mention(at).filter(|_| plural && draft.claim.count.is_none()) else { return Vec::new() };
    let of = |kind: Kind| {
        let (runner, subset) = sense.runner(kind, None, None, false);
        let scope = match (kind, &subset) {
            (_, Some(_)) => Scope::Part,
            (Kind::Tests, None) => Scope::Unclear,
            _ => Scope::All,
        };
        let claim = TextClaim { kind, scope, runner, subset, ..draft.claim.clone() };
        Draft { claim, ..draft.clone() }
    };
    mention.others.into_iter().flatten().map(of).collect()
}

/// "214 tests pass, none fail": the second half gives the first its other number.
fn completes(draft: &Draft, sense: &Sense, out: &mut [Draft]) -> bool {
    let Some(last) = out.last_mut() else { return false };
    let between = sense.message.get(last.claim.span.end..draft.claim.span.start).unwrap_or("?").trim();
    // "The tests pass without any change to them, 211 passed and none failed": the figures of the same run.
    let same = last.claim.kind == Kind::Tests && last.claim.says == draft.claim.says && last.claim.count.is_none();
    if same && draft.claim.count.is_some() && between.ends_with(',') && !between.contains([';', ':', '.']) {
        last.claim.count = draft.claim.count;
        last.claim.span.end = draft.claim.span.end;
        return true;
    }
    let none = draft.claim.count.is_some_and(|count| count.failed == Some(0));
    let Some(count) = last.claim.count.filter(|count| count.failed.is_none()) else { return false };
    let fits = last.claim.kind == Kind::Tests && last.claim.says == Says::Pass && draft.claim.says == Says::Pass;
    if !(fits && none && matches!(between, "," | "and" | ", and")) {
        return false;
    }
    last.claim.count = Some(Count { failed: Some(0), ..count });
    last.claim.span.end = draft.claim.span.end;
    if last.claim.scope == Scope::Unclear {
        last.claim.scope = Scope::All;
    }
    true
}

/// "There are 3 failures left in the suite": what is wrong first, then in which check.
fn left_in(sense: &Sense, at: usize) -> Option<(Draft, usize)> {
    let tokens = sense.tokens;
    let there = word(tokens, at) == "there" && matches!(word(tokens, at + 1), "is" | "are" | "were");
    // "No failures in 76 tests"
    let none = word(tokens, at) == "no" && lead::clause_start(tokens, at) == at;
    let mut i = if none { at } else { at + 2 };
    // "I still get one failure"
    let own = matches!(word(tokens, at), "i" | "we");
    let verb = (at + 1..at + 4).find(|i| !has(words::ADVERBS, word(tokens, *i))).unwrap_or(at + 1);
    let have = own && matches!(word(tokens, verb), "get" | "got" | "have" | "see");
    if have {
        i = verb + 1;
    } else if !there && !none {
        return None;
    }
    while has(words::ADVERBS, word(tokens, i)) {
        i += 1;
    }
    let n = match (&tokens.get(i)?.tok, word(tokens, i)) {
        (Tok::Number(n), _) => Some(*n),
        (_, "no") => Some(0),
        (_, "some" | "several") => None,
        _ => return None,
    };
    let mut noun = i + 1;
    while matches!(word(tokens, noun), "pre-existing" | "old" | "known" | "more" | "other" | "unrelated" | "remaining")
    {
        noun += 1;
    }
    if !matches!(word(tokens, noun), "failure" | "failures" | "errors" | "failed" | "failing")
        || (word(tokens, at + 1) == "were" && n != Some(0))
    {
        return None;
    }
    let says = if n == Some(0) { Says::Pass } else { Says::Fail };
    // "2 failures in `test_a.py`"
    let file = noun + 2;
    if word(tokens, noun + 1) == "in" && sense.test_file(file + 1) && !sense.test_file(file) {
        let count = n.map(|n| Count { passed: None, failed: Some(n) });
        let subset = sense.words(file, file + 1);
        let draft = sense.draft(Kind::Tests, says, Scope::Part, count, None, subset, at..file + 1, false)?;
        return Some((draft, file + 1));
    }
    let phrase = sense
        .phrases
        .iter()
        .find(|phrase| phrase.start > noun && phrase.start <= noun + 4 && phrase.form != Form::Problem)?;
    let links = |token: &Token| {
        matches!(token.low.as_str(), "left" | "remaining" | "in" | "from" | "of" | "among" | "now" | "still")
            || matches!(token.punct(), Some(',' | ':' | '('))
    };
    if !tokens.get(noun + 1..phrase.start)?.iter().all(links) {
        return None;
    }
    let tests = phrase.kind == Kind::Tests;
    let part = phrase.subset.is_some();
    let whole = !tests || phrase.form == Form::Whole || phrase.by_command || phrase.amount == Amount::All;
    let scope = if part {
        Scope::Part
    } else if whole {
        Scope::All
    } else {
        Scope::Unclear
    };
    let passed = phrase.number.filter(|_| n == Some(0));
    let count = n.filter(|_| tests).map(|n| Count { passed, failed: Some(n) });
    let (runner, _) = sense.runner(phrase.kind, phrase.runner, None, phrase.by_command);
    let subset = phrase.subset.and_then(|(start, end)| sense.words(start, end));
    Some((sense.draft(phrase.kind, says, scope, count, runner, subset, at..phrase.end, false)?, phrase.end))
}

/// "I ran the linter. No warnings.": of the check named before, and nothing else is said.
fn none_alone(sense: &Sense) -> Option<Draft> {
    let tokens = sense.tokens;
    let mention = sense.before.filter(|mention| mention.single && !mention.part)?;
    let noun = word(tokens, 1);
    let fits = match mention.kind {
        Kind::Tests => matches!(noun, "failures"),
        Kind::Format => matches!(noun, "changes" | "differences" | "diff" | "errors"),
        _ => matches!(noun, "complaints" | "errors" | "findings" | "issues" | "problems" | "warnings"),
    };
    let more = matches!(word(tokens, 2), "" | "found" | "left" | "or") && tokens.len() <= 4;
    if word(tokens, 0) != "no" || !fits || !more || !sense.guarded.allows_check(0) {
        return None;
    }
    let count = (mention.kind == Kind::Tests).then_some(Count { passed: None, failed: Some(0) });
    sense.draft(mention.kind, Says::Pass, Scope::All, count, None, None, 0..tokens.len(), false)
}

/// Words after which a bare count of tests is somebody's result: the agent's own.
#[rustfmt::skip]
const GIVING: &[&str] = &[
    "are", "at", "currently", "ended", "finished", "gave", "gives", "giving", "got", "had", "has", "have", "is",
    "now", "printed", "printing", "produced", "reported", "reporting", "reports", "result", "results", "saw", "see",
    "showed", "showing", "shows", "still", "total", "was", "with",
];

/// "2 failed, 40 passed" without a noun.
fn bare(sense: &Sense, at: usize) -> Option<(Draft, usize)> {
    let tokens = sense.tokens;
    if !matches!(tokens[at].tok, Tok::Number(_) | Tok::Ratio(..)) && !matches!(word(tokens, at), "passed" | "all") {
        return None;
    }
    let outcome =
        outcome::read(tokens, at, Some(Kind::Tests)).filter(|outcome| outcome.of_tests && outcome.figures > 0)?;
    let passes = outcome.verdict()?;
    let from = lead::clause_start(tokens, at);
    let before: Vec<&Token> =
        tokens[from..at].iter().filter(|token| !has(words::OPENERS, &token.low) && token.tok != Tok::Break).collect();
    let last = before.last().map_or("", |token| token.low.as_str());
    let own =
        before.iter().all(|token| !has_any(NOT_OWN, &token.low) && !has(words::MODALS, &token.low) && !token.is("not"));
    let mention = sense.mention(at);
    let several = outcome.figures > 1;
    let strong = several || (passes && outcome.passed.is_some()) || mention.is_some();
    let opens = before.is_empty() || (has_any(GIVING, last) && own);
    // "Of the 42 requests, 40 passed": something else was counted.
    let counted = (0..at).any(|i| {
        let noun = word(tokens, i + 1);
        matches!(tokens[i].tok, Tok::Number(_)) && noun.ends_with('s') && noun.len() > 3 && !figures::is_count(noun)
    });
    if counted && mention.is_none() {
        return None;
    }
    // "2 of the 42 tests need a network": of them something else is said.
    if outcome.ratio.is_some_and(|(k, n)| k < n) && !outcome::result_ends(tokens, outcome.end) {
        return None;
    }
    // "42 passed, 0 failed yesterday": a figure that could not be read belongs to it.
    let figure = outcome.end + 1;
    let unread = matches!(tokens.get(figure).map(|token| &token.tok), Some(Tok::Number(_)))
        && tokens[outcome.end].punct() == Some(',')
        && figures::is_count(word(tokens, figure + 1));
    if unread || !opens || !strong || ending::takes_back(tokens, outcome.end, !passes, false) {
        return None;
    }
    // A number in front of another noun: "3 failed uploads", "2 passed arguments".
    let part = mention.as_ref().is_some_and(|mention| mention.part);
    let (runner, filter) = sense.runner(Kind::Tests, None, None, false);
    let scope = if part || filter.is_some() {
        Scope::Part
    } else if several
        || outcome.ratio.is_some()
        || outcome.all
        || (runner.is_some() && sense.subject_command(Kind::Tests))
    {
        Scope::All
    } else {
        Scope::Unclear
    };
    let says = if passes { Says::Pass } else { Says::Fail };
    let count = Some(Count { passed: outcome.passed, failed: outcome.failed });
    let draft =
        sense.draft(Kind::Tests, says, scope, count, runner, filter, at..outcome.end, outcome.past && !passes)?;
    Some((draft, outcome.end))
}
