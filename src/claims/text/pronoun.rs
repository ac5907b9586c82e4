//! Pronouns and bare numbers that stand for a check named before: "All 42 pass", "they have not been run".

use super::ending;
use super::lead::{self, Lead};
use super::mention::Mention;
use super::reading::{Draft, Sense};
use super::subject;
use super::subset;
use super::token::{Tok, Token, word};
use super::verb::{self, Copula, Said};
use super::{Count, Kind, Says, Scope};
/// "All 42 pass", "they pass", "none fail", where the check was named before.
pub fn pronoun(sense: &Sense, at: usize) -> Option<(Draft, usize)> {
    let tokens = sense.tokens;
    let mention: Mention = sense.mention(at)?;
    // "The tests pass, or they fail."
    if at > 0 && tokens[at - 1].is("or") {
        return None;
    }
    if !matches!(lead::read(tokens, at, true), Lead::Plain | Lead::Stated) {
        return None;
    }
    let mut end = at;
    let mut all = false;
    let mut none = false;
    let mut rest = false;
    let mut number = None;
    let mut ratio = None;
    match word(tokens, at) {
        "they" | "these" | "those" if !matches!(word(tokens, at + 1), "of" | "for" | "in") => {
            end += 1;
            all = matches!(word(tokens, end), "all" | "both");
        }
        "it" if mention.single => end += 1,
        "all" | "both" | "each" | "neither" | "none" => {
            none = matches!(word(tokens, at), "neither" | "none");
            all = !none;
            end += 1;
            while matches!(word(tokens, end), "of" | "them" | "these" | "the" | "which") {
                end += 1;
            }
            if let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(end) {
                number = Some(*n);
                end += 1;
            }
        }
        // "Of 240 tests, not one fails."
        "not" if matches!(tokens.get(at + 1).map(|token| &token.tok), Some(Tok::Number(1))) => {
            none = true;
            end += 2;
        }
        "those" | "ones" if matches!(word(tokens, at + 1), "of" | "for" | "in") => {
            // "those of the importer"
            rest = true;
            end = (at + 2..tokens.len().min(at + 9))
                .find(|i| matches!(verb::read(tokens, *i, mention.kind, Copula::Needed), Said::Result(_)))?;
        }
        "the" if matches!(word(tokens, at + 2), "others") => {
            // "the two others"
            let Tok::Number(n) = tokens[at + 1].tok else { return None };
            rest = true;
            number = Some(n);
            end += 3;
        }
        "the" => {
            // "the remaining three", "the rest", "the others"
            if !matches!(word(tokens, at + 1), "remaining" | "rest" | "others" | "other") {
                return None;
            }
            rest = true;
            end += 2;
            if let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(end) {
                number = Some(*n);
                end += 1;
            }
        }
        _ => {
            let Tok::Number(n) = tokens[at].tok else { return None };
            end += 1;
            number = Some(n);
            if word(tokens, end) == "of" {
                match tokens.get(end + 1).map(|token| &token.tok) {
                    Some(Tok::Number(m)) => ratio = Some((n, *m)),
                    _ if word(tokens, end + 1) == "them" => {}
                    _ => return None,
                }
                end += 2;
            }
        }
    }
    let predicate = match verb::read(tokens, end, mention.kind, Copula::Needed) {
        Said::Result(predicate) => predicate,
        Said::NotRun { end } => return not_run(sense, mention, at, end),
        Said::Run { end } if none => return not_run(sense, mention, at, end),
        _ => return None,
    };
    // "It compiles" names its own check; "it reports" needs more.
    if word(tokens, at) == "it" && predicate.outcome.is_some_and(|outcome| outcome.figures == 0 && !outcome.passes) {
        return None;
    }
    // "Of the 80 tests, 78 pass."
    let of = sense
        .phrases
        .iter()
        .find(|phrase| phrase.start == 1 && word(tokens, 0) == "of" && (phrase.end..=phrase.end + 1).contains(&at));
    if let (Some(n), Some(whole)) = (number, of.and_then(|phrase| phrase.number)) {
        ratio = ratio.or(Some((n, whole)));
    }
    if none {
        number = number.or(of.and_then(|phrase| phrase.number));
    }
    let verb_passes = predicate.passes;
    let passes = if none { !verb_passes } else { verb_passes } && ratio.is_none_or(|(k, n)| k == n || !verb_passes);
    // "It fails without the fix and passes with it."
    if !passes
        && !none
        && number.is_none()
        && let Some(end) = subject::passes_with(tokens, predicate.end)
    {
        let scope = if mention.part { Scope::Part } else { Scope::Unclear };
        let draft = sense.draft(mention.kind, Says::Pass, scope, None, None, None, at..end, false)?;
        return Some((draft, end));
    }
    if ending::takes_back(tokens, predicate.end, !passes, predicate.past) {
        return None;
    }
    let tail = subset::tail(tokens, predicate.end, mention.kind);
    let figures = predicate.outcome.or(tail.outcome);
    let (mut passed, mut failed) = (figures.and_then(|o| o.passed), figures.and_then(|o| o.failed));
    match (none, verb_passes) {
        (true, false) => (passed, failed) = (number, Some(0)),
        (false, true) => {
            passed = number.or(passed);
            failed = if all && passed.is_some() || ratio.is_some_and(|(k, n)| k == n) { Some(0) } else { failed };
        }
        (false, false) => failed = number.or(failed),
        (true, true) => {}
    }
    let whole = all || none || ratio.is_some() || mention.whole || figures.is_some_and(|outcome| outcome.figures > 1);
    let scope = if mention.part || rest || tail.exception {
        Scope::Part
    } else if whole || mention.kind != Kind::Tests {
        Scope::All
    } else {
        Scope::Unclear
    };
    let count =
        (mention.kind == Kind::Tests && (passed.is_some() || failed.is_some())).then_some(Count { passed, failed });
    let says = if passes { Says::Pass } else { Says::Fail };
    let (runner, _) = sense.runner(mention.kind, None, None, false);
    let end = tail.end.max(predicate.end);
    Some((sense.draft(mention.kind, says, scope, count, runner, None, at..end, predicate.past && !passes)?, end))
}

/// "They have not been run."
fn not_run(sense: &Sense, mention: Mention, start: usize, end: usize) -> Option<(Draft, usize)> {
    let scope = match (mention.part, mention.whole || mention.kind != Kind::Tests) {
        (true, _) => Scope::Part,
        (false, true) => Scope::All,
        (false, false) => Scope::Unclear,
    };
    Some((sense.draft(mention.kind, Says::NotDone, scope, None, None, None, start..end, false)?, end))
}
