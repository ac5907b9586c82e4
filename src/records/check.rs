//! A run of a check: which runner, over what, in which directory and state, and what came of it.

use std::path::{Component, Path, PathBuf};

use super::command;
use super::invocation::{Dir, Invocation, Reached, Reading};
use super::outcome::{Basis, Executed, Judged, Outcome, Seen, judge_run};
use super::run::Run;
use super::runners::{Recognised, Scope, recognise};
use super::subject::Subject;

/// One run of one check.
#[derive(Debug, Clone)]
pub struct CheckRun {
    /// Index of the run in the story.
    pub run: usize,
    /// `tests`, `lint`, `typecheck`, `format`, `build`, or `check` for a declared one.
    pub check: String,
    /// The runner, named as its fixtures are; the name of a declared check.
    pub runner: String,
    /// The runner that was called, where it called another: `npm` of an `npm test` that ran Jest.
    pub called: Option<&'static str>,
    /// What it was narrowed to, as typed; `None`: a full run.
    pub filter: Option<String>,
    /// Absolute; `None` where it cannot be told.
    pub dir: Option<String>,
    /// It ran in a container or on another machine.
    pub elsewhere: Option<String>,
    /// The simple command, after unwrapping.
    pub text: String,
    pub subject: Subject,
    pub judged: Judged,
}

impl CheckRun {
    /// Whether a pass of this run speaks for what `other` ran: the same command, or the same or a wider filter.
    pub fn includes(&self, other: &CheckRun) -> bool {
        match (&self.filter, &other.filter) {
            (None, _) => true,
            (Some(mine), Some(theirs)) => self.text == other.text || is_wider(mine, theirs),
            (Some(_), None) => false,
        }
    }
}

/// Every path or test id of the narrower filter lies in one of the wider. Options that narrow are compared as they are.
fn is_wider(wide: &str, narrow: &str) -> bool {
    let inside = |part: &str, whole: &str| {
        let rest = part.strip_prefix(whole.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('/'))
    };
    let plain = |filter: &str| !filter.split_whitespace().any(|word| word.starts_with('-'));
    wide == narrow
        || (plain(wide)
            && plain(narrow)
            && narrow.split_whitespace().all(|part| wide.split_whitespace().any(|whole| inside(part, whole))))
}

/// What reading a run needs to know of the project and the session.
pub struct Setting<'a> {
    /// Declared checks: name and command, words joined by one space.
    pub declared: &'a [(String, String)],
    /// The last edit of the session before the run.
    pub edits: Option<String>,
    /// Accept a runner's own exit only.
    pub strict: bool,
    pub output: &'a str,
}

/// The checks that a run was. Empty for a command that is none.
pub fn check_runs(index: usize, run: &Run, setting: &Setting<'_>) -> Vec<CheckRun> {
    let mut found = Vec::new();
    let Reading::Script(invocations) = command::read(&run.command) else { return found };
    let recognised: Vec<Vec<Recognised>> = invocations.iter().map(recognise).collect();
    for (n, invocation) in invocations.iter().enumerate() {
        // A check after this one is taken to leave the files alone; anything else that can change them may have.
        let later = invocations[n + 1..].iter().zip(&recognised[n + 1..]);
        let then_changes = invocation.elsewise.after
            || later.into_iter().any(|(i, checks)| i.changes && !leaves_files_alone(i, checks));
        let subject = subject(run, invocation, then_changes, setting);
        if let Some((name, _)) = setting.declared.iter().find(|(_, command)| *command == invocation.text) {
            found.push(declared(index, run, invocation, name, subject.clone()));
        }
        for check in recognised[n].iter().filter(|c| !matches!(c.scope, Scope::ChecksNothing(_))) {
            found.push(recognised_run(index, run, invocation, &invocations, check, subject.clone(), setting));
        }
    }
    if let Some(name) = &run.check
        && !found.iter().any(|c| c.check == "check" && c.runner == *name)
    {
        found.push(run_by_deeds(index, run, ("check", name), setting));
    }
    // What is known as a runner is judged as one, also where it checked nothing.
    if let Some((name, kind)) = &run.producer
        && let Some((_, check)) = BY_KIND.iter().find(|(known, _)| known == kind)
        && recognised.iter().all(Vec::is_empty)
    {
        found.push(run_by_deeds(index, run, (check, name), setting));
    }
    found
}

/// What a sealed producer counts as where its command is none that is known: what it was declared to be.
const BY_KIND: &[(&str, &str)] = &[("test", "tests"), ("lint", "lint")];

/// git's verbs that move history and leave the files as they are. A commit hook that rewrites files is not thought of here:
/// the tree is the one seen after it.
const KEEPS_FILES: &[&str] = &["add", "commit", "push", "tag", "fetch"];

/// A check that checks leaves the files alone, unless it is told to mend what it finds.
fn leaves_files_alone(invocation: &Invocation, checks: &[Recognised]) -> bool {
    let words = || invocation.args.iter().map(|word| word.text.as_str());
    if invocation.program == "git" {
        return words().next().is_some_and(|verb| KEEPS_FILES.contains(&verb));
    }
    let mends = words().any(|word| word.starts_with("--fix") || word == "--write" || word == "--unsafe-fixes");
    !mends && !checks.is_empty() && !checks.iter().any(|c| matches!(c.scope, Scope::ChecksNothing(_)))
}

fn recognised_run(
    index: usize,
    run: &Run,
    invocation: &Invocation,
    line: &[Invocation],
    recognised: &Recognised,
    subject: Subject,
    setting: &Setting<'_>,
) -> CheckRun {
    let mut judged = judge_run(&Seen {
        recognised,
        invocation,
        line,
        reported_exit: run.exit.code,
        exit_reason: run.exit.reason.as_deref(),
        output: setting.output,
        output_cut: run.output_cut,
    });
    let root = run.root.as_deref().or(run.cwd.as_deref());
    let outside = |word: &str| word.starts_with('/') && root.is_some_and(|root| !Path::new(word).starts_with(root));
    let subject = match &recognised.scope {
        Scope::Filtered(what) if what.split(' ').any(outside) => {
            Subject::Nowhere { why: format!("what it was narrowed to lies outside the session's worktree: {what}") }
        }
        _ => subject,
    };
    if judged.outcome == Outcome::Refuted && judged.own_exit.is_none() && invocation.repeats {
        judged.outcome = Outcome::Unknown;
        judged.reason = Some("it ran in a loop, and which of its runs failed cannot be told".into());
    }
    if setting.strict && judged.outcome == Outcome::Confirmed && judged.basis != Some(Basis::Exit) {
        judged.outcome = Outcome::Unknown;
        judged.reason = Some("deeds.json is strict, and the runner's own exit status was not seen".into());
    }
    CheckRun {
        run: index,
        check: recognised.check.as_str().to_owned(),
        runner: judged.inner.unwrap_or(recognised.runner).to_owned(),
        called: judged.inner.map(|_| recognised.runner),
        filter: match &recognised.scope {
            Scope::Filtered(what) => Some(what.clone()),
            _ => None,
        },
        dir: directory(run, invocation),
        elsewhere: invocation.elsewhere.clone(),
        text: invocation.text.clone(),
        subject,
        judged,
    }
}

/// A declared check: its own exit decides, and nothing else.
fn declared(index: usize, run: &Run, invocation: &Invocation, name: &str, subject: Subject) -> CheckRun {
    CheckRun {
        run: index,
        check: "check".into(),
        runner: name.to_owned(),
        called: None,
        filter: None,
        dir: directory(run, invocation),
        elsewhere: invocation.elsewhere.clone(),
        text: invocation.text.clone(),
        subject,
        judged: by_exit(own_exit(run, invocation)),
    }
}

/// `deeds run --check NAME`, or a producer: deeds waited for it itself.
fn run_by_deeds(index: usize, run: &Run, (check, name): (&str, &str), setting: &Setting<'_>) -> CheckRun {
    CheckRun {
        run: index,
        check: check.to_owned(),
        runner: name.to_owned(),
        called: None,
        filter: None,
        dir: run.cwd.clone(),
        elsewhere: None,
        text: run.command.clone(),
        subject: state(run, setting),
        judged: by_exit(run.exit.code.ok_or_else(|| run.exit.reason.clone().unwrap_or_default())),
    }
}

/// The invocation's own exit status, or why it is not known.
fn own_exit(run: &Run, invocation: &Invocation) -> Result<i64, String> {
    let status = invocation.status;
    match run.exit.code {
        None => Err(run.exit.reason.clone().unwrap_or_else(|| "its exit status was not told".into())),
        Some(0) if status.zero && status.zero_ran && !status.inverted => Ok(0),
        Some(code)
            if code != 0
                && status.nonzero
                && invocation.reached == Reached::Always
                && !invocation.wrapper_codes.iter().any(|w| i64::from(*w) == code) =>
        {
            Ok(code)
        }
        Some(_) => Err("the status reported is not its own".into()),
    }
}

fn by_exit(exit: Result<i64, String>) -> Judged {
    let (outcome, reason, executed, own_exit) = match exit {
        Ok(0) => (Outcome::Confirmed, None, Executed::Some, Some(0)),
        Ok(code @ (126 | 127)) => {
            (Outcome::Unknown, Some("the command could not be started".into()), Executed::Nothing, Some(code))
        }
        Ok(code) if code > 128 => {
            (Outcome::Unknown, Some(format!("it was killed (exit {code})")), Executed::CannotTell, Some(code))
        }
        Ok(code) => (Outcome::Refuted, None, Executed::Some, Some(code)),
        Err(why) => (Outcome::Unknown, Some(why), Executed::CannotTell, None),
    };
    Judged {
        outcome,
        basis: own_exit.map(|_| Basis::Exit),
        reason,
        counts: None,
        failing: Vec::new(),
        executed,
        only_warnings: false,
        rule: "a declared check's own exit status",
        own_exit,
        inner: None,
    }
}

/// Which state the invocation was about: the tree that the host saw afterwards, if nothing can have come between.
fn subject(run: &Run, invocation: &Invocation, then_changes: bool, setting: &Setting<'_>) -> Subject {
    if let Some(elsewhere) = &invocation.elsewhere {
        return Subject::Nowhere { why: format!("it ran elsewhere ({elsewhere})") };
    }
    if then_changes {
        return Subject::Nowhere { why: "a later command of the same line can have changed the files".into() };
    }
    let Some(dir) = directory(run, invocation) else {
        return Subject::Nowhere { why: "the directory it ran in cannot be told".into() };
    };
    let Some(dir) = entered(&dir, invocation) else {
        return Subject::Nowhere { why: "the directory it ran in cannot be told".into() };
    };
    let project = run.root.as_deref().or(run.cwd.as_deref());
    if project.is_some_and(|root| !Path::new(&dir).starts_with(root)) {
        return Subject::Nowhere { why: format!("it ran outside the session's worktree, in {dir}") };
    }
    if project.is_some_and(|root| is_nested_repository(&dir, root)) {
        return Subject::Nowhere { why: format!("it ran in another repository inside the worktree, in {dir}") };
    }
    state(run, setting)
}

/// Between the directory and the worktree's root a repository of its own begins: another worktree, a vendored checkout.
fn is_nested_repository(dir: &str, root: &str) -> bool {
    let between = Path::new(dir).ancestors().take_while(|dir| *dir != Path::new(root));
    between.into_iter().any(|dir| dir.join(".git").exists())
}

/// `make -C dir`, `go -C dir`, `npm --prefix dir`: the program goes there by itself. `None`: it cannot be told where.
fn entered(dir: &str, invocation: &Invocation) -> Option<String> {
    let flags: &[&str] = match invocation.program.as_str() {
        "make" | "gmake" => &["-C", "--directory"],
        "cargo" | "go" | "ninja" => &["-C"],
        "npm" => &["--prefix"],
        "pnpm" => &["-C", "--dir"],
        "yarn" => &["--cwd"],
        _ => return Some(dir.to_owned()),
    };
    let mut at = PathBuf::from(dir);
    let mut words = invocation.args.iter().take_while(|word| word.text != "--");
    while let Some(word) = words.next() {
        let joined = flags.iter().find_map(|flag| word.text.strip_prefix(flag)?.strip_prefix('='));
        let to = if flags.contains(&word.text.as_str()) { words.next().map(|w| w.text.as_str()) } else { joined };
        let Some(to) = to else { continue };
        if to.contains(['$', '`']) || to.starts_with('~') {
            return None;
        }
        at = at.join(to);
    }
    Some(normal(&at))
}

fn state(run: &Run, setting: &Setting<'_>) -> Subject {
    match run.tree() {
        Ok(tree) => Subject::Tree { tree: tree.to_owned(), edits: setting.edits.clone() },
        Err(why) => Subject::Edits { edits: setting.edits.clone(), why },
    }
}

/// The invocation's directory, absolute; lexical, since the place may be gone.
pub fn directory(run: &Run, invocation: &Invocation) -> Option<String> {
    let start = run.cwd.as_deref()?;
    match &invocation.dir {
        Dir::Start => Some(start.to_owned()),
        // Where home is was not recorded.
        Dir::To(to) if to.starts_with('~') => None,
        Dir::To(to) => Some(normal(&Path::new(start).join(to))),
        Dir::Unknown => None,
    }
}

/// `a/../b/.` → `b`, without asking the file system.
pub fn normal(path: &Path) -> String {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out.display().to_string()
}
