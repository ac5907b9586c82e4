//! Results as they are written down: "88 passed, 0 failed", "42/42", "no errors", "clean", "5 findings left", "✅".

use super::Kind;
use super::figures::{COUNTED, FAILED, IGNORED, PASSED, PROBLEMS, counted, number, ratio, skip};
use super::mark::Mark;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// A result that begins at one token and ends before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    pub end: usize,
    pub passes: bool,
    pub fails: bool,
    pub not_run: bool,
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub total: Option<u64>,
    /// k of n, both said.
    pub ratio: Option<(u64, u64)>,
    /// "all", "all 42", "both".
    pub all: bool,
    /// How many figures were given.
    pub figures: u8,
    /// "any problems": a result only where it is denied.
    pub any: bool,
    /// A word that only tests have: passed, failed, tests.
    pub of_tests: bool,
    /// Told in the past: "3 failed".
    pub past: bool,
}

impl Outcome {
    /// Failing outranks passing: "2 failed, 40 passed".
    pub fn verdict(&self) -> Option<bool> {
        if self.fails {
            Some(false)
        } else if self.passes {
            Some(true)
        } else {
            None
        }
    }
}

#[rustfmt::skip]
const GOOD: &[&str] = &[
    "clean", "clear", "fine", "green", "happy", "ok", "okay", "pass", "passed", "passes", "passing", "succeeded",
    "succeeds", "success", "successful", "successfully",
];
#[rustfmt::skip]
const BAD: &[&str] = &[
    "broken", "error", "errors", "fail", "failed", "failing", "fails", "failure", "failures", "red",
];

/// Reads the result that begins at `from`, if one does.
pub fn read(tokens: &[Token], from: usize, kind: Option<Kind>) -> Option<Outcome> {
    let mut outcome = Outcome { end: from, ..Outcome::default() };
    let mut at = from;
    let mut open = 0usize;
    let mut any = false;
    loop {
        let mut start = at;
        // What may stand between two parts of one result.
        while let Some(token) = tokens.get(start) {
            let between = match token.tok {
                Tok::Punct('(') => {
                    open += 1;
                    true
                }
                Tok::Punct(')') if open > 0 => {
                    open -= 1;
                    if any {
                        outcome.end = start + 1;
                    }
                    true
                }
                Tok::Punct(',' | '/' | '&' | '—' | ':' | ';' | '·' | '+' | '=' | '|') => any,
                Tok::Word => {
                    any && matches!(token.low.as_str(), "and" | "with" | "total")
                        || (any && token.is("in") && word(tokens, start + 1) == "total")
                }
                // "ok. 42 passed; 0 failed"
                Tok::Punct('.') => any && tokens.get(start + 1).is_some_and(|next| matches!(next.tok, Tok::Number(_))),
                _ => false,
            };
            if !between {
                break;
            }
            start += 1;
        }
        match part(tokens, start, kind, &mut outcome) {
            Some(end) => {
                any = true;
                at = end;
                outcome.end = end;
                while open > 0 && tokens.get(at).and_then(Token::punct) == Some(')') {
                    open -= 1;
                    at += 1;
                    outcome.end = at;
                }
            }
            None => break,
        }
    }
    settle(&mut outcome);
    (any && (outcome.passes || outcome.fails || outcome.not_run)).then_some(outcome)
}

fn settle(outcome: &mut Outcome) {
    if let Some((k, n)) = outcome.ratio {
        outcome.passed = outcome.passed.or(Some(k));
        if k == n {
            outcome.failed = outcome.failed.or(Some(0));
        }
        outcome.fails |= k < n;
        outcome.passes |= k == n;
    }
    if let (Some(total), None) = (outcome.total, outcome.passed)
        && outcome.passes
        && !outcome.fails
    {
        outcome.passed = Some(total);
    }
    if outcome.all && outcome.passes && outcome.passed.is_some() && outcome.failed.is_none() && !outcome.fails {
        outcome.failed = Some(0);
    }
}

/// One part: a mark, a count, a word. Returns where it ends.
fn part(tokens: &[Token], i: usize, kind: Option<Kind>, outcome: &mut Outcome) -> Option<usize> {
    let token = tokens.get(i)?;
    match &token.tok {
        // "✅ 2 / ❌ 1"
        Tok::Mark(mark @ (Mark::Good | Mark::Bad)) if kind == Some(Kind::Tests) && bare(tokens, i + 1).is_some() => {
            let n = bare(tokens, i + 1)?;
            let good = *mark == Mark::Good;
            outcome.passes |= good == (n > 0);
            outcome.fails |= !good && n > 0;
            let place = if good { &mut outcome.passed } else { &mut outcome.failed };
            *place = place.or(Some(n));
            outcome.figures = outcome.figures.saturating_add(1);
            Some(i + 2)
        }
        Tok::Mark(Mark::Good) => {
            outcome.passes = true;
            Some(i + 1)
        }
        Tok::Mark(Mark::Bad) => {
            outcome.fails = true;
            Some(i + 1)
        }
        Tok::Mark(Mark::Other) if part_follows_mark(tokens, i + 1) => Some(i + 1),
        Tok::Ratio(k, n) => Some(ratio(tokens, i + 1, (*k, *n), outcome)),
        Tok::Number(n) => number(tokens, i, *n, kind, outcome),
        // "100% passed", "100% tests passed"
        Tok::Ident if token.low == "100%" => {
            let at = counted(tokens, i + 1).0;
            let passed = matches!(word(tokens, at), "pass" | "passed" | "passing");
            outcome.passes |= passed;
            outcome.all |= passed;
            passed.then_some(at + 1)
        }
        Tok::Word => words_part(tokens, i, kind, outcome),
        _ => None,
    }
}

/// A number with nothing that it counts.
fn bare(tokens: &[Token], i: usize) -> Option<u64> {
    let alone = tokens.get(i + 1).is_none_or(|token| {
        matches!(token.punct(), Some('/' | ',' | '|' | '·' | ';')) || matches!(token.tok, Tok::Mark(_))
    });
    match tokens.get(i).map(|token| &token.tok) {
        Some(Tok::Number(n)) if alone => Some(*n),
        _ => None,
    }
}

fn part_follows_mark(tokens: &[Token], i: usize) -> bool {
    tokens.get(i).is_some_and(|token| matches!(token.tok, Tok::Number(_) | Tok::Ratio(..)))
}

fn words_part(tokens: &[Token], i: usize, kind: Option<Kind>, outcome: &mut Outcome) -> Option<usize> {
    let low = word(tokens, i);
    if matches!(low, "no" | "without" | "any") {
        return none_of(
            tokens,
            skip(tokens, i + 1, &["a", "an", "any", "single", "new", "more", "further", "remaining", "other"]),
            kind,
            outcome,
        );
    }
    if low == "not" {
        let at = skip(tokens, i + 1, &["yet", "been", "all"]);
        match word(tokens, at) {
            "run" | "executed" | "started" | "ran" => outcome.not_run = true,
            word if GOOD.contains(&word) => outcome.fails = true,
            _ => return None,
        }
        return Some(at + 1);
    }
    if matches!(low, "all" | "both" | "everything" | "everything's") {
        return all(tokens, i + 1, outcome);
    }
    // "Passed: 42"
    if tokens.get(i + 1).and_then(Token::punct) == Some(':')
        && let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(i + 2)
    {
        let n = *n;
        if PASSED.contains(&low) {
            outcome.passed = Some(n);
            outcome.passes |= n > 0;
        } else if FAILED.contains(&low) || PROBLEMS.contains(&low) {
            outcome.failed = if kind == Some(Kind::Tests) { Some(n) } else { outcome.failed };
            outcome.fails |= n > 0;
            outcome.passes |= n == 0;
        } else if !IGNORED.contains(&low) && low != "total" {
            return None;
        }
        outcome.of_tests |= matches!(low, "passed" | "failed");
        outcome.figures = outcome.figures.saturating_add(1);
        return Some(i + 3);
    }
    if tokens.get(i + 1).and_then(Token::punct) == Some(':')
        && PASSED.contains(&low)
        && let Some(Token { tok: Tok::Ratio(k, n), .. }) = tokens.get(i + 2)
    {
        return Some(ratio(tokens, i + 3, (*k, *n), outcome));
    }
    if matches!(low, "exit" | "exits" | "exited" | "status" | "code" | "rc" | "returncode") {
        let at = skip(tokens, i + 1, &["code", "status", "with"]);
        if let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(at) {
            outcome.passes |= *n == 0;
            outcome.fails |= *n != 0;
            return Some(at + 1);
        }
        return None;
    }
    if low == "nothing"
        && !matches!(word(tokens, i + 1), "but" | "except" | "other")
        && result_ends(
            tokens,
            skip(tokens, i + 1, &["to", "change", "complain", "fix", "reformat", "report", "about", "say"]),
        )
    {
        outcome.passes = true;
        return Some(i + 1);
    }
    if matches!(low, "now" | "still" | "completely" | "fully" | "again" | "already") {
        let next = word(tokens, i + 1);
        return if GOOD.contains(&next) || BAD.contains(&next) || next == "all" {
            words_part(tokens, i + 1, kind, outcome)
        } else {
            None
        };
    }
    if !result_ends(tokens, i + 1) {
        return None;
    }
    if GOOD.contains(&low) {
        outcome.passes = true;
    } else if BAD.contains(&low) {
        outcome.fails = true;
    } else {
        return None;
    }
    Some(i + 1)
}

/// "no failures", "without errors", "no failing tests".
fn none_of(tokens: &[Token], at: usize, kind: Option<Kind>, outcome: &mut Outcome) -> Option<usize> {
    let mut at = at;
    if matches!(word(tokens, at), "test" | "tests") && FAILED.contains(&word(tokens, at + 1)) {
        at += 1;
    }
    at = skip(tokens, at, &["lint", "type", "compiler", "clippy", "eslint", "compile", "build", "style"]);
    let low = word(tokens, at);
    if FAILED.contains(&low) {
        outcome.failed = outcome.failed.or(Some(0));
        at += usize::from(COUNTED.contains(&word(tokens, at + 1)));
    } else {
        let other =
            matches!(low, "warning" | "warnings" | "output" | "complaints" | "changes" | "incident" | "trouble");
        let compound = low == "errors" && matches!(word(tokens, at + 1), "handling" | "messages");
        if compound || !(other || PROBLEMS.contains(&low)) {
            return None;
        }
    }
    if matches!(low, "changes" | "output") && kind != Some(Kind::Format) && kind != Some(Kind::Lint) {
        return None;
    }
    at += 1;
    // "no errors or warnings"
    while (matches!(word(tokens, at), "or" | "and") || tokens.get(at).and_then(Token::punct) == Some('/'))
        && (PROBLEMS.contains(&word(tokens, at + 1)) || matches!(word(tokens, at + 1), "warnings" | "failures"))
    {
        at += 2;
    }
    outcome.passes = true;
    Some(skip(tokens, at, &["left", "remaining", "remain", "found", "reported", "any", "longer"]))
}

/// After "all": "pass", "42 pass", "of them pass", "green".
fn all(tokens: &[Token], i: usize, outcome: &mut Outcome) -> Option<usize> {
    let mut at = skip(tokens, i, &["of", "them", "these", "the"]);
    let mut total = None;
    if let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(at) {
        total = Some(*n);
        at += 1;
    }
    at = counted(tokens, at).0;
    // "`go test ./...` – all packages pass"
    at = skip(tokens, at, &["crates", "files", "modules", "packages", "suites"]);
    at = skip(tokens, at, &["of", "them", "are", "is", "now", "have", "still"]);
    let low = word(tokens, at);
    if low == "good" || !GOOD.contains(&low) && !BAD.contains(&low) || !result_ends(tokens, at + 1) {
        return None;
    }
    outcome.all = true;
    if BAD.contains(&low) {
        outcome.fails = true;
        outcome.failed = outcome.failed.or(total);
    } else {
        outcome.passes = true;
        outcome.passed = outcome.passed.or(total);
        if total.is_some() {
            outcome.failed = outcome.failed.or(Some(0));
        }
    }
    outcome.figures = outcome.figures.saturating_add(u8::from(total.is_some()));
    Some(at + 1)
}

/// Whether a result may end before this token: no noun follows that it would belong to.
pub fn result_ends(tokens: &[Token], i: usize) -> bool {
    match tokens.get(i) {
        None => true,
        Some(token) => match token.tok {
            // "passed as arguments" is another passing than "pass as expected".
            Tok::Word if token.low == "as" => {
                matches!(
                    word(tokens, i + 1),
                    "things" | "well" | "expected" | "before" | "usual" | "of" | "they" | "it" | "is"
                ) || word(tokens, i + 1) == "you" && word(tokens, i + 2) == "can"
            }
            // "With all tests green I committed it"
            Tok::Word if matches!(token.low.as_str(), "i" | "we") => true,
            Tok::Word if token.low == "right" => word(tokens, i + 1) == "now",
            Tok::Word if token.low == "the" => word(tokens, i + 1) == "whole" && word(tokens, i + 2) == "time",
            Tok::Word if matches!(token.low.as_str(), "up" | "down") => matches!(word(tokens, i + 1), "from" | "by"),
            Tok::Word => {
                has(words::AFTER_RESULT, &token.low)
                    || matches!(token.low.as_str(), "out" | "total" | "left" | "remaining" | "not")
            }
            Tok::Ident | Tok::Path | Tok::Hash | Tok::Command(_) => false,
            _ => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn of(text: &str, kind: Kind) -> Option<(Option<bool>, Option<u64>, Option<u64>)> {
        let tokens = tokens(text, 0, text.len());
        read(&tokens, 0, Some(kind)).map(|outcome| (outcome.verdict(), outcome.passed, outcome.failed))
    }

    #[test]
    fn counts_are_read_as_runners_and_people_write_them() {
        let tests = |text| of(text, Kind::Tests);
        assert_eq!(tests("88 passed, 0 failed"), Some((Some(true), Some(88), Some(0))));
        assert_eq!(tests("2 failed, 40 passed, 3 skipped"), Some((Some(false), Some(40), Some(2))));
        assert_eq!(tests("57 passed, 3 skipped"), Some((Some(true), Some(57), None)));
        assert_eq!(tests("42/42 passing"), Some((Some(true), Some(42), Some(0))));
        assert_eq!(tests("39 of 42 pass"), Some((Some(false), Some(39), None)));
        assert_eq!(tests("4 of 9 fail"), Some((Some(false), None, Some(4))));
        assert_eq!(tests("all 42 pass"), Some((Some(true), Some(42), Some(0))));
        assert_eq!(tests("77 tests, no failures"), Some((Some(true), Some(77), Some(0))));
        assert_eq!(tests("Passed: 12, Failed: 1"), Some((Some(false), Some(12), Some(1))));
        assert_eq!(tests("42 tests"), None);
        assert_eq!(tests("pass the flag"), None);
    }

    #[test]
    fn other_checks_have_problems_or_none() {
        assert_eq!(of("5 findings left", Kind::Lint), Some((Some(false), None, None)));
        assert_eq!(of("no errors or warnings", Kind::Lint), Some((Some(true), None, None)));
        assert_eq!(of("clean", Kind::Lint).map(|r| r.0), Some(Some(true)));
        assert_eq!(of("clean up", Kind::Lint), None);
        assert_eq!(of("✅", Kind::Build).map(|r| r.0), Some(Some(true)));
        assert_eq!(of("exit code 1", Kind::Build).map(|r| r.0), Some(Some(false)));
        assert_eq!(of("not run", Kind::Lint).map(|r| r.0), Some(None));
    }
}
