//! What a verb such as "reports", "ended with" or "exits" is followed by.

use super::Kind;
use super::figures;
use super::outcome::{self, Outcome, result_ends};
use super::predicates::Verdict;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// What follows "reports", "ended with": a result. After "does not report" only "any errors" makes one.
pub fn followed(tokens: &[Token], end: usize, kind: Kind, negated: bool) -> Option<Outcome> {
    let mut start = end;
    while matches!(word(tokens, start), "that" | "a" | "an" | "only" | "just" | "now" | "still" | "total" | "up") {
        start += 1;
    }
    if tokens.get(start).and_then(Token::punct) == Some(':') {
        start += 1;
    }
    // "exits with 101"
    let exits = matches!(word(tokens, end.wrapping_sub(1)), "exit" | "exits" | "exited")
        || matches!(word(tokens, end.wrapping_sub(2)), "exit" | "exits" | "exited");
    if let (true, Some(Tok::Number(n))) = (exits, tokens.get(start).map(|token| &token.tok)) {
        return Some(Outcome { end: start + 1, passes: *n == 0, fails: *n != 0, ..Outcome::default() });
    }
    if word(tokens, start) == "none" && result_ends(tokens, start + 1) && !negated {
        return Some(Outcome { end: start + 1, passes: true, ..Outcome::default() });
    }
    let outcome = outcome::read(tokens, start, Some(kind)).or_else(|| complaint(tokens, end, start, kind))?;
    // A mark after a verb is decoration, and a bare word after "has" is its participle.
    let perfect = has(words::HAVE, word(tokens, end.wrapping_sub(1)));
    if perfect
        && outcome.figures == 0
        && !matches!(word(tokens, start), "no" | "zero" | "errors" | "failures" | "0" | "nothing")
    {
        return None;
    }
    let ran = matches!(
        word(tokens, end.wrapping_sub(1)),
        "run"
            | "runs"
            | "ran"
            | "go"
            | "goes"
            | "went"
            | "end"
            | "ended"
            | "build"
            | "builds"
            | "built"
            | "compile"
            | "compiles"
            | "compiled"
    );
    if ran
        && outcome.figures == 0
        && !matches!(word(tokens, start), "no" | "without" | "successfully" | "clean" | "fine" | "green")
    {
        return None;
    }
    if negated {
        return (word(tokens, start) == "any" && outcome.passes).then_some(outcome);
    }
    // "Neither of them reports any problems": the subject denies it.
    let any = word(tokens, start) == "any";
    Some(if any { Outcome { any, passes: false, fails: true, failed: None, ..outcome } } else { outcome })
}

/// "reports differences in three files", "finds some errors".
fn complaint(tokens: &[Token], verb_end: usize, start: usize, kind: Kind) -> Option<Outcome> {
    let reports = matches!(
        word(tokens, verb_end.wrapping_sub(1)),
        "report"
            | "reports"
            | "reported"
            | "finds"
            | "found"
            | "find"
            | "shows"
            | "show"
            | "flags"
            | "has"
            | "have"
            | "lists"
            | "detects"
    );
    let at = start + usize::from(matches!(word(tokens, start), "some" | "several" | "the" | "new" | "many" | "these"));
    let problems = matches!(
        word(tokens, at),
        "errors"
            | "differences"
            | "issues"
            | "problems"
            | "warnings"
            | "diffs"
            | "violations"
            | "findings"
            | "failures"
    );
    // "reports one needless borrow"
    let counted = matches!(tokens.get(at).map(|token| &token.tok), Some(Tok::Number(n)) if *n > 0);
    let noun =
        tokens.get(at + 1).is_some_and(|token| token.tok == Tok::Word) && !figures::is_count(word(tokens, at + 1));
    let other = matches!(
        word(tokens, at + 1),
        "rules" | "rule" | "times" | "lines" | "seconds" | "of" | "out" | "modules" | "suites" | "hints"
    );
    if reports && counted && noun && !other && matches!(kind, Kind::Lint | Kind::Typecheck) {
        return Some(Outcome { end: at + 1, fails: true, ..Outcome::default() });
    }
    let fits = kind != Kind::Tests || word(tokens, at) == "failures";
    (reports && problems && fits).then_some(Outcome { end: at + 1, fails: true, ..Outcome::default() })
}

/// Whether the words after "pass" or "fail" leave it a result.
pub fn follows(tokens: &[Token], end: usize, verdict: Verdict) -> bool {
    let low = word(tokens, end);
    let through =
        low == "through" || low == "over" || (low == "for" && verdict == Verdict::Pass && word(tokens, end + 1) == "a");
    let about = verdict == Verdict::Fail
        && matches!(low, "about" | "that" | "to" | "by" | "out" | "with" | "when" | "one" | "intermittently");
    let every = verdict == Verdict::Pass && low == "every" && matches!(word(tokens, end + 1), "time" | "single");
    let after = result_ends(tokens, end)
        || every
        || about
        || has(words::HABITUAL, low)
        || (has(words::ADVERBS, low) && low != "as")
        || low == "loudly";
    !through && after
}
