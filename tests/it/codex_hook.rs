//! Recorded Codex sessions through the real `deeds hook`, with the rollout as it stood when each hook was called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::codex_tail::{bodies, fixtures};
use crate::sandbox::{Ran, Sandbox};

/// A recorded session, moved into a sandbox with a repository.
struct Session {
    sandbox: Sandbox,
    hooks: Vec<Value>,
    /// Whole rollouts, by where the hooks say they are.
    rollouts: BTreeMap<PathBuf, Vec<String>>,
}

impl Session {
    fn of(case: &str) -> Session {
        let sandbox = Sandbox::with_repository();
        let moved = |text: String| {
            let text = text.replace("/home/dev/demo/project", sandbox.project().to_str().unwrap());
            text.replace("/home/dev/.codex", sandbox.home().join(".codex").to_str().unwrap())
        };
        let read = |folder: &str| -> Vec<(PathBuf, String)> {
            let dir = fixtures().join(case).join(folder);
            let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
            paths.sort();
            paths.into_iter().map(|path| (path.clone(), moved(std::fs::read_to_string(path).unwrap()))).collect()
        };
        let hooks: Vec<Value> = read("hooks").iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
        let dir = Path::new(hooks[0]["transcript_path"].as_str().unwrap()).parent().unwrap().to_owned();
        std::fs::create_dir_all(&dir).unwrap();
        let rollouts = read("rollouts")
            .into_iter()
            .map(|(path, text)| (dir.join(path.file_name().unwrap()), text.lines().map(str::to_owned).collect()))
            .collect();
        Session { sandbox, hooks, rollouts }
    }

    fn ledger(&self) -> PathBuf {
        self.sandbox.project().join(".git/deeds")
    }

    fn recorded(&self) -> Vec<Value> {
        bodies(&self.ledger())
    }

    fn hook(&self, payload: &Value) -> Ran {
        let ran = self.sandbox.deeds_with(&["hook"], payload.to_string().as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{payload}");
        ran
    }

    /// Writes each rollout as far as it was written when this hook was called.
    fn write_up_to(&self, payload: &Value) {
        let lines = |path: &Path| self.rollouts[path].iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let own = payload["agent_transcript_path"].as_str().or(payload["transcript_path"].as_str()).unwrap();
        let own = Path::new(own);
        let end = match payload["hook_event_name"].as_str().unwrap() {
            "PostToolUse" => {
                lines(own).position(|line| line["payload"]["item"]["id"] == payload["tool_use_id"]).map(|at| at + 1)
            }
            "Stop" | "SubagentStop" => lines(own).position(|line| {
                line["payload"]["type"] == "task_complete" && line["payload"]["turn_id"] == payload["turn_id"]
            }),
            "SessionEnd" => Some(self.rollouts[own].len()),
            _ => None,
        };
        if let Some(end) = end {
            let text: String = self.rollouts[own][..end].iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(own, text).unwrap();
        }
    }

    /// Plays the whole session; gives what each Stop was answered.
    fn play(&self) -> Vec<String> {
        let mut answers = Vec::new();
        for payload in &self.hooks {
            self.write_up_to(payload);
            let ran = self.hook(payload);
            let event = payload["hook_event_name"].as_str().unwrap();
            assert!(event.ends_with("Stop") || ran.stdout.is_empty(), "{event}: {ran:?}");
            if event == "Stop" {
                answers.push(ran.stdout);
            }
        }
        answers
    }

    /// The exit codes of all items: id → code.
    fn items(&self) -> BTreeMap<String, i64> {
        let lines = self.rollouts.values().flatten().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line["payload"]["item"]["type"] == "CommandExecution")
            .map(|line| {
                let item = &line["payload"]["item"];
                (item["id"].as_str().unwrap().to_owned(), item["exit_code"].as_i64().unwrap())
            })
            .collect()
    }
}

/// Exit codes by call, of evidence collected in this way.
fn codes<'a>(recorded: &'a [Value], method: &str) -> BTreeMap<&'a str, Vec<&'a Value>> {
    let mut found: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let commands = recorded.iter().filter(|body| body["kind"] == "exit_code" && body["payload"]["command"].is_string());
    for body in commands.filter(|body| body["source"]["collection_method"] == method) {
        found.entry(body["source_event_id"].as_str().unwrap()).or_default().push(&body["payload"]["exit_code"]);
    }
    found
}

#[test]
fn every_command_of_every_session_is_observed_twice_and_its_code_is_right() {
    for case in ["basic", "agent-v1", "patch", "code-mode", "pre-deny", "mcp", "parallel"] {
        let session = Session::of(case);
        session.play();
        let recorded = session.recorded();
        let (told, read) = (codes(&recorded, "hook_callback"), codes(&recorded, "file_poll"));
        for (id, code) in session.items() {
            assert_eq!(told[id.as_str()], [&Value::Null], "{case} {id}");
            assert_eq!(read[id.as_str()], [&json!(code)], "{case} {id}");
        }
        assert_eq!(read.len(), session.items().len(), "{case}");
        let verified = session.sandbox.deeds(&["verify", "--json"]).expect(0).json();
        assert_eq!((&verified["result"], &verified["findings"]), (&json!("ok"), &json!([])), "{case}");
    }
}

#[test]
fn a_claim_that_the_rollout_contradicts_is_contradicted_at_the_stop() {
    let session = Session::of("basic");
    let answers = session.play();
    let answer: Value = serde_json::from_str(&answers[0]).unwrap();
    let said = answer["systemMessage"].as_str().unwrap();
    assert!(said.contains("\"All 3 tests pass\" contradicted: `cargo test --fail` exited 101"), "{said}");
    let judged = session.sandbox.deeds(&["judge"]).expect(2);
    assert!(judged.stdout.contains("exited 101, 1 failed, 2 passed"), "{judged:?}");
}

#[test]
fn reading_the_whole_rollout_later_adds_nothing_that_the_hook_has_found() {
    for case in ["basic", "code-mode", "patch"] {
        let session = Session::of(case);
        session.play();
        let before = session.recorded();
        let tail = || session.sandbox.deeds(&["tail"]).expect(0).stdout;
        assert_eq!(tail(), "1 rollout read: nothing new\n", "{case}");
        assert_eq!(session.recorded(), before, "{case}");
        // A ledger in which the two lie far apart, as in a long session.
        let noise = json!({"hook_event_name": "PostToolUse", "session_id": "other", "turn_id": "t", "tool_name": "Bash",
            "cwd": session.sandbox.project(), "tool_use_id": "call_noise", "tool_input": {"command": "true"},
            "tool_response": "x".repeat(4000), "transcript_path": null});
        for n in 0..80 {
            let mut noise = noise.clone();
            noise["tool_use_id"] = json!(format!("call_noise_{n}"));
            session.hook(&noise);
        }
        let stop = session.hooks.iter().find(|payload| payload["hook_event_name"] == "Stop").unwrap();
        session.hook(stop);
        assert_eq!(tail(), "1 rollout read: nothing new\n", "{case}");
        let read = session.recorded();
        assert_eq!(codes(&read, "file_poll"), codes(&before, "file_poll"), "{case}");
    }
}

#[test]
fn what_no_hook_reports_comes_from_the_rollout_at_the_stop() {
    let session = Session::of("patch");
    session.play();
    let recorded = session.recorded();
    let edits: Vec<(String, bool, bool)> = recorded
        .iter()
        .filter(|body| body["kind"] == "file_diff")
        .map(|body| {
            let payload = &body["payload"];
            let path = Path::new(payload["path"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
            (path, payload["failed"] == true, body["source"]["collection_method"] == "file_poll")
        })
        .collect();
    let done = |path: &str| (path.to_owned(), false, true);
    let refused = |path: &str| (path.to_owned(), true, true);
    let mut expected =
        vec![done("added.txt"), done("notes.txt"), done("added.txt"), done("moved.txt"), done("main.rs")];
    expected.extend([refused("notes.txt"), done("via_shell.txt"), refused("via_shell.txt")]);
    assert_eq!(edits, expected);
    let never: Vec<&str> = recorded
        .iter()
        .filter(|body| body["payload"]["ran"] == false)
        .filter_map(|body| body["payload"]["tool"].as_str())
        .collect();
    assert_eq!(never, ["no_such_tool", "exec_command", "update_plan"]);
    // The host looked at the files of the patches that it was called for, and at no other.
    let looks = recorded.iter().filter(|body| body["payload"]["look"] == "file").count();
    assert_eq!(looks, 5);
}

#[test]
fn a_sub_agents_words_and_commands_are_its_own() {
    let session = Session::of("agent-v1");
    session.play();
    let recorded = session.recorded();
    let agent = "01a22e01-1e46-7111-b51b-8db1a01b9ce9";
    let test = recorded.iter().filter(|body| body["payload"]["command"] == "cargo test --fail");
    assert!(test.clone().count() == 2 && test.clone().all(|body| body["payload"]["context"]["agent"]["id"] == agent));
    let claims: Vec<(&Value, &Value)> = recorded
        .iter()
        .filter(|body| body.get("message").is_some())
        .map(|body| (&body["event"], &body["context"]["agent"]["id"]))
        .collect();
    assert_eq!(claims, [(&json!("SubagentStop"), &json!(agent)), (&json!("Stop"), &Value::Null)]);
}

#[test]
fn a_rollout_that_is_a_link_or_not_there_costs_the_second_observation_and_nothing_else() {
    for damage in ["link", "missing", "folder", "none"] {
        let session = Session::of("basic");
        let payload = session.hooks.iter().find(|payload| payload["hook_event_name"] == "PostToolUse").unwrap().clone();
        let path = PathBuf::from(payload["transcript_path"].as_str().unwrap());
        let mut payload = payload;
        match damage {
            "link" => {
                session.write_up_to(&payload);
                std::fs::rename(&path, path.with_extension("moved")).unwrap();
                std::os::unix::fs::symlink(path.with_extension("moved"), &path).unwrap();
            }
            "folder" => std::fs::create_dir(&path).unwrap(),
            "none" => payload["transcript_path"] = Value::Null,
            _ => {}
        }
        session.hook(&payload);
        let recorded = session.recorded();
        assert_eq!(codes(&recorded, "hook_callback").len(), 1, "{damage}");
        assert!(codes(&recorded, "file_poll").is_empty(), "{damage}");
        let missed: Vec<&Value> = recorded.iter().filter(|body| body["sensor"] == "CodexItemCompletedSensor").collect();
        assert_eq!(missed.len(), usize::from(damage != "none"), "{damage}: {missed:?}");
    }
}

#[test]
fn the_item_is_found_under_whatever_was_written_after_it() {
    let session = Session::of("basic");
    let payload = session.hooks.iter().rfind(|payload| payload["hook_event_name"] == "PostToolUse").unwrap();
    session.write_up_to(payload);
    let path = Path::new(payload["transcript_path"].as_str().unwrap());
    let later = json!({"timestamp": "2026-11-30T19:39:17.000Z", "type": "response_item",
        "payload": {"type": "message", "text": "call_mock7160002_0 ".repeat(20_000)}});
    let mut text = std::fs::read_to_string(path).unwrap();
    text.push_str(&format!("{later}\n{}\n{{\"half a line", "garbage call_mock7160002_0"));
    std::fs::write(path, text).unwrap();
    session.hook(payload);
    assert_eq!(codes(&session.recorded(), "file_poll")["call_mock7160002_0"], [&json!(101)]);
    // The first call's, with everything that the session wrote after it.
    std::fs::write(path, session.rollouts[path].join("\n") + "\n").unwrap();
    session.hook(session.hooks.iter().find(|payload| payload["hook_event_name"] == "PostToolUse").unwrap());
    assert_eq!(codes(&session.recorded(), "file_poll")["call_mock7160001_0"], [&json!(0)]);
}

#[test]
fn show_says_whether_the_two_observations_of_a_call_agree() {
    let session = Session::of("basic");
    session.play();
    let seq = |session: &Session, call: &str| {
        let entries = deeds::ledger::Ledger::open(&session.ledger()).read().unwrap().map(|entry| entry.unwrap());
        let mut of_call = entries.filter(|entry| entry.body["source_event_id"] == call);
        of_call.next().unwrap().seq.to_string()
    };
    let shown = session.sandbox.deeds(&["show", &seq(&session, "call_mock7160002_0")]).expect(0).stdout;
    assert!(shown.contains(": exit unknown (not_told), "), "{shown}");
    assert!(shown.contains(": exit 101 (rollout), "), "{shown}");
    assert!(shown.contains("they agree: one tells an exit code, 101; the output is the same"), "{shown}");

    // The rollout says another thing than it said when the hook was called.
    let path = session.rollouts.keys().next().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let forged = text.replace("\"exit_code\":101", "\"exit_code\":0").replacen("{\"timestamp\"", "{ \"timestamp\"", 1);
    std::fs::write(path, forged).unwrap();
    session.sandbox.deeds(&["tail"]).expect(0);
    let shown = session.sandbox.deeds(&["show", &seq(&session, "call_mock7160002_0")]).expect(0).stdout;
    assert!(shown.contains("they differ: two observations differ: exit 101 (#"), "{shown}");
}

/// Plays the session of patches with the files as the patches leave them, and ends it with these words: the only claim's
/// outcome and detail.
fn after_patches(words: &str, between: impl Fn(&Sandbox, usize)) -> (String, String) {
    let session = Session::of("patch");
    let sandbox = &session.sandbox;
    for (path, text) in [("notes.txt", "hello\nworld\n"), ("main.rs", "fn main() {}\n")] {
        sandbox.write(path, text);
    }
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "a"]);
    for (n, payload) in session.hooks.iter().enumerate() {
        let mut payload = payload.clone();
        match payload["tool_use_id"].as_str() {
            Some("call_mock3870001_0") => {
                sandbox.write("added.txt", "one\ntwo\n");
                sandbox.write("notes.txt", "HELLO\nworld\n");
            }
            Some("call_mock3870004_0") => {
                std::fs::remove_file(sandbox.project().join("added.txt")).unwrap();
                std::fs::remove_file(sandbox.project().join("main.rs")).unwrap();
                sandbox.write("moved.txt", "ONE\ntwo\n");
                sandbox.write("via_shell.txt", "v\n");
            }
            _ => {}
        }
        between(sandbox, n);
        session.write_up_to(&payload);
        if payload["hook_event_name"] == "Stop" {
            payload["last_assistant_message"] = words.into();
        }
        session.hook(&payload);
    }
    let judged = sandbox.deeds(&["judge", "--format", "json"]).json();
    let claim = &judged["claims"][0];
    let outcome = claim["reason"].as_str().or(claim["outcome"].as_str()).unwrap_or_default();
    (outcome.to_owned(), claim["detail"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_file_that_a_patch_changed_is_seen_to_be_changed() {
    for words in
        ["I updated `notes.txt`.", "I removed `main.rs`.", "I created `moved.txt`.", "I created `via_shell.txt`."]
    {
        let (outcome, detail) = after_patches(words, |_, _| {});
        assert_eq!(outcome, "supported", "{words}: {detail}");
    }
}

#[test]
fn a_patch_that_was_committed_since_still_stands() {
    let commit = |sandbox: &Sandbox, n: usize| {
        if n == 3 {
            sandbox.git(&["add", "-A"]);
            sandbox.git(&["commit", "-qm", "all"]);
        }
    };
    let (outcome, detail) = after_patches("I updated `notes.txt`.", commit);
    assert_eq!(outcome, "supported", "{detail}");
}

#[test]
fn a_patch_of_which_the_file_has_nothing_supports_nothing() {
    let undo = |sandbox: &Sandbox, _| drop(sandbox.write("notes.txt", "hello\nworld\n"));
    let (outcome, detail) = after_patches("I updated `notes.txt`.", undo);
    assert_ne!(outcome, "supported", "{detail}");
}

#[test]
fn which_hooks_ran_is_said_as_it_was() {
    let holes = |events: &[&str]| {
        let session = Session::of("basic");
        for payload in &session.hooks {
            session.write_up_to(payload);
            if events.contains(&payload["hook_event_name"].as_str().unwrap()) {
                session.hook(payload);
            }
        }
        let path = session.rollouts.keys().next().unwrap().to_str().unwrap().to_owned();
        session.sandbox.deeds(&["tail", &path]).expect(0);
        session.sandbox.deeds(&["judge", "--format", "json"]).json()["coverage"]["holes"].to_string()
    };
    assert!(holes(&[]).contains("no hook of the client ran"), "{}", holes(&[]));
    for events in [&["SessionStart", "Stop"][..], &["Stop"], &["SessionEnd"]] {
        let holes = holes(events);
        assert!(holes.contains("no hook told of a tool call") && !holes.contains("no hook of the client"), "{holes}");
    }
    let all = holes(&["SessionStart", "PostToolUse", "Stop"]);
    assert!(!all.contains("no hook"), "{all}");
}
