//! Pushes: "pushed to origin/main", "the push went through", "I could not push".

use super::deed::{self, Voice};
use super::lead;
use super::outcome;
use super::reading::{Draft, Sense};
use super::token::{Tok, Token, word};
use super::vcs::{answered_no, forbids, of_work, own_part, relative, ticked, ticked_at, to_elsewhere};
use super::words::{self, has};
use super::{Kind, Says};

/// Objects that make it another pushing.
#[rustfmt::skip]
const NOT_PUSHED: &[&str] = &[
    "ahead", "aside", "away", "back", "button", "down", "element", "elements", "event", "events", "for", "forward",
    "further", "hard", "item", "items", "limits", "message", "messages", "notification", "notifications", "onto",
    "out", "past", "through", "up", "value", "values",
];

pub fn pushed(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let bare = matches!(word(tokens, at), "push" | "force-push");
    if bare && had_to(sense, at, out) {
        return;
    }
    // "I have not committed or pushed": the denial holds for both.
    let either = at > 0 && matches!(word(tokens, at - 1), "nor" | "or");
    let Some(voice) = joined(sense, at)
        .filter(|_| either)
        .or_else(|| deed::voice(tokens, &sense.guarded, at))
        .or_else(|| joined(sense, at))
        .or_else(|| ticked(sense, at))
        .or_else(|| could_not(sense, at))
    else {
        return;
    };
    if bare && !(voice.bare && voice.negated) && !ticked_at(sense, at) {
        return;
    }
    if forbids(tokens, &voice) {
        return;
    }
    let part = own_part(tokens, at + 1);
    let rest = tokens.get(at + 1..part).unwrap_or_default();
    let right_away = (0..rest.len()).any(|i| word(rest, i) == "right" && word(rest, i + 1) == "away");
    let other = !right_away
        && rest.iter().take(3).any(|token| token.tok == Tok::Word && NOT_PUSHED.contains(&token.low.as_str()));
    let passive = voice.done_to.is_some();
    let to = rest.iter().take(6).position(|token| matches!(token.low.as_str(), "to" | "into" | "onto"));
    let elsewhere =
        to.is_some_and(|i| to_elsewhere(tokens, at + 1 + i) || matches!(rest[i].low.as_str(), "onto" | "into"));
    if other || elsewhere || (passive && !of_work(tokens, &voice, at)) || relative(tokens, at) {
        return;
    }
    let nothing = word(tokens, at + 1) == "nothing" || answered_no(tokens, at);
    let says = if voice.negated || nothing || deed::denies(tokens, voice.done_to) { Says::NotDone } else { Says::Done };
    let target = target(tokens, at + 1, part).or_else(|| voice.done_to.and_then(|(from, to)| target(tokens, from, to)));
    let anything = usize::from(matches!(word(tokens, at + 1), "anything" | "it" | "them" | "this" | "nothing"));
    let noun = if matches!(word(tokens, at + 1), "the" | "my" | "this")
        && matches!(word(tokens, at + 2), "branch" | "commit" | "commits" | "change" | "changes" | "fix" | "tag")
    {
        2
    } else {
        0
    };
    let end = target.as_ref().map_or(at + 1 + anything.max(noun), |(i, _)| (i + 1).max(at + 1));
    out.extend(sense.deed(Kind::Push, says, target.map(|(_, name)| name), voice.start..end));
}

/// "The push to `main` went through".
pub fn the_push(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let from = at - 1;
    let opens = lead::clause_start(tokens, at) == from;
    if !opens || !sense.guarded.allows_deed(from) {
        return;
    }
    let mut verb = at + 1;
    if word(tokens, verb) == "to" {
        verb += 2 + usize::from(has(words::DETERMINERS, word(tokens, verb + 1)));
    }
    let verb =
        (verb..).find(|i| !matches!(word(tokens, *i), "has" | "was" | "been" | "itself" | "also")).unwrap_or(verb);
    // That it was rejected says what the remote did.
    let end = match (word(tokens, verb), word(tokens, verb + 1)) {
        ("succeeded", _) => verb + 1,
        ("went", "through") => verb + 2,
        _ => return,
    };
    if outcome::result_ends(tokens, end) {
        let target = target(tokens, at + 1, verb).map(|(_, name)| name);
        out.extend(sense.deed(Kind::Push, Says::Done, target, from..end));
    }
}

/// "I had to force-push": it was done.
fn had_to(sense: &Sense, at: usize, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let Some(start) = at.checked_sub(3).filter(|i| matches!(word(tokens, *i), "i" | "we")) else { return false };
    let had = word(tokens, start + 1) == "had" && word(tokens, start + 2) == "to";
    if had && sense.guarded.allows_deed(start) {
        let target = target(tokens, at + 1, own_part(tokens, at + 1));
        let end = target.as_ref().map_or(at + 1, |(i, _)| i + 1);
        out.extend(sense.deed(Kind::Push, Says::Done, target.map(|(_, name)| name), start..end));
    }
    had
}

/// "I could not push": it was not done.
fn could_not(sense: &Sense, at: usize) -> Option<Voice> {
    let tokens = sense.tokens;
    let start = at.checked_sub(3)?;
    let own = matches!(word(tokens, start), "i" | "we");
    let denied = own && word(tokens, start + 1) == "could" && word(tokens, start + 2) == "not";
    // "I was not able to push", "I was unable to push"
    if !denied && word(tokens, at - 1) == "to" {
        let able = matches!(word(tokens, at - 2), "able" | "unable");
        let from = super::lead::clause_start(tokens, at);
        let group = &tokens[from..at - 2];
        let not = group.iter().any(|token| token.is("not")) != (word(tokens, at - 2) == "unable");
        let was = group.iter().any(|token| has(words::BE, &token.low) || has(words::HAVE, &token.low));
        let own = group.len() <= 4 && group.first().is_some_and(|token| token.is("i") || token.is("we"));
        let stands = able && not && was && own && sense.guarded.allows_deed(from);
        return stands.then_some(Voice {
            start: from,
            negated: true,
            bare: true,
            done_to: None,
            perfect: false,
            present: false,
        });
    }
    (denied && sense.guarded.allows_deed(start)).then_some(Voice {
        start,
        negated: true,
        bare: true,
        done_to: None,
        perfect: false,
        present: false,
    })
}

/// "I did not commit or push": the second verb of a denied pair.
fn joined(sense: &Sense, at: usize) -> Option<Voice> {
    let tokens = sense.tokens;
    let joins = at >= 2
        && matches!(word(tokens, at - 1), "or" | "nor" | "and")
        && matches!(word(tokens, at - 2), "commit" | "committed" | "amended");
    let voice = if joins { deed::voice(tokens, &sense.guarded, at - 2) } else { None }?;
    (voice.negated).then_some(voice)
}

/// Where it was pushed: remote/branch, else a branch or tag, else the remote.
fn target(tokens: &[Token], from: usize, to: usize) -> Option<(usize, String)> {
    const REMOTES: &[&str] = &["fork", "github", "gitlab", "origin", "upstream"];
    const BRANCHES: &[&str] = &["develop", "main", "master", "trunk"];
    let mut best: Option<(u8, usize, String)> = None;
    for (i, token) in tokens.iter().enumerate().take(to).skip(from).take(16) {
        let low = token.low.as_str();
        let remote_branch =
            low.split_once('/').is_some_and(|(remote, _)| REMOTES.contains(&remote.to_ascii_lowercase().as_str()));
        let rank = match token.tok {
            Tok::Ident | Tok::Path if remote_branch => 3,
            Tok::Ident if REMOTES.contains(&low) => 1,
            Tok::Ident if !low.starts_with('-') && !low.contains(' ') && !low.starts_with('#') => 2,
            Tok::Word if BRANCHES.contains(&low) => 2,
            Tok::Word if matches!(low, "origin" | "upstream" | "fork") => 1,
            _ => continue,
        };
        if best.as_ref().is_none_or(|(known, _, _)| rank > *known) {
            best = Some((rank, i, low.to_owned()));
        }
    }
    best.map(|(_, i, name)| (i, name))
}
