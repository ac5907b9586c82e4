//! Noun phrases that name a check: "all 42 tests in the `billing` package", "the full suite", "clippy", "no type errors".

use std::sync::OnceLock;

use super::Kind;
use super::nouns::{ALL_MODIFIERS, Form, NOUNS, Noun, WHOLE_MODIFIERS};
use super::phrase::Index;
use super::token::{Tok, Token, word};
use super::words::{self, has};

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

fn nouns() -> &'static Index<Noun> {
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
            tokens[phrase.start..phrase.head].iter().any(|token| token.tok == Tok::Word && has(REMOTE, &token.low))
        };
        if out[before..].iter().any(elsewhere) {
            out.truncate(before);
        }
        i = next.max(i + 1);
    }
    // "Neither clippy nor rustfmt": denied both.
    for i in 1..out.len() {
        let nor = out[i].start > 0 && word(tokens, out[i].start - 1) == "nor" && out[i - 1].end + 2 >= out[i].start;
        if nor && out[i - 1].amount == Amount::No && out[i].amount == Amount::Bare {
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
    if let Tok::Command(uses) = &token.tok {
        let mut noun = nouns().at(tokens, i + 1);
        if noun.is_none() {
            let more = match word(tokens, i + 1) {
                "run" | "runs" | "check" | "checks" | "output" | "step" | "status" => Some(Form::Whole),
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
    let Some((end, row)) = nouns().at(tokens, i) else { return i + 1 };
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
    tokens.get(end).is_some_and(|token| token.tok == Tok::Word && COMPOUNDS.contains(&token.low.as_str()))
}

/// Takes in what stands to the left of the noun: modifiers, then number and determiner.
fn widen(tokens: &[Token], phrase: &mut NounPhrase) {
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
    }
    // "that test" is a determiner, "verified that two tests fail" is none.
    let one_of_them = phrase.form == Form::One && phrase.number.is_none();
    let definite = matches!(w(at, 1), "the" | "our" | "my" | "these" | "those" | "its" | "your" | "this" | "their");
    if matches!(w(at, 1), "its" | "their") && phrase.kind == Kind::Tests {
        phrase.amount = Amount::Some;
    }
    if definite || (w(at, 1) == "that" && one_of_them && (at < 2 || tokens[at - 2].tok != Tok::Word)) {
        phrase.definite = true;
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
        }
        None if percent.is_some() && of => {
            at = quantity - 1;
            phrase.amount = Amount::All;
        }
        None if of => match number(quantity) {
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
