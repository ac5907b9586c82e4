//! Which commands are checks, as a table: how each tool is called, what narrows it, how it closes, what its status means.
//!
//! Architecture invariant: rows are data. A tool is added by one row in the file of its language and one fixture.

mod golang;
mod javascript;
mod jvm;
pub mod names;
mod native;
mod platforms;
mod python;
mod python_lint;
pub mod row;
mod rust;
mod scripts;
mod webtools;
mod words;

pub(super) use scripts::script_name;

use crate::records::invocation::{Invocation, Word};
use row::{Mark, Row};

/// What a run is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    Tests,
    Lint,
    Typecheck,
    Format,
    Build,
}

impl Check {
    pub fn as_str(self) -> &'static str {
        match self {
            Check::Tests => "tests",
            Check::Lint => "lint",
            Check::Typecheck => "typecheck",
            Check::Format => "format",
            Check::Build => "build",
        }
    }
}

/// An invocation that is a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// As the folder of its fixtures is named: `cargo-test`, `nextest`, `pytest`.
    pub runner: &'static str,
    pub check: Check,
    pub scope: Scope,
}

/// How much it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    Full,
    /// What it was narrowed to, as typed.
    Filtered(String),
    /// By what: `--collect-only`, `--list`, `--help`, `--watch`.
    ChecksNothing(&'static str),
}

/// The checks that an invocation is: none for most commands, two for one that builds and tests.
pub fn recognise(invocation: &Invocation) -> Vec<Recognised> {
    find(invocation)
        .into_iter()
        .map(|found| Recognised { runner: found.row.runner, check: found.row.check, scope: found.scope })
        .collect()
}

/// The names of all programs of the table, for a cheap look at whether a command line can hold a check. Some stand in it
/// more than once.
pub fn programs() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|row| row.calls.iter()).flat_map(|call| call.programs.iter().copied())
}

/// The names of the tools that do a kind of check. Some stand in it more than once.
pub fn runners(check: Check) -> impl Iterator<Item = &'static str> {
    rows().filter(move |row| row.check == check).map(|row| row.runner)
}

/// A row that an invocation matches.
pub(super) struct Found {
    pub row: &'static Row,
    pub scope: Scope,
    pub marks: Vec<Mark>,
}

static TABLE: &[&[Row]] = &[
    rust::ROWS,
    python::ROWS,
    python_lint::ROWS,
    javascript::ROWS,
    webtools::ROWS,
    golang::ROWS,
    native::ROWS,
    jvm::ROWS,
    platforms::ROWS,
    scripts::ROWS,
];

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().flat_map(|rows| rows.iter())
}

/// The rows that an invocation matches.
pub(super) fn find(invocation: &Invocation) -> Vec<Found> {
    let inner = delegated(invocation);
    let invocation = inner.as_ref().unwrap_or(invocation);
    let args = with_environment(invocation);
    rows().filter_map(|row| matched(row, invocation, &args)).collect()
}

fn matched(row: &'static Row, invocation: &Invocation, args: &[Word]) -> Option<Found> {
    let after = row.calls.iter().find_map(|call| words::after_call(call, row, &invocation.program, args))?;
    let read = words::read(row, &after);
    if !read.met {
        return None;
    }
    let scope = match row.own {
        Some(own) => own(invocation, row)?,
        None => read.scope(),
    };
    Some(Found { row, scope, marks: read.marks })
}

/// `PYTEST_ADDOPTS` holds options as the command line does.
fn with_environment(invocation: &Invocation) -> Vec<Word> {
    let mut args = invocation.args.clone();
    if matches!(invocation.program.as_str(), "pytest" | "py.test")
        && let Some((_, options)) = invocation.env.iter().find(|(name, _)| name == "PYTEST_ADDOPTS")
    {
        args.extend(options.text.split_whitespace().map(|text| Word { text: text.to_owned(), literal: true }));
    }
    args
}

/// Commands that only start another: `bundle exec rspec`, `yarn jest`, `python -m pytest`.
fn delegated(invocation: &Invocation) -> Option<Invocation> {
    let word = |n: usize| invocation.args.get(n).filter(|w| w.literal).map(|w| w.text.as_str());
    let skip = match (invocation.program.as_str(), word(0)?) {
        ("bundle" | "composer", "exec") if word(1).is_some_and(|w| !w.starts_with('-')) => 1,
        (python, "-m") if python.starts_with("python") => 1,
        ("yarn" | "pnpm" | "bun", tool) if scripts::is_tool(tool) => 0,
        _ => return None,
    };
    let program = word(skip)?.rsplit('/').next().unwrap_or_default().to_owned();
    let mut inner = invocation.clone();
    inner.via.push(invocation.program.clone());
    inner.args.drain(..=skip);
    inner.program = program;
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::row::Reads;
    use super::*;
    use crate::records::summary::shapes;

    #[test]
    fn every_pattern_is_one() {
        for row in rows() {
            if let Reads::Shapes(list) = row.reads {
                assert!(!list.is_empty(), "{} closes somehow", row.runner);
                assert!(list.iter().all(|s| shapes::is_valid(s.pattern)), "{}", row.runner);
            }
        }
    }

    #[test]
    fn no_two_rows_are_of_one_name_and_check() {
        let mut seen = std::collections::HashSet::new();
        for row in rows() {
            assert!(seen.insert((row.runner, row.check)), "{} {:?}", row.runner, row.check);
            assert!(!row.calls.is_empty(), "{}", row.runner);
        }
    }
}
