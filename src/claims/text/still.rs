//! Tests that still fail, by their names: "Not every test passes: `locale_fold` still fails", "the only test that still
//! fails is `TestDrain`".

use super::ending;
use super::lead;
use super::reading::{Draft, Sense};
use super::token::{Tok, word};
use super::verb::{self, Copula, Said};
use super::{Kind, Says, Scope};

/// "The one test that still fails is `TestDrain`", "`TestDrain` is the only test that still fails".
pub fn failing(sense: &Sense, at: usize) -> Option<(Draft, usize)> {
    let tokens = sense.tokens;
    let one = word(tokens, at) == "the" && matches!(word(tokens, at + 1), "last" | "1" | "only");
    let test = matches!(word(tokens, at + 2), "test" | "tests") && word(tokens, at + 3) == "that";
    let fails = word(tokens, at + 4) == "still" && matches!(word(tokens, at + 5), "fail" | "fails");
    if !(one && test && fails) {
        return None;
    }
    let is = |i: usize| matches!(word(tokens, i), "are" | "is");
    let start = match at.checked_sub(2) {
        Some(name) if is(at - 1) && tokens[name].tok == Tok::Ident => name,
        _ if is(at + 6) && lead::clause_start(tokens, at) == at => at,
        _ => return None,
    };
    let subset = if start == at { sense.words(at + 7, at + 8) } else { sense.words(start, start + 1) };
    Some((sense.draft(Kind::Tests, Says::Fail, Scope::Part, None, None, subset, start..at + 6, false)?, at + 6))
}

/// "Not every test passes: `locale_fold` still fails": the name is that of a test.
pub fn named_after(sense: &Sense, at: usize, found: &[Draft]) -> Option<(Draft, usize)> {
    let tokens = sense.tokens;
    let name = tokens[at].tok == Tok::Ident && !tokens[at].low.contains([' ', '-']);
    let before = at.checked_sub(1).and_then(|i| tokens[i].punct());
    let failed = found.iter().any(|draft| draft.claim.kind == Kind::Tests && draft.claim.says == Says::Fail);
    if !(name && failed && matches!(before, Some(':' | '—'))) {
        return None;
    }
    let Said::Result(predicate) = verb::read(tokens, at + 1, Kind::Tests, Copula::Needed) else { return None };
    if predicate.passes || ending::takes_back(tokens, predicate.end, true, predicate.past) {
        return None;
    }
    let subset = sense.words(at, at + 1);
    let span = at..predicate.end;
    Some((sense.draft(Kind::Tests, Says::Fail, Scope::Part, None, None, subset, span, false)?, predicate.end))
}
