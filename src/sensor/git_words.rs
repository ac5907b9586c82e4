//! What git itself printed about a commit or a push, by the literal shapes of its lines.
//!
//! Words can be printed by anybody: they are kept as words, and the host's own look at the repository decides. No pattern
//! engine: each line is known by how it begins.

/// What git's words say was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VcsOperation {
    pub op: Op,
    pub result: Outcome,
    pub branch: Option<String>,
    /// As short as git printed it.
    pub sha: Option<String>,
    /// Where a push went, as git names it.
    pub remote: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Commit,
    Push,
}

impl Op {
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Commit => "commit",
            Op::Push => "push",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Rejected,
    Nothing,
    UpToDate,
    Failed,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Rejected => "rejected",
            Outcome::Nothing => "nothing",
            Outcome::UpToDate => "up_to_date",
            Outcome::Failed => "failed",
        }
    }
}

/// How a commit says that it made none. `git status` prints some of them too.
const NOTHING_COMMITTED: &[&str] = &[
    "nothing to commit, working tree clean",
    "nothing to commit (",
    "nothing added to commit but untracked files present",
    "no changes added to commit",
];

const COMMIT_FAILED: &[&str] =
    &["Aborting commit", "error: Committing is not possible", "fatal: cannot do a partial commit"];

const PUSH_FAILED: &[&str] = &[
    "fatal: Authentication failed for ",
    "fatal: Could not read from remote repository",
    "fatal: No configured push destination",
    "fatal: The current branch ",
    "fatal: could not read Username for ",
    "fatal: unable to access ",
    "error: src refspec ",
];

/// More operations than one command line plausibly makes are not worth their entries.
const MOST: usize = 16;

/// The operations that `output` speaks of, in order; nothing unless `command` speaks of git.
pub fn read(command: &str, output: &str) -> Vec<VcsOperation> {
    let (commits, pushes) = (command.contains("commit"), command.contains("push") && !command.contains("--dry-run"));
    if !command.contains("git") || !(commits || pushes) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut remote: Option<&str> = None;
    for line in output.lines() {
        if found.len() == MOST {
            break;
        }
        if line.starts_with("From ") {
            remote = None;
        } else if let Some(to) = line.strip_prefix("To ") {
            remote = Some(to.trim());
        }
        found.extend(commits.then(|| commit(line)).flatten());
        found.extend(pushes.then(|| push(line, remote)).flatten());
    }
    let rejected = found.iter().any(|op| op.result == Outcome::Rejected);
    if pushes && !rejected && output.lines().any(|line| line.starts_with("error: failed to push some refs")) {
        found.push(operation(Op::Push, Outcome::Failed));
    }
    found
}

fn operation(op: Op, result: Outcome) -> VcsOperation {
    VcsOperation { op, result, branch: None, sha: None, remote: None }
}

/// `[main 54de2ce] subject`, `[main (root-commit) 54de2ce] …`, `[detached HEAD 54de2ce] …`.
fn commit(line: &str) -> Option<VcsOperation> {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if starts(NOTHING_COMMITTED) {
        return Some(operation(Op::Commit, Outcome::Nothing));
    }
    if starts(COMMIT_FAILED) {
        return Some(operation(Op::Commit, Outcome::Failed));
    }
    let (inside, _) = line.strip_prefix('[')?.split_once("] ")?;
    let (place, sha) = inside.rsplit_once(' ')?;
    let place = place.strip_suffix(" (root-commit)").unwrap_or(place);
    let named = (place != "detached HEAD").then_some(place);
    if !is_sha(sha) || named.is_some_and(|name| name.is_empty() || name.contains(' ')) {
        return None;
    }
    Some(VcsOperation {
        branch: named.map(str::to_owned),
        sha: Some(sha.to_owned()),
        ..operation(Op::Commit, Outcome::Done)
    })
}

/// A line of a push's report: a flag, what happened, `source -> destination`.
fn push(line: &str, remote: Option<&str>) -> Option<VcsOperation> {
    if line.starts_with("Everything up-to-date") {
        return Some(operation(Op::Push, Outcome::UpToDate));
    }
    if PUSH_FAILED.iter().any(|word| line.starts_with(word)) {
        return Some(operation(Op::Push, Outcome::Failed));
    }
    // A fetch reports the same way, under `From` rather than `To`.
    let remote = remote?;
    let flag = *line.strip_prefix(' ')?.as_bytes().first()?;
    let (what, refs) = line.get(3..)?.split_once(" -> ")?;
    let what = what.trim_start();
    let result = match flag {
        b'!' if what.starts_with("[rejected]") || what.starts_with("[remote rejected]") => Outcome::Rejected,
        b'!' if what.starts_with("[remote failure]") => Outcome::Failed,
        b'=' if what.starts_with("[up to date]") => Outcome::UpToDate,
        b'*' if what.starts_with("[new ") => Outcome::Done,
        b' ' | b'+' if moved(what).is_some() => Outcome::Done,
        _ => return None,
    };
    Some(VcsOperation {
        branch: refs.split_whitespace().next().map(str::to_owned),
        sha: moved(what).map(str::to_owned),
        remote: Some(remote.to_owned()),
        ..operation(Op::Push, result)
    })
}

/// The new end of `8003700..54de2ce` or `a278572...7f190f6`.
fn moved(what: &str) -> Option<&str> {
    let range = what.split_whitespace().next()?;
    let (from, to) = range.split_once("...").or_else(|| range.split_once(".."))?;
    (is_sha(from) && is_sha(to)).then_some(to)
}

fn is_sha(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(command: &str, output: &str) -> Vec<(&'static str, &'static str, Option<String>, Option<String>)> {
        read(command, output).into_iter().map(|v| (v.op.as_str(), v.result.as_str(), v.branch, v.sha)).collect()
    }

    #[test]
    fn a_commit_is_known_by_its_first_line() {
        let made = |branch: &str, sha: &str| vec![("commit", "done", Some(branch.to_owned()), Some(sha.to_owned()))];
        assert_eq!(said("git commit -m x", "[main 54de2ce] second commit\n 1 file changed"), made("main", "54de2ce"));
        assert_eq!(said("git commit -m x", "[main (root-commit) 54de2ce] x"), made("main", "54de2ce"));
        assert_eq!(
            said("git commit -m x", "[detached HEAD 54de2ce] x"),
            vec![("commit", "done", None, Some("54de2ce".into()))]
        );
        for other in ["[ok 12] x", "[main zzz] x", "[a b c 54de2ce] x", "[54de2ce] x", "[INFO 54de2ce"] {
            assert_eq!(said("git commit -m x", other), vec![], "{other}");
        }
        assert_eq!(said("cat log", "[main 54de2ce] x"), vec![]);
    }

    #[test]
    fn a_commit_that_made_none_says_so_and_status_is_no_commit() {
        let clean = "On branch main\n\nnothing to commit, working tree clean";
        assert_eq!(said("git commit -m x", clean), vec![("commit", "nothing", None, None)]);
        assert_eq!(said("git status", clean), vec![]);
        assert_eq!(
            said("git commit", "Aborting commit due to empty commit message."),
            vec![("commit", "failed", None, None)]
        );
    }

    #[test]
    fn a_push_is_known_by_its_report_of_refs() {
        let main = || Some("main".to_owned());
        let to = "To /home/dev/demo/remote.git\n";
        let push = |line: &str| said("git push", &format!("{to}{line}"));
        assert_eq!(push("   8003700..54de2ce  main -> main"), vec![("push", "done", main(), Some("54de2ce".into()))]);
        assert_eq!(
            push(" + a278572...7f190f6 main -> main (forced update)"),
            vec![("push", "done", main(), Some("7f190f6".into()))]
        );
        assert_eq!(push(" * [new branch]      main -> main"), vec![("push", "done", main(), None)]);
        assert_eq!(push(" ! [rejected]        main -> main (fetch first)"), vec![("push", "rejected", main(), None)]);
        assert_eq!(push(" - [deleted]         old"), vec![]);
        assert_eq!(said("git push", "Everything up-to-date"), vec![("push", "up_to_date", None, None)]);
        assert_eq!(
            read("git push", &format!("{to} * [new tag]  v1 -> v1"))[0].remote.as_deref(),
            Some("/home/dev/demo/remote.git")
        );
    }

    #[test]
    fn what_only_looks_like_a_push_is_none() {
        let fetched = "From /home/dev/demo/remote\n   8003700..54de2ce  main       -> origin/main";
        assert_eq!(said("git pull && git push", fetched), vec![]);
        let report = "To /home/dev/demo/remote.git\n   8003700..54de2ce  main -> main";
        assert_eq!(said("git push --dry-run", report), vec![]);
        assert_eq!(said("git log", report), vec![]);
    }

    #[test]
    fn a_push_that_failed_without_a_rejected_ref_is_a_failure() {
        let failed = vec![("push", "failed", None, None)];
        assert_eq!(said("git push", "error: failed to push some refs to 'x'"), failed);
        assert_eq!(said("git push", "fatal: The current branch x has no upstream branch."), failed);
        let rejected = "To x\n ! [rejected]  main -> main (fetch first)\nerror: failed to push some refs to 'x'";
        assert_eq!(said("git push", rejected), vec![("push", "rejected", Some("main".into()), None)]);
    }
}
