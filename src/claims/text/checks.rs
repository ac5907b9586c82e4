//! Results of checks: a noun phrase and what is said of it. "All 42 tests pass", "Lint, types and tests all pass",
//! "`mypy .` | clean", "✅ Prettier", "no type errors".

use super::assertion::{Finding, draft};
use super::ending;
use super::file_verbs;
use super::generic;
use super::lead::{self, Lead};
use super::mark::Mark;
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::outcome::{self, Outcome};
use super::passes::passes_object;
use super::reading::{Draft, Sense};
use super::subject;
use super::subset::{self, Tail};
use super::token::{Tok, Token, word};
use super::verb::{self, Copula, Said};
use super::words::{self, has};
use super::{Kind, Says};

/// Finds the results that the sentence claims of the checks it names.
pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let mut at = 0;
    while at < sense.phrases.len() {
        let mut group = group(sense.tokens, &sense.phrases[at..]);
        // "I ran clippy and the tests pass": only a label speaks for both.
        if group.len() > 1 && ran_apart(sense, group) {
            group = &group[..1];
        }
        at += group.len();
        if let Some(draft) = group.last().and_then(|last| likewise(sense, last, out)) {
            out.push(draft);
        } else if let Some((finding, lead, start)) = group.first().and_then(|first| of_group(sense, first, group)) {
            for (i, phrase) in group.iter().enumerate() {
                let from = if i == 0 { start } else { phrase.start };
                if let Some(draft) = draft(sense, phrase, &finding, lead, from) {
                    out.push(draft);
                }
            }
            if let Some((other, from)) = group.last().and_then(|last| contrast(sense, last, &finding)) {
                out.extend(group.last().and_then(|last| draft(sense, last, &other, Lead::Plain, from)));
            }
        }
    }
}

/// "The build succeeds on Linux but fails on Windows": a second verb that says the contrary.
fn contrast(sense: &Sense, phrase: &NounPhrase, finding: &Finding) -> Option<(Finding, usize)> {
    let tokens = sense.tokens;
    let reach = tokens.len().min(finding.end + 8);
    let but = (finding.end..reach)
        .find(|i| tokens[*i].is("but"))
        .or_else(|| (finding.end..reach).find(|i| tokens[*i].is("and") || tokens[*i].punct() == Some(',')))?;
    let Said::Result(predicate) = verb::read(tokens, but + 1, phrase.kind, Copula::Needed) else { return None };
    let says = Says::result(predicate.passes);
    let tail = subset::tail(tokens, predicate.end, phrase.kind);
    let plain = !ending::takes_back(tokens, predicate.end, !predicate.passes, predicate.past);
    let end = tail.end.max(predicate.end);
    let other = Finding { outcome: predicate.outcome, tail, ..Finding::new(says, end) };
    let here = word(tokens, predicate.end) == "here";
    (says != finding.says && plain && (here || sense.guarded.allows_check(but + 1))).then_some((other, but + 1))
}

/// "Tests pass, lint too": what was said last is said of this as well.
fn likewise(sense: &Sense, phrase: &NounPhrase, found: &[Draft]) -> Option<Draft> {
    let tokens = sense.tokens;
    let too = matches!(word(tokens, phrase.end), "too" | "also" | "likewise")
        || (word(tokens, phrase.end) == "as" && word(tokens, phrase.end + 1) == "well");
    let end = phrase.end + if word(tokens, phrase.end) == "as" { 2 } else { 1 };
    let closed = tokens.get(end).is_none_or(|token| token.punct().is_some());
    let before = found.last().filter(|draft| matches!(draft.claim.says, Says::Pass | Says::Fail))?;
    let opens = lead::clause_start(tokens, phrase.start) == phrase.start && phrase.start > 0;
    // "… and so are the tests"
    let so = phrase.start >= 2
        && matches!(word(tokens, phrase.start - 1), "is" | "are" | "do" | "does")
        && word(tokens, phrase.start - 2) == "so"
        && tokens.get(phrase.end).is_none_or(|token| token.punct().is_some());
    if so && sense.guarded.allows_check(phrase.start) {
        return draft(sense, phrase, &Finding::new(before.claim.says, phrase.end), Lead::Plain, phrase.start);
    }
    if !(too && closed && opens && sense.guarded.allows_check(phrase.start)) {
        return None;
    }
    draft(sense, phrase, &Finding::new(before.claim.says, end), Lead::Plain, phrase.start)
}

/// "Lint, types and tests": phrases that share a predicate.
pub fn group<'p>(tokens: &[Token], phrases: &'p [NounPhrase]) -> &'p [NounPhrase] {
    let mut len = 1;
    while len < phrases.len() {
        let (left, right) = (&phrases[len - 1], &phrases[len]);
        let same = left.head == right.head && left.end == right.end;
        let between = tokens.get(left.end..right.start).unwrap_or_default();
        let joins = |token: &Token| {
            matches!(token.punct(), Some(',' | '/' | '&' | '+'))
                || matches!(token.low.as_str(), "and" | "or" | "nor" | "plus" | "both")
        };
        let alike = (left.form == Form::Problem) == (right.form == Form::Problem);
        if !(same || alike && (!between.is_empty() && between.len() <= 2 && between.iter().all(joins))) {
            break;
        }
        len += 1;
    }
    // Two with a bare comma between them are no list: "Other than `test_tz`, all tests pass".
    let bare = |left: &NounPhrase, right: &NounPhrase| {
        right.start > left.end && tokens[left.end..right.start].iter().all(|token| token.punct() == Some(','))
    };
    if len == 2 && bare(&phrases[0], &phrases[1]) {
        len = 1;
    }
    &phrases[..len]
}

/// The first phrase is what was run, the last has a verb of its own.
fn ran_apart(sense: &Sense, group: &[NounPhrase]) -> bool {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return false };
    let before = first.start.checked_sub(1).map_or("", |i| word(sense.tokens, i));
    let apart = match lead::read(sense.tokens, first.start, true) {
        Lead::Ran | Lead::With => true,
        Lead::Other => has(words::PREPOSITIONS, before),
        _ => false,
    };
    apart && matches!(verb::read(sense.tokens, last.end, last.kind, Copula::Needed), Said::Result(_))
}

fn of_group(sense: &Sense, first: &NounPhrase, group: &[NounPhrase]) -> Option<(Finding, Lead, usize)> {
    let tokens = sense.tokens;
    let last = group.last()?;
    if let Some(found) = super::unrun::not_brought(sense, first, last) {
        return Some(found);
    }
    if let Some(found) = passes_object(sense, first, last) {
        return Some(found);
    }
    // "The previously flaky one": a guard may stand within the phrase.
    if !sense.guarded.allows_check(first.start) || !sense.guarded.allows_check(first.head) {
        return None;
    }
    // "The third is a fork of the second, and its tests fail": whose they are is not said by the agent.
    let possessive = first.start > 0 && matches!(word(tokens, first.start), "its" | "their");
    if possessive && !tokens[..first.start].iter().any(|token| token.is("i") || token.is("we")) {
        return None;
    }
    let determined = first.definite
        || first.amount != Amount::Bare
        || first.number.is_some()
        || first.ratio.is_some()
        || first.by_command;
    let lead = lead::read(tokens, first.start, determined);
    if group.iter().all(|phrase| phrase.form == Form::Problem) {
        // "The failing test passes now."
        let passes = |finding: &Finding| finding.says == Says::Pass && lead != Lead::Other;
        if let Some(finding) = subject::read(sense, first, last, lead).filter(passes) {
            return Some((finding, lead, first.start));
        }
        return super::fragments::problem(sense, first, last, lead).map(|finding| (finding, Lead::Plain, first.start));
    }
    if matches!(lead, Lead::Other) {
        return None;
    }
    if let Some(says) = titled(sense, first, last) {
        return Some((Finding::new(says, last.end), Lead::Plain, first.start));
    }
    let found = tallied(tokens, last, lead)
        .or_else(|| subject::read(sense, first, last, lead))
        .or_else(|| label(tokens, last, lead))
        .or_else(|| marked(tokens, first, last, lead));
    let finding = found?;
    if lead == Lead::AfterPast && !finding.past {
        return None;
    }
    if generic::tells(tokens, last.end, last.kind, &finding) {
        return None;
    }
    // Only after "with all tests green" does a new clause begin without a comma.
    if lead != Lead::With && matches!(word(tokens, finding.verb_end), "i" | "we") {
        return None;
    }
    let fails = finding.says == Says::Fail;
    if fails && finding.past && mended(tokens, finding.end) {
        return None;
    }
    if ending::takes_back(tokens, finding.verb_end, fails, finding.past) && finding.says != Says::NotDone {
        return None;
    }
    let start = match lead {
        Lead::Exception { from, .. } => from,
        _ => first.start,
    };
    Some((finding, lead, start))
}

/// "The test failed because the clock was mocked; I changed the mock": what failed is worked on in the same breath.
fn mended(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len()).any(|i| {
        let verb = i + 1 + usize::from(matches!(word(tokens, i + 1), "have" | "then" | "therefore" | "thus"));
        matches!(word(tokens, i), "i" | "we") && file_verbs::past(word(tokens, verb))
    })
}

/// "Tests passed: 2, failed: 1", "Tests passing: 2/3", "Tests pass (2/3)"
fn tallied(tokens: &[Token], phrase: &NounPhrase, lead: Lead) -> Option<Finding> {
    let verdict = matches!(word(tokens, phrase.end), "pass" | "passed" | "passing");
    if lead != Lead::Plain || phrase.kind != Kind::Tests || !verdict || phrase.amount != Amount::Bare {
        return None;
    }
    let opened = tokens.get(phrase.end + 1).and_then(Token::punct)?;
    let start = match opened {
        ':' => phrase.end,
        '(' => phrase.end + 1,
        _ => return None,
    };
    let outcome = outcome::read(tokens, start, Some(phrase.kind)).filter(|outcome| outcome.figures > 0)?;
    finding(outcome, Tail::default(), tokens, phrase.kind)
}

/// "`cargo test`: 88 passed, 0 failed", "Lint | ✅", "42 tests, all passing".
fn label(tokens: &[Token], phrase: &NounPhrase, lead: Lead) -> Option<Finding> {
    if !matches!(lead, Lead::Plain | Lead::Ran | Lead::Exception { .. }) {
        return None;
    }
    let mut at = phrase.end;
    let mut post = Tail::default();
    if tokens.get(at).and_then(Token::punct) == Some('(') {
        let close = (at + 1..tokens.len().min(at + 16)).find(|i| tokens[*i].punct() == Some(')'))?;
        let inner = outcome::read(tokens, at, Some(phrase.kind))
            .filter(|outcome| outcome.not_run || outcome.verdict().is_some());
        if let Some(outcome) = inner {
            return finding(outcome, post, tokens, phrase.kind);
        }
        at = close + 1;
    }
    if has(words::PREPOSITIONS, word(tokens, at)) && matches!(word(tokens, at), "across" | "for" | "in" | "on" | "over")
    {
        let end = subset::phrase_end(tokens, at);
        if subset::names_part(tokens, at, end, phrase.kind) {
            post.subset = Some((at, end));
        }
        at = end;
    }
    // "I ran the tests once more after the last edit: still green"
    if lead == Lead::Ran
        && let Some(colon) =
            (at..tokens.len().min(at + 10)).find(|i| !matches!(tokens[*i].tok, Tok::Word | Tok::Number(_)))
        && tokens[colon].punct() == Some(':')
    {
        at = colon;
    }
    let token = tokens.get(at)?;
    let start = match &token.tok {
        Tok::Punct(':' | '—' | '→' | '|' | '=' | ',' | '…') => at + 1,
        Tok::Mark(Mark::Good | Mark::Bad) => at,
        Tok::Ratio(..) => at,
        // "`cargo fmt --check` no differences"
        Tok::Word if phrase.by_command && phrase.end == at && token.low == "no" => at,
        Tok::Word if lead == Lead::Ran && matches!(token.low.as_str(), "with" | "and" | "without") => {
            at + usize::from(token.low == "with" || token.low == "and")
        }
        _ => return None,
    };
    let start =
        start + usize::from(tokens.get(start).is_some_and(|token| matches!(token.punct(), Some('—' | '|' | '→'))));
    let start = start + usize::from(matches!(word(tokens, start), "the" | "with" | "got" | "gives" | "at" | "status"));
    // "Tests: 240 (all green)"
    let counted = match (tokens.get(start).map(|token| &token.tok), tokens.get(start + 1).and_then(Token::punct)) {
        (Some(Tok::Number(n)), Some('(')) if phrase.kind == Kind::Tests => {
            outcome::read(tokens, start + 1, Some(phrase.kind))
                .filter(|outcome| outcome.all && outcome.passes && outcome.figures == 0)
                .map(|outcome| Outcome { passed: Some(*n), failed: Some(0), figures: 1, ..outcome })
        }
        _ => None,
    };
    // "Tests: 42 ✅"
    let counted = counted.or_else(|| match (tokens.get(start).map(|token| &token.tok), tokens.get(start + 1)) {
        (Some(Tok::Number(n)), Some(Token { tok: Tok::Mark(Mark::Good), .. })) if phrase.kind == Kind::Tests => {
            Some(Outcome { end: start + 2, passes: true, passed: Some(*n), figures: 1, ..Outcome::default() })
        }
        _ => None,
    });
    let outcome = counted.or_else(|| outcome::read(tokens, start, Some(phrase.kind)))?;
    let loose = token.punct() == Some(',') || token.tok == Tok::Word;
    if loose && outcome.figures == 0 && !outcome.all && outcome.failed.is_none() && !(token.is("without")) {
        return None;
    }
    finding(outcome, post, tokens, phrase.kind)
}

fn finding(outcome: Outcome, post: Tail, tokens: &[Token], kind: Kind) -> Option<Finding> {
    let says = match (outcome.not_run, outcome.verdict()) {
        (true, None) => Says::NotDone,
        (_, Some(true)) => Says::Pass,
        (_, Some(false)) => Says::Fail,
        (false, None) => return None,
    };
    let tail = subset::tail(tokens, outcome.end, kind);
    let found = Finding::new(says, tail.end.max(outcome.end));
    Some(Finding { verb_end: outcome.end, outcome: Some(outcome), all: outcome.all, post, tail, ..found })
}

/// "All green: lint, types, tests."
fn titled(sense: &Sense, first: &NounPhrase, last: &NounPhrase) -> Option<Says> {
    let tokens = sense.tokens;
    // Between the colon and the end there are checks, and nothing else.
    let listed = |i: usize| {
        sense.phrases.iter().any(|phrase| phrase.start <= i && i < phrase.end)
            || tokens[i].punct() == Some(',')
            || tokens[i].is("and")
    };
    let colon = (0..first.start).rev().find(|i| !listed(*i))?;
    let rest = (last.end..tokens.len()).find(|i| !listed(*i));
    let closed = rest.is_none_or(|i| tokens[i].tok == Tok::Break || tokens[i].punct() == Some('('));
    let reaches = |end: usize| {
        end <= colon
            && tokens[end..colon].iter().all(|token| matches!(token.low.as_str(), "again" | "here" | "locally" | "now"))
    };
    let title = outcome::read(&tokens[..colon], 0, Some(first.kind))
        .filter(|outcome| reaches(outcome.end) && outcome.figures == 0);
    let says = title.and_then(|outcome| outcome.verdict()).map(Says::result)?;
    (matches!(tokens[colon].punct(), Some(':' | '—')) && closed).then_some(says)
}

/// "✅ Lint": a mark, the check, and nothing else.
fn marked(tokens: &[Token], first: &NounPhrase, last: &NounPhrase, lead: Lead) -> Option<Finding> {
    let before = tokens[..first.start].iter().rev().find(|token| token.punct().is_none());
    let good = match before.map(|token| &token.tok) {
        Some(Tok::Mark(Mark::Good)) => true,
        Some(Tok::Mark(Mark::Bad)) => false,
        _ => return None,
    };
    let closed = match tokens.get(last.end) {
        None => true,
        Some(token) => token.punct() == Some('(') && tokens.last().and_then(Token::punct) == Some(')'),
    };
    if lead != Lead::Plain
        || !closed
        || first.number.is_some()
        || (first.form == Form::One && first.amount != Amount::All)
    {
        return None;
    }
    let says = if good { Says::Pass } else { Says::Fail };
    Some(Finding::new(says, last.end))
}
