//! Sets of bytes, one table look-up a byte.

/// A set of bytes. `slot` is where a scan remembers the last run of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    bits: u16,
    pub slot: usize,
}

impl Class {
    pub const fn has(self, byte: u8) -> bool {
        CATEGORY[byte as usize] & self.bits != 0
    }
}

/// How many slots a scan needs.
pub(super) const SLOTS: usize = 17;

const LOW_DIGIT: u16 = 1 << 0; // 0 1 8 9
const MID_DIGIT: u16 = 1 << 1; // 2 to 7
const A_TO_F: u16 = 1 << 2;
const G_TO_Z: u16 = 1 << 3;
const CAPITAL: u16 = 1 << 4;
const UNDERSCORE: u16 = 1 << 5;
const DASH: u16 = 1 << 6;
const DOT: u16 = 1 << 7;
const EQUALS: u16 = 1 << 8;
const PLUS: u16 = 1 << 9;
const SLASH: u16 = 1 << 10;
const BACKSLASH: u16 = 1 << 11;
const META: u16 = 1 << 12; // ; & | ( ), at which a shell's word ends
const QUERY: u16 = 1 << 13; // ? #
const OTHER: u16 = 1 << 14; // other visible ASCII, and every byte of a character beyond ASCII

const DIGITS: u16 = LOW_DIGIT | MID_DIGIT;
const LOWER: u16 = A_TO_F | G_TO_Z;
const ALL: u16 = DIGITS | LOWER | CAPITAL;

pub(super) const ALNUM: Class = Class { bits: ALL, slot: 0 };
pub(super) const HEX: Class = Class { bits: DIGITS | A_TO_F, slot: 1 };
pub(super) const LETTER: Class = Class { bits: LOWER | CAPITAL, slot: 2 };
pub(super) const CAPITAL_DIGIT: Class = Class { bits: CAPITAL | DIGITS, slot: 3 };
pub(super) const BASE32: Class = Class { bits: CAPITAL | MID_DIGIT, slot: 4 };
pub(super) const WORD: Class = Class { bits: ALL | UNDERSCORE, slot: 5 };
pub(super) const WORD_DASH: Class = Class { bits: ALL | UNDERSCORE | DASH, slot: 6 };
pub(super) const DOTTED: Class = Class { bits: ALL | UNDERSCORE | DASH | DOT | EQUALS, slot: 7 };
pub(super) const BASE64: Class = Class { bits: ALL | PLUS | SLASH | EQUALS, slot: 8 };
pub(super) const BASE64_URL: Class = Class { bits: ALL | SLASH | UNDERSCORE | DASH, slot: 9 };
pub(super) const HOOK_PATH: Class = Class { bits: ALL | UNDERSCORE | PLUS | SLASH, slot: 10 };
pub(super) const DIGIT: Class = Class { bits: DIGITS, slot: 11 };
pub(super) const LOWER_DIGIT: Class = Class { bits: LOWER | DIGITS, slot: 12 };
/// A header's credential: up to white space, quotes, backslashes, `<`, `>` and what ends a shell's word.
pub(super) const VALUE: Class =
    Class { bits: ALL | UNDERSCORE | DASH | DOT | EQUALS | PLUS | SLASH | QUERY | OTHER, slot: 13 };
/// A shell's word without its quoted parts.
pub(super) const BARE: Class = Class { bits: VALUE.bits | BACKSLASH, slot: 14 };
/// What stands between `://` and the path of a URL.
pub(super) const AUTHORITY: Class =
    Class { bits: ALL | UNDERSCORE | DASH | DOT | EQUALS | PLUS | META | OTHER, slot: 15 };
pub(super) const FLAG: Class = Class { bits: ALL | DASH, slot: 16 };

static CATEGORY: [u16; 256] = categories();

const fn categories() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0' | b'1' | b'8' | b'9' => LOW_DIGIT,
            b'2'..=b'7' => MID_DIGIT,
            b'a'..=b'f' => A_TO_F,
            b'g'..=b'z' => G_TO_Z,
            b'A'..=b'Z' => CAPITAL,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'.' => DOT,
            b'=' => EQUALS,
            b'+' => PLUS,
            b'/' => SLASH,
            b'\\' => BACKSLASH,
            b';' | b'&' | b'|' | b'(' | b')' => META,
            b'?' | b'#' => QUERY,
            b'"' | b'\'' | b'`' | b'<' | b'>' | 0..=b' ' | 0x7f => 0,
            _ => OTHER,
        };
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_classes_share_a_slot() {
        let classes = [
            ALNUM,
            HEX,
            LETTER,
            CAPITAL_DIGIT,
            BASE32,
            WORD,
            WORD_DASH,
            DOTTED,
            BASE64,
            BASE64_URL,
            HOOK_PATH,
            DIGIT,
            LOWER_DIGIT,
            VALUE,
            BARE,
            AUTHORITY,
            FLAG,
        ];
        assert_eq!(classes.map(|class| class.slot), std::array::from_fn::<usize, SLOTS, _>(|slot| slot));
    }
}
