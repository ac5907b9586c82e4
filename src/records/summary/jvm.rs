//! Maven and Gradle, which build as well as test.

use super::counts::{labelled, leading};
use super::{Counts, Report, Says, Text};

/// Maven's surefire: one `Tests run: …` a module, without the time of a class, and `BUILD SUCCESS` at the end.
pub fn maven(text: &Text) -> Report {
    let mut report = Report { partial: true, ..Report::default() };
    let mut failures = false;
    for line in text.lines() {
        let t = line.text;
        let Some((level, rest)) = level(t) else {
            if t == "The JAVA_HOME environment variable is not defined correctly" {
                report.push(line.at, Says::NotRun);
            }
            continue;
        };
        if let Some(counts) = surefire(rest) {
            report.push_total(line.at, counts);
        } else if rest == "No tests to run." || rest == "Tests are skipped." {
            report.push(line.at, Says::Nothing);
        } else if rest.starts_with("COMPILATION ERROR") {
            report.push(line.at, Says::Broke);
        } else if level == "ERROR"
            && (rest.contains("No tests matching pattern ") || rest.contains("No tests were executed!"))
        {
            report.push(line.at, Says::Nothing);
        } else if level == "ERROR" && (rest.starts_with("Failures:") || rest.starts_with("Errors:")) {
            failures = true;
        } else if failures && let Some(name) = rest.strip_prefix("  ") {
            report.name(name.split(' ').next().unwrap_or(name));
        } else if rest.starts_with("BUILD FAILURE") {
            report.push(line.at, Says::Unsure);
        } else if level == "ERROR"
            && (rest.contains("there is no POM in this directory")
                || rest.contains("Could not resolve dependencies")
                || rest.contains("Non-resolvable ")
                || rest.contains("Unknown lifecycle phase"))
        {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// `[INFO] rest`
fn level(t: &str) -> Option<(&str, &str)> {
    let (level, rest) = t.strip_prefix('[')?.split_once("] ")?;
    matches!(level, "INFO" | "WARNING" | "ERROR").then_some((level, rest))
}

fn surefire(rest: &str) -> Option<Counts> {
    if !rest.starts_with("Tests run: ") || rest.contains("Time elapsed") {
        return None;
    }
    let (run, failed) = (labelled(rest, "Tests run")?, labelled(rest, "Failures")?);
    let (errors, skipped) = (labelled(rest, "Errors")?, labelled(rest, "Skipped")?);
    let passed = run.saturating_sub(failed).saturating_sub(errors).saturating_sub(skipped);
    Some(Counts { passed: Some(passed), failed: Some(failed), errors: Some(errors), skipped: Some(skipped) })
}

/// Maven as a build.
pub fn maven_build(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let Some((_, rest)) = level(line.text) else { continue };
        if rest.starts_with("BUILD SUCCESS") {
            report.push(line.at, Says::Pass);
        } else if rest.starts_with("COMPILATION ERROR") {
            report.push(line.at, Says::Broke);
        } else if rest.starts_with("BUILD FAILURE") {
            report.push(line.at, Says::Unsure);
        }
    }
    report
}

/// Gradle's test tasks: `> Task :test`, which ran unless it says otherwise, and `BUILD SUCCESSFUL`.
pub fn gradle(text: &Text) -> Report {
    let mut report = Report { partial: true, ..Report::default() };
    let (mut ran, mut idle, mut failed, mut success) = (None, None, None, None);
    for line in text.lines() {
        let t = line.text;
        if let Some((task, word)) = task(t) {
            let is_test = task.rsplit(':').next().is_some_and(|name| name == "test" || name.ends_with("Test"));
            match word {
                "FAILED" if task.contains("compile") || task.contains("Compile") => report.push(line.at, Says::Broke),
                "FAILED" if is_test => failed = Some(line.at),
                "NO-SOURCE" | "UP-TO-DATE" | "SKIPPED" | "FROM-CACHE" if is_test => idle = Some(line.at),
                "" if is_test => ran = Some(line.at),
                _ => {}
            }
        } else if let Some(counts) = gradle_total(t) {
            report.push_total(line.at, counts);
        } else if let Some(name) = t.strip_suffix(" FAILED").filter(|n| n.contains(" > ")) {
            report.name(name);
        } else if t.starts_with("> No tests found for given includes") {
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("> There were failing tests") {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("BUILD SUCCESSFUL in ") {
            success = Some(line.at);
        } else if t.contains("does not contain a Gradle build")
            || t.starts_with("> Task '") && t.contains(" not found in ")
        {
            report.push(line.at, Says::NotRun);
        }
    }
    // How many tests ran Gradle does not say unless some failed.
    match (success, ran, idle, failed) {
        (Some(at), Some(_), _, None) => report.push(at, Says::Pass),
        (Some(at), None, Some(_), None) => report.push(at, Says::Nothing),
        (_, _, _, Some(at)) if report.findings.iter().all(|f| f.says != Says::Nothing) => report.push(at, Says::Hint),
        _ => {}
    }
    report.sort();
    report
}

/// `> Task :app:test FAILED` → (`:app:test`, `FAILED`).
fn task(t: &str) -> Option<(&str, &str)> {
    let rest = t.strip_prefix("> Task ")?;
    Some(rest.split_once(' ').unwrap_or((rest, "")))
}

/// `3 tests completed, 1 failed, 1 skipped`
fn gradle_total(t: &str) -> Option<Counts> {
    let (total, rest) = leading(t)?;
    let list = rest.strip_prefix(" tests completed, ").or_else(|| rest.strip_prefix(" test completed, "))?;
    let mut counts = Counts::read(list);
    counts.passed = Some(total.saturating_sub(counts.bad()).saturating_sub(counts.skipped.unwrap_or(0)));
    Some(counts)
}

/// Gradle as a build.
pub fn gradle_build(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("BUILD SUCCESSFUL in ") {
            report.push(line.at, Says::Pass);
        } else if task(t).is_some_and(|(task, word)| word == "FAILED" && task.to_ascii_lowercase().contains("compile"))
        {
            report.push(line.at, Says::Broke);
        } else if t.starts_with("BUILD FAILED in ") {
            report.push(line.at, Says::Unsure);
        } else if t.contains("does not contain a Gradle build") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}
