//! .NET: `dotnet test` with VSTest (one line a project) or Microsoft.Testing.Platform, and `dotnet build`.

use super::counts::{labelled, leading};
use super::{Counts, Report, Says, Text};

/// `dotnet test`.
pub fn test(text: &Text) -> Report {
    let mut report = Report { partial: true, ..Report::default() };
    let mut platform: Option<(usize, Counts)> = None;
    for line in text.lines() {
        let t = line.text;
        if let Some((at, counts)) = &mut platform {
            let number =
                |name: &str| t.strip_prefix("  ").and_then(|t| t.strip_prefix(name)).and_then(|t| labelled(t, ":"));
            if let Some(n) = number("failed") {
                counts.failed = Some(n);
            } else if let Some(n) = number("succeeded") {
                counts.passed = Some(n);
            } else if let Some(n) = number("skipped") {
                counts.skipped = Some(n);
                report.push_total(*at, *counts);
                platform = None;
                continue;
            }
        }
        if (t.starts_with("Passed!  - ") || t.starts_with("Failed!  - ")) && t.contains(", Total:") {
            let failed = t.starts_with("Failed!");
            let counts = Counts {
                passed: labelled(t, " Passed"),
                failed: labelled(t, " Failed"),
                errors: Some(0),
                skipped: labelled(t, " Skipped"),
            };
            let says = if failed { Says::Fail } else { super::by_numbers(&counts) };
            report.push_counts(line.at, says, counts);
        } else if t.starts_with("Test run summary: ") {
            platform = Some((line.at, Counts::NONE));
        } else if let Some(name) = t.strip_prefix("  Failed ") {
            report.name(name.rsplit_once(" [").map_or(name, |(name, _)| name));
        } else if t.starts_with("No test is available in ")
            || t.starts_with("No test matches the given testcase filter")
        {
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("Build FAILED.") || is_compile_error(t) {
            report.push(line.at, Says::Broke);
        } else if is_not_run(t) {
            report.push(line.at, Says::NotRun);
        } else if t.starts_with("Test Run Aborted") || t.contains("The active test run was aborted") {
            report.push(line.at, Says::Hint);
        }
    }
    report.sort();
    report
}

/// `dotnet build`: both loggers' closing lines.
pub fn build(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t == "Build succeeded." || (t.starts_with("Build succeeded") && t.contains(" in ")) {
            report.push(line.at, Says::Pass);
        } else if t.starts_with("Build FAILED.") || t.starts_with("Build failed with ") || is_compile_error(t) {
            report.push(line.at, Says::Broke);
        } else if is_not_run(t) {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// `/src/A.cs(3,5): error CS1002: ; expected [/src/A.csproj]`
fn is_compile_error(t: &str) -> bool {
    t.split_once("): error ").is_some_and(|(place, rest)| {
        let code = rest.strip_prefix("CS").or_else(|| rest.strip_prefix("FS")).and_then(leading);
        place.contains('(') && code.is_some_and(|(_, rest)| rest.starts_with(':'))
    })
}

fn is_not_run(t: &str) -> bool {
    let project = ["error MSB1003:", "error MSB1009:", "error NETSDK1004:", "error NU1101:", "error NU1301:"];
    project.iter().any(|sign| t.contains(sign)) || t.starts_with("No executable found matching command")
}

/// `dotnet format --verify-no-changes`: silent when clean.
pub fn format(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        let problem = t.split_once("): error ").is_some_and(|(place, rest)| {
            place.rsplit_once('(').and_then(|(_, n)| leading(n)).is_some() && rest.contains(':')
        });
        if problem {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("Could not find a MSBuild project") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}
