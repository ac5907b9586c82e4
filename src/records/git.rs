//! Commits and pushes: what git itself printed, held against what the host saw right afterwards.
//!
//! Text alone never makes a commit: `echo '[main deadbee] x'` prints the same. HEAD must stand there.

use serde_json::Value;

use super::check::directory;
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
            "commit" if !has(&args, &["--dry-run"]) => {
                deeds.push(commit(index, run, invocation, output, look.as_ref(), heads));
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

/// A commit in another repository is no commit in this one: `-C`, `--git-dir`, or a `cd` out of the worktree.
fn in_worktree(run: &Run, invocation: &Invocation) -> bool {
    let words = || invocation.args.iter().map(|w| w.text.as_str());
    if words().any(|w| w.starts_with("--git-dir") || w.starts_with("--work-tree")) || words().next() == Some("-C") {
        return false;
    }
    let Some(dir) = directory(run, invocation) else { return false };
    run.root.as_deref().is_none_or(|root| std::path::Path::new(&dir).starts_with(root))
}

fn commit(
    index: usize,
    run: &Run,
    invocation: &Invocation,
    output: &str,
    look: Option<&Look<'_>>,
    heads: &Heads<'_>,
) -> GitDeed {
    let printed = output.lines().filter_map(committed_line).next_back();
    let head = look.and_then(|l| l.head);
    let own_zero = run.exit.code == Some(0) && invocation.status.zero && invocation.status.zero_ran;
    let own_failure = run
        .exit
        .code
        .filter(|c| *c != 0 && *c < 126 && invocation.status.nonzero && invocation.reached == Reached::Always);
    let unmoved = head.is_some() && head == heads.first;
    let deed = |outcome, sha: Option<&str>, detail: String, idle| GitDeed {
        run: index,
        op: GitOp::Commit,
        outcome,
        sha: sha.map(str::to_owned),
        detail,
        look: look.map(|l| l.reference.clone()),
        idle,
    };
    match (printed, head) {
        // Text alone makes no commit: `git log --format='[main %h] %s'` prints the same of a HEAD that stood there before.
        (Some(printed), Some(head)) if head.starts_with(printed) && heads.before != Some(head) => {
            return deed(Outcome::Confirmed, Some(head), format!("HEAD is at {}", short(head)), false);
        }
        (None, Some(head)) if own_zero && heads.before.is_some_and(|before| before != head) => {
            return deed(Outcome::Confirmed, Some(head), format!("HEAD moved to {}", short(head)), false);
        }
        _ => {}
    }
    let says = |phrase: &str| output.contains(phrase);
    if printed.is_none() && says("nothing to commit, working tree clean") {
        return deed(Outcome::Unknown, None, "git commit had nothing to commit".into(), true);
    }
    let changes_remain = look.and_then(|l| l.clean) == Some(false);
    // Files that git does not know may have lain there all along, and the work may have been committed before the session.
    let only_untracked = says("nothing added to commit but untracked files present");
    if printed.is_none() && only_untracked && !heads.edited {
        return deed(
            Outcome::Unknown,
            None,
            "git commit had nothing to commit but files that git does not know".into(),
            true,
        );
    }
    let nothing_committed = only_untracked || says("no changes added to commit") || says("Aborting commit");
    if printed.is_none() && unmoved && changes_remain && (nothing_committed || own_failure.is_some()) {
        let why = match own_failure {
            Some(code) if !nothing_committed => format!("git commit exited {code}"),
            _ => "git commit committed nothing".into(),
        };
        return deed(Outcome::Refuted, None, format!("{why}, changes remain, and HEAD has not moved"), false);
    }
    let why = match (printed, head) {
        (Some(printed), Some(head)) => {
            format!("git printed commit {printed}, but the host saw HEAD at {}", short(head))
        }
        (_, None) => "the host did not see HEAD after git commit".into(),
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

fn push(
    index: usize,
    run: &Run,
    invocation: &Invocation,
    args: &[&str],
    output: &str,
    look: Option<&Look<'_>>,
) -> Vec<GitDeed> {
    let remote = remote_of(args, look);
    let branch = look.and_then(|l| l.branch);
    let in_sync = look.is_some_and(|l| l.head.is_some() && l.head == remote_sha(l, &remote));
    let deed = |name: &str, outcome, detail: String| GitDeed {
        run: index,
        op: GitOp::Push { remote: remote.clone(), name: name.to_owned(), current: branch.is_none_or(|b| b == name) },
        outcome,
        sha: look
            .and_then(|l| l.head)
            .filter(|_| outcome == Outcome::Confirmed && branch == Some(name))
            .map(str::to_owned),
        detail,
        look: look.map(|l| l.reference.clone()),
        idle: false,
    };
    let refs: Vec<RefLine<'_>> = output.lines().filter_map(ref_line).collect();
    let mut deeds: Vec<GitDeed> = Vec::new();
    for line in &refs {
        let current = branch == Some(line.name);
        deeds.push(match (line.moved, current && in_sync) {
            (true, _) if current && look.is_some() && !in_sync => {
                deed(line.name, Outcome::Unknown, format!("git moved {remote}/{}, but HEAD is not there", line.name))
            }
            (true, _) => deed(line.name, Outcome::Confirmed, format!("{remote}/{} moved", line.name)),
            (false, false) => {
                deed(line.name, Outcome::Refuted, format!("the push to {remote}/{} was rejected", line.name))
            }
            (false, true) => {
                deed(line.name, Outcome::Unknown, format!("a push was rejected, yet {remote}/{} is at HEAD", line.name))
            }
        });
    }
    if !refs.is_empty() {
        return deeds;
    }
    let Some(target) = target_of(args, branch) else { return deeds };
    let own = |code: i64| match code {
        0 => invocation.status.zero && invocation.status.zero_ran,
        c => c < 126 && invocation.status.nonzero && invocation.reached == Reached::Always,
    };
    let current = branch == Some(target.as_str());
    let exit = run.exit.code.filter(|c| own(*c));
    let up_to_date = output.lines().any(|l| l.trim_end() == "Everything up-to-date");
    let failed = output.lines().any(|l| l.starts_with("error: failed to push some refs"));
    deeds.push(if current && in_sync && !failed && (up_to_date || exit == Some(0)) {
        deed(&target, Outcome::Confirmed, format!("{remote}/{target} is at HEAD"))
    } else if (failed || exit.is_some_and(|c| c != 0)) && !in_sync && look.is_some_and(|l| l.head.is_some()) {
        let how = exit.filter(|c| *c != 0).map_or("failed".to_owned(), |c| format!("exited {c}"));
        deed(&target, Outcome::Refuted, format!("git push {how}, and {remote}/{target} is not at HEAD"))
    } else {
        deed(&target, Outcome::Unknown, "whether git push moved anything was not seen".into())
    });
    deeds
}

struct RefLine<'a> {
    name: &'a str,
    moved: bool,
}

/// One line of git push's own table: `   a1b2c3d..e4f5a6b  main -> main`, ` ! [rejected]        main -> main (fetch first)`.
fn ref_line(line: &str) -> Option<RefLine<'_>> {
    let flag = line.strip_prefix(' ')?.chars().next()?;
    if !matches!(flag, ' ' | '+' | '*' | '!' | '=') {
        return None;
    }
    let (summary, rest) = line.get(3..)?.split_once(" -> ")?;
    let name = rest.split_whitespace().next()?;
    let summary = summary.trim_start();
    let moved = match flag {
        '!' => false,
        '*' => summary.starts_with("[new "),
        _ => summary.split_whitespace().next().is_some_and(is_range),
    };
    let known = moved || (flag == '!' && (summary.starts_with("[rejected]") || summary.starts_with("[remote ")));
    known.then_some(RefLine { name: name.strip_prefix("refs/heads/").unwrap_or(name), moved })
}

/// `a1b2c3d..e4f5a6b` or `a1b2c3d...e4f5a6b`.
fn is_range(word: &str) -> bool {
    let Some((a, b)) = word.split_once("..") else { return false };
    let hex = |h: &str| h.len() >= 4 && h.bytes().all(|c| c.is_ascii_hexdigit());
    hex(a) && hex(b.trim_start_matches('.'))
}

fn positional<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut out = Vec::new();
    let mut skip = false;
    for arg in args {
        if skip {
            skip = false;
        } else if matches!(*arg, "-o" | "--push-option" | "--receive-pack" | "--exec" | "--repo") {
            skip = true;
        } else if !arg.starts_with('-') {
            out.push(*arg);
        }
    }
    out
}

fn remote_of(args: &[&str], look: Option<&Look<'_>>) -> String {
    let told = positional(args).first().map(|r| (*r).to_owned());
    let upstream = || look.and_then(|l| l.upstream_name).and_then(|n| n.split_once('/')).map(|(r, _)| r.to_owned());
    told.or_else(upstream).unwrap_or_else(|| "origin".into())
}

/// The short name of the ref that a push without a table was to move; `None` for tags only, deletions, and several refs.
fn target_of(args: &[&str], branch: Option<&str>) -> Option<String> {
    match positional(args).as_slice() {
        [] | [_] if has(args, &["--tags"]) => None,
        [] | [_] => branch.map(str::to_owned),
        [_, refspec] => {
            let name = refspec.trim_start_matches('+').rsplit(':').next().unwrap_or(refspec);
            match name.strip_prefix("refs/heads/").unwrap_or(name) {
                "" => None,
                "HEAD" | "@" => branch.map(str::to_owned),
                name => Some(name.to_owned()),
            }
        }
        _ => None,
    }
}

fn remote_sha<'a>(look: &Look<'a>, remote: &str) -> Option<&'a str> {
    let same_named = look.branch.and_then(|b| look.remotes[format!("{remote}/{b}").as_str()].as_str());
    let upstream_here = look.upstream_name.is_some_and(|n| n.starts_with(&format!("{remote}/")));
    same_named.or(look.upstream.filter(|_| upstream_here))
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
        let line = |l| ref_line(l).map(|r| (r.name, r.moved));
        assert_eq!(line("   8003700..54de2ce  main -> main"), Some(("main", true)));
        assert_eq!(line(" ! [rejected]        main -> main (fetch first)"), Some(("main", false)));
        assert_eq!(line(" ! [remote rejected] main -> main (pre-receive hook declined)"), Some(("main", false)));
        assert_eq!(line(" + a278572...7f190f6 main -> main (forced update)"), Some(("main", true)));
        assert_eq!(line(" * [new branch]      feature -> feature"), Some(("feature", true)));
        assert_eq!(line(" = [up to date]      main -> main"), None);
        assert_eq!(line("foo -> bar"), None);
    }

    #[test]
    fn the_target_of_a_push_is_what_its_words_name() {
        assert_eq!(target_of(&["origin", "main"], Some("x")), Some("main".into()));
        assert_eq!(target_of(&["-u", "origin", "HEAD"], Some("x")), Some("x".into()));
        assert_eq!(target_of(&["origin", "a:refs/heads/b"], Some("x")), Some("b".into()));
        assert_eq!(target_of(&["--tags"], Some("x")), None);
        assert_eq!(target_of(&[], Some("x")), Some("x".into()));
        assert_eq!(target_of(&["origin", "a", "b"], Some("x")), None);
    }
}
