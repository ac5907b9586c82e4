//! What is to be known of a program that runs another one.

/// A wrapper: what stands between its name and the program, and what it does to the program's status.
#[derive(Debug)]
pub struct Wrapper {
    /// Base name.
    pub name: &'static str,
    /// Words that must follow before it is a wrapper: `exec` for docker. Options may stand before them.
    pub then: &'static [&'static str],
    /// Options whose value is the next word (or the rest of theirs).
    pub takes: &'static [&'static str],
    /// Words of its own between the options and the program: 1 for `timeout 60`, `docker exec api`.
    pub operands: usize,
    /// `NAME=value` before the program is environment.
    pub assigns: bool,
    /// What comes after is a program with its arguments, or else.
    pub inner: Inner,
    /// The program begins after this option only (`--`, `nix develop -c`).
    pub after: &'static [&'static str],
    /// Options with which it does not run the program, or not as far as the words tell.
    pub unless: &'static [&'static str],
    /// Options with which it does not wait for the program.
    pub detaches: &'static [&'static str],
    /// The option that names the program's directory.
    pub directory: &'static [&'static str],
    pub effect: Effect,
    /// Statuses of its own.
    pub codes: &'static [u8],
    /// The program runs on another machine or in a container.
    pub elsewhere: bool,
    /// It looks the program's name up itself, among packages or the project's scripts: `uv run test` is not the shell's `test`.
    pub names: bool,
    /// The first word may be a script of the project: only well-known tools are taken for programs.
    pub tools_only: bool,
    /// At most so many lines of its own on standard error, after the program's.
    pub talks: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inner {
    Program,
    /// All that is left, joined by blanks, is a shell's text.
    Text,
    /// The value of this option is a shell's text; `or` a program, if it is not there.
    TextOption {
        option: &'static str,
        or_program: bool,
    },
    /// The word after this option is a Python module that is the program.
    Module {
        option: &'static str,
        or_program: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    pub codes: Codes,
    pub starts: Starts,
}

/// What becomes of the program's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codes {
    /// Reported as it is.
    Own,
    /// 0 if it was 0 (every time), else a number of the wrapper's.
    Folded,
    /// Says nothing about it.
    Any,
    /// 0 at once: it does not wait.
    Zero,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// The program is started, or that fails as it would without the wrapper.
    Always,
    /// The wrapper may fail first (no such container, no network, a password).
    Perhaps,
    /// It may also have nothing to start it for, and succeed.
    OrNothing,
}

/// Programs that are no project's scripts, whatever runs them.
pub const TOOLS: &[&str] = &[
    "ava",
    "bats",
    "biome",
    "black",
    "c8",
    "coverage",
    "cucumber-js",
    "cypress",
    "eslint",
    "flake8",
    "isort",
    "jasmine",
    "jest",
    "karma",
    "mocha",
    "mypy",
    "nox",
    "nyc",
    "oxlint",
    "playwright",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "python",
    "rspec",
    "rubocop",
    "ruff",
    "standard",
    "stylelint",
    "tap",
    "tox",
    "tsc",
    "tsx",
    "ty",
    "uvu",
    "vitest",
    "vue-tsc",
    "wdio",
    "xo",
];

/// Shells whose `-c` text is read as bash.
pub const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash"];
