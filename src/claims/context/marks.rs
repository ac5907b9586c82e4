//! Marks, labels and titles that set a line apart: "- ❌ All tests pass", "Still missing:", "Release mode: all tests pass".

use std::ops::Range;

use super::is_some_number;
use super::sentence::{has, sentence, words};

/// How far, in characters, a line's ends are looked for.
const NEAR: usize = 300;
/// How many lines up a title is looked for.
const LINES: usize = 40;

/// Signs that a line does not hold, or does not yet.
const CROSSES: &[char] =
    &['\u{274c}', '\u{2717}', '\u{2718}', '\u{1f534}', '\u{26a0}', '\u{23f3}', '\u{1f6a7}', '\u{1f7e1}'];

/// In a line, or in the title over it, they say that it is not so yet.
const PENDING: &str = "blocked broken criteria failing incomplete missing neither none open outstanding pending planned \
    progress remaining tbd todo unfinished unmet wanted wip";

/// Labels that say nothing but what comes.
const LABELS: &str = "after all and build check checks clippy code commit conclusion did done eslint everything final finally format formatting git is \
    lint linting note now ok outcome push quality result results short so state status suite summary test testing tests tldr \
    type types update validation verification verified yes";

/// These begin an order, and what follows is what would come of it.
const ORDERS: &str = "add apply bump change delete disable drop enable export install pin pull rebase remove rename replace reset \
    restore revert run set try undo unset upgrade use";

/// Whether the line, its label, its title or the sentence's beginning makes it something else than a statement of now.
pub(super) fn is_set_apart(message: &str, span: &Range<usize>) -> bool {
    let own = sentence(message, span);
    // Of a line only as much as of a sentence: a list item is no longer.
    let line_start = message[own.start..span.start].rfind('\n').map_or(own.start, |at| own.start + at + 1);
    let line_end = message[span.end..own.end].find('\n').map_or(own.end, |at| span.end + at);
    let line_start = item_start(message, line_start);
    let line_end = item_end(message, line_end);
    let line = &message[line_start..line_end];
    let before = &message[own.start..span.start];
    line.contains(CROSSES)
        || is_open_box(line)
        || is_pending(before)
        || is_pending_after(&message[span.end..own.end])
        || is_labelled(before)
        || is_ordered(before)
        || counts_a_part(&message[own.clone()])
        || title(message, line_start).is_some_and(is_pending)
        || is_somebodys(&message[span.clone()])
}

/// Where the line of this place begins, if that is near.
fn item_start(message: &str, at: usize) -> usize {
    let mut near = message[..at].char_indices().rev().take(NEAR);
    near.find(|(_, c)| *c == '\n').map_or(if at <= NEAR { 0 } else { at }, |(newline, _)| newline + 1)
}

/// Where it ends.
fn item_end(message: &str, at: usize) -> usize {
    let mut near = message[at..].char_indices().take(NEAR);
    near.find(|(_, c)| *c == '\n')
        .map_or(if message.len() - at <= NEAR { message.len() } else { at }, |(end, _)| at + end)
}

/// `- [~]`, `- [-]`, `- [!]`
fn is_open_box(line: &str) -> bool {
    let item = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    ["[~]", "[-]", "[!]", "[ ]", "[?]"].iter().any(|mark| item.starts_with(mark))
}

fn is_pending(text: &str) -> bool {
    let words = words(text);
    words.iter().any(|word| has(PENDING, word)) || words.windows(2).any(|two| two[0] == "not" && two[1] != "only")
}

/// "(TODO)", ": in progress", "(not yet)", "(no)"
fn is_pending_after(rest: &str) -> bool {
    let Some(aside) = rest.trim_start().strip_prefix(['(', ':', '\u{2013}', '\u{2014}', '-', ',']) else {
        return false;
    };
    let words = words(aside);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let short = words.len() <= 3 && words.iter().any(|word| matches!(word.as_str(), "no" | "not" | "yet" | "next"));
    has(PENDING, first) || short || words.iter().take(2).any(|word| has("progress tbd todo pending blocked", word))
}

/// "Release mode: …", "**Core:** tests pass, …"
fn is_labelled(before: &str) -> bool {
    let Some((label, _)) = before.split_once(':') else { return false };
    let label = words(label);
    !label.is_empty() && label.len() <= 4 && !label.iter().all(|word| has(LABELS, word) || is_some_number(word))
}

/// "Revert the last hunk and all tests pass."
fn is_ordered(before: &str) -> bool {
    let words = words(before);
    // "One more fix and all tests pass."
    let more = words.len() < 8 && words.iter().any(|word| has("another away more short", word));
    words.len() > 1 && (has(ORDERS, &words[0]) || more) && words.last().is_some_and(|word| word == "and")
}

/// "2 of 3", "Of the 3 packages", "66%"
fn counts_a_part(text: &str) -> bool {
    let words = words(text);
    let of = words.windows(3).any(|three| {
        let number = |word: &str| word.parse::<u64>().ok();
        three[1] == "of" && number(&three[0]).zip(number(&three[2])).is_some_and(|(some, all)| some < all)
    });
    let share = text.contains('%') && !text.contains("100%");
    of || share || words.starts_with(&["of".to_owned(), "the".to_owned()])
}

/// The last line before that is neither an item nor a row: a heading, or words before a colon.
fn title(message: &str, line_start: usize) -> Option<&str> {
    for line in message[..line_start].lines().rev().take(LINES) {
        let text = line.trim();
        let numbered = text.split_once(['.', ')']).is_some_and(|(n, _)| n.parse::<u64>().is_ok());
        let item = text.starts_with(['-', '*', '+', '|']) && !text.starts_with("**");
        if text.is_empty() || item || numbered {
            continue;
        }
        let leads = text.starts_with('#') || text.ends_with(':') || text.trim_end_matches(':').ends_with("**");
        return leads.then_some(text);
    }
    None
}

/// "Bob's fix is committed": not the agent's own.
fn is_somebodys(span: &str) -> bool {
    words(span).iter().any(|word| {
        let owner = word.strip_suffix("'s").filter(|owner| owner.len() > 1);
        owner.is_some_and(|owner| {
            !has("everything here it let project repo repository session suite that there today what", owner)
        }) || has("colleague upstream", word)
    })
}
