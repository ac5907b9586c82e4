//! bats, ctest, make, ninja and cmake.

use super::row::{Call, Exit, Mark, Opt, ROW, Reads, Row, Totals, Words};
use super::{Check, Scope, names};
use crate::records::invocation::Invocation;
use crate::records::summary::{Report, Text, tap};

const MAKE_OPTIONS: &[(&str, Opt)] = &[
    ("-C", Opt::Value),
    ("--directory", Opt::Value),
    ("-f", Opt::Value),
    ("--file", Opt::Value),
    ("--makefile", Opt::Value),
    ("-I", Opt::Value),
    ("-o", Opt::Value),
    ("-W", Opt::Value),
    ("-n", Opt::Idle),
    ("--dry-run", Opt::Idle),
    ("--just-print", Opt::Idle),
    ("-q", Opt::Idle),
    ("--question", Opt::Idle),
    ("-t", Opt::Idle),
    ("--touch", Opt::Idle),
    ("-p", Opt::Idle),
    ("-v", Opt::Idle),
    ("--version", Opt::Idle),
    ("-h", Opt::Idle),
    ("--help", Opt::Idle),
    ("-i", Opt::Mark(Mark::Ignores)),
    ("--ignore-errors", Opt::Mark(Mark::Ignores)),
    ("-k", Opt::Mark(Mark::NoFailFast)),
    ("--keep-going", Opt::Mark(Mark::NoFailFast)),
];

/// Variables that choose tests.
const CHOOSE: &[&str] =
    &["TEST", "TESTS", "T", "K", "RUN", "ARGS", "TEST_ARGS", "TESTARGS", "PYTEST_ARGS", "FILTER", "PKG", "PKGS"];

/// The targets of a `make` line, and the assignments that choose tests.
fn targets(invocation: &Invocation, row: &Row) -> (Vec<String>, Vec<String>, Option<&'static str>) {
    let args: Vec<_> = invocation.args.iter().collect();
    let read = super::words::read(row, &args);
    let (chosen, targets): (Vec<_>, Vec<_>) = read.plain.into_iter().partition(|word| word.contains('='));
    let chosen = chosen.into_iter().filter(|word| CHOOSE.contains(&word.split('=').next().unwrap_or_default()));
    // `make -j 8` takes the number apart.
    let targets = targets.into_iter().filter(|word| !word.bytes().all(|b| b.is_ascii_digit()));
    (targets.collect(), chosen.collect(), read.idle)
}

fn target_check(target: &str) -> Option<Check> {
    match target {
        "all" | "release" => Some(Check::Build),
        "check" => Some(Check::Tests),
        other => names::check_of(other),
    }
}

/// What its targets name; without one, a build.
fn make(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let (targets, chosen, idle) = targets(invocation, row);
    let checks: Vec<Option<Check>> = targets.iter().map(|t| target_check(t)).collect();
    let named = if row.check == Check::Build {
        // Beside another target, a failure need not be the build's.
        checks.iter().all(|c| *c == Some(Check::Build))
    } else {
        checks.contains(&Some(row.check))
    };
    if !named {
        return None;
    }
    if let Some(idle) = idle {
        return Some(Scope::ChecksNothing(idle));
    }
    let parts = targets.iter().zip(&checks).filter(|(_, check)| **check == Some(row.check)).map(|(target, _)| target);
    let parts: Vec<&String> =
        parts.filter(|t| !matches!(t.as_str(), "all" | "check") && names::is_part(t, row.check)).collect();
    let whole = targets.len() > parts.len() && row.check != Check::Tests;
    let narrows: Vec<&str> = parts.into_iter().chain(&chosen).map(String::as_str).collect();
    Some(if narrows.is_empty() || whole { Scope::Full } else { Scope::Filtered(narrows.join(" ")) })
}

/// `cmake --build b`, but not with a target of tests.
fn cmake(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let words: Vec<&str> = invocation.args.iter().map(|w| w.text.as_str()).collect();
    if !words.contains(&"--build") {
        return None;
    }
    let target = words.iter().position(|w| matches!(*w, "--target" | "-t")).and_then(|n| words.get(n + 1));
    let check = target.map_or(Some(Check::Build), |t| target_check(t));
    (check == Some(row.check)).then_some(Scope::Full)
}

/// `ninja`, or with targets; `ninja test` is one of tests, `-t` a tool.
fn ninja(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let (targets, _, idle) = targets(invocation, row);
    let check = if targets.iter().any(|t| target_check(t) == Some(Check::Tests)) { Check::Tests } else { Check::Build };
    if check != row.check || targets.iter().any(|t| matches!(t.as_str(), "clean" | "install" | "uninstall")) {
        return None;
    }
    Some(idle.map_or(Scope::Full, Scope::ChecksNothing))
}

/// What make itself says, where what it ran decides.
pub(super) fn around(text: &Text) -> Report {
    let mut report = tap::make(text);
    for finding in &mut report.findings {
        use crate::records::summary::Says;
        if finding.says == Says::Fail {
            finding.says = Says::Hint;
        }
    }
    report
}

const MAKE: Row = Row {
    runner: "make",
    calls: &[Call { programs: &["make", "gmake"], subs: &[] }],
    own: Some(make),
    options: MAKE_OPTIONS,
    words: Words::Ignored,
    reads: Reads::Inner(around),
    ..ROW
};

const NINJA_OPTIONS: &[(&str, Opt)] = &[
    ("-C", Opt::Value),
    ("-f", Opt::Value),
    ("-j", Opt::Value),
    ("-k", Opt::Value),
    ("-l", Opt::Value),
    ("-d", Opt::Value),
    ("-w", Opt::Value),
    ("-n", Opt::Idle),
    ("-t", Opt::Idle),
    ("-h", Opt::Idle),
    ("--help", Opt::Idle),
    ("--version", Opt::Idle),
];

const CMAKE: Row = Row {
    runner: "cmake",
    calls: &[Call { programs: &["cmake"], subs: &[] }],
    own: Some(cmake),
    words: Words::Ignored,
    ..ROW
};

pub const ROWS: &[Row] = &[
    Row {
        runner: "bats",
        calls: &[Call { programs: &["bats"], subs: &[] }],
        options: &[
            ("-f", Opt::NarrowBy),
            ("--filter", Opt::NarrowBy),
            ("--filter-tags", Opt::NarrowBy),
            ("--filter-status", Opt::NarrowBy),
            ("-c", Opt::Idle),
            ("--count", Opt::Idle),
            ("-h", Opt::Idle),
            ("--help", Opt::Idle),
            ("-v", Opt::Idle),
            ("--version", Opt::Idle),
            ("-F", Opt::Value),
            ("--formatter", Opt::Value),
            ("-j", Opt::Value),
            ("--jobs", Opt::Value),
            ("-o", Opt::Value),
            ("--output", Opt::Value),
            ("--report-formatter", Opt::Value),
        ],
        reads: Reads::By(tap::bats),
        last_speaks: false,
        trailing: 40,
        ..ROW
    },
    Row {
        runner: "ctest",
        calls: &[Call { programs: &["ctest"], subs: &[] }],
        options: &[
            ("-R", Opt::NarrowBy),
            ("--tests-regex", Opt::NarrowBy),
            ("-E", Opt::NarrowBy),
            ("--exclude-regex", Opt::NarrowBy),
            ("-L", Opt::NarrowBy),
            ("--label-regex", Opt::NarrowBy),
            ("-LE", Opt::NarrowBy),
            ("--label-exclude", Opt::NarrowBy),
            ("-I", Opt::NarrowBy),
            ("--tests-information", Opt::NarrowBy),
            ("--rerun-failed", Opt::Narrow),
            ("-N", Opt::Idle),
            ("--show-only", Opt::Idle),
            ("--print-labels", Opt::Idle),
            ("-h", Opt::Idle),
            ("--help", Opt::Idle),
            ("--version", Opt::Idle),
        ],
        words: Words::Ignored,
        reads: Reads::By(tap::ctest),
        trailing: 400,
        ..ROW
    },
    MAKE,
    Row { check: Check::Lint, ..MAKE },
    Row { check: Check::Typecheck, ..MAKE },
    Row { check: Check::Format, ..MAKE },
    Row {
        check: Check::Build,
        reads: Reads::By(tap::make),
        silent: true,
        exits: &[(2, Exit::Failed)],
        totals: Totals::Sum,
        ..MAKE
    },
    Row {
        runner: "ninja",
        check: Check::Build,
        calls: &[Call { programs: &["ninja"], subs: &[] }],
        own: Some(ninja),
        options: NINJA_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(tap::ninja),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "ninja",
        calls: &[Call { programs: &["ninja"], subs: &[] }],
        own: Some(ninja),
        options: NINJA_OPTIONS,
        words: Words::Ignored,
        reads: Reads::Inner(around),
        ..ROW
    },
    Row {
        check: Check::Build,
        reads: Reads::By(tap::ninja),
        silent: true,
        exits: &[(1, Exit::Failed), (2, Exit::Failed)],
        totals: Totals::Sum,
        ..CMAKE
    },
    Row { reads: Reads::Inner(around), ..CMAKE },
];
