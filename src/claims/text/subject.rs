//! A check as the subject of a verb group, which may stand some way off: "the tests in `core` that touch the disk still
//! pass".

use super::Says;
use super::assertion::Finding;
use super::lead::{Lead, exception_number, exception_words};
use super::noun::{Amount, NounPhrase};
use super::reading::Sense;
use super::subset::{self, Tail};
use super::token::{Tok, Token, word};
use super::verb::{self, Copula, Predicate, Said};
use super::words::{self, has};

/// How far a verb may stand from its noun.
const REACH: usize = 18;

/// Verbs by which a command that was run gives its result: "I ran `x`, it" is another sentence.
#[rustfmt::skip]
const GIVES: &[&str] = &[
    "exited", "exits", "failed", "fails", "finished", "finishes", "gave", "gives", "passed", "passes", "reported",
    "reports", "returned", "returns", "showed", "shows", "succeeded", "succeeds", "successfully",
];

/// Participles after a noun that say which ones: "the tests covering the parser".
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "added", "affected", "called", "covering", "exercising", "involving", "named", "related", "touching", "using",
    "written",
];

/// Where the checks of others are.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "ci", "docs", "documentation", "example", "friday", "issue", "log", "monday", "month", "question", "report",
    "reproduction", "runner", "saturday", "server", "staging", "sunday", "thursday", "ticket", "tuesday", "tutorial", "upstream", "wednesday",
    "week", "wiki",
];

/// What may be set in commas after a noun.
#[rustfmt::skip]
const INSERTED: &[&str] = &[
    "also", "among", "both", "especially", "even", "including", "old", "too", "which",
];

/// Where the walk from the noun to its verb has come to.
struct Walk<'a> {
    tokens: &'a [Token],
    phrase: &'a NounPhrase,
    post: Tail,
    /// Within "that …", "I …".
    relative: bool,
    /// Within words that belong to the noun.
    inside: bool,
}

/// Finds the verb group of `last`, whose phrase (or list of phrases) begins with `first`.
pub fn read(sense: &Sense, first: &NounPhrase, last: &NounPhrase, lead: Lead) -> Option<Finding> {
    let tokens = sense.tokens;
    let mut walk = Walk { tokens, phrase: last, post: Tail::default(), relative: false, inside: false };
    let mut at = last.end;
    while at <= tokens.len() && at - last.end <= REACH {
        let near = at == last.end || tokens.get(at - 1).and_then(Token::punct) == Some(')');
        match walk.said(at, near, lead) {
            Said::Nothing => {}
            Said::Run { .. } | Said::Other { .. } if walk.relative && walk.inside => {}
            Said::Run { end } if first.amount == Amount::No => return Some(walk.found(Says::NotDone, end)),
            Said::Run { .. } | Said::NoClaim => return None,
            Said::Other { end } => return walk.then(end, Copula::Spared),
            Said::Result(_) if walk.relative && word(tokens, at.wrapping_sub(1)) == "and" => return None,
            // "for the tests to fail"
            Said::Result(_) if at > last.end && word(tokens, at - 1) == "to" => return None,
            Said::Result(predicate) => {
                // "Tests failing in parallel are hard to read": the participle belongs to the noun.
                let bare = at == last.end && lead == Lead::Plain && word(tokens, at).ends_with("ing");
                if bare && goes_on(tokens, predicate.end) {
                    return None;
                }
                return Some(walk.result(predicate));
            }
            Said::NotRun { end } => return Some(walk.found(Says::NotDone, end)),
            Said::DoNot { end } => {
                let passed = tokens[..first.start].iter().any(|token| {
                    matches!(
                        token.low.as_str(),
                        "builds"
                            | "clean"
                            | "compiles"
                            | "fine"
                            | "green"
                            | "happy"
                            | "ok"
                            | "pass"
                            | "passes"
                            | "passing"
                            | "works"
                    )
                });
                let tail = subset::tail(tokens, end, last.kind);
                return passed.then_some(Finding { tail, ..walk.found(Says::Fail, tail.end.max(end)) });
            }
        }
        // What comes next has a verb of its own: "`gofmt` on the files and `go build` succeeds".
        let joined = at > last.end && matches!(word(tokens, at - 1), "and" | "or" | "but");
        if joined && sense.phrases.iter().any(|other| other.start == at) {
            return None;
        }
        match walk.step(at) {
            Step::To(next) => at = next,
            Step::Found(finding) => return Some(*finding),
            Step::Stop => return None,
        }
    }
    None
}

/// Whether a longer clause follows than a few words of place or time.
fn goes_on(tokens: &[Token], from: usize) -> bool {
    let end =
        (from..tokens.len()).find(|i| tokens[*i].punct().is_some() || tokens[*i].is("and") || tokens[*i].is("but"));
    let rest = &tokens[from..end.unwrap_or(tokens.len())];
    rest.len() > 4 || rest.iter().any(|token| has(words::BE, &token.low))
}

enum Step {
    To(usize),
    Found(Box<Finding>),
    Stop,
}

impl Walk<'_> {
    fn said(&self, at: usize, near: bool, lead: Lead) -> Said {
        let low = word(self.tokens, at);
        if lead == Lead::Ran && !GIVES.contains(&low) {
            return Said::Nothing;
        }
        let spared = near && matches!(lead, Lead::Plain | Lead::With | Lead::Ran | Lead::Exception { .. });
        let copula = if spared { Copula::Spared } else { Copula::Needed };
        // "I got all tests to pass"
        let start = at + usize::from(lead == Lead::With && near && low == "to");
        verb::read(self.tokens, start, self.phrase.kind, copula)
    }

    fn found(&self, says: Says, end: usize) -> Finding {
        Finding { post: self.post, ..Finding::new(says, end) }
    }

    fn result(&self, predicate: Predicate) -> Finding {
        let tail = subset::tail(self.tokens, predicate.end, self.phrase.kind);
        let mut says = Says::result(predicate.passes);
        let mut end = tail.end.max(predicate.end);
        // "fails without the fix and passes with it": what holds now is the pass.
        if let (Says::Fail, Some(later)) = (says, passes_with(self.tokens, predicate.end)) {
            says = Says::Pass;
            end = later;
        }
        let Predicate { outcome, all, past, .. } = predicate;
        Finding { verb_end: predicate.end, outcome, all, past, tail, ..self.found(says, end) }
    }

    /// "are unaffected and still pass": the second verb of the same subject.
    fn then(&self, end: usize, copula: Copula) -> Option<Finding> {
        let reach = self.tokens.len().min(end + 7);
        let plain = |token: &Token| {
            matches!(token.tok, Tok::Word | Tok::Ident | Tok::Path | Tok::Break | Tok::Number(_) | Tok::Punct('%'))
        };
        let and = (end..reach).take_while(|i| plain(&self.tokens[*i])).find(|i| self.tokens[*i].is("and"))?;
        let other = self.tokens[end..and]
            .iter()
            .any(|token| has(words::RELATIVES, &token.low) || matches!(token.low.as_str(), "if" | "to"));
        // "is small and clean" praises; "is faster and still green" reports.
        let reports = matches!(word(self.tokens, and + 1), "failing" | "green" | "now" | "passing" | "red" | "still");
        let copula = if reports { copula } else { Copula::Needed };
        match verb::read(self.tokens, and + 1, self.phrase.kind, copula) {
            Said::Result(predicate) if !other => Some(self.result(predicate)),
            _ => None,
        }
    }

    /// One step to the right over words that belong to the noun.
    fn step(&mut self, at: usize) -> Step {
        let tokens = self.tokens;
        let Some(token) = tokens.get(at) else { return Step::Stop };
        let low = token.low.as_str();
        let until = |c: char| (at + 1..tokens.len().min(at + 16)).find(|i| tokens[*i].punct() == Some(c));
        match &token.tok {
            Tok::Punct('(') => {
                let inner = subset::tail(tokens, at, self.phrase.kind).outcome;
                self.post.outcome = self.post.outcome.or(inner);
                return until(')').map_or(Step::Stop, |close| Step::To(close + 1));
            }
            // "The tests, all 42 of them, pass"
            Tok::Punct(',') if word(tokens, at + 1) == "all" && until(',').is_some_and(|close| close <= at + 5) => {
                return until(',').map_or(Step::Stop, |close| Step::To(close + 1));
            }
            Tok::Punct(',') if INSERTED.contains(&word(tokens, at + 1)) => {
                // "which failed before, pass now": the insertion tells of another time.
                let over = until(',').is_some_and(|close| {
                    tokens[at..close]
                        .iter()
                        .any(|token| matches!(token.low.as_str(), "before" | "earlier" | "first" | "previously"))
                });
                if word(tokens, at + 1) == "which" && !over {
                    // ", which all pass" says it of them.
                    if let Said::Result(predicate) = verb::read(tokens, at + 2, self.phrase.kind, Copula::Needed) {
                        return Step::Found(Box::new(self.result(predicate)));
                    }
                }
                return until(',').map_or(Step::Stop, |close| Step::To(close + 1));
            }
            // "all tests but the two that need Docker"
            Tok::Word if !self.inside && self.except(at) => {
                self.inside = true;
                self.relative = true;
            }
            Tok::Word if has(words::RELATIVES, low) => {
                self.relative = true;
                self.inside = true;
                self.choose(at, subset::phrase_end(tokens, at));
                return Step::To(at + 2);
            }
            Tok::Word if matches!(low, "i" | "we" | "you") && !self.inside => {
                self.relative = true;
                self.inside = true;
                self.choose(at, at + 2);
                return Step::To(at + 2);
            }
            Tok::Word if has(words::PREPOSITIONS, low) || CHOOSING.contains(&low) => {
                self.inside = true;
                let end = subset::phrase_end(tokens, at);
                // "the tests in the issue": somebody else's.
                if tokens[at..end].iter().any(|token| ELSEWHERE.contains(&token.low.as_str())) {
                    return Step::Stop;
                }
                if subset::names_part(tokens, at, end, self.phrase.kind) || CHOOSING.contains(&low) {
                    self.choose(at, end);
                }
            }
            Tok::Word | Tok::Ident | Tok::Path | Tok::Number(_) | Tok::Command(_) | Tok::Hash if self.inside => {}
            Tok::Break => {}
            // "The suite is faster now and still passes", "the build takes 8 s and passes"
            Tok::Word if !self.inside && has(words::ADVERBS, low) && !matches!(low, "all" | "as" | "both" | "then") => {
            }
            Tok::Word if self.opens_verb(at) => {
                return match self.then(at + 1, Copula::Needed) {
                    Some(finding) if finding.says == Says::Pass => Step::Found(Box::new(finding)),
                    _ => Step::Stop,
                };
            }
            _ => return Step::Stop,
        }
        Step::To(at + 1)
    }

    /// A verb of something else right after the noun, of known checks: "the suite takes a minute".
    fn opens_verb(&self, at: usize) -> bool {
        let between = &self.tokens[self.phrase.end..at];
        let near = between.iter().all(|token| has(words::ADVERBS, &token.low));
        let low = self.tokens[at].low.as_str();
        let verb = has(words::VERBS, low)
            || matches!(low, "cover" | "covers" | "exercise" | "needed" | "take" | "takes" | "took");
        let known = self.phrase.definite || matches!(self.phrase.amount, Amount::All) || self.phrase.by_command;
        near && verb && known
    }

    /// Takes in an exception that stands before the verb.
    fn except(&mut self, at: usize) -> bool {
        let but = word(self.tokens, at) == "but" && matches!(self.phrase.amount, Amount::All);
        let Some(after) = exception_words(self.tokens, at).or(but.then_some(at + 1)) else { return false };
        self.post.exception = true;
        self.post.excepted = exception_number(self.tokens, after);
        true
    }

    fn choose(&mut self, from: usize, to: usize) {
        self.post.subset = self.post.subset.or(Some((from, to)));
    }
}

/// "… and passes with it" after "fails without the fix".
pub fn passes_with(tokens: &[Token], from: usize) -> Option<usize> {
    let without = matches!(word(tokens, from), "without" | "before" | "on" | "first");
    let and = (from..tokens.len().min(from + 9)).find(|i| matches!(word(tokens, *i), "and" | "but"))?;
    let at = and + 1 + usize::from(word(tokens, and + 1) == "now");
    let passes = matches!(word(tokens, at), "passes" | "pass" | "succeeds");
    let with = matches!(word(tokens, at + 1), "with" | "after" | "here" | "now" | "on");
    (without && passes && with).then_some((at + 3).min(tokens.len()))
}
