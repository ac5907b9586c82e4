//! What follows a check and narrows it: "in the `billing` package", "for the two files I touched", "except the flaky one".

use super::Kind;
use super::lead::{exception_number, exception_words};
use super::outcome::{self, Outcome};
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// What stands between a noun phrase and its verb group, or after the verb group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tail {
    pub end: usize,
    pub outcome: Option<Outcome>,
    /// "except two": an exception, and its number if one is given.
    pub exception: bool,
    pub excepted: Option<u64>,
    /// Tokens of the words that name a subset.
    pub subset: Option<(usize, usize)>,
}

/// Nouns after a preposition that choose no part.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "again", "all", "attempt", "both", "branch", "build", "change", "changes", "check", "checkout", "code",
    "codebase", "commit", "completeness", "configuration", "configurations", "container", "crates", "database",
    "debug", "default", "end", "entire", "environment", "environments", "errors", "everything", "failures",
    "feature", "features", "first", "fix", "flag", "flags", "full", "good", "head", "headless", "issues", "it",
    "linux", "locale", "loop", "machine", "macos", "me", "minute", "minutes", "mode", "modes", "ms", "next",
    "nightly", "node", "now", "once", "order", "packages", "parallel", "place", "platforms", "problems", "project",
    "python", "rebased", "reference", "regressions", "release", "repo", "repository", "run", "runs", "s", "sandbox",
    "sec", "second", "seconds", "sequence", "serial", "settings", "shell", "sides", "stable", "state", "strict",
    "suite", "summary", "targets", "test", "tests", "that", "them", "these", "this", "those", "time", "times", "too",
    "toolchain", "toolchains", "total", "tree", "tries", "try", "us", "version", "versions", "vm", "warnings",
    "whole", "windows", "workspace", "you",
];

/// Nouns that always name a part of a code base.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "component", "components", "crate", "directory", "file", "files", "folder", "lines", "module", "modules",
    "package", "path", "subpackage", "subset",
];

/// Whether the words from `i` (a preposition) to `end` name a part.
pub fn names_part(tokens: &[Token], i: usize, end: usize, kind: Kind) -> bool {
    let preposition = word(tokens, i);
    if !matches!(
        preposition,
        "in" | "for"
            | "of"
            | "under"
            | "from"
            | "on"
            | "within"
            | "covering"
            | "around"
            | "inside"
            | "across"
            | "touching"
            | "that"
            | "which"
            | "i"
            | "we"
            | "about"
            | "against"
            | "related"
            | "affected"
            | "you"
    ) {
        return false;
    }
    let inner = tokens.get(i + 1..end).unwrap_or_default();
    let all = inner.iter().any(|token| {
        matches!(token.low.as_str(), "all" | "every" | "whole" | "entire" | "full" | "workspace" | "each")
    });
    if all {
        return false;
    }
    // "33 tests in 6 files"
    let spread = matches!(inner.first().map(|token| &token.tok), Some(Tok::Number(_)));
    if spread && matches!(preposition, "in" | "across") {
        return false;
    }
    if inner.iter().any(|token| token.tok == Tok::Path || PARTS.contains(&token.low.as_str())) {
        return true;
    }
    if matches!(preposition, "on" | "across" | "against")
        || (kind != Kind::Tests && !matches!(preposition, "for" | "in" | "of"))
    {
        return false;
    }
    let content = |token: &&Token| match token.tok {
        Tok::Word => {
            !has(words::DETERMINERS, &token.low)
                && !has(words::ADVERBS, &token.low)
                && !NEUTRAL.contains(&token.low.as_str())
        }
        Tok::Ident => token.low.chars().next().is_some_and(char::is_alphabetic) && !token.low.ends_with("ms"),
        _ => false,
    };
    if matches!(preposition, "that" | "which" | "i" | "we" | "you") {
        return true;
    }
    let words: Vec<&Token> = inner.iter().filter(content).collect();
    let neutral_head = inner
        .iter()
        .rev()
        .find(|token| token.tok == Tok::Word)
        .is_some_and(|token| NEUTRAL.contains(&token.low.as_str()));
    !words.is_empty() && !neutral_head
}

/// Whether the words after a noun phrase name a part.
pub fn follows(tokens: &[Token], i: usize, kind: Kind) -> bool {
    names_part(tokens, i, phrase_end(tokens, i), kind)
}

/// How far a phrase that a preposition opens reaches: its words up to the next division.
pub fn phrase_end(tokens: &[Token], i: usize) -> usize {
    let mut at = i + 1;
    while at < tokens.len() && at < i + 9 {
        let token = &tokens[at];
        let stop = match &token.tok {
            Tok::Word => {
                let low = token.low.as_str();
                has(words::PREPOSITIONS, low) && !matches!(low, "of")
                    || has(words::CONJUNCTIONS, low)
                    || has(words::BE, low)
                    || has(words::MODALS, low)
                    || matches!(low, "that" | "which" | "not" | "if" | "when")
            }
            Tok::Ident | Tok::Path | Tok::Number(_) | Tok::Hash | Tok::Command(_) => false,
            _ => true,
        };
        if stop {
            break;
        }
        at += 1;
    }
    at
}

/// Reads what follows a finished predicate.
pub fn tail(tokens: &[Token], from: usize, kind: Kind) -> Tail {
    let mut tail = Tail { end: from, ..Tail::default() };
    let mut at = from;
    for _ in 0..6 {
        while has(words::ADVERBS, word(tokens, at)) && !matches!(word(tokens, at), "all" | "both" | "as") {
            at += 1;
        }
        let comma = matches!(tokens.get(at).and_then(Token::punct), Some(',' | '—' | '('));
        if let Some(after) = exception_words(tokens, at + usize::from(comma)) {
            tail.exception = true;
            tail.excepted = exception_number(tokens, after);
            tail.end = clause_end(tokens, after);
            return tail;
        }
        if tail.outcome.is_none() {
            let opens = matches!(tokens.get(at).and_then(Token::punct), Some(',' | ':' | '—' | '→' | '(' | '|' | '='))
                || matches!(word(tokens, at), "with" | "at" | "and" | "in")
                || matches!(tokens.get(at).map(|t| &t.tok), Some(Tok::Mark(_)));
            let open = usize::from(opens && !matches!(tokens[at].tok, Tok::Mark(_)) && tokens[at].punct() != Some('('));
            let start = at + open + usize::from(matches!(word(tokens, at + open), "a" | "only" | "just"));
            let figures = |outcome: &Outcome| {
                outcome.figures > 0
                    || outcome.failed == Some(0)
                    || matches!(tokens[at].tok, Tok::Mark(_))
                    || outcome.passes && kind != Kind::Tests && !tokens[at].is("and")
            };
            let here = matches!(tokens.get(at).map(|t| &t.tok), Some(Tok::Ratio(..)))
                || matches!(tokens.get(at).map(|t| &t.tok), Some(Tok::Number(_)));
            if (opens || here)
                && let Some(outcome) =
                    outcome::read(tokens, start, Some(kind)).filter(figures).or_else(|| total(tokens, at))
            {
                tail.end = outcome.end;
                at = outcome.end;
                tail.outcome = Some(outcome);
                continue;
            }
        }
        let low = word(tokens, at);
        if !has(words::PREPOSITIONS, low) {
            break;
        }
        let end = phrase_end(tokens, at);
        if names_part(tokens, at, end, kind) {
            tail.subset = tail.subset.or(Some((at, end)));
            tail.end = end;
        }
        at = end;
        if matches!(low, "without" | "with" | "after" | "before") && tokens.get(at).and_then(Token::punct) != Some('(')
        {
            break;
        }
    }
    tail
}

/// "(42 tests)", "across 42 tests": a bare total after "pass".
fn total(tokens: &[Token], at: usize) -> Option<Outcome> {
    let open =
        tokens.get(at).is_some_and(|token| matches!(token.punct(), Some('(' | ',' | '—' | ':')) || token.is("with"));
    let start = at + usize::from(open);
    let all = word(tokens, start) == "all";
    let start = start + usize::from(all);
    let Some(Token { tok: Tok::Number(n), .. }) = tokens.get(start) else { return None };
    let mut end = start + 1;
    while matches!(word(tokens, end), "unit" | "integration" | "new" | "total") {
        end += 1;
    }
    let tests = matches!(word(tokens, end), "tests" | "test" | "specs" | "examples" | "cases");
    let bare =
        tokens.get(at).and_then(Token::punct) == Some('(') && tokens.get(end).and_then(Token::punct) == Some(')');
    let closed =
        tokens.get(end + 1).is_none_or(|token| token.punct().is_some() || token.is("in") || token.is("across"));
    let comma = tokens.get(at).and_then(Token::punct) == Some(',');
    let of_them = (all || comma) && word(tokens, end) == "of" && matches!(word(tokens, end + 1), "them" | "these");
    if !(tests && closed || bare || of_them) {
        return None;
    }
    // "all 17 of them"
    let them = word(tokens, end) == "of" && matches!(word(tokens, end + 1), "them" | "these");
    end += usize::from(tests) + if them { 2 } else { 0 };
    end += usize::from(tokens.get(end).and_then(Token::punct) == Some(')'));
    Some(Outcome {
        end,
        passes: true,
        passed: Some(*n),
        failed: all.then_some(0),
        all,
        figures: 1,
        ..Outcome::default()
    })
}

/// The end of the clause: the next punctuation outside brackets, or "and" with a new verb.
fn clause_end(tokens: &[Token], from: usize) -> usize {
    let mut at = from;
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        match token.punct() {
            Some('(') => depth += 1,
            Some(')') if depth == 0 => break,
            Some(')') => depth -= 1,
            Some(',' | ';' | '—' | ':' | '|') if depth == 0 => break,
            _ => {}
        }
        if depth == 0 && matches!(token.tok, Tok::Mark(_))
            || token.is("because")
            || token.is("but")
            || token.is("which")
        {
            break;
        }
        at += 1;
    }
    at
}
