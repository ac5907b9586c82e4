//! Other commands of the line print, too; most of them never what this runner closes with.

use crate::records::invocation::{Foreign, Invocation};
use crate::records::runners::row::{Reads, Row};
use crate::records::runners::{self, Check};

/// Whose text can be taken for the closing total of a run of tests: nobody's, if every other command on that side of it is
/// known to print no such thing.
pub fn foreign(invocation: &Invocation, row: &Row, line: &[Invocation]) -> Foreign {
    if row.check != Check::Tests || !line.iter().any(|other| is_same(other, invocation)) {
        return invocation.foreign;
    }
    let others = || line.iter().filter(|other| !is_same(other, invocation));
    let before = others().filter(|o| o.span.0 <= invocation.span.0).all(|o| is_quiet(o, row));
    let after = others().filter(|o| o.span.0 >= invocation.span.0).all(|o| is_quiet(o, row));
    Foreign { before: invocation.foreign.before && !before, after: invocation.foreign.after && !after }
}

/// A command before it shows text of any origin: a file, a log, a page.
pub fn shows_text_before(invocation: &Invocation, line: &[Invocation]) -> bool {
    const SHOW: &[&str] = &[
        "cat",
        "bat",
        "tac",
        "less",
        "more",
        "head",
        "tail",
        "grep",
        "egrep",
        "rg",
        "ag",
        "sed",
        "awk",
        "jq",
        "yq",
        "curl",
        "wget",
        "gh",
        "glab",
        "echo",
        "printf",
        "diff",
        "nl",
        "cut",
        "find",
        "xargs",
        "journalctl",
        "docker",
        "kubectl",
    ];
    const GIT: &[&str] = &["log", "show", "diff", "grep", "blame", "shortlog", "reflog"];
    let shows = |other: &Invocation| {
        let first = other.args.first().map(|w| w.text.as_str());
        SHOW.contains(&other.program.as_str()) || other.program == "git" && first.is_some_and(|w| GIT.contains(&w))
    };
    line.iter().any(|o| o.span.0 < invocation.span.0 && shows(o))
}

pub fn is_same(a: &Invocation, b: &Invocation) -> bool {
    a.span == b.span && a.text == b.text
}

/// It prints no closing total of `row`'s: it is another tool of the table, or prints only what it is given.
fn is_quiet(other: &Invocation, row: &Row) -> bool {
    let found = runners::find(other);
    if !found.is_empty() {
        return found.iter().all(|f| f.row.runner != row.runner && !opens_others(f.row) && !shares(f.row, row));
    }
    let words: Vec<&str> = other.args.iter().map(|w| w.text.as_str()).collect();
    let plain = words.iter().filter(|w| !w.starts_with('-') && w.parse::<u64>().is_err()).count();
    match other.program.as_str() {
        "cd" | "pushd" | "popd" | "true" | "false" | ":" | "set" | "export" | "unset" | "mkdir" | "rm" | "cp"
        | "mv" | "touch" | "chmod" | "sleep" | "wait" | "exit" | "date" | "pwd" | "which" | "[" | "test" => true,
        // Filters of what this runner or another prints; with a file they would show that.
        "tail" | "head" | "cat" | "sort" | "uniq" | "wc" | "less" | "more" => plain == 0,
        "tee" => true,
        "grep" | "egrep" | "rg" | "sed" | "awk" => plain <= 1,
        // What is echoed names no result, unless it says so in the runner's own words.
        "echo" | "printf" => other.args.iter().all(|w| w.literal && !names_a_result(&w.text)),
        "git" => {
            matches!(words.first(), Some(&("add" | "status" | "stash" | "checkout" | "switch" | "rev-parse" | "fetch")))
        }
        // It writes, and says which files.
        "cargo" => matches!(words.first(), Some(&("fmt" | "clean" | "fetch" | "update" | "metadata"))),
        _ => false,
    }
}

fn opens_others(row: &Row) -> bool {
    matches!(row.reads, Reads::Inner(_) | Reads::InnerOrExit(_))
}

/// Both read the same words.
pub fn shares(a: &Row, b: &Row) -> bool {
    match (a.reads, b.reads) {
        (Reads::By(a), Reads::By(b)) => std::ptr::fn_addr_eq(a, b),
        (Reads::Shapes(a), Reads::Shapes(b)) => std::ptr::eq(a, b),
        _ => false,
    }
}

fn names_a_result(words: &str) -> bool {
    let lower = words.to_ascii_lowercase();
    ["pass", "fail", "error", "ok", "result", "tests"].iter().any(|w| lower.contains(w))
}
