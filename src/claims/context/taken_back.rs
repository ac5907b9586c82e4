//! What was said and then taken back: "I pushed, but it was rejected", "lint is clean. (Not run.)"

use std::ops::Range;

use super::super::text::TextClaim;
use super::sentence::{has, sentence, words};

/// By these words a deed comes to nothing.
const RETRACTS: &[&str] = &[
    "abort",
    "blocked",
    "bounced",
    "declin",
    "denied",
    "fail",
    "no avail",
    "no luck",
    "non-fast",
    "in vain",
    "refus",
    "reject",
    "said no",
    "says no",
    "turned away",
    "turned down",
    "turned it down",
    "unsuccess",
    "without success",
];

/// A sentence in these words alone denies the one before: "(Not run.)", "Not really."
const DENIES: &str = "actually almost at all but checked confirmed false here joke joking just kidding nearly never no nope not \
    nothing quite ran really rerun run so sure tested that the true unchecked untested unverified verified was wrong yet";
const DENIES_FIRST: &str =
    "almost false joke just kidding nearly never no nope not unchecked untested unverified wrong";

/// "I pushed, but it was rejected", "Committed. The hook refused it, though."
pub(super) fn is_retracted(claim: &TextClaim, message: &str) -> bool {
    let own = sentence(message, &claim.span);
    let next = message.get(own.end + 1..).map(|_| sentence(message, &(own.end + 1..own.end + 1))).unwrap_or(0..0);
    let retracts = |text: &str| {
        let text = text.to_lowercase();
        let begins = |stem: &str| text.match_indices(stem).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric));
        RETRACTS.iter().any(|stem| begins(stem))
    };
    let about = |text: &str| words(text).iter().any(|word| has("commit hook it origin push remote server that", word));
    retracts(&message[own]) || (about(&message[next.clone()]) && retracts(&message[next]))
}

/// "Lint clean: no", "Committed changes: none".
pub(super) fn is_denied(rest: &str) -> bool {
    let answers = rest.split([':', '?', '\u{2013}', '\u{2014}']).skip(1);
    let mut first = answers.filter_map(|answer| {
        let marked = answer.trim_start().starts_with(['\u{274c}', '\u{2717}', '\u{2718}']);
        if marked { Some("no".to_owned()) } else { words(answer).into_iter().next() }
    });
    first.any(|word| matches!(word.as_str(), "no" | "none" | "neither" | "nope" | "not" | "nothing" | "0"))
}

/// "Lint is clean now. (Not run.)"
pub(super) fn is_denied_next(message: &str, span: &Range<usize>) -> bool {
    let own = sentence(message, span);
    let Some(rest) = message.get(own.end + 1..).filter(|rest| !rest.trim_start_matches(' ').starts_with('\n')) else {
        return false;
    };
    let start = message.len() - rest.trim_start().len();
    let next = words(&message[sentence(message, &(start..start))]);
    next.first().is_some_and(|word| has(DENIES_FIRST, word)) && next.iter().all(|word| has(DENIES, word))
}
