//! Emoji that say how something stands: ✅ ❌ ⏳.

/// What an emoji at a line's start or end says about the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Good,
    Bad,
    /// Not done, not known: an empty box, an hour glass.
    Open,
    Other,
}

pub const SHORTCODES: &[(&str, Mark)] = &[
    (":white_check_mark:", Mark::Good),
    (":heavy_check_mark:", Mark::Good),
    (":ballot_box_with_check:", Mark::Good),
    (":green_circle:", Mark::Good),
    (":x:", Mark::Bad),
    (":red_circle:", Mark::Bad),
    (":hourglass:", Mark::Open),
    (":warning:", Mark::Other),
];

pub fn mark(c: char) -> Option<Mark> {
    Some(match c {
        '✅' | '✔' | '✓' | '☑' | '🟢' | '👍' | '💚' | '🆗' => Mark::Good,
        '❌' | '✗' | '✘' | '✖' | '🔴' | '⛔' | '👎' | '🚫' | '🛑' | '❎' => Mark::Bad,
        '☐' | '⬜' | '🔲' | '⏳' | '⌛' | '⏸' | '🕐' | '🚧' | '❓' | '🔜' | '⏭' | '🔳' | '⭕' | '◻' | '🔄' => {
            Mark::Open
        }
        '\u{1f300}'..='\u{1faff}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}'
        | '\u{2300}'..='\u{23ff}'
        | '\u{fe0f}' => Mark::Other,
        _ => return None,
    })
}
