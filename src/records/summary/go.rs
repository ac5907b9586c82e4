//! Go: `go test`, `go vet`, `go build`, `gofmt -l`.

use super::{Counts, Report, Says, Text};

/// `go test`: one line a package, and `FAIL` alone as the last line if any failed.
pub fn test(text: &Text) -> Report {
    let mut report = Report::default();
    let mut seen = Seen::default();
    for line in text.lines() {
        let t = line.text;
        if let Some(rest) = t.strip_prefix("ok  \t") {
            let none = rest.ends_with("[no tests to run]");
            report.push(line.at, if none { Says::Nothing } else { Says::Pass });
            seen.last_failed = false;
        } else if t.starts_with("?   \t") && t.ends_with("[no test files]") {
            report.push(line.at, Says::Nothing);
            seen.last_failed = false;
        } else if let Some(rest) = t.strip_prefix("FAIL\t") {
            // Of a failed set-up the packages that it needs are missing: nothing of it was compiled.
            let says = match rest {
                _ if rest.ends_with("[setup failed]") => Says::NotRun,
                _ if rest.ends_with("[build failed]") => Says::Broke,
                _ => Says::Fail,
            };
            report.push(line.at, says);
            seen.last_failed = true;
        } else if t == "FAIL" {
            seen.last_failed = true;
            seen.alone = line.at;
        } else if t.starts_with("=== RUN   ") {
            seen.verbose = true;
        } else if let Some(rest) = t.strip_prefix("--- ") {
            seen.result(&mut report, rest);
        } else if let Some(rest) = t.trim_start().strip_prefix("--- FAIL: ") {
            report.name(rest.split(" (").next().unwrap_or(rest));
        } else if t.starts_with("# ") {
            seen.package = true;
        } else if seen.package && placed(t.strip_prefix("vet: ").unwrap_or(t)) {
            // Where a package without tests does not compile, older versions print no `FAIL` for it.
            report.push(line.at, Says::Broke);
        } else if not_run(t) {
            report.push(line.at, Says::NotRun);
        }
        seen.package &= !t.starts_with("=== RUN ");
    }
    seen.close(&mut report);
    report
}

#[derive(Default)]
struct Seen {
    verbose: bool,
    /// A compiler's heading stands above.
    package: bool,
    last_failed: bool,
    /// The last `FAIL` alone on its line.
    alone: usize,
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Seen {
    fn result(&mut self, report: &mut Report, rest: &str) {
        if rest.starts_with("PASS: ") {
            self.passed += 1;
        } else if rest.starts_with("SKIP: ") {
            self.skipped += 1;
        } else if let Some(name) = rest.strip_prefix("FAIL: ") {
            self.failed += 1;
            report.name(name.split(" (").next().unwrap_or(name));
        }
    }

    fn close(&self, report: &mut Report) {
        let is_failure = |f: &super::Finding| matches!(f.says, Says::Fail | Says::Broke);
        // Where `tail` kept no more, go's last word is all there is.
        if self.last_failed && !report.findings.iter().any(is_failure) {
            report.push(self.alone, Says::Fail);
        }
        let failed = report.findings.iter().any(is_failure);
        // With -v the tests' own output is shown, and a test can print such a line; go itself ends with one.
        if failed && self.verbose && !self.last_failed {
            for finding in &mut report.findings {
                if matches!(finding.says, Says::Fail | Says::Broke) {
                    finding.says = Says::Doubt;
                }
            }
        }
        let passed = report.findings.iter().any(|f| f.says == Says::Pass);
        if self.verbose && passed && !failed && self.passed == 0 && self.skipped > 0 {
            for finding in report.findings.iter_mut().filter(|f| f.says == Says::Pass) {
                finding.says = Says::Nothing;
            }
        }
        // Only -v names what passed; what failed is always named.
        let shown = |n: u64| self.verbose.then_some(n);
        let counts = Counts {
            passed: shown(self.passed),
            failed: Some(self.failed),
            errors: Some(0),
            skipped: shown(self.skipped),
        };
        if let Some(total) =
            report.findings.iter_mut().rev().find(|f| matches!(f.says, Says::Pass | Says::Fail | Says::Broke))
        {
            total.counts = counts;
        }
        let weight = |f: &&mut super::Finding| f.says.is_total() && f.counts.is_empty();
        for other in report.findings.iter_mut().filter(|f| weight(f)) {
            other.counts = Counts::NONE;
        }
    }
}

fn not_run(t: &str) -> bool {
    let go = t.strip_prefix("go: ").is_some_and(|t| {
        [
            "cannot find main module",
            "go.mod file not found",
            "no packages",
            "warning: ",
            "unknown subcommand",
            "cannot load ",
        ]
        .iter()
        .any(|sign| t.starts_with(sign))
            || t.contains(": Get \"")
            || t.contains("dial tcp")
    });
    let matched_none = t.starts_with("go: warning: ") && t.ends_with("matched no packages");
    (go && !t.starts_with("go: warning: "))
        || matched_none
        || t.starts_with("no Go files in ")
        || t.starts_with("pattern ") && (t.contains(": lstat ") || t.contains(": directory prefix "))
        || t.starts_with("stat ") && t.ends_with(": directory not found")
        || t.starts_with("flag provided but not defined:")
        || t == "no packages to test"
}

/// `gotestsum`: its own closing line.
pub fn gotestsum(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        if let Some(rest) = line.text.strip_prefix("DONE ")
            && let Some((list, _)) = rest.rsplit_once(" in ")
        {
            report.push_total(line.at, Counts::read(list));
        } else if let Some(name) = line.text.strip_prefix("=== FAIL: ") {
            report.name(name.split(" (").next().unwrap_or(name));
        }
    }
    report
}

/// `go vet`, `go build`: silent when clean; `# package` and `file.go:3:2: message` otherwise.
pub fn build(text: &Text) -> Report {
    let mut report = Report::default();
    let mut package = false;
    for line in text.lines() {
        let t = line.text;
        package |= t.starts_with("# ");
        if not_run(t) || t.starts_with("package ") && t.contains(" is not in std") {
            report.push(line.at, Says::NotRun);
        } else if package && placed(t.strip_prefix("vet: ").unwrap_or(t)) {
            report.push(line.at, Says::Fail);
        }
    }
    report
}

/// `path/file.go:3:2: …`
fn placed(t: &str) -> bool {
    t.split_once(".go:").is_some_and(|(path, rest)| {
        let mut parts = rest.splitn(3, ':');
        let number = |p: Option<&str>| p.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        !path.contains(char::is_whitespace) && number(parts.next()) && number(parts.next())
    })
}

/// `gofmt -l`, `gofmt -d`: every file named is a problem, whatever the status.
pub fn fmt(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("diff ") && t.contains(".go") || t.ends_with(".go") && !t.contains(": ") {
            report.push(line.at, Says::Fail);
        } else if placed(t) {
            report.push(line.at, Says::Broke);
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_test_prints_is_no_verdict_of_go() {
        let text = "=== RUN   TestA\nFAIL\texample.com/x\t0.1s\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/demo\t0.002s\n";
        let report = test(&Text::of(text, false));
        assert!(report.findings.iter().all(|f| f.says != Says::Fail), "{report:?}");
    }

    #[test]
    fn places_are_places() {
        assert!(placed("./a.go:3:2: undefined: x"));
        assert!(!placed("see a.go:3 for more"));
        assert!(!placed("main.go:x:1: no"));
    }
}
