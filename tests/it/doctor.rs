//! `deeds doctor`: all well, then each thing that it looks at broken, one at a time.

use std::path::{Path, PathBuf};

use deeds::evidence::id::sha256_hex;
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, finish};

const SESSION: &str = "5d1c0a52-1111-4222-8333-444455556666";
const THREAD: &str = "01a22df7-fa9e-7340-879d-7a348e4d6cca";

/// A project in which both clients call deeds, and have.
struct Clinic {
    sandbox: Sandbox,
    bin: PathBuf,
}

impl Clinic {
    fn new() -> Clinic {
        let sandbox = Sandbox::with_repository();
        let bin = sandbox.path("bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::hard_link(env!("CARGO_BIN_EXE_deeds"), bin.join("deeds"))
            .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_deeds"), bin.join("deeds")).map(drop))
            .unwrap();
        let clinic = Clinic { sandbox, bin };
        clinic.deeds(&["install", "claude"]).expect(0);
        clinic.deeds(&["install", "codex"]).expect(0);
        clinic.trust();
        clinic.claude_session(&["toolu_1", "toolu_2"], &["toolu_1", "toolu_2"]);
        clinic
    }

    fn deeds(&self, args: &[&str]) -> Ran {
        self.deeds_with(args, b"", &[])
    }

    fn deeds_with(&self, args: &[&str], stdin: &[u8], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(self.bin.join("deeds").to_str().unwrap(), &self.sandbox.project());
        command.env("PATH", format!("{}:/usr/bin:/bin", self.bin.display()));
        finish(command.args(args).envs(variables.iter().copied()), stdin)
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    fn ledger(&self) -> PathBuf {
        self.sandbox.project().join(".git/deeds")
    }

    /// Changes a file's text.
    fn edit(&self, path: &Path, change: impl FnOnce(String) -> String) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        std::fs::write(path, change(text)).unwrap();
    }

    /// Trusts what is registered with Codex, as its own review does.
    fn trust(&self) {
        let path = self.home(".codex/hooks.json");
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut config = "model = \"gpt-5.5\"\n".to_owned();
        for (event, name) in [
            ("PostToolUse", "post_tool_use"),
            ("SessionStart", "session_start"),
            ("SessionEnd", "session_end"),
            ("Interrupt", "interrupt"),
            ("SubagentStop", "subagent_stop"),
            ("Stop", "stop"),
        ] {
            let hook = &file["hooks"][event][0]["hooks"][0];
            let bound = format!(
                "{{\"event_name\":\"{name}\",\"hooks\":[{{\"async\":false,\"command\":{},\"timeout\":{},\"type\":\"command\"}}]}}",
                hook["command"], hook["timeout"]
            );
            let key = format!("{}:{name}:0:0", path.display());
            let hash = sha256_hex(bound.as_bytes());
            config.push_str(&format!("\n[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:{hash}\"\n"));
        }
        std::fs::write(self.home(".codex/config.toml"), config).unwrap();
    }

    /// A session of Claude Code as it writes it down itself, and what of it reached the hook.
    fn claude_session(&self, written: &[&str], told: &[&str]) {
        let cwd = self.sandbox.project();
        let common = json!({"session_id": SESSION, "cwd": cwd, "transcript_path": "/x.jsonl"});
        let event = |more: Value| {
            let mut event = common.clone();
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            self.deeds_with(&["hook"], event.to_string().as_bytes(), &[]).expect(0);
        };
        event(json!({"hook_event_name": "SessionStart", "source": "startup"}));
        for call in told {
            event(json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": call,
                "tool_input": {"command": "ls"},
                "tool_response": {"stdout": "a", "stderr": "", "interrupted": false, "isImage": false}}));
        }
        event(json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Here it is."}));
        let slug: String =
            cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let rows: Vec<String> = written.iter().map(|call| rows(call, &deeds::clock::now())).collect();
        self.put(&self.home(&format!(".claude/projects/{slug}/{SESSION}.jsonl")), &rows.concat());
    }

    fn put(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
    }

    fn doctor(&self) -> Found {
        self.doctor_with(&[])
    }

    fn doctor_with(&self, variables: &[(&str, &str)]) -> Found {
        let ran = self.deeds_with(&["doctor", "--json"], b"", variables);
        let said = ran.json();
        let result = match ran.code {
            Some(0) => "ok",
            Some(1) => "warning",
            Some(2) => "failure",
            other => panic!("{other:?}: {ran:?}"),
        };
        assert_eq!(said["result"], result);
        Found(said)
    }
}

struct Found(Value);

impl Found {
    /// Fails the test unless exactly one thing is not well, and it is told so.
    #[track_caller]
    fn only(self, level: &str, about: &str, words: &str) {
        let ill: Vec<&Value> =
            self.0["checks"].as_array().unwrap().iter().filter(|check| check["level"] != "ok").collect();
        assert_eq!(ill.len(), 1, "{ill:#?}");
        self.one_of(level, about, words);
    }

    #[track_caller]
    fn one_of(&self, level: &str, about: &str, words: &str) {
        let is = |check: &&Value| {
            check["level"] == level && check["check"] == about && check["detail"].as_str().unwrap().contains(words)
        };
        let found = self.0["checks"].as_array().unwrap().iter().find(is);
        let found = found.unwrap_or_else(|| panic!("{level} {about} {words}: {:#}", self.0));
        assert!(!found["advice"].as_str().unwrap_or_default().is_empty(), "no advice: {found}");
    }
}

#[test]
fn all_is_well() {
    let clinic = Clinic::new();
    let found = clinic.doctor();
    assert_eq!(found.0["result"], "ok", "{:#}", found.0);
    assert_eq!(found.0["capabilities"]["claude"]["process_result"], "available");
    assert_eq!(found.0["capabilities"]["codex"]["reasoning_summary"], "unsupported");
    let text = clinic.deeds(&["doctor"]).expect(0).stdout;
    assert!(text.ends_with("All is well.\n") && text.contains("claude events seen  Stop "), "{text}");
    assert!(text.lines().all(|line| !line.ends_with(' ')), "{text}");
}

#[test]
fn it_changes_nothing() {
    let clinic = Clinic::new();
    let all = || {
        let mut command = clinic.sandbox.command("find", &clinic.sandbox.path("."));
        finish(command.args([".", "-printf", "%p %s %T@ %m\n"]), b"").expect(0).stdout
    };
    let before = all();
    clinic.doctor();
    assert_eq!(all(), before);
}

#[test]
fn nothing_registered_is_a_failure_and_one_client_is_enough() {
    let sandbox = Sandbox::with_repository();
    let ran = sandbox.deeds(&["doctor"]).expect(2);
    assert!(ran.stdout.contains("no client calls deeds") && ran.stdout.contains("deeds install claude"), "{ran:?}");
    assert!(!sandbox.project().join(".git/deeds").exists());
    let clinic = Clinic::new();
    clinic.deeds(&["uninstall", "codex"]).expect(0);
    assert_eq!(clinic.doctor().0["result"], "ok");
    let ran = clinic.deeds(&["doctor", "codex"]).expect(2);
    assert!(ran.stdout.contains("Codex does not call deeds"), "{ran:?}");
}

#[test]
fn settings_that_cannot_be_read_are_named_with_the_place() {
    let clinic = Clinic::new();
    clinic.edit(&clinic.home(".claude/settings.json"), |text| text.replacen("{\n", "{\n  // mine\n", 1));
    clinic.doctor().one_of("failure", "claude", "a comment, which the client does not read either");
    let clinic = Clinic::new();
    clinic.edit(&clinic.home(".codex/config.toml"), |text| format!("model = \"x\"\n{text}"));
    clinic.doctor().only("failure", "codex", "config.toml: duplicate key");
    let clinic = Clinic::new();
    clinic.sandbox.write(".claude/settings.local.json", "{\"hooks\": {\"Stop\": 7}}");
    clinic.doctor().only("failure", "claude", "\"Stop\" is a number, and should be a list (at 1:20)");
}

#[test]
fn an_event_that_is_not_registered_is_named() {
    for (event, level, words) in [
        ("PostToolUse", "failure", "tool calls are invisible"),
        ("PostToolUseFailure", "failure", "failures are invisible"),
        ("Stop", "failure", "what the agent says it did is not recorded"),
        ("PostToolBatch", "warning", "calls that never ran"),
        ("UserPromptSubmit", "warning", "background commands"),
        ("SessionStart", "warning", "beginning"),
        ("SessionEnd", "warning", "end"),
        ("SubagentStop", "warning", "sub-agent"),
        ("TaskCompleted", "warning", "task"),
    ] {
        let clinic = Clinic::new();
        clinic
            .edit(&clinic.home(".claude/settings.json"), |text| text.replace(&format!("\"{event}\""), "\"Elsewhere\""));
        clinic.doctor().only(level, &format!("claude {event}"), words);
    }
}

#[test]
fn what_loses_events_in_the_way_they_are_registered_is_named() {
    let change = |from: &str, to: &str| {
        let clinic = Clinic::new();
        clinic.edit(&clinic.home(".claude/settings.json"), |text| text.replacen(from, to, 1));
        clinic.doctor()
    };
    change("\"timeout\": 10", "\"timeout\": 10, \"async\": true").only("failure", "claude PostToolUse", "is async");
    change("\"timeout\": 10", "\"timeout\": 10000").only("warning", "claude PostToolUse", "it is given in seconds");
    change("\"timeout\": 10", "\"timeout\": 1").only("warning", "claude PostToolUse", "time-out of 1 s");
    change("{ \"hooks\"", "{ \"matcher\": \"Bash\", \"hooks\"").only(
        "warning",
        "claude PostToolUse",
        "matcher \"Bash\"",
    );
    change("{\n", "{\n  \"disableAllHooks\": true,\n").only("failure", "claude hooks", "disableAllHooks");
}

#[test]
fn a_command_that_is_not_this_program_is_named() {
    let command = |to: &str| {
        let clinic = Clinic::new();
        let own = format!("{} hook", clinic.bin.join("deeds").display());
        clinic.edit(&clinic.home(".claude/settings.json"), |text| text.replace(&own, to));
        (clinic.doctor(), clinic)
    };
    command("/nowhere/deeds hook").0.only("failure", "claude command", "/nowhere/deeds is not there");
    let (found, clinic) = command("deeds hook");
    assert_eq!(found.0["result"], "ok");
    let other = clinic.sandbox.path("other/deeds");
    clinic.put(&other, "#!/bin/sh");
    let path = clinic.home(".claude/settings.json");
    clinic.edit(&path, |text| text.replace("\"deeds hook\"", &format!("\"{} hook\"", other.display())));
    clinic.doctor().only("failure", "claude command", "cannot be executed");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    clinic.doctor().only("warning", "claude command", "another deeds than this one");
}

#[test]
fn a_program_that_the_terminal_does_not_find_is_named() {
    let clinic = Clinic::new();
    let found = clinic.doctor_with(&[("PATH", "/usr/bin:/bin")]);
    found.only("warning", "program", "is not on your PATH");
    let other = clinic.sandbox.path("first/deeds");
    clinic.put(&other, "#!/bin/sh");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}:/usr/bin", other.parent().unwrap().display(), clinic.bin.display());
    clinic.doctor_with(&[("PATH", &path)]).only("warning", "program", "is another");
    clinic.doctor_with(&[("DEEDS_OFF", "1")]).only("failure", "DEEDS_OFF", "records nothing");
}

#[test]
fn an_event_that_is_registered_twice_is_named() {
    let clinic = Clinic::new();
    clinic.deeds(&["install", "claude", "--project"]).expect(0);
    // The shared file names `deeds` alone: another command, so Claude Code runs both.
    clinic.doctor().only("warning", "claude PostToolUse", "more than once");
    clinic.deeds(&["install", "claude", "--local"]).expect(0);
    clinic.deeds(&["uninstall", "claude", "--project"]).expect(0);
    assert_eq!(clinic.doctor().0["result"], "ok", "the same command twice is run once");
}

#[test]
fn what_codex_does_not_trust_is_named() {
    let config = |change: fn(String) -> String| {
        let clinic = Clinic::new();
        clinic.edit(&clinic.home(".codex/config.toml"), change);
        clinic.doctor()
    };
    config(|_| String::new()).only("failure", "codex trust", "not trusted");
    config(|text| text.replacen("sha256:", "sha256:0", 1)).only(
        "failure",
        "codex trust",
        "changed since they were trusted",
    );
    config(|text| text.replacen("\ntrusted_hash", "\nenabled = false\ntrusted_hash", 1)).only(
        "failure",
        "codex trust",
        "switched off in Codex's own list of hooks: PostToolUse",
    );
    config(|text| format!("{text}\n[features]\nhooks = false\n")).only("failure", "codex hooks", "features.hooks");
    let both = config(|text| {
        format!("{text}\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"x\"\n")
    });
    both.only("warning", "codex hooks", "hooks.json and in config.toml");
    let clinic = Clinic::new();
    clinic.edit(&clinic.home(".codex/hooks.json"), |text| text.replace("\"timeout\": 30", "\"timeout\": 31"));
    clinic.doctor().only("failure", "codex trust", "SubagentStop, Stop");
}

#[test]
fn a_project_that_codex_does_not_trust_is_named() {
    let clinic = Clinic::new();
    clinic.deeds(&["uninstall", "codex"]).expect(0);
    clinic.deeds(&["install", "codex", "--project"]).expect(0);
    let found = clinic.doctor();
    found.one_of("failure", "codex project", "so it runs no hook of the project's");
    let trust = format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", clinic.sandbox.project().display().to_string());
    std::fs::write(clinic.home(".codex/config.toml"), trust).unwrap();
    clinic.doctor().only("failure", "codex trust", "not trusted");
}

#[test]
fn calls_that_the_client_wrote_down_and_the_ledger_lacks_are_counted() {
    // The hook was called for one of them; the rows are older than any hook still at work.
    let clinic = Clinic::new();
    let slug = clinic.home(".claude/projects").read_dir().unwrap().next().unwrap().unwrap().path();
    let file = slug.join(format!("{SESSION}.jsonl"));
    let past = "2020-01-01T00:00:00.000Z";
    // A session that the hook saw from its beginning on, long ago.
    clinic.edit(&clinic.ledger().join("ledger.jsonl"), |_| String::new());
    std::fs::remove_dir_all(clinic.ledger()).unwrap();
    std::fs::write(&file, [rows("toolu_1", past), rows("toolu_9", past)].concat()).unwrap();
    // Nothing is known of the session, and it is older than the settings: not to be seen.
    assert_eq!(clinic.doctor().0["result"], "ok");
    // The same with settings that are older still.
    let old = std::fs::File::options().append(true).open(clinic.home(".claude/settings.json")).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000)).unwrap();
    clinic.doctor().only("failure", "claude calls", "2 of 2 calls of session 5d1c0a52");
    // Broken off by the user: no hook tells of it.
    let broken = rows("toolu_9", past).replace("\"content\":\"a\"", "\"content\":\"The user doesn't want to proceed\"");
    std::fs::write(&file, broken).unwrap();
    assert_eq!(clinic.doctor().0["result"], "ok");
    // A thread of Codex, untrusted all the while.
    let rollout = codex_rollout(&clinic.sandbox.project(), past);
    clinic
        .put(&clinic.home(&format!(".codex/sessions/2020/01/01/rollout-2020-01-01T00-00-00-{THREAD}.jsonl")), &rollout);
    for name in ["hooks.json", "config.toml"] {
        let old = std::fs::File::options().append(true).open(clinic.home(".codex").join(name)).unwrap();
        old.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000)).unwrap();
    }
    clinic.doctor().only("failure", "codex calls", "1 of 1 calls of session 01a22df7");
    // Read afterwards.
    clinic.deeds(&["tail"]).expect(0);
    clinic.doctor().only("failure", "ledger", "was begun here before this one");
    clinic.deeds(&["key", "forget"]).expect(0);
    assert_eq!(clinic.doctor().0["result"], "ok");
}

/// A call and its result, as Claude Code 2.1.332 writes them, as far as they matter here.
fn rows(call: &str, at: &str) -> String {
    let used = json!({"type": "assistant", "timestamp": at, "message": {"content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]}});
    let done = json!({"type": "user", "timestamp": at, "message": {"content": [{"type": "tool_result", "tool_use_id": call, "content": "a"}]}});
    format!("{used}\n{done}\n")
}

/// A turn with one command, as Codex 0.171.0 writes it.
fn codex_rollout(cwd: &Path, at: &str) -> String {
    let item = json!({"type": "CommandExecution", "id": "call_1", "command": ["/bin/bash", "-lc", "ls"], "cwd": format!("file://{}", cwd.display()),
        "status": "completed", "aggregated_output": "a\n", "exit_code": 0, "duration": {"secs": 0, "nanos": 1}});
    [
        json!({"timestamp": at, "type": "session_meta", "payload": {"id": THREAD, "session_id": THREAD, "cwd": cwd, "cli_version": "0.171.0", "timestamp": at}}),
        json!({"timestamp": at, "type": "event_msg", "payload": {"type": "item_completed", "turn_id": "t", "item": item}}),
        json!({"timestamp": at, "type": "event_msg", "payload": {"type": "task_complete", "turn_id": "t", "last_agent_message": "Done."}}),
    ]
    .map(|row| row.to_string())
    .join("\n")
}

#[test]
fn what_is_wrong_with_what_is_kept_is_named() {
    let clinic = Clinic::new();
    let file = clinic.ledger().join("ledger.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    clinic.edit(&file, |text| format!("{text}{{\"v\":1,\"seq\":"));
    clinic.doctor().only("warning", "ledger", "cut short");
    std::fs::write(&file, whole.replacen("startup", "resumed", 1)).unwrap();
    clinic.doctor().only("failure", "ledger", "altered");
    std::fs::remove_file(&file).unwrap();
    clinic.doctor().one_of("failure", "ledger", "shrunk");
    std::fs::write(&file, &whole).unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(clinic.doctor().0["result"], "ok");
    let lock = std::fs::File::open(clinic.ledger().join("ledger.lock")).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    clinic.doctor().only("failure", "lock", "another process holds");
    // An event that comes meanwhile waits, and that is told with the reason.
    let event = json!({"session_id": SESSION, "cwd": clinic.sandbox.project(), "hook_event_name": "SessionEnd", "reason": "other"});
    clinic.deeds_with(&["hook"], event.to_string().as_bytes(), &[]).expect(0);
    drop(lock);
    clinic.doctor().only("warning", "spool", "1 event waits to be appended: ");
    let spool = clinic.ledger().join("spool");
    for entry in std::fs::read_dir(&spool).unwrap() {
        std::fs::write(entry.unwrap().path(), "{}").unwrap();
    }
    clinic.doctor().only("failure", "spool", "it is not a file of drafts");
    let quarantine = clinic.ledger().join("quarantine");
    std::fs::rename(&spool, &quarantine).unwrap();
    clinic.doctor().only("warning", "quarantine", "1 event could not be made sense of");
}

#[test]
fn what_others_can_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &Path, mode: u32| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let clinic = Clinic::new();
    open(&clinic.ledger(), 0o755);
    clinic.doctor().only("warning", "ledger rights", "others can read");
    open(&clinic.ledger(), 0o700);
    let key = clinic.home(".config/deeds/signing.key");
    clinic.put(&key, "k");
    open(key.parent().unwrap(), 0o755);
    open(&key, 0o644);
    clinic.doctor().only("warning", "keys rights", "others can read");
}

#[test]
fn what_is_wrong_with_the_project_is_named() {
    let clinic = Clinic::new();
    let bin = clinic.bin.display().to_string();
    clinic.doctor_with(&[("PATH", &bin)]).only("failure", "git", "is not on PATH");
    clinic.sandbox.write("deeds.json", "{\n  \"claim\": []\n}");
    clinic.doctor().only("failure", "deeds.json", "did you mean `claims`?");
    clinic.sandbox.write("deeds.json", r#"{"claims":[{"id":"a","requires":[{"evidenceId":"tests/pytets"}]}]}"#);
    clinic.doctor().only("warning", "deeds.json", "did you mean \"tests/pytest\"?");
    clinic.sandbox.write("deeds.json", r#"{"claims":[{"id":"a","requires":[{"evidenceId":"check/smoke"}]}]}"#);
    clinic.doctor().only("warning", "deeds.json", "\"check/smoke\" is not declared");
    let judged = clinic.deeds(&["judge"]).expect(1);
    assert!(judged.stderr.contains("deeds: claim \"a\": \"check/smoke\" is not declared"), "{judged:?}");
    let declared = r#"{"producers":[{"name":"t","kind":"test","command":["true"]}]}"#;
    clinic.sandbox.write("deeds.json", declared);
    clinic.doctor().only("warning", "sealing", "not approved to run by themselves");
    clinic.deeds(&["evidence", "approve"]).expect(0);
    assert_eq!(clinic.doctor().0["result"], "ok");
    clinic.sandbox.write("deeds.json", declared.replace("]}]}", "]}],\"sealOn\":[]}").replace("true", "false"));
    assert_eq!(clinic.doctor().0["result"], "ok");
    clinic.sandbox.write("deeds.json", r#"{"gate":"block","checks":{"smoke":"make smoke"},"claims":[{"id":"a","requires":[{"evidenceId":"check/smoke"}]}]}"#);
    assert_eq!(clinic.doctor().0["result"], "ok");
}

#[test]
fn a_plugin_that_registers_the_hook_is_seen() {
    let clinic = Clinic::new();
    clinic.deeds(&["uninstall", "claude"]).expect(0);
    clinic.put(&clinic.home(".claude/settings.json"), r#"{"enabledPlugins": {"deeds@deeds": true}}"#);
    let found = clinic.doctor();
    assert_eq!(found.0["result"], "ok");
    assert!(found.0.to_string().contains("is registered by a plugin"), "{}", found.0);
    clinic.deeds(&["install", "claude"]).expect(0);
    clinic.doctor().only("warning", "claude", "by a plugin and by settings");
}

#[test]
fn events_of_a_shape_that_deeds_does_not_know_are_counted() {
    let clinic = Clinic::new();
    let event = json!({"session_id": SESSION, "cwd": clinic.sandbox.project(), "transcript_path": "/x.jsonl",
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "toolu_odd",
        "tool_input": {"file_path": "/a"}, "tool_response": {"path": "/a", "replaced": 1}});
    clinic.deeds_with(&["hook"], event.to_string().as_bytes(), &[]).expect(0);
    clinic.doctor().only("warning", "shapes", "1 event has a shape that deeds does not know");
}
