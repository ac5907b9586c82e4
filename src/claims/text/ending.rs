//! What a result is followed by in its clause, and whether that takes the claim back: a condition, another place, another
//! time, a guess.

use super::doubt;
use super::guard::guards;
use super::guards::{Bar, Guard, Reach};
use super::mark::Mark;
use super::token::{Tok, Token, word};
use super::words::has;

/// Words of another place or time, or of a habit, within the clause after a result.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "ago", "assuming", "beforehand", "buildkite", "ci", "circleci", "earlier", "generally", "if", "initially",
    "intermittently", "jenkins", "normally", "occasionally", "often", "originally", "pipeline", "pipelines",
    "previously", "provided", "regardless", "remotely", "sometimes", "staging", "typically", "unless", "until", "upstream",
    "usually", "when", "whenever", "workflow", "workflows", "yesterday",
];

/// Looks at the words from `from` to the end of the clause, and a little further for a condition or a guess.
pub fn takes_back(tokens: &[Token], from: usize, fails: bool, past: bool) -> bool {
    let mut i = from;
    let mut depth = 0;
    while let Some(token) = tokens.get(i) {
        match &token.tok {
            Tok::Punct('(') => depth += 1,
            Tok::Punct(')') if depth > 0 => depth -= 1,
            Tok::Punct(',') | Tok::Punct('—') if depth == 0 => {
                return after_comma(tokens, i + 1) || (fails && undone(tokens, i + 1));
            }
            Tok::Punct(';' | ')' | ':' | '→' | '|') if depth == 0 => return false,
            Tok::Word => {
                let low = token.low.as_str();
                let next = word(tokens, i + 1);
                let past_row = |(_, guard): (usize, &Guard)| {
                    guard.bar == Bar::Earlier && guard.reach == Reach::Sentence && !guard.phrase.starts_with("before")
                };
                // "They pass on the first try."
                let at_once = !fails && low == "first" && matches!(next, "attempt" | "go" | "try");
                if !at_once && guards().at(tokens, i).is_some_and(past_row) {
                    return true;
                }
                if doubt::takes_back(tokens, i, from, depth > 0) {
                    return true;
                }
                let joined = depth == 0
                    && i > from
                    && matches!(
                        low,
                        "and" | "but" | "so" | "while" | "whereas" | "although" | "though" | "because" | "which"
                    );
                if joined {
                    return false;
                }
                let github = low == "actions" && i > from && tokens[i - 1].is("github");
                let your = low == "your"
                    && matches!(
                        next,
                        "machine" | "side" | "end" | "laptop" | "box" | "environment" | "setup" | "computer" | "branch"
                    );
                let mine = matches!(next, "my" | "the" | "this" | "that" | "it" | "these" | "them");
                let their =
                    matches!(low, "their" | "his" | "her") && matches!(next, "side" | "end" | "machine" | "branch");
                let your = your || their;
                let last = low == "last" && matches!(next, "week" | "month" | "night" | "time" | "year");
                let guess = matches!(low, "probably" | "presumably" | "hopefully" | "apparently")
                    || (low == "i" && matches!(next, "think" | "believe" | "guess" | "suppose" | "hope"));
                let theory = matches!(low, "in") && matches!(next, "theory" | "principle");
                // "still fails about once in ten runs": it does fail.
                let still = fails && from >= 2 && tokens[from - 2].is("still");
                let once = !still && matches!(low, "once" | "twice") && matches!(next, "in" | "every" | "a" | "out");
                let now_and_then = low == "now" && next == "and" && word(tokens, i + 2) == "then";
                let at_times = matches!(low, "at" | "on") && matches!(next, "times" | "occasion");
                let tried = (i + 2..i + 5).any(|at| matches!(word(tokens, at), "i" | "we"));
                let every = low == "every" && !matches!(next, "time" | "single") && !tried;
                if now_and_then || at_times || every || (low == "from" && next == "time") {
                    return true;
                }
                let luck = low == "by" && matches!(next, "accident" | "chance" | "luck" | "coincidence")
                    || low == "only" && matches!(next, "because" | "if" | "when" | "with" | "after" | "on" | "by")
                    || (low == "for" && word(tokens, i + 2) == "wrong")
                    || low == "depending";
                let you = luck || once || low == "for" && matches!(next, "you" | "them" | "him" | "her" | "others");
                let server = low == "the" && matches!(next, "server" | "remote");
                if has_elsewhere(low) || github || your || last || guess || theory || server || you {
                    return true;
                }
                // "pass even with an invalid key" is the fault of the tests.
                let vague = next == "with" && matches!(word(tokens, i + 2), "a" | "all" | "an" | "any" | "no");
                let even = low == "even"
                    && (matches!(next, "if" | "when" | "though")
                        || vague
                        || fails && matches!(next, "with" | "without"));
                if even {
                    return true;
                }
                if matches!(low, "at" | "in" | "on") && next == "any" {
                    return true;
                }
                let then = past && low == "then" && tokens.get(i + 1).is_none_or(|token| token.punct().is_some());
                let most = low == "for" && matches!(next, "many" | "most" | "some" | "everybody" | "everyone");
                let of_old = past
                    && low == "in"
                    && next == "the"
                    && matches!(word(tokens, i + 2), "last" | "old" | "previous")
                    && !matches!(word(tokens, i + 3), "attempt" | "check" | "run");
                let at_first = fails && low == "on" && next == "the" && word(tokens, i + 2) == "first";
                let purpose = low == "on" && next == "purpose" || low == "by" && next == "design";
                // "The build fails with it, so I stayed on 1": it was tried.
                let tried = fails && low == "with" && matches!(next, "it" | "that" | "them");
                if most || of_old || at_first || purpose || tried {
                    return true;
                }
                let moment = low == "at"
                    && matches!(next, "one" | "some")
                    && matches!(word(tokens, i + 2), "point" | "stage" | "time")
                    || low == "at"
                        && matches!(tokens.get(i + 1).map(|token| &token.tok), Some(Tok::Number(1)))
                        && matches!(word(tokens, i + 2), "point" | "stage" | "time");
                // "Tests pass or fail": both are possible.
                let open = low == "or"
                    && i == from
                    && matches!(next, "break" | "breaks" | "fail" | "fails" | "pass" | "passes");
                if moment || open {
                    return true;
                }
                let daytime = matches!(low, "this" | "the") && matches!(next, "morning" | "afternoon" | "evening")
                    || low == "overnight";
                if past && daytime {
                    return true;
                }
                let month = low == "in" && (MONTHS.contains(&next) || year(tokens, i + 1))
                    || matches!(low, "of" | "on" | "from" | "last") && DAYS.contains(&next);
                if then || (past && month) {
                    return true;
                }
                if fails && low == "before" && mine {
                    return true;
                }
                let variant = matches!(word(tokens, i + 2), "feature" | "features" | "flag");
                if (fails && low == "without" && mine && !variant)
                    || (past
                        && low == "before"
                        && !matches!(next, "and" | "committing" | "pushing")
                        && !(i > 0 && tokens[i - 1].is("as")))
                {
                    return true;
                }
                let trunk = tokens.get(i + 1).is_some_and(|token| {
                    matches!(token.low.as_str(), "main" | "master" | "develop" | "trunk" | "origin/main" | "head")
                });
                let old_base =
                    mine && matches!(word(tokens, i + 2), "old" | "previous" | "base" | "original" | "other");
                if low == "on" && ((fails && trunk) || old_base) {
                    return true;
                }
            }
            _ => {}
        }
        i += 1;
    }
    false
}

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "april", "august", "autumn", "december", "february", "january", "july", "june", "march", "may", "november",
    "october", "september", "spring", "summer", "winter",
];

#[rustfmt::skip]
const DAYS: &[&str] = &[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday",
];

/// "in 2019", "in May", "last week" after a deed: not of this turn.
pub fn dated(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len().min(from + 6)).any(|i| {
        let low = word(tokens, i);
        let next = word(tokens, i + 1);
        (low == "in" && (MONTHS.contains(&next) || year(tokens, i + 1)))
            || matches!(low, "yesterday" | "ago")
            || (matches!(low, "on" | "last") && DAYS.contains(&next))
            || (low == "last" && matches!(next, "week" | "month" | "year" | "night" | "time"))
            || (matches!(low, "last" | "old" | "previous") && matches!(next, "release" | "version"))
    })
}

/// "in 2023"
fn year(tokens: &[Token], i: usize) -> bool {
    matches!(tokens.get(i).map(|token| &token.tok), Some(Tok::Number(n)) if (1990..2100).contains(n))
}

fn has_elsewhere(low: &str) -> bool {
    ELSEWHERE.contains(&low)
}

/// After a comma only what bears on the sentence as a whole: ", I think", ", if you", ", according to".
fn after_comma(tokens: &[Token], i: usize) -> bool {
    let barred = guards().at(tokens, i).is_some_and(|(end, guard)| match guard.bar {
        Bar::Guess => closes(tokens, end) || !matches!(word(tokens, i), "not" | "unclear" | "unsure"),
        Bar::Others => word(tokens, i) == "according" || word(tokens, i) == "as" || closes(tokens, end),
        Bar::Condition => matches!(word(tokens, i), "if" | "unless" | "provided" | "assuming" | "as"),
        _ => false,
    });
    // ", or so", ", or they fail"
    let verb = i + 1 + usize::from(matches!(word(tokens, i + 1), "it" | "they"));
    let not = word(tokens, i) == "or"
        && (matches!(word(tokens, i + 1), "so" | "at")
            || matches!(word(tokens, verb), "break" | "breaks" | "fail" | "fails" | "pass" | "passes"));
    // ", says the README"
    let says = has(SAYING_SORTED, word(tokens, i)) && tokens.get(i + 1).is_some();
    barred || not || says || doubt::at_least(tokens, i)
}

/// ", so I rolled it back": what failed is gone.
fn undone(tokens: &[Token], i: usize) -> bool {
    matches!(word(tokens, i), "so" | "and")
        && word(tokens, i + 1) == "i"
        && (i + 2..tokens.len().min(i + 4))
            .any(|at| matches!(word(tokens, at), "backed" | "dropped" | "reverted" | "rolled" | "undid" | "undone"))
}

const SAYING_SORTED: &[&str] = &["claims", "reports", "said", "says", "states"];

fn closes(tokens: &[Token], end: usize) -> bool {
    tokens
        .get(end)
        .is_none_or(|token| token.punct().is_some() || matches!(token.tok, Tok::Break | Tok::Mark(Mark::Other)))
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn a_tail_may_take_the_claim_back() {
        let at = |text: &str| takes_back(&tokens(text, 0, text.len()), 0, false, false);
        assert!(at("on your machine"));
        assert!(at(", I think"));
        assert!(at("if you set the flag"));
        assert!(!at("now, so I committed if needed"));
        assert!(!at("on 3.11 and 3.12"));
    }
}
