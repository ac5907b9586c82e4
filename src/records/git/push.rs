//! One `git push`: its own table of refs first, then the host's look at where the remote branch is.

use super::{GitDeed, GitOp, Look, has};
use crate::records::invocation::{Invocation, Reached};
use crate::records::outcome::Outcome;
use crate::records::run::Run;

/// What one `git push` did to each ref that it names.
pub(super) fn push(
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
        stood: None,
        amends: false,
        whole_files: Vec::new(),
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
        let stood = up_to_date.then(|| "git push had nothing to push".to_owned());
        GitDeed { stood, ..deed(&target, Outcome::Confirmed, format!("{remote}/{target} is at HEAD")) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_table_is_read() {
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
