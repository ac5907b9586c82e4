//! Go.

use super::Check;
use super::row::{After, Call, Exit, Mark, Opt, ROW, Reads, Row, Totals};
use crate::records::summary::shapes::{Meaning, Shape};
use crate::records::summary::{Says, go};

/// Go's options are taken with one dash or two.
macro_rules! dashed {
    ($(($name:literal, $opt:expr)),* $(,)?) => {
        &[$((concat!("-", $name), $opt), (concat!("--", $name), $opt)),*]
    };
}

const TEST: &[(&str, Opt)] = dashed![
    ("run", Opt::NarrowBy),
    ("skip", Opt::NarrowBy),
    ("fuzz", Opt::NarrowBy),
    ("list", Opt::Idle),
    ("c", Opt::Idle),
    ("n", Opt::Idle),
    ("h", Opt::Idle),
    ("help", Opt::Idle),
    ("json", Opt::Mark(Mark::Reshaped)),
    ("bench", Opt::Value),
    ("benchtime", Opt::Value),
    ("count", Opt::Value),
    ("timeout", Opt::Value),
    ("parallel", Opt::Value),
    ("cpu", Opt::Value),
    ("coverprofile", Opt::Value),
    ("covermode", Opt::Value),
    ("coverpkg", Opt::Value),
    ("cpuprofile", Opt::Value),
    ("memprofile", Opt::Value),
    ("blockprofile", Opt::Value),
    ("trace", Opt::Value),
    ("outputdir", Opt::Value),
    ("shuffle", Opt::Value),
    ("vet", Opt::Value),
    ("tags", Opt::Value),
    ("p", Opt::Value),
    ("mod", Opt::Value),
    ("modfile", Opt::Value),
    ("o", Opt::Value),
    ("exec", Opt::Value),
    ("ldflags", Opt::Value),
    ("gcflags", Opt::Value),
    ("asmflags", Opt::Value),
    ("toolexec", Opt::Value),
    ("overlay", Opt::Value),
    ("fuzztime", Opt::Value),
    ("C", Opt::Value),
];

pub const ROWS: &[Row] = &[
    Row {
        runner: "go-test",
        calls: &[Call { programs: &["go"], subs: &["test"] }],
        options: TEST,
        reads: Reads::By(go::test),
        // A package without tests that does not compile is named above, and older versions do not end with `FAIL` then.
        last_speaks: false,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "gotestsum",
        calls: &[Call { programs: &["gotestsum"], subs: &[] }],
        options: &[
            ("-f", Opt::Value),
            ("--format", Opt::Value),
            ("--junitfile", Opt::Value),
            ("--jsonfile", Opt::Value),
            ("--packages", Opt::NarrowBy),
            ("--rerun-fails", Opt::Value),
            ("--watch", Opt::Idle),
            ("-h", Opt::Idle),
            ("--help", Opt::Idle),
            ("--version", Opt::Idle),
        ],
        after: After::Options(TEST),
        reads: Reads::By(go::gotestsum),
        ..ROW
    },
    Row {
        runner: "go-vet",
        check: Check::Lint,
        calls: &[Call { programs: &["go"], subs: &["vet"] }],
        options: TEST,
        reads: Reads::By(go::build),
        exits: &[(1, Exit::Failed), (2, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "go-build",
        check: Check::Build,
        calls: &[Call { programs: &["go"], subs: &["build"] }],
        options: TEST,
        reads: Reads::By(go::build),
        exits: &[(1, Exit::Failed), (2, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "gofmt",
        check: Check::Format,
        calls: &[Call { programs: &["gofmt", "goimports"], subs: &[] }],
        options: &[("-r", Opt::Value), ("-local", Opt::Value), ("-w", Opt::Idle), ("-h", Opt::Idle)],
        needs: &["-l", "-d"],
        reads: Reads::By(go::fmt),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped)],
        silent: true,
        zero_on_problems: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "golangci-lint",
        check: Check::Lint,
        calls: &[Call { programs: &["golangci-lint"], subs: &["run"] }],
        options: &[
            ("-c", Opt::Value),
            ("--config", Opt::Value),
            ("-E", Opt::Value),
            ("--enable", Opt::Value),
            ("-D", Opt::NarrowBy),
            ("--disable", Opt::NarrowBy),
            ("--enable-only", Opt::NarrowBy),
            ("-j", Opt::Value),
            ("--timeout", Opt::Value),
            ("--build-tags", Opt::Value),
            ("--out-format", Opt::Value),
            ("--new", Opt::Narrow),
            ("-n", Opt::Narrow),
            ("--new-from-rev", Opt::NarrowBy),
            ("--new-from-merge-base", Opt::NarrowBy),
            ("--new-from-patch", Opt::NarrowBy),
            ("--issues-exit-code", Opt::MarkBy(Mark::ExitZero)),
            ("-h", Opt::Idle),
            ("--help", Opt::Idle),
        ],
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Says(Says::Pass), pattern: r"^0 issues\.$" },
            Shape { says: Meaning::Says(Says::Fail), pattern: r"^[1-9]\d* issues:$" },
            Shape { says: Meaning::Says(Says::Fail), pattern: r"^\S+\.go:\d+(?::\d+)?: .* \([a-z0-9,]+\)$" },
            Shape { says: Meaning::Says(Says::NotRun), pattern: r"^(?:level=error|ERRO |Error: )" },
        ]),
        exits: &[(1, Exit::Failed), (3, Exit::Stopped), (4, Exit::Stopped), (5, Exit::Nothing), (7, Exit::Stopped)],
        silent: true,
        zero_on_problems: true,
        totals: Totals::Sum,
        ..ROW
    },
];
