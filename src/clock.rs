//! Times as text: RFC 3339, milliseconds, UTC. The only place that asks the host's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Now, as `2026-11-30T21:04:05.123Z`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format_millis(since.as_millis().min(i64::MAX as u128) as i64)
}

/// Milliseconds since the Unix epoch as RFC 3339 with exactly three decimals; years beyond 9999 are clamped.
pub fn format_millis(millis: i64) -> String {
    let clamped = millis.clamp(-62_167_219_200_000, 253_402_300_799_999);
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(clamped) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |end: usize, digits: usize, value: u32| {
        let mut rest = value;
        for digit in text[end - digits..end].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    };
    put(4, 4, at.year().unsigned_abs());
    put(7, 2, u32::from(u8::from(at.month())));
    put(10, 2, u32::from(at.day()));
    put(13, 2, u32::from(at.hour()));
    put(16, 2, u32::from(at.minute()));
    put(19, 2, u32::from(at.second()));
    put(23, 3, u32::from(at.millisecond()));
    String::from_utf8_lossy(&text).into_owned()
}

/// Milliseconds since the Unix epoch of an RFC 3339 time; `None` where it is none.
pub fn parse_millis(text: &str) -> Option<i64> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_back_as_it_was_written() {
        for millis in [0, 1, 999, 1_796_072_645_123, -1] {
            assert_eq!(parse_millis(&format_millis(millis)), Some(millis));
        }
        assert_eq!(format_millis(1_796_072_645_123), "2026-11-30T21:04:05.123Z");
        assert_eq!(format_millis(i64::MIN), "0000-01-01T00:00:00.000Z");
        assert_eq!(format_millis(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(parse_millis("2026-11-30T22:04:05.123+01:00"), Some(1_796_072_645_123));
        assert_eq!(parse_millis("yesterday"), None);
    }
}
