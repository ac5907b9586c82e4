//! Which files are rollouts, and where Codex keeps them.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{Error, Result};

/// The folders of Codex's own that rollouts lie in.
pub const FOLDERS: &[&str] = &["sessions", "archived_sessions"];

/// `rollout-….jsonl`, or the same compressed.
pub fn is_rollout(name: &str) -> bool {
    let plain = name.strip_suffix(".zst").unwrap_or(name);
    plain.starts_with("rollout-") && plain.ends_with(".jsonl")
}

/// The rollouts below `dirs`, in the order of their names, which begin with when they were begun. Of a file that is there
/// plain and compressed, the plain one: the other is about to take its place. Links are not followed.
pub fn below(dirs: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = dirs.to_vec();
    while let Some(dir) = waiting.pop() {
        // A folder that cannot be read, or went away meanwhile, has nothing to offer.
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() && entry.file_name().to_str().is_some_and(is_rollout) {
                found.push(entry.path());
            }
        }
    }
    found.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    let plain: std::collections::HashSet<PathBuf> =
        found.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")).cloned().collect();
    found
        .retain(|path| path.extension().is_some_and(|end| end == "jsonl") || !plain.contains(&path.with_extension("")));
    found
}

/// Whether a file was changed within `age`.
pub fn is_younger(path: &Path, age: Duration) -> bool {
    let changed = std::fs::metadata(path).and_then(|meta| meta.modified());
    let Ok(changed) = changed else { return true };
    SystemTime::now().duration_since(changed).map_or(true, |since| since <= age)
}

/// `7d`, `12h`, `30m`, `45s`.
pub fn age(text: &str) -> Result<Duration> {
    let wrong = || Error::usage(format!("'{text}' is no age; write a number and d, h, m or s, as in 7d"));
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    let seconds = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(age("7d").unwrap(), Duration::from_secs(7 * 86_400));
        assert_eq!(age("90m").unwrap(), Duration::from_secs(5400));
        for wrong in ["", "d", "7", "7w", "-1d", "1.5h", "99999999999999999999d", "18446744073709551615d", "7日"] {
            assert_eq!(age(wrong).unwrap_err().code, "usage", "{wrong}");
        }
    }

    #[test]
    fn a_rollout_is_told_by_its_name() {
        assert!(is_rollout("rollout-2026-11-30T19-39-16-01a22df7.jsonl"));
        assert!(is_rollout("rollout-2026-11-30T19-39-16-01a22df7.jsonl.zst"));
        assert!(!is_rollout("history.jsonl") && !is_rollout("rollout-x.json") && !is_rollout("rollout-x.jsonl.tmp"));
    }
}
