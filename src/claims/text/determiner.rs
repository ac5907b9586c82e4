//! What stands to the left of a noun and belongs to it: modifiers, number, determiner. "not all of the 42 new parser
//! tests".

use super::Kind;
use super::noun::{Amount, NounPhrase, nouns};
use super::nouns::{ALL_MODIFIERS, Form, WHOLE_MODIFIERS};
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// Takes in what stands to the left of the noun: modifiers, then number and determiner.
pub fn widen(tokens: &[Token], phrase: &mut NounPhrase) {
    let head = phrase.start;
    let mut at = head;
    let mut subset: Option<(usize, usize)> = None;
    let mut whole = false;
    while at > 0 && head - at < 6 {
        let token = &tokens[at - 1];
        let low = token.low.as_str();
        let is_modifier = match token.tok {
            // "the reason `cargo test` passes": a command takes few words before it.
            Tok::Word if phrase.by_command && phrase.end == phrase.head + 1 => {
                WHOLE_MODIFIERS.contains(&low) || ALL_MODIFIERS.contains(&low)
            }
            Tok::Word => modifier(low),
            Tok::Ident | Tok::Path => true,
            Tok::Command(_) => phrase.runner.is_none(),
            Tok::Punct('/') => at >= 2 && at < head,
            _ => false,
        };
        // "unit and integration tests": one noun with two modifiers.
        let joined = matches!(low, "and" | "or")
            && at < head
            && at >= 2
            && token.tok == Tok::Word
            && tokens[at - 2].tok == Tok::Word
            && modifier(&tokens[at - 2].low)
            && nouns().at(tokens, at - 2).is_none();
        if !is_modifier && !joined {
            break;
        }
        if let Tok::Command(uses) = &token.tok {
            if let Some(only) = uses.first().filter(|only| only.kind == phrase.kind) {
                phrase.runner = only.runner;
                phrase.filter.clone_from(&only.subset);
            }
        } else if ALL_MODIFIERS.contains(&low) {
            whole = true;
        } else if !WHOLE_MODIFIERS.contains(&low) && is_modifier && token.tok != Tok::Punct('/') {
            subset = Some((at - 1, subset.map_or(at, |(_, end)| end)));
        }
        at -= 1;
    }
    let before = determiner(tokens, at, phrase);
    // Without a determiner, unknown words before the noun are trusted only at the start of a clause: they may be verbs.
    let opens = before == 0
        || tokens[before - 1].tok != Tok::Word
        || matches!(word(tokens, before - 1), "and" | "or" | "but" | "that" | "with" | "so" | "while");
    if before == at && subset.is_some() && !(opens && known_shape(&tokens[at..head])) {
        phrase.start = nearest(tokens, head, phrase);
        return;
    }
    phrase.start = before;
    phrase.subset = phrase.subset.or(subset);
    // "the Playwright tests" are those that need a browser, "the Jest suite" is all of it.
    if phrase.runner == Some("playwright") && phrase.form == Form::Many && phrase.amount == Amount::Bare {
        phrase.subset = phrase.subset.or(Some((head - 1, head)));
    }
    if whole && phrase.amount == Amount::Bare {
        phrase.amount = Amount::All;
    }
}

fn modifier(low: &str) -> bool {
    let closed = has(words::PREPOSITIONS, low)
        || has(words::PRONOUNS, low)
        || has(words::CONJUNCTIONS, low)
        || has(words::RELATIVES, low)
        || has(words::DETERMINERS, low)
        || has(words::MODALS, low)
        || has(words::VERBS, low);
    let adverb = has(words::ADVERBS, low) && low != "first";
    let odd = matches!(
        low,
        "not"
            | "there"
            | "if"
            | "when"
            | "once"
            | "unless"
            | "until"
            | "whether"
            | "yes"
            | "ok"
            | "done"
            | "however"
            | "also"
            | "good"
            | "note"
            | "to"
            | "remaining"
            | "rest"
            | "other"
            | "few"
            | "more"
            | "running"
            | "only"
            | "these"
            | "whichever"
            | "whatever"
            | "fewer"
            | "less"
            | "enough"
    );
    let odd = odd && !matches!(low, "remaining" | "other");
    !closed && !adverb && !odd && !low.is_empty()
}

/// Modifiers without a determiner: no word that could be a verb of the clause.
fn known_shape(tokens: &[Token]) -> bool {
    let verbish = |token: &Token| {
        token.tok == Tok::Word
            && (token.low.ends_with("ed") || token.low.ends_with("ing") || token.low.ends_with('s'))
            && !matches!(
                token.low.as_str(),
                "existing"
                    | "failing"
                    | "remaining"
                    | "passing"
                    | "rails"
                    | "css"
                    | "js"
                    | "related"
                    | "affected"
                    | "relevant"
                    | "generated"
                    | "added"
                    | "updated"
            )
    };
    tokens.len() <= 3 && !tokens.iter().any(verbish)
}

fn nearest(tokens: &[Token], head: usize, phrase: &mut NounPhrase) -> usize {
    let mut at = head;
    while at > 0
        && matches!(tokens[at - 1].tok, Tok::Word)
        && matches!(
            word(tokens, at - 1),
            "unit"
                | "integration"
                | "end-to-end"
                | "e2e"
                | "regression"
                | "snapshot"
                | "new"
                | "smoke"
                | "acceptance"
                | "functional"
                | "parser"
                | "existing"
        )
    {
        at -= 1;
        phrase.subset = Some((at, head));
    }
    at
}

/// "… and that new test fails": a determiner, since no "that" before it could be taken up again.
fn points(tokens: &[Token], joint: usize) -> bool {
    matches!(word(tokens, joint), "and" | "but" | "so") && !tokens[..joint].iter().any(|token| token.is("that"))
}

/// Reads number and determiner backwards from `at`; returns where the phrase begins.
fn determiner(tokens: &[Token], mut at: usize, phrase: &mut NounPhrase) -> usize {
    let w = |at: usize, back: usize| if at >= back { word(tokens, at - back) } else { "" };
    let number = |at: usize| match at.checked_sub(1).and_then(|i| tokens.get(i)) {
        Some(Token { tok: Tok::Number(n), .. }) => Some(*n),
        _ => None,
    };
    if let Some(Token { tok: Tok::Ratio(k, n), .. }) = at.checked_sub(1).and_then(|i| tokens.get(i)) {
        phrase.ratio = Some((*k, *n));
        at -= 1;
    } else if let Some(n) = number(at) {
        phrase.number = Some(n);
        at -= 1;
    }
    if matches!(w(at, 1), "other" | "remaining" | "first" | "last") {
        at -= 1;
        phrase.amount = Amount::Some;
        phrase.subset = phrase.subset.or(Some((at, at + 1)));
    }
    // "the existing 57 tests", "my new three tests"
    if phrase.number.is_some() && has(words::DETERMINERS, w(at, 2)) {
        match w(at, 1) {
            "current" | "existing" | "present" | "usual" => at -= 1,
            "added" | "affected" | "new" | "related" | "relevant" | "updated" => {
                at -= 1;
                phrase.subset = phrase.subset.or(Some((at, at + 1)));
            }
            _ => {}
        }
    }
    // "that test" is a determiner, "verified that two tests fail" is none.
    let one_of_them = phrase.form == Form::One && phrase.number.is_none();
    let definite = matches!(w(at, 1), "the" | "our" | "my" | "these" | "those" | "its" | "your" | "this" | "their");
    if matches!(w(at, 1), "its" | "their") && phrase.kind == Kind::Tests {
        phrase.subset = phrase.subset.or(Some((at - 1, at)));
    }
    if definite
        || (w(at, 1) == "that" && one_of_them && (at < 2 || tokens[at - 2].tok != Tok::Word || points(tokens, at - 2)))
    {
        phrase.definite = true;
        at -= 1;
    }
    // "no more lint errors"
    if w(at, 1) == "more" && w(at, 2) == "no" && phrase.form == Form::Problem {
        at -= 1;
    }
    let of = w(at, 1) == "of";
    let quantity = if of { at - 1 } else { at };
    let amount = match w(quantity, 1) {
        "all" | "every" | "each" | "both" => Some((Amount::All, 1)),
        "no" | "none" | "neither" => Some((Amount::No, 1)),
        "any" => Some((Amount::Any, 1)),
        "most" | "some" | "many" | "several" | "few" | "half" | "rest" | "remainder" | "majority" | "lot" => {
            Some((Amount::Some, 1))
        }
        "a" | "an" | "another" if !of => Some((Amount::One, 1)),
        "single" => Some((Amount::One, 1)),
        "100%" => Some((Amount::All, 1)),
        _ => None,
    };
    let percent = quantity
        .checked_sub(1)
        .and_then(|i| tokens.get(i))
        .filter(|token| token.tok == Tok::Ident && token.low == "100%");
    match amount {
        Some((amount, len)) => {
            at = quantity - len;
            phrase.amount = amount;
            // "nearly all"
            if amount == Amount::All && matches!(w(at, 1), "almost" | "nearly" | "practically" | "virtually") {
                at -= 1;
                phrase.amount = Amount::Some;
            }
        }
        None if percent.is_some() && of => {
            at = quantity - 1;
            phrase.amount = Amount::All;
        }
        None if of => match number(quantity) {
            // "every one of the 27 tests"
            Some(1) if matches!(w(quantity, 2), "each" | "every") => {
                phrase.amount = Amount::All;
                return quantity - 2;
            }
            Some(k) if matches!(w(quantity, 2), "but" | "except") && w(quantity, 3) == "all" => {
                phrase.amount = Amount::AllBut(k);
                return quantity - 3;
            }
            Some(k) => {
                at = quantity - 1;
                let whole = phrase.number.take();
                match whole {
                    Some(n) => phrase.ratio = Some((k, n)),
                    None => {
                        phrase.number = Some(k);
                        phrase.amount = if k == 1 { Amount::One } else { Amount::Some };
                    }
                }
                if at > 0 && w(at, 1) == "all" {
                    at -= 1;
                }
                return at;
            }
            None => return at,
        },
        None => {}
    }
    // "39 out of 42": read with the numbers.
    if let Some(k) =
        (w(at, 1) == "of" && w(at, 2) == "out").then(|| at.checked_sub(3)).flatten().and_then(|i| match tokens[i].tok {
            Tok::Number(k) => Some(k),
            _ => None,
        })
    {
        phrase.ratio = phrase.number.take().map(|n| (k, n));
        return at - 3;
    }
    // The same with numbers in front: "all but two tests", "not a single test", "not all tests", "the rest of the".
    if let (Some(n), "but" | "except" | "besides", "all") = (phrase.number, w(at, 1), w(at, 2)) {
        phrase.number = None;
        phrase.amount = Amount::AllBut(n);
        return at - 2;
    }
    if phrase.number.is_some() && w(at, 1) == "exactly" {
        at -= 1;
    }
    if phrase.number == Some(1) && phrase.amount == Amount::Bare && !phrase.definite {
        phrase.amount = Amount::One;
    }
    if w(at, 1) == "a" && matches!(phrase.amount, Amount::One | Amount::Some) {
        at -= 1;
    }
    if w(at, 1) == "the" && phrase.amount == Amount::Some {
        at -= 1;
    }
    if w(at, 1) == "of" && matches!(w(at, 2), "all" | "none") {
        phrase.amount = if w(at, 2) == "all" { Amount::All } else { Amount::No };
        at -= 2;
    }
    if w(at, 1) == "not" {
        match phrase.amount {
            Amount::All => phrase.amount = Amount::NotAll,
            Amount::One => phrase.amount = Amount::No,
            _ => return at,
        }
        if phrase.amount == Amount::No {
            phrase.number = None;
        }
        at -= 1;
    }
    if phrase.number == Some(0) {
        phrase.amount = Amount::No;
        phrase.number = None;
    }
    at
}
