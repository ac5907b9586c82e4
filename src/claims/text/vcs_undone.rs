//! What was not committed or pushed, said without "not": "No commits, no push", "I left the changes uncommitted", "I held
//! off on pushing".

use super::lead;
use super::outcome;
use super::reading::{Draft, Sense};
use super::token::{Tok, word};
use super::vcs::WORK;
use super::words::{self, has};
use super::{Kind, Says};

/// "No commit was made", "no commits have been made"; "No commits, no push."
pub fn none_made(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let kind = if word(tokens, at).starts_with("push") { Kind::Push } else { Kind::Commit };
    let alone = |i: usize| {
        tokens.get(i).is_none_or(|token| matches!(token.punct(), Some(',' | ';')) || token.tok == Tok::Break)
            || matches!(word(tokens, i), "yet" | "made")
    };
    let there = at == 3 && word(tokens, 0) == "there" && matches!(word(tokens, 1), "are" | "is");
    let opens = there || at == 1 || matches!(tokens[at - 2].punct(), Some(',' | ';')) || tokens[at - 2].is("and");
    let all = there
        || (0..at - 1).all(|i| {
            matches!(word(tokens, i), "no" | "commit" | "commits" | "push" | "pushes" | "and")
                || tokens[i].punct().is_some()
        });
    if opens && all && alone(at + 1) && sense.frame.asserts && sense.guarded.allows_deed(at - 1) {
        out.extend(sense.deed(kind, Says::NotDone, None, at - 1..at + 1));
        return;
    }
    let auxiliary = |i: &usize| has(words::BE, word(tokens, *i)) || has(words::HAVE, word(tokens, *i));
    let verb = (at + 1..).find(|i| !auxiliary(i)).unwrap_or(at + 1);
    let made = verb > at + 1 && matches!(word(tokens, verb), "made" | "created");
    if made && sense.guarded.allows_deed(at - 1) {
        out.extend(sense.deed(kind, Says::NotDone, None, at - 1..verb + 1));
    }
}

/// "I held off on pushing", "I fixed it without committing".
pub fn refrained(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let from = lead::clause_start(tokens, at);
    let held = matches!(word(tokens, at.wrapping_sub(1)), "on" | "from")
        && (from..at).any(|i| {
            matches!(word(tokens, i), "held" | "hold" | "holding" | "refrained") && i + 4 > at.saturating_sub(1)
        });
    let own = tokens[from..at].iter().any(|token| matches!(token.low.as_str(), "i" | "we"));
    let denied = tokens[from..at].iter().any(|token| has(words::MODALS, &token.low) || token.is("not"));
    if held && own && !denied && sense.guarded.allows_deed(from) {
        let kind = if word(tokens, at) == "pushing" { Kind::Push } else { Kind::Commit };
        out.extend(sense.deed(kind, Says::NotDone, None, from..at + 1));
    }
}

/// "I have yet to commit it."
pub fn yet_to(sense: &Sense, at: usize, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let Some(start) = at.checked_sub(4) else { return false };
    let yet = word(tokens, at - 1) == "to" && word(tokens, at - 2) == "yet" && word(tokens, at - 3) == "have";
    let own = matches!(word(tokens, start), "i" | "we");
    if yet && own && sense.guarded.allows_deed(start) {
        let kind = if word(tokens, at) == "push" { Kind::Push } else { Kind::Commit };
        out.extend(sense.deed(kind, Says::NotDone, None, start..at + 1));
    }
    yet
}

/// "I left the commit to you."
pub fn left_to_you(sense: &Sense, at: usize, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let from = lead::clause_start(tokens, at);
    let left = word(tokens, at - 1) == "the"
        && matches!(word(tokens, at - 2), "leave" | "left")
        && matches!(word(tokens, from), "i" | "we")
        && matches!(word(tokens, at + 1), "for" | "to")
        && word(tokens, at + 2) == "you";
    if left && sense.guarded.allows_deed(from) && sense.guarded.allows_deed(at - 2) {
        let kind = if word(tokens, at) == "push" { Kind::Push } else { Kind::Commit };
        out.extend(sense.deed(kind, Says::NotDone, None, from..at + 3));
    }
    left
}

/// "I left the changes uncommitted", "everything is still uncommitted".
pub fn left_over(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let kind = if word(tokens, at) == "uncommitted" { Kind::Commit } else { Kind::Push };
    let from = lead::clause_start(tokens, at);
    let linked = tokens[from..at].iter().any(|token| {
        has(words::BE, &token.low)
            || matches!(token.low.as_str(), "left" | "leaving" | "remain" | "remains" | "stay" | "stays" | "kept")
    });
    let others = tokens[from..at].iter().any(|token| {
        has(words::MODALS, &token.low) || matches!(token.low.as_str(), "there" | "you" | "any" | "if" | "not")
    });
    let work = tokens[from..at].iter().any(|token| WORK.contains(&token.low.as_str()) || token.tok == Tok::Path);
    if linked && work && !others && outcome::result_ends(tokens, at + 1) && sense.guarded.allows_deed(at) {
        out.extend(sense.deed(kind, Says::NotDone, None, from..at + 1));
    }
}
