//! What stands before a check in its clause, and what that makes of it.

use std::sync::OnceLock;

use super::Kind;
use super::adverbial;
use super::leads::{ASSERTING_CONJUNCTIONS, LEADS, LeadRow, Means, OPENING_PREPOSITIONS};
use super::noun;
use super::phrase::Index;
use super::token::{Tok, Token, word};
use super::words::{self, has};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// The clause begins with the check, or with words that say nothing.
    Plain,
    /// "after", "as soon as it was done": only a past result is a claim.
    AfterPast,
    Stated,
    Ran,
    With,
    /// "Apart from two old failures, all tests pass": where it begins, how many.
    Exception {
        from: usize,
        number: Option<u64>,
    },
    /// Anything else.
    Other,
}

/// Longest lead that is looked at.
const LONGEST: usize = 18;

fn leads() -> &'static Index<LeadRow> {
    static INDEX: OnceLock<Index<LeadRow>> = OnceLock::new();
    INDEX.get_or_init(|| Index::new(LEADS, |row| row.phrase))
}

/// Where the clause around token `i` begins.
pub fn clause_start(tokens: &[Token], i: usize) -> usize {
    let mut at = i;
    while at > 0 && !divides(tokens, at - 1) {
        at -= 1;
    }
    at
}

fn divides(tokens: &[Token], i: usize) -> bool {
    match &tokens[i].tok {
        // "tests green / lint green", and not "unit/integration"
        Tok::Punct('/') => {
            let apart = |left: usize, right: usize| {
                tokens.get(left).zip(tokens.get(right)).is_some_and(|(left, right)| left.end < right.start)
            };
            i > 0 && apart(i - 1, i) && apart(i, i + 1)
        }
        Tok::Punct(c) => !matches!(c, '&' | '+' | '%'),
        Tok::Mark(_) | Tok::Opaque => true,
        // "so far" and "even so" are adverbs.
        Tok::Word if tokens[i].low == "so" => word(tokens, i + 1) != "far" && (i == 0 || word(tokens, i - 1) != "even"),
        // "Since the fix all tests pass"
        Tok::Word if tokens[i].low == "since" && i == 0 => false,
        Tok::Word if tokens[i].low == "then" && i > 0 && word(tokens, i - 1) == "since" => false,
        Tok::Word => has(ASSERTING_CONJUNCTIONS, &tokens[i].low),
        _ => false,
    }
}

/// Reads what stands between the start of the clause and `start`, where a noun phrase begins. `determined`: it begins
/// with "the", "all" or the like, so that it cannot be the tail of what stands before it.
pub fn read(tokens: &[Token], start: usize, determined: bool) -> Lead {
    let from = clause_start(tokens, start);
    if let Some(exception) = exception(tokens, from) {
        return exception;
    }
    let mut at = from;
    if start - at > LONGEST {
        return Lead::Other;
    }
    // "I checked that all tests pass and that the linter is silent"
    let stated = |i: usize| leads().at(tokens, i).is_some_and(|(_, row)| row.means == Means::Stated);
    if at + 1 == start && word(tokens, at) == "that" && from > 0 && tokens[from - 1].is("and") {
        return if (0..from).any(stated) { Lead::Stated } else { Lead::Other };
    }
    let mut said = false;
    loop {
        if at >= start {
            if said {
                return Lead::Stated;
            }
            // "Then `cargo test` passes" is a step; only "then all tests passed" tells what happened.
            let then = (from..start).any(|i| tokens[i].is("then")) || (from > 0 && tokens[from - 1].is("then"));
            // "I ran `x`, then `y` (clean)"
            let ran =
                then && tokens[..from].iter().any(|token| matches!(token.low.as_str(), "ran" | "re-ran" | "executed"));
            return match (then, ran) {
                (_, true) => Lead::Ran,
                (true, false) => Lead::AfterPast,
                (false, false) => conjunction(tokens, from),
            };
        }
        let low = word(tokens, at);
        if tokens[at].tok == Tok::Break {
            at += 1;
            continue;
        }
        if let Some((end, row)) = leads().at(tokens, at).filter(|(end, _)| *end <= start) {
            match row.means {
                Means::Aside => {
                    at = end;
                    continue;
                }
                Means::Stated if !said => {
                    said = true;
                    at = end;
                    continue;
                }
                _ if end < start => {}
                Means::Stated => return Lead::Stated,
                Means::Ran => return Lead::Ran,
                Means::With if supposes(tokens, start) => return Lead::Other,
                Means::With => return Lead::With,
            }
        }
        if (has(words::OPENERS, low) || has(words::ADVERBS, low))
            && !matches!(low, "in" | "as" | "all" | "both" | "each")
        {
            at += 1;
            continue;
        }
        break;
    }
    let rest = &tokens[at..start];
    let last = rest.last().map_or("", |token| token.low.as_str());
    let with = last == "with" || last == "leaving" || word(rest, 0) == "with";
    if with && supposes(tokens, start) {
        return Lead::Other;
    }
    if last == "with" || last == "leaving" {
        let even = rest.iter().any(|token| token.is("even"));
        return if even { Lead::Other } else { Lead::With };
    }
    if rest.len() == 1 {
        return match last {
            "after" => Lead::AfterPast,
            "while" | "because" | "although" | "since" => Lead::Plain,
            _ => Lead::Other,
        };
    }
    let opening = has(OPENING_PREPOSITIONS, word(tokens, at));
    let ordinal = |low: &str| matches!(low, "final" | "first" | "last" | "latest" | "new" | "second");
    let noun = |i: usize| has(words::DETERMINERS, word(rest, i - 1)) || ordinal(word(rest, i - 1));
    let verbal = (1..rest.len())
        .any(|i| rest[i].tok == Tok::Word && (elsewhere(&rest[i].low) || suspicious(&rest[i].low) && !noun(i)));
    let hanging = has(words::PREPOSITIONS, last) || has(words::DETERMINERS, last) || has(words::RELATIVES, last);
    if opening && adverbial::is_own(rest) && !verbal && !hanging && determined { Lead::Plain } else { Lead::Other }
}

/// Whether the words from `from` to `to` only say that what follows is so: "I can confirm that", "at the moment".
pub fn says_so(tokens: &[Token], from: usize, to: usize) -> bool {
    let mut at = from;
    while at < to {
        at = match leads().at(tokens, at) {
            Some((end, row)) if end <= to && matches!(row.means, Means::Aside | Means::Stated) => end,
            _ if has(words::OPENERS, word(tokens, at)) || has(words::ADVERBS, word(tokens, at)) => at + 1,
            _ => return false,
        };
    }
    true
}

/// "With all tests green, I would ship it": what it is joined to is only supposed.
fn supposes(tokens: &[Token], from: usize) -> bool {
    let comma = (from..tokens.len().min(from + LONGEST)).find(|i| tokens[*i].punct() == Some(','));
    comma.is_some_and(|comma| {
        (comma + 1..tokens.len().min(comma + 5))
            .any(|i| matches!(word(tokens, i), "could" | "might" | "should" | "would"))
    })
}

/// Words that make a phrase more than an adverbial, or of another place.
fn suspicious(low: &str) -> bool {
    has(words::MODALS, low)
        || has(words::VERBS, low) && !low.ends_with("ed")
        || matches!(low, "that" | "which" | "if" | "when")
}

/// Words of another place or another person, whatever stands before them.
fn elsewhere(low: &str) -> bool {
    matches!(
        low,
        "ci" | "main" | "master" | "your" | "you" | "pipeline" | "server" | "upstream" | "he" | "she" | "they"
    )
}

/// The clause begins with the check: what joins it to the clause before?
fn conjunction(tokens: &[Token], from: usize) -> Lead {
    if from == 0 {
        return Lead::Plain;
    }
    // "With an empty cache, the tests fail": what stands before the comma is looked at, too.
    if tokens[from - 1].punct() == Some(',') {
        let begin = clause_start(tokens, from - 1);
        let before = &tokens[begin..from - 1];
        let first = before.iter().position(|token| !has(words::OPENERS, &token.low) || token.is("in"));
        let before = &before[first.unwrap_or(0)..];
        let aside = leads().at(tokens, begin).is_some_and(|(_, row)| row.means == Means::Aside);
        let adverb = begin == 0 && before.first().is_some_and(|token| has(OPENING_PREPOSITIONS, &token.low));
        if adverb && !aside && !adverbial::is_own(before) {
            return Lead::Other;
        }
    }
    // "With 80% coverage and all tests green, I would ship it."
    let with = tokens[from - 1].is("and") && word(tokens, clause_start(tokens, from - 1)) == "with";
    if with && supposes(tokens, from) {
        return Lead::Other;
    }
    // "I changed the seed so all tests pass": a purpose, unless a comma stands before it.
    let opened = tokens[..from - 1].iter().all(|token| has(words::OPENERS, &token.low));
    if tokens[from - 1].is("so")
        && !opened
        && from >= 2
        && tokens[from - 2].punct().is_none()
        && !tokens[from - 2].is("and")
    {
        return Lead::Other;
    }
    Lead::Plain
}

/// "Apart from two old failures in the mailer," before the clause, or "Apart from those" in front of it.
fn exception(tokens: &[Token], from: usize) -> Option<Lead> {
    let mut begin = from;
    // "With one exception (`x`) all tests pass"
    if from > 0 && tokens[from - 1].punct() == Some(')') {
        let open = tokens[..from].iter().rposition(|token| token.punct() == Some('('))?;
        let begin = clause_start(tokens, open);
        let after = exception_words(tokens, begin)?;
        return Some(Lead::Exception { from: begin, number: exception_number(tokens, after) });
    }
    // The exception may have a relative clause of its own, in commas.
    for _ in 0..2 {
        if begin == 0 || tokens[begin - 1].punct() != Some(',') {
            return None;
        }
        begin = clause_start(tokens, begin - 1);
        if let Some(after) = exception_words(tokens, begin) {
            return Some(Lead::Exception { from: begin, number: exception_number(tokens, after) });
        }
        if !matches!(word(tokens, begin), "which" | "that") {
            return None;
        }
    }
    None
}

/// "except (for)", "apart from", …: where the words end.
pub fn exception_words(tokens: &[Token], i: usize) -> Option<usize> {
    let next = word(tokens, i + 1);
    let end = match word(tokens, i) {
        "except" | "excepting" | "excluding" | "barring" | "besides" | "minus" | "ignoring" | "disregarding" => {
            i + 1 + usize::from(matches!(next, "for" | "from"))
        }
        "apart" | "aside" if next == "from" => i + 2,
        "other" if next == "than" => i + 2,
        "save" if next == "for" => i + 2,
        "leaving" if matches!(next, "aside" | "out") => i + 2,
        "bar" => i + 1,
        // "The tests pass, but not the linter" excepts none of the tests.
        "but" if next == "not" && other_check(tokens, i + 2) => return None,
        "but" if matches!(next, "for" | "not") => i + 2,
        "with" if next == "the" && word(tokens, i + 2) == "exception" => i + 4,
        "with" if matches!(word(tokens, i + 2), "exception" | "exceptions") => i + 1,
        "not" if next == "counting" || next == "including" => i + 2,
        _ => return None,
    };
    // "Other than that" and "besides" alone except nothing.
    let content = |token: &Token| {
        !matches!(token.tok, Tok::Punct(_) | Tok::Break | Tok::Mark(_))
            && !matches!(token.low.as_str(), "that" | "this")
    };
    tokens.get(end).is_some_and(content).then_some(end)
}

/// Whether a check of another kind than tests is named here.
fn other_check(tokens: &[Token], i: usize) -> bool {
    let at = i + usize::from(has(words::DETERMINERS, word(tokens, i)));
    let named = noun::nouns().at(tokens, at).is_some_and(|(_, noun)| noun.kind != Kind::Tests);
    named || matches!(tokens.get(at).map(|token| &token.tok), Some(Tok::Command(_)))
}

/// "two old failures": the number right after the exception.
pub fn exception_number(tokens: &[Token], i: usize) -> Option<u64> {
    let at = i + usize::from(matches!(word(tokens, i), "the" | "these" | "those" | "my"));
    match tokens.get(at) {
        Some(Token { tok: Tok::Number(n), .. }) => Some(*n),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn before(text: &str) -> Lead {
        let tokens = tokens(text, 0, text.len());
        read(&tokens, tokens.len(), true)
    }

    #[test]
    fn what_is_not_known_to_assert_does_not() {
        for plain in [
            "",
            "Now",
            "After the fix to the clock",
            "As a result",
            "It is done and",
            "While",
            "Good news:",
            "With the fix in place,",
        ] {
            assert_eq!(before(plain), Lead::Plain, "{plain}");
        }
        for other in
            ["This keeps", "The readme says that", "The fix for", "I could not say that", "I changed the seed so"]
        {
            assert_eq!(before(other), Lead::Other, "{other}");
        }
        assert_eq!(before("I verified that"), Lead::Stated);
        assert_eq!(before("I re-ran"), Lead::Ran);
        assert_eq!(before("The split is complete, with"), Lead::With);
        assert_eq!(before("Apart from two old failures in the mailer,"), Lead::Exception { from: 0, number: Some(2) });
    }
}
