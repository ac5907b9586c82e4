//! The table of nouns that name a check. A new row needs a phrase and an example, and the example is tested to make a
//! claim of that kind.

use super::Kind::{self, Build, Format, Lint, Tests, Typecheck};

pub struct Noun {
    pub phrase: &'static str,
    pub kind: Kind,
    pub form: Form,
    /// Read by the tests.
    #[allow(dead_code)]
    pub example: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Names the whole of it: the suite.
    Whole,
    /// Several of them: tests.
    Many,
    /// One of them: a test.
    One,
    /// A named part of it, whatever stands before: doctests.
    Part,
    /// What is wrong rather than what is checked: type errors.
    Problem,
}

use Form::{Many, One, Part, Problem, Whole};

const fn n(phrase: &'static str, kind: Kind, form: Form, example: &'static str) -> Noun {
    Noun { phrase, kind, form, example }
}

pub const NOUNS: &[Noun] = &[
    n("tests", Tests, Many, "The tests pass."),
    n("test", Tests, One, "The failing test passes now."),
    n("test suite|suites", Tests, Whole, "The test suite is green."),
    n("suite|testsuite|test-suite", Tests, Whole, "The whole suite passes."),
    n("test cases", Tests, Many, "All test cases pass."),
    n("suites", Tests, Many, "Both suites pass."),
    n("test case", Tests, One, "The new test case passes."),
    n("test run", Tests, Whole, "The test run is green."),
    n("testing", Tests, Whole, "Testing: 42 passed, 0 failed"),
    n("test results|result|status|summary|report|output", Tests, Whole, "Test results: 42 passed, 1 failed"),
    n("unittests|unit-tests", Tests, Part, "Unittests pass."),
    n("specs", Tests, Many, "All specs pass."),
    n("doctests|doc-tests|doctest", Tests, Part, "The doctests pass."),
    n("e2e", Tests, Part, "E2E: 12 passed"),
    n("test|tests failures|failure|errors", Tests, Problem, "No test failures."),
    n("failing|failed|broken|red tests|test|specs", Tests, Problem, "There are no failing tests."),
    n("lint|linter|linting|linters", Lint, Many, "Lint is clean."),
    n("lint|linter|linting check|checks|run|step|status|result|results", Lint, Many, "The lint check passes."),
    n("static analysis", Lint, Many, "Static analysis is clean."),
    n(
        "lint|linter|linting|style|clippy|eslint errors|error|warnings|warning|issues|findings|offences|offenses|violations|problems|complaints|failures",
        Lint,
        Problem,
        "No lint errors.",
    ),
    n("typescript", Typecheck, Many, "TypeScript reports no errors."),
    n("types", Typecheck, Many, "Types are clean."),
    n("type check|checks|checking|checker|checks", Typecheck, Many, "The type check passes."),
    n(
        "type-check|type-checks|type-checking|type-checker|typecheck|typechecks|typechecking|typechecker",
        Typecheck,
        Many,
        "The typecheck is clean.",
    ),
    n("static typing|types", Typecheck, Many, "Static typing: no errors"),
    n(
        "type|typing|typescript|type-checking|typecheck|type-check errors|error|issues|problems|warnings|failures",
        Typecheck,
        Problem,
        "There are no type errors.",
    ),
    n("type checking|check|checker errors|error|issues", Typecheck, Problem, "No type checking errors."),
    n("format|formatting|formatter|fmt", Format, Many, "Formatting is clean."),
    n("format|formatting|fmt check|checks|status", Format, Many, "The format check passes."),
    n(
        "formatting|format|formatter|fmt errors|error|issues|diffs|diff|differences|violations|problems|warnings",
        Format,
        Problem,
        "No formatting issues.",
    ),
    n("linking", Build, Many, "Linking fails."),
    n("build|compilation", Build, Many, "The build is broken."),
    n("compile|compiler|build step|check|status|result|run", Build, Many, "Build status: ok"),
    n("compiler", Build, Many, "The compiler is happy."),
    n(
        "compile|compiler|compilation|build errors|error|warnings|warning|failures|failure|issues|problems",
        Build,
        Problem,
        "No compiler errors.",
    ),
];

/// Modifiers before a noun that choose no part of it.
#[rustfmt::skip]
pub const WHOLE_MODIFIERS: &[&str] = &[
    "actual", "automated", "broader", "clean", "complete", "current", "debug", "default", "dev", "entire",
    "existing", "final", "fresh", "full", "full-workspace", "larger", "last", "latest", "local", "main", "normal",
    "optimised", "optimized", "overall", "own", "plain", "present", "previously-failing", "prod", "production",
    "project", "project's", "python", "rebased", "regular", "release", "repo", "repository", "rust", "same",
    "second", "single", "standard", "static", "strict", "type", "typescript", "updated", "usual", "whole", "wider",
    "workspace",
];

/// Modifiers that say it is all of them.
pub const ALL_MODIFIERS: &[&str] = &["complete", "entire", "full", "whole"];
