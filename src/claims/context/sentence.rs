//! The sentence that a claim stands in, its part between commas, and their words.

use std::ops::Range;

/// More of a sentence, on each side of a claim in it, is not looked at: so looking stays cheap.
const LONGEST: usize = 300;

/// Whether a list has the word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// In lower case, with the apostrophe as it is typed.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// From the end of the sentence before to its own end. A line break ends it where a list item, a heading or a paragraph
/// begins; so does a stop with a blank after it.
pub(super) fn sentence(message: &str, span: &Range<usize>) -> Range<usize> {
    let (low, high) = (span.start.saturating_sub(LONGEST), (span.end + LONGEST).min(message.len()));
    let low = (low..=span.start).find(|at| message.is_char_boundary(*at)).unwrap_or(span.start);
    let high = (span.end..=high).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(span.end);
    let before = &message[low..span.start];
    let start = before.char_indices().rev().find(|(at, _)| ends(message, low + at));
    let after = message[span.end..high].char_indices().find(|(at, _)| ends(message, span.end + at));
    start.map_or(low, |(at, c)| low + at + c.len_utf8())..after.map_or(high, |(at, _)| span.end + at)
}

fn ends(message: &str, at: usize) -> bool {
    let rest = &message[at..];
    let mut chars = rest.chars();
    let (this, next) = (chars.next(), chars.next());
    match this {
        // "Pushed... to no avail": a sentence begins with a capital letter behind an ellipsis.
        Some('.') if message[..at].ends_with('.') => {
            let begins = rest[1..].trim_start();
            next.is_none_or(char::is_whitespace) && !begins.starts_with(char::is_lowercase)
        }
        Some('.' | '!' | '?') => next.is_none_or(char::is_whitespace),
        Some('\n') => {
            let line = rest[1..].trim_start_matches([' ', '\t']);
            let begins = |c: char| matches!(c, '\n' | '-' | '*' | '+' | '#' | '>' | '|' | '`') || c.is_ascii_digit();
            line.is_empty() || line.starts_with(begins)
        }
        _ => false,
    }
}

/// The part of the sentence between its commas.
pub(super) fn clause(message: &str, span: &Range<usize>) -> Range<usize> {
    let sentence = sentence(message, span);
    let stop = |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '\u{2013}' | '\u{2014}');
    let start = message[sentence.start..span.start].rfind(stop).map_or(sentence.start, |at| {
        let at = sentence.start + at;
        at + message[at..].chars().next().map_or(1, char::len_utf8)
    });
    let end = message[span.end..sentence.end].find(stop).map_or(sentence.end, |at| span.end + at);
    start..end
}
