//! What the measured programs stand on: the floor, repositories, ledgers, payloads.

use std::path::{Path, PathBuf};
use std::process::Command;

use deeds::layout::Env;
use deeds::ledger::{Append, Draft, EntryKind, Ledger};
use serde_json::{Value, json};

const SESSION: &str = "b0b0b0b0-0000-4000-8000-0000bench000";
/// So many entries are of one session.
const PER_SESSION: usize = 500;
const TRANSCRIPT: &str = "/home/dev/.claude/projects/-home-dev-demo/b0b0b0b0-0000-4000-8000-000000000000.jsonl";

/// What every process costs.
pub fn empty_program(scratch: &Path) -> PathBuf {
    let (source, program) = (scratch.join("empty.rs"), scratch.join("empty"));
    std::fs::write(&source, "fn main() {}\n").unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-O", "-C", "strip=symbols", "-C", "panic=abort", "-o"]);
    assert!(rustc.arg(&program).arg(&source).status().unwrap().success());
    program
}

/// A repository with one commit.
pub fn repository(dir: &Path) -> PathBuf {
    std::fs::create_dir_all(dir).unwrap();
    let git = |args: &[&str]| {
        assert!(Command::new("git").args(args).current_dir(dir).env("HOME", dir).output().unwrap().status.success());
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["-c", "user.name=B", "-c", "user.email=b@example.com", "commit", "-q", "--allow-empty", "-m", "start"]);
    dir.into()
}

/// A session begins.
pub fn start(deeds: &Path, dir: &Path) {
    let input = payload(json!({
        "session_id": SESSION, "transcript_path": TRANSCRIPT, "cwd": dir, "hook_event_name": "SessionStart",
        "source": "startup",
    }));
    let mut command = Command::new(deeds);
    command.arg("hook").current_dir(dir).env_clear().env("HOME", dir).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &input).unwrap();
    assert!(child.wait().unwrap().success());
}

/// The same with a standing claim that blocks.
pub fn gated(dir: &Path) -> PathBuf {
    let claim = json!({"id": "tests-pass", "requires": [{"evidenceId": "tests", "subject": "@worktree"}]});
    std::fs::write(dir.join("deeds.json"), json!({"claims": [claim], "gate": "block"}).to_string()).unwrap();
    dir.into()
}

/// Gives the repository a ledger of `entries` ordinary entries.
pub fn fill(dir: &Path, entries: usize) {
    // Where the programs that are measured look for its key.
    let env = Env { home: Some(dir.to_owned()), ..Env::default() };
    let ledger = Ledger::within(&dir.join(".git/deeds"), &env);
    let numbers: Vec<usize> = (0..entries).collect();
    for batch in numbers.chunks(PER_SESSION) {
        let drafts = batch.iter().flat_map(|n| opening(*n).into_iter().chain([entry(*n)])).collect();
        let appended = ledger.append(drafts, &Append::default()).unwrap();
        // As the hook does when a session begins.
        ledger.note(&session(batch[0]), appended[0].written().unwrap());
    }
}

/// The session of the `n`th entry.
pub fn session(n: usize) -> String {
    format!("b0b0b0b0-0000-4000-8000-{:012}", n / PER_SESSION)
}

/// The beginning of a session, before its first entry.
fn opening(n: usize) -> Option<Draft> {
    let id = format!("5e55{n:028x}");
    let body = json!({
        "id": id, "session_id": session(n), "event": "SessionStart", "source": "startup",
        "observed_at": "2026-11-30T21:00:00.000Z", "context": {"root": "/home/dev/demo", "cwd": "/home/dev/demo"},
    });
    let Value::Object(body) = body else { unreachable!() };
    n.is_multiple_of(PER_SESSION).then_some(Draft { kind: EntryKind::Session, id, body })
}

/// A command that printed a few lines.
fn entry(n: usize) -> Draft {
    let id = format!("{n:032x}");
    let body = json!({
        "id": id, "session_id": session(n),
        "source_event_id": format!("toolu_old{n:016}"), "kind": "exit_code", "observed_at": "2026-11-30T21:00:00.000Z",
        "provenance": "claude:2.1.332:PostToolUse:Bash#heuristic:success_event",
        "source": {
            "sensor_name": "ClaudeBashExitCodeSensor", "trust_class": "agent_adjacent",
            "collected_at": "2026-11-30T21:00:00.000Z", "provider": "claude", "collection_method": "hook_callback",
            "collector_version": "1", "freshness": {"clock_source": "host_clock"},
        },
        "payload": {
            "command": "ls -l", "cwd": "/home/dev/demo", "exit_code": 0, "exit_basis": "event", "output": lines(n, 400),
            "output_cut": false, "redacted": 0, "context": {"root": "/home/dev/demo", "cwd": "/home/dev/demo"},
        },
    });
    let Value::Object(body) = body else { unreachable!() };
    Draft { kind: EntryKind::Evidence, id, body }
}

/// About so many bytes of ordinary output, of every call another one.
fn lines(n: usize, bytes: usize) -> String {
    let line = "drwxr-xr-x  2 dev dev   4096 Nov 30 20:11 some-directory-name-that-is-ordinary\n";
    format!("total {n}\n{}", line.repeat(bytes / line.len() + 1))
}

/// A PostToolUse payload of an ordinary command, of about this many bytes.
pub fn tool_use(n: usize, bytes: usize, cwd: &str) -> Vec<u8> {
    let output = lines(n, bytes.saturating_sub(800));
    payload(json!({
        "session_id": SESSION, "transcript_path": TRANSCRIPT, "cwd": cwd, "prompt_id": "p",
        "permission_mode": "acceptEdits", "effort": {"level": "medium"},
        "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls -l", "description": "List files"},
        "tool_response":
            {"stdout": output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false},
        "tool_use_id": format!("toolu_bench{n:016}"), "duration_ms": 12,
    }))
}

/// The end of a turn, with a claim in it.
pub fn stop(n: usize, cwd: &str) -> Vec<u8> {
    payload(json!({
        "session_id": SESSION, "transcript_path": TRANSCRIPT, "cwd": cwd, "prompt_id": format!("p{n}"),
        "permission_mode": "acceptEdits", "hook_event_name": "Stop", "stop_hook_active": false,
        "last_assistant_message": format!("Done with step {n}. All tests pass."), "background_tasks": [],
    }))
}

fn payload(value: Value) -> Vec<u8> {
    serde_json::to_vec(&value).unwrap()
}
