//! `deeds run [--check NAME] -- CMD…`: runs a command, passes everything through, and records what it did, as seen by the
//! host itself.
//!
//! Architecture invariant: the command's standard streams and status are the caller's; that nothing could be recorded is
//! said on stderr and changes neither.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::capture::Capture;
use crate::claims::config::Config;
use crate::clock;
use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::evidence::event::{Action, AgentEvent, Client, CommandRun, ExitBasis, Output, ReportedExit, Via};
use crate::evidence::{ClockSource, Evidence, RuntimeCapabilities};
use crate::layout::{Env, Place};
use crate::ledger::{Append, Kept, Ledger};
use crate::sensor::host_process::{HOST_SESSION, HostProcessSensor, Process};
use crate::sensor::scene::Scene;
use crate::sensor::tree::observe;
use crate::sensor::worktree::{BUDGET, HostWorktreeSensor, Worktree};
use crate::sensor::{EvidenceSensor, capture};

/// How long after the command's end something that it left running may still print.
const LINGER: Duration = Duration::from_millis(300);

/// What to run.
#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    /// The check of `deeds.json` to run.
    pub check: Option<String>,
    pub command: Vec<OsString>,
}

/// Runs the command; its status is the result.
pub fn run(args: &Args) -> Result<u8> {
    let cwd = args.workdir.canonicalize().map_err(|e| Error::io("enter", &args.workdir, e))?;
    let env = Env::read();
    let place = env.place(&cwd);
    let argv = argv(args, &place)?;
    let before = observe(&cwd, BUDGET);
    let started_at = clock::now();
    let (status, output) = match pass_through(&argv, &cwd) {
        Ok(ran) => ran,
        Err(NotRun::Unstartable(why, code)) => {
            let _ = writeln!(std::io::stderr(), "deeds: {why}");
            return Ok(code);
        }
        Err(NotRun::Failed(error)) => return Err(error),
    };
    let process = Process {
        argv: argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        check: args.check.clone(),
        started_at,
        ended_at: clock::now(),
        signal: status.signal(),
    };
    let after = observe(&cwd, BUDGET);
    if let Err(trouble) = record(&env, &place, &cwd, &process, status, &output, [&before, &after]) {
        let _ = writeln!(std::io::stderr(), "deeds: {trouble}");
    }
    Ok(code(status))
}

/// As a shell reports it: 128 and the signal where one ended it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

/// The command line to run. With `--check` it is the declared one, and any other is wrong usage.
fn argv(args: &Args, place: &Place) -> Result<Vec<OsString>> {
    let Some(name) = &args.check else {
        if args.command.is_empty() {
            return Err(Error::usage("there is no command to run; deeds run -- cargo test"));
        }
        return Ok(args.command.clone());
    };
    let config = Config::load(&place.root)?;
    let Some((_, declared)) = config.declared_checks().find(|(known, _)| known == name) else {
        let known: Vec<&str> = config.declared_checks().map(|(known, _)| known).collect();
        let hint = if known.is_empty() { "it declares none".into() } else { format!("there are {}", known.join(", ")) };
        return Err(Error::usage(format!("deeds.json declares no check named {name}; {hint}")));
    };
    let given: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if !given.is_empty() && given.join(" ") != declared.split_whitespace().collect::<Vec<_>>().join(" ") {
        return Err(Error::usage(format!("the check {name} is `{declared}`; leave the command out, or give that one")));
    }
    Ok(["/bin/sh".into(), "-c".into(), declared.into()].into())
}

/// Why there is nothing to record.
enum NotRun {
    /// As a shell says it: 127 for what is not there, 126 for what may not be run.
    Unstartable(String, u8),
    Failed(Error),
}

impl NotRun {
    fn of(program: &std::ffi::OsStr, cause: &std::io::Error) -> NotRun {
        let name = program.to_string_lossy();
        let hint = if name.contains(' ') { "; for a line of shell: deeds run -- bash -c '…'" } else { "" };
        let code = match cause.kind() {
            std::io::ErrorKind::NotFound => 127,
            std::io::ErrorKind::PermissionDenied => 126,
            _ => return NotRun::Failed(Error::io("run", Path::new(program), cause)),
        };
        let why = if code == 127 && !name.contains('/') { "no such command".to_owned() } else { cause.to_string() };
        let name = crate::text::sanitise(&name, crate::text::Lines::Escape);
        NotRun::Unstartable(format!("failed to run: {name}: {why}{hint}"), code)
    }
}

/// Runs it with our own streams, and keeps what passes.
fn pass_through(argv: &[OsString], cwd: &Path) -> std::result::Result<(ExitStatus, Capture), NotRun> {
    let (program, rest) =
        argv.split_first().ok_or_else(|| NotRun::Failed(Error::usage("there is no command to run")))?;
    let mut command = Command::new(program);
    command.args(rest).current_dir(cwd).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| NotRun::of(program, &e))?;
    let capture = Arc::new(Mutex::new(Capture::default()));
    let (done, ended) = mpsc::channel();
    let mut streams = 0;
    if let Some(stdout) = child.stdout.take() {
        forward(stdout, std::io::stdout(), &capture, &done);
        streams += 1;
    }
    if let Some(stderr) = child.stderr.take() {
        forward(stderr, std::io::stderr(), &capture, &done);
        streams += 1;
    }
    relay_signals(&child);
    let status = child.wait().map_err(|e| NotRun::Failed(Error::io("wait for", Path::new(program), e)))?;
    for _ in 0..streams {
        // A process that it left in the background may hold the pipe for ever.
        if ended.recv_timeout(LINGER).is_err() {
            break;
        }
    }
    let kept = capture.lock().map(|held| held.clone()).unwrap_or_default();
    Ok((status, kept))
}

/// Copies unbuffered, so that nothing is seen later than without deeds.
fn forward(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    capture: &Arc<Mutex<Capture>>,
    done: &mpsc::Sender<()>,
) {
    let (capture, done) = (Arc::clone(capture), done.clone());
    std::thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    if let Ok(mut held) = capture.lock() {
                        held.add(&buffer[..n]);
                    }
                    // Whoever reads us has gone: the command learns it as it would without us, from a closed pipe.
                    if to.write_all(&buffer[..n]).and_then(|()| to.flush()).is_err() {
                        break;
                    }
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = done.send(());
    });
}

/// What is sent to us is meant for the command. A terminal sends its signals to both already.
fn relay_signals(child: &Child) {
    let Some(pid) = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap_or(0)) else { return };
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) else { return };
    let from_terminal = std::io::stdin().is_terminal();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let sent_to_both = from_terminal && (signal == SIGINT || signal == SIGQUIT);
            let signal = match signal {
                SIGINT => rustix::process::Signal::INT,
                SIGTERM => rustix::process::Signal::TERM,
                SIGHUP => rustix::process::Signal::HUP,
                _ => rustix::process::Signal::QUIT,
            };
            if !sent_to_both {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    });
}

fn record(
    env: &Env,
    place: &Place,
    cwd: &Path,
    process: &Process,
    status: ExitStatus,
    output: &Capture,
    looks: [&Worktree; 2],
) -> std::result::Result<(), String> {
    let context = env.context(cwd);
    let scene = Scene {
        root: context.root,
        head: context.head,
        branch: context.branch,
        collected_at: process.ended_at.clone(),
        digest_key: None,
    };
    let text = output.text();
    let event = event(process, cwd, status, &text, output.is_cut());
    let capabilities = RuntimeCapabilities::of(Client::Deeds.as_str());
    let mut evidence: Vec<Evidence> =
        HostProcessSensor { scene: &scene, process }.collect(&event, &capabilities).evidence;
    let shared = evidence.first().map(|e| e.payload["context"].clone()).unwrap_or_default();
    for (moment, look) in ["run.start", "run.end"].into_iter().zip(looks) {
        let event = AgentEvent { name: moment.into(), ..event.clone() };
        let sensor = HostWorktreeSensor { seen: Some(look), budget: BUDGET, context: shared.clone() };
        evidence.extend(sensor.collect(&event, &capabilities).evidence);
    }
    let drafts = evidence.into_iter().map(capture::evidence).collect();
    let ledger = Ledger::at(place, env);
    match ledger.keep(drafts, &Append { sync: Sync::Data, ..Append::default() }) {
        Ok(Kept::Appended(_)) => Ok(()),
        Ok(Kept::Spooled(_, why)) => Err(format!("{why}; the run waits in the spool")),
        Err(e) => Err(format!("the run was not recorded: {e}")),
    }
}

fn event<'a>(process: &Process, cwd: &Path, status: ExitStatus, text: &'a str, cut: bool) -> AgentEvent<'a> {
    let exit = match status.code() {
        Some(code) => ReportedExit::told(i64::from(code), ExitBasis::Process),
        None => ReportedExit::untold(format!("killed by signal {}", status.signal().unwrap_or_default())),
    };
    AgentEvent {
        client: Client::Deeds,
        client_version: Some(env!("CARGO_PKG_VERSION").into()),
        name: "run".into(),
        session_id: HOST_SESSION.into(),
        agent: None,
        turn_id: None,
        call_id: Some(format!("run-{}-{}", process.started_at, std::process::id()).into()),
        tool: Some("process".into()),
        transcript_path: None,
        cwd: Some(cwd.display().to_string().into()),
        observed_at: process.ended_at.clone(),
        clock: ClockSource::HostClock,
        via: Via::Host,
        action: Action::Command(CommandRun {
            command: command_text(process).into(),
            description: None,
            exit,
            output: Output { text: text.into(), full_path: None, cut },
            background_task: None,
            duration_ms: None,
            git_operation: None,
            by_user: false,
        }),
    }
}

/// The command as a shell would take it: words with anything special in them are quoted.
fn command_text(process: &Process) -> String {
    if process.check.is_some() {
        return process.argv.last().cloned().unwrap_or_default();
    }
    let plain =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&b));
    let quoted = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) };
    process.argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
