//! The part of a JSON string that stands for itself: up to its end, an escape, or what must not stand there.
//!
//! Outputs have an escape in every line, so most runs are of a few bytes: a word of eight is looked at at once.

/// How many bytes stand for themselves.
pub fn len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk() {
        let plain = of_word(word);
        at += plain;
        if plain < word.len() {
            return at;
        }
    }
    at + of_rest(&bytes[at..])
}

/// Appends them to `out`; how many.
pub fn copy(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk() {
        let plain = of_word(word);
        out.extend_from_slice(word);
        at += plain;
        if plain < word.len() {
            out.truncate(out.len() - (word.len() - plain));
            return at;
        }
    }
    let rest = of_rest(&bytes[at..]);
    out.extend_from_slice(&bytes[at..at + rest]);
    at + rest
}

fn of_rest(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte >= 0x20 && **byte != b'"' && **byte != b'\\').count()
}

fn of_word(word: &[u8; 8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(*word);
    // The highest bit of each byte that is less than `limit`; above the lowest one found, perhaps of others too.
    let less = |word: u64, limit: u64| word.wrapping_sub(EACH * limit) & !word & (EACH << 7);
    let is = |byte: u8| less(word ^ (EACH * u64::from(byte)), 1);
    ((less(word, 0x20) | is(b'"') | is(b'\\')).trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_a_quotation_mark_a_backslash_or_a_control_character() {
        let text: Vec<u8> = (0x20..=0xff).filter(|byte| !matches!(byte, b'"' | b'\\')).collect();
        assert_eq!(text.len(), 222);
        for end in [&b"\""[..], b"\\", b"\n", b"\0", b"\x1f", b""] {
            for length in 0..70 {
                let bytes = [&text[..length], end, b"\"and more text behind it"].concat();
                let mut copied = b"before".to_vec();
                assert_eq!((len(&bytes), copy(&bytes, &mut copied)), (length, length));
                assert_eq!(copied, [b"before", &text[..length]].concat());
            }
        }
    }
}
