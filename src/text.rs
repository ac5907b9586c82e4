//! Text from outside is made safe before it reaches a terminal.

/// Control characters become visible (`\x1b`, `\t` stays a tab, a newline stays only if `keep_lines`), and so do the
/// bidirectional overrides that reorder what a reader sees.
pub fn sanitise(text: &str, lines: Lines) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' if lines == Lines::Keep => out.push('\n'),
            '\t' => out.push('\t'),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if hides(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Whether line breaks stay line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Keep,
    Escape,
}

fn hides(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// The first `max` characters, with `…` where something was left off.
pub fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_a_cursor_or_reorders_text_passes() {
        assert_eq!(sanitise("a\u{1b}[31mb\r\nc\u{202e}d", Lines::Keep), "a\\x1b[31mb\\r\nc\\u{202e}d");
        assert_eq!(sanitise("a\nb", Lines::Escape), "a\\nb");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
