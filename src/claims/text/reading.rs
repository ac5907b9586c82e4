//! From blocks to claims: reads each sentence with every rule and puts what was found in order.

use std::ops::Range;

use super::checks;
use super::file;
use super::fragments;
use super::frame::{self, Frame};
use super::guard::{self, Guarded};
use super::making;
use super::mark::Mark;
use super::mention::Mention;
use super::narrow;
use super::not_done;
use super::noun::{self, NounPhrase};
use super::row;
use super::scan::could_claim;
use super::segment::{self, Shape, Tick};
use super::sentence;
use super::token::{self, Tok, Token};
use super::unrun;
use super::vcs;
use super::vcs_label;
use super::words::{self, has};
use super::{Count, Kind, Says, Scope, TextClaim};

/// One sentence, ready to be looked at by the rules.
pub struct Sense<'a> {
    pub message: &'a str,
    pub tokens: &'a [Token],
    pub guarded: Guarded,
    /// The checks it names.
    pub phrases: Vec<NounPhrase>,
    /// Where a runner may be named: the sentence, or the whole of a list item or row.
    pub around: &'a [Token],
    /// The check that the sentence before has named.
    pub before: Option<Mention>,
    pub frame: Frame,
    pub tick: Tick,
}

/// A claim on its way: it may be dropped when a later sentence replaces it.
#[derive(Debug, Clone)]
pub struct Draft {
    pub claim: TextClaim,
    /// A failure told in the past.
    pub past_failure: bool,
}

/// The claims of a message, in order of appearance.
pub fn claims(message: &str) -> Vec<TextClaim> {
    if !could_claim(message) {
        return Vec::new();
    }
    let blocks = segment::blocks(message);
    let frames = frame::frames(message, &blocks);
    let mut drafts = Vec::new();
    let mut before = None;
    for (block, frame) in blocks.iter().zip(frames) {
        let mut found = Vec::new();
        match &block.shape {
            Shape::Gap => {}
            Shape::Row { cells, header } => row::read(message, cells, header, frame, &mut found),
            shape => {
                let tick = if let Shape::Item { tick, .. } = shape { *tick } else { Tick::None };
                let in_item = matches!(shape, Shape::Item { .. });
                if tick != Tick::Unchecked {
                    before = prose(message, block.text.clone(), frame, tick, in_item, before, &mut found);
                }
            }
        }
        drafts.append(&mut found);
    }
    settle(drafts)
}

/// Reads a block of prose; returns the check that its last sentence named.
fn prose(
    message: &str,
    text: Range<usize>,
    frame: Frame,
    tick: Tick,
    in_item: bool,
    before: Option<Mention>,
    out: &mut Vec<Draft>,
) -> Option<Mention> {
    let tokens = token::tokens(message, text.start, text.end);
    let mut before = before;
    let mut frame = frame;
    let mut first = true;
    for sentence in sentence::sentences(&tokens, message) {
        let words = &tokens[sentence.tokens.clone()];
        let around = if in_item { &tokens[..tokens.len().min(sentence.tokens.start + 300)] } else { words };
        let around = if in_item { &around[sentence.tokens.start.saturating_sub(300)..] } else { around };
        let sense = Sense::new(message, words, around, sentence.question, before, frame, tick);
        read(&sense, out);
        if !frame.asserts && !frame.quoted && !in_item {
            denials(&sense, out);
        }
        // "2. Change the test. All tests pass then": an item that begins as a step or an option stays one.
        if first && in_item && tick == Tick::None && !frame.done && !sense.guarded.ends_plainly() {
            frame.asserts = false;
        }
        frame.asserts &= !weighs(words);
        first = false;
        before = sense.named().or(if words.len() > 2 && !mends(words) { None } else { before });
    }
    before
}

/// "I fixed the parser": after it "all 42 pass" still speaks of the tests named before.
fn mends(tokens: &[Token]) -> bool {
    let verb = matches!(token::word(tokens, 1), "adjusted" | "changed" | "corrected" | "fixed" | "mended" | "repaired");
    let several =
        |token: &Token| token.low.len() > 3 && token.low.ends_with('s') && !matches!(token.low.as_str(), "this");
    matches!(token::word(tokens, 0), "i" | "we") && verb && tokens.len() <= 10 && !tokens.iter().any(several)
}

/// "I see three possibilities": what follows in the block describes them.
fn weighs(tokens: &[Token]) -> bool {
    #[rustfmt::skip]
    const CHOICES: &[&str] = &[
        "alternatives", "approaches", "choices", "designs", "options", "possibilities", "routes", "scenarios", "solutions",
        "variants", "ways",
    ];
    let several = |i: usize| {
        matches!(tokens[i].tok, Tok::Number(_)) || matches!(tokens[i].low.as_str(), "several" | "few" | "some" | "both")
    };
    // "There are two ways", and not "I added two options".
    let weighed = |i: usize| {
        let from = i.saturating_sub(5);
        (from..i).any(|j| {
            // "Two designs come to mind"
            let leads = j == 0 && i <= 2 && !matches!(token::word(tokens, i + 1), "were" | "are" | "have");
            several(j) && leads
                || several(j)
                    && j > 0
                    && matches!(token::word(tokens, j - 1), "are" | "see" | "have" | "between" | "the")
        })
    };
    // "Take the second option. It leaves …"
    let chosen = |i: usize| {
        let which = |token: &Token| {
            matches!(token.tok, Tok::Number(_))
                || matches!(token.low.as_str(), "first" | "second" | "third" | "other" | "former" | "latter")
        };
        matches!(token::word(tokens, i), "alternative" | "option" | "variant" | "way")
            && (i > 0 && which(&tokens[i - 1]) || tokens.get(i + 1).is_some_and(which))
    };
    if (0..tokens.len()).any(chosen) {
        return true;
    }
    (0..tokens.len()).any(|i| CHOICES.contains(&token::word(tokens, i)) && weighed(i))
}

/// "I did not commit the changes", also where the heading announces plans.
fn denials(sense: &Sense, out: &mut Vec<Draft>) {
    let own = matches!(token::word(sense.tokens, 0), "i" | "nothing" | "we");
    if !own || sense.foreign() {
        return;
    }
    let mut found = Vec::new();
    vcs::find(sense, &mut found);
    found.retain(|draft| draft.claim.says == Says::NotDone && draft.claim.span.start == sense.tokens[0].start);
    out.append(&mut found);
}

/// All rules on one sentence.
pub fn read(sense: &Sense, out: &mut Vec<Draft>) {
    let open = sense
        .tokens
        .iter()
        .find(|token| token.tok != Tok::Break)
        .is_some_and(|token| token.tok == Tok::Mark(Mark::Open));
    if sense.foreign() || open {
        vcs_label::label(sense, out);
        return;
    }
    let mut found = Vec::new();
    if sense.frame.asserts || sense.tick == Tick::Checked {
        checks::find(sense, &mut found);
        unrun::find(sense, &mut found);
        not_done::listed(sense, &mut found);
        not_done::item(sense, &mut found);
        making::find(sense, &mut found);
        fragments::find(sense, &mut found);
        merge(&mut found);
        give_back(sense, &mut found);
        if sense.frame.earlier {
            found.retain(|draft| draft.claim.says != Says::Fail && draft.claim.kind != Kind::Build);
        }
        vcs::find(sense, &mut found);
        file::find(sense, &mut found);
        narrow::apply(sense, &mut found);
        if sense.frame.lacks {
            found.retain(|draft| matches!(draft.claim.says, Says::Fail | Says::NotDone));
        }
    }
    found.sort_by_key(|draft| draft.claim.span.start);
    out.append(&mut found);
}

/// One statement is one claim: what two rules have both found of one check is kept once, the first.
fn merge(found: &mut Vec<Draft>) {
    let mut kept: Vec<Draft> = Vec::new();
    for draft in found.drain(..) {
        let same = |other: &Draft| {
            let runners = (other.claim.runner, draft.claim.runner);
            let two = matches!(runners, (Some(one), Some(another)) if one != another);
            other.claim.kind == draft.claim.kind
                && !two
                && other.claim.span.start < draft.claim.span.end
                && draft.claim.span.start < other.claim.span.end
        };
        if !kept.iter().any(same) {
            kept.push(draft);
        }
    }
    *found = kept;
}

/// "The Python tests pass; one jest test fails": the runner that another claim names for itself is none of this one's.
fn give_back(sense: &Sense, found: &mut [Draft]) {
    let names_itself = |draft: &Draft| {
        let within = |token: &&Token| draft.claim.span.start <= token.start && token.end <= draft.claim.span.end;
        sense.tokens.iter().filter(within).any(|token| match &token.tok {
            Tok::Command(uses) => uses.iter().any(|only| {
                only.kind == draft.claim.kind && only.runner == draft.claim.runner && only.runner.is_some()
            }),
            _ => false,
        })
    };
    let named: Vec<bool> = found.iter().map(names_itself).collect();
    for i in 0..found.len() {
        let check = (found[i].claim.kind, found[i].claim.runner);
        let elsewhere = |j: usize| named[j] && (found[j].claim.kind, found[j].claim.runner) == check;
        if !named[i] && (0..found.len()).any(elsewhere) {
            found[i].claim.runner = None;
        }
    }
}

/// Drops a past failure that a later pass of the same check replaces.
fn settle(drafts: Vec<Draft>) -> Vec<TextClaim> {
    let mut passed_later: Vec<(Kind, Option<&str>)> = Vec::new();
    let mut claims: Vec<TextClaim> = Vec::with_capacity(drafts.len());
    for draft in drafts.into_iter().rev() {
        let check = (draft.claim.kind, draft.claim.runner);
        // Another runner's pass replaces nothing.
        let same = |(kind, runner): &(Kind, Option<&str>)| {
            *kind == check.0 && (runner.is_none() || check.1.is_none() || *runner == check.1)
        };
        if draft.past_failure && passed_later.iter().any(same) {
            continue;
        }
        if draft.claim.says == Says::Pass && draft.claim.scope != Scope::Part && !passed_later.contains(&check) {
            passed_later.push(check);
        }
        claims.push(draft.claim);
    }
    claims.reverse();
    claims
}

impl<'a> Sense<'a> {
    pub fn new(
        message: &'a str,
        tokens: &'a [Token],
        around: &'a [Token],
        question: bool,
        before: Option<Mention>,
        frame: Frame,
        tick: Tick,
    ) -> Sense<'a> {
        Sense {
            message,
            tokens,
            guarded: guard::read(tokens, question),
            phrases: noun::phrases(tokens),
            around,
            before,
            frame,
            tick,
        }
    }

    /// A claim that spans the given tokens.
    #[allow(clippy::too_many_arguments)]
    pub fn draft(
        &self,
        kind: Kind,
        says: Says,
        scope: Scope,
        count: Option<Count>,
        runner: Option<&'static str>,
        subset: Option<String>,
        span: Range<usize>,
        past_failure: bool,
    ) -> Option<Draft> {
        let start = self.tokens.get(span.start)?.start;
        let end = self.tokens.get(span.end.checked_sub(1)?)?.end;
        (start < end).then_some(Draft {
            claim: TextClaim { kind, says, scope, count, runner, object: None, span: start..end, subset },
            past_failure,
        })
    }

    /// A deed with its object.
    pub fn deed(&self, kind: Kind, says: Says, object: Option<String>, span: Range<usize>) -> Option<Draft> {
        let mut draft = self.draft(kind, says, Scope::All, None, None, None, span, false)?;
        draft.claim.object = object;
        Some(draft)
    }

    /// The words between two tokens, as they stand in the message.
    pub fn words(&self, start: usize, end: usize) -> Option<String> {
        let from = self.tokens.get(start)?.start;
        let to = self.tokens.get(end.checked_sub(1)?)?.end;
        self.message.get(from..to).map(|text| text.replace('`', "").trim().to_owned())
    }

    /// The runner of a check and the filter on its command line: its own, or the only one that is named nearby.
    pub fn runner(
        &self,
        kind: Kind,
        own: Option<&'static str>,
        filter: Option<String>,
        by_command: bool,
    ) -> (Option<&'static str>, Option<String>) {
        if own.is_some() || by_command {
            return (own, filter);
        }
        let mut named = self.around.iter().filter_map(|token| match &token.tok {
            Tok::Command(uses) => uses.iter().find(|only| only.kind == kind),
            _ => None,
        });
        match (named.next(), named.next()) {
            (Some(only), None) => (only.runner, only.subset.clone()),
            (Some(first), Some(second)) if first.runner == second.runner => (first.runner, None),
            _ => (None, None),
        }
    }

    /// The runner of a check that was not run: its own, or one that is named after `start`, where the statement begins.
    pub fn runner_after(&self, start: usize, phrase: &NounPhrase) -> (Option<&'static str>, Option<String>) {
        if phrase.runner.is_some() || phrase.by_command {
            return (phrase.runner, phrase.filter.clone());
        }
        let named = self.tokens[start..].iter().find_map(|token| match &token.tok {
            Tok::Command(uses) => uses.iter().find(|only| only.kind == phrase.kind),
            _ => None,
        });
        (named.and_then(|only| only.runner), None)
    }

    /// Whether the sentence begins with a command of that kind.
    pub fn subject_command(&self, kind: Kind) -> bool {
        self.tokens.iter().any(|token| matches!(&token.tok, Tok::Command(uses) if uses.iter().any(|only| only.kind == kind && only.subset.is_none())))
    }

    /// Whether the sentence is in another language, as far as its small words tell.
    fn foreign(&self) -> bool {
        let count =
            |set: &[&str]| self.tokens.iter().filter(|token| token.tok == Tok::Word && has(set, &token.low)).count();
        let foreign = count(words::FOREIGN);
        foreign >= 1 && foreign >= count(words::ENGLISH)
    }
}
