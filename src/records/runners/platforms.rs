//! .NET, Swift, Ruby and PHP.

use super::row::{After, Call, Exit, H, HELP, Mark, Opt, ROW, Reads, Row, Totals, VERSION, Words, called};
use super::{Check, Scope};
use crate::records::invocation::Invocation;
use crate::records::summary::shapes::{Meaning, Shape};
use crate::records::summary::{Says, dotnet, php, swift};

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
        runner: "rubocop",
        check: Check::Lint,
        calls: &called(&["rubocop"]),
        options: &[
            ("--only", Opt::NarrowBy),
            ("--except", Opt::NarrowBy),
            ("-l", Opt::Narrow),
            ("--lint", Opt::Narrow),
            ("-x", Opt::Narrow),
            ("--fix-layout", Opt::Narrow),
            ("--fail-level", Opt::MarkBy(Mark::ExitZero)),
            ("-L", Opt::Idle),
            ("--list-target-files", Opt::Idle),
            ("--auto-gen-config", Opt::Idle),
            ("--show-cops", Opt::Idle),
            ("--init", Opt::Idle),
            H,
            HELP,
            ("-v", Opt::Idle),
            ("-V", Opt::Idle),
            VERSION,
            ("-c", Opt::Value),
            ("--config", Opt::Value),
            ("-f", Opt::Value),
            ("--format", Opt::Value),
            ("-o", Opt::Value),
            ("--out", Opt::Value),
            ("-r", Opt::Value),
            ("--require", Opt::Value),
        ],
        // What it corrected is no offense any more, and its line says so at the end.
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Says(Says::Pass), pattern: r"^[1-9]\d* files? inspected, no offenses detected$" },
            Shape {
                says: Meaning::Says(Says::Fail),
                pattern: r"^\d+ files? inspected, \d+ offenses? detected(?:, \d+ offenses? auto-?correctable)?$",
            },
            Shape { says: Meaning::Says(Says::Nothing), pattern: r"^0 files inspected, no offenses detected$" },
            Shape { says: Meaning::Says(Says::NotRun), pattern: r"^Error: " },
        ]),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped)],
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
        reads: Reads::By(php::phpunit),
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
    Shape { says: Meaning::Failing, pattern: r"^(?P<name>[A-Z]\w*(?:::\w+)*#test_\w+)(?: \[|:$)" },
];
