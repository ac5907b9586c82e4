//! cargo: `test`, `nextest`, and what compiles (`build`, `check`, `clippy`).
//!
//! libtest prints a total for each target. Tests print, too, sometimes another run's totals: a total counts only if its
//! numbers close the innermost `running N tests` that is still open.

use super::counts::{leading, pairs};
use super::{Counts, Report, Says, Text};

/// `cargo test`.
pub fn test(text: &Text) -> Report {
    let mut report = Report { partial: true, ..Report::default() };
    let mut open: Vec<u64> = Vec::new();
    let mut seen = Seen::default();
    let mut list = false;
    for line in text.lines() {
        let t = line.text;
        if list && !t.starts_with("    ") {
            list = false;
        } else if list {
            report.name(t);
        }
        if let Some(tests) = running(t) {
            open.push(tests);
            seen.opened += 1;
        } else if let Some((ok, counts, run)) = result(t) {
            match innermost(&open, run) {
                Some(0) => {
                    open.clear();
                    seen.total(&mut report, line.at, ok, counts);
                }
                Some(depth) => open.truncate(depth),
                // Its beginning was cut off, by `tail` or by the client.
                None if seen.opened == 0 || cut_between(text, seen.last, line.at) => {
                    open.clear();
                    seen.total(&mut report, line.at, ok, counts);
                }
                // In the midst of an open target it is a test's; the target's own is still to come.
                None if !open.is_empty() => {}
                None => seen.stray = Some((line.at, ok, counts)),
            }
            seen.last = line.at;
        } else if t == "failures:" {
            list = true;
        } else if let Some(name) = t.strip_prefix("test ").and_then(|t| t.strip_suffix(" ... FAILED"))
            && open.len() == 1
        {
            report.name(name);
        } else if t.starts_with("     Running ") || t.starts_with("   Doc-tests ") {
            seen.targets += 1;
        } else if t.starts_with("    Finished ") {
            seen.finished = true;
        } else {
            seen.error(&mut report, line.at, t);
        }
    }
    seen.close(&mut report, &open, text);
    report
}

/// What the lines came to.
#[derive(Default)]
struct Seen {
    opened: usize,
    closed: usize,
    targets: usize,
    finished: bool,
    last: usize,
    /// A total with nothing left to close: a test printed it, or a test printed one that was taken for the runner's.
    stray: Option<(usize, bool, Counts)>,
    /// `error: test failed, …`.
    said_failed: Option<usize>,
    /// Any other line of cargo's that begins with `error`.
    error: Option<usize>,
    broke: bool,
    usage: Option<usize>,
}

impl Seen {
    fn total(&mut self, report: &mut Report, at: usize, ok: bool, counts: Counts) {
        self.closed += 1;
        let says = match (ok, counts.passed) {
            (false, _) => Says::Fail,
            (true, Some(1..)) => Says::Pass,
            (true, _) => Says::Nothing,
        };
        report.push_counts(at, says, counts);
    }

    fn error(&mut self, report: &mut Report, at: usize, t: &str) {
        if !t.starts_with("error") {
            if t.contains("process didn't exit successfully: `") && killed(t) {
                report.push(at, Says::Unsure);
                self.usage = self.usage.or(Some(at));
            }
            return;
        }
        if compile_error(t) {
            self.broke = true;
            report.push(at, Says::Broke);
        } else if said_failed(t) {
            self.said_failed = self.said_failed.or(Some(at));
        } else if t.starts_with("error: Unrecognized option") || t.starts_with("error: Argument to option") {
            self.usage = Some(at);
        } else if t.starts_with("error: ") {
            self.error = self.error.or(Some(at));
        }
    }

    /// Where totals cannot be told apart, only the last is surely cargo's: it stops at the first target that fails.
    fn settle(&mut self, report: &mut Report, (at, ok, counts): (usize, bool, Counts)) {
        for finding in report.findings.iter_mut().filter(|f| f.says == Says::Fail && f.at != self.last) {
            finding.says = Says::Doubt;
        }
        if at == self.last {
            self.total(report, at, ok, counts);
        }
        report.push(self.last, Says::Doubt);
    }

    fn close(mut self, report: &mut Report, open: &[u64], text: &Text) {
        if let Some(at) = self.usage {
            report.push(at, Says::NotRun);
        }
        if let Some(at) = self.said_failed {
            report.push(at, Says::Hint);
        }
        if let Some(stray) = self.stray.take() {
            self.settle(report, stray);
        }
        // A target began and never came to its total: it was aborted.
        if !open.is_empty() && !text.is_cut() {
            report.push(text.text.len(), Says::Doubt);
        }
        if let Some(at) = self.error
            && self.closed == 0
            && !self.broke
            && self.said_failed.is_none()
        {
            report.push(at, Says::NotRun);
        }
        report.partial = !(self.finished && self.targets == self.closed && open.is_empty());
        report.sort();
    }
}

/// Where the innermost open target of so many tests is. Deeper than anybody nests it is not looked for.
fn innermost(open: &[u64], tests: u64) -> Option<usize> {
    let from = open.len().saturating_sub(32);
    open.get(from..)?.iter().rposition(|n| *n == tests).map(|at| from + at)
}

fn cut_between(text: &Text, from: usize, to: usize) -> bool {
    text.last_cut.is_some_and(|cut| from < cut && cut <= to)
}

/// `running 3 tests` → 3.
fn running(t: &str) -> Option<u64> {
    let (n, rest) = leading(t.strip_prefix("running ")?)?;
    matches!(rest, " test" | " tests").then_some(n)
}

/// `test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.15s`: whether it is
/// ok, its numbers, and how many tests that are.
fn result(t: &str) -> Option<(bool, Counts, u64)> {
    let rest = t.strip_prefix("test result: ")?;
    let (ok, rest) = match (rest.strip_prefix("ok. "), rest.strip_prefix("FAILED. ")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let numbers: Vec<(u64, &str)> = pairs(rest).take(5).collect();
    let [(passed, "passed"), (failed, "failed"), (ignored, "ignored"), (measured, "measured"), (_, "filtered")] =
        numbers.as_slice()
    else {
        return None;
    };
    let counts = Counts { passed: Some(*passed), failed: Some(*failed), errors: Some(0), skipped: Some(*ignored) };
    let run = [*passed, *failed, *ignored, *measured].iter().fold(0u64, |sum, n| sum.saturating_add(*n));
    Some((ok, counts, run))
}

fn compile_error(t: &str) -> bool {
    t.starts_with("error: could not compile `") || t.starts_with("error: failed to run custom build command for `")
}

/// cargo's last word on a run that failed.
fn said_failed(t: &str) -> bool {
    t.starts_with("error: test failed, to rerun pass ")
        || t.starts_with("error: doctest failed, to rerun pass ")
        || t.strip_prefix("error: ")
            .and_then(leading)
            .is_some_and(|(_, rest)| rest.starts_with(" target failed:") || rest.starts_with(" targets failed:"))
}

/// Ended from outside, which says nothing about the tests: interrupted, killed, terminated.
fn killed(t: &str) -> bool {
    ["(signal: 2,", "(signal: 9,", "(signal: 15,"].iter().any(|s| t.contains(s))
}

/// `cargo nextest run`.
pub fn nextest(text: &Text) -> Report {
    let mut report = Report::default();
    let mut summary = false;
    for line in text.lines() {
        let t = line.text;
        if let Some(rest) = t.strip_prefix("     Summary [")
            && let Some((_, numbers)) = rest.split_once("] ")
        {
            summary = true;
            let words = numbers.replace(" timed out", " failed").replace(" exec failed", " failed");
            let words = words.split_once(" run: ").map_or(words.as_str(), |(_, list)| list);
            report.push_total(line.at, Counts::read(words));
        } else if summary
            && let Some((_, name)) = t.trim_start().strip_prefix("FAIL [").and_then(|t| t.split_once("] "))
        {
            report.name(name.trim_start().split_once(") ").map_or(name, |(_, name)| name));
        } else if t == "error: test run failed" {
            report.push(line.at, Says::Hint);
        } else if t == "error: no tests to run" {
            report.push(line.at, Says::Nothing);
        } else if compile_error(t) {
            report.push(line.at, Says::Broke);
        } else if t.starts_with("error: ") && !t.starts_with("error: command `") {
            report.push(line.at, Says::NotRun);
        }
    }
    // Whatever else cargo complains of beside a total is not for us to weigh.
    if report.totals().next().is_some() {
        report.findings.retain(|f| f.says != Says::NotRun);
    }
    report
}

/// `cargo build`, `cargo check`: `Finished` closes, whatever was warned of.
pub fn build(text: &Text) -> Report {
    compile(text, false)
}

/// `cargo clippy`: a warning is a problem.
pub fn clippy(text: &Text) -> Report {
    compile(text, true)
}

fn compile(text: &Text, clean: bool) -> Report {
    let mut report = Report::default();
    let mut other = None;
    let mut diagnostic = None;
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("    Finished ") {
            report.push(line.at, Says::Pass);
        } else if compile_error(t) {
            report.push(line.at, Says::Broke);
        } else if t.starts_with("error: ") && other.is_none() {
            other = Some(line.at);
        }
        if !clean {
            continue;
        }
        // `warning: `x` (lib) generated 1 warning`, and the diagnostic itself where that line is cut off.
        let generated = t.starts_with("warning: `") && t.contains(") generated ") && t.contains(" warning");
        if generated || (diagnostic.is_some() && t.trim_start().starts_with("--> ")) {
            report.push(line.at, Says::Fail);
        }
        diagnostic = (t.starts_with("warning: ") || t.starts_with("warning[")).then_some(line.at);
    }
    if let Some(at) = other
        && report.findings.is_empty()
    {
        report.push(at, Says::NotRun);
    }
    report
}

/// `cargo fmt --check`, `rustfmt --check`: silent when clean.
pub fn fmt(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        let place = t.strip_prefix("Diff in ").and_then(|t| t.strip_suffix(':'));
        if place.and_then(|p| p.rsplit_once(':')).is_some_and(|(_, n)| leading(n).is_some()) {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("error")
            || t.starts_with("Failed to find targets")
            || t.starts_with("This utility formats")
        {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}
