//! Output as a terminal would leave it: escape sequences gone, progress lines overwritten, and the places where something
//! was left out marked.

use std::sync::OnceLock;

use regex::Regex;

/// Cleaned output. Offsets everywhere are bytes of [`Text::text`].
#[derive(Debug, Clone, Default)]
pub struct Text {
    pub text: String,
    /// The last place where something is missing in the middle.
    pub last_cut: Option<usize>,
    /// The end is missing.
    pub end_missing: bool,
}

/// One line and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub at: usize,
    pub text: &'a str,
}

impl Text {
    /// Cleans `output`. `cut`: it is known that something is missing, wherever that is.
    pub fn of(output: &str, cut: bool) -> Text {
        let text = settle(&without_escapes(output));
        let mut last_cut = None;
        let mut end_missing = false;
        for found in cut_marks().into_iter().flat_map(|marks| marks.captures_iter(&text)) {
            let Some(all) = found.get(0) else { continue };
            last_cut = Some(all.end());
            // Claude Code keeps head and tail of the first 30,000 characters of a failed command: where that many are
            // missing, what stands after the mark is not the end.
            let missing = found.name("characters").and_then(|n| n.as_str().parse::<u64>().ok());
            end_missing |= missing.is_some_and(|n| n >= 20_000);
        }
        end_missing |= cut && last_cut.is_none();
        Text { text, last_cut, end_missing }
    }

    pub fn is_cut(&self) -> bool {
        self.end_missing || self.last_cut.is_some()
    }

    pub fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> {
        let base = self.text.as_ptr() as usize;
        self.text.split('\n').map(move |text| Line { at: text.as_ptr() as usize - base, text })
    }

    /// The line that `at` stands in.
    pub fn line_at(&self, at: usize) -> &str {
        let from = self.text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
        self.text.get(from..).and_then(|t| t.split('\n').next()).unwrap_or_default()
    }

    /// How many lines with something on them stand after the line at `at`; counted up to `most`.
    pub fn lines_after(&self, at: usize, most: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.split('\n').skip(1).filter(|l| !l.trim().is_empty()).take(most).count()
    }
}

fn cut_marks() -> Option<&'static Regex> {
    static MARKS: OnceLock<Option<Regex>> = OnceLock::new();
    let marks = r"\[deeds: \d+ bytes not kept\]|\[(?P<characters>\d+) characters truncated\]|\[\d+ (?:lines|bytes) truncated\]|…\s?\+?\d+ (?:tokens|chars|characters|bytes|lines)|command output truncated for persistence|\.\.\. \d+ (?:bytes|lines) omitted|< truncated lines \d+-\d+ >";
    MARKS.get_or_init(|| Regex::new(marks).ok()).as_ref()
}

/// Removes ANSI control sequences and the other escapes that colouring tools print.
fn without_escapes(output: &str) -> String {
    if memchr::memchr(0x1b, output.as_bytes()).is_none() {
        return output.to_owned();
    }
    let mut kept = String::with_capacity(output.len());
    let mut rest = output;
    while let Some(at) = rest.find('\u{1b}') {
        kept.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        rest = match rest.chars().next() {
            Some('[') => after(&rest[1..], |c| ('\u{40}'..='\u{7e}').contains(&c)),
            Some(']') => after_title(&rest[1..]),
            Some('(' | ')' | '#' | '%') => skip(rest, 2),
            Some(c) if ('\u{30}'..='\u{7e}').contains(&c) => skip(rest, 1),
            _ => rest,
        };
    }
    kept.push_str(rest);
    kept
}

/// What stands after the sequence's last character; a sequence never runs over a line's end.
fn after(rest: &str, is_last: impl Fn(char) -> bool) -> &str {
    for (at, c) in rest.char_indices() {
        if c == '\n' || c == '\u{1b}' {
            return &rest[at..];
        }
        if is_last(c) {
            return &rest[at + c.len_utf8()..];
        }
    }
    ""
}

/// An operating-system command (a title, a link) ends with BEL or with `ESC \`.
fn after_title(rest: &str) -> &str {
    for (at, c) in rest.char_indices() {
        match c {
            '\n' => return &rest[at..],
            '\u{7}' => return &rest[at + 1..],
            '\u{1b}' => return rest[at + 1..].strip_prefix('\\').unwrap_or(&rest[at..]),
            _ => {}
        }
    }
    ""
}

fn skip(rest: &str, characters: usize) -> &str {
    let mut chars = rest.chars();
    for _ in 0..characters {
        if chars.clone().next() == Some('\n') {
            break;
        }
        chars.next();
    }
    chars.as_str()
}

/// A carriage return within a line overwrites what stood before it.
fn settle(text: &str) -> String {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    let mut settled = String::with_capacity(text.len());
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            settled.push('\n');
        }
        settled.push_str(line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default());
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(output: &str) -> String {
        Text::of(output, false).text
    }

    #[test]
    fn escapes_and_progress_lines_go() {
        assert_eq!(cleaned("\u{1b}[1m\u{1b}[31m1 failed\u{1b}[39m\u{1b}[22m\n"), "1 failed\n");
        assert_eq!(cleaned("\u{1b}(B\u{1b}[mx"), "x");
        assert_eq!(cleaned("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}"), "link");
        assert_eq!(cleaned("1/3\r2/3\r3/3\r\ndone\r\n"), "3/3\ndone\n");
        assert_eq!(cleaned("torn \u{1b}[31"), "torn ");
        assert_eq!(cleaned("\u{1b}é\u{1b}"), "é");
    }

    #[test]
    fn every_mark_of_a_cut_is_noticed() {
        for mark in [
            "[deeds: 123 bytes not kept]",
            "... [1234 characters truncated] ...",
            "[12 lines truncated]",
            "42…47224 tokens truncated…7",
            "… +12 lines (ctrl+o to expand)",
            "... command output truncated for persistence ...",
            "... 1951424 bytes omitted ...",
        ] {
            let text = Text::of(&format!("a\n{mark}\nb"), true);
            assert!(text.last_cut.is_some() && !text.end_missing, "{mark}");
        }
        assert!(!Text::of("3 passed, … 2 more", false).is_cut());
    }

    #[test]
    fn the_end_is_missing_where_nothing_marks_the_cut_and_where_the_client_lost_it() {
        assert!(Text::of("a\nb", true).end_missing);
        assert!(Text::of("a\n... [20012 characters truncated] ...\nb", true).end_missing);
    }

    #[test]
    fn lines_know_where_they_stand() {
        let text = Text::of("a\n\nbc\n", false);
        let lines: Vec<_> = text.lines().map(|l| (l.at, l.text)).collect();
        assert_eq!(lines, [(0, "a"), (2, ""), (3, "bc"), (6, "")]);
        assert_eq!(text.line_at(4), "bc");
        assert_eq!(text.lines_after(0, 9), 1);
    }
}
