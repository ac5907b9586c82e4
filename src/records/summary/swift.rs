//! Swift: `swift test` prints XCTest's totals and swift-testing's, one of which is usually of no tests; and `swift build`.

use super::counts::leading;
use super::{Counts, Report, Says, Text};

/// `swift test`: the last total of each framework, summed.
pub fn test(text: &Text) -> Report {
    let mut report = Report { partial: true, ..Report::default() };
    let (mut all, mut xctest, mut testing) = (false, None, None);
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("Test Suite '") {
            all = t.starts_with("Test Suite 'All tests'") || t.starts_with("Test Suite 'Selected tests'");
        } else if let Some(counts) = executed(t) {
            // Every suite and bundle prints one; the outermost comes last.
            if all || xctest.is_none() {
                xctest = Some((line.at, counts));
            }
        } else if let Some(counts) = run_with(t) {
            testing = Some((line.at, counts));
        } else if let Some(name) = t.strip_prefix("Test Case '").and_then(|t| t.split_once("' failed (")) {
            report.name(name.0);
        } else if let Some(name) = t.strip_prefix("✘ Test ").filter(|t| !t.starts_with("run with ")) {
            report.name(name.split(" recorded ").next().unwrap_or(name).split(" failed ").next().unwrap_or(name));
        } else {
            build_line(line.at, t, &mut report);
        }
    }
    for (at, counts) in [xctest, testing].into_iter().flatten() {
        report.push_total(at, counts);
    }
    report.sort();
    report
}

/// `Executed 3 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.002 (0.003) seconds`
fn executed(t: &str) -> Option<Counts> {
    let (total, rest) = leading(t.trim_start().strip_prefix("Executed ")?)?;
    let before = rest.split_once(" failure")?.0;
    let failed: u64 = before.rsplit(' ').next()?.parse().ok()?;
    let skipped = rest
        .split_once(" skipped")
        .map_or(Some(0), |(before, _)| before.rsplit(' ').find_map(|word| word.parse::<u64>().ok()))?;
    let passed = total.saturating_sub(failed).saturating_sub(skipped);
    Some(Counts { passed: Some(passed), failed: Some(failed), errors: Some(0), skipped: Some(skipped) })
}

/// `✔ Test run with 3 tests passed after 0.001 seconds.`, also `… with 3 tests in 1 suite passed …`.
fn run_with(t: &str) -> Option<Counts> {
    let (_, rest) = t.split_once("Test run with ").filter(|(mark, _)| mark.chars().count() <= 3)?;
    let (total, rest) = leading(rest)?;
    let failed = rest.contains(" failed after ");
    if !failed && !rest.contains(" passed after ") {
        return None;
    }
    // How many of them failed it does not say: an issue is no test.
    match failed {
        true => Some(Counts { passed: None, failed: Some(1), errors: Some(0), skipped: None }),
        false => Some(Counts { passed: Some(total), ..Counts::NONE }),
    }
}

fn build_line(at: usize, t: &str, report: &mut Report) {
    if t.starts_with("error: Could not find Package.swift") || t.starts_with("error: no tests found") {
        report.push(at, Says::NotRun);
    } else if t.starts_with("error: fatalError")
        || t.starts_with("error: emit-module command failed")
        || is_compile_error(t)
    {
        report.push(at, Says::Broke);
    }
}

/// `/src/A.swift:3:5: error: …`; an assertion's line has no column.
fn is_compile_error(t: &str) -> bool {
    t.split_once(".swift:").is_some_and(|(_, rest)| {
        let mut parts = rest.splitn(3, ':');
        let number = |p: Option<&str>| p.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        number(parts.next()) && number(parts.next()) && parts.next().is_some_and(|p| p.starts_with(" error: "))
    })
}

/// `swift build`.
pub fn build(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        if line.text.starts_with("Build complete!") {
            report.push(line.at, Says::Pass);
        } else {
            build_line(line.at, line.text, &mut report);
        }
    }
    report
}
