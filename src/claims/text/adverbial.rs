//! "After the fix", "with these changes", "on 3.12", "in release mode": adverbials that leave a result the agent's own and
//! of now. Others set a condition ("with an empty cache", "after an hour", "by default").

use super::token::{Tok, Token};
use super::words::{self, has};

/// What the agent did in this turn, as it refers to it.
#[rustfmt::skip]
const OWN_WORK: &[&str] = &[
    "addition", "additions", "adjustment", "adjustments", "applied", "branch", "bump", "change", "changes", "code",
    "commit", "correction", "edit", "edits", "exception", "fix", "fixes", "implementation", "in", "index", "merge",
    "migration", "my", "new", "our", "parser", "patch", "place", "port", "rebase", "rebased", "refactor",
    "refactoring", "removal", "rename", "rest", "rewrite", "split", "switch", "that", "these", "this", "update",
    "updated", "upgrade", "walk", "work",
];

/// Words of a place that is the agent's own.
#[rustfmt::skip]
const OWN_PLACE: &[&str] = &[
    "a", "all", "an", "and", "both", "branch", "build", "checkout", "clean", "commit", "config", "configurations",
    "container", "current", "debug", "docker", "environment", "feature", "features", "flag", "fresh", "full", "here",
    "isolation", "linux", "local", "machine", "macos", "mode", "my", "new", "node", "normal", "parallel", "plain",
    "platforms", "project", "proper", "python", "rebased", "regular", "release", "repo", "repository", "rust",
    "sandbox", "separate", "setup", "side", "state", "the", "this", "total", "tree", "updated", "versions", "vm", "whole",
    "windows", "working", "workspace",
];

/// What a part of the work is called: "in the `api` package".
const PARTS: &[&str] = &["component", "crate", "directory", "folder", "module", "package"];

/// Words that make it a condition, a moment or a reason instead.
#[rustfmt::skip]
const NOT_OWN: &[&str] = &[
    "another", "cold", "correct", "day", "days", "default", "empty", "enough", "first", "hour", "hours", "less",
    "midnight", "minute", "minutes", "more", "night", "old", "other", "real", "right", "run", "runs", "second",
    "seconds", "third", "warm", "week", "weeks", "while", "wrong", "year",
];

/// Machines, systems and interpreters on which a check may run.
#[rustfmt::skip]
pub const MACHINES: &[&str] = &[
    "arm", "arm64", "beta", "container", "docker", "java", "jdk", "linux", "mac", "macos", "miri", "musl", "nightly",
    "node", "php", "postgres", "python", "rosetta", "ruby", "sqlite", "stable", "ubuntu", "valgrind", "vm",
    "windows", "wine", "wsl",
];

/// What the agent made of a thing: the thing as it is now.
const MENDED: &[&str] = &["adjusted", "corrected", "fixed", "patched", "repaired", "rewritten", "simplified"];

/// What the agent has done to a thing, after it.
#[rustfmt::skip]
const MADE: &[&str] = &[
    "added", "applied", "corrected", "fixed", "moved", "renamed", "restored", "updated",
];

/// Whether the words, which begin with a preposition, leave the result the agent's own.
pub fn is_own(tokens: &[Token]) -> bool {
    let Some((first, rest)) = tokens.split_first() else { return true };
    // "with the new one": there is another, and which of them is there now is not said.
    if rest
        .last()
        .is_some_and(|token| matches!(token.tok, Tok::Number(1)) || matches!(token.low.as_str(), "former" | "latter"))
    {
        return false;
    }
    let is_any = |set: &[&str]| rest.iter().any(|token| set.contains(&token.low.as_str()));
    let next = rest.first().map_or("", |token| token.low.as_str());
    let gerund = next.ends_with("ing");
    let determined = has(words::DETERMINERS, next) && !matches!(next, "any" | "every" | "each" | "another");
    // A flag or a version names a platform: "with `--locked`".
    let flag = rest.first().is_some_and(|token| token.tok == Tok::Ident && token.low.starts_with('-'));
    match first.low.as_str() {
        "under" if is_any(MACHINES) => true,
        // "with the corrected offset"
        "with" | "using"
            if determined
                && rest.get(1).is_some_and(|token| MENDED.contains(&token.low.as_str()))
                && rest.len() <= 4 =>
        {
            !is_any(NOT_OWN)
        }
        // "with the missing include added"
        "with" if determined && rest.last().is_some_and(|token| MADE.contains(&token.low.as_str())) => !is_any(NOT_OWN),
        "with" | "using" | "via" | "under" => flag || (is_any(OWN_WORK) && !is_any(NOT_OWN)),
        "since" if next == "then" => true,
        "after" | "following" | "since" => (determined || gerund) && !is_any(NOT_OWN),
        "thanks" => is_any(OWN_WORK),
        "by" => gerund,
        "in" | "inside" if rest.last().is_some_and(|last| PARTS.contains(&last.low.as_str())) && determined => true,
        _ => rest
            .iter()
            .all(|token| !matches!(token.tok, Tok::Word | Tok::Opaque) || OWN_PLACE.contains(&token.low.as_str())),
    }
}
