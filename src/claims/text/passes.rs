//! "The change passes all tests", "it does not pass clippy": the code first, and the check as its object.

use super::Says;
use super::assertion::Finding;
use super::ending;
use super::lead::{self, Lead};
use super::noun::NounPhrase;
use super::nouns::Form;
use super::reading::Sense;
use super::subset;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// Subjects of "passes all tests".
#[rustfmt::skip]
const CODE: &[&str] = &[
    "branch", "build", "change", "changes", "code", "codebase", "commit", "crate", "everything", "fix", "fixes",
    "implementation", "it", "library", "module", "package", "parser", "patch", "port", "program", "project",
    "refactor", "refactoring", "result", "rewrite", "server", "solution", "this", "tree", "update", "version",
    "work", "workspace",
];

/// What stands before such a subject and leaves it the one at hand.
#[rustfmt::skip]
const OF_OURS: &[&str] = &[
    "a", "all", "and", "as", "current", "entire", "final", "finished", "fixed", "my", "new", "not", "our", "patched",
    "refactored", "resulting", "revised", "rewritten", "that", "the", "these", "updated", "whole",
];

/// "The change passes all tests", "it does not pass clippy".
pub fn passes_object(sense: &Sense, first: &NounPhrase, last: &NounPhrase) -> Option<(Finding, Lead, usize)> {
    let tokens = sense.tokens;
    let verb = first.start.checked_sub(1)?;
    let passes = matches!(word(tokens, verb), "pass" | "passes" | "passed");
    let fails = matches!(word(tokens, verb), "fails" | "failed");
    let from = lead::clause_start(tokens, verb);
    let subject = tokens.get(from..verb).unwrap_or_default();
    let known = |token: &Token| {
        !has(words::RELATIVES, &token.low)
            && !has(words::MODALS, &token.low)
            && !has(words::IMPRESSIONS, &token.low)
            && !matches!(
                token.low.as_str(),
                "former" | "old" | "original" | "previous" | "to" | "you" | "i" | "we" | "they" | "he" | "she"
            )
    };
    // What passes a check is the code, not the pupils of a school.
    let alone = |token: &Token| matches!(token.low.as_str(), "it" | "this" | "everything");
    let code = subject.iter().enumerate().any(|(i, token)| {
        // "This test fails the build": "this" belongs to the test.
        let owner = alone(token)
            && subject
                .get(i + 1)
                .is_some_and(|next| !has(words::ADVERBS, &next.low) && !has(words::DO, &next.low) && !next.is("not"));
        token.tok == Tok::Word && CODE.contains(&token.low.as_str()) && !owner
    });
    // "The reference implementation", "the naive version": what else is said of it may say that it is another.
    let own = |token: &Token| {
        let named = !matches!(token.tok, Tok::Word | Tok::Number(_) | Tok::Hash);
        (named && !token.low.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()))
            || has(words::ADVERBS, &token.low)
            || has(words::DO, &token.low)
            || OF_OURS.contains(&token.low.as_str())
            || CODE.contains(&token.low.as_str())
    };
    let opens = code && subject.len() <= 8 && subject.iter().all(own);
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
    if ending::takes_back(tokens, last.end, says == Says::Fail, past) {
        return None;
    }
    let finding = Finding { past, tail, ..Finding::new(says, tail.end.max(last.end)) };
    Some((finding, Lead::Plain, from))
}
