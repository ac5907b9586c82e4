//! Noun phrases that name a check: "all 42 tests in the `billing` package", "the full suite", "clippy", "no type errors".

use std::sync::OnceLock;

use super::Kind;
use super::determiner::widen;
use super::nouns::{Form, NOUNS, Noun};
use super::phrase::Index;
use super::token::{Tok, Token, word};
use super::words::has;

/// A noun phrase: tokens `start..end` of the sentence, the noun itself from `head`.
#[derive(Debug, Clone, PartialEq)]
pub struct NounPhrase {
    pub start: usize,
    pub head: usize,
    pub end: usize,
    pub kind: Kind,
    pub form: Form,
    pub amount: Amount,
    /// "the", "our": known ones.
    pub definite: bool,
    pub number: Option<u64>,
    /// "39 of 42", "42/42".
    pub ratio: Option<(u64, u64)>,
    /// Tokens of the words that name a subset.
    pub subset: Option<(usize, usize)>,
    pub runner: Option<&'static str>,
    /// A runner named as the subject itself.
    pub by_command: bool,
    /// The arguments of that command that narrow it.
    pub filter: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Bare,
    /// all, every, each, both
    All,
    /// "all but two"
    AllBut(u64),
    /// no, none of the, not a single, neither
    No,
    /// any: with "not", none
    Any,
    /// not all, not every
    NotAll,
    /// most, some, several, a few, the other, the rest of
    Some,
    /// a, one
    One,
}

pub fn nouns() -> &'static Index<Noun> {
    static INDEX: OnceLock<Index<Noun>> = OnceLock::new();
    INDEX.get_or_init(|| Index::new(NOUNS, |noun| noun.phrase))
}

/// All noun phrases of the sentence that name a check, in order.
pub fn phrases(tokens: &[Token]) -> Vec<NounPhrase> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let before = out.len();
        let next = head(tokens, i, &mut out);
        if out.len() > before && i > 0 {
            for phrase in &mut out[before..] {
                widen(tokens, phrase);
            }
        }
        // "the nightly build", "CI tests": another place.
        let elsewhere = |phrase: &NounPhrase| {
            // "six of the old tests" are tests of now.
            let old_tests =
                |token: &Token| token.is("old") && phrase.kind == Kind::Tests && phrase.amount == Amount::Some;
            let remote = |token: &Token| token.tok == Tok::Word && has(REMOTE, &token.low) && !old_tests(token);
            tokens[phrase.start..phrase.head].iter().any(remote)
        };
        if out[before..].iter().any(elsewhere) {
            out.truncate(before);
        }
        i = next.max(i + 1);
    }
    // "Neither clippy nor rustfmt": denied both.
    for i in 1..out.len() {
        let nor = out[i].start > 0 && word(tokens, out[i].start - 1) == "nor" && out[i - 1].end + 2 >= out[i].start;
        if nor && out[i - 1].amount == Amount::No && matches!(out[i].amount, Amount::Bare | Amount::One) {
            out[i].amount = Amount::No;
        }
    }
    out
}

/// Modifiers of checks that run somewhere else, or ran before.
#[rustfmt::skip]
const REMOTE: &[&str] = &[
    "baseline", "ci", "github", "her", "his", "hosted", "jenkins", "nightly", "old", "pipeline", "previous",
    "remote", "scheduled", "staging", "their", "upstream", "weekly",
];

/// Reads the noun at `i`, if there is one, and says where to go on.
fn head(tokens: &[Token], i: usize, out: &mut Vec<NounPhrase>) -> usize {
    let token = &tokens[i];
    // "No warnings from clippy"
    let problems = matches!(token.low.as_str(), "errors" | "findings" | "issues" | "problems" | "warnings")
        && word(tokens, i + 1) == "from";
    if let (true, Some(Tok::Command(uses))) = (problems, tokens.get(i + 2).map(|token| &token.tok))
        && let [only] = uses.as_slice()
    {
        out.push(of_command(only, i, i + 3, Form::Problem));
        return i + 3;
    }
    if let Tok::Command(uses) = &token.tok {
        let mut noun = nouns().at(tokens, i + 1);
        if noun.is_none() {
            let more = match word(tokens, i + 1) {
                // "`cargo test` errors out"
                "errors" if word(tokens, i + 2) == "out" => None,
                "run" | "check" | "checks" | "output" | "step" | "status" => Some(Form::Whole),
                "errors" | "error" | "warnings" | "warning" | "issues" | "findings" | "violations" | "problems"
                | "complaints" | "lints" | "failures" | "diagnostics" => Some(Form::Problem),
                _ => None,
            };
            if let Some(form) = more {
                for only in uses {
                    out.push(of_command(only, i, i + 2, form));
                }
                return i + 2;
            }
        }
        // "the Jest suite", "pytest tests": the command says whose.
        if let Some((end, row)) = noun.take().filter(|(_, row)| uses.len() == 1 && row.kind == uses[0].kind) {
            let mut phrase = of_command(&uses[0], i, end, row.form);
            phrase.by_command = row.form == Form::Whole;
            out.push(phrase);
            return end;
        }
        for only in uses {
            out.push(of_command(only, i, i + 1, Form::Whole));
        }
        return i + 1;
    }
    if token.tok == Tok::Ident && is_test_name(&token.low) {
        let noun = matches!(word(tokens, i + 1), "test" | "tests");
        let mut phrase = plain(Kind::Tests, Form::One, i, if noun { i + 2 } else { i + 1 });
        phrase.subset = Some((i, i + 1));
        out.push(phrase);
        return phrase_end(out);
    }
    // "- integration: not run"
    let labels = i == 0
        && matches!(token.low.as_str(), "end-to-end" | "integration" | "smoke" | "unit")
        && matches!(tokens.get(1).and_then(Token::punct), Some(':' | '|' | '—'));
    if labels {
        let mut phrase = plain(Kind::Tests, Form::Part, i, i + 1);
        phrase.subset = Some((i, i + 1));
        out.push(phrase);
        return i + 1;
    }
    let Some((end, row)) = nouns().at(tokens, i) else { return i + 1 };
    // "The format is clean": one that is written, not a check.
    let written = i > 0 && token.is("format") && end == i + 1 && has(super::words::DETERMINERS, word(tokens, i - 1));
    if written {
        return end;
    }
    // "test-driven", "build number", "type parameter": the noun is part of another.
    if row.form != Form::Problem && (compound(tokens, end) || of_others(tokens, i, end)) {
        return end;
    }
    let mut phrase = plain(row.kind, row.form, i, end);
    if row.kind == Kind::Tests
        && row.form == Form::One
        && tokens.get(end).is_some_and(|token| matches!(token.tok, Tok::Ident | Tok::Path))
    {
        phrase.subset = Some((end, end + 1));
        phrase.end = end + 1;
    }
    out.push(phrase);
    phrase_end(out)
}

fn phrase_end(out: &[NounPhrase]) -> usize {
    out.last().map_or(0, |phrase| phrase.end)
}

fn plain(kind: Kind, form: Form, head: usize, end: usize) -> NounPhrase {
    NounPhrase {
        start: head,
        head,
        end,
        kind,
        form,
        amount: Amount::Bare,
        definite: false,
        number: None,
        ratio: None,
        subset: None,
        runner: None,
        by_command: false,
        filter: None,
    }
}

fn of_command(only: &super::runner::Use, head: usize, end: usize, form: Form) -> NounPhrase {
    NounPhrase {
        runner: only.runner,
        by_command: true,
        filter: only.subset.clone(),
        ..plain(only.kind, form, head, end)
    }
}

/// Names that only a test has.
pub fn is_test_name(name: &str) -> bool {
    let name = name.trim_end_matches("()");
    let last = name.rsplit("::").next().unwrap_or_default();
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '/' | '[' | ']' | '-'));
    let go = name.strip_prefix("Test").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    plain && (last.starts_with("test_") || last.ends_with("_test") || name.contains("tests::") || go)
}

/// Nouns that take a check's name as their first half: "test coverage", "build number", "type parameter".
#[rustfmt::skip]
const COMPOUNDS: &[&str] = &[
    "agent", "alias", "annotation", "annotations", "argument", "artefact", "artefacts", "artifact", "artifacts",
    "author", "base", "bench", "button", "cache", "class", "code", "command", "commands", "config", "configuration",
    "count", "coverage", "data", "database", "definition", "definitions", "dependencies", "dependency",
    "description", "directory", "double", "driver", "env", "environment", "event", "failure", "file", "files",
    "fixture", "fixtures", "flag", "flags", "folder", "framework", "function", "guard", "guards", "handling",
    "harness", "helper", "helpers", "hint", "hints", "id", "image", "inference", "job", "jobs", "key", "log",
    "logic", "logs", "matrix", "message", "module", "name", "names", "number", "numbers", "option", "options",
    "order", "output", "parameter", "parameters", "pipeline", "plan", "process", "rule", "rules", "script",
    "scripts", "server", "setup", "signature", "spec", "stage", "string", "strings", "stub", "stubs", "system",
    "tag", "target", "targets", "time", "times", "tool", "tools", "user", "users", "utilities", "utils", "value",
    "values",
];

/// "The format of the date", "a suite of tools", "types of errors": the noun in another sense.
fn of_others(tokens: &[Token], i: usize, end: usize) -> bool {
    if word(tokens, i) == "compiler" && matches!(word(tokens, end), "pass" | "passes" | "fails" | "builds") {
        return true;
    }
    let vague = end == i + 1 && matches!(word(tokens, i), "format" | "types" | "suite" | "formatter" | "lint");
    let tests = (end + 1..tokens.len().min(end + 4)).any(|at| matches!(word(tokens, at), "tests" | "checks"));
    vague && word(tokens, end) == "of" && !tests
}

fn compound(tokens: &[Token], end: usize) -> bool {
    // "The upload test times out"
    let verb = matches!(word(tokens, end), "time" | "times") && word(tokens, end + 1) == "out";
    !verb && tokens.get(end).is_some_and(|token| token.tok == Tok::Word && COMPOUNDS.contains(&token.low.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn one(text: &str) -> (String, NounPhrase) {
        let tokens = tokens(text, 0, text.len());
        let phrase = phrases(&tokens).into_iter().next().unwrap();
        (text[tokens[phrase.start].start..tokens[phrase.end - 1].end].to_owned(), phrase)
    }

    #[test]
    fn number_and_determiner_belong_to_the_phrase() {
        let read = |text: &str| {
            let (words, phrase) = one(text);
            (words, phrase.amount, phrase.number, phrase.ratio)
        };
        assert_eq!(read("I saw all 42 tests pass"), ("all 42 tests".into(), Amount::All, Some(42), None));
        assert_eq!(read("None of the 36 tests fail"), ("None of the 36 tests".into(), Amount::No, Some(36), None));
        assert_eq!(read("39 of 42 tests pass"), ("39 of 42 tests".into(), Amount::Bare, None, Some((39, 42))));
        assert_eq!(read("Not all tests pass"), ("Not all tests".into(), Amount::NotAll, None, None));
        assert_eq!(
            read("Three of the storage tests fail"),
            ("Three of the storage tests".into(), Amount::Some, Some(3), None)
        );
        assert_eq!(read("All but two tests pass"), ("All but two tests".into(), Amount::AllBut(2), None, None));
        assert_eq!(read("not a single test fails"), ("not a single test".into(), Amount::No, None, None));
        assert_eq!(read("0 type errors"), ("0 type errors".into(), Amount::No, None, None));
    }

    #[test]
    fn modifiers_name_a_subset_unless_they_mean_the_whole() {
        assert!(one("The new parser tests pass").1.subset.is_some());
        assert_eq!(one("The full test suite passes").1.amount, Amount::All);
        assert!(one("The full test suite passes").1.subset.is_none());
        assert_eq!(one("The unit and integration tests pass").0, "The unit and integration tests");
        assert_eq!(one("it keeps tests passing").0, "tests");
    }

    #[test]
    fn other_compounds_are_no_checks() {
        let text = "The build number, the test coverage and a type parameter";
        assert_eq!(phrases(&tokens(text, 0, text.len())), []);
    }
}
