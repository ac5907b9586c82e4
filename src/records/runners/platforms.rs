//! The JVM, .NET, Swift, Ruby and PHP.

use super::row::{After, Call, Exit, Mark, Opt, ROW, Reads, Row, Totals, Words};
use super::{Check, Scope};
use crate::records::invocation::Invocation;
use crate::records::summary::shapes::{Meaning, Shape};
use crate::records::summary::{Says, dotnet, jvm, swift};

const fn called(programs: &'static [&'static str]) -> [Call; 1] {
    [Call { programs, subs: &[] }]
}

const HELP: (&str, Opt) = ("--help", Opt::Idle);
const H: (&str, Opt) = ("-h", Opt::Idle);
const VERSION: (&str, Opt) = ("--version", Opt::Idle);

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

const DOTNET_OPTIONS: &[(&str, Opt)] = &[
    ("--filter", Opt::NarrowBy),
    ("--treenode-filter", Opt::NarrowBy),
    ("--project", Opt::NarrowBy),
    ("-t", Opt::Idle),
    ("--list-tests", Opt::Idle),
    ("-c", Opt::Value),
    ("--configuration", Opt::Value),
    ("-f", Opt::Value),
    ("--framework", Opt::Value),
    ("-r", Opt::Value),
    ("--runtime", Opt::Value),
    ("-v", Opt::Value),
    ("--verbosity", Opt::Value),
    ("-l", Opt::Value),
    ("--logger", Opt::Value),
    ("-s", Opt::Value),
    ("--settings", Opt::Value),
    ("-o", Opt::Value),
    ("--output", Opt::Value),
    ("--collect", Opt::Value),
    ("--results-directory", Opt::Value),
    ("--include", Opt::NarrowBy),
    ("--exclude", Opt::Value),
    ("--severity", Opt::Value),
    H,
    HELP,
];

/// `rails test`, and `ruby -Itest test/a_test.rb`: one file of minitest's.
fn minitest(invocation: &Invocation, row: &Row) -> Option<Scope> {
    if invocation.program != "ruby" {
        let args: Vec<_> = invocation.args.iter().filter(|w| w.text != "test").collect();
        return Some(super::words::read(row, &args).scope());
    }
    let file = invocation.args.iter().find(|w| !w.text.starts_with('-') && w.text.ends_with(".rb"))?;
    let name = file.text.rsplit('/').next().unwrap_or_default();
    (name.ends_with("_test.rb") || name.starts_with("test_")).then(|| Scope::Filtered(file.text.clone()))
}

const PHPUNIT_OPTIONS: &[(&str, Opt)] = &[
    ("--filter", Opt::NarrowBy),
    ("--exclude-filter", Opt::NarrowBy),
    ("--group", Opt::NarrowBy),
    ("--exclude-group", Opt::NarrowBy),
    ("--testsuite", Opt::NarrowBy),
    ("--exclude-testsuite", Opt::NarrowBy),
    ("--dirty", Opt::Narrow),
    ("--retry", Opt::Narrow),
    ("--list-tests", Opt::Idle),
    ("--list-suites", Opt::Idle),
    ("--list-groups", Opt::Idle),
    H,
    HELP,
    VERSION,
    ("-c", Opt::Value),
    ("--configuration", Opt::Value),
    ("--bootstrap", Opt::Value),
    ("-d", Opt::Value),
    ("--log-junit", Opt::Value),
    ("--coverage-html", Opt::Value),
    ("--coverage-text", Opt::Value),
    ("--coverage-clover", Opt::Value),
    ("--order-by", Opt::Value),
    ("--colors", Opt::Value),
];

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
    Row {
        runner: "dotnet",
        calls: &[Call { programs: &["dotnet"], subs: &["test"] }],
        options: DOTNET_OPTIONS,
        after: After::Ignored,
        reads: Reads::By(dotnet::test),
        exits: &[(8, Exit::Nothing), (3, Exit::Stopped)],
        last_speaks: false,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "dotnet",
        check: Check::Build,
        calls: &[Call { programs: &["dotnet"], subs: &["build", "msbuild"] }],
        options: DOTNET_OPTIONS,
        words: Words::Ignored,
        reads: Reads::By(dotnet::build),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "dotnet",
        check: Check::Format,
        calls: &[Call { programs: &["dotnet"], subs: &["format"] }],
        options: DOTNET_OPTIONS,
        needs: &["--verify-no-changes"],
        reads: Reads::By(dotnet::format),
        exits: &[(2, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "swift-test",
        calls: &[Call { programs: &["swift"], subs: &["test"] }],
        options: &[
            ("--filter", Opt::NarrowBy),
            ("--skip", Opt::NarrowBy),
            ("-s", Opt::NarrowBy),
            ("--specifier", Opt::NarrowBy),
            ("--test-product", Opt::NarrowBy),
            ("-l", Opt::Idle),
            ("--list-tests", Opt::Idle),
            ("-c", Opt::Value),
            ("--configuration", Opt::Value),
            ("--package-path", Opt::Value),
            ("--scratch-path", Opt::Value),
            ("-j", Opt::Value),
            ("--jobs", Opt::Value),
            ("-Xswiftc", Opt::Value),
            ("-Xcc", Opt::Value),
            ("-Xlinker", Opt::Value),
            ("--num-workers", Opt::Value),
            ("--xunit-output", Opt::Value),
            H,
            HELP,
        ],
        reads: Reads::By(swift::test),
        last_speaks: false,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "swift-build",
        check: Check::Build,
        calls: &[Call { programs: &["swift"], subs: &["build"] }],
        options: &[
            ("-c", Opt::Value),
            ("--configuration", Opt::Value),
            ("--product", Opt::Value),
            ("--target", Opt::Value),
            H,
            HELP,
        ],
        words: Words::Ignored,
        reads: Reads::By(swift::build),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "rspec",
        calls: &called(&["rspec"]),
        options: &[
            ("-e", Opt::NarrowBy),
            ("--example", Opt::NarrowBy),
            ("-E", Opt::NarrowBy),
            ("--example-matches", Opt::NarrowBy),
            ("-t", Opt::NarrowBy),
            ("--tag", Opt::NarrowBy),
            ("-P", Opt::NarrowBy),
            ("--pattern", Opt::NarrowBy),
            ("--exclude-pattern", Opt::NarrowBy),
            ("--only-failures", Opt::Narrow),
            ("-n", Opt::Narrow),
            ("--next-failure", Opt::Narrow),
            ("--dry-run", Opt::Idle),
            ("--init", Opt::Idle),
            H,
            HELP,
            ("-v", Opt::Idle),
            VERSION,
            ("-f", Opt::Value),
            ("--format", Opt::Value),
            ("-o", Opt::Value),
            ("--out", Opt::Value),
            ("-r", Opt::Value),
            ("--require", Opt::Value),
            ("-I", Opt::Value),
            ("--seed", Opt::Value),
            ("--order", Opt::Value),
            ("--failure-exit-code", Opt::Value),
        ],
        reads: Reads::Shapes(&[
            Shape {
                says: Meaning::Total,
                pattern: r"^\d+ examples?, \d+ failures?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?$",
            },
            Shape { says: Meaning::Failing, pattern: r"^rspec (?P<name>\S+:\d+)" },
            Shape { says: Meaning::Says(Says::NotRun), pattern: r"^invalid option: " },
        ]),
        trailing: 400,
        ..ROW
    },
    Row {
        runner: "minitest",
        calls: &[Call { programs: &["rails", "rake"], subs: &["test"] }, Call { programs: &["m", "ruby"], subs: &[] }],
        own: Some(minitest),
        options: &[
            ("-n", Opt::NarrowBy),
            ("--name", Opt::NarrowBy),
            ("-e", Opt::Value),
            ("--seed", Opt::Value),
            H,
            HELP,
        ],
        reads: Reads::Shapes(MINITEST),
        trailing: 400,
        ..ROW
    },
    Row {
        runner: "phpunit",
        calls: &[Call { programs: &["phpunit", "simple-phpunit"], subs: &[] }],
        options: PHPUNIT_OPTIONS,
        reads: Reads::Shapes(PHPUNIT),
        ..ROW
    },
    Row {
        runner: "pest",
        calls: &[Call { programs: &["pest"], subs: &[] }, Call { programs: &["php"], subs: &["artisan test"] }],
        options: PHPUNIT_OPTIONS,
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Total, pattern: r"^  Tests: +\d+ \w+(?:, \d+ \w+)* \(\d+ assertions?\)$" },
            Shape { says: Meaning::Says(Says::Nothing), pattern: r"^  (?:INFO  )?No tests (?:found|executed)[.!]" },
        ]),
        ..ROW
    },
];

const MINITEST: &[Shape] = &[
    Shape {
        says: Meaning::Total,
        pattern: r"^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ (?:skips|pendings, \d+ omissions, \d+ notifications)$",
    },
    Shape { says: Meaning::Failing, pattern: r"^(?:bin/)?rails test (?P<name>\S+:\d+)$" },
    Shape { says: Meaning::Failing, pattern: r"^(?P<name>[A-Z]\w*(?:::\w+)*#test_\w+) \[" },
];

const PHPUNIT: &[Shape] = &[
    Shape { says: Meaning::Total, pattern: r"^OK \(\d+ tests?, \d+ assertions?\)$" },
    // `OK, but …` and `FAILURES!` both go on with numbers.
    Shape { says: Meaning::Labels, pattern: r"^Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]*: \d+)*\.$" },
    Shape { says: Meaning::Says(Says::Nothing), pattern: r"^No tests executed!$" },
    Shape {
        says: Meaning::Says(Says::NotRun),
        pattern: r"^(?:Could not open input file: |Cannot open file |Unknown option )",
    },
    Shape { says: Meaning::Failing, pattern: r"^\d+\) (?P<name>[\w\\]+::\w+)" },
];
