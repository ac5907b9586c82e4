//! Runs git against the clock, and so that nothing but git runs.
//!
//! Architecture invariant: git is an absolute path from outside the worktree; no inherited `GIT_*` variable reaches it;
//! it never asks, never takes an optional lock, never fetches; and whatever is still alive when the time is up is killed
//! with all it started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::layout;
use crate::text::{Lines, sanitise, shorten};

/// What one git process may print before it is stopped.
const STDOUT_CAP: usize = 512 << 20;
const STDERR_CAP: usize = 64 << 10;
/// The characters of a reason.
const REASON_CAP: usize = 300;
/// How often a process that has closed its output is asked whether it ended.
const POLL: Duration = Duration::from_micros(200);
/// How long a killed process may take to be gone.
const PATIENCE: Duration = Duration::from_millis(50);

/// The end of a budget. Everything done for one observation shares one.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    budget: Duration,
}

impl Deadline {
    pub fn after(budget: Duration) -> Deadline {
        let now = Instant::now();
        Deadline { at: now.checked_add(budget).unwrap_or(now), budget }
    }

    pub fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    pub fn budget(&self) -> Duration {
        self.budget
    }

    /// The reason there is where nothing is left.
    pub fn check(&self, doing: &str) -> Result<(), String> {
        if self.left().is_zero() { Err(self.reason(doing)) } else { Ok(()) }
    }

    fn reason(&self, doing: &str) -> String {
        format!("timed out after {} ms ({doing})", self.budget.as_millis())
    }
}

/// The git of this host.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    set: Vec<(OsString, OsString)>,
}

/// One git process to be.
#[derive(Debug)]
pub struct Call<'a> {
    pub args: &'a [&'a str],
    /// Where it runs.
    pub dir: &'a Path,
    /// Set last, over everything else.
    pub env: &'a [(&'a str, &'a OsStr)],
    /// Nothing where `None`.
    pub stdin: Option<File>,
}

/// A process that ended by itself.
#[derive(Debug)]
pub struct Done {
    /// `None`: ended by a signal.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Git {
    /// The first `git` on the search path; relative entries, and those inside `worktree`, are passed over, since an agent
    /// can put a program there.
    pub fn find(search: Option<&OsStr>, worktree: Option<&Path>) -> Result<Git, String> {
        let inside = worktree.map(|root| root.canonicalize().unwrap_or_else(|_| root.to_owned()));
        for dir in search.map(std::env::split_paths).into_iter().flatten().filter(|dir| dir.is_absolute()) {
            let program = dir.join("git");
            let runs = std::fs::metadata(&program).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
            let planted = || {
                let real = dir.canonicalize().unwrap_or_else(|_| dir.clone());
                inside.as_ref().is_some_and(|root| real.starts_with(root))
            };
            if runs && !planted() {
                return Ok(Git::at(program));
            }
        }
        Err("git is not on the search path".into())
    }

    /// This very program.
    pub fn at(program: impl Into<PathBuf>) -> Git {
        Git { program: program.into(), set: Vec::new() }
    }

    /// The same git with a variable that every call sees.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Git {
        self.set.push((name.into(), value.into()));
        self
    }

    /// A variable as the calls see it.
    pub fn var(&self, name: &str) -> Option<OsString> {
        let set = self.set.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.clone());
        set.or_else(|| layout::var(name)).filter(|value| !value.is_empty())
    }

    /// Runs one process to its end.
    pub fn run(&self, call: Call<'_>, deadline: &Deadline) -> Result<Done, String> {
        self.run_all(vec![call], deadline).pop().unwrap_or_else(not_run)
    }

    /// Runs all at once, to the end of each; an answer for each, in order.
    pub fn run_all(&self, calls: Vec<Call<'_>>, deadline: &Deadline) -> Vec<Result<Done, String>> {
        let mut running: Vec<Running> = calls.into_iter().map(|call| Running::start(self, call, deadline)).collect();
        while running.iter().any(Running::is_open) && !deadline.left().is_zero() {
            if !read_what_is_there(&mut running, deadline) {
                break;
            }
        }
        running.into_iter().map(|one| one.end(deadline)).collect()
    }

    fn command(&self, call: &mut Call<'_>) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
            command.env_remove(name);
        }
        command.env_remove("LANGUAGE").env("LC_ALL", "C");
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
        command.envs(call.env.iter().copied());
        command.arg("--no-pager").args(call.args).current_dir(call.dir).process_group(0);
        command.stdin(call.stdin.take().map_or_else(Stdio::null, Stdio::from));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// For an answer that nobody gave.
pub fn not_run<T>() -> Result<T, String> {
    Err("git was not run".into())
}

/// What git complains of: the first line of `stderr` that is no mere warning. A directory that could not be read is one,
/// although git itself goes on.
pub fn complaint(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let grave = |line: &&str| {
        let line = line.trim_end();
        let mild = line.starts_with("warning:") || line.starts_with("hint:") || line.is_empty();
        !mild || ["could not open", "unable to", "denied", "cannot"].iter().any(|word| line.contains(word))
    };
    let line = text.lines().find(grave)?;
    Some(shorten(&sanitise(line.trim_end(), Lines::Escape), REASON_CAP))
}

impl Done {
    /// What it printed, if it exited 0 and complained of nothing.
    pub fn output(self, name: &str) -> Result<Vec<u8>, String> {
        match (self.code, complaint(&self.stderr)) {
            (Some(0), None) => Ok(self.stdout),
            (_, Some(why)) => Err(format!("git {name}: {why}")),
            (Some(code), None) => Err(format!("git {name} exited {code}")),
            (None, None) => Err(format!("git {name} was killed")),
        }
    }
}

/// A process that is being read.
struct Running {
    name: String,
    /// `Err`: it could not be started, or was stopped, and why.
    child: Result<Child, String>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Running {
    fn start(git: &Git, mut call: Call<'_>, deadline: &Deadline) -> Running {
        let name = format!("git {}", call.args.first().copied().unwrap_or_default());
        let child = deadline.check(&name).and_then(|()| {
            let spawned = git.command(&mut call).spawn();
            spawned.map_err(|cause| format!("{} could not be started: {cause}", git.program.display()))
        });
        Running { name, child, stdout: Vec::new(), stderr: Vec::new() }
    }

    fn is_open(&self) -> bool {
        self.child.as_ref().is_ok_and(|child| child.stdout.is_some() || child.stderr.is_some())
    }

    /// Waits for what has closed its output, and kills what has not by the deadline.
    fn end(self, deadline: &Deadline) -> Result<Done, String> {
        let Running { name, child, stdout, stderr } = self;
        let mut child = child?;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(Done { code: status.code(), stdout, stderr }),
                Ok(None) if !deadline.left().is_zero() => std::thread::sleep(POLL),
                Ok(None) => {
                    kill(&mut child);
                    return Err(deadline.reason(&name));
                }
                Err(cause) => {
                    kill(&mut child);
                    return Err(format!("{name} could not be waited for: {cause}"));
                }
            }
        }
    }
}

/// Kills a process and all that it started. One that not even that can end (it waits for a disk) is left to the system.
fn kill(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let patience = Instant::now();
    while patience.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(POLL);
    }
}

/// Waits until some process has printed or closed something, and takes it. False: waiting itself failed.
fn read_what_is_there(running: &mut [Running], deadline: &Deadline) -> bool {
    let mut polled = Vec::new();
    let mut whose = Vec::new();
    for (at, one) in running.iter().enumerate() {
        let Ok(child) = &one.child else { continue };
        if let Some(out) = &child.stdout {
            polled.push(PollFd::from_borrowed_fd(out.as_fd(), PollFlags::IN));
            whose.push((at, true));
        }
        if let Some(err) = &child.stderr {
            polled.push(PollFd::from_borrowed_fd(err.as_fd(), PollFlags::IN));
            whose.push((at, false));
        }
    }
    let left = deadline.left();
    let timeout = Timespec { tv_sec: left.as_secs().min(3600) as _, tv_nsec: left.subsec_nanos() as _ };
    match poll(&mut polled, Some(&timeout)) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return true,
        Err(_) => return false,
    }
    let ready: Vec<(usize, bool)> =
        polled.iter().zip(whose).filter(|(fd, _)| !fd.revents().is_empty()).map(|(_, whose)| whose).collect();
    for (at, out) in ready {
        if let Some(one) = running.get_mut(at) {
            take(one, out);
        }
    }
    true
}

/// One read from a stream that has something; at its end the stream is closed.
fn take(one: &mut Running, out: bool) {
    let Ok(child) = &mut one.child else { return };
    let mut chunk = [0; 64 << 10];
    let read = match (&mut child.stdout, &mut child.stderr) {
        (Some(stream), _) if out => stream.read(&mut chunk),
        (_, Some(stream)) if !out => stream.read(&mut chunk),
        _ => return,
    };
    match read {
        Ok(0) if out => child.stdout = None,
        Ok(0) => child.stderr = None,
        Ok(n) if out => one.stdout.extend_from_slice(&chunk[..n]),
        Ok(n) if one.stderr.len() < STDERR_CAP => one.stderr.extend_from_slice(&chunk[..n]),
        Ok(_) => {}
        Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
        Err(_) if out => child.stdout = None,
        Err(_) => child.stderr = None,
    }
    if one.stdout.len() > STDOUT_CAP {
        kill(child);
        one.child = Err(format!("{} printed more than {STDOUT_CAP} bytes", one.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_could_not_be_read_is_no_mere_warning() {
        assert_eq!(complaint(b""), None);
        assert_eq!(complaint(b"warning: LF will be replaced by CRLF in a\nhint: x\n\n"), None);
        let closed = b"warning: mild\nwarning: could not open directory 'a\x1b/': Permission denied\n";
        assert_eq!(complaint(closed).unwrap(), "warning: could not open directory 'a\\x1b/': Permission denied");
        assert_eq!(complaint(b"a/b: Stale file handle").unwrap(), "a/b: Stale file handle");
        assert_eq!(complaint(&[b'x'; 1000]).unwrap().chars().count(), REASON_CAP);
    }
}
