//! A command line as simple commands and their words, as far as finding a secret among them needs it: quotation marks hold a
//! word together, and nothing is expanded. What is no shell at all gives words too, and that does no harm.

use std::ops::Range;

/// One simple command.
#[derive(Debug, Default)]
pub(super) struct Simple {
    /// Its words, each where it stands with its quotation marks.
    pub words: Vec<Range<usize>>,
    /// What `<<<` gives it.
    pub here: Option<Range<usize>>,
    /// It reads what the one before it writes.
    pub piped: bool,
}

/// The simple commands that stand in a part of `text`.
pub(super) fn commands(text: &[u8], part: Range<usize>) -> Vec<Simple> {
    let mut all = vec![Simple::default()];
    let mut at = part.start;
    let mut here = false;
    while at < part.end {
        let next = if at + 1 < part.end { text[at + 1] } else { 0 };
        match text[at] {
            b' ' | b'\t' | b'\r' | b'>' => at += 1,
            b'\\' if next == b'\n' => at += 2,
            b'\n' | b';' | b'(' | b')' | b'`' | b'{' | b'}' | b'&' | b'|' => {
                let or = text[at] == b'|' && next == b'|';
                if all.last().is_some_and(|one| !one.words.is_empty()) {
                    all.push(Simple::default());
                }
                if let Some(one) = all.last_mut() {
                    one.piped = text[at] == b'|' && !or;
                }
                at += 1 + usize::from(or);
            }
            b'<' => {
                here = text[at..part.end].starts_with(b"<<<");
                at += if here { 3 } else { 1 };
            }
            _ => {
                let end = word_end(text, at, part.end);
                if let Some(one) = all.last_mut() {
                    if std::mem::take(&mut here) {
                        one.here = Some(at..end);
                    } else {
                        one.words.push(at..end);
                    }
                }
                at = end;
            }
        }
    }
    all
}

fn word_end(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        match text[at] {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'(' | b')' | b'`' | b'&' | b'|' | b'<' | b'>' => break,
            b'\\' => at += 2,
            b'\'' => at += 2 + text[at + 1..end].iter().position(|byte| *byte == b'\'').unwrap_or(end - at - 1),
            b'"' => at = past_double(text, at + 1, end),
            _ => at += 1,
        }
    }
    // A word is never empty, and never longer than what is there.
    at.clamp(from + 1, end)
}

fn past_double(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    end
}

/// Without the quotation marks around all of it; in a quoted command they may stand behind backslashes.
pub(super) fn unquoted(text: &[u8], word: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = word;
    while start < end && matches!(text[start], b'\'' | b'"') || text[start..end].starts_with(b"\\\"") {
        start += 1 + usize::from(text[start] == b'\\');
    }
    while start < end && matches!(text[end - 1], b'\'' | b'"' | b'\\') {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<&str>> {
        let all = commands(text.as_bytes(), 0..text.len());
        all.into_iter().map(|one| one.words.into_iter().map(|word| &text[word]).collect()).collect()
    }

    #[test]
    fn quotation_marks_hold_a_word_together_and_operators_end_a_command() {
        assert_eq!(
            read("a 'b c' \"d \\\" e\"f && g|h \\\n i;(j)"),
            [vec!["a", "'b c'", "\"d \\\" e\"f"], vec!["g"], vec!["h", "i"], vec!["j"], vec![]]
        );
        for odd in ["", "'", "\"", "\\", "a\\", "'a", "\"a\\", "<<<", "<<", "|", "||", "a 'é", "é", "`"] {
            read(odd);
        }
        let text = "echo x | gh auth login --with-token <<< 'y z'";
        let all = commands(text.as_bytes(), 0..text.len());
        assert!(all[1].piped && !all[0].piped);
        assert_eq!(&text[unquoted(text.as_bytes(), all[1].here.clone().unwrap())], "y z");
    }
}
