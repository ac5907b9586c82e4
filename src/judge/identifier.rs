//! What may be an identifier, and which ones a reader cannot see whole.
//!
//! White space is JavaScript's, code point by code point. Rust's `char::is_whitespace` has U+0085 and lacks U+FEFF, so
//! `str::trim` would refuse an identifier that is valid and take one that is not.

/// Not empty, and not all white space.
pub(super) fn is_valid(text: &str) -> bool {
    !text.chars().all(is_white_space)
}

/// The 25 code points that JavaScript's `trim` removes.
fn is_white_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{d}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// Whether two identifiers could look alike and differ because of a character that most fonts draw as nothing.
pub(super) fn hides_something(text: &str) -> bool {
    // Nearly every identifier is plain ASCII, and this loop is all it costs.
    text.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) && text.chars().any(is_invisible)
}

/// Controls, format characters, fillers and variation selectors (Unicode's Default_Ignorable_Code_Point, and Cc).
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of the contract, written out.
    const WHITE_SPACE: [u32; 25] = [
        0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
        0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
    ];

    #[test]
    fn exactly_javascripts_25_code_points_are_white_space() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_white_space(c), WHITE_SPACE.contains(&u32::from(c)), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn an_identifier_needs_one_character_that_is_not_white_space() {
        let all: String = WHITE_SPACE.iter().filter_map(|&c| char::from_u32(c)).collect();
        for invalid in ["", " ", "\u{feff}", &all] {
            assert!(!is_valid(invalid), "{invalid:?}");
        }
        for valid in ["\u{85}", "\u{180e}", "\u{200b}", "\u{2060}", "\u{ad}", "\0", " a ", "\u{feff}x"] {
            assert!(is_valid(valid), "{valid:?}");
        }
    }

    #[test]
    fn invisible_characters_are_noticed_and_plain_text_is_not() {
        for c in ["\u{180e}", "\u{200b}", "\u{200f}", "\u{2060}", "\u{ad}", "\0", "\u{7f}", "\u{85}", "\u{feff}"] {
            assert!(hides_something(&format!("a{c}b")), "{c:?}");
        }
        for plain in ["tests/cargo-test", "tree:0a1b", "prüfung", "テスト", "a b", "a\u{a0}b"] {
            assert!(!hides_something(plain), "{plain:?}");
        }
    }
}
