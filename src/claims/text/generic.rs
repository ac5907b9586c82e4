//! What a tool does in general, rather than what it said now: "clippy warns about large enums", "the formatter is fine with
//! that", "the build goes through three stages".

use super::assertion::Finding;
use super::token::{Tok, Token, word};
use super::words::{self, has};
use super::{Kind, Says};

/// Present forms that describe a tool as often as they report a run.
#[rustfmt::skip]
const REPORTING: &[&str] = &[
    "complain", "complains", "find", "finds", "flag", "flags", "has", "have", "lists", "object", "objects", "report",
    "reports", "show", "shows", "warn", "warns",
];

/// Whether what is said after the check ending at `from` tells of no run.
pub fn tells(tokens: &[Token], from: usize, kind: Kind, finding: &Finding) -> bool {
    let group = from..finding.verb_end.min(tokens.len());
    let last = word(tokens, finding.verb_end.wrapping_sub(1));
    let next = word(tokens, finding.verb_end);
    let third = word(tokens, finding.verb_end + 1);
    let number = |i: usize| matches!(tokens.get(i).map(|token| &token.tok), Some(Tok::Number(_)));
    match finding.says {
        Says::Fail => {
            let verb = group.clone().find(|i| REPORTING.contains(&word(tokens, *i)));
            let told = finding.past || finding.outcome.is_some_and(|outcome| outcome.figures > 0);
            let (Some(verb), false) =
                (verb, told || kind == Kind::Tests && !tokens[from - 1..from].iter().any(command))
            else {
                return false;
            };
            let end = clause_end(tokens, verb);
            let after = tokens.get(finding.verb_end..end).unwrap_or_default();
            !after.is_empty() && !(from..end).any(|i| specific(tokens, i))
        }
        Says::Pass => {
            let mild = matches!(last, "content" | "fine" | "happy" | "ok" | "okay" | "satisfied");
            let definite = has(words::DETERMINERS, third) && !matches!(third, "any" | "each" | "either" | "that");
            let any = mild && next == "with" && !(definite || third == "it");
            let stages = last == "through" && number(finding.verb_end);
            let works = matches!(last, "work" | "works") && matches!(next, "like" | "without");
            // "clean and short" is praise.
            let praise = matches!(last, "clean" | "fine" | "good")
                && next == "and"
                && tokens.get(finding.verb_end + 1).is_some_and(|token| token.tok == Tok::Word)
                && tokens.get(finding.verb_end + 2).is_none_or(|token| token.punct().is_some())
                && !REPORTED.contains(&third);
            any || stages || works || praise
        }
        _ => false,
    }
}

/// Adjectives of a run.
const REPORTED: &[&str] = &["committed", "green", "ok", "passing", "pushed", "quiet", "silent", "up-to-date"];

fn command(token: &Token) -> bool {
    matches!(token.tok, Tok::Command(_))
}

/// A word that points to this run: "still", a number, a name, "the two clones".
fn specific(tokens: &[Token], i: usize) -> bool {
    let low = word(tokens, i);
    let here = matches!(low, "again" | "currently" | "here" | "my" | "now" | "one" | "some" | "still" | "your");
    let named = matches!(tokens[i].tok, Tok::Number(_) | Tok::Ident | Tok::Path | Tok::Hash);
    let known = matches!(low, "about" | "for" | "in" | "on" | "to")
        && matches!(word(tokens, i + 1), "a" | "an" | "the" | "these" | "those");
    here || named || known
}

/// The end of the clause that the verb at `from` is in.
fn clause_end(tokens: &[Token], from: usize) -> usize {
    (from + 1..tokens.len())
        .find(|i| {
            let divides = matches!(tokens[*i].punct(), Some(',' | ';' | ':' | '—' | '('));
            let joins = matches!(word(tokens, *i), "and" | "but" | "so")
                && (has(words::DETERMINERS, word(tokens, i + 1)) || has(words::PRONOUNS, word(tokens, i + 1)));
            divides || joins
        })
        .unwrap_or(tokens.len())
}
