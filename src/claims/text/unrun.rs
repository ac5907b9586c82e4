//! Checks that were not run, and checks that could not be brought to pass, as an agent admits them.

use super::assertion::Finding;
use super::deed;
use super::lead::{self, Lead};
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::reading::{Draft, Sense};
use super::subset;
use super::token::{Token, word};
use super::words::{self, has};
use super::{Kind, Says, Scope};

/// Words between "not" and "run".
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "a", "able", "actually", "around", "attempt", "attempted", "been", "bother", "chance", "even", "ever",
    "explicitly", "fully", "get", "got", "gotten", "had", "have", "having", "locally", "manage", "managed",
    "manually", "myself", "need", "needed", "separately", "the", "time", "to", "yet",
];

#[rustfmt::skip]
const RUN: &[&str] = &[
    "check", "checked", "execute", "executed", "executing", "exercise", "exercised", "invoke", "invoked", "ran",
    "re-run", "rerun", "run", "running", "start", "started", "tried", "try",
];

/// Where the words for not running something begin and end, if they stand at `i`.
fn not_running(tokens: &[Token], i: usize) -> Option<(usize, usize)> {
    let mut start = i;
    let mut at = i;
    if matches!(word(tokens, at), "i" | "we") {
        at += 1;
        while has(words::ADVERBS, word(tokens, at)) || word(tokens, at) == "deliberately" {
            at += 1;
        }
    } else if i > lead::clause_start(tokens, i) && word(tokens, at) != "without" {
        // Without a subject only at the start of a clause: "Not run", "Did not run".
        return None;
    }
    match word(tokens, at) {
        "without" => at += 1,
        "never" | "skipped" => at += 1,
        "unable" | "failed" if word(tokens, at + 1) == "to" => at += 2,
        "was" | "am" | "were" | "is" | "are" if word(tokens, at + 1) == "unable" => at += 3,
        "not" => at += 1,
        low if has(words::HAVE, low)
            || has(words::DO, low)
            || has(words::BE, low)
            || matches!(low, "could" | "can") =>
        {
            at += 1;
            while has(words::ADVERBS, word(tokens, at)) {
                at += 1;
            }
            // "I had no chance to run the tests"
            let chance = matches!(word(tokens, at + 1), "chance" | "means" | "opportunity" | "time" | "way");
            if word(tokens, at) == "no" && chance && word(tokens, at + 2) == "to" && word(tokens, at + 3) == "run" {
                return Some((start, at + 4));
            }
            // "I have yet to run the tests"
            let yet = word(tokens, at - 1) == "yet" && word(tokens, at) == "to";
            if yet && matches!(word(tokens, at + 1), "run" | "execute") {
                return Some((start, at + 2));
            }
            if word(tokens, at) == "only" || word(tokens, at) != "not" && word(tokens, at) != "never" {
                return None;
            }
            at += 1;
        }
        _ => return None,
    }
    while BETWEEN.contains(&word(tokens, at)) {
        at += 1;
    }
    let skipped = at > 0 && word(tokens, at - 1) == "skipped";
    if !RUN.contains(&word(tokens, at)) || skipped && word(tokens, at) != "running" {
        return None;
    }
    let check = matches!(word(tokens, at), "check" | "checked" | "try" | "tried" | "start" | "started");
    if check && !matches!(word(tokens, at + 1), "the" | "running") {
        return None;
    }
    let having = tokens[i..at].iter().any(|token| token.is("having"));
    if word(tokens, i) == "without" && !having && !matches!(word(tokens, at), "running" | "executing") {
        return None;
    }
    let able = tokens[i..at].iter().any(|token| matches!(token.low.as_str(), "able" | "can" | "could"));
    let start_up = able && matches!(word(tokens, at), "start" | "execute");
    if check && word(tokens, at + 1) != "running" && !start_up {
        return None;
    }
    at += usize::from(word(tokens, at + 1) == "running");
    if word(tokens, i) == "without" {
        start = i;
    }
    Some((start, at + 1))
}

/// "I did not run the integration tests", "I have not run them since".
pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    ran_none(sense, out);
    not_the_rest(sense, out);
    let mut at = 0;
    while at < tokens.len() {
        match not_running(tokens, at) {
            Some((start, end)) if sense.guarded.allows_deed(start) => {
                objects(sense, start, end, out);
                at = end;
            }
            Some((_, end)) => at = end,
            None => at += 1,
        }
    }
}

/// "I ran no tests", "I have run neither the tests nor the linter".
fn ran_none(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let mut verb = None;
    for phrase in &sense.phrases {
        let before = phrase.start.saturating_sub(1);
        if matches!(word(tokens, before), "ran" | "run" | "executed") && phrase.start > 0 {
            verb =
                deed::voice(tokens, &sense.guarded, before).filter(|voice| !voice.negated && voice.done_to.is_none());
            let bare = tokens[before].is("run") && !verb.as_ref().is_some_and(|voice| voice.perfect);
            verb = verb.filter(|_| !bare);
        }
        if phrase.amount != Amount::No || phrase.form == Form::Problem {
            verb = None;
        }
        let Some(voice) = &verb else { continue };
        let scope = match (phrase.subset.is_some(), phrase.kind, phrase.definite) {
            (true, ..) => Scope::Part,
            (false, Kind::Tests, true) => Scope::Unclear,
            _ => Scope::All,
        };
        let span = voice.start..phrase.end;
        out.extend(sense.draft(phrase.kind, Says::NotDone, scope, None, phrase.runner, None, span, false));
    }
}

/// "I only ran the unit tests, not the full suite."
fn not_the_rest(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    for phrase in sense.phrases.iter().filter(|phrase| phrase.form != Form::Problem) {
        // "not the full suite", "but no integration tests"
        let none = phrase.amount == Amount::No && phrase.start > 2 && tokens[phrase.start - 1].is("but");
        let not = phrase.start.checked_sub(1).filter(|i| *i > 2 && tokens[*i].is("not"));
        let Some(not) = not.or(none.then_some(phrase.start)) else { continue };
        let joined = tokens[not - 1].punct() == Some(',') || matches!(word(tokens, not - 1), "but" | "and");
        let from = tokens[..not].iter().rposition(|token| token.punct() == Some(';')).map_or(0, |at| at + 1);
        let own = tokens[from..not].iter().position(|token| matches!(token.low.as_str(), "i" | "we" | "only"));
        let ran = tokens[from..not].iter().any(|token| matches!(token.low.as_str(), "ran" | "re-ran" | "run"));
        let closed = tokens.get(phrase.end).is_none_or(|token| token.punct().is_some());
        if !(joined && own == Some(0) && ran && closed && sense.guarded.allows_deed(from)) {
            continue;
        }
        let scope = match (phrase.subset.is_some() || phrase.form == Form::Part, phrase.kind, phrase.form) {
            (true, ..) => Scope::Part,
            (false, Kind::Tests, Form::Many | Form::One) if phrase.amount == Amount::Bare => Scope::Unclear,
            _ => Scope::All,
        };
        let words = phrase.subset.and_then(|(from, to)| sense.words(from, to));
        out.extend(sense.draft(phrase.kind, Says::NotDone, scope, None, phrase.runner, words, not..phrase.end, false));
    }
}

/// What was not run: the checks named up to the end of the clause, or a pronoun for one named before.
fn objects(sense: &Sense, start: usize, verb_end: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let stop = (verb_end..tokens.len())
        .find(|i| {
            matches!(tokens[*i].punct(), Some(';' | '—'))
                || (*i > verb_end
                    && matches!(
                        word(tokens, *i),
                        "because" | "since" | "but" | "so" | "while" | "which" | "after" | "until" | "before" | "if"
                    ))
        })
        .unwrap_or(tokens.len());
    let stop = (verb_end..stop).find(|i| tokens[*i].punct() == Some(',') && leaves(tokens, *i + 1)).unwrap_or(stop);
    let stop = (verb_end..stop).find(|i| tokens[*i].is("and") && (leaves(tokens, *i + 1))).unwrap_or(stop);
    let before = out.len();
    if fronted(sense, start, verb_end, out) {
        return;
    }
    let mut reach = verb_end;
    let whole: Vec<&NounPhrase> = sense
        .phrases
        .iter()
        .filter(|phrase| phrase.start >= verb_end && phrase.end <= stop && phrase.form != Form::Problem)
        .collect();
    for phrase in whole {
        let between = tokens.get(reach..phrase.start).unwrap_or_default();
        let near = reach != verb_end || between.len() <= 9;
        let verbal = between.iter().any(|token| {
            has(words::BE, &token.low) || token.is("that") || token.is("for") || (token.is("in") && reach == verb_end)
        });
        // "…, and the tests were only read": a statement of its own.
        if reach != verb_end && (has(words::BE, word(tokens, phrase.end)) || has(words::HAVE, word(tokens, phrase.end)))
        {
            break;
        }
        // In "the tests for the build" the build is only what the tests are for.
        if !near || verbal || (reach != verb_end && between.len() == 1 && has(words::PREPOSITIONS, &between[0].low)) {
            continue;
        }
        let tail = subset::tail(tokens, phrase.end, phrase.kind);
        let subset = phrase.subset.or(tail.subset);
        let (runner, filter) = sense.runner_after(start, phrase);
        let part = subset.is_some()
            || filter.is_some()
            || phrase.form == Form::Part
            || matches!(phrase.amount, Amount::Some | Amount::One)
            || (phrase.form == Form::One && phrase.amount == Amount::Bare);
        let whole = phrase.form == Form::Whole
            || phrase.by_command
            || matches!(phrase.amount, Amount::All | Amount::Any)
            || phrase.kind != Kind::Tests;
        let scope = if part {
            Scope::Part
        } else if whole {
            Scope::All
        } else {
            Scope::Unclear
        };
        let words = subset.and_then(|(from, to)| sense.words(from, to)).or(filter);
        let end = if part { tail.end.max(phrase.end) } else { phrase.end };
        out.extend(sense.draft(phrase.kind, Says::NotDone, scope, None, runner, words, start..end, false));
        reach = phrase.end;
    }
    if out.len() > before {
        return;
    }
    let rest = matches!(word(tokens, verb_end), "the")
        && matches!(word(tokens, verb_end + 1), "rest" | "others" | "remaining" | "remainder" | "full");
    let them = matches!(word(tokens, verb_end), "them" | "it" | "those" | "these")
        || word(tokens, verb_end) == "any" && word(tokens, verb_end + 2) == "them";
    let others = word(tokens, verb_end) == "any" && matches!(word(tokens, verb_end + 1), "other" | "others");
    let rest = rest || others;
    if !(rest || them) {
        return;
    }
    if let Some(mention) = sense.mention(start) {
        if word(tokens, verb_end) == "it" && !mention.single {
            return;
        }
        let scope = match (rest || mention.part, mention.whole || mention.kind != Kind::Tests) {
            (true, _) => Scope::Part,
            (false, true) => Scope::All,
            (false, false) => Scope::Unclear,
        };
        let end = verb_end + if rest { 2 } else { 1 };
        out.extend(sense.draft(mention.kind, Says::NotDone, scope, None, None, None, start..end, false));
    }
}

/// "The load tests I did not run": the check stands before the subject.
fn fronted(sense: &Sense, start: usize, verb_end: usize, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let from = lead::clause_start(tokens, start);
    let own = matches!(word(tokens, start), "i" | "we");
    let closed = tokens.get(verb_end).is_none_or(|token| {
        token.punct().is_some() || matches!(token.low.as_str(), "here" | "as" | "because" | "since")
    });
    if !own || !closed || from == start {
        return false;
    }
    let whole =
        sense.phrases.iter().find(|phrase| phrase.start == from && phrase.end == start && phrase.form != Form::Problem);
    let others =
        start == from + 2 && word(tokens, from) == "the" && matches!(word(tokens, from + 1), "others" | "rest");
    let mention = sense.mention(start).filter(|_| others);
    let (kind, scope, subset) = match (whole, mention) {
        (Some(phrase), _) => {
            let scope = match (phrase.subset.is_some() || phrase.form == Form::Part, phrase.kind, phrase.form) {
                (true, ..) => Scope::Part,
                (false, Kind::Tests, Form::Many | Form::One) => Scope::Unclear,
                _ => Scope::All,
            };
            (phrase.kind, scope, phrase.subset)
        }
        (None, Some(mention)) => (mention.kind, Scope::Part, None),
        (None, None) => return false,
    };
    let words = subset.and_then(|(from, to)| sense.words(from, to));
    out.extend(sense.draft(kind, Says::NotDone, scope, None, None, words, from..verb_end, false));
    true
}

/// A new statement begins here.
fn leaves(tokens: &[Token], i: usize) -> bool {
    matches!(
        word(tokens, i),
        "i" | "we"
            | "it"
            | "but"
            | "so"
            | "because"
            | "as"
            | "since"
            | "which"
            | "there"
            | "that"
            | "this"
            | "they"
            | "only"
            | "and"
    ) && !matches!(word(tokens, i + 1), "the" | "neither" | "nor" | "any")
}

/// "I could not get the snapshot tests to pass", "I got all tests to pass" read as a finding about the phrase.
pub fn not_brought(sense: &Sense, first: &NounPhrase, last: &NounPhrase) -> Option<(Finding, Lead, usize)> {
    let tokens = sense.tokens;
    let verb = first.start.checked_sub(1)?;
    if !matches!(word(tokens, verb), "get" | "make" | "bring" | "have" | "getting") {
        return None;
    }
    let from = lead::clause_start(tokens, verb);
    let group: Vec<&str> = tokens[from..verb].iter().map(|token| token.low.as_str()).collect();
    let own = matches!(group.first(), Some(&"i" | &"we" | &"could" | &"unable" | &"did" | &"failed" | &"was"));
    let failing = group.contains(&"not")
        && (group.contains(&"could")
            || group.contains(&"can")
            || group.contains(&"able")
            || group.contains(&"did")
            || group.contains(&"manage")
            || group.contains(&"managed"))
        || group.contains(&"unable")
        || (group.contains(&"failed") && group.last() == Some(&"to"));
    let pass = brought(tokens, last.end)?;
    if !own || !failing || group.len() > 8 || group.contains(&"if") || !sense.guarded.allows_deed(from) {
        return None;
    }
    let finding = Finding::new(Says::Fail, pass);
    Some((finding, Lead::Plain, from))
}

/// "to pass", "passing", "green" after the phrase.
fn brought(tokens: &[Token], i: usize) -> Option<usize> {
    let to = usize::from(word(tokens, i) == "to");
    let go = usize::from(to == 1 && matches!(word(tokens, i + 1), "be" | "go" | "run" | "come"));
    matches!(
        word(tokens, i + to + go),
        "pass"
            | "passing"
            | "green"
            | "succeed"
            | "compile"
            | "build"
            | "work"
            | "clean"
            | "cleanly"
            | "run"
            | "through"
            | "happy"
    )
    .then_some(i + to + go + 1)
}
