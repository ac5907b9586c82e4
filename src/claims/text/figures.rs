//! Numbers of tests and of problems: "39 of the 42 tests pass", "2 pre-existing failures", "5 findings left".

use super::Kind;
use super::outcome::{Outcome, result_ends};
use super::token::{Tok, Token, word};

#[rustfmt::skip]
pub const PASSED: &[&str] = &[
    "green", "ok", "pass", "passed", "passes", "passing", "succeed", "succeeded", "successful",
];
#[rustfmt::skip]
pub const FAILED: &[&str] = &[
    "broken", "errored", "fail", "failed", "failing", "fails", "failure", "failures", "red",
];
#[rustfmt::skip]
pub const PROBLEMS: &[&str] = &[
    "complaint", "complaints", "diagnostic", "diagnostics", "diff", "differences", "diffs", "error", "errors",
    "finding", "findings", "hits", "issue", "issues", "lints", "offences", "offenses", "problem", "problems",
    "violation", "violations",
];
#[rustfmt::skip]
pub const IGNORED: &[&str] = &[
    "deselected", "files", "filtered", "flaky", "ignored", "measured", "pending", "skip", "skipped", "skips",
    "suites", "todo", "warning", "warnings", "xfailed", "xpassed",
];
#[rustfmt::skip]
pub const COUNTED: &[&str] = &[
    "assertions", "cases", "checks", "examples", "specs", "test", "tests",
];
/// A noun or a verdict by which tests are counted.
pub fn is_count(word: &str) -> bool {
    COUNTED.contains(&word) || IGNORED.contains(&word) || FAILED.contains(&word) || PASSED.contains(&word)
}

pub fn counted(tokens: &[Token], mut i: usize) -> (usize, bool) {
    let start = i;
    while matches!(word(tokens, i), "unit" | "integration" | "regression" | "existing" | "new" | "backend" | "frontend")
    {
        i += 1;
    }
    if COUNTED.contains(&word(tokens, i)) { (i + 1, true) } else { (start, false) }
}

pub fn ratio(tokens: &[Token], i: usize, (k, n): (u64, u64), outcome: &mut Outcome) -> usize {
    let (at, tests) = counted(tokens, i);
    outcome.figures = outcome.figures.saturating_add(2);
    outcome.of_tests |= tests;
    let at = skip(tokens, at, &["have", "now", "are", "all"]);
    if FAILED.contains(&word(tokens, at)) {
        outcome.failed = Some(k);
        outcome.fails |= k > 0;
        outcome.of_tests = true;
        return at + 1;
    }
    outcome.ratio = outcome.ratio.or(Some((k, n)));
    if PASSED.contains(&word(tokens, at)) {
        outcome.of_tests = true;
        return at + 1;
    }
    if tests { counted(tokens, i).0 } else { i }
}

pub fn skip(tokens: &[Token], mut i: usize, over: &[&str]) -> usize {
    while over.contains(&word(tokens, i)) {
        i += 1;
    }
    i
}

pub fn number(tokens: &[Token], i: usize, n: u64, kind: Option<Kind>, outcome: &mut Outcome) -> Option<usize> {
    let mut at = i + 1;
    // "39 of 42", "39 out of the 42"
    let mut of = at;
    if word(tokens, of) == "out" {
        of += 1;
    }
    if word(tokens, of) == "of" {
        let after = skip(tokens, of + 1, &["the", "all"]);
        if let Some(Token { tok: Tok::Number(total), .. }) = tokens.get(after) {
            return Some(ratio(tokens, after + 1, (n, *total), outcome));
        }
    }
    // "96 files already formatted", "3 files left unchanged"
    if kind == Some(Kind::Format) && matches!(word(tokens, at), "file" | "files") {
        let done = skip(tokens, at + 1, &["are", "were", "already", "left", "would", "be", "is"]);
        if matches!(word(tokens, done), "formatted" | "unchanged") && word(tokens, done - 1) != "be" {
            outcome.passes = true;
            return Some(done + 1);
        }
    }
    let other_kind = kind.is_some_and(|kind| kind != Kind::Tests);
    at = skip(
        tokens,
        at,
        &[
            "pre-existing",
            "preexisting",
            "old",
            "known",
            "remaining",
            "unrelated",
            "new",
            "lint",
            "type",
            "clippy",
            "compiler",
            "compile",
            "build",
            "ts",
            "eslint",
            "formatting",
            "of",
            "them",
        ],
    );
    // "2 lint warnings" is a number of problems, "10 build red" is none.
    let of_check = (i + 1..at).any(|j| {
        matches!(
            word(tokens, j),
            "lint" | "type" | "clippy" | "compiler" | "compile" | "build" | "ts" | "eslint" | "formatting"
        )
    });
    let (after, tests) = counted(tokens, at);
    at = after;
    outcome.of_tests |= tests;
    at = skip(tokens, at, &["have", "has", "still", "now", "are", "were", "was", "is", "also", "run", "ran"]);
    let verdict = word(tokens, at);
    if of_check
        && !tests
        && !PROBLEMS.contains(&verdict)
        && !matches!(verdict, "warning" | "warnings" | "failure" | "failures")
    {
        return None;
    }
    let counts = COUNTED.contains(&word(tokens, at + 1)) && result_ends(tokens, at + 2);
    if PASSED.contains(&verdict) && (result_ends(tokens, at + 1) || matches!(verdict, "green" | "passing") && counts) {
        at += usize::from(!result_ends(tokens, at + 1));
        outcome.passed = Some(outcome.passed.unwrap_or(0).saturating_add(n));
        outcome.passes |= n > 0;
        outcome.of_tests = true;
    } else if FAILED.contains(&verdict) && (result_ends(tokens, at + 1) || COUNTED.contains(&word(tokens, at + 1))) {
        outcome.failed = Some(outcome.failed.unwrap_or(0).saturating_add(n));
        outcome.fails |= n > 0;
        outcome.past |= n > 0 && verdict == "failed";
        outcome.passes |= n == 0;
        outcome.of_tests |= verdict != "failures" && verdict != "failure";
        at = if COUNTED.contains(&word(tokens, at + 1)) { at + 1 } else { at };
    } else if PROBLEMS.contains(&verdict) {
        if kind == Some(Kind::Tests) && n > 0 {
            outcome.failed = Some(n);
        }
        outcome.fails |= n > 0;
        outcome.passes |= n == 0;
    } else if matches!(verdict, "warning" | "warnings") && other_kind && kind != Some(Kind::Build) {
        // "0 errors, 2 warnings" passes.
        outcome.fails |= n > 0 && !outcome.passes;
        outcome.passes |= n == 0;
    } else if matches!(verdict, "warning" | "warnings") && n == 0 {
        outcome.passes |= other_kind;
    } else if IGNORED.contains(&verdict) {
        at += usize::from(verdict == "filtered" && word(tokens, at + 1) == "out");
    } else if tests && at == after && result_ends(tokens, after) {
        outcome.total = Some(n);
        outcome.figures = outcome.figures.saturating_add(1);
        return Some(after);
    } else {
        return None;
    }
    outcome.figures = outcome.figures.saturating_add(1);
    Some(skip(tokens, at + 1, &["left", "remaining", "remain", "found", "reported", "so"]))
}
