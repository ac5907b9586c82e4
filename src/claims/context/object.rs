//! What was committed, pushed or built: the work at hand, or something else that goes by the same verb. "The docs repo is
//! pushed", "we pushed the deadline", "your commit was pushed", "that file is already committed".

use super::sentence::words;

/// The work at hand, as what such a verb is done to.
#[rustfmt::skip]
const WORK: &[&str] = &[
    "all", "branch", "bugfix", "change", "changes", "cleanup", "code", "commit", "commits", "correction", "edit", "edits",
    "everything", "feature", "file", "files", "fix", "fixes", "hotfix", "implementation", "it", "main", "master", "patch",
    "refactor", "refactoring", "rename", "result", "results", "rewrite", "test", "tests", "that", "them", "these", "they",
    "this", "those", "update", "updates", "work",
];

/// Beside such a noun these say that it is another's, another time's, or another place's.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "alice's", "already", "another", "before", "bob's", "colleague's", "docker", "earlier", "elsewhere", "first", "fork",
    "initial", "initially", "last", "old", "original", "originally", "other", "parent", "previous", "previously", "registry",
    "submodule", "submodules", "their", "upstream's", "user's", "wiki", "yesterday", "your",
];

/// They end what the verb is done to.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "after", "and", "as", "at", "because", "before", "but", "by", "for", "from", "in", "into", "of", "on", "onto", "so",
    "that", "then", "to", "under", "via", "where", "which", "with", "without",
];

/// They are no part of what it is done to.
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "a", "also", "an", "are", "be", "been", "both", "did", "do", "done", "get", "got", "had", "has", "have", "i", "i've", "is",
    "it's", "just", "now", "our", "safely", "successfully", "the", "up", "was", "we", "we've", "were",
];

/// What is built where nothing is left out.
#[rustfmt::skip]
const BUILT: &[&str] = &[
    "all", "app", "application", "build", "builds", "code", "codebase", "compilation", "crate", "entire", "every", "everything",
    "full", "it", "library", "package", "program", "project", "repo", "repository", "solution", "that", "this", "tree",
    "whole", "workspace",
];

/// `clause` around a deed whose words are at `verb`: whether it was done to something else than the work at hand.
pub(super) fn is_other_work(clause: &str, verb: std::ops::Range<usize>) -> bool {
    let (before, after) = (&clause[..verb.start], &clause[verb.end..]);
    if words(clause).iter().any(|word| OTHER.contains(&word.as_str())) {
        return true;
    }
    let before = tokens(before);
    let from =
        before.iter().rposition(|word| matches!(word.as_str(), "and" | "but" | "so" | "then")).map_or(0, |at| at + 1);
    let after = tokens(after);
    // A word like "that" may be all that it is done to.
    let to = after.iter().skip(1).position(|word| ENDS.contains(&word.as_str())).map_or(after.len(), |at| at + 1);
    let to = if after.first().is_some_and(|first| ENDS.contains(&first.as_str()) && first != "that") { 0 } else { to };
    [&before[from..], &after[..to]].into_iter().any(|done_to| {
        let mut noun = done_to.iter().rev().filter(|word| !BESIDE.contains(&word.as_str()));
        noun.next().is_some_and(|noun| !WORK.contains(&noun.as_str()) && !is_a_name(noun))
    })
}

/// Whether what is built is less than all: "the core crate compiles".
pub(super) fn is_built_in_part(words: &[String]) -> bool {
    let verb = words.iter().position(|word| {
        ["build", "compil", "succe", "pass", "work", "clean", "green"].iter().any(|verb| word.starts_with(verb))
            && !matches!(word.as_str(), "build" | "compilation")
    });
    let subject = &words[..verb.unwrap_or(0)];
    let known = |word: &String| BUILT.contains(&word.as_str()) || BESIDE.contains(&word.as_str()) || word == "still";
    !subject.iter().all(known)
}

fn tokens(text: &str) -> Vec<String> {
    let bare =
        |word: &str| word.trim_matches(|c: char| matches!(c, '"' | '\'' | '(' | ')' | '*' | '_' | ':')).to_lowercase();
    text.split_whitespace()
        .map(bare)
        .filter(|word| word.chars().any(char::is_alphanumeric) && !word.starts_with('['))
        .collect()
}

/// A path, a branch, a hash, a number, something in backticks.
fn is_a_name(word: &str) -> bool {
    word.contains(|c: char| matches!(c, '`' | '/' | '.' | '_') || c.is_ascii_digit())
}
