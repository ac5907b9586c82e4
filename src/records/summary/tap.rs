//! bats (TAP or pretty), ctest, make, ninja and cmake.

use super::counts::{labelled, leading};
use super::{Counts, Report, Says, Text};

/// bats: TAP where it is piped, `3 tests, 1 failure, 1 skipped` otherwise. TAP has no total: it passes only where the plan
/// and every test it announces are in view.
pub fn bats(text: &Text) -> Report {
    let mut report = Report::default();
    let (mut plan, mut counts, mut last) = (None, Counts::NONE, 0);
    if text.lines().any(|l| l.text.starts_with("TAP version ") || l.text.starts_with("# pass ")) {
        return report;
    }
    for line in text.lines() {
        let t = line.text;
        if let Some(n) = t.strip_prefix("1..").and_then(leading).filter(|(_, rest)| rest.is_empty()) {
            plan = Some(n.0);
            last = line.at;
        } else if let Some((_, rest)) = t.strip_prefix("ok ").and_then(leading) {
            let skipped = rest.contains(" # skip") || rest.contains(" # SKIP");
            let slot = if skipped { &mut counts.skipped } else { &mut counts.passed };
            *slot = slot.map(|n| n.saturating_add(1));
            last = line.at;
        } else if let Some((_, name)) = t.strip_prefix("not ok ").and_then(leading) {
            counts.failed = counts.failed.map(|n| n.saturating_add(1));
            report.name(name.split(" in ").next().unwrap_or(name));
            last = line.at;
        } else if let Some(name) = t.strip_prefix(" ✗ ") {
            report.name(name);
        } else if pretty(t) {
            report.push_total(line.at, Counts::read(t));
        } else if t.starts_with("bats warning: Executed ") {
            report.push(line.at, Says::Unsure);
        }
    }
    let seen = counts.run().saturating_add(counts.skipped.unwrap_or(0));
    match plan {
        _ if counts.bad() > 0 => report.push_total(last, counts),
        Some(plan) if plan == seen => report.push_total(last, counts),
        None if seen == 0 => {}
        _ => report.push(last, Says::Unsure),
    }
    report.partial = plan.is_none();
    report.sort();
    report
}

/// `2 tests, 0 failures`
fn pretty(t: &str) -> bool {
    leading(t).is_some_and(|(_, rest)| {
        let rest = rest.strip_prefix(" tests, ").or_else(|| rest.strip_prefix(" test, "));
        rest.and_then(leading).is_some_and(|(_, rest)| rest.starts_with(" failure"))
    })
}

/// ctest: `50% tests passed, 1 tests failed out of 2`.
pub fn ctest(text: &Text) -> Report {
    let mut report = Report::default();
    let (mut skipped, mut list) = (0u64, false);
    for line in text.lines() {
        let t = line.text;
        if let Some((_, rest)) = leading(t).filter(|(_, rest)| rest.starts_with("% tests passed")) {
            let total = labelled(rest, "out of").unwrap_or(0);
            let failed = rest.strip_prefix("% tests passed, ").and_then(leading).map_or(0, |(n, _)| n);
            let passed = total.saturating_sub(failed).saturating_sub(skipped);
            let counts = Counts { passed: Some(passed), failed: Some(failed), errors: Some(0), skipped: Some(skipped) };
            report.push_total(line.at, counts);
        } else if t.contains(" Test ") && t.contains("***Skipped") {
            skipped += 1;
        } else if t == "No tests were found!!!" {
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("Errors while running CTest") {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("The following tests FAILED:") {
            list = true;
        } else if list && let Some((_, name)) = t.strip_prefix('\t').and_then(|t| t.split_once(" - ")) {
            report.name(name.rsplit_once(" (").map_or(name, |(name, _)| name));
        } else if t.starts_with("CMake Error: ") || t.starts_with("ctest: ") {
            report.push(line.at, Says::NotRun);
        }
    }
    // The last word is the total's, whose numbers are the better ones.
    if let Some(total) = report.findings.iter().position(|f| !f.counts.is_empty()) {
        report.findings.truncate(total + 1);
    }
    report
}

/// make as a build: silent when it works; `make: *** […] Error 1` when it does not.
pub fn make(text: &Text) -> Report {
    let mut report = Report::default();
    let mut work = false;
    for line in text.lines() {
        let t = line.text;
        let own = ["make: ", "make[", "gmake: ", "gmake["].iter().any(|p| t.starts_with(p));
        let says = t.split_once(": ").filter(|_| own).map_or("", |(_, rest)| rest);
        if says.starts_with("*** No rule to make target") && !says.contains(", needed by ")
            || says.starts_with("*** No targets")
            || says.starts_with("*** No such file")
        {
            report.push(line.at, Says::NotRun);
        } else if says.starts_with("*** ") && says.contains("] Interrupt") {
            report.push(line.at, Says::Unsure);
        } else if says.starts_with("*** ") || says.contains("not remade because of errors") {
            report.push(line.at, Says::Fail);
        } else if own && t.ends_with(" (ignored)") {
            report.push(line.at, Says::Unsure);
        } else if says.starts_with("Nothing to be done for ") || says.ends_with(" is up to date.") {
            report.push(line.at, Says::Nothing);
        } else if !own && !t.is_empty() {
            work = true;
        }
    }
    if work {
        report.findings.retain(|f| f.says != Says::Nothing);
    }
    report
}

/// ninja, and cmake over it: `[3/3] …` as the last step, `ninja: build stopped`, or make's words.
pub fn ninja(text: &Text) -> Report {
    let mut report = make(text);
    report.findings.retain(|f| f.says != Says::Nothing);
    let mut done = None;
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("FAILED: ") || t.starts_with("ninja: build stopped: ") {
            report.push(line.at, Says::Fail);
        } else if t == "ninja: no work to do." {
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("ninja: error: ")
            || t.starts_with("ninja: fatal: ")
            || t.starts_with("Error: could not load cache")
        {
            report.push(line.at, Says::NotRun);
        } else if let Some((step, rest)) = t.strip_prefix('[').and_then(leading)
            && let Some((of, _)) = rest.strip_prefix('/').and_then(leading)
        {
            done = (step == of).then_some(line.at);
        } else if t.starts_with("[100%] Built target ") {
            done = Some(line.at);
        }
    }
    if let Some(at) = done {
        report.push(at, Says::Pass);
    }
    report.sort();
    report
}
