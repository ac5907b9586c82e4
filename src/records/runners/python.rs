//! Python: pytest, unittest, and the checkers.

use super::row::{Call, Exit, HELP, Mark, Opt, ROW, Reads, Row, Totals, VERSION, Words, called};
use super::{Check, Scope};
use crate::records::invocation::Invocation;
use crate::records::summary::shapes::{Meaning, Shape};
use crate::records::summary::{Says, lint, python};

/// `python manage.py test`, `./manage.py test`: Django's, with unittest's shapes. A label narrows.
fn django(invocation: &Invocation, _: &Row) -> Option<Scope> {
    let words: Vec<&str> = invocation.args.iter().map(|w| w.text.as_str()).collect();
    let rest = match words.as_slice() {
        [script, "test", rest @ ..] if script.ends_with("manage.py") => rest,
        ["test", rest @ ..] if invocation.program == "manage.py" => rest,
        _ => return None,
    };
    let value =
        |n: usize| n > 0 && ["-k", "--tag", "--exclude-tag", "-t", "-p", "--settings", "-v"].contains(&rest[n - 1]);
    let narrows: Vec<&str> = rest
        .iter()
        .enumerate()
        .filter(|(n, w)| match **w {
            "-k" | "--tag" | "--exclude-tag" | "-t" => true,
            word => !word.starts_with('-') && !value(*n),
        })
        .map(|(_, w)| *w)
        .collect();
    Some(if narrows.is_empty() { Scope::Full } else { Scope::Filtered(narrows.join(" ")) })
}

/// `pytest -o addopts='-k one'` narrows as `-k one` does.
fn pytest(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let args: Vec<_> = invocation.args.iter().collect();
    let mut read = super::words::read(row, &args);
    let narrows =
        |options: &str| ["-k", "-m", "--deselect", "--ignore", "--lf", "::"].iter().any(|one| options.contains(one));
    let set = args.iter().filter_map(|word| word.text.split_once("addopts=")).map(|(_, options)| options);
    read.narrows.extend(set.filter(|options| narrows(options)).map(|options| format!("addopts={options}")));
    Some(read.scope())
}

/// `python -m unittest discover -s tests -p 'test_*.py'`: a pattern with a wildcard names the kind of file, no part.
fn unittest(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let args: Vec<_> = invocation.args.iter().filter(|w| w.text != "discover").collect();
    let mut read = super::words::read(row, &args);
    read.narrows.retain(|n| !(n.starts_with("-p") || n.starts_with("--pattern")) || !n.contains('*'));
    Some(read.scope())
}

pub const ROWS: &[Row] = &[
    Row {
        runner: "pytest",
        calls: &called(&["pytest", "py.test"]),
        own: Some(pytest),
        options: &[
            ("-k", Opt::NarrowBy),
            ("-m", Opt::NarrowBy),
            ("--lf", Opt::Narrow),
            ("--last-failed", Opt::Narrow),
            ("--sw", Opt::Narrow),
            ("--stepwise", Opt::Narrow),
            ("--deselect", Opt::NarrowBy),
            ("--ignore", Opt::NarrowBy),
            ("--ignore-glob", Opt::NarrowBy),
            ("--pyargs", Opt::Narrow),
            ("--testmon", Opt::Narrow),
            ("--picked", Opt::Narrow),
            ("--splits", Opt::NarrowBy),
            ("--group", Opt::NarrowBy),
            ("--shard-id", Opt::NarrowBy),
            ("--num-shards", Opt::Value),
            ("--collect-only", Opt::Idle),
            ("--co", Opt::Idle),
            ("--fixtures", Opt::Idle),
            ("--markers", Opt::Idle),
            ("--setup-plan", Opt::Idle),
            ("--cache-show", Opt::Idle),
            ("-h", Opt::Idle),
            HELP,
            ("-V", Opt::Idle),
            VERSION,
            ("-n", Opt::Value),
            ("--numprocesses", Opt::Value),
            ("--dist", Opt::Value),
            ("--maxfail", Opt::Value),
            ("--tb", Opt::Value),
            ("-p", Opt::Value),
            ("-c", Opt::Value),
            ("-o", Opt::Value),
            ("-W", Opt::Value),
            ("-r", Opt::Value),
            ("--rootdir", Opt::Value),
            ("--confcutdir", Opt::Value),
            ("--basetemp", Opt::Value),
            ("--durations", Opt::Value),
            ("--junitxml", Opt::Value),
            ("--junit-xml", Opt::Value),
            ("--cov-report", Opt::Value),
            ("--cov-config", Opt::Value),
            ("--cov-fail-under", Opt::Value),
            ("--timeout", Opt::Value),
            ("--import-mode", Opt::Value),
            ("--log-level", Opt::Value),
            ("--log-cli-level", Opt::Value),
            ("--color", Opt::Value),
            ("--seed", Opt::Value),
            ("--reruns", Opt::Value),
            ("--count", Opt::Value),
        ],
        reads: Reads::By(python::pytest),
        exits: &[(1, Exit::Failed), (3, Exit::Stopped), (4, Exit::Nothing), (5, Exit::Nothing)],
        ..ROW
    },
    Row {
        runner: "unittest",
        calls: &called(&["unittest"]),
        own: Some(unittest),
        options: &[
            ("-k", Opt::NarrowBy),
            ("-s", Opt::NarrowBy),
            ("--start-directory", Opt::NarrowBy),
            ("-p", Opt::NarrowBy),
            ("--pattern", Opt::NarrowBy),
            ("-t", Opt::Value),
            ("--top-level-directory", Opt::Value),
            ("--durations", Opt::Value),
            ("-h", Opt::Idle),
            HELP,
        ],
        reads: Reads::By(python::unittest),
        exits: &[(5, Exit::Nothing)],
        ..ROW
    },
    Row {
        runner: "django",
        calls: &called(&["python", "python3", "manage.py"]),
        own: Some(django),
        words: Words::Ignored,
        reads: Reads::By(python::unittest),
        ..ROW
    },
    Row {
        runner: "ruff",
        check: Check::Lint,
        calls: &[Call { programs: &["ruff"], subs: &["check"] }],
        options: &[
            ("--select", Opt::NarrowBy),
            ("--ignore", Opt::NarrowBy),
            ("--exclude", Opt::NarrowBy),
            ("--extend-select", Opt::Value),
            ("--config", Opt::Value),
            ("--target-version", Opt::Value),
            ("--line-length", Opt::Value),
            ("--cache-dir", Opt::Value),
            ("--stdin-filename", Opt::Value),
            ("--output-format", Opt::Value),
            ("-o", Opt::Value),
            ("--output-file", Opt::Value),
            ("-e", Opt::Mark(Mark::ExitZero)),
            ("--exit-zero", Opt::Mark(Mark::ExitZero)),
            ("--show-files", Opt::Idle),
            ("--show-settings", Opt::Idle),
            ("-w", Opt::Idle),
            ("--watch", Opt::Idle),
            ("-h", Opt::Idle),
            HELP,
        ],
        reads: Reads::By(lint::ruff),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped)],
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "ruff-format",
        check: Check::Format,
        calls: &[Call { programs: &["ruff"], subs: &["format"] }],
        options: &[
            ("--config", Opt::Value),
            ("--exclude", Opt::NarrowBy),
            ("--line-length", Opt::Value),
            ("--target-version", Opt::Value),
            ("--cache-dir", Opt::Value),
            ("-h", Opt::Idle),
            HELP,
        ],
        needs: &["--check", "--diff"],
        reads: Reads::By(lint::ruff_format),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped)],
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "mypy",
        check: Check::Typecheck,
        calls: &called(&["mypy", "dmypy"]),
        options: &[
            ("-m", Opt::NarrowBy),
            ("--module", Opt::NarrowBy),
            ("-p", Opt::NarrowBy),
            ("--package", Opt::NarrowBy),
            ("-c", Opt::NarrowBy),
            ("--exclude", Opt::Value),
            ("--config-file", Opt::Value),
            ("--python-version", Opt::Value),
            ("--platform", Opt::Value),
            ("--python-executable", Opt::Value),
            ("--cache-dir", Opt::Value),
            ("--follow-imports", Opt::Value),
            ("--disable-error-code", Opt::Value),
            ("--enable-error-code", Opt::Value),
            ("-h", Opt::Idle),
            HELP,
            ("-V", Opt::Idle),
            VERSION,
        ],
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Says(Says::Pass), pattern: r"^Success: no issues found in [1-9]\d* source files?$" },
            Shape {
                says: Meaning::Says(Says::Fail),
                pattern: r"^Found \d+ errors? in \d+ files? \(checked \d+ source files?\)$",
            },
            Shape {
                says: Meaning::Says(Says::Unsure),
                pattern: r"^Found \d+ errors? in \d+ files? \(errors prevented further checking\)$",
            },
            Shape {
                says: Meaning::Says(Says::NotRun),
                pattern: r"^(?:mypy: (?:error|can't read file)|There are no \.py\[i\] files in directory|usage: mypy )",
            },
        ]),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped)],
        ..ROW
    },
    Row {
        runner: "pyright",
        check: Check::Typecheck,
        calls: &called(&["pyright", "basedpyright"]),
        options: &[
            ("-p", Opt::NarrowBy),
            ("--project", Opt::NarrowBy),
            ("--pythonversion", Opt::Value),
            ("--pythonplatform", Opt::Value),
            ("--pythonpath", Opt::Value),
            ("--level", Opt::Value),
            ("-v", Opt::Value),
            ("--venvpath", Opt::Value),
            ("-t", Opt::Value),
            ("--createstub", Opt::Idle),
            ("--verifytypes", Opt::NarrowBy),
            ("-w", Opt::Idle),
            ("--watch", Opt::Idle),
            ("-h", Opt::Idle),
            HELP,
            VERSION,
        ],
        reads: Reads::By(lint::pyright),
        exits: &[(1, Exit::Failed), (2, Exit::Stopped), (3, Exit::Stopped), (4, Exit::Nothing)],
        ..ROW
    },
    Row {
        runner: "black",
        check: Check::Format,
        calls: &called(&["black"]),
        options: &[
            ("-l", Opt::Value),
            ("--line-length", Opt::Value),
            ("-t", Opt::Value),
            ("--target-version", Opt::Value),
            ("--config", Opt::Value),
            ("--include", Opt::NarrowBy),
            ("--exclude", Opt::Value),
            ("--extend-exclude", Opt::Value),
            ("--force-exclude", Opt::Value),
            ("-h", Opt::Idle),
            HELP,
            VERSION,
        ],
        needs: &["--check"],
        reads: Reads::Shapes(&[
            Shape { says: Meaning::Says(Says::Pass), pattern: r"^\d+ files? would be left unchanged\.$" },
            Shape { says: Meaning::Says(Says::Fail), pattern: r"^\d+ files? would be reformatted[,.]" },
            Shape {
                says: Meaning::Says(Says::Unsure),
                pattern: r"^(?:\d+ files? .*, )?\d+ files? would fail to reformat\.$",
            },
            Shape {
                says: Meaning::Says(Says::Nothing),
                pattern: r"^No (?:Python files are present to be formatted|Path provided)\. Nothing to do",
            },
        ]),
        exits: &[(1, Exit::Failed), (123, Exit::Stopped)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
    Row {
        runner: "isort",
        check: Check::Format,
        calls: &called(&["isort"]),
        options: &[
            ("--profile", Opt::Value),
            ("-l", Opt::Value),
            ("--line-length", Opt::Value),
            ("--settings-path", Opt::Value),
            ("--sp", Opt::Value),
            ("--skip", Opt::Value),
            ("-s", Opt::Value),
            ("-h", Opt::Idle),
            HELP,
            VERSION,
        ],
        needs: &["--check", "--check-only", "-c"],
        reads: Reads::Shapes(&[
            Shape {
                says: Meaning::Says(Says::Fail),
                pattern: r"^ERROR: \S.* Imports are incorrectly sorted and/or formatted\.$",
            },
            Shape {
                says: Meaning::Says(Says::NotRun),
                pattern: r"^(?:Broken \d+ paths?|Error: arguments passed in without paths)",
            },
        ]),
        exits: &[(1, Exit::Failed)],
        silent: true,
        totals: Totals::Sum,
        ..ROW
    },
];
