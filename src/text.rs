//! Text from outside is made safe before it reaches a terminal.

/// Control characters become visible (`\x1b`, `\t` stays a tab, a newline stays only where lines are kept), and so do the
/// bidirectional marks that reorder what a reader sees and the characters that stand there unseen.
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

/// C1 controls, marks that change the order of text, line separators, and characters without width or ink. The joiners
/// U+200C and U+200D are left: some scripts cannot be written without them.
fn hides(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
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
        for hidden in
            ['\u{9b}', '\u{61c}', '\u{200b}', '\u{200f}', '\u{2028}', '\u{2067}', '\u{2069}', '\u{feff}', '\u{e0041}']
        {
            assert_eq!(sanitise(&hidden.to_string(), Lines::Keep), format!("\\u{{{:x}}}", hidden as u32));
        }
        assert_eq!(sanitise("naïve 日本 👩\u{200d}💻", Lines::Keep), "naïve 日本 👩\u{200d}💻");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
    }
}
