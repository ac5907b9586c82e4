//! Commits and pushes: what git itself printed, held against what the host saw right afterwards.
//!
//! Text alone never makes a commit: `echo '[main deadbee] x'` prints the same. HEAD must stand there.

mod push;

use std::path::Path;

use serde_json::Value;

use self::push::push;
use super::check::{directory, normal};
use super::command;
use super::invocation::{Invocation, Reached, Reading};
use super::outcome::Outcome;
use super::run::{EvidenceRef, Run};

/// What one `git commit` or `git push` came to.
#[derive(Debug, Clone, PartialEq)]
pub struct GitDeed {
    /// Index of the run in the story.
    pub run: usize,
    pub op: GitOp,
    pub outcome: Outcome,
    /// The full commit id that it is about, where the host saw it.
    pub sha: Option<String>,
    /// One clause for the verdict's line.
    pub detail: String,
    /// The host's look that decided.
    pub look: Option<EvidenceRef>,
    /// It did nothing and displaces nothing ("nothing to commit, working tree clean").
    pub idle: bool,
    /// Nothing came of it, as far as the host saw, and how it ended: HEAD stood still over a commit, a push had nothing to
    /// move.
    pub stood: Option<String>,
    /// `git commit --amend`: it is about a commit that there is.
    pub amends: bool,
    /// Files that git itself said the commit created or deleted.
    pub whole_files: Vec<WholeFile>,
}

/// A line of git commit's own: ` delete mode 100644 src/a.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    /// `created` or `removed`.
    pub change: &'static str,
    /// From the repository's root.
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitOp {
    Commit,
    Push {
        remote: String,
        /// The destination ref, short: `main`, `v1`.
        name: String,
        /// It is the branch that was checked out.
        current: bool,
    },
}

/// What a run's git commands need to know of the session so far.
pub struct Heads<'a> {
    /// HEAD as last seen before the run.
    pub before: Option<&'a str>,
    /// HEAD as first seen in the session.
    pub first: Option<&'a str>,
    /// The session had changed a file before the run.
    pub edited: bool,
}

/// The host's look after the run.
struct Look<'a> {
    reference: &'a EvidenceRef,
    head: Option<&'a str>,
    branch: Option<&'a str>,
    upstream_name: Option<&'a str>,
    upstream: Option<&'a str>,
    clean: Option<bool>,
    remotes: &'a Value,
}

/// The commits and pushes of one run.
pub fn deeds(index: usize, run: &Run, output: &str, heads: &Heads<'_>) -> Vec<GitDeed> {
    if !run.command.contains("git") {
        return Vec::new();
    }
    let Reading::Script(invocations) = command::read(&run.command) else { return Vec::new() };
    let look = run.gits.last().map(|(reference, value)| Look {
        reference,
        head: value["head"].as_str(),
        branch: value["branch"].as_str(),
        upstream_name: value["upstream"]["name"].as_str(),
        upstream: value["upstream"]["sha"].as_str(),
        clean: value["clean"].as_bool(),
        remotes: &value["remotes"],
    });
    let mut deeds = Vec::new();
    for invocation in &invocations {
        let Some((verb, args)) = git_verb(invocation) else { continue };
        if invocation.elsewhere.is_some() || !in_worktree(run, invocation) {
            continue;
        }
        match verb {
            "commit" if !has(&args, &["--dry-run", "--short", "--porcelain", "--long"]) => {
                let nested = in_nested(run, invocation);
                let alone = invocations.iter().all(|other| std::ptr::eq(other, invocation) || !moves_head(other));
                let sight = if nested || !alone { Sight::Blurred } else { Sight::of(run, invocation) };
                let deed = commit(index, run, invocation, output, look.as_ref(), heads, sight);
                deeds.push(GitDeed { amends: has(&args, &["--amend"]), ..deed });
            }
            "push" if !has(&args, &["--dry-run", "-n", "--delete", "-d", "--prune", "--mirror"]) => {
                deeds.extend(push(index, run, invocation, &args, output, look.as_ref()));
            }
            _ => {}
        }
    }
    deeds
}

/// `git -C dir -c k=v commit -m x` → (`commit`, its arguments).
fn git_verb(invocation: &Invocation) -> Option<(&str, Vec<&str>)> {
    if invocation.program != "git" {
        return None;
    }
    let words: Vec<&str> = invocation.args.iter().map(|w| w.text.as_str()).collect();
    let mut n = 0;
    while let Some(word) = words.get(n) {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => n += 2,
            w if w.starts_with('-') => n += 1,
            verb => return Some((verb, words[n + 1..].to_vec())),
        }
    }
    None
}

fn has(args: &[&str], flags: &[&str]) -> bool {
    args.iter().take_while(|a| **a != "--").any(|a| flags.contains(a))
}

/// What HEAD, before and after the line, tells of a commit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// It can have been moved by this commit only, and must have been if there was one.
    Clear,
    /// The same, unless the directory is a repository that the host did not see.
    Subdirectory,
    /// Something else of the line moves HEAD, or the commit is another repository's.
    Blurred,
}

impl Sight {
    fn of(run: &Run, invocation: &Invocation) -> Sight {
        let dir = place(run, invocation);
        let at_home = dir.is_some() && (dir == run.cwd || dir == run.root);
        if at_home { Sight::Clear } else { Sight::Subdirectory }
    }
}

/// Whether it ran in a repository inside this one.
fn in_nested(run: &Run, invocation: &Invocation) -> bool {
    let nested = run.worktree().and_then(|look| look["submodules"].as_array());
    let (Some(dir), Some(root)) = (place(run, invocation), run.root.as_deref()) else { return false };
    let inside =
        |one: &Value| one["path"].as_str().is_some_and(|path| Path::new(&dir).starts_with(Path::new(root).join(path)));
    nested.is_some_and(|nested| nested.iter().any(inside))
}

/// The directory that git works in: where it was started, and from there wherever `-C` says.
fn place(run: &Run, invocation: &Invocation) -> Option<String> {
    let mut dir = directory(run, invocation)?;
    let mut words = invocation.args.iter();
    while let Some(word) = words.next().filter(|word| matches!(word.text.as_str(), "-C" | "-c")) {
        let value = words.next()?;
        if word.text == "-C" {
            let known = value.literal && !value.text.starts_with('~');
            dir = known.then(|| normal(&Path::new(&dir).join(&value.text)))?;
        }
    }
    Some(dir)
}

/// A commit in another repository is no commit in this one: `--git-dir`, or `cd` and `-C` out of the worktree.
fn in_worktree(run: &Run, invocation: &Invocation) -> bool {
    if invocation.env.iter().any(|(name, _)| name == "GIT_DIR" || name == "GIT_WORK_TREE") {
        return false;
    }
    let words = || invocation.args.iter().map(|w| w.text.as_str());
    if words().any(|w| w.starts_with("--git-dir") || w.starts_with("--work-tree")) {
        return false;
    }
    let Some(dir) = place(run, invocation) else { return false };
    run.root.as_deref().is_none_or(|root| Path::new(&dir).starts_with(root))
}

/// git's verbs that leave HEAD where it is.
const KEEPS_HEAD: &[&str] = &[
    "add",
    "branch",
    "check-ignore",
    "config",
    "describe",
    "diff",
    "diff-index",
    "fetch",
    "log",
    "ls-files",
    "mv",
    "push",
    "remote",
    "rev-list",
    "rev-parse",
    "restore",
    "rm",
    "shortlog",
    "show",
    "stash",
    "status",
    "tag",
];

/// Whether a program of the line may have moved HEAD too. A script is not thought to put it back where it was.
fn moves_head(invocation: &Invocation) -> bool {
    // A branch that is begun where HEAD is leaves HEAD there.
    let begins = |verb: &str, args: &[&str]| {
        let new = matches!(verb, "checkout" | "switch")
            && args.iter().any(|arg| matches!(*arg, "-b" | "-c" | "-qb" | "-qc" | "--create"));
        new && args.iter().filter(|arg| !arg.starts_with('-')).count() == 1
    };
    let keeps = |(verb, args): &(&str, Vec<&str>)| KEEPS_HEAD.contains(verb) || begins(verb, args);
    invocation.program == "git" && !git_verb(invocation).as_ref().is_some_and(keeps)
}

fn commit(
    index: usize,
    run: &Run,
    invocation: &Invocation,
    output: &str,
    look: Option<&Look<'_>>,
    heads: &Heads<'_>,
    sight: Sight,
) -> GitDeed {
    let printed = output.lines().filter_map(committed_line).next_back();
    let head = look.and_then(|l| l.head);
    let own_zero = run.exit.code == Some(0) && invocation.status.zero && invocation.status.zero_ran;
    let failed = run.exit.code.filter(|c| *c != 0 && *c < 126);
    let own_failure = failed.filter(|_| invocation.status.nonzero && invocation.reached == Reached::Always);
    let unmoved = head.is_some() && head == heads.first;
    let moved = head.is_some() && heads.before.is_some_and(|before| Some(before) != head);
    let says = |phrase: &str| output.contains(phrase);
    // Files that git does not know may have lain there all along, and the work may have been committed before the session.
    let only_untracked = says("nothing added to commit but untracked files present");
    let nothing_committed = only_untracked || says("no changes added to commit") || says("Aborting commit");
    let how = || match (own_failure, failed) {
        _ if nothing_committed => "git commit committed nothing".to_owned(),
        (Some(code), _) => format!("git commit exited {code}"),
        (None, Some(code)) => format!("a line with git commit exited {code}"),
        (None, None) if run.exit.code.is_none() => "how git commit ended was not told".to_owned(),
        (None, None) => "git commit made no commit".to_owned(),
    };
    let ended = run.exit.code.is_some();
    let stood = printed.is_none() && sight != Sight::Blurred && head.is_some() && heads.before == head;
    let deed = |outcome, sha: Option<&str>, detail: String, idle| GitDeed {
        run: index,
        op: GitOp::Commit,
        outcome,
        sha: sha.map(str::to_owned),
        detail,
        look: look.map(|l| l.reference.clone()),
        idle,
        stood: stood.then(how),
        amends: false,
        whole_files: Vec::new(),
    };
    match (printed, head) {
        // Text alone makes no commit: `git log --format='[main %h] %s'` prints the same of a HEAD that stood there before.
        (Some(printed), Some(head)) if head.starts_with(printed) && heads.before != Some(head) => {
            let made = deed(Outcome::Confirmed, Some(head), format!("HEAD is at {}", short(head)), false);
            return GitDeed { whole_files: output.lines().filter_map(whole_file).collect(), ..made };
        }
        // What came after it in the line may have failed or hidden its status; HEAD tells.
        (None, Some(head)) if moved && (own_zero || (sight != Sight::Blurred && ended && own_failure.is_none())) => {
            return deed(Outcome::Confirmed, Some(head), format!("HEAD moved to {}", short(head)), false);
        }
        _ => {}
    }
    if printed.is_none() && says("nothing to commit, working tree clean") {
        return deed(Outcome::Unknown, None, "git commit had nothing to commit".into(), true);
    }
    let changes_remain = look.and_then(|l| l.clean) == Some(false);
    if printed.is_none() && only_untracked && !heads.edited {
        return deed(
            Outcome::Unknown,
            None,
            "git commit had nothing to commit but files that git does not know".into(),
            true,
        );
    }
    // Where another command of the line may have failed, only that HEAD stood still over it shows that no commit was made.
    let none_came = own_failure.is_some() || (failed.is_some() && stood && sight == Sight::Clear && heads.edited);
    if printed.is_none() && unmoved && changes_remain && (nothing_committed || none_came) {
        return deed(Outcome::Refuted, None, format!("{}, changes remain, and HEAD has not moved", how()), false);
    }
    let why = match (printed, head) {
        (Some(printed), Some(head)) => {
            format!("git printed commit {printed}, but the host saw HEAD at {}", short(head))
        }
        (_, None) => "the host did not see HEAD after git commit".into(),
        (None, _) if stood => format!("{}, and HEAD did not move", how()),
        (None, _) => "whether git commit made a commit was not seen".into(),
    };
    deed(Outcome::Unknown, None, why, false)
}

/// `[main 54de2ce] message`, `[detached HEAD 54de2ce] …`, `[main (root-commit) 54de2ce] …` → the hash.
fn committed_line(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.split(']').next()?;
    let (_, hash) = inside.rsplit_once(' ')?;
    let hex = (4..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase());
    hex.then_some(hash)
}

/// ` create mode 100644 a.rs`, ` delete mode 100644 b.rs`; a name in quotation marks is left alone.
fn whole_file(line: &str) -> Option<WholeFile> {
    let (word, rest) = line.strip_prefix(' ')?.split_once(" mode ")?;
    let change = match word {
        "create" => "created",
        "delete" => "removed",
        _ => return None,
    };
    let (mode, path) = rest.split_once(' ')?;
    let known = mode.len() == 6 && mode.bytes().all(|b| b.is_ascii_digit()) && !path.starts_with('"');
    known.then(|| WholeFile { change, path: path.to_owned() })
}

/// The first seven digits of a commit id.
pub fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_own_lines_are_read() {
        assert_eq!(committed_line("[main 54de2ce] second commit"), Some("54de2ce"));
        assert_eq!(committed_line("[detached HEAD abc1234] x"), Some("abc1234"));
        assert_eq!(committed_line("[main (root-commit) abc1234] x"), Some("abc1234"));
        assert_eq!(committed_line("[main] x"), None);
    }
}
