//! Verb groups after a check: "still pass", "are no longer failing", "does not compile", "has 2 errors left", "were not
//! run".

use std::sync::OnceLock;

use super::Kind;
use super::outcome::{Outcome, result_ends};
use super::phrase::Index;
use super::predicates::{Form, PREDICATES, Row, Verdict};
use super::report;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// What a verb group says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// No verb group stands here.
    Nothing,
    /// One does, and it claims no result: "will pass", "seem to pass", "were failing".
    NoClaim,
    Result(Predicate),
    /// The check was not run.
    NotRun {
        end: usize,
    },
    /// "are unaffected": a plain statement of something else.
    Other {
        end: usize,
    },
    /// It was run: a claim only of "no tests were run".
    Run {
        end: usize,
    },
    /// "do not", with its verb said before.
    DoNot {
        end: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate {
    pub end: usize,
    pub passes: bool,
    /// The figures that belong to the verb itself.
    pub outcome: Option<Outcome>,
    /// "all", "both" within the group.
    pub all: bool,
    pub past: bool,
}

/// Whether the subject may be without "is": a label, "with all tests passing".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copula {
    Needed,
    Spared,
}

fn predicates() -> &'static Index<Row> {
    static INDEX: OnceLock<Index<Row>> = OnceLock::new();
    INDEX.get_or_init(|| Index::new(PREDICATES, |row| row.phrase))
}

/// Words of a verb group before its main word.
#[derive(Debug, Default)]
struct Auxiliaries {
    be: bool,
    copula: bool,
    have: bool,
    had: bool,
    does: bool,
    past: bool,
    negated: bool,
    all: bool,
    progressive_past: bool,
    impression: bool,
    modal: bool,
    habit: bool,
    only: bool,
}

/// Reads the verb group that begins at `i`.
pub fn read(tokens: &[Token], i: usize, kind: Kind, copula: Copula) -> Said {
    let mut aux = Auxiliaries::default();
    let mut at = i;
    loop {
        let low = word(tokens, at);
        if low.is_empty() && !quiet(tokens, at) {
            break;
        }
        if let Some(said) = result_verb(tokens, at, kind, &aux, copula) {
            return said;
        }
        match low {
            "not" | "never" => aux.negated = !aux.negated,
            "no" if word(tokens, at + 1) == "longer" => {
                aux.negated = !aux.negated;
                at += 1;
            }
            "all" | "both" => aux.all = true,
            // "then fails" tells a course of events; "only passes with" sets a condition.
            "then" => aux.habit = true,
            "only" => aux.only = true,
            "to" if at > i && matches!(word(tokens, at - 1), "continue" | "continues" | "continued") => {}
            // "have yet to be run"
            "to" if at > i && aux.have && word(tokens, at - 1) == "yet" => aux.negated = true,
            "continue" | "continues" | "continued" if word(tokens, at + 1) == "to" => {}
            // "unchanged and green"
            "unchanged" | "untouched" if word(tokens, at + 1) == "and" => at += 1,
            "once" if word(tokens, at + 1) == "more" || word(tokens, at + 1) == "again" => at += 1,
            _ if has(words::BE, low) => {
                aux.be = true;
                aux.progressive_past |= matches!(low, "was" | "were" | "been");
                aux.past |= matches!(low, "was" | "were");
            }
            _ if has(words::HAVE, low) => {
                aux.have = true;
                aux.had |= low == "had";
            }
            _ if has(words::DO, low) => {
                aux.does = true;
                aux.past |= low == "did";
            }
            _ if has(words::MODALS, low) => aux.modal = true,
            _ if has(words::IMPRESSIONS, low) => aux.impression = true,
            _ if has(words::HABITUAL, low) => aux.habit = true,
            _ if has(words::COPULAS, low) => {
                aux.copula = true;
                aux.past |= matches!(low, "came" | "went" | "kept" | "turned" | "stayed" | "remained" | "got");
            }
            "" => {}
            _ if has(words::ADVERBS, low) => {}
            _ => break,
        }
        at += 1;
    }
    finish(tokens, i, at, &aux)
}

/// A wrapped line within a verb group.
fn quiet(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.tok == Tok::Break)
}

fn finish(tokens: &[Token], i: usize, at: usize, aux: &Auxiliaries) -> Said {
    let low = word(tokens, at);
    if matches!(low, "run" | "executed" | "rerun" | "re-run" | "ran" | "performed" | "started" | "exercised")
        && (aux.be || aux.have || aux.does || aux.modal || aux.negated)
    {
        if aux.impression || (aux.modal && !could_not(tokens, i, at)) {
            return Said::NoClaim;
        }
        return if aux.negated { Said::NotRun { end: at + 1 } } else { Said::Run { end: at + 1 } };
    }
    if aux.modal || aux.impression || aux.habit {
        return Said::NoClaim;
    }
    if aux.negated && (aux.does || aux.be) && at > i && result_ends(tokens, at) && !has(words::PREPOSITIONS, low) {
        let bare = tokens.get(at).is_none_or(|token| token.punct().is_some() || token.tok == Tok::Break);
        if bare {
            return Said::DoNot { end: at };
        }
    }
    let plainly = aux.be && !aux.negated && !aux.progressive_past && !low.is_empty() && low != "to";
    match (plainly, aux.be || aux.have || aux.does || aux.copula) {
        (true, _) => Said::Other { end: at },
        (false, true) => Said::NoClaim,
        (false, false) => Said::Nothing,
    }
}

/// "could not be run", "cannot run": the reason why a check was not run, in the past or present.
fn could_not(tokens: &[Token], i: usize, at: usize) -> bool {
    (i..at).any(|j| matches!(word(tokens, j), "could" | "can"))
}

fn result_verb(tokens: &[Token], at: usize, kind: Kind, aux: &Auxiliaries, copula: Copula) -> Option<Said> {
    predicates()
        .all_at(tokens, at)
        .into_iter()
        .find_map(|(end, row)| said_by(tokens, at, (end, row), kind, aux, copula))
}

fn said_by(
    tokens: &[Token],
    at: usize,
    (end, row): (usize, &Row),
    kind: Kind,
    aux: &Auxiliaries,
    copula: Copula,
) -> Option<Said> {
    if !row.kinds.contains(&kind) {
        return None;
    }
    let linked = aux.be || aux.copula;
    let fits = match row.form {
        Form::Verb => !linked || matches!(word(tokens, at), "failed" | "is" | "are" | "was" | "were"),
        Form::State => linked || copula == Copula::Spared,
        Form::Ongoing => linked || copula == Copula::Spared,
    };
    if !fits {
        return None;
    }
    let past_verb = word(tokens, at).ends_with("ed")
        || matches!(word(tokens, at), "ran" | "came" | "went" | "had" | "gave" | "found" | "broke" | "said" | "built");
    let past = (aux.past || past_verb) && !aux.have && !aux.negated;
    let outcome = match row.verdict {
        Verdict::Follows => Some(report::followed(tokens, end, kind, aux.negated)?),
        _ => None,
    };
    if outcome.is_none() && !report::follows(tokens, end, row.verdict) {
        return None;
    }
    // "were failing" tells of the time before; so does "had been green".
    let over = aux.had
        || (aux.progressive_past
            && !aux.negated
            && (row.form == Form::Ongoing || (row.verdict == Verdict::Fail && row.form == Form::State)));
    let conditional =
        aux.only && matches!(word(tokens, end), "with" | "when" | "if" | "on" | "under" | "after" | "because");
    // "is not broken because of my change" denies the reason.
    let reason = aux.negated && matches!(word(tokens, end), "because" | "due" | "only");
    if aux.modal || aux.impression || aux.habit || over || conditional || reason {
        return Some(Said::NoClaim);
    }
    let passes = match (row.verdict, outcome) {
        (Verdict::Pass, _) => !aux.negated,
        (Verdict::Fail, _) => aux.negated,
        (Verdict::Follows, Some(outcome)) => outcome.verdict()?,
        (Verdict::Follows, None) => return None,
    };
    let end = outcome.map_or(end, |outcome| outcome.end);
    Some(Said::Result(Predicate { end, passes, outcome, all: aux.all || outcome.is_some_and(|o| o.all), past }))
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn said(text: &str, kind: Kind) -> Said {
        read(&tokens(text, 0, text.len()), 0, kind, Copula::Needed)
    }

    fn passes(text: &str, kind: Kind) -> Option<bool> {
        match said(text, kind) {
            Said::Result(predicate) => Some(predicate.passes),
            _ => None,
        }
    }

    #[test]
    fn polarity_follows_every_negation() {
        for text in [
            "pass",
            "still pass",
            "are all green",
            "do not fail",
            "are no longer failing",
            "have passed",
            "came back clean",
            "finished with 0 failures",
            "continue to pass",
        ] {
            assert_eq!(passes(text, Kind::Tests), Some(true), "{text}");
        }
        for text in [
            "fail",
            "still fail on Windows",
            "do not pass",
            "are not green",
            "had 7 failures",
            "are red",
            "no longer pass",
            "have 2 failures",
        ] {
            assert_eq!(passes(text, Kind::Tests), Some(false), "{text}");
        }
        assert_eq!(passes("does not report any errors", Kind::Lint), Some(true));
        assert_eq!(passes("compiles without errors", Kind::Build), Some(true));
    }

    #[test]
    fn what_is_no_result_is_none() {
        for text in [
            "will pass",
            "should pass",
            "seem to pass",
            "were failing",
            "use a salt",
            "pass the salt",
            "sometimes fail",
            "are expected to pass",
        ] {
            assert_eq!(passes(text, Kind::Tests), None, "{text}");
        }
    }

    #[test]
    fn a_check_that_was_not_run() {
        for text in ["were not run", "have not been run", "was not executed", "could not be run", "did not run"] {
            assert!(matches!(said(text, Kind::Tests), Said::NotRun { .. }), "{text}");
        }
        assert_eq!(said("were run", Kind::Tests), Said::Run { end: 2 });
        assert!(matches!(said("do not:", Kind::Tests), Said::DoNot { .. }));
    }
}
