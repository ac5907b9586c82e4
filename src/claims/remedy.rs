//! What would show a claim that nothing shows: one command or step, as the reader would type it.

use crate::records::need::{Need, Says};

/// The command of a check's tool, and what is suggested where no tool is named.
#[rustfmt::skip]
const COMMANDS: &[(&str, &str)] = &[
    ("tests/bats", "bats test"),
    ("tests/cargo-test", "cargo test"),
    ("tests/ctest", "ctest"),
    ("tests/go-test", "go test ./..."),
    ("tests/jest", "npx jest"),
    ("tests/make", "make test"),
    ("tests/mocha", "npx mocha"),
    ("tests/nextest", "cargo nextest run"),
    ("tests/node-test", "node --test"),
    ("tests/npm", "npm test"),
    ("tests/playwright", "npx playwright test"),
    ("tests/pytest", "pytest"),
    ("tests/rspec", "rspec"),
    ("tests/tox", "tox"),
    ("tests/unittest", "python -m unittest"),
    ("tests/vitest", "npx vitest run"),
    ("lint/biome", "npx biome lint"),
    ("lint/clippy", "cargo clippy"),
    ("lint/eslint", "npx eslint ."),
    ("lint/npm", "npm run lint"),
    ("lint/ruff", "ruff check ."),
    ("typecheck/mypy", "mypy ."),
    ("typecheck/npm", "npm run typecheck"),
    ("typecheck/pyright", "pyright"),
    ("typecheck/tsc", "npx tsc --noEmit"),
    ("format/black", "black --check ."),
    ("format/cargo-fmt", "cargo fmt --check"),
    ("format/gofmt", "gofmt -l ."),
    ("format/prettier", "npx prettier --check ."),
    ("format/ruff-format", "ruff format --check ."),
    ("build/cargo-build", "cargo build"),
    ("build/cargo-check", "cargo check"),
    ("build/make", "make"),
    ("build/ninja", "ninja"),
    ("build/npm", "npm run build"),
];

/// The step that would show it; none where nothing could, as for what was not done.
pub fn step(need: &Need) -> Option<String> {
    if need.says == Says::NotDone {
        return None;
    }
    let (kind, name) = match need.id.split_once('/') {
        Some((kind, name)) => (kind, Some(name)),
        None => (need.id.as_str(), None),
    };
    let known = COMMANDS.iter().find(|(id, _)| *id == need.id).map(|(_, command)| *command);
    let step = match (kind, name, known) {
        ("check", Some(name), _) => format!("run deeds run --check {name}"),
        ("commit", ..) => "run git commit".into(),
        ("push", Some(target), _) => match target.split_once('/') {
            Some((remote, branch)) => format!("run git push {remote} {branch}"),
            None => format!("run git push {target}"),
        },
        ("push", None, _) => "run git push".into(),
        ("file", Some(path), _) if matches!(need.part.as_deref(), Some("created" | "removed")) => {
            format!("see what became of it with git status -- {path}")
        }
        ("file", Some(path), _) => format!("see what became of it with git diff HEAD -- {path}"),
        ("tests", _, Some(command)) if need.part.is_some() => {
            format!("run those tests by name or path with {command}, or all of them")
        }
        ("tests", None, _) if need.part.is_some() => {
            "run those tests by name or path, or run the whole test suite (cargo test, npm test, pytest, …)".into()
        }
        (_, _, Some(command)) => format!("run {command}"),
        ("tests", None, _) => "run the whole test suite (cargo test, npm test, pytest, …)".into(),
        ("lint", None, _) => "run the linter (cargo clippy, npx eslint ., ruff check ., …)".into(),
        ("typecheck", None, _) => "run the type checker (npx tsc --noEmit, mypy ., …)".into(),
        ("format", None, _) => "run the formatter's check (cargo fmt --check, npx prettier --check ., …)".into(),
        ("build", None, _) => "run the build (cargo build, npm run build, make, …)".into(),
        (_, Some(name), None) => format!("run {name} over the whole project"),
        _ => return None,
    };
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::subject::Wanted;

    #[test]
    fn every_step_is_one_to_take() {
        let of = |id: &str| step(&Need::new(id, Wanted::Any)).unwrap();
        assert_eq!(of("tests/pytest"), "run pytest");
        assert_eq!(of("push/origin/main"), "run git push origin main");
        assert_eq!(of("check/contract"), "run deeds run --check contract");
        assert_eq!(of("lint/rubocop"), "run rubocop over the whole project");
        let undone = Need { says: Says::NotDone, ..Need::new("tests", Wanted::Any) };
        assert_eq!(step(&undone), None);
    }
}
