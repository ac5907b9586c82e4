//! Maven and Gradle.

use super::row::{H, HELP, Mark, Opt, ROW, Reads, Row, Totals, VERSION, Words, called};
use super::{Check, Scope};
use crate::records::invocation::Invocation;
use crate::records::summary::jvm;

const MVN_PROGRAMS: &[&str] = &["mvn", "mvnw", "mvnd"];
const MVN_OPTIONS: &[(&str, Opt)] = &[
    ("-pl", Opt::NarrowBy),
    ("--projects", Opt::NarrowBy),
    ("-f", Opt::Value),
    ("--file", Opt::Value),
    ("-P", Opt::Value),
    ("-s", Opt::Value),
    ("-T", Opt::Value),
    ("-rf", Opt::NarrowBy),
    ("-Dtest", Opt::NarrowBy),
    ("-Dit.test", Opt::NarrowBy),
    ("-Dgroups", Opt::NarrowBy),
    ("-Dmaven.test.failure.ignore", Opt::Mark(Mark::ExitZero)),
    ("-fn", Opt::Mark(Mark::ExitZero)),
    ("--fail-never", Opt::Mark(Mark::ExitZero)),
    ("-fae", Opt::Mark(Mark::NoFailFast)),
    ("--fail-at-end", Opt::Mark(Mark::NoFailFast)),
    H,
    HELP,
    ("-v", Opt::Idle),
    VERSION,
];

const SKIPS: &[&str] = &["-DskipTests", "-Dmaven.test.skip", "-DskipTests=true", "-Dmaven.test.skip=true"];

/// A lifecycle phase from `test` on runs the tests, unless they are skipped; then, and before it, it only builds.
fn maven(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let args: Vec<_> = invocation.args.iter().collect();
    let read = super::words::read(row, &args);
    let phase = |names: &[&str]| read.plain.iter().any(|w| names.contains(&w.as_str()));
    let skips = args.iter().any(|w| SKIPS.contains(&w.text.as_str()));
    let tests =
        phase(&["test", "package", "verify", "install", "integration-test", "surefire:test", "deploy"]) && !skips;
    let builds = phase(&["compile", "test-compile"]) || (skips && phase(&["package", "verify", "install"]));
    match row.check {
        Check::Tests => tests,
        _ => builds && !tests,
    }
    .then(|| read.scope())
}

const GRADLE_OPTIONS: &[(&str, Opt)] = &[
    ("--tests", Opt::NarrowBy),
    ("-x", Opt::Value),
    ("--exclude-task", Opt::Value),
    ("-p", Opt::Value),
    ("-P", Opt::Value),
    ("-b", Opt::Value),
    ("-c", Opt::Value),
    ("-I", Opt::Value),
    ("--console", Opt::Value),
    ("--continue", Opt::Mark(Mark::NoFailFast)),
    ("-m", Opt::Idle),
    ("--dry-run", Opt::Idle),
    ("--status", Opt::Idle),
    ("--stop", Opt::Idle),
    H,
    HELP,
    ("-v", Opt::Idle),
    VERSION,
];

/// `test`, `check` and `build` run the tests, unless `-x test` leaves them out; `:app:test` narrows.
fn gradle(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let args: Vec<_> = invocation.args.iter().collect();
    let mut read = super::words::read(row, &args);
    let skipped =
        args.windows(2).any(|w| matches!(w[0].text.as_str(), "-x" | "--exclude-task") && w[1].text.ends_with("test"));
    let last = |task: &str| task.rsplit(':').next().unwrap_or_default().to_owned();
    let tests = |task: &String| {
        matches!(last(task).as_str(), "test" | "check" | "build" | "allTests") || last(task).ends_with("Test")
    };
    let builds = |task: &String| {
        matches!(
            last(task).as_str(),
            "build" | "assemble" | "classes" | "testClasses" | "jar" | "compileJava" | "compileKotlin"
        )
    };
    let mine: Vec<String> = match row.check {
        Check::Tests if skipped => Vec::new(),
        Check::Tests => read.plain.iter().filter(|t| tests(t)).cloned().collect(),
        _ => read.plain.iter().filter(|t| builds(t)).cloned().collect(),
    };
    if mine.is_empty() {
        return None;
    }
    read.narrows.extend(mine.into_iter().filter(|task| task.trim_start_matches(':').contains(':')));
    Some(read.scope())
}

pub const ROWS: &[Row] = &[
    Row {
        runner: "maven",
        calls: &called(MVN_PROGRAMS),
        own: Some(maven),
        options: MVN_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(jvm::maven),
        totals: Totals::Sum,
        trailing: 60,
        ..ROW
    },
    Row {
        runner: "maven",
        check: Check::Build,
        calls: &called(MVN_PROGRAMS),
        own: Some(maven),
        options: MVN_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(jvm::maven_build),
        silent: true,
        totals: Totals::Sum,
        trailing: 60,
        ..ROW
    },
    Row {
        runner: "gradle",
        calls: &called(&["gradle", "gradlew"]),
        own: Some(gradle),
        options: GRADLE_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(jvm::gradle),
        totals: Totals::Sum,
        trailing: 60,
        ..ROW
    },
    Row {
        runner: "gradle",
        check: Check::Build,
        calls: &called(&["gradle", "gradlew"]),
        own: Some(gradle),
        options: GRADLE_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(jvm::gradle_build),
        silent: true,
        totals: Totals::Sum,
        trailing: 60,
        ..ROW
    },
];
