//! Labels of commits and pushes: "Commit: 9e8d7c6", "Two commits: `a1f09be` and `77c2d04`", "Push | not done".

use super::mark::Mark;
use super::reading::{Draft, Sense};
use super::token::{Tok, Token, word};
use super::vcs::object;
use super::{Kind, Says};

/// "Commit: 9e8d7c6", in a text of whatever language; also an item of a list of commits.
pub fn label(sense: &Sense, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let first = tokens.iter().position(|token| !matches!(token.tok, Tok::Mark(_) | Tok::Break)).unwrap_or(0);
    let mut at = first;
    // "Two commits: `a1f09be` (tests) and `77c2d04` (code)"
    let counted = matches!(tokens.get(at).map(|token| &token.tok), Some(Tok::Number(_)))
        && word(tokens, at + 1) == "commits"
        && tokens.get(at + 2).and_then(Token::punct) == Some(':');
    if counted && sense.guarded.allows_deed(first) && sense.frame.asserts {
        let hashes = (at + 3..tokens.len()).filter(|i| tokens[*i].tok == Tok::Hash);
        let before = out.len();
        out.extend(
            hashes.filter_map(|hash| sense.deed(Kind::Commit, Says::Done, object(tokens, hash), first..hash + 1)),
        );
        return out.len() > before;
    }
    let named = matches!(word(tokens, at), "commit" | "commits" | "committed");
    if named {
        at += 1 + usize::from(matches!(word(tokens, at + 1), "hash" | "id" | "sha" | "made" | "created"));
        let parted = matches!(tokens.get(at).and_then(Token::punct), Some(':' | '—' | '→' | '|'));
        at += usize::from(parted);
        if !parted && (word(tokens, first) != "commit" || !closed(tokens, at + 1)) {
            return false;
        }
    } else if !(sense.frame.commits && sense.frame.asserts) {
        return false;
    }
    let Some(Tok::Hash) = tokens.get(at).map(|token| &token.tok) else { return false };
    if !sense.guarded.allows_deed(first) || !sense.frame.asserts {
        return false;
    }
    // "Commits: a1f09be, 77c2d04"
    loop {
        out.extend(sense.deed(Kind::Commit, Says::Done, object(tokens, at), first..at + 1));
        let next = at
            + 1
            + usize::from(matches!(tokens.get(at + 1).and_then(Token::punct), Some(',')))
            + usize::from(word(tokens, at + 1) == "and" || word(tokens, at + 2) == "and");
        if next == at + 1 || !matches!(tokens.get(next).map(|token| &token.tok), Some(Tok::Hash)) {
            return true;
        }
        at = next;
    }
}

/// A hash that stands alone: nothing is said of it.
fn closed(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|token| {
        matches!(token.punct(), Some(':' | '—' | '(' | ',')) || matches!(token.tok, Tok::Mark(_) | Tok::Break)
    })
}

/// "Push | not done", "Commit: done": a label and its answer, and nothing else.
pub fn answered(sense: &Sense, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let kind = match word(tokens, 0) {
        "commit" | "committed" => Kind::Commit,
        "push" | "pushed" => Kind::Push,
        _ => return false,
    };
    let parted = matches!(tokens.get(1).and_then(Token::punct), Some(':' | '|' | '—'));
    let value: Vec<&str> = tokens.iter().skip(2).map(|token| token.low.as_str()).collect();
    let good = matches!(tokens.get(2).map(|token| &token.tok), Some(Tok::Mark(Mark::Good))) && tokens.len() == 3;
    let says = match value.as_slice() {
        ["done" | "yes"] => Says::Done,
        ["not", "done"] | ["not", "yet"] | ["none"] => Says::NotDone,
        _ if good => Says::Done,
        _ => return false,
    };
    if !(parted && sense.frame.asserts && sense.guarded.allows_deed(0)) {
        return false;
    }
    out.extend(sense.deed(kind, says, None, 0..tokens.len()));
    true
}
