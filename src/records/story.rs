//! What the ledger says of one session: its runs, edits, words, and where it could not see.
//!
//! Evidence of other sessions is kept only where it can support: a run at a tree that the host saw. It never contradicts.

use std::collections::HashMap;

use serde_json::Value;

use super::check::{CheckRun, Setting, check_runs};
use super::files::FileDeed;
use super::git::{GitDeed, Heads, deeds};
use super::run::{EvidenceRef, Run};
use crate::clock;
use crate::evidence::{CollectionMethod, Evidence, EvidenceKind};
use crate::sensor::host_process::HOST_SESSION;

/// Which evidence is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One session, its sub-agents, and what the host itself observed since it began.
    Session(String),
    /// The whole ledger as if it were one session.
    All,
}

/// One session's account, or the whole ledger's.
#[derive(Debug, Default)]
pub struct Story {
    pub runs: Vec<Run>,
    /// Runs of other sessions at trees that the host saw.
    pub earlier: Vec<Run>,
    pub edits: Vec<FileDeed>,
    pub words: Vec<Words>,
    /// Looks at the worktree in order of recording.
    pub worktrees: Vec<(u64, Value)>,
    /// HEAD as seen, in order of recording.
    pub heads: Vec<Head>,
    /// What could not be seen.
    pub holes: Vec<String>,
    /// When the session's first entry was recorded, milliseconds.
    pub began: Option<i64>,
    pub client: Option<String>,
    /// `deeds.json` as it stood when the session began: `{"digest","text"}`.
    pub config_at_start: Option<Value>,
    /// Earlier judgements at a Stop, oldest first.
    pub judgements: Vec<Value>,
    /// The entry with which the current turn began.
    pub turn_began: Option<u64>,
    /// Every turn's first entry, and when it was, milliseconds.
    turns: Vec<(u64, i64)>,
    saw: Saw,
    open: HashMap<(String, String), usize>,
    pending: Option<Run>,
}

/// HEAD of a worktree, where it was seen to be another than before.
#[derive(Debug, Clone)]
pub struct Head {
    pub seq: u64,
    pub sha: String,
    /// A sub-agent may work in a worktree of its own, whose HEAD is another.
    root: Option<String>,
}

/// What kinds of events reached the ledger; what did not is a hole in what could be seen.
#[derive(Debug, Default)]
struct Saw {
    start: bool,
    /// Any event of a session beside its tool calls.
    session: bool,
    /// A hook at a session's or a turn's start or end.
    session_hook: bool,
    /// A tool call that a hook told of.
    hook: bool,
    /// A tool call that was read from the client's own file.
    file: bool,
    /// A sub-agent was started.
    subagent_started: bool,
    /// Something that a sub-agent did or said.
    subagent: bool,
}

impl Saw {
    fn holes(&self) -> Vec<String> {
        let mut holes = Vec::new();
        let mut hole = |there: bool, text: &str| {
            if there {
                holes.push(text.to_owned());
            }
        };
        hole(
            self.hook && !self.session,
            "only tool calls were told: if PostToolUseFailure is not registered, failures are invisible",
        );
        hole(self.hook && self.session && !self.start, "the capture began in the middle of the session");
        hole(
            self.file && !self.hook && !self.session_hook,
            "no hook of the client ran; only its own session file was read, and nobody looked at the files",
        );
        hole(
            self.file && !self.hook && self.session_hook,
            "no hook told of a tool call; what ran was read from the client's own session file, and nobody looked at the files then",
        );
        hole(self.subagent_started && !self.subagent, "a sub-agent was started, and nothing of what it did was told");
        holes
    }
}

/// What an agent said at the end of a turn.
#[derive(Debug, Clone)]
pub struct Words {
    pub seq: u64,
    pub session: String,
    pub agent: Option<String>,
    pub message: Value,
    pub millis: i64,
    /// The worktree as the host saw it then.
    pub worktree: Value,
    pub git: Value,
    pub turn: Option<String>,
    /// Background commands that the client named as still running.
    pub running: Vec<String>,
}

impl Story {
    /// Takes in one entry's kind and body. Entries come in ledger order.
    pub fn add(&mut self, scope: &Scope, seq: u64, kind: &str, body: Value) {
        let session = body["session_id"].as_str().unwrap_or_default();
        let ours = match scope {
            Scope::All => true,
            Scope::Session(wanted) => wanted == session,
        };
        if ours {
            self.note(seq, &body);
        }
        match kind {
            "evidence" => {
                let Ok(evidence) = serde_json::from_value::<Evidence>(body) else {
                    self.holes.push(format!("entry #{seq} could not be read as evidence"));
                    return;
                };
                if ours || self.is_hosts_own(&evidence) {
                    self.add_ours(seq, &evidence);
                } else {
                    self.add_earlier(seq, &evidence);
                }
            }
            _ if !ours => {}
            "claim" => {
                self.saw.session = true;
                self.saw.session_hook |= matches!(body["event"].as_str(), Some("Stop" | "SubagentStop"));
                self.saw.subagent |= body["context"]["agent"].is_object();
                self.words.push(Words {
                    seq,
                    session: session.to_owned(),
                    agent: body["context"]["agent"]["id"].as_str().map(str::to_owned),
                    message: body["message"].clone(),
                    millis: body["observed_at"].as_str().and_then(clock::parse_millis).unwrap_or(0),
                    worktree: body["worktree"].clone(),
                    git: body["git"].clone(),
                    turn: body["turn_id"].as_str().map(str::to_owned),
                    running: texts(&body["running"]),
                });
            }
            "session" => self.add_session(seq, &body),
            "judgement" => self.judgements.push(body),
            "not_collected" => {
                let sensor = body["sensor"].as_str().unwrap_or("a sensor");
                let detail = body["detail"].as_str().unwrap_or("no reason was recorded");
                self.holes.push(format!("{sensor} collected nothing (#{seq}): {detail}"));
            }
            "unparsed" => self.holes.push(format!("an event was not understood (#{seq})")),
            _ => {}
        }
    }

    /// `deeds run` belongs to no agent's session; what it saw since this one began counts here.
    fn is_hosts_own(&self, evidence: &Evidence) -> bool {
        let by_host = evidence.session_id == HOST_SESSION;
        let at = clock::parse_millis(&evidence.observed_at);
        by_host && self.began.zip(at).is_some_and(|(began, at)| at >= began)
    }

    fn add_session(&mut self, seq: u64, body: &Value) {
        if body["event"] == "TurnBegan" {
            self.turn_began = Some(seq);
            let at = body["observed_at"].as_str().and_then(clock::parse_millis).unwrap_or(0);
            self.turns.push((seq, at));
        }
        if self.client.is_none() {
            self.client = body["client"].as_str().map(str::to_owned);
        }
        self.saw.session = true;
        // What a rollout tells of its session's start has what its first line says.
        self.saw.session_hook |=
            body["event"] == "SessionEnd" || (body["event"] == "SessionStart" && body["rollout"].is_null());
        if body["event"] == "SessionStart" {
            self.saw.start = true;
            if self.config_at_start.is_none() && !body["config"].is_null() {
                self.config_at_start = Some(body["config"].clone());
            }
        }
    }

    /// HEAD and the beginning, from whatever carries them.
    fn note(&mut self, seq: u64, body: &Value) {
        let context = if body["payload"].is_object() { &body["payload"]["context"] } else { &body["context"] };
        let root = context["root"].as_str();
        if let Some(sha) = context["head"].as_str()
            && self.heads_of(root).next_back().is_none_or(|last| last.sha != sha)
        {
            self.heads.push(Head { seq, sha: sha.to_owned(), root: root.map(str::to_owned) });
        }
        if self.began.is_none() {
            self.began = body["observed_at"].as_str().and_then(clock::parse_millis);
        }
    }

    fn add_ours(&mut self, seq: u64, evidence: &Evidence) {
        let call = evidence.source_event_id.clone().unwrap_or_else(|| evidence.id.clone());
        let payload = &evidence.payload;
        self.notice(evidence);
        if payload["look"] == "file" {
            // A patch of Codex changes several files with one call.
            let path = payload["path"].as_str().unwrap_or_default();
            let mut ours = self.edits.iter_mut().rev().filter(|e| e.call == call && e.session == evidence.session_id);
            if let Some(edit) = ours.find(|edit| edit.path == path) {
                edit.look(seq, evidence);
            }
            return;
        }
        if payload["look"] == "worktree" {
            self.worktrees.push((seq, payload.clone()));
        }
        if let Some(edit) = FileDeed::new(seq, evidence) {
            if !self.edits.iter().any(|e| e.id == edit.id) {
                self.edits.push(edit);
            }
            return;
        }
        let relevant = evidence.kind == EvidenceKind::ExitCode || payload["look"].is_string();
        if !relevant {
            return;
        }
        let key = (evidence.session_id.clone(), call);
        let index = *self.open.entry(key).or_insert_with_key(|(session, call)| {
            self.runs.push(Run::new(session, call));
            self.runs.len() - 1
        });
        if !self.runs[index]
            .evidence
            .iter()
            .any(|e| e.id == evidence.id && e.seq != seq && !conflicts(&self.runs[index], evidence))
        {
            self.runs[index].add(seq, evidence);
        }
    }

    fn notice(&mut self, evidence: &Evidence) {
        let method = evidence.source.as_ref().map(|source| &source.collection_method);
        self.saw.hook |= method == Some(&CollectionMethod::HookCallback);
        self.saw.file |= method == Some(&CollectionMethod::FilePoll);
        self.saw.subagent |= evidence.payload["context"]["agent"].is_object();
        let tool = evidence.payload["tool"].as_str().unwrap_or_default();
        self.saw.subagent_started |= tool == "Agent" || tool == "Task" || tool.ends_with("spawn_agent");
    }

    /// A batch of entries stands together, so one pending run is enough to join a run and its looks.
    fn add_earlier(&mut self, seq: u64, evidence: &Evidence) {
        let call = evidence.source_event_id.clone().unwrap_or_else(|| evidence.id.clone());
        let same = self.pending.as_ref().is_some_and(|r| r.session == evidence.session_id && r.call == call);
        if !same {
            self.flush_pending();
            self.pending = Some(Run::new(&evidence.session_id, &call));
        }
        if let Some(run) = &mut self.pending {
            run.add(seq, evidence);
        }
    }

    fn flush_pending(&mut self) {
        if let Some(run) = self.pending.take()
            && run.is_command()
            && run.tree().is_ok()
        {
            self.earlier.push(run);
        }
    }

    /// Nothing of the session was recorded.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.words.is_empty() && self.edits.is_empty() && self.began.is_none()
    }

    /// Call once, after the last entry.
    pub fn finish(&mut self) {
        self.flush_pending();
        self.runs.sort_by_key(|r| (r.millis, r.seq));
        self.open.clear();
        let unseen = self.saw.holes();
        self.holes.extend(unseen);
        self.holes.dedup();
    }

    /// The id of the session's last edit before an entry.
    pub fn edits_before(&self, seq: u64) -> Option<String> {
        self.edits.iter().rev().find(|e| e.seq < seq && !e.failed).map(|e| e.id.clone())
    }

    /// The entry with which the turn began that was on at a time; the last one's without a time.
    pub fn turn_at(&self, until: Option<i64>) -> Option<u64> {
        self.turns.iter().rev().find(|(_, at)| until.is_none_or(|until| *at <= until)).map(|(seq, _)| *seq)
    }

    /// The last words of the session's own agent, not of its sub-agents.
    pub fn last_words(&self) -> Option<&Words> {
        self.words.iter().rev().find(|w| w.agent.is_none())
    }

    /// Every run that was a check, in order; of other sessions too, which come first.
    pub fn checks(&self, declared: &[(String, String)], strict: bool, read: &dyn Fn(&Value) -> String) -> Checks {
        let mut checks = Checks::default();
        for (index, run) in self.earlier.iter().enumerate() {
            let output = read(&run.output);
            let setting = Setting { declared, edits: None, strict, output: &output };
            checks.earlier.extend(check_runs(index, run, &setting));
        }
        for (index, run) in self.runs.iter().enumerate().filter(|(_, r)| r.is_command()) {
            let output = read(&run.output);
            let first = run.evidence.first().map_or(run.seq, |e| e.seq);
            let setting = Setting { declared, edits: self.edits_before(first), strict, output: &output };
            checks.own.extend(check_runs(index, run, &setting));
            let heads = Heads {
                before: self.heads_of(run.root.as_deref()).rfind(|head| head.seq < first).map(|head| head.sha.as_str()),
                first: self.heads_of(run.root.as_deref()).next().map(|head| head.sha.as_str()),
                edited: self.edits_before(first).is_some(),
            };
            checks.git.extend(deeds(index, run, &output, &heads));
        }
        checks
    }

    fn heads_of(&self, root: Option<&str>) -> impl DoubleEndedIterator<Item = &Head> {
        self.heads.iter().filter(move |head| head.root.as_deref() == root)
    }

    /// The evidence of a run, by index.
    pub fn evidence_of(&self, run: usize) -> &[EvidenceRef] {
        self.runs.get(run).map_or(&[], |r| r.evidence.as_slice())
    }
}

fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// The same id met with another payload: both are kept, so that the difference shows.
fn conflicts(run: &Run, evidence: &Evidence) -> bool {
    evidence.kind == EvidenceKind::ExitCode && run.exit.code != evidence.payload["exit_code"].as_i64()
}

/// What the runs of a story were.
#[derive(Debug, Default)]
pub struct Checks {
    pub own: Vec<CheckRun>,
    /// Indices in these runs point into [`Story::earlier`].
    pub earlier: Vec<CheckRun>,
    pub git: Vec<GitDeed>,
}
