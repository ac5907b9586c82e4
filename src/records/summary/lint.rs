//! Linters and type checkers whose closing line needs a second look; the others are plain shapes in the table.

use super::counts::{labelled, leading};
use super::{Report, Says, Text};

/// eslint: silent when clean, `✖ 2 problems (1 error, 1 warning)` otherwise. A file that it ignores is a warning, too.
pub fn eslint(text: &Text) -> Report {
    let mut report = Report::default();
    let mut ignored = 0u64;
    // stylelint closes with the same words; its messages have a mark before them.
    let is_marked = |line: &str| line.contains("  \u{2716}  ") || line.contains("  \u{26a0}  ");
    if text.lines().any(|line| line.text.starts_with("  ") && is_marked(line.text)) {
        return report;
    }
    for line in text.lines() {
        let t = line.text;
        if let Some((n, rest)) = t.strip_prefix("✖ ").and_then(leading)
            && (rest.starts_with(" problem (") || rest.starts_with(" problems ("))
        {
            let says = if ignored > 0 && n == ignored { Says::Nothing } else { Says::Fail };
            report.push(line.at, says);
        } else if t.contains("  warning  File ignored ") {
            ignored += 1;
        } else if t.starts_with("ESLint found too many warnings") {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("Oops! Something went wrong")
            || t.starts_with("No files matching the pattern ")
            || t.starts_with("All files matched by ")
            || t.starts_with("ESLint couldn't find ")
        {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// tsc and vue-tsc: silent when clean.
pub fn tsc(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if let Some(code) = t.strip_prefix("error TS").and_then(leading).map(|(n, _)| n) {
            // Options and inputs, not types: nothing was checked.
            let setup = matches!(code, 5000..=6999 | 18002 | 18003);
            report.push(line.at, if setup { Says::NotRun } else { Says::Fail });
        } else if is_type_error(t) || found_errors(t) {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("Version ") || t.contains("This is not the tsc command you are looking for") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// `a.ts(1,7): error TS2322: …`, or pretty: `a.ts:1:7 - error TS2322: …`.
fn is_type_error(t: &str) -> bool {
    let Some((place, code)) = t.split_once("error TS") else { return false };
    let place_ends = place.strip_suffix("): ").or_else(|| place.strip_suffix(" - "));
    leading(code).is_some_and(|(_, rest)| rest.starts_with(':'))
        && place_ends.is_some_and(|p| p.ends_with(|c: char| c.is_ascii_digit()) && !p.starts_with(' '))
}

/// `Found 1 error in t/bad.ts:1`, `Found 3 errors in 2 files.`, `Found 2 errors.`
fn found_errors(t: &str) -> bool {
    t.strip_prefix("Found ").and_then(leading).is_some_and(|(n, rest)| {
        // mypy's line goes on with `(checked 1 source file)`.
        n > 0
            && !rest.ends_with(')')
            && (rest.starts_with(" error in ")
                || rest.starts_with(" errors in ")
                || rest == " errors."
                || rest == " error.")
    })
}

/// ruff check: `All checks passed!` also where there was no file; `Found 2 errors (1 fixed, 1 remaining).` under --fix.
pub fn ruff(text: &Text) -> Report {
    let mut report = Report::default();
    let (mut unreadable, mut none) = (0u64, false);
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("Checked ") && t.contains(" file") {
            // biome, whose closing lines are alike.
            return Report::default();
        }
        if t == "All checks passed!" {
            report.push(line.at, if none { Says::Nothing } else { Says::Pass });
        } else if t.starts_with("warning: No Python files found under the given path") {
            none = true;
            report.push(line.at, Says::Nothing);
        } else if t.starts_with("E902 ") || t.contains(": E902 ") {
            unreadable += 1;
        } else if let Some((n, rest)) = t.strip_prefix("Found ").and_then(leading)
            && (rest.starts_with(" error.")
                || rest.starts_with(" errors.")
                || rest.starts_with(" error") && rest.contains(" remaining)"))
        {
            let left = rest.split_once(" fixed, ").and_then(|(_, rest)| leading(rest)).map_or(n, |(n, _)| n);
            report.push(
                line.at,
                match left {
                    0 => Says::Pass,
                    left if left <= unreadable => Says::NotRun,
                    _ => Says::Fail,
                },
            );
        } else if t.starts_with("Would fix ") {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("ruff failed") || t.starts_with("error: ") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// pyright: `1 error, 0 warnings, 0 informations`.
pub fn pyright(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if let Some((errors, rest)) = leading(t).filter(|(_, rest)| rest.starts_with(" error")) {
            let Some(warnings) = rest.split_once(", ").and_then(|(_, rest)| leading(rest)) else { continue };
            if !warnings.1.starts_with(" warning") || !t.contains(" information") && !t.contains(" note") {
                continue;
            }
            let says = match (errors, warnings.0) {
                (0, 0) => Says::Pass,
                // A warning is no type error, and not clean either.
                (0, _) => Says::Unsure,
                _ => Says::Fail,
            };
            report.push(line.at, says);
        } else if t.starts_with("No source files found")
            || t.starts_with("File or directory \"") && t.ends_with("does not exist.")
        {
            report.push(line.at, Says::Nothing);
        }
    }
    if report.findings.iter().any(|f| f.says == Says::Nothing) {
        report.findings.retain(|f| f.says == Says::Nothing);
    }
    report
}

/// biome: `Checked 1 file in 7ms. No fixes applied.`, and `Found 2 warnings.` where it has something to say.
pub fn biome(text: &Text) -> Report {
    let mut report = Report::default();
    let mut checked = false;
    for line in text.lines() {
        let t = line.text;
        if let Some((n, rest)) = t.strip_prefix("Checked ").and_then(leading)
            && rest.starts_with(" file")
            && rest.contains(" in ")
        {
            checked = n > 0;
            report.push(line.at, if n == 0 { Says::Nothing } else { Says::Pass });
        } else if let Some((n, rest)) = t.strip_prefix("Found ").and_then(leading)
            // ruff's line is the same; it says nothing of files checked.
            && checked
            && n > 0
            && (rest.starts_with(" error") || rest.starts_with(" warning"))
            && rest.ends_with('.')
        {
            report.push(line.at, Says::Fail);
        } else if t.contains("No files were processed in the specified paths") {
            report.push(line.at, Says::NotRun);
        }
    }
    report
}

/// oxlint: `Found 1 warning and 0 errors.`, then `Finished in 5ms on 1 file with 90 rules …`.
pub fn oxlint(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if let Some((warnings, rest)) = t.strip_prefix("Found ").and_then(leading)
            && let Some(errors) = rest.strip_prefix(" warning").and_then(|rest| labelled(rest, " and"))
            && rest.contains(" error")
        {
            report.push(line.at, if warnings == 0 && errors == 0 { Says::Pass } else { Says::Fail });
        } else if t.starts_with("Finished in ") && labelled(t, " on") == Some(0) {
            report.findings.retain(|f| f.says != Says::Pass);
            report.push(line.at, Says::Nothing);
        }
    }
    report
}

/// prettier --check.
pub fn prettier(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t == "All matched files use Prettier code style!" {
            report.push(line.at, Says::Pass);
        } else if t.starts_with("[warn] Code style issues ") || t.starts_with("Code style issues ") {
            report.push(line.at, Says::Fail);
        } else if t.starts_with("[error] No files matching ") || t.starts_with("[error] No supported files ") {
            report.push(line.at, Says::NotRun);
        } else if t.starts_with("[error] ") || t.starts_with("Error occurred when checking code style") {
            report.push(line.at, Says::Unsure);
        }
    }
    report
}

/// ruff format --check: `1 file would be reformatted, 3 files already formatted`.
pub fn ruff_format(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let t = line.text;
        if t.starts_with("Oh no! ") || t.starts_with("All done! ") {
            // black's words are the same.
            return Report::default();
        }
        if t.starts_with("warning: No Python files found under the given path") {
            report.push(line.at, Says::NotRun);
        } else if t.starts_with("error: ") || t.starts_with("ruff failed") || t.starts_with("invalid-syntax: ") {
            report.push(line.at, Says::Unsure);
        } else if let Some((_, rest)) = leading(t).filter(|(_, rest)| rest.starts_with(" file")) {
            let rest = rest.trim_start_matches(" files ").trim_start_matches(" file ");
            if rest.starts_with("would be reformatted") {
                report.push(line.at, Says::Fail);
            } else if rest == "already formatted" {
                report.push(line.at, Says::Pass);
            }
        }
    }
    report
}

/// flake8: silent when clean, `a.py:1:1: F401 …` otherwise.
pub fn flake8(text: &Text) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let mut parts = line.text.splitn(4, ':');
        let (Some(path), Some(row), Some(column)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let code = parts.next().unwrap_or_default().strip_prefix(' ').and_then(|rest| rest.split(' ').next());
        let number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let letters = |code: &str| code.bytes().take_while(u8::is_ascii_uppercase).count();
        if path.contains(char::is_whitespace) || !number(row) || !number(column) {
            continue;
        }
        match code {
            Some("E902") => report.push(line.at, Says::NotRun),
            Some(code) if letters(code) > 0 && number(&code[letters(code)..]) => report.push(line.at, Says::Fail),
            _ => {}
        }
    }
    // ruff's concise lines are the same; it closes with a total.
    if text.lines().any(|l| l.text.starts_with("Found ")) {
        report.findings.clear();
    }
    report
}
