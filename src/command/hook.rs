//! `deeds hook`: one event of a client, from stdin to the ledger.
//!
//! Fails open: whatever happens, it exits 0 and the agent goes on. Stdout is empty but for a reply to a Stop. What cannot
//! be appended is spooled, also on a panic; one line on stderr says what went wrong.
//!
//! Architecture invariant: only this file knows "fail open". Everything below it reports failure as failure.

mod codex;
mod occasion;

use std::cell::OnceCell;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

use self::codex::Codex;
use super::evidence::auto;
use super::stop;
use crate::adapter::{self, Recognised, Told, payload};
use crate::claims::config::{self, Config, SyncMode};
use crate::clock;
use crate::durable::{self, Sync};
use crate::evidence::event::{Action, AgentEvent, RawText, Stop, Unparsed};
use crate::layout::{self, Context, Env, Place};
use crate::ledger::{Append, Appended, Draft, Kept, Ledger, wait_at_most};
use crate::sensor::capture::{self, Looks};
use crate::sensor::claude_batch::reported_by;
use crate::sensor::clean::Cleaner;
use crate::sensor::scene::Scene;
use crate::sensor::{digest, looks, scan, unparsed};
use crate::text::{Lines, sanitise, shorten};

/// How long the lock is waited for: an ordinary event, and a session's end, of which a client waits for about a second.
const WAIT: Duration = Duration::from_secs(2);
const WAIT_AT_END: Duration = Duration::from_millis(300);

/// What a payload is read into at first. Nearly all are shorter, and room that is not used costs nothing.
const PAYLOAD_ROOM: usize = 1 << 20;

/// Runs the hook.
pub fn run() -> ExitCode {
    let env = Env::read();
    if !env.off {
        keep_memory();
        guard();
        durable::outlive_file_limit();
        // A Stop appends and reads several times.
        wait_at_most(WAIT);
        if let Err(trouble) = hook(env) {
            complain(&trouble);
        }
    }
    ExitCode::SUCCESS
}

/// Memory that was used once is used again. glibc gives back large pieces as soon as they are free, and the next one is
/// faulted in page by page, which for a large payload costs more than reading it; freeing one that was never touched
/// teaches it otherwise. To other allocators this is nothing.
fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(16 << 20)));
}

fn hook(env: Env) -> Result<(), String> {
    let stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        return Err("failed to read an event: stdin is a terminal; this is run by an agent's client".into());
    }
    let mut bytes = Vec::with_capacity(PAYLOAD_ROOM);
    let read = read_all(&stdin, &mut bytes);
    let bytes = PAYLOAD.get_or_init(|| bytes);
    read.map_err(|error| format!("failed to read an event: stdin: {error}"))?;
    if layout::deliberate_panics() > 0 {
        panic!("on purpose");
    }
    let told = Told { observed_at: clock::now(), agent: env.ai_agent.as_deref() };
    match adapter::recognise(bytes, &told) {
        Recognised::Event(event) if event.action == Action::Nothing => Ok(()),
        Recognised::Event(mut event) => {
            let codex = Codex::of(&event);
            let began = codex.as_ref().and_then(Codex::cwd).map(str::to_owned);
            let mut here = Here::of(&env, began.as_deref(), event.cwd.as_deref(), told.observed_at.clone());
            here.codex = codex;
            here.event(&mut event, &env)
        }
        Recognised::Unparsed(strange) => {
            let here = Here::of(&env, None, strange.cwd.as_deref(), told.observed_at.clone());
            here.keep(vec![unparsed::draft(strange, &told.observed_at)], WAIT, Sync::None)
        }
    }
}

/// Reads to the end, in pieces as large as a pipe gives: after each smaller one the client would be woken to fill it up.
fn read_all(from: impl AsFd, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        if bytes.capacity() == bytes.len() {
            bytes.reserve(bytes.len());
        }
        match rustix::io::read(&from, spare_capacity(bytes)) {
            Ok(0) => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether anything of what was told was not in the ledger before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Novelty {
    /// It is, up to this entry.
    New(u64),
    Known,
}

/// Where the event happened, and where it is kept.
struct Here {
    /// The session's, where the agent may have wandered off since.
    project: PathBuf,
    place: Place,
    ledger: Ledger,
    scene: Scene,
    config_text: Option<String>,
    config: Config,
    codex: Option<Codex>,
}

impl Here {
    /// `began`: where the session began, where its own file says so.
    fn of(env: &Env, began: Option<&str>, cwd: Option<&str>, collected_at: String) -> Here {
        let absolute = |path: Option<&str>| path.map(PathBuf::from).filter(|path| path.is_absolute());
        let cwd = absolute(cwd);
        let found = || cwd.as_deref().and_then(|cwd| known(cwd, env)).unwrap_or_else(current_dir);
        let project = match absolute(began).and_then(|began| known(&began, env)) {
            Some(began) => began,
            None => env.project(None, &found()),
        };
        let cwd = cwd.unwrap_or_else(|| project.clone());
        let place = env.place(&project);
        let ledger = LEDGER.get_or_init(|| Ledger::at(&place, env)).clone();
        let context = match &place.repository {
            Some(repository) if cwd == project => repository.context(),
            _ => env.context(&cwd),
        };
        let config_text = durable::read_small(&config::path(&place.root), config::CAP)
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        // A malformed file is for doctor and the Stop reply to report; recording goes on without it.
        let config = config_text.as_deref().and_then(|text| Config::parse(text).ok()).unwrap_or_default();
        let scene = scene(context, collected_at);
        Here { project, place, ledger, scene, config_text, config, codex: None }
    }

    fn event(mut self, event: &mut AgentEvent<'_>, env: &Env) -> Result<(), String> {
        self.drop_reported(event);
        match &event.action {
            Action::Stopped(stop) => {
                let caught_up = self.catch_up(env, WAIT);
                let looks = self.looks_at_stop(event, stop.message.as_deref());
                let draft = capture::claim(event, stop, looks, &self.scene);
                let kept = self.keep_new(vec![draft], WAIT, Sync::Data);
                // The same stop told twice is answered once; one that had to be spooled is answered all the same.
                if kept == Ok(Novelty::Known) {
                    return Ok(());
                }
                self.note(event, &kept);
                let answered = self.answer(event, stop);
                kept.map(drop).and(answered).and(caught_up).and(self.seal(event))
            }
            Action::SessionEnded { .. } => {
                let drafts = self.course(event, None);
                // A client waits for this one for about a second: what goes on without it begins first.
                let kept = self.keep_new(drafts, WAIT_AT_END, Sync::Data);
                self.note(event, &kept);
                let sealing = if kept == Ok(Novelty::Known) { Ok(()) } else { self.seal(event) };
                kept.map(drop).and_then(|()| self.catch_up(env, WAIT_AT_END)).and(sealing)
            }
            Action::SessionStarted { .. } => {
                let drafts = self.course(event, self.config_text.as_deref());
                let kept = self.keep_new(drafts, WAIT, Sync::None);
                self.note(event, &kept);
                kept.map(drop)
            }
            Action::TaskCompleted { .. } => {
                let drafts = self.course(event, None);
                let kept = self.keep_new(drafts, WAIT, Sync::None);
                // What was told twice is sealed once.
                if kept == Ok(Novelty::Known) { Ok(()) } else { kept.map(drop).and(self.seal(event)) }
            }
            Action::TurnBegan | Action::Interrupted { .. } => {
                let drafts = self.course(event, None);
                self.keep(drafts, WAIT, Sync::None)
            }
            _ => {
                if let Action::Edit(edit) = &event.action {
                    self.scene.digest_key = digest::key(&edit.path, self.ledger.dir());
                }
                let mut drafts = match &self.codex {
                    Some(codex) => codex.call(event, &mut self.scene, &self.ledger),
                    None => capture::tool(event, &self.scene),
                };
                drafts.extend(self.looks(event));
                self.keep(drafts, WAIT, Sync::None)
            }
        }
    }

    /// The entry for an event in the course of a session.
    fn course(&self, event: &AgentEvent<'_>, config: Option<&str>) -> Vec<Draft> {
        let occasion = occasion::of(event, &self.ledger);
        capture::session(event, &self.scene, config, &occasion).into_iter().collect()
    }

    /// Starts a seal, if the project has one made at this event.
    fn seal(&self, event: &AgentEvent<'_>) -> Result<(), String> {
        match auto::after(event, self.config_text.as_deref(), &self.config, &self.place.root) {
            Some(word) => self.keep(vec![word], WAIT_AT_END, Sync::None),
            None => Ok(()),
        }
    }

    /// Codex: what the rollout holds by now is recorded before anything is judged.
    fn catch_up(&self, env: &Env, wait: Duration) -> Result<(), String> {
        self.codex.as_ref().map_or(Ok(()), |codex| codex.catch_up(&self.ledger, env, wait))
    }

    /// Leaves of a batch only what no other event reported. A client waits for their hooks before it sends the batch.
    fn drop_reported(&self, event: &mut AgentEvent<'_>) {
        let Action::Batch(calls) = &mut event.action else { return };
        let mut calls = std::mem::take(calls);
        // A ledger that cannot be read has its events in the spool.
        let recent = self.ledger.recent().unwrap_or_default();
        let waiting = OnceCell::new();
        calls.retain(|call| {
            let ids = reported_by(event, &call.call_id, &self.scene);
            let waits =
                || waiting.get_or_init(|| self.ledger.spool().drafts().0).iter().any(|draft| ids.contains(&draft.id));
            !recent.has_any(&ids) && !waits()
        });
        event.action = Action::Batch(calls);
    }

    /// The host's own looks at git and the worktree, for what could be a check, a commit or a push.
    fn looks(&self, event: &AgentEvent<'_>) -> Vec<Draft> {
        let could_matter = match &event.action {
            Action::Command(run) => {
                let declared: Vec<String> =
                    self.config.declared_checks().map(|(_, command)| command.to_owned()).collect();
                scan::could_matter(&run.command, &declared)
            }
            // Which command it was that ended is known to its launch only.
            Action::TaskNotification(task) => task.exit.reason.as_deref() != Some("not_a_command"),
            _ => false,
        };
        if could_matter { looks::at_event(event, &self.scene, &self.project) } else { Vec::new() }
    }

    /// The same at a Stop, if there could be a claim to hold against them.
    fn looks_at_stop(&self, event: &AgentEvent<'_>, message: Option<&str>) -> Looks {
        if self.config.claims.is_empty() && !message.is_some_and(scan::could_claim) {
            return Looks::default();
        }
        looks::at_stop(event, &self.project)
    }

    /// Judges what was said, keeps the judgement, and tells the client what the gate makes of it.
    fn answer(&self, event: &AgentEvent<'_>, said: &Stop<'_>) -> Result<(), String> {
        let stopped = stop::Stopped {
            session: &event.session_id,
            agent: event.agent.as_ref().map(|agent| agent.id.as_ref()),
            stop_hook_active: said.stop_hook_active,
            config_text: self.config_text.as_deref(),
        };
        let answer =
            stop::answer(&self.place, &stopped).map_err(|error| format!("failed to judge the stop: {error}"))?;
        let Some(answer) = answer else { return Ok(()) };
        let kept = self.keep(vec![answer.judgement], WAIT_AT_END, Sync::Data);
        if let Some(reply) = answer.reply {
            // A client that no longer listens is no trouble of ours.
            let _ = std::io::stdout().write_all(reply.as_bytes());
        }
        kept
    }

    /// Where the session stands in the ledger, for whoever looks for it later.
    fn note(&self, event: &AgentEvent<'_>, kept: &Result<Novelty, String>) {
        if let Ok(Novelty::New(seq)) = kept {
            self.ledger.note(&event.session_id, *seq);
        }
    }

    fn keep(&self, drafts: Vec<Draft>, wait: Duration, sync: Sync) -> Result<(), String> {
        self.keep_new(drafts, wait, sync).map(drop)
    }

    fn keep_new(&self, drafts: Vec<Draft>, wait: Duration, sync: Sync) -> Result<Novelty, String> {
        if drafts.is_empty() {
            return Ok(Novelty::Known);
        }
        let sync = if self.config.sync == Some(SyncMode::Always) { Sync::Data } else { sync };
        keep(&self.ledger, drafts, &Append { wait, sync })
    }
}

fn scene(context: Context, collected_at: String) -> Scene {
    Scene { root: context.root, head: context.head, branch: context.branch, collected_at, digest_key: None }
}

/// A folder that is there, or was in a repository that is: no ledger is begun in a place that only a payload speaks of.
fn known(cwd: &Path, env: &Env) -> Option<PathBuf> {
    if cwd.is_dir() {
        return Some(cwd.to_owned());
    }
    let above = cwd.ancestors().find(|dir| dir.is_dir())?;
    env.place(above).repository.is_some().then(|| above.to_owned())
}

fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Appends, or spools what cannot be appended and says why.
fn keep(ledger: &Ledger, drafts: Vec<Draft>, options: &Append) -> Result<Novelty, String> {
    match ledger.keep(drafts, options) {
        Ok(Kept::Appended(done)) => {
            let last = done.iter().rev().find_map(Appended::written);
            Ok(last.map_or(Novelty::Known, Novelty::New))
        }
        Ok(Kept::Spooled(_, why)) => Err(format!("{why}; it is kept, and tried again with the next event")),
        Err(lost) => Err(format!("{lost}; the event is lost")),
    }
}

/// One line, whatever is in it, and no secret that a path may hold; nobody may be listening.
fn complain(trouble: &str) {
    let clean = Cleaner::default().text(trouble);
    let _ = writeln!(std::io::stderr(), "deeds: {}", shorten(&sanitise(&clean, Lines::Escape), 2000));
}

/// What the process was given, and where it belongs: all that is left to go by in a panic.
static PAYLOAD: OnceLock<Vec<u8>> = OnceLock::new();
static LEDGER: OnceLock<Ledger> = OnceLock::new();
static PANICS: AtomicU8 = AtomicU8::new(0);

/// On a panic the payload is kept as unparsed, and the process exits 0 before anything else can happen. A second panic
/// while that is done keeps less; a third nothing.
fn guard() {
    std::panic::set_hook(Box::new(|panic| {
        let nth = PANICS.fetch_add(1, Ordering::SeqCst);
        if nth >= 2 {
            std::process::exit(0);
        }
        // Not the message: it may quote what it failed on.
        let at = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        // Rust ends a process that panics while it panics: another thread may.
        let kept = std::thread::Builder::new().spawn(move || keep_of_panic(&at, nth == 0));
        let _ = kept.map(std::thread::JoinHandle::join);
        std::process::exit(0);
    }));
}

fn keep_of_panic(at: &str, with_text: bool) {
    if with_text && layout::deliberate_panics() > 1 {
        panic!("on purpose, again");
    }
    let bytes = PAYLOAD.get().map(Vec::as_slice).unwrap_or_default();
    let text =
        if with_text { payload::raw_text(&String::from_utf8_lossy(bytes)) } else { RawText::Text(String::new()) };
    let reason = format!("deeds itself failed at {at}");
    complain(&format!("{reason}; please report it"));
    let unparsed = Unparsed { reason, text, len: bytes.len(), session_id: None, cwd: None };
    let draft = unparsed::draft(unparsed, &clock::now());
    let ledger = LEDGER.get_or_init(|| {
        let env = Env::read();
        Ledger::at(&env.place(&env.project(None, &current_dir())), &env)
    });
    if let Err(trouble) = keep(ledger, vec![draft], &Append { wait: WAIT_AT_END, sync: Sync::None }) {
        complain(&trouble);
    }
}
