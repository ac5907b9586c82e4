//! pytest and unittest, and the tools that run them: tox, nox.

use super::counts::{leading, pairs};
use super::{Counts, Report, Says, Text};

/// pytest closes with one line: `=== 1 failed, 3 passed in 0.03s ===`, or the same without bars under `-q`.
pub fn pytest(text: &Text) -> Report {
    let mut report = Report::default();
    // Under -q neither the beginning nor the end has bars.
    let bars = text.text.contains("= test session starts =") || text.lines().any(|l| closing(l.text, true).is_some());
    let (mut interrupted, mut summary) = (None, false);
    for line in text.lines() {
        let t = line.text;
        if let Some(list) = closing(t, bars) {
            let counts = Counts::from_pairs(pairs(list).filter(|(_, word)| *word != "tests" && *word != "test"));
            report.push_total(line.at, counts);
        } else if t.starts_with("INTERNALERROR>")
            || t.starts_with("!!!") && (t.contains(" KeyboardInterrupt ") || t.contains(" _pytest.outcomes.Exit: "))
        {
            interrupted = Some(line.at);
        } else if t.starts_with('=') && t.contains(" short test summary info ") {
            summary = true;
        } else if let Some(name) = t.strip_prefix("FAILED ").or_else(|| t.strip_prefix("ERROR "))
            && summary
        {
            report.name(name.split(" - ").next().unwrap_or(name));
        } else if t.starts_with("ERROR: usage: ")
            || t.starts_with("ERROR: file or directory not found: ")
            || t.starts_with("ERROR: not found: ")
            || t.contains(": error: unrecognized arguments: ")
        {
            report.push(line.at, Says::NotRun);
        }
    }
    if let Some(at) = interrupted {
        // What ran before the interruption is no answer of the whole.
        for finding in &mut report.findings {
            finding.says = Says::Unsure;
        }
        report.push(at, Says::Unsure);
        report.sort();
    }
    report
}

/// The list in a closing line, with or without bars.
fn closing(t: &str, bars: bool) -> Option<&str> {
    let inner = t.trim_matches('=');
    let barred = inner.len() < t.len();
    if bars != barred || (barred && !(inner.starts_with(' ') && inner.ends_with(' '))) {
        return None;
    }
    let (list, time) = inner.trim_matches(' ').split_once(" in ")?;
    let (seconds, rest) = time.split_once('s')?;
    let timed = seconds.contains('.') && seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let clock = rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')'));
    let listed = list == "no tests ran"
        || list.starts_with("no tests collected")
        || list
            .split(", ")
            .all(|item| leading(item).is_some_and(|(_, word)| word.starts_with(' ') || word.starts_with('/')));
    (timed && clock && listed && !t.starts_with(' ')).then_some(list)
}

/// unittest, and Django's `manage.py test`: a rule, `Ran 3 tests in 0.002s`, and `OK` or `FAILED (…)`.
pub fn unittest(text: &Text) -> Report {
    let mut report = Report::default();
    let mut ran: Option<u64> = None;
    // `tail` may have cut the rule off.
    let mut rule = true;
    for line in text.lines() {
        let t = line.text;
        if let Some(tests) = ran {
            if t.is_empty() {
                continue;
            }
            if let Some(counts) = unittest_total(t, tests) {
                report.push_total(line.at, counts);
            }
            ran = None;
        } else if rule && t.starts_with("Ran ") && t.ends_with('s') {
            ran = t.strip_prefix("Ran ").and_then(leading).map(|(n, _)| n);
        } else if let Some(name) = t.strip_prefix("FAIL: ").or_else(|| t.strip_prefix("ERROR: ")) {
            report.name(name.split(" (").next().unwrap_or(name));
        }
        rule = t.len() == 70 && t.bytes().all(|b| b == b'-');
    }
    report
}

fn unittest_total(t: &str, tests: u64) -> Option<Counts> {
    let (word, list) = match t.split_once(" (") {
        Some((word, list)) => (word, list.strip_suffix(')')?),
        None => (t, ""),
    };
    if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
        return None;
    }
    let (mut failed, mut errors, mut skipped) = (0u64, 0u64, 0u64);
    for (name, n) in list.split(", ").filter_map(|item| item.split_once('=')) {
        let n: u64 = n.parse().ok()?;
        match name {
            "failures" | "unexpected successes" => failed = failed.saturating_add(n),
            "errors" => errors = n,
            "skipped" => skipped = n,
            _ => {}
        }
    }
    // `FAILED` without numbers is a failure all the same.
    let failed = if word == "FAILED" && failed == 0 && errors == 0 { 1 } else { failed };
    let rest = tests.saturating_sub(failed).saturating_sub(errors).saturating_sub(skipped);
    let passed = if word == "NO TESTS RAN" { 0 } else { rest };
    Some(Counts { passed: Some(passed), failed: Some(failed), errors: Some(errors), skipped: Some(skipped) })
}

/// tox's own word on its environments. Which of them run tests only their output tells.
pub fn tox(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("  congratulations :)") {
            report.push(line.at, Says::Pass);
        } else if t.starts_with("  evaluation failed :(") || (t.starts_with("  ") && t.contains(": FAIL ")) {
            report.push(line.at, Says::Hint);
        } else if t.starts_with("ROOT: No tox.ini ") || t.starts_with("ROOT: HandledError") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// nox's own word on its sessions.
pub fn nox(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let Some(t) = line.text.strip_prefix("nox > ") else { continue };
        if t.starts_with("Session ") && t.ends_with(" was successful.") {
            report.push(line.at, Says::Pass);
        } else if t.starts_with("Session ") && t.ends_with(" failed.") || t.starts_with("* ") && t.ends_with(": failed")
        {
            report.push(line.at, Says::Hint);
        } else if t.starts_with("Failed to find ") || t.starts_with("Error while collecting sessions") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pytests_closing_line_is_told_from_the_like() {
        assert_eq!(closing("== 1 failed, 3 passed in 0.03s ==", true), Some("1 failed, 3 passed"));
        assert_eq!(closing("2 passed, 1 warning in 61.20s (0:01:01)", false), Some("2 passed, 1 warning"));
        assert_eq!(closing("no tests ran in 0.00s", false), Some("no tests ran"));
        assert_eq!(closing("2 passed in 0.00s", true), None, "a test printed it: the runner's has bars");
        assert_eq!(closing("  2 passed in 0.00s", false), None);
        assert_eq!(closing("I passed in 3.0s", false), None);
        assert_eq!(closing("2 passed in a hurry", false), None);
    }

    #[test]
    fn an_interrupted_run_is_no_pass() {
        let text = "=== test session starts ===\n!!!!! KeyboardInterrupt !!!!!\n=== 2 passed in 1.00s ===\n";
        assert!(pytest(&Text::of(text, false)).findings.iter().all(|f| f.says == Says::Unsure));
    }

    #[test]
    fn expected_failures_are_none() {
        let counts = unittest_total("OK (skipped=1, expected failures=2)", 5).unwrap();
        assert_eq!((counts.failed, counts.skipped), (Some(0), Some(1)));
        assert_eq!(unittest_total("FAILED (failures=1, errors=1, skipped=1)", 4).unwrap().passed, Some(1));
    }
}
