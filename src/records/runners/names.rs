//! What the name of a script or a target says it checks: `npm run lint`, `make test`, `tox -e mypy`.

use super::Check;

/// Names that change something or never end check nothing.
const ACTS: &[&str] = &[
    "watch", "fix", "write", "update", "clean", "dev", "serve", "install", "deploy", "debug", "snapshot", "bench", "ui",
];
const TYPES: &[&str] = &["typecheck", "types", "type", "tsc", "mypy", "pyright", "typescript"];
const FORMATS: &[&str] = &["format", "fmt", "prettier", "formatting", "black", "rustfmt"];
const LINTS: &[&str] = &["lint", "eslint", "linter", "linting", "ruff", "flake8", "clippy", "biome", "oxlint", "vet"];
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "unittest", "jest", "vitest", "mocha", "pytest"];
const PART_TESTS: &[&str] = &["unit", "integration", "e2e", "smoke"];
const BUILDS: &[&str] = &["build", "compile"];
/// Words that narrow nothing.
const NEUTRAL: &[&str] = &["check", "ci", "all", "run", "coverage", "cov", "prod", "production", "release", "verify"];

fn parts(name: &str) -> Vec<String> {
    name.to_ascii_lowercase().split([':', '-', '_', '.', '/']).filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

/// The check that a name names, or `None`.
pub fn check_of(name: &str) -> Option<Check> {
    let parts = parts(name);
    let has = |words: &[&str]| parts.iter().any(|p| words.contains(&p.as_str()));
    let sure = has(&["check", "verify", "ci"]);
    if has(ACTS) {
        None
    } else if has(FORMATS) {
        sure.then_some(Check::Format)
    } else if has(&TYPES[2..3]) {
        sure.then_some(Check::Typecheck)
    } else if has(TYPES) {
        Some(Check::Typecheck)
    } else if has(LINTS) {
        Some(Check::Lint)
    } else if has(TESTS) || has(PART_TESTS) {
        Some(Check::Tests)
    } else if has(BUILDS) {
        Some(Check::Build)
    } else {
        None
    }
}

/// Whether the name says that it covers only a part: `test:unit`, `lint:css`.
pub fn is_part(name: &str, check: Check) -> bool {
    let own = match check {
        Check::Tests => TESTS,
        Check::Lint => LINTS,
        Check::Typecheck => TYPES,
        Check::Format => FORMATS,
        Check::Build => BUILDS,
    };
    parts(name).iter().any(|p| !own.contains(&p.as_str()) && !NEUTRAL.contains(&p.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_name_checks() {
        for (name, check) in [
            ("test", Some(Check::Tests)),
            ("test:unit", Some(Check::Tests)),
            ("lint", Some(Check::Lint)),
            ("lint:fix", None),
            ("format", None),
            ("format:check", Some(Check::Format)),
            ("type-check", Some(Check::Typecheck)),
            ("check-types", Some(Check::Typecheck)),
            ("build", Some(Check::Build)),
            ("test:watch", None),
            ("deploy", None),
            ("latest", None),
            ("contest", None),
        ] {
            assert_eq!(check_of(name), check, "{name}");
        }
    }

    #[test]
    fn names_name_parts() {
        for (name, check, part) in [
            ("test", Check::Tests, false),
            ("test:ci", Check::Tests, false),
            ("test:unit", Check::Tests, true),
            ("e2e", Check::Tests, true),
            ("lint:css", Check::Lint, true),
            ("build:prod", Check::Build, false),
        ] {
            assert_eq!(is_part(name, check), part, "{name}");
        }
    }
}
