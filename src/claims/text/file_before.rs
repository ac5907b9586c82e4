//! Paths that stand before the verb: "In `a.rs` I replaced the loop", "`a.rs` updated", "the lock file (`Cargo.lock`) is
//! updated".

use super::Says;
use super::file::{claim, is_file};
use super::file_verbs;
use super::lead;
use super::reading::{Draft, Sense};
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// "In `a.rs` I replaced the loop", "`a.rs`: rewrote the loop", "- `a.rs` — added a guard".
pub fn leading_place(sense: &Sense, verb: usize, start: usize, done: &mut [bool], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    if inner_place(sense, verb, done, out) {
        return;
    }
    let first = tokens.iter().position(|token| !matches!(token.tok, Tok::Mark(_) | Tok::Break)).unwrap_or(0);
    let within = matches!(word(tokens, first), "in" | "inside" | "within" | "to" | "from");
    let path = first + usize::from(within);
    if !tokens.get(path).is_some_and(is_file) || path >= verb || verb - path > 14 {
        return;
    }
    // A list of paths at the start shares what follows.
    let mut end = path + 1;
    while tokens
        .get(end)
        .is_some_and(|token| is_file(token) || matches!(token.punct(), Some(',' | '/' | '&')) || token.is("and"))
        && end < verb
    {
        end += 1;
    }
    let separator =
        tokens.get(end).is_some_and(|token| matches!(token.punct(), Some(':' | '—' | '→' | '|' | ',' | '(')));
    let own = matches!(word(tokens, verb.saturating_sub(1)), "i" | "we") || start == verb;
    if own && (separator || within) {
        for path in (path..end).filter(|i| is_file(&tokens[*i])) {
            claim(sense, path, Says::Done, first, verb + 1, done, out);
        }
    }
}

/// "All tests pass, and in `a.rs` I replaced the loop."
fn inner_place(sense: &Sense, verb: usize, done: &mut [bool], out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let mut at = verb;
    while at > 0 && (has(words::ADVERBS, word(tokens, at - 1)) || word(tokens, at - 1) == "have") {
        at -= 1;
    }
    let Some(own) = at.checked_sub(1).filter(|i| matches!(word(tokens, *i), "i" | "we")) else { return false };
    let comma = usize::from(own > 0 && tokens[own - 1].punct() == Some(','));
    let Some(path) = own.checked_sub(1 + comma).filter(|i| is_file(&tokens[*i])) else { return false };
    let Some(place) = path.checked_sub(1).filter(|i| matches!(word(tokens, *i), "in" | "inside" | "within")) else {
        return false;
    };
    let opens = place == 0
        || matches!(tokens[place - 1].punct(), Some(',' | ';' | ':' | '—'))
        || matches!(word(tokens, place - 1), "also" | "and" | "but" | "then");
    if opens && sense.guarded.allows_deed(place) {
        claim(sense, path, Says::Done, place, verb + 1, done, out);
    }
    opens
}

/// "`a.rs` (new)", "new file `a.rs`" are lists; "`a.rs` updated" is a passive without its verb "to be".
pub fn passive(sense: &Sense, paths: &[usize], done: &mut [bool], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    for path in paths {
        let participle = file_verbs::past(word(tokens, path + 1))
            && tokens.get(path + 2).is_none_or(|token| token.punct().is_some() || token.is("to") || token.is("and"));
        let from = lead::clause_start(tokens, *path);
        let titled = |i: usize| matches!(word(tokens, i), "file" | "module" | "new" | "only" | "script" | "the");
        let opens = (from..*path).all(titled);
        let new = matches!(tokens.get(path + 1).and_then(Token::punct), Some('(' | ':' | '—' | '|'))
            && word(tokens, path + 2) == "new"
            && tokens.get(path + 3).is_none_or(|token| token.punct() == Some(')'));
        // "The lock file (`Cargo.lock`) is updated."
        let inserted = *path > 1
            && tokens[path - 1].punct() == Some('(')
            && tokens.get(path + 1).and_then(Token::punct) == Some(')');
        if inserted && let Some(verb) = (path + 2..path + 6).find(|i| file_verbs::past(word(tokens, *i))) {
            let be = (path + 2..verb).all(|i| {
                let low = word(tokens, i);
                has(words::BE, low) || has(words::HAVE, low) || has(words::ADVERBS, low)
            });
            let start = lead::clause_start(tokens, path - 1);
            let ends = tokens.get(verb + 1).is_none_or(|token| token.punct().is_some() || token.is("and"));
            let short = path - start <= 6 && has(words::DETERMINERS, word(tokens, start));
            let allowed = sense.guarded.allows_deed(start) && sense.guarded.allows_deed(*path);
            if be && verb > path + 2 && ends && short && allowed {
                claim(sense, *path, Says::Done, start, verb + 1, done, out);
            }
        }
        if new && opens && sense.guarded.allows_deed(*path) {
            claim(sense, *path, Says::Done, *path, path + 3, done, out);
        }
        if participle && opens && sense.guarded.allows_deed(*path) && word(tokens, path + 1) != "set" {
            claim(sense, *path, Says::Done, *path, path + 2, done, out);
        }
    }
}
