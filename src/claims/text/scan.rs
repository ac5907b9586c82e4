//! Whether a message could make a claim at all: a scan for words of the tables, for callers that cannot wait.

use super::file_verbs::FILE_VERBS;

/// Beginnings of words without one of which there is no claim of a check, a commit or a push.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "amend", "autoformat", "basedpyright", "bats", "bazel", "biome", "build", "built", "clippy", "commit", "compil",
    "ctest", "doctest", "dprint", "e2e", "error", "eslint", "fail", "flake8", "fmt", "format", "gofmt", "gofumpt",
    "goimports", "golangci", "hadolint", "isort", "issues", "jest", "links", "lint", "markdownlint", "mocha", "mypy",
    "nextest", "oxlint", "pass", "phpstan", "phpunit", "playwright", "prettier", "push", "pylint", "pyright",
    "pytest", "rebuilt", "recommit", "reformat", "repush", "rspec", "rubocop", "ruff", "rustfmt", "shellcheck",
    "shfmt", "spec", "staticcheck", "stylelint", "stylua", "suite", "test", "tox", "tsc", "typ", "uncommitted",
    "unittest", "unpush", "vitest", "vue",
];

/// Whole words of the same use, too short to be a beginning.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "analysis", "ava", "black", "gradle", "gradlew", "make", "ninja", "nox", "vet",
];

/// Words by which a file is claimed to be left alone, or listed.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "alone", "alter", "change", "edit", "file", "intact", "kept", "left", "modif", "new", "path", "remain", "stay",
    "touch",
    "unchanged", "unedited", "unmodified", "untouched",
];

/// False only if [`super::claims`] would be empty. Looks at each word once, allocates nothing, compiles nothing.
pub fn could_claim(message: &str) -> bool {
    let bytes = message.as_bytes();
    let dotted = memchr::memchr2(b'.', b'/', bytes).is_some()
        || message.contains("file")
        || message.contains("README")
        || message.contains("Makefile")
        || message.contains("LICENSE");
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        if telling(&bytes[start..at], dotted) {
            return true;
        }
    }
    false
}

fn telling(word: &[u8], files: bool) -> bool {
    let begins = |stem: &&str| word.len() >= stem.len() && word[..stem.len()].eq_ignore_ascii_case(stem.as_bytes());
    let verb = || FILE_VERBS.iter().any(|verb| begins(&verb.base) || begins(&verb.past) || begins(&verb.participle));
    STEMS.iter().any(begins)
        || WORDS.iter().any(|whole| word.eq_ignore_ascii_case(whole.as_bytes()))
        || (files && (ALONE.iter().any(begins) || verb()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_talk_without_checks_and_deeds_is_passed_over() {
        for text in ["All tests pass.", "COMMITTED", "Created `src/a.rs`.", "It compiles.", "I left `a.toml` alone"] {
            assert!(could_claim(text), "{text}");
        }
        for text in ["", "Done.", "The sky is blue, and the answer is 42.", "すべて"] {
            assert!(!could_claim(text), "{text}");
        }
    }
}
