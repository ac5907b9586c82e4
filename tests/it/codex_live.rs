//! A session of Codex as its hook sees it, played in a sandbox: git is run, the rollout is written beside it, and the hook
//! is told of each call without an exit code.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, finish};

const ID: &str = "01a22e00-f2f2-7b92-8a9d-0399f3213ec1";

pub struct Session<'a> {
    sandbox: &'a Sandbox,
    rollout: PathBuf,
    calls: u32,
    turns: u32,
}

impl<'a> Session<'a> {
    pub fn start(sandbox: &'a Sandbox) -> Session<'a> {
        let dir = sandbox.home().join(".codex/sessions/2026/11/30");
        std::fs::create_dir_all(&dir).unwrap();
        let rollout = dir.join(format!("rollout-2026-11-30T19-49-03-{ID}.jsonl"));
        let mut session = Session { sandbox, rollout, calls: 0, turns: 0 };
        let cwd = sandbox.project();
        session.line(
            "session_meta",
            json!({"session_id": ID, "id": ID, "timestamp": deeds::clock::now(), "cwd": cwd, "cli_version": "0.171.0"}),
        );
        session.hook("SessionStart", json!({"source": "startup"}));
        session.turn();
        session
    }

    fn turn(&mut self) {
        self.turns += 1;
        self.line("event_msg", json!({"type": "task_started", "turn_id": self.turn_id()}));
    }

    fn turn_id(&self) -> String {
        format!("01a22e00-f311-73a2-941d-{:012}", self.turns)
    }

    fn line(&mut self, kind: &str, payload: Value) {
        let mut text = std::fs::read_to_string(&self.rollout).unwrap_or_default();
        let line = json!({"timestamp": deeds::clock::now(), "type": kind, "payload": payload});
        writeln!(text, "{line}").unwrap();
        std::fs::write(&self.rollout, text).unwrap();
    }

    fn hook(&self, event: &str, body: Value) -> String {
        let mut payload = json!({
            "session_id": ID, "transcript_path": self.rollout, "cwd": self.sandbox.project(), "hook_event_name": event,
            "model": "gpt-5.5", "permission_mode": "bypassPermissions",
        });
        if event != "SessionStart" {
            payload["turn_id"] = self.turn_id().into();
        }
        payload.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        self.sandbox.deeds_with(&["hook"], payload.to_string().as_bytes()).expect(0).stdout
    }

    /// Runs a command line for real under bash and tells how it went, as Codex does.
    pub fn really(&mut self, command: &str) -> &mut Self {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let cwd = self.sandbox.project();
        let ran = finish(self.sandbox.command("bash", &cwd).args(["-c", &format!("{{ {command}\n}} 2>&1")]), b"");
        let status = if ran.code == Some(0) { "completed" } else { "failed" };
        let item = json!({
            "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "cwd": format!("file://{}", cwd.display()),
            "source": "unified_exec_startup", "status": status, "aggregated_output": ran.stdout, "exit_code": ran.code,
        });
        self.line(
            "event_msg",
            json!({"type": "item_completed", "thread_id": ID, "turn_id": self.turn_id(), "item": item}),
        );
        self.hook("PostToolUse", json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}, "tool_response": ran.stdout}));
        self
    }

    /// The turn ends with these words: what the first claim in them comes to.
    pub fn says(&mut self, words: &str) -> (String, String) {
        self.line(
            "event_msg",
            json!({"type": "task_complete", "turn_id": self.turn_id(), "last_agent_message": words}),
        );
        self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": words}));
        self.turn();
        let judged = self.sandbox.deeds(&["judge", "--format", "json"]).json();
        let claim = &judged["claims"][0];
        let outcome = claim["reason"].as_str().or(claim["outcome"].as_str()).unwrap_or_default();
        (outcome.to_owned(), claim["detail"].as_str().unwrap_or_default().to_owned())
    }
}

const REFUSE: &str =
    "printf '#!/bin/sh\\necho no >&2\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    sandbox.write("a.txt", "one\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    sandbox
}

#[test]
fn a_commit_of_an_earlier_turn_does_not_stand_for_one_that_was_refused() {
    for attempt in
        ["git commit -qam second", "git add -A && git commit -m second && git push", "git commit -qam second | tail -3"]
    {
        let sandbox = sandbox();
        let mut session = Session::start(&sandbox);
        session.really("echo two >> a.txt").really("git commit -qam first");
        assert_eq!(session.says("Committed.").0, "supported", "{attempt}");
        session.really(REFUSE).really("echo three >> a.txt").really(attempt);
        let (outcome, detail) = session.says("Committed.");
        assert_eq!(outcome, "unconfirmed_evidence", "{attempt}: {detail}");
        assert!(detail.contains("HEAD had not moved since #"), "{attempt}: {detail}");
        session.really("rm .git/hooks/pre-commit").really("git add -A && git commit -m second && git push");
        let (outcome, detail) = session.says("It is committed.");
        assert_eq!(outcome, "supported", "{attempt}: {detail}");
    }
}

#[test]
fn without_the_hosts_looks_a_commit_stays_open() {
    let sandbox = sandbox();
    let mut session = Session::start(&sandbox);
    session.really("echo two >> a.txt").really("git commit -qam first");
    session.really(REFUSE).really("echo three >> a.txt").really("git add -A && git commit -m second && git push");
    session.line(
        "event_msg",
        json!({"type": "task_complete", "turn_id": session.turn_id(), "last_agent_message": "Committed."}),
    );
    std::fs::remove_dir_all(sandbox.project().join(".git/deeds")).unwrap();
    std::fs::remove_dir_all(sandbox.home().join(".local")).unwrap_or_default();
    let rollout = session.rollout.to_str().unwrap().to_owned();
    sandbox.deeds(&["tail", &rollout]).expect(0);
    let judged = sandbox.deeds(&["judge", "--format", "json"]).expect(1).json();
    assert_eq!(judged["claims"][0]["outcome"], "unsupported", "{judged}");
}
