//! Runs one producer against the clock, in a process group of its own, and takes what it prints apart by stream.
//!
//! Architecture invariant: when this returns, nothing of the group is left alive, however the producer ended; what it
//! printed until then is kept. Only a process that left the group by itself can outlive it, and nothing waits for that.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::stream::{Captured, Stream};
use crate::clock;
use crate::error::Error;
use crate::layout;

/// How long what the leader left behind may still print, and after a kill, how long its streams may take to close.
const LINGER: Duration = Duration::from_millis(300);
/// How often the leader is asked whether it ended.
const TICK: Duration = Duration::from_millis(10);
/// How long a killed leader may take to be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// What to run.
pub struct Call<'a> {
    pub argv: &'a [String],
    pub cwd: &'a Path,
    pub env: &'a BTreeMap<String, String>,
    pub timeout: Duration,
    /// Standard output is bytes, not text.
    pub media: bool,
    /// Becomes true where deeds itself is asked to end.
    pub stop: &'a AtomicBool,
    /// Told to the producer, so that it cannot wait for the seal that it is part of.
    pub sealing: &'a Path,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    NotStarted(String),
}

/// One producer's course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    /// RFC 3339.
    pub started_at: String,
    pub ended_at: String,
    /// Its leader had ended, and something that it started still held its output.
    pub left_running: bool,
}

/// deeds was asked to end before the producer did.
#[derive(Debug)]
pub struct Interrupted;

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Error {
        Error::unable("interrupted", "the seal was interrupted; nothing was sealed")
    }
}

/// Runs it to its end.
pub fn run(call: &Call<'_>) -> Result<Finished, Interrupted> {
    let started_at = clock::now();
    let mut running = Running {
        stdout: if call.media { Stream::media() } else { Stream::text() },
        stderr: Stream::text(),
        left_running: false,
        timed_out: false,
    };
    let end = match start(call) {
        Ok(mut child) => {
            let ended = running.follow(&mut child, call);
            kill_group(&child);
            let status = reap(&mut child);
            ended?;
            match status {
                _ if running.timed_out => End::TimedOut,
                Some(status) => how(status),
                None => End::Signalled(9),
            }
        }
        Err(why) => End::NotStarted(why),
    };
    let ended_at = clock::now();
    let (stdout, stderr) = (running.stdout.end(), running.stderr.end());
    Ok(Finished { end, stdout, stderr, started_at, ended_at, left_running: running.left_running })
}

fn start(call: &Call<'_>) -> Result<Child, String> {
    let (program, rest) = call.argv.split_first().ok_or("there is no command")?;
    let mut command = Command::new(program);
    command.args(rest).current_dir(call.cwd).envs(call.env).env(layout::SEALING, call.sealing).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|cause| match cause.kind() {
        ErrorKind::NotFound if !call.cwd.is_dir() => format!("there is no directory {}", call.cwd.display()),
        _ => format!("{program}: {cause}"),
    })
}

fn how(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_default()),
    }
}

/// How far the group has come.
enum Phase {
    Running,
    /// The leader has ended; it is not reaped yet, so that its group's number cannot be another's.
    Ended(Instant),
    Killed(Instant),
}

struct Running {
    stdout: Stream,
    stderr: Stream,
    left_running: bool,
    timed_out: bool,
}

impl Running {
    fn follow(&mut self, child: &mut Child, call: &Call<'_>) -> Result<(), Interrupted> {
        let deadline = Instant::now() + call.timeout;
        let mut chunk = vec![0; 64 << 10];
        let mut phase = Phase::Running;
        loop {
            if call.stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
            let open = child.stdout.is_some() || child.stderr.is_some();
            match phase {
                Phase::Running if has_ended(child) => phase = Phase::Ended(Instant::now()),
                Phase::Running if Instant::now() >= deadline => {
                    self.timed_out = true;
                    kill_group(child);
                    phase = Phase::Killed(Instant::now());
                }
                Phase::Ended(at) if !open || at.elapsed() >= LINGER => {
                    self.left_running = open;
                    kill_group(child);
                    phase = Phase::Killed(Instant::now());
                }
                Phase::Killed(at) if !open || at.elapsed() >= LINGER => return Ok(()),
                _ => {}
            }
            self.take_what_is_there(child, &mut chunk);
        }
    }

    /// Waits a moment for output, and takes one piece of each stream that has some.
    fn take_what_is_there(&mut self, child: &mut Child, chunk: &mut [u8]) {
        let mut polled = Vec::with_capacity(2);
        let (out, err) = (child.stdout.as_ref(), child.stderr.as_ref());
        polled.extend(out.map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        polled.extend(err.map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        if poll(&mut polled, Some(&tick)).is_err() {
            return;
        }
        let mut ready = polled.iter().map(|fd| !fd.revents().is_empty());
        let out_ready = out.is_some() && ready.next() == Some(true);
        let err_ready = err.is_some() && ready.next() == Some(true);
        drop(ready);
        if out_ready {
            take(&mut child.stdout, &mut self.stdout, chunk);
        }
        if err_ready {
            take(&mut child.stderr, &mut self.stderr, chunk);
        }
    }
}

/// One read; at its end, or where it fails, the pipe is closed.
fn take<P: Read>(pipe: &mut Option<P>, into: &mut Stream, chunk: &mut [u8]) {
    let Some(open) = pipe else { return };
    match open.read(chunk) {
        Ok(0) => *pipe = None,
        Ok(n) => into.add(&chunk[..n]),
        Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
        Err(_) => *pipe = None,
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Whether the leader has ended; it stays to be reaped.
fn has_ended(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    pid(child).is_some_and(|pid| waitid(WaitId::Pid(pid), options).is_ok_and(|found| found.is_some()))
}

fn kill_group(child: &Child) {
    if let Some(group) = pid(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Waits for a leader that has ended or was killed. One that not even that ends (it waits for a disk) is left to the system.
fn reap(child: &mut Child) -> Option<ExitStatus> {
    let since = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if since.elapsed() < PATIENCE => std::thread::sleep(Duration::from_micros(200)),
            _ => return None,
        }
    }
}
