//! Words after a result that leave it a guess, a chance, somebody else's or something merely named: "as far as I can tell",
//! "on a good day", "in the reviewer's checkout", "is the goal".

use super::guard::guards;
use super::guards::Bar;
use super::token::{Token, word};
use super::words::{self, has};

/// People whose machines are not the agent's.
#[rustfmt::skip]
const PEOPLE: &[&str] = &[
    "author", "author's", "colleague", "colleague's", "customer", "customer's", "maintainer", "maintainer's",
    "reviewer", "reviewer's", "teammate", "teammate's", "user's",
];

/// Whether the word at `i` takes back the result that ends at `from`; `enclosed`: it stands in brackets.
pub fn takes_back(tokens: &[Token], i: usize, from: usize, enclosed: bool) -> bool {
    let low = word(tokens, i);
    let next = word(tokens, i + 1);
    let third = word(tokens, i + 2);
    // "All tests pass is the goal": named, not said.
    let named = i == from && (has(words::BE, low) || has(words::MODALS, low));
    let row = guards().at(tokens, i).map(|(_, guard)| guard.bar);
    let more = matches!(low, "once" | "as") && matches!(next, "again" | "in" | "more" | "well");
    let doubted = matches!(row, Some(Bar::Guess | Bar::Condition)) && !more;
    let chance = matches!((low, next, third), ("on", "a", "good" | "bad" | "lucky"))
        || matches!((low, next), ("times", "out") | ("with", "luck") | ("or", "not"))
        || low == "for" && matches!(next, "each" | "every")
        || low == "most" && next == "of" && word(tokens, i + 3) == "time";
    let before = low == "before"
        && matches!(next, "it" | "my" | "that" | "the" | "these" | "this" | "your")
        && !matches!(word(tokens, i.wrapping_sub(1)), "as" | "both" | "than")
        && !(i + 2..i + 5).any(|at| tokens.get(at).is_some_and(|token| token.is("and")));
    let says = |at: usize| matches!(word(tokens, at), "claim" | "claims" | "promises" | "said" | "says" | "states");
    let cited = low == "as" && matches!(next, "a" | "my" | "the" | "your") && (i + 2..i + 6).any(says);
    let unproven = enclosed
        && (low == "not" && matches!(next, "checked" | "confirmed" | "tested" | "verified")
            || matches!(low, "unchecked" | "unconfirmed" | "untested" | "unverified"));
    let yours = low == "your" && matches!(next, "log" | "output" | "paste" | "report" | "run");
    // "on the runner", "in the nightly job", "on Fridays"
    let remote = matches!(low, "in" | "on")
        && (matches!(next, "a" | "our" | "the")
            && (matches!(third, "runner" | "runners")
                || third == "nightly" && matches!(word(tokens, i + 3), "build" | "job" | "run"))
            || next.ends_with("days") && next.len() > 4);
    named || remote || doubted || chance || before || cited || unproven || yours || PEOPLE.contains(&low)
}

/// After a comma or a dash: "at least on paper", "at least that is what the log says".
pub fn at_least(tokens: &[Token], i: usize) -> bool {
    let source = |at: usize| matches!(word(tokens, at), "ci" | "claims" | "paper" | "principle" | "says" | "theory");
    word(tokens, i) == "at" && word(tokens, i + 1) == "least" && (i + 2..tokens.len().min(i + 10)).any(source)
}
