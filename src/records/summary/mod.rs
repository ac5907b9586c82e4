//! What a run's output says about the run: the runner's own closing lines, found at line starts, and the signs that it
//! never got to any check.
//!
//! A reader reports what it found and where; what that proves, given whose status is known and how much of the output is
//! in view, is [`super::outcome`]'s to say.
//!
//! Architecture invariant: a reader knows nothing of exit codes or of the command line.

pub mod cargo;
pub mod clean;
pub mod counts;
pub mod dotnet;
pub mod environment;
pub mod go;
pub mod jvm;
pub mod lint;
pub mod node;
pub mod php;
pub mod python;
pub mod shapes;
pub mod swift;
pub mod tap;
pub mod warnings;

pub use clean::{Line, Text};
pub use counts::Counts;

/// What one place of the output says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// A closing total: at least one test ran and none failed; or, of a linter, clean.
    Pass,
    /// A closing total with failures; or, of a linter, problems.
    Fail,
    /// It did not compile, or the tests could not be collected: a failure, too.
    Broke,
    /// A sign of failure that is no closing total: it counts beside a status that is not 0, and forbids a pass.
    Hint,
    /// It ran, and no test was run or no file checked.
    Nothing,
    /// It never got to a check: wrong usage, no manifest, not installed.
    NotRun,
    /// Something that forbids a pass and shows no failure: interrupted, errors ignored.
    Unsure,
    /// The lines contradict each other, as where a test prints another run's totals; the runner's own 0 settles it.
    Doubt,
}

/// One thing found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub at: usize,
    pub says: Says,
    pub counts: Counts,
}

/// All that a reader found, in order of position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// Names of failing tests, as the runner prints them.
    pub failing: Vec<String>,
    /// What `passed` and `skipped` count may be only a part, unless the whole output is in view.
    pub partial: bool,
}

/// At most so many names of failing tests are kept, each of at most so many bytes.
const NAMES: usize = 50;
const NAME: usize = 200;

impl Report {
    pub fn push(&mut self, at: usize, says: Says) {
        self.findings.push(Finding { at, says, counts: Counts::default() });
    }

    pub fn push_counts(&mut self, at: usize, says: Says, counts: Counts) {
        self.findings.push(Finding { at, says, counts });
    }

    /// A closing total that speaks by its numbers.
    pub fn push_total(&mut self, at: usize, counts: Counts) {
        self.push_counts(at, by_numbers(&counts), counts);
    }

    pub fn name(&mut self, name: &str) {
        let mut name = name.trim();
        if name.len() > NAME {
            let end = (0..=NAME).rev().find(|n| name.is_char_boundary(*n)).unwrap_or(0);
            name = &name[..end];
        }
        if !name.is_empty() && self.failing.len() < NAMES && !self.failing.iter().any(|n| n == name) {
            self.failing.push(name.to_owned());
        }
    }

    pub fn sort(&mut self) {
        self.findings.sort_by_key(|f| f.at);
    }

    /// The closing totals, and what stands for one.
    pub fn totals(&self) -> impl DoubleEndedIterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.says.is_total())
    }
}

impl Says {
    pub fn is_total(self) -> bool {
        matches!(self, Says::Pass | Says::Fail | Says::Broke | Says::Nothing)
    }
}

/// Failures decide, then passes; a total of none is nothing.
pub fn by_numbers(counts: &Counts) -> Says {
    match (counts.bad(), counts.passed.unwrap_or(0)) {
        (1.., _) => Says::Fail,
        (0, 1..) => Says::Pass,
        (0, 0) => Says::Nothing,
    }
}

/// Signs that the program never came to be: it is not installed, or what was to start it failed. They count only where the
/// runner itself said nothing, since a test can print the like; or below what another command may have printed.
pub fn never_started(text: &Text, report: &mut Report, foreign_before: bool) {
    let last = report.totals().map(|f| f.at).max();
    if last.is_some() && !foreign_before {
        return;
    }
    for line in text.lines().filter(|line| last.is_none_or(|last| line.at > last)) {
        let t = line.text;
        let no_module = t.contains(": No module named ") && (t.starts_with('/') || t.starts_with("python"));
        let no_file = t.contains("can't open file '") && t.ends_with("[Errno 2] No such file or directory");
        if shell_found_nothing(t) || no_module || no_file || LAUNCHERS.iter().any(|sign| t.starts_with(sign)) {
            report.push(line.at, Says::NotRun);
        }
    }
}

/// What package managers and launchers say when there is nothing to start.
const LAUNCHERS: &[&str] = &[
    "npm error could not determine executable to run",
    "npm ERR! could not determine executable to run",
    "npm error Missing script:",
    "npm ERR! Missing script:",
    "npm ERR! missing script:",
    "npm error code ENOENT",
    "npm error code E404",
    "npm ERR! code E404",
    "error: Failed to spawn: `",
    "error: Script not found \"",
    "error Command \"",
    "error Couldn't find a package.json",
    " ERR_PNPM_NO_SCRIPT",
    " ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND",
    "Command not found: ",
    "bundler: command not found: ",
    "Could not locate Gemfile",
];

/// `bash: line 1: pytest: command not found`, `sh: 1: jest: not found`.
fn shell_found_nothing(t: &str) -> bool {
    let shell = t.split(':').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    matches!(shell, "sh" | "bash" | "dash" | "zsh" | "ksh")
        && (t.ends_with(": command not found") || t.ends_with(": not found") || t.contains(": command not found: "))
}
