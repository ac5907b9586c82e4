//! `deeds hook` on what no client should send, and in places that cannot be written to: it exits 0, prints nothing to
//! stdout, and keeps what can be kept.

use std::os::unix::fs::PermissionsExt;

use deeds::ledger::EntryKind;
use serde_json::{Value, json};

use crate::claude::{bodies, entries, evidence, hook, ledger, written};
use crate::sandbox::{Sandbox, finish};

fn bash(sandbox: &Sandbox, call: &str, stdout: &str) -> Value {
    json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
        "tool_name": "Bash", "tool_use_id": call, "tool_input": {"command": "echo hello"},
        "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false}})
}

#[test]
fn what_is_no_event_is_one_unparsed_entry() {
    let sandbox = Sandbox::with_repository();
    let deep = format!("{{\"hook_event_name\":\"PostToolUse\",\"x\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let inputs: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b" \n".to_vec(),
        b"\xef\xbb\xbf".to_vec(),
        b"not json".to_vec(),
        b"\xff\xfe\x00\x01".to_vec(),
        b"[1,2]".to_vec(),
        b"null".to_vec(),
        b"{}".to_vec(),
        deep.into_bytes(),
        json!({"hook_event_name": 7, "session_id": "s"}).to_string().into_bytes(),
        json!({"hook_event_name": "Stop", "session_id": ["s"]}).to_string().into_bytes(),
        json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": {}}).to_string().into_bytes(),
        json!({"hook_event_name": "PostToolBatch", "session_id": "s", "tool_calls": 1}).to_string().into_bytes(),
        json!({"hook_event_name": "NeverHeardOf", "session_id": "s", "n": 1}).to_string().into_bytes(),
    ];
    for (done, input) in inputs.iter().enumerate() {
        let shown = String::from_utf8_lossy(&input[..input.len().min(60)]);
        let ran = hook(&sandbox, input);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{shown}");
        let unparsed = bodies(&sandbox, EntryKind::Unparsed);
        assert_eq!(unparsed.len(), done + 1, "{shown}");
        assert_eq!(unparsed[done]["len"], input.len(), "{shown}");
    }
    // Met again, they are the same entries.
    inputs.iter().for_each(|input| drop(hook(&sandbox, input)));
    assert_eq!(bodies(&sandbox, EntryKind::Unparsed).len(), inputs.len());
}

#[test]
fn damaged_text_is_repaired_and_the_event_kept() {
    let sandbox = Sandbox::with_repository();
    let payload = |call: &str, stdout: &str| bash(&sandbox, call, "MARK").to_string().replace("MARK", stdout);
    hook(&sandbox, format!("\u{feff}{}", payload("toolu_1", "bom")).as_bytes()).expect(0);
    hook(&sandbox, payload("toolu_2", r"cut\ud83d").as_bytes()).expect(0);
    let mut invalid = payload("toolu_3", "MARK").into_bytes();
    let at = invalid.windows(4).position(|window| window == b"MARK").unwrap();
    invalid[at] = 0xff;
    hook(&sandbox, &invalid).expect(0);
    let printed: Vec<String> = evidence(&sandbox, "ClaudeBashExitCodeSensor")
        .iter()
        .map(|run| run["payload"]["output"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(printed, ["bom", "cut\u{fffd}", "\u{fffd}ARK"]);
}

#[test]
fn fifty_megabytes_are_one_event() {
    let sandbox = Sandbox::with_repository();
    let line = "0123456789 abcdefghijklmnopqrstuvwxyz \u{e9}\n";
    let payload = bash(&sandbox, "toolu_1", &line.repeat(50_000_000 / line.len())).to_string();
    let ran = hook(&sandbox, payload.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let run = &evidence(&sandbox, "ClaudeBashExitCodeSensor")[0]["payload"];
    assert_eq!((&run["exit_code"], &run["output_cut"]), (&json!(0), &json!(true)));
    assert!(run["output"]["len"].as_u64().unwrap() <= 1 << 20);
    assert_eq!(run["output_len"], 50_000_000 / line.len() * line.len());
}

#[test]
fn known_events_without_anything_to_record_touch_no_ledger() {
    let sandbox = Sandbox::with_repository();
    for name in ["PreToolUse", "MessageDisplay", "SubagentStart", "Notification", "PreCompact", "PermissionRequest"] {
        let payload = json!({"hook_event_name": name, "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p"});
        let ran = hook(&sandbox, payload.to_string().as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{name}");
    }
    assert!(!sandbox.project().join(".git/deeds").exists());
}

#[test]
fn switched_off_it_does_nothing() {
    let sandbox = Sandbox::with_repository();
    let payload = bash(&sandbox, "toolu_1", "hello").to_string();
    let ran = finish(sandbox.deeds_command().arg("hook").env("DEEDS_OFF", "1"), payload.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    assert!(!sandbox.project().join(".git/deeds").exists());
}

#[test]
fn the_ledger_is_the_projects_wherever_the_agent_wandered() {
    let sandbox = Sandbox::with_repository();
    let other = sandbox.path("other");
    sandbox.init_repository(&other);
    let mut payload = bash(&sandbox, "toolu_1", "hello");
    payload["cwd"] = json!(other);
    let mut command = sandbox.deeds_command();
    command.arg("hook").env("CLAUDE_PROJECT_DIR", sandbox.project()).env("AI_AGENT", "claude-code_2-1-332_harness");
    finish(&mut command, payload.to_string().as_bytes()).expect(0);
    let runs = evidence(&sandbox, "ClaudeBashExitCodeSensor");
    let context = &runs[0]["payload"]["context"];
    assert_eq!((&context["root"], &context["cwd"]), (&json!(other), &json!(other)));
    assert_eq!(
        (&context["branch"], &context["head"]),
        (&json!("main"), &json!(sandbox.git_in(&other, &["rev-parse", "HEAD"])))
    );
    assert_eq!(runs[0]["provenance"], "claude:2.1.332:PostToolUse:Bash#heuristic:success_event");
}

#[test]
fn a_session_start_records_the_projects_declarations() {
    let sandbox = Sandbox::with_repository();
    let text = "{ \"gate\": \"block\" }\n";
    sandbox.write("deeds.json", text);
    let payload =
        json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": sandbox.project(), "source": "startup"});
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    let config = &bodies(&sandbox, EntryKind::Session)[0]["config"];
    assert_eq!(config["text"], text);
    assert_eq!(config["digest"], deeds::evidence::id::sha256_hex(text.as_bytes()));
    // What was changed meanwhile is another start; a malformed file breaks nothing.
    sandbox.write("deeds.json", "{ \"gaet\": 1 }");
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    assert_eq!(bodies(&sandbox, EntryKind::Session).len(), 2);
}

#[test]
fn a_panic_keeps_the_payload_and_exits_0() {
    for (how, text) in [("once", "echo hello"), ("twice", "")] {
        let sandbox = Sandbox::with_repository();
        let payload = bash(&sandbox, "toolu_1", "hello").to_string();
        let ran = finish(sandbox.deeds_command().arg("hook").env("DEEDS_TEST_PANIC", how), payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
        assert!(ran.stderr.starts_with("deeds: deeds itself failed at src/command/hook.rs:"), "{ran:?}");
        let unparsed = bodies(&sandbox, EntryKind::Unparsed);
        assert!(unparsed[0]["reason"].as_str().unwrap().starts_with("deeds itself failed at "), "{unparsed:?}");
        assert!(unparsed[0]["text"].as_str().unwrap().contains(text));
        assert_eq!(unparsed[0]["len"], payload.len());
    }
}

#[test]
fn where_nothing_can_be_written_the_agent_goes_on() {
    let sandbox = Sandbox::with_repository();
    let payload = bash(&sandbox, "toolu_1", "hello").to_string();
    let file = sandbox.path("a-file");
    std::fs::write(&file, "x").unwrap();
    let link = sandbox.path("a-link");
    std::os::unix::fs::symlink(sandbox.path("nowhere"), &link).unwrap();
    let places = [file.clone(), link, file.join("below")];
    for place in &places {
        let ran = finish(sandbox.deeds_command().arg("hook").env("DEEDS_DIR", place), payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        assert!(ran.stderr.starts_with("deeds: failed to ") && ran.stderr.contains("it is kept"), "{ran:?}");
    }
    let spooled = written(&sandbox).into_iter().filter(|(path, _)| path.starts_with(sandbox.state()));
    assert_eq!(spooled.filter(|(_, text)| text.contains("echo hello")).count(), places.len());
    // Nowhere at all.
    let mut command = sandbox.deeds_command();
    command.arg("hook").env("DEEDS_DIR", &file).env("XDG_STATE_HOME", &file);
    let ran = finish(&mut command, payload.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (Some(0), "", 1), "{ran:?}");
    assert!(ran.stderr.contains("the event is lost"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
}

#[test]
fn the_registered_hooks_are_those_that_are_read_and_none_is_asynchronous() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/claude.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let events: Vec<&String> = file["hooks"].as_object().unwrap().keys().collect();
    let wanted = [
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "UserPromptSubmit",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "SubagentStop",
        "TaskCompleted",
    ];
    assert_eq!(events, wanted);
    for groups in file["hooks"].as_object().unwrap().values() {
        let hook = &groups[0]["hooks"][0];
        assert_eq!((&hook["type"], &hook["command"]), (&json!("command"), &json!("deeds hook")));
        assert!(groups[0]["matcher"].is_null() && hook["async"].is_null());
        assert!((1..=60).contains(&hook["timeout"].as_u64().unwrap()));
    }
}

#[test]
fn the_hooks_registered_with_codex_are_those_that_are_read() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/codex.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let events: Vec<&String> = file["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["PostToolUse", "SessionStart", "SessionEnd", "Interrupt", "SubagentStop", "Stop"]);
    for groups in file["hooks"].as_object().unwrap().values() {
        let hook = &groups[0]["hooks"][0];
        assert_eq!((&hook["type"], &hook["command"]), (&json!("command"), &json!("deeds hook")));
        assert!(groups[0]["matcher"].is_null() && hook["async"].is_null());
        assert!((1..=60).contains(&hook["timeout"].as_u64().unwrap()));
    }
}

#[test]
fn what_is_written_is_its_owners_alone() {
    let sandbox = Sandbox::with_repository();
    hook(&sandbox, bash(&sandbox, "toolu_1", &"long ".repeat(2000)).to_string().as_bytes()).expect(0);
    assert_eq!(entries(&sandbox).len(), 2);
    let ledger = sandbox.project().join(".git/deeds");
    for (path, _) in written(&sandbox).iter().filter(|(path, _)| path.starts_with(&ledger)) {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn what_finds_no_lock_is_spooled_and_taken_in_with_the_next_event() {
    let sandbox = Sandbox::with_repository();
    hook(&sandbox, bash(&sandbox, "toolu_1", "hello").to_string().as_bytes()).expect(0);
    let path = sandbox.project().join(".git/deeds/ledger.lock");
    let lock = std::fs::File::open(&path).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    let end = json!({"hook_event_name": "SessionEnd", "session_id": "s", "cwd": sandbox.project(), "reason": "other"});
    let begun = std::time::Instant::now();
    let ran = hook(&sandbox, end.to_string().as_bytes());
    assert!(begun.elapsed() < std::time::Duration::from_millis(1500));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert!(ran.stderr.contains("it is kept"), "{ran:?}");
    drop(lock);
    assert_eq!(bodies(&sandbox, EntryKind::Session).len(), 0);
    hook(&sandbox, bash(&sandbox, "toolu_2", "hello").to_string().as_bytes()).expect(0);
    assert_eq!(bodies(&sandbox, EntryKind::Session).len(), 1);
    assert_eq!(ledger(&sandbox).verify().outcome, deeds::ledger::Outcome::Ok);
}

#[test]
fn each_start_and_end_of_a_resumed_session_is_recorded_once() {
    let sandbox = Sandbox::with_repository();
    let tell = |name: &str, key: &str, value: &str, codex: bool| {
        let path = sandbox.path(if codex { "rollout-1.jsonl" } else { "s.jsonl" });
        std::fs::write(&path, "").unwrap();
        let mut event =
            json!({"hook_event_name": name, "session_id": "s", "cwd": sandbox.project(), "transcript_path": path});
        event[key] = value.into();
        // A hook that is registered twice.
        for _ in 0..2 {
            hook(&sandbox, event.to_string().as_bytes()).expect(0);
        }
    };
    for codex in [false, true] {
        let before = bodies(&sandbox, EntryKind::Session).len();
        for (n, source) in ["startup", "resume", "resume", "resume"].iter().enumerate() {
            tell("SessionStart", "source", source, codex);
            if n < 3 {
                hook(&sandbox, bash(&sandbox, &format!("toolu_{codex}_{n}"), "hello").to_string().as_bytes()).expect(0);
            }
            tell("SessionEnd", "reason", "other", codex);
        }
        let all = bodies(&sandbox, EntryKind::Session);
        let names: Vec<&str> = all[before..].iter().map(|body| body["event"].as_str().unwrap()).collect();
        assert_eq!(names, ["SessionStart", "SessionEnd"].repeat(4));
    }
}

#[test]
fn a_link_within_the_ledger_is_not_followed() {
    let sandbox = Sandbox::with_repository();
    hook(&sandbox, bash(&sandbox, "toolu_1", "hello").to_string().as_bytes()).expect(0);
    let outside = sandbox.path("outside");
    std::fs::create_dir(&outside).unwrap();
    let link = sandbox.project().join(".git/deeds/blobs");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let ran = hook(&sandbox, bash(&sandbox, "toolu_2", &"long ".repeat(4000)).to_string().as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (Some(0), "", 1), "{ran:?}");
    assert!(std::fs::read_dir(&outside).unwrap().next().is_none());
    std::fs::remove_file(&link).unwrap();
    hook(&sandbox, bash(&sandbox, "toolu_3", "hello").to_string().as_bytes()).expect(0);
    assert_eq!(bodies(&sandbox, EntryKind::Evidence).len(), 3);
}

#[test]
fn a_corrupt_ledger_stays_as_it_is_and_the_event_waits() {
    let sandbox = Sandbox::with_repository();
    hook(&sandbox, bash(&sandbox, "toolu_1", "hello").to_string().as_bytes()).expect(0);
    let path = sandbox.project().join(".git/deeds/ledger.jsonl");
    let altered = std::fs::read_to_string(&path).unwrap().replace("echo hello", "echo jello");
    std::fs::write(&path, &altered).unwrap();
    let ran = hook(&sandbox, bash(&sandbox, "toolu_2", "hello").to_string().as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (Some(0), "", 1), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), altered);
    assert_eq!(ledger(&sandbox).spool().drafts().0.len(), 1);
}

#[test]
fn the_host_looks_at_the_worktree_for_a_check_and_not_for_an_ordinary_command() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("src/a.rs", "fn a() {}\n");
    hook(&sandbox, bash(&sandbox, "toolu_1", "hello").to_string().as_bytes()).expect(0);
    assert_eq!(evidence(&sandbox, "HostWorktreeSensor").len(), 0);
    let mut check = bash(&sandbox, "toolu_2", "test result: ok. 1 passed");
    check["tool_input"]["command"] = json!("cargo test 2>&1 | tail -4");
    hook(&sandbox, check.to_string().as_bytes()).expect(0);
    let looks = evidence(&sandbox, "HostWorktreeSensor");
    sandbox.git(&["add", "-A"]);
    assert_eq!(looks[0]["payload"]["tree"], sandbox.git(&["write-tree"]));
    assert_eq!(looks[0]["payload"]["changed"][0]["path"], "src/a.rs");
    assert_eq!(looks[0]["source_event_id"], "toolu_2");
    let git = evidence(&sandbox, "HostGitSensor");
    assert_eq!((&git[0]["payload"]["branch"], &git[0]["payload"]["clean"]), (&json!("main"), &json!(false)));
    // Met again over another tree, the first look stands.
    sandbox.write("src/a.rs", "fn b() {}\n");
    hook(&sandbox, check.to_string().as_bytes()).expect(0);
    assert_eq!(evidence(&sandbox, "HostWorktreeSensor"), looks);
}

#[test]
fn a_declared_check_is_looked_at_too() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("deeds.json", r#"{ "checks": { "contract": "./contract --all" } }"#);
    let mut run = bash(&sandbox, "toolu_1", "ok");
    run["tool_input"]["command"] = json!("./contract --all");
    hook(&sandbox, run.to_string().as_bytes()).expect(0);
    assert_eq!(evidence(&sandbox, "HostWorktreeSensor").len(), 1);
}

#[test]
fn in_another_repository_the_tree_is_not_taken_and_the_reason_is() {
    let sandbox = Sandbox::with_repository();
    let other = sandbox.path("other");
    sandbox.init_repository(&other);
    let mut check = bash(&sandbox, "toolu_1", "ok");
    check["tool_input"]["command"] = json!("cargo test");
    check["cwd"] = json!(other);
    let mut command = sandbox.deeds_command();
    command.arg("hook").env("CLAUDE_PROJECT_DIR", sandbox.project());
    finish(&mut command, check.to_string().as_bytes()).expect(0);
    let looks = evidence(&sandbox, "HostWorktreeSensor");
    assert_eq!(looks[0]["payload"]["tree"], Value::Null);
    assert_eq!(looks[0]["payload"]["reason"], "the agent was outside of the session's own repository");
    assert_eq!(evidence(&sandbox, "HostGitSensor").len(), 0);
}

#[test]
fn a_claim_stands_with_the_tree_of_its_moment() {
    let sandbox = Sandbox::with_repository();
    let stop = |message: &str, turn: &str| {
        json!({"hook_event_name": "Stop", "session_id": "s", "cwd": sandbox.project(), "prompt_id": turn,
            "stop_hook_active": false, "last_assistant_message": message,
            "background_tasks": [{"id": "b1", "status": "running"}]})
        .to_string()
    };
    for (message, turn) in [("All 3 tests pass.", "p1"), ("Hello!", "p2"), ("All 3 tests pass.", "p1")] {
        let ran = hook(&sandbox, stop(message, turn).as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    }
    let claims = bodies(&sandbox, EntryKind::Claim);
    assert_eq!(claims.len(), 2, "{claims:?}");
    assert_eq!((&claims[0]["message"], &claims[0]["running"]), (&json!("All 3 tests pass."), &json!(["b1"])));
    assert_eq!(claims[0]["worktree"]["tree"], sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(claims[0]["git"]["head"], sandbox.git(&["rev-parse", "HEAD"]));
    assert_eq!((&claims[1]["worktree"], &claims[1]["git"]), (&Value::Null, &Value::Null));
}

#[test]
fn no_ledger_is_begun_in_a_place_that_only_a_payload_speaks_of() {
    let sandbox = Sandbox::with_repository();
    let elsewhere = sandbox.path("never/made");
    let mut payload = bash(&sandbox, "toolu_1", "hello");
    payload["cwd"] = json!(elsewhere);
    hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    assert!(!sandbox.path("never").exists());
    assert_eq!(evidence(&sandbox, "ClaudeBashExitCodeSensor")[0]["payload"]["cwd"], json!(elsewhere));
    // A folder of the project that is gone meanwhile.
    payload["cwd"] = json!(sandbox.project().join("gone/deep"));
    payload["tool_use_id"] = json!("toolu_2");
    let mut elsewhere = sandbox.deeds_command();
    finish(elsewhere.arg("hook").current_dir("/"), payload.to_string().as_bytes()).expect(0);
    assert_eq!(evidence(&sandbox, "ClaudeBashExitCodeSensor").len(), 2);
}

#[test]
fn a_file_named_like_a_secret_is_known_by_a_keyed_digest_only() {
    let sandbox = Sandbox::with_repository();
    let path = sandbox.write(".env", "PIN=1234\n");
    let start =
        json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": sandbox.project(), "source": "startup"});
    hook(&sandbox, start.to_string().as_bytes()).expect(0);
    for call in ["toolu_1", "toolu_2"] {
        let payload = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
            "tool_name": "Write", "tool_use_id": call, "tool_input": {"file_path": path, "content": "PIN=1234\n"},
            "tool_response": {"type": "update", "filePath": path, "content": "PIN=1234\n", "originalFile": "PIN=9999\n",
                "structuredPatch": [{"lines": ["-PIN=9999", "+PIN=1234"]}]}});
        hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    }
    let (edits, looks) = (evidence(&sandbox, "ClaudeEditSensor"), evidence(&sandbox, "HostFileSensor"));
    let (edit, look) = (&edits[0]["payload"], &looks[0]["payload"]);
    assert_eq!(
        (&edit["patch"], &edit["after"]["sha256"], &edit["after"]["len"]),
        (&Value::Null, &Value::Null, &json!(9))
    );
    assert_eq!(edit["after"]["keyed"].as_str().unwrap().len(), 64);
    assert_eq!((&look["keyed"], &look["same"]), (&edit["after"]["keyed"], &json!(true)));
    assert_eq!(edits[1]["payload"]["after"], edit["after"]);
    let ledger = sandbox.project().join(".git/deeds");
    for (path, text) in written(&sandbox).into_iter().filter(|(path, _)| path.starts_with(&ledger)) {
        let plain = deeds::evidence::id::sha256_hex(b"PIN=1234\n");
        assert!(!text.contains("1234\\n") && !text.contains("9999") && !text.contains(&plain), "{}", path.display());
    }
}

#[test]
fn events_that_come_at_once_are_each_one_entry() {
    let sandbox = Sandbox::with_repository();
    let long = "test tests::case ... ok\n".repeat(200 * 1024 / 24);
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (sandbox, long) = (&sandbox, &long);
            scope.spawn(move || {
                for call in 0..8 {
                    let payload = bash(sandbox, &format!("toolu_{worker}_{call}"), &format!("{worker} {call}\n{long}"));
                    let ran = hook(sandbox, payload.to_string().as_bytes());
                    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
                }
            });
        }
    });
    let seqs: Vec<u64> = entries(&sandbox).iter().map(|entry| entry.seq).collect();
    assert_eq!(seqs, (0..=64).collect::<Vec<u64>>());
    assert_eq!(evidence(&sandbox, "ClaudeBashExitCodeSensor").len(), 64);
    assert_eq!(ledger(&sandbox).verify().outcome, deeds::ledger::Outcome::Ok);
}

#[test]
fn a_call_whose_event_waits_in_the_spool_counts_as_reported() {
    let sandbox = Sandbox::with_repository();
    hook(&sandbox, bash(&sandbox, "toolu_1", "hello").to_string().as_bytes()).expect(0);
    let path = sandbox.project().join(".git/deeds/ledger.jsonl");
    let sound = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, sound.replace("echo hello", "echo jello")).unwrap();
    hook(&sandbox, bash(&sandbox, "toolu_2", "hello").to_string().as_bytes()).expect(0);
    std::fs::write(&path, sound).unwrap();
    let call = |id: &str| json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {}, "tool_response": "hello"});
    let batch = json!({"hook_event_name": "PostToolBatch", "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
        "tool_calls": [call("toolu_1"), call("toolu_2"), call("toolu_3")]});
    hook(&sandbox, batch.to_string().as_bytes()).expect(0);
    let missed: Vec<Value> =
        evidence(&sandbox, "ClaudeBatchSensor").iter().map(|body| body["source_event_id"].clone()).collect();
    assert_eq!(missed, ["toolu_3"]);
    assert_eq!(evidence(&sandbox, "ClaudeBashExitCodeSensor").len(), 2);
}
