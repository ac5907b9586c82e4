//! Rust: cargo's own commands and nextest.

use super::Check;
use super::row::{After, Call, Exit, Mark, Opt, ROW, Reads, Row, Totals, Words};
use crate::records::summary::cargo;

const fn cargo(subs: &'static [&'static str]) -> [Call; 1] {
    [Call { programs: &["cargo"], subs }]
}

/// Options that every command of cargo's takes.
macro_rules! cargo_options {
    ($($more:expr),* $(,)?) => {
        &[
            ("-C", Opt::Value), ("--config", Opt::Value), ("-Z", Opt::Value), ("--color", Opt::Value),
            ("--manifest-path", Opt::NarrowBy), ("--target-dir", Opt::Value), ("--target", Opt::Value),
            ("--profile", Opt::Value), ("-j", Opt::Value), ("--jobs", Opt::Value), ("--message-format", Opt::MarkBy(Mark::Reshaped)),
            ("-F", Opt::Value), ("--features", Opt::Value), ("--lockfile-path", Opt::Value),
            ("-h", Opt::Idle), ("--help", Opt::Idle), ("-V", Opt::Idle), ("--version", Opt::Idle),
            ("-p", Opt::NarrowBy), ("--package", Opt::NarrowBy), ("--exclude", Opt::NarrowBy),
            ("--lib", Opt::Narrow), ("--bins", Opt::Narrow), ("--bin", Opt::NarrowBy), ("--tests", Opt::Narrow),
            ("--test", Opt::NarrowBy), ("--examples", Opt::Narrow), ("--example", Opt::NarrowBy),
            ("--benches", Opt::Narrow), ("--bench", Opt::NarrowBy), ("--doc", Opt::Narrow),
            $($more),*
        ]
    };
}

/// What libtest takes.
const LIBTEST: &[(&str, Opt)] = &[
    ("--skip", Opt::NarrowBy),
    ("--ignored", Opt::Narrow),
    ("--test", Opt::Narrow),
    ("--bench", Opt::Narrow),
    ("--test-threads", Opt::Value),
    ("--color", Opt::Value),
    ("--logfile", Opt::Value),
    ("--format", Opt::MarkBy(Mark::Reshaped)),
    ("--shuffle-seed", Opt::Value),
    ("-Z", Opt::Value),
    ("--list", Opt::Idle),
    ("--help", Opt::Idle),
    ("-h", Opt::Idle),
];

const LINT_LEVELS: &[(&str, Opt)] = &[
    ("-D", Opt::MarkBy(Mark::Strict)),
    ("--deny", Opt::MarkBy(Mark::Strict)),
    ("-F", Opt::MarkBy(Mark::Strict)),
    ("--forbid", Opt::MarkBy(Mark::Strict)),
    ("-W", Opt::Value),
    ("--warn", Opt::Value),
    ("-A", Opt::Value),
    ("--allow", Opt::Value),
];

pub const ROWS: &[Row] = &[
    Row {
        runner: "cargo-test",
        calls: &cargo(&["test", "t"]),
        options: cargo_options![("--no-run", Opt::Idle), ("--no-fail-fast", Opt::Mark(Mark::NoFailFast))],
        after: After::Options(LIBTEST),
        words: Words::Names,
        reads: Reads::By(cargo::test),
        exits: &[(101, Exit::Failed)],
        totals: Totals::Sum,
        trailing: usize::MAX,
        ..ROW
    },
    Row {
        runner: "nextest",
        calls: &cargo(&["nextest run", "nextest r"]),
        options: cargo_options![
            ("--no-run", Opt::Idle),
            ("-E", Opt::NarrowBy),
            ("--filterset", Opt::NarrowBy),
            ("--filter-expr", Opt::NarrowBy),
            ("--partition", Opt::NarrowBy),
            ("--shard", Opt::NarrowBy),
            ("-P", Opt::Value),
            ("--cargo-profile", Opt::Value),
            ("--run-ignored", Opt::Value),
            ("--retries", Opt::Value),
            ("--test-threads", Opt::Value),
            ("--no-tests", Opt::Value),
            ("--max-fail", Opt::Value),
            ("--failure-output", Opt::Value),
            ("--success-output", Opt::Value),
            ("--status-level", Opt::Value),
            ("--final-status-level", Opt::Value),
            ("--show-progress", Opt::Value),
            ("--config-file", Opt::Value),
            ("--tool-config-file", Opt::Value),
            ("--archive-file", Opt::Value),
            ("--workspace-remap", Opt::Value),
        ],
        after: After::Options(LIBTEST),
        words: Words::Names,
        reads: Reads::By(cargo::nextest),
        exits: &[(4, Exit::Nothing), (100, Exit::Failed)],
        trailing: 400,
        ..ROW
    },
    Row {
        runner: "clippy",
        check: Check::Lint,
        calls: &cargo(&["clippy"]),
        options: cargo_options![],
        after: After::Options(LINT_LEVELS),
        words: Words::Ignored,
        reads: Reads::By(cargo::clippy),
        exits: &[(101, Exit::Failed)],
        silent: true,
        zero_on_problems: true,
        last_speaks: false,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "cargo-build",
        check: Check::Build,
        calls: &cargo(&["build", "b"]),
        options: cargo_options![],
        words: Words::Ignored,
        reads: Reads::By(cargo::build),
        exits: &[(101, Exit::Failed)],
        silent: true,
        ..ROW
    },
    Row {
        runner: "cargo-check",
        check: Check::Build,
        calls: &cargo(&["check", "c"]),
        options: cargo_options![],
        words: Words::Ignored,
        reads: Reads::By(cargo::build),
        exits: &[(101, Exit::Failed)],
        silent: true,
        ..ROW
    },
    // `cargo fmt` without --check writes: that is a deed, no check.
    Row {
        runner: "cargo-fmt",
        check: Check::Format,
        calls: &cargo(&["fmt"]),
        options: cargo_options![],
        after: After::Ignored,
        words: Words::Ignored,
        needs: &["--check"],
        reads: Reads::By(cargo::fmt),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "rustfmt",
        check: Check::Format,
        calls: &[Call { programs: &["rustfmt"], subs: &[] }],
        options: &[
            ("--config", Opt::Value),
            ("--config-path", Opt::Value),
            ("--edition", Opt::Value),
            ("--style-edition", Opt::Value),
            ("--color", Opt::Value),
            ("-h", Opt::Idle),
            ("--help", Opt::Idle),
            ("-V", Opt::Idle),
            ("--version", Opt::Idle),
        ],
        needs: &["--check"],
        reads: Reads::By(cargo::fmt),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
];
