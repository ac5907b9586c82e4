//! A cheap look at words, before anything that costs a process: could this command have been a check, a commit or a push?
//! Could this message make a claim?
//!
//! Over-inclusive on purpose. A wrong yes costs a few milliseconds; a wrong no costs the tree that a verdict would rest on.

/// Programs that test, lint, check, build or move commits, alone or through a script.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "act", "ant", "ava", "bats", "bazel", "bazelisk", "biome", "black", "buck2", "bun", "bundle", "bunx", "cabal",
    "cargo", "ci", "clang-tidy", "clippy", "cmake", "composer", "cppcheck", "cross", "ctest", "cypress", "dagger",
    "dart", "deno", "detox", "docker", "dotnet", "earthly", "eslint", "flake8", "flutter", "gh", "git", "glab", "go",
    "golangci-lint", "gotestsum", "gradle", "gradlew", "hatch", "hub", "isort", "jasmine", "java", "jest", "jj",
    "just", "karma", "ktlint", "lein", "make", "gmake", "maven", "meson", "minitest", "mix", "mocha", "moon", "mvn",
    "mvnd", "mvnw", "mypy", "nextest", "ninja", "node", "nosetests", "nox", "npm", "npx", "nx", "oxlint", "pants",
    "pdm", "perl", "pest", "php", "phpstan", "phpunit", "pip", "playwright", "pnpm", "pnpx", "podman", "poetry",
    "pre-commit", "prettier", "prove", "psalm", "pylint", "pyright", "pytest", "python", "rake", "rails", "rspec",
    "rubocop", "ruby", "ruff", "rustc", "sbt", "scala", "scons", "shellcheck", "stack", "staticcheck", "stylelint",
    "svn", "swift", "tap", "task", "tox", "trunk", "tsc", "tsx", "turbo", "unittest", "uv", "uvx", "vite", "vitest",
    "vue-tsc", "wasm-pack", "xcodebuild", "xcrun", "yarn", "zig",
];

/// Parts of a word that make it one, whatever else is in it: `run_tests`, `typecheck.py`, `build:prod`.
const PARTS: &[&str] = &["build", "check", "compile", "lint", "fmt", "format", "spec", "test", "verify", "valid"];

/// Words that a claim has: what was done, how it went, and to what.
#[rustfmt::skip]
const CLAIMS: &[&str] = &[
    "100%", "add", "build", "built", "check", "ci", "clean", "commit", "compil", "complet", "correct", "creat",
    "delet", "deploy", "edit", "chang", "generat", "replac", "appl", "done", "error", "fail", "finish", "fix",
    "format", "green", "implement", "install", "lint", "merg", "modif", "mov", "no ", "ok", "pass", "push", "ready",
    "refactor", "remov", "renam", "resolv", "revert", "run", "ran", "ship", "spec", "succe", "success", "suite",
    "test", "typecheck", "type-check", "updat", "verif", "warning", "work", "wrote", "written",
];

/// A longer command is not looked through: it holds a script.
const LONG: usize = 4 * 1024;

/// Whether a raw command line could be a check, a commit or a push. `declared` are the commands that the project
/// declares.
pub fn could_matter(command: &str, declared: &[String]) -> bool {
    command.len() > LONG
        || command.split(|c: char| !is_word(c)).any(|word| !word.is_empty() && is_telling(word))
        || declared.iter().filter_map(|check| check.split_whitespace().next()).any(|word| command.contains(word))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | ':')
}

fn is_telling(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    // `python3.12`, `clang-tidy-18`.
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    PROGRAMS.contains(&word.as_str())
        || PROGRAMS.contains(&stem)
        || [".sh", ".bash", ".zsh", ".bats", ".bat", ".cmd", ".ps1"].iter().any(|ending| word.ends_with(ending))
        || PARTS.iter().any(|part| word.contains(part))
}

/// Whether a message has a word that a claim could be made of.
pub fn could_claim(message: &str) -> bool {
    let message = message.to_lowercase();
    // A language that this table has no words of is not taken to claim nothing.
    !message.is_ascii() || CLAIMS.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_could_be_a_check_a_commit_or_a_push_is_looked_at() {
        for command in [
            "cargo test 2>&1 | tail -4",
            "cd api && python3.12 -m pytest -q",
            "./scripts/all.sh",
            "bash -lc 'go vet ./...'",
            "/usr/bin/git commit -m x",
            "npm run build:prod",
            "./run_tests --fast",
            "CI=1 ./gradlew :app:check",
            "make",
        ] {
            assert!(could_matter(command, &[]), "{command}");
        }
        assert!(could_matter("./contract --all", &["./contract --all".into()]));
    }

    #[test]
    fn an_ordinary_command_is_not() {
        for command in
            ["echo hello", "ls -la", "cat notes.txt", "sleep 2; echo waited", "pwd", "grep -rn main src", "seq 1 40000"]
        {
            assert!(!could_matter(command, &["./contract --all".into()]), "{command}");
        }
    }

    #[test]
    fn a_message_that_could_claim_something_is_told_by_a_word() {
        for message in ["All 3 tests pass.", "Committed and pushed.", "Fixed it", "Die Prüfungen laufen"] {
            assert!(could_claim(message), "{message}");
        }
        assert!(!could_claim("Hello! What shall we do?"));
    }
}
