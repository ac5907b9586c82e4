//! Sizes, counts and times as people read them. What is meant for programs has bytes and RFC 3339.

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Older than that, a date says more than a number of days.
const DATE_AFTER: i64 = 60 * DAY;

/// `just now`, `40s ago`, `3m ago`, `2h ago`, `5d ago`, then the date. Both in milliseconds since the epoch.
pub fn ago(at: i64, now: i64) -> String {
    let age = now.saturating_sub(at);
    match age {
        // Two clocks may differ a little; more than that is said.
        i64::MIN..-5_000 => format!("in {}", unit(age.saturating_neg())),
        -5_000..5_000 => "just now".to_owned(),
        _ if age < DATE_AFTER => format!("{} ago", unit(age)),
        _ => date(at),
    }
}

/// The day of a time: `2026-11-30`.
pub fn date(at: i64) -> String {
    crate::clock::format_millis(at).chars().take(10).collect()
}

/// `2026-11-30 21:04:05`, UTC.
pub fn utc(at: i64) -> String {
    crate::clock::format_millis(at).chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// How long something lasted: `0.4s`, `12s`, `3m 20s`, `2h 5m`, `3d 4h`.
pub fn duration(millis: i64) -> String {
    let millis = millis.max(0);
    let two = |large: i64, big: &str, small: i64, little: &str| match small {
        0 => format!("{large}{big}"),
        small => format!("{large}{big} {small}{little}"),
    };
    match millis {
        0..SECOND => format!("0.{}s", millis / 100),
        SECOND..MINUTE => format!("{}s", millis / SECOND),
        MINUTE..HOUR => two(millis / MINUTE, "m", millis % MINUTE / SECOND, "s"),
        HOUR..DAY => two(millis / HOUR, "h", millis % HOUR / MINUTE, "m"),
        _ => two(millis / DAY, "d", millis % DAY / HOUR, "h"),
    }
}

/// `812 B`, `1.4 KB`, `23 MB`; a thousand bytes are a KB.
pub fn bytes(count: u64) -> String {
    let mut size = count as f64;
    for unit in ["B", "KB", "MB", "GB"] {
        if size < 999.5 {
            let whole = unit == "B" || size >= 9.95;
            return if whole { format!("{size:.0} {unit}") } else { format!("{size:.1} {unit}") };
        }
        size /= 1000.0;
    }
    format!("{size:.1} TB")
}

/// `1 run`, `2 runs`
pub fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// The largest unit that fits, alone.
fn unit(millis: i64) -> String {
    match millis {
        ..MINUTE => format!("{}s", millis / SECOND),
        MINUTE..HOUR => format!("{}m", millis / MINUTE),
        HOUR..DAY => format!("{}h", millis / HOUR),
        _ => format!("{}d", millis / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_one_number_and_one_unit_until_a_date_says_more() {
        let now = 1_796_072_645_000;
        let of = |age: i64| ago(now - age, now);
        assert_eq!([of(0), of(4_999), of(-4_000)], ["just now", "just now", "just now"]);
        assert_eq!([of(5_000), of(59_999), of(60_000)], ["5s ago", "59s ago", "1m ago"]);
        assert_eq!([of(3_599_999), of(3_600_000), of(86_400_000)], ["59m ago", "1h ago", "1d ago"]);
        assert_eq!(of(59 * DAY), "59d ago");
        assert_eq!(of(60 * DAY), "2026-10-01");
        assert_eq!(of(-2 * HOUR), "in 2h");
        assert_eq!(ago(i64::MIN, i64::MAX), "0000-01-01");
    }

    #[test]
    fn lengths_and_sizes_have_at_most_two_numbers() {
        let lengths = [0, 430, 12_900, 60_000, 200_000, 7_500_000, 273_600_000].map(duration);
        assert_eq!(lengths, ["0.0s", "0.4s", "12s", "1m", "3m 20s", "2h 5m", "3d 4h"]);
        let sizes = [0, 999, 1000, 1449, 9_960, 12_345, 999_600, 23_000_000].map(bytes);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 KB", "1.4 KB", "10 KB", "12 KB", "1.0 MB", "23 MB"]);
        assert_eq!([count(1, "run", "runs"), count(0, "run", "runs")], ["1 run", "0 runs"]);
        assert_eq!(utc(1_796_072_645_123), "2026-11-30 21:04:05");
    }
}
