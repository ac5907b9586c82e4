//! Every row of the tables has an example, and every example is read as its row says.

use super::file_verbs::FILE_VERBS;
use super::guards::{Bar, GUARDS};
use super::leads::LEADS;
use super::nouns::NOUNS;
use super::phrase::Phrase;
use super::predicates::{PREDICATES, Verdict};
use super::token::tokens;
use super::{Kind, Says, claims};

/// Examples that are not read as wanted, each with what was found.
fn check(rows: impl Iterator<Item = (&'static str, &'static str, fn(&[super::TextClaim], Kind) -> bool, Kind)>) {
    let mut wrong = Vec::new();
    for (phrase, example, holds, kind) in rows {
        let words = tokens(example, 0, example.len());
        let phrase_there = (0..words.len()).any(|i| Phrase::new(phrase).ends_at(&words, i).is_some());
        let found = claims(example);
        if !phrase_there {
            wrong.push(format!("{phrase:?} is not in {example:?}"));
        } else if !holds(&found, kind) {
            wrong.push(format!("{example:?}: {found:?}"));
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

#[test]
fn every_noun_makes_a_claim_of_its_kind() {
    check(NOUNS.iter().map(|row| {
        let holds: fn(&[super::TextClaim], Kind) -> bool = |found, kind| found.len() == 1 && found[0].kind == kind;
        (row.phrase, row.example, holds, row.kind)
    }));
}

#[test]
fn every_predicate_gives_its_verdict() {
    check(PREDICATES.iter().map(|row| {
        let pass: fn(&[super::TextClaim], Kind) -> bool = |found, _| found.len() == 1 && found[0].says == Says::Pass;
        let fail: fn(&[super::TextClaim], Kind) -> bool = |found, _| found.len() == 1 && found[0].says == Says::Fail;
        let either: fn(&[super::TextClaim], Kind) -> bool = |found, _| found.len() == 1;
        let holds = match row.verdict {
            Verdict::Pass => pass,
            Verdict::Fail => fail,
            Verdict::Follows => either,
        };
        (row.phrase, row.example, holds, Kind::Tests)
    }));
}

#[test]
fn every_guard_takes_the_claim_away() {
    check(GUARDS.iter().filter(|row| row.bar != Bar::None).map(|row| {
        let holds: fn(&[super::TextClaim], Kind) -> bool = |found, _| found.is_empty();
        (row.phrase, row.example, holds, Kind::Tests)
    }));
}

#[test]
fn every_lead_leaves_the_claim() {
    check(LEADS.iter().map(|row| {
        let holds: fn(&[super::TextClaim], Kind) -> bool = |found, _| found.len() == 1;
        (row.phrase, row.example, holds, Kind::Tests)
    }));
}

#[test]
fn every_verb_of_changing_claims_its_file() {
    let mut wrong = Vec::new();
    for row in FILE_VERBS {
        let found = claims(row.example);
        if !(found.len() == 1 && found[0].kind == Kind::File && found[0].says == Says::Done) {
            wrong.push(format!("{:?}: {found:?}", row.example));
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}
