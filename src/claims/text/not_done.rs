//! Lists of what was not done: "Not run: the integration tests", "What I did not do: run the tests, push".

use super::checks::group;
use super::reading::{Draft, Sense};
use super::token::{Tok, word};
use super::{Kind, Says, Scope};

/// Phrases that the sentence lists under "Not run:".
pub fn listed(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let colon = (0..tokens.len().min(5)).find(|i| tokens[*i].punct() == Some(':'));
    let Some(colon) = colon else { return };
    let head: Vec<&str> =
        tokens[..colon].iter().filter(|token| token.tok == Tok::Word).map(|token| token.low.as_str()).collect();
    let run = matches!(head.as_slice(), ["not", "run" | "executed"] | ["not", "yet", "run"] | ["did", "not", "run"]);
    let done = matches!(head.as_slice(), ["not", "done"] | ["not", "yet", "done"] | ["not", "done", "yet"]);
    if done {
        undone(sense, colon + 1, out);
    }
    if !run {
        return;
    }
    let mut at = 0;
    while at < sense.phrases.len() {
        for phrase in group(tokens, &sense.phrases[at..]) {
            at += 1;
            let scope = if phrase.kind != Kind::Tests {
                Scope::All
            } else if phrase.subset.is_some() {
                Scope::Part
            } else {
                Scope::Unclear
            };
            let words = phrase.subset.and_then(|(from, to)| sense.words(from, to));
            out.extend(sense.draft(
                phrase.kind,
                Says::NotDone,
                scope,
                None,
                phrase.runner,
                words,
                phrase.start..phrase.end,
                false,
            ));
        }
    }
}

/// An item under "What I did not do:".
pub fn item(sense: &Sense, out: &mut Vec<Draft>) {
    if sense.frame.undone {
        undone(sense, 0, out);
    }
}

/// "run the tests", "pushing": the first words from `from` on name what was not done.
fn undone(sense: &Sense, from: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let closed = |i: usize| tokens.get(i).is_none_or(|token| token.punct().is_some() || token.tok == Tok::Break);
    let kind = match word(tokens, from) {
        "commit" | "committing" => Kind::Commit,
        "push" | "pushing" => Kind::Push,
        "execute" | "executing" | "run" | "running" => {
            let Some(first) = sense.phrases.iter().position(|phrase| phrase.start == from + 1) else { return };
            for phrase in group(tokens, &sense.phrases[first..]).iter().filter(|_| sense.guarded.allows_deed(0)) {
                let scope = match (phrase.subset.is_some(), phrase.kind) {
                    (true, _) => Scope::Part,
                    (false, Kind::Tests) if !phrase.by_command => Scope::Unclear,
                    _ => Scope::All,
                };
                let words = phrase.subset.and_then(|(from, to)| sense.words(from, to));
                let span = from..phrase.end;
                out.extend(sense.draft(phrase.kind, Says::NotDone, scope, None, phrase.runner, words, span, false));
            }
            return;
        }
        _ => return,
    };
    if closed(from + 1) && sense.guarded.allows_deed(0) {
        out.extend(sense.deed(kind, Says::NotDone, None, from..from + 1));
    }
}
