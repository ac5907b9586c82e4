//! Files that were left alone ("`a.rs` is unchanged", "I did not touch `a.rs`"), and paths listed under a lead-in that says
//! what was done with them.

use super::deed;
use super::file::{claim, is_file};
use super::frame::Listing;
use super::lead;
use super::reading::{Draft, Sense};
use super::token::{Tok, Token, word};
use super::words::{self, has};
use super::{Kind, Says, code};

const UNTOUCHED: &[&str] = &["alone", "intact", "unchanged", "unedited", "unmodified", "untouched"];

/// "I left `a.rs` untouched", "`a.rs` is unchanged", "I did not touch `a.rs`", "no changes to `a.rs`".
pub fn find(sense: &Sense, paths: &[usize], done: &mut [bool], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    for at in 0..tokens.len() {
        let low = word(tokens, at);
        let said = UNTOUCHED.contains(&low) || (low == "as" && matches!(word(tokens, at + 1), "is" | "it" | "they"));
        let compared = matches!(word(tokens, at + 1), "between" | "from");
        if said && !compared && sense.guarded.allows_deed(at) {
            // Back over the paths to "left", or to the subject of "is".
            let from = (0..at)
                .rev()
                .take(14)
                .find(|i| matches!(word(tokens, *i), "left" | "leaving" | "kept" | "keeping"))
                .or_else(|| Some(lead::clause_start(tokens, at)));
            let from = from.map_or(0, |i| if i > 0 && matches!(word(tokens, i - 1), "i" | "we") { i - 1 } else { i });
            // "`a.lock` was left untouched": the paths are the subject.
            let passive = from > 0 && has(words::BE, word(tokens, from - 1));
            let from = if passive { lead::clause_start(tokens, from - 1) } else { from };
            let from = if from > 0 && is_file(&tokens[from - 1]) { from - 1 } else { from };
            let from = list_start(tokens, from);
            let linked = tokens[from..at].iter().any(|token| {
                has(words::BE, &token.low)
                    || matches!(
                        token.low.as_str(),
                        "left" | "leaving" | "kept" | "keeping" | "remains" | "remain" | "stays" | "stay"
                    )
                    || matches!(token.punct(), Some(':' | '—' | '|' | '('))
            });
            let barred = tokens[from..at].iter().any(|token| {
                has(words::MODALS, &token.low) || matches!(token.low.as_str(), "if" | "not" | "to" | "you")
            });
            if linked && !barred && sense.guarded.allows_deed(from) {
                for path in paths.iter().filter(|path| **path >= from && **path < at) {
                    claim(sense, *path, Says::NotDone, from, at + 1, done, out);
                }
            }
        }
        if matches!(
            low,
            "touch"
                | "touched"
                | "touching"
                | "modified"
                | "changed"
                | "edited"
                | "updated"
                | "modify"
                | "change"
                | "edit"
                | "update"
                | "altered"
                | "alter"
        ) {
            let without = at > 0 && tokens[at - 1].is("without") && sense.guarded.allows_deed(at);
            let voice = deed::voice(tokens, &sense.guarded, at)
                .filter(|voice| voice.negated || deed::denies(tokens, voice.done_to))
                // "Never modify `x`" is said to somebody.
                .filter(|voice| {
                    !matches!(word(tokens, voice.start), "never" | "do" | "not")
                        || voice.start != at && low.ends_with("ed")
                });
            if let Some(start) = voice.as_ref().map(|voice| voice.start).or(without.then(|| at - 1)) {
                let to = (at + 1..tokens.len().min(at + 14)).take_while(|i| {
                    !matches!(
                        word(tokens, *i),
                        "because" | "but" | "so" | "since" | "which" | "that" | "for" | "to" | "beyond" | "than"
                    ) && tokens[*i].punct() != Some(';')
                });
                let of: Vec<usize> = to.filter(|i| is_file(&tokens[*i])).collect();
                for path in of {
                    claim(sense, path, Says::NotDone, start, path + 1, done, out);
                }
                if let Some((from, end)) = voice.and_then(|voice| voice.done_to) {
                    for path in paths.iter().filter(|path| **path >= from && **path < end) {
                        claim(sense, *path, Says::NotDone, from, at + 1, done, out);
                    }
                }
            }
        }
        let none = low == "no" && matches!(word(tokens, at + 1), "change" | "changes" | "edits" | "modifications");
        if none && sense.guarded.allows_deed(at) {
            let place = (at + 2..tokens.len().min(at + 6)).find(|i| matches!(word(tokens, *i), "to" | "in"));
            let path =
                place.map(|i| i + 1).filter(|i| tokens.get(*i).is_some_and(is_file)).or_else(|| lead_path(tokens, at));
            if let Some(path) = path {
                claim(sense, path, Says::NotDone, at, at + 2, done, out);
            }
        }
    }
}

/// The path that the line begins with, before ":" or a dash at `at`.
fn lead_path(tokens: &[Token], at: usize) -> Option<usize> {
    let before = at.checked_sub(2)?;
    (is_file(&tokens[before]) && matches!(tokens[at - 1].punct(), Some(':' | '—' | '|'))).then_some(before)
}

/// "`a.rs` and `b.rs` are unchanged": the list of paths that ends at `from`.
pub fn list_start(tokens: &[Token], mut from: usize) -> usize {
    // "`a.rs`: unchanged"
    let labelled = from >= 2 && matches!(tokens[from - 1].punct(), Some(':' | '—' | '|' | '('));
    if !labelled && !tokens.get(from).is_some_and(is_file) {
        return from;
    }
    while from >= 2
        && (tokens[from - 1].is("and") || matches!(tokens[from - 1].punct(), Some(',' | ':' | '—' | '|' | '(')))
        && is_file(&tokens[from - 2])
    {
        from -= 2;
    }
    from
}

/// Paths that lead an item under "Files changed:", or follow such words on the same line.
pub fn listed(sense: &Sense, paths: &[usize], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let first =
        tokens.iter().position(|token| !matches!(token.tok, Tok::Mark(_) | Tok::Break | Tok::Number(_))).unwrap_or(0);
    let Some(listing) = sense.frame.files.filter(|_| sense.frame.asserts) else { return };
    if paths.first() != Some(&first) || !sense.guarded.allows_deed(first) {
        return;
    }
    let says = if listing == Listing::Changed { Says::Done } else { Says::NotDone };
    let mut at = first;
    while tokens.get(at).is_some_and(|token| {
        is_file(token) || matches!(token.punct(), Some(',' | '→')) || matches!(token.low.as_str(), "and" | "to")
    }) {
        if is_file(&tokens[at]) {
            // From A to B: only B.
            let carried = matches!(tokens.get(at.wrapping_sub(1)).and_then(Token::punct), Some('→'));
            if carried {
                out.pop();
            }
            let object = code::strip_line(&tokens[at].low).to_owned();
            out.extend(sense.deed(Kind::File, says, Some(object), at..at + 1));
        }
        at += 1;
    }
}
