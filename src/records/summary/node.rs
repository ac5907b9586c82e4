//! What runs tests in JavaScript and TypeScript. Each closes with a block of a few lines.

use super::counts::{leading, pairs};
use super::{Counts, Report, Says, Text};

/// jest: `Test Suites: …`, then `Tests: …`.
pub fn jest(text: &Text) -> Report {
    let mut report = Report::default();
    let mut suites: Option<Counts> = None;
    for line in text.lines() {
        let t = line.text;
        if let Some(list) = t.strip_prefix("Test Suites: ") {
            suites = Some(Counts::read(list));
            continue;
        }
        if let (Some(list), Some(suites)) = (t.strip_prefix("Tests: "), suites.take()) {
            close(&mut report, line.at, Counts::read(list), suites);
        } else if t.starts_with("No tests found, exiting with code ")
            || t.starts_with("No tests found related to files ")
        {
            report.push(line.at, Says::Nothing);
        } else if let Some(name) = t.strip_prefix("  ● ") {
            if name != "Test suite failed to run" && !name.starts_with("Console") && !name.ends_with(":") {
                report.name(name);
            }
        } else if t.starts_with("● Validation Error:") || t.starts_with("● Unrecognized CLI Parameter") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// A suite that could not be run has no tests to count.
fn close(report: &mut Report, at: usize, tests: Counts, suites: Counts) {
    match (tests.bad(), suites.bad()) {
        (0, 1..) => report.push_counts(at, Says::Broke, tests),
        _ => report.push_total(at, tests),
    }
}

/// vitest: ` Test Files  …`, then `      Tests  …`.
pub fn vitest(text: &Text) -> Report {
    let mut report = Report::default();
    let mut files: Option<Counts> = None;
    let mut errors = false;
    for line in text.lines() {
        let t = line.text;
        let spaces = t.len() - t.trim_start_matches(' ').len();
        let inner = &t[spaces..];
        if spaces == 1
            && let Some(list) = inner.strip_prefix("Test Files  ")
        {
            (files, errors) = (Some(Counts::read(list)), false);
        } else if spaces == 6
            && let (Some(list), Some(files)) = (inner.strip_prefix("Tests  "), files.take())
        {
            close(&mut report, line.at, Counts::read(list), files);
        } else if spaces == 5 && inner.starts_with("Errors  ") {
            errors = true;
        } else if spaces == 1
            && let Some(name) = inner.strip_prefix("FAIL ")
        {
            if name.contains(" > ") {
                report.name(name);
            }
        } else if t.starts_with("No test files found, exiting with code ") {
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("Error: No test suite found in file ") {
            report.push(line.at, Says::Hint);
        }
        // An error outside of every test makes vitest fail, though its tests may all have passed.
        if errors && let Some(last) = report.findings.last_mut().filter(|f| f.says == Says::Pass) {
            last.says = Says::Unsure;
        }
    }
    report
}

/// A block of lines that each hold one number and a word, as mocha, ava, playwright and bun close with. Ends where a line
/// is none of it.
struct Block {
    at: usize,
    counts: Vec<(u64, String)>,
}

impl Block {
    fn counts(&self) -> Counts {
        Counts::from_pairs(self.counts.iter().map(|(n, w)| (*n, w.as_str())))
    }
}

/// `  2 passing (3ms)`: the number and the first word after exactly `indent` blanks.
fn item(t: &str, indent: usize) -> Option<(u64, &str)> {
    let rest = t.get(indent..)?;
    if !t.bytes().take(indent).all(|b| b == b' ') {
        return None;
    }
    let (n, rest) = leading(rest)?;
    Some((n, rest.strip_prefix(' ')?))
}

/// mocha: `  2 passing (3ms)`, `  1 pending`, `  1 failing`, and then the failures.
pub fn mocha(text: &Text) -> Report {
    let mut report = Report::default();
    let mut block: Option<Block> = None;
    let mut failures = false;
    for line in text.lines() {
        let t = line.text;
        match item(t, 2) {
            Some((n, rest)) if rest.starts_with("passing (") && rest.ends_with(')') => {
                finish(&mut report, block.take());
                block = Some(Block { at: line.at, counts: vec![(n, "passing".into())] });
            }
            Some((n, word @ ("pending" | "failing"))) => {
                failures |= word == "failing";
                if let Some(block) = &mut block {
                    block.counts.push((n, word.into()));
                } else if word == "failing" && report.findings.is_empty() {
                    // `tail` cut off how many pass.
                    report.push_counts(line.at, Says::Fail, Counts { failed: Some(n), ..Counts::default() });
                }
            }
            _ => {
                finish(&mut report, block.take());
                if failures && let Some(name) = numbered(t) {
                    report.name(name);
                } else if t.starts_with("Error: No test files found") {
                    report.push(line.at, Says::Nothing);
                }
            }
        }
    }
    finish(&mut report, block);
    report
}

fn finish(report: &mut Report, block: Option<Block>) {
    if let Some(block) = block {
        report.push_total(block.at, block.counts());
    }
}

/// `  1) the name:`
fn numbered(t: &str) -> Option<&str> {
    let (_, rest) = leading(t.strip_prefix("  ")?)?;
    Some(rest.strip_prefix(") ")?.trim_end_matches(':'))
}

/// ava: `  2 tests passed`, or `  1 test failed` and what else there was.
pub fn ava(text: &Text) -> Report {
    let mut report = Report::default();
    let mut block: Option<Block> = None;
    for line in text.lines() {
        let t = line.text;
        let words = item(t, 2).and_then(|(n, rest)| {
            let test = rest.strip_prefix("tests ").or_else(|| rest.strip_prefix("test "));
            match test.unwrap_or(rest).split(" [").next().unwrap_or(rest) {
                word @ ("passed" | "failed" | "skipped" | "todo") if test.is_some() => Some((n, word)),
                "hook failed"
                | "hooks failed"
                | "uncaught exception"
                | "uncaught exceptions"
                | "unhandled rejection"
                | "unhandled rejections" => Some((n, "failed")),
                "known failure" | "known failures" => Some((n, "skipped")),
                _ => None,
            }
        });
        if let Some((n, word)) = words {
            block.get_or_insert(Block { at: line.at, counts: Vec::new() }).counts.push((n, word.into()));
            continue;
        }
        finish(&mut report, block.take());
        if let Some(name) = t.strip_prefix("  ✘ [fail]: ") {
            report.name(name);
        } else if t.contains("find any files to test")
            || t.contains("find any matching tests")
            || t.starts_with("  ✘ No tests found in ")
        {
            report.push(line.at, Says::Nothing);
        }
    }
    finish(&mut report, block);
    report
}

/// playwright: `  1 failed` and names, …, `  1 passed (777ms)` last. A pass counts only where the block's beginning is in
/// view, since what failed stands above it.
pub fn playwright(text: &Text) -> Report {
    let mut report = Report::default();
    let mut block: Option<Block> = None;
    let mut begins = false;
    let mut names = false;
    for line in text.lines() {
        let t = line.text;
        let word = item(t, 2).map(|(n, rest)| (n, rest.split(" (").next().unwrap_or(rest)));
        match word {
            Some((n, word @ ("failed" | "flaky" | "interrupted" | "skipped" | "did not run" | "passed"))) => {
                names = word == "failed";
                block.get_or_insert(Block { at: line.at, counts: Vec::new() }).counts.push((n, word.into()));
            }
            Some((n, rest)) if rest.contains(" not a part of any test") => {
                block.get_or_insert(Block { at: line.at, counts: Vec::new() }).counts.push((n, "failed".into()));
            }
            _ if block.is_some() && t.starts_with("    ") => {
                if names {
                    report.name(t.trim_matches([' ', '─']));
                }
            }
            _ => {
                close_playwright(&mut report, block.take(), begins);
                begins = t.is_empty() || t.starts_with("  Slow test file: ") || t.starts_with("  Consider splitting ");
                if t == "Error: No tests found." || t == "Error: No tests found" {
                    report.push(line.at, Says::Nothing);
                }
            }
        }
    }
    close_playwright(&mut report, block, begins);
    report
}

fn close_playwright(report: &mut Report, block: Option<Block>, begins: bool) {
    let Some(block) = block else { return };
    let counts = block.counts();
    let flaky = block.counts.iter().any(|(_, w)| w == "flaky");
    let says = match super::by_numbers(&counts) {
        Says::Fail => Says::Fail,
        _ if block.counts.iter().any(|(_, w)| w == "interrupted") || !begins => Says::Unsure,
        Says::Nothing if flaky => Says::Pass,
        says => says,
    };
    report.push_counts(block.at, says, counts);
}

/// bun: ` 1 pass`, ` 0 fail`, …, `Ran 1 test across 1 file. [5.00ms]`.
pub fn bun(text: &Text) -> Report {
    let mut report = Report::default();
    let mut block: Vec<(u64, String)> = Vec::new();
    for line in text.lines() {
        let t = line.text;
        if let Some((n, rest)) = item(t, 1) {
            block.push((n, rest.to_owned()));
            continue;
        }
        if t.starts_with("Ran ") && t.contains(" across ") {
            // The block can have been cut off; without its `fail` line it tells nothing.
            if block.iter().any(|(_, w)| w == "fail") {
                report.push_total(line.at, Counts::from_pairs(block.iter().map(|(n, w)| (*n, w.as_str()))));
            }
        } else if let Some(name) = t.strip_prefix("(fail) ").or_else(|| t.strip_prefix("✗ ")) {
            report.name(name.rsplit_once(" [").map_or(name, |(name, _)| name));
        } else if t.starts_with("No tests found!") || (t.starts_with("error: regex ") && t.contains(" matched 0 tests"))
        {
            report.push(line.at, Says::Nothing);
        }
        block.clear();
    }
    report
}

/// deno: `ok | 1 passed | 0 failed (22ms)`.
pub fn deno(text: &Text) -> Report {
    let mut report = Report::default();
    let mut failures = false;
    for line in text.lines() {
        let t = line.text;
        let closing = t.strip_prefix("ok | ").or_else(|| t.strip_prefix("FAILED | "));
        if let Some(list) = closing.filter(|list| list.contains(" passed ") && list.contains(" failed")) {
            let counts = Counts::from_pairs(pairs(list).filter(|(_, word)| *word != "steps" && *word != "step"));
            let says = if t.starts_with("FAILED") { Says::Fail } else { super::by_numbers(&counts) };
            report.push_counts(line.at, says, counts);
        } else if t == " FAILURES " {
            failures = true;
        } else if failures && let Some((name, _)) = t.split_once(" => ") {
            report.name(name);
        } else if t == "error: Test failed" {
            report.push(line.at, Says::Hint);
        } else if t.starts_with("error: Type checking failed") {
            report.push(line.at, Says::Broke);
        } else if t.starts_with("error: No test modules found") {
            report.push(line.at, Says::Nothing);
        }
    }
    report
}

/// `node --test`: `# pass 2`, or `ℹ pass 2`, ending with `duration_ms`.
pub fn node_test(text: &Text) -> Report {
    let mut report = Report::default();
    let mut block: Vec<(u64, &str)> = Vec::new();
    let mut failing = false;
    for line in text.lines() {
        let t = line.text;
        let field = t.strip_prefix("# ").or_else(|| t.strip_prefix("ℹ ")).and_then(|t| t.split_once(' '));
        match field {
            Some(("duration_ms", _)) => {
                if block.iter().any(|(_, w)| *w == "fail") && block.iter().any(|(_, w)| *w == "pass") {
                    let parts = block.iter().copied().filter(|(_, w)| *w != "tests" && *w != "suites");
                    report.push_total(line.at, Counts::from_pairs(parts));
                }
                block.clear();
            }
            Some((word, n)) if n.bytes().all(|b| b.is_ascii_digit()) => {
                if let Ok(n) = n.parse() {
                    block.push((n, word));
                }
            }
            _ => {
                block.clear();
                failing |= t == "✖ failing tests:";
                let tap =
                    t.trim_start().strip_prefix("not ok ").and_then(|t| t.split_once(" - ")).map(|(_, name)| name);
                let spec = t.strip_prefix("✖ ").filter(|_| failing && t != "✖ failing tests:");
                if let Some(name) = tap.filter(|n| !n.contains(" # TODO")).or(spec) {
                    report.name(name.rsplit_once(" (").map_or(name, |(name, _)| name));
                }
            }
        }
    }
    report
}
