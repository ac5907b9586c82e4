//! Python's linters that are no runner of anything else.

use super::Check;
use super::row::{Exit, HELP, Mark, Opt, ROW, Reads, Row, Totals, VERSION, called};
use crate::records::summary::shapes::{Meaning, Shape};
use crate::records::summary::{Says, lint};

pub const ROWS: &[Row] = &[
    Row {
        runner: "flake8",
        check: Check::Lint,
        calls: &called(&["flake8"]),
        options: &[
            ("--select", Opt::NarrowBy),
            ("--ignore", Opt::Value),
            ("--extend-ignore", Opt::Value),
            ("--exclude", Opt::Value),
            ("--config", Opt::Value),
            ("--max-line-length", Opt::Value),
            ("--max-complexity", Opt::Value),
            ("--exit-zero", Opt::Mark(Mark::ExitZero)),
            ("-h", Opt::Idle),
            HELP,
            VERSION,
        ],
        reads: Reads::By(lint::flake8),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "pylint",
        check: Check::Lint,
        calls: &called(&["pylint"]),
        options: &[
            ("--disable", Opt::NarrowBy),
            ("-d", Opt::NarrowBy),
            ("--enable", Opt::Value),
            ("-e", Opt::Value),
            ("-E", Opt::Narrow),
            ("--errors-only", Opt::Narrow),
            ("--ignore", Opt::NarrowBy),
            ("--ignore-paths", Opt::NarrowBy),
            ("--ignore-patterns", Opt::NarrowBy),
            ("--rcfile", Opt::Value),
            ("-j", Opt::Value),
            ("--jobs", Opt::Value),
            ("-f", Opt::Value),
            ("--output-format", Opt::Value),
            ("-r", Opt::Value),
            ("--reports", Opt::Value),
            ("-s", Opt::Value),
            ("--score", Opt::Value),
            ("--load-plugins", Opt::Value),
            ("--max-line-length", Opt::Value),
            ("--fail-under", Opt::MarkBy(Mark::ExitZero)),
            ("--fail-on", Opt::MarkBy(Mark::ExitZero)),
            ("--exit-zero", Opt::Mark(Mark::ExitZero)),
            ("--list-msgs", Opt::Idle),
            ("--help-msg", Opt::Idle),
            ("--generate-rcfile", Opt::Idle),
            ("-h", Opt::Idle),
            HELP,
            VERSION,
        ],
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Says(Says::Pass), pattern: r"^Your code has been rated at 10\.00/10" },
            Shape { says: Meaning::Says(Says::Fail), pattern: r"^\S.*:\d+:\d+: [CEWR]\d{4}: " },
            Shape {
                says: Meaning::Says(Says::NotRun),
                pattern: r"^\S.*:\d+:\d+: F\d{4}: |^No files to lint: exiting\.",
            },
        ]),
        // The kinds of messages that there were, added up; 1 and 32: it broke off, it was called wrongly.
        exits: &[
            (1, Exit::Stopped),
            (2, Exit::Failed),
            (4, Exit::Failed),
            (6, Exit::Failed),
            (8, Exit::Failed),
            (10, Exit::Failed),
            (12, Exit::Failed),
            (14, Exit::Failed),
            (16, Exit::Failed),
            (18, Exit::Failed),
            (20, Exit::Failed),
            (22, Exit::Failed),
            (24, Exit::Failed),
            (26, Exit::Failed),
            (28, Exit::Failed),
            (30, Exit::Failed),
            (32, Exit::Nothing),
        ],
        ..ROW
    },
];
