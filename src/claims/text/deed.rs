//! Who did it: whether a verb such as "committed" is said of the agent's own doing, and whether it is denied.

use super::ending;
use super::guard::Guarded;
use super::lead::clause_start;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// A deed's verb and its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    /// The first token of the statement.
    pub start: usize,
    pub negated: bool,
    /// "did not commit": the bare verb.
    pub bare: bool,
    /// Tokens of the subject that it was done to: "the fix" in "the fix is committed".
    pub done_to: Option<(usize, usize)>,
    /// "has been", "have": finished, rather than a state.
    pub perfect: bool,
    /// "is", "are": how it is, rather than what was done.
    pub present: bool,
}

/// Irregular past forms that open a clause without a subject.
#[rustfmt::skip]
const PAST: &[&str] = &[
    "brought", "built", "cut", "did", "drew", "gave", "got", "kept", "left", "made", "put", "ran", "re-ran",
    "rebuilt", "reran", "rewrote", "set", "split", "swapped", "took", "went", "wrote",
];

/// Subjects to whom a deed done is not the agent's.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "agent", "author", "bot", "ci", "client", "colleague", "dependabot", "he", "hook", "job", "pipeline", "reviewer",
    "script", "server", "she", "sub-agent", "subagent", "they", "user", "which", "who", "workflow", "you",
];

/// Reads the voice of the verb at `verb`; none if it is not the agent's own deed.
pub fn voice(tokens: &[Token], guarded: &Guarded, verb: usize) -> Option<Voice> {
    let mut at = verb;
    let mut be = false;
    let mut present = false;
    let mut have = false;
    let mut had = false;
    let mut does = false;
    let mut negated = false;
    while at > 0 {
        let low = word(tokens, at - 1);
        let neither = low == "neither"
            && (at == 1 && !be
                || at >= 2 && (has(words::HAVE, word(tokens, at - 2)) || matches!(word(tokens, at - 2), "i" | "we")));
        if low == "not" || low == "never" || neither {
            negated = !negated;
        } else if has(words::BE, low) {
            be = true;
            present |= matches!(low, "is" | "are" | "am");
        } else if has(words::HAVE, low) {
            have = true;
            had |= low == "had";
        } else if has(words::DO, low) && low != "doing" {
            does = true;
        } else if has(words::MODALS, low) || low == "to" {
            return None;
        } else if tokens[at - 1].tok == Tok::Break
            || (has(words::ADVERBS, low) && !matches!(low, "all" | "both" | "then" | "once"))
            // "is all committed"
            || (matches!(low, "all" | "both") && at >= 2 && has(words::BE, word(tokens, at - 2)))
            || matches!(low, "force" | "newly" | "deliberately" | "directly" | "yet" | "simply" | "only")
        {
        } else {
            break;
        }
        at -= 1;
    }
    let voice = |start: usize, done_to: Option<(usize, usize)>, negated: bool| Voice {
        start,
        negated,
        bare: does,
        done_to,
        perfect: have,
        present,
    };
    let low = if at == 0 { "" } else { word(tokens, at - 1) };
    // "neither committed nor pushed"
    let negated = negated != (low == "nor");
    let subject_start = if matches!(low, "i" | "we") { at - 1 } else { at };
    if let Some(start) = denied_list(tokens, at).filter(|_| at == verb) {
        return guarded.allows_deed(start).then(|| Voice { bare: true, ..voice(start, None, true) });
    }
    // Its own "did not" is no guard, so what counts is the place where the statement begins.
    if !guarded.allows_deed(subject_start) {
        return None;
    }
    // "I had committed it" tells of another time.
    if had && !negated {
        return None;
    }
    if matches!(low, "i" | "we") {
        // "After that I committed it": no relative clause.
        let after = at >= 3 && matches!(word(tokens, at - 3), "after" | "since" | "with");
        let relative = at >= 2 && matches!(word(tokens, at - 2), "that" | "which" | "if") && !after;
        return (!be && !relative).then(|| voice(at - 1, None, negated));
    }
    // "The fix (one line) is committed"
    let bracket = (at > 0 && be && tokens[at - 1].punct() == Some(')'))
        .then(|| tokens[..at].iter().rposition(|token| token.punct() == Some('(')))
        .flatten()
        .filter(|open| *open > 0);
    let at = bracket.unwrap_or(at);
    let from = neither(tokens, clause_start(tokens, at));
    if from == at {
        let stands = |to: usize| matches!(word(tokens, to), "is" | "are");
        return opened(tokens, at, be).map(|(start, done_to)| {
            let voice = voice(start, done_to, negated);
            Voice { present: voice.present || done_to.is_some_and(|(_, to)| stands(to)), ..voice }
        });
    }
    // A list of verbs: "I added a and pushed b" begins a clause at "and"; what is left has a subject of its own.
    let subject = tokens.get(from..at)?;
    if !be {
        // "Changes committed.", "Branch pushed: `x`": a title.
        let next = tokens.get(verb + 1);
        let closes = |token: &Token| token.punct().is_some() || token.tok == Tok::Break || token.is("and");
        // "Middleware wired into `src/server.rs`"
        let place = matches!(word(tokens, verb + 1), "in" | "into" | "to" | "from")
            && tokens.get(verb + 2).is_some_and(|token| token.tok == Tok::Path)
            && tokens.get(verb + 3).is_none_or(closes)
            && from == 0
            && !subject.first().is_some_and(|token| has(words::DETERMINERS, &token.low));
        // "Code formatted with `prettier`"
        let tool = matches!(word(tokens, verb + 1), "by" | "using" | "with")
            && matches!(tokens.get(verb + 2).map(|token| &token.tok), Some(Tok::Command(_)))
            && from == 0;
        let ends = next.is_none_or(closes) || place || tool;
        let plain = |token: &Token| matches!(token.tok, Tok::Word | Tok::Ident | Tok::Number(_));
        let verbal = |token: &Token| has(words::VERBS, &token.low) || has(words::RELATIVES, &token.low);
        let title = ends
            && (at == verb || negated && at + 1 == verb)
            && subject.len() <= 4
            && subject.iter().all(plain)
            && !subject.iter().any(verbal);
        let other = subject.iter().any(|token| OTHERS.contains(&token.low.as_str()));
        return (title && !other && !have && !does).then(|| voice(from, Some((from, at)), negated));
    }
    let denied = subject.iter().any(|token| matches!(token.low.as_str(), "nothing" | "none" | "neither" | "no"));
    // "Verifying code is formatted"
    let gerund = subject.first().is_some_and(|token| {
        token.tok == Tok::Word && token.low.ends_with("ing") && !matches!(token.low.as_str(), "nothing" | "everything")
    });
    let clause = gerund
        || subject.iter().enumerate().any(|(i, token)| {
            let low = token.low.as_str();
            let next = subject.get(i + 1).map_or("", |token| token.low.as_str());
            let reported = low == "that" && (has(words::DETERMINERS, next) || has(words::PRONOUNS, next));
            reported
                || (i > 0 && matches!(low, "lists" | "read" | "reads" | "said" | "say" | "says" | "shows" | "states"))
                || (has(words::RELATIVES, low) && (i > 0 || low != "that"))
                || has(words::MODALS, low)
                || low == "to" && (i == 0 || !subject[i - 1].is("up"))
                || i == 0 && low == "after"
                || matches!(low, "before" | "if" | "until" | "when" | "once" | "how" | "why" | "there")
                || (i > 0 && matches!(low, "i" | "you"))
        });
    let by = by_somebody(tokens, verb + 1) || ending::dated(tokens, verb + 1) || !guarded.allows_deed(from);
    (!clause && !by && subject.len() <= 14).then(|| voice(from, Some((from, at)), negated != denied))
}

/// "Neither `a.rs` nor `b.rs` was changed": the subject begins at "neither".
fn neither(tokens: &[Token], from: usize) -> usize {
    if from == 0 || !tokens[from - 1].is("nor") {
        return from;
    }
    tokens[..from].iter().rposition(|token| token.is("neither")).filter(|at| from - at <= 8).unwrap_or(from)
}

/// "I have not run the tests or committed anything": where the denial begins whose list the verb at `at` goes on.
pub fn denied_list(tokens: &[Token], at: usize) -> Option<usize> {
    let joint = at.checked_sub(1)?;
    let or = |i: usize| matches!(word(tokens, i), "nor" | "or");
    let listed = tokens[joint].punct() == Some(',') && (at + 1..tokens.len().min(at + 6)).any(or);
    if !or(joint) && !listed {
        return None;
    }
    let from =
        (0..joint).rev().find(|i| matches!(tokens[*i].punct(), Some(';' | ':' | '—' | '('))).map_or(0, |i| i + 1);
    let start = (from..joint).rev().find(|i| matches!(word(tokens, *i), "i" | "neither" | "nothing" | "we"))?;
    let denial = |i: usize| matches!(word(tokens, i), "neither" | "never" | "not" | "nothing");
    (start..joint.min(start + 4)).any(denial).then_some(start)
}

/// "by the bot": somebody else did it.
fn by_somebody(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len().min(from + 5))
        .any(|i| word(tokens, i) == "by" && !matches!(word(tokens, i + 1), "me" | "us" | "hand" | "running"))
}

/// The verb opens its clause: at the sentence's start it is the agent's, after "and" the subject is the one before.
fn opened(tokens: &[Token], at: usize, be: bool) -> Option<(usize, Option<(usize, usize)>)> {
    if at == 0 {
        return (!be).then_some((at, None));
    }
    let before = &tokens[at - 1];
    let strong = matches!(before.punct(), Some(':' | '—' | ';' | '|' | '→' | '('))
        || matches!(before.tok, Tok::Mark(_) | Tok::Opaque);
    if strong && !be {
        return Some((at, None));
    }
    let mut start = at - 1;
    while start > 0 && !matches!(tokens[start - 1].punct(), Some(';' | '—' | '→' | '|')) {
        start -= 1;
    }
    // "As you asked, committed as `x`"
    if word(tokens, start) == "as"
        && word(tokens, start + 1) == "you"
        && let Some(comma) = (start + 2..at.min(start + 5)).find(|i| tokens[*i].punct() == Some(','))
    {
        start = comma + 1;
    }
    let stretch = &tokens[start..at];
    for (i, token) in stretch.iter().enumerate().rev() {
        if token.tok != Tok::Word {
            continue;
        }
        let low = token.low.as_str();
        if matches!(low, "i" | "we") {
            return (!be).then_some((at, None));
        }
        if OTHERS.contains(&low) {
            return None;
        }
        // "Changes are staged but not committed": the passive goes on.
        if has(words::BE, low) && i > 0 {
            let subject = clause_start(tokens, start + i);
            let done_to = (subject, start + i);
            let denied = tokens[subject..start + i]
                .iter()
                .any(|token| matches!(token.low.as_str(), "nothing" | "none" | "neither" | "no"));
            // A denied subject denies this verb too: let the caller see it.
            return if denied || !be { Some((subject, Some(done_to))) } else { None };
        }
    }
    let first = stretch.iter().find(|token| {
        token.tok == Tok::Word && !has(words::OPENERS, &token.low) && !has(words::CONJUNCTIONS, &token.low)
    });
    let comma = before.punct() == Some(',');
    let elliptical = first.is_none_or(|token| token.low.ends_with("ed") || PAST.contains(&token.low.as_str()));
    (!be && (comma || elliptical)).then_some((at, None))
}

/// Whether the subject of a passive denies it: "nothing", "neither".
pub fn denies(tokens: &[Token], done_to: Option<(usize, usize)>) -> bool {
    let subject = done_to.and_then(|(from, to)| tokens.get(from..to)).unwrap_or_default();
    subject.iter().any(|token| matches!(token.low.as_str(), "nothing" | "none" | "neither" | "no"))
}

#[cfg(test)]
mod tests {
    use super::super::guard;
    use super::super::token::tokens;
    use super::*;

    fn of(text: &str, verb: &str) -> Option<(bool, bool)> {
        let tokens = tokens(text, 0, text.len());
        let at = tokens.iter().rposition(|token| token.low == verb).unwrap();
        voice(&tokens, &guard::read(&tokens, false), at).map(|voice| (voice.negated, voice.done_to.is_some()))
    }

    #[test]
    fn the_agents_own_deeds() {
        assert_eq!(of("I have committed the fix", "committed"), Some((false, false)));
        assert_eq!(of("Committed as x", "committed"), Some((false, false)));
        assert_eq!(of("I fixed it and pushed the branch", "pushed"), Some((false, false)));
        assert_eq!(of("The fix is committed", "committed"), Some((false, true)));
        assert_eq!(of("I have not committed anything", "committed"), Some((true, false)));
        assert_eq!(of("Changes are staged but not committed", "committed"), Some((true, true)));
        assert_eq!(of("Nothing has been committed", "committed"), Some((true, true)));
        assert_eq!(of("I did not commit", "commit"), Some((true, false)));
    }

    #[test]
    fn what_others_did_or_what_may_be_done_is_none() {
        for text in [
            "The bot committed it",
            "You committed it",
            "It can be committed",
            "I will have committed it",
            "The report committed by the bot",
            "The agent says it committed it",
            "it was committed by the bot",
        ] {
            assert_eq!(of(text, "committed"), None, "{text}");
        }
    }
}
