//! The check that was named before, for a pronoun or a bare number to stand for: "I ran the suite. All 42 pass."

use super::Kind;
use super::checks;
use super::file_verbs;
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::reading::Sense;
use super::subset;
use super::token::{self, Tok, Token};

/// Words of a sentence in which checks are run by others or elsewhere: no pronoun stands for those.
#[rustfmt::skip]
const ABROAD: &[&str] = &[
    "agent", "agents", "bot", "ci", "colleague", "pipeline", "sub-agent", "subagent", "upstream", "user", "workflow",
    "you",
];

/// A check that was named, for a pronoun to stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    pub kind: Kind,
    pub part: bool,
    pub whole: bool,
    /// One thing, so that "it" can stand for it: a suite, a command.
    pub single: bool,
    /// The other kinds of the list that it ends: "lint, types and tests".
    pub others: [Option<Kind>; 3],
}

impl Sense<'_> {
    /// The check that a pronoun at `at` stands for: named earlier in the sentence, or in the one before.
    pub fn mention(&self, at: usize) -> Option<Mention> {
        if abroad(&self.tokens[..at]) {
            return None;
        }
        // "I ran the tests after formatting; they pass": not what was done at another moment.
        let moment = |phrase: &NounPhrase| {
            phrase.start > 0 && matches!(token::word(self.tokens, phrase.start - 1), "after" | "before" | "since")
        };
        let here = self.phrases.iter().rev().find(|phrase| phrase.end <= at && stands(phrase) && !moment(phrase));
        // "The first has more tests, but they fail": of something that is described.
        let owned = |phrase: &&NounPhrase| {
            phrase.start > 0 && self.tokens[..phrase.start].iter().rev().take(2).any(|token| token.is("has"))
        };
        if here.is_some_and(|phrase| owned(&phrase)) {
            return None;
        }
        here.map(|phrase| self.mention_of(phrase)).or_else(|| self.test_file_before(at)).or(self.before)
    }

    pub fn named(&self) -> Option<Mention> {
        // What is only supposed or wished for is nothing to go back to.
        let real = |phrase: &&NounPhrase| stands(phrase) && !self.guarded.force(phrase.start).barred;
        let named = self.phrases.iter().rev().find(real).map(|phrase| self.mention_of(phrase));
        if abroad(self.tokens) { None } else { named.or_else(|| self.test_file_before(self.tokens.len())) }
    }

    /// A file of tests that is named before `at`: "`tests/a.rs` with nine cases. They pass."
    fn test_file_before(&self, at: usize) -> Option<Mention> {
        self.test_file(at).then_some(Mention {
            kind: Kind::Tests,
            part: true,
            whole: false,
            single: false,
            others: [None; 3],
        })
    }

    /// Whether one is named before `at`.
    pub fn test_file(&self, at: usize) -> bool {
        let test = |token: &Token| token.tok == Tok::Path && token.low.to_ascii_lowercase().contains("test");
        self.tokens.get(..at).unwrap_or_default().iter().any(test)
    }

    fn mention_of(&self, phrase: &NounPhrase) -> Mention {
        let tests = phrase.kind == Kind::Tests;
        // "I added six tests": only these.
        let made = phrase.start > 0 && self.tokens[..phrase.start].iter().any(|token| file_verbs::past(&token.low));
        let part = tests
            && (made
                || phrase.subset.is_some()
                || phrase.filter.is_some()
                || matches!(phrase.form, Form::Part | Form::One | Form::Problem)
                || matches!(phrase.amount, Amount::Some | Amount::One)
                || subset::follows(self.tokens, phrase.end, phrase.kind));
        let whole = !part && (phrase.form == Form::Whole || phrase.by_command || !tests);
        let single = phrase.form == Form::Whole || phrase.by_command || !tests || phrase.form == Form::One;
        Mention { kind: phrase.kind, part, whole, single, others: self.listed_with(phrase) }
    }

    /// The other kinds in the list that ends with `last`.
    fn listed_with(&self, last: &NounPhrase) -> [Option<Kind>; 3] {
        let mut others = [None; 3];
        let ends = |from: usize| checks::group(self.tokens, &self.phrases[from..]).last() == Some(last);
        let Some(from) = (0..self.phrases.len()).find(|from| ends(*from)) else { return others };
        let kinds = checks::group(self.tokens, &self.phrases[from..]).iter().map(|phrase| phrase.kind);
        for kind in kinds.filter(|kind| *kind != last.kind) {
            if !others.contains(&Some(kind))
                && let Some(free) = others.iter_mut().find(|other| other.is_none())
            {
                *free = Some(kind);
            }
        }
        others
    }
}

/// Whether checks of others may be meant; "You are right" names nobody's.
fn abroad(tokens: &[Token]) -> bool {
    let right =
        |i: usize| tokens[i].is("you") && token::word(tokens, i + 1) == "are" && token::word(tokens, i + 2) == "right";
    (0..tokens.len()).any(|i| ABROAD.contains(&tokens[i].low.as_str()) && !right(i))
}

/// Whether a pronoun can stand for it: a check, or the failing ones among the tests.
fn stands(phrase: &NounPhrase) -> bool {
    phrase.form != Form::Problem || phrase.kind == Kind::Tests
}
