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
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.millisecond()
    )
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
        assert_eq!(parse_millis("2026-11-30T22:04:05.123+01:00"), Some(1_796_072_645_123));
        assert_eq!(parse_millis("yesterday"), None);
    }
}
