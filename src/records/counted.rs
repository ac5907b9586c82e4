//! What a message counts or names of failures, beside those of a run.

use super::check::CheckRun;
use super::need::{Need, Says};
use super::summary::Counts;

/// A number that the claim gives and the record has otherwise. A number that either does not give differs from nothing.
pub(super) fn differs((passed, failed): (Option<u64>, Option<u64>), recorded: &Counts) -> bool {
    let other = |claimed: Option<u64>, seen: Option<u64>| claimed.zip(seen).is_some_and(|(c, s)| c != s);
    other(passed, recorded.passed) || other(failed, recorded.failed)
}

/// The claim itself names as many failures as the run had.
pub(super) fn names_as_many(need: &Need, check: &CheckRun) -> bool {
    let named = need.count.and_then(|(_, failed)| failed).filter(|n| *n > 0);
    need.says == Says::Yes && named.is_some() && named == check.judged.counts.and_then(|c| c.failed)
}

/// "2 tests pass" names as many as passed beside those that failed, and does not say that none failed.
pub(super) fn counts_the_passed(need: &Need, check: &CheckRun) -> bool {
    let seen = check.judged.counts.and_then(|c| c.passed);
    matches!(need.count, Some((Some(passed), failed)) if failed != Some(0) && passed > 0 && seen == Some(passed))
}

/// The message tells of all that failed.
pub(super) fn owns_up(need: &Need, check: &CheckRun) -> bool {
    need.owned.covers(&check.judged.failing, check.judged.counts.and_then(|c| c.failed))
}
