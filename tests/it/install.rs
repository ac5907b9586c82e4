//! `deeds install` and `deeds uninstall` on settings files as people have them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// The program as it stands in the installed command.
const PROGRAM: &str = env!("CARGO_BIN_EXE_deeds");

const CLAUDE_EVENTS: [&str; 9] = [
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
const CODEX_EVENTS: [&str; 6] = ["PostToolUse", "SessionStart", "SessionEnd", "Interrupt", "SubagentStop", "Stop"];

fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/settings").join(folder);
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn claude_settings(sandbox: &Sandbox, bytes: &[u8]) -> PathBuf {
    put(&sandbox.home().join(".claude/settings.json"), bytes)
}

fn put(path: &Path, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
    path.to_owned()
}

/// (event, command, time-out) of every command handler.
fn handlers(hooks: &Value) -> Vec<(String, String, Option<u64>)> {
    let mut found = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            for one in group["hooks"].as_array().into_iter().flatten() {
                let command = one["command"].as_str().unwrap_or_default().to_owned();
                found.push((event.clone(), command, one["timeout"].as_u64()));
            }
        }
    }
    found
}

fn own_command() -> String {
    format!("{PROGRAM} hook")
}

#[track_caller]
fn assert_registered(hooks: &Value, events: &[&str]) {
    let own: Vec<String> = handlers(hooks)
        .into_iter()
        .filter(|(_, command, _)| *command == own_command())
        .map(|(event, ..)| event)
        .collect();
    let once: BTreeSet<&str> = own.iter().map(String::as_str).collect();
    assert_eq!(once, events.iter().copied().collect(), "{hooks}");
    assert_eq!(own.len(), events.len(), "registered twice: {hooks}");
}

fn parsed(bytes: &[u8]) -> Value {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    if text.is_empty() {
        return json!({});
    }
    // Half a character and great depth are JSON that serde does not read.
    let deep = |bracket: &str| bracket.repeat(300);
    let text = text.trim_start_matches('\u{feff}').replace("\\ud800", "?");
    let text = text.replace(&deep("["), "[").replace(&deep("]"), "]");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The settings but for own handlers, and for what would be empty without them.
fn without_own(mut settings: Value) -> Value {
    let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else { return settings };
    for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
        for group in groups.iter_mut() {
            let handlers = group["hooks"].as_array_mut().unwrap();
            handlers.retain(|handler| handler["command"] != own_command().as_str());
        }
        groups.retain(|group| group["hooks"] != json!([]) || group.get("matcher").is_some());
    }
    hooks.retain(|_, groups| *groups != json!([]));
    if hooks.is_empty() {
        settings.as_object_mut().unwrap().remove("hooks");
    }
    settings
}

#[test]
fn every_file_gets_each_event_once_and_comes_back_byte_for_byte() {
    for (name, before) in fixtures("claude") {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, &before);
        sandbox.deeds(&["install", "claude"]).expect(0);
        let installed = std::fs::read(&path).unwrap();
        assert_registered(&parsed(&installed)["hooks"], &CLAUDE_EVENTS);
        let again = sandbox.deeds(&["install", "claude"]).expect(0);
        assert!(again.stdout.starts_with("Nothing to do"), "{name}: {again:?}");
        assert_eq!(std::fs::read(&path).unwrap(), installed, "{name}");
        sandbox.deeds(&["uninstall", "claude"]).expect(0);
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
}

#[test]
fn what_is_somebody_elses_stays_byte_for_byte_where_it_is() {
    for (name, before) in fixtures("claude") {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, &before);
        sandbox.deeds(&["install", "claude"]).expect(0);
        let bytes = std::fs::read(&path).unwrap();
        let installed = String::from_utf8(bytes.clone()).unwrap();
        // The old file is in the new one, in order; white space alone may give way, where a list was empty.
        let mut rest = installed.chars().filter(|c| !c.is_whitespace());
        for c in String::from_utf8(before.clone()).unwrap().chars().filter(|c| !c.is_whitespace()) {
            assert!(rest.any(|other| other == c), "{name}: {installed}");
        }
        assert_eq!(without_own(parsed(&bytes)), without_own(parsed(&before)), "{name}");
        let crlf = before.windows(2).any(|two| two == b"\r\n");
        let bare = installed.replace("\r\n", "").contains('\n');
        assert!(!crlf || !bare, "{name}: mixed line ends");
    }
}

/// Without what was kept, and after somebody else has changed the file.
#[test]
fn own_entries_are_taken_out_of_a_file_that_was_changed_since() {
    // In these an empty list or object that was there goes too; nothing else differs.
    let emptied = ["odd-spacing.json", "empty-hooks.json"];
    for (name, before) in fixtures("claude") {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, &before);
        sandbox.deeds(&["install", "claude"]).expect(0);
        std::fs::remove_dir_all(sandbox.state()).unwrap();
        sandbox.deeds(&["uninstall", "claude"]).expect(0);
        if ["empty.json", "empty-object.json"].contains(&name.as_str()) {
            // Nobody can tell any more that there was a file.
            assert!(!path.exists());
            continue;
        }
        let after = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&after).contains(PROGRAM), "{name}");
        if !emptied.contains(&name.as_str()) {
            assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&before), "{name}");
        }
    }
    let sandbox = Sandbox::new();
    let path = claude_settings(&sandbox, b"{\n  \"model\": \"opus\"\n}\n");
    sandbox.deeds(&["install", "claude"]).expect(0);
    let changed = std::fs::read_to_string(&path).unwrap().replace("opus", "sonnet");
    std::fs::write(&path, changed).unwrap();
    sandbox.deeds(&["uninstall", "claude"]).expect(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"sonnet\"\n}\n");
}

#[test]
fn what_cannot_be_parsed_is_refused_with_line_and_column_and_left_alone() {
    let places = [
        ("a-list.json", "1:1", "an object"),
        ("comment.json", "2:3", "a comment"),
        ("cut-short.json", "3:1", "ends"),
        ("event-is-a-string.json", "3:13", "\"Stop\" is a string, and should be a list"),
        ("group-is-a-string.json", "2:24", "an entry of \"Stop\" is a string, and should be an object"),
        ("hooks-is-a-list.json", "2:12", "\"hooks\" is a list, and should be an object"),
        ("not-utf-8.json", "2:15", "not UTF-8"),
        ("trailing-comma.json", "3:1", "a comma too many"),
        ("twice.json", "3:3", "twice"),
    ];
    let refused = fixtures("refused");
    assert_eq!(refused.len(), places.len());
    for ((name, before), (expected, place, why)) in refused.iter().zip(places) {
        assert_eq!(name, expected);
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, before);
        for verb in ["install", "uninstall"] {
            let ran = sandbox.deeds(&[verb, "claude"]).expect(65);
            assert!(ran.stderr.contains(&format!("(at {place})")) && ran.stderr.contains(why), "{name}: {ran:?}");
            assert!(ran.stderr.contains("settings.json") && ran.stderr.lines().count() == 1, "{name}: {ran:?}");
        }
        assert_eq!(&std::fs::read(&path).unwrap(), before, "{name}");
    }
}

#[test]
fn a_file_that_is_not_there_is_made_and_removed_again() {
    let sandbox = Sandbox::new();
    let path = sandbox.home().join(".claude/settings.json");
    sandbox.deeds(&["install", "claude", "--dry-run"]).expect(0);
    assert!(!path.exists());
    let told = sandbox.deeds(&["install", "claude"]).expect(0).stdout;
    assert!(told.contains("without it failures are invisible") && told.contains("deeds doctor"), "{told}");
    let text = std::fs::read_to_string(&path).unwrap();
    let template = include_str!("../../hooks/claude.json");
    assert_eq!(text, template.replace("deeds hook", &own_command()));
    sandbox.deeds(&["uninstall", "claude"]).expect(0);
    assert!(!path.parent().unwrap().exists());
    assert!(sandbox.deeds(&["uninstall", "claude"]).expect(0).stdout.starts_with("Nothing to do"));
    // A folder with anything else in it stays.
    sandbox.deeds(&["install", "claude"]).expect(0);
    let other = sandbox.home().join(".claude/notes.md");
    std::fs::write(&other, "mine").unwrap();
    sandbox.deeds(&["uninstall", "claude"]).expect(0);
    assert!(!path.exists() && other.exists());
}

#[test]
fn each_scope_has_its_file() {
    let sandbox = Sandbox::with_repository();
    let inner = sandbox.write("src/a.rs", "").parent().unwrap().to_owned();
    for (option, file) in [("--project", ".claude/settings.json"), ("--local", ".claude/settings.local.json")] {
        let mut command = sandbox.command(PROGRAM, &inner);
        let ran = crate::sandbox::finish(command.args(["install", "claude", option]), b"");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_registered(&parsed(&std::fs::read(sandbox.project().join(file)).unwrap())["hooks"], &CLAUDE_EVENTS);
    }
    let both = sandbox.deeds(&["install", "claude"]).expect(0).stdout;
    assert!(both.contains("also registered in") && both.contains("deeds uninstall claude --local"), "{both}");
    let left = sandbox.deeds(&["uninstall", "claude"]).expect(0).stdout;
    assert!(left.contains("still registered in"), "{left}");
    sandbox.deeds(&["install", "codex", "--project"]).expect(0);
    assert_registered(
        &parsed(&std::fs::read(sandbox.project().join(".codex/hooks.json")).unwrap())["hooks"],
        &CODEX_EVENTS,
    );
    let refused = sandbox.deeds(&["install", "codex", "--local"]).expect(64);
    assert!(refused.stderr.contains("--project"), "{refused:?}");
    sandbox.deeds(&["install", "claude", "--user", "--local"]).expect(64);
}

#[test]
fn other_folders_of_the_clients_are_heeded() {
    let sandbox = Sandbox::new();
    let run = |variable: &str, client: &str| {
        let mut command = sandbox.deeds_command();
        crate::sandbox::finish(command.env(variable, sandbox.path("mine")).args(["install", client]), b"").expect(0)
    };
    run("CLAUDE_CONFIG_DIR", "claude");
    run("CODEX_HOME", "codex");
    assert!(sandbox.path("mine/settings.json").exists() && sandbox.path("mine/hooks.json").exists());
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let before = b"{\n  \"model\": \"opus\"\n}\n";
    let path = claude_settings(&sandbox, before);
    let diff = sandbox.deeds(&["install", "claude", "--dry-run"]).expect(0).stdout;
    assert!(diff.contains("-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n"), "{diff}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!sandbox.state().exists());
    sandbox.deeds(&["install", "claude"]).expect(0);
    let diff = sandbox.deeds(&["uninstall", "claude", "--dry-run"]).expect(0).stdout;
    assert!(diff.contains("-  \"hooks\": {\n") && diff.contains("+  \"model\": \"opus\"\n"), "{diff}");
    assert!(String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(PROGRAM));
}

#[test]
fn an_older_own_entry_is_brought_up_to_date_where_it_stands() {
    let sandbox = Sandbox::new();
    let own = |command: &str, more: Value| {
        let mut handler = json!({"type": "command", "command": command});
        handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "hooks": [handler] })
    };
    let foreign = json!({"hooks": [{"type": "command", "command": "say done"}]});
    let before = json!({"hooks": {
        // An older place, no time-out; then somebody else's; then another own one.
        "Stop": [own("/old/deeds hook", json!({})), foreign, own("deeds hook", json!({}))],
        // Asynchronous, and a time-out in the wrong unit.
        "PostToolUse": [own("deeds hook", json!({"async": true, "timeout": 10000}))],
        // A longer time-out, and one that is too short.
        "SessionStart": [own("deeds hook", json!({"timeout": 60}))],
        "SessionEnd": [own("deeds hook", json!({"timeout": 1}))],
        // Made one's own.
        "SubagentStop": [own("DEEDS_DIR=/var/deeds deeds hook", json!({"timeout": 1}))],
        // The form without a shell.
        "TaskCompleted": [own("/old/deeds", json!({"args": ["hook"]}))],
        // An event that is not registered any more.
        "PreToolUse": [own("deeds hook", json!({}))],
    }});
    let path = claude_settings(&sandbox, serde_json::to_string_pretty(&before).unwrap().as_bytes());
    sandbox.deeds(&["install", "claude"]).expect(0);
    let after = parsed(&std::fs::read(&path).unwrap());
    let of = |event: &str| -> Vec<(String, Option<u64>)> {
        let all = handlers(&after["hooks"]).into_iter().filter(|(name, ..)| name == event);
        all.map(|(_, command, timeout)| (command, timeout)).collect()
    };
    let own = own_command();
    assert_eq!(of("Stop"), [(own.clone(), Some(30)), ("say done".into(), None)]);
    assert_eq!(of("PostToolUse"), [(own.clone(), Some(10))]);
    assert!(after["hooks"]["PostToolUse"][0]["hooks"][0].get("async").is_none());
    assert_eq!(of("SessionStart"), [(own.clone(), Some(60))]);
    assert_eq!(of("SessionEnd"), [(own.clone(), Some(5))]);
    assert_eq!(of("SubagentStop"), [("DEEDS_DIR=/var/deeds deeds hook".into(), Some(1))]);
    assert_eq!(of("TaskCompleted"), [(own, Some(10))]);
    assert_eq!(of("PreToolUse"), []);
    sandbox.deeds(&["uninstall", "claude"]).expect(0);
    assert_eq!(handlers(&parsed(&std::fs::read(&path).unwrap())["hooks"]), [("Stop".into(), "say done".into(), None)]);
}

#[test]
fn the_command_names_the_whole_path_and_in_a_shared_file_the_program() {
    let sandbox = Sandbox::with_repository();
    let bin = sandbox.path("my tools");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(PROGRAM, bin.join("deeds")).unwrap();
    let run = |args: &[&str]| {
        let mut command = sandbox.command(bin.join("deeds").to_str().unwrap(), &sandbox.project());
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        crate::sandbox::finish(command.args(args), b"").expect(0)
    };
    run(&["install", "claude"]);
    run(&["install", "claude", "--project"]);
    let command = |path: PathBuf| {
        let hooks = parsed(&std::fs::read(path).unwrap());
        hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
    };
    let own = command(sandbox.home().join(".claude/settings.json"));
    assert_eq!(own, format!("\"{}/deeds\" hook", bin.display()));
    assert_eq!(command(sandbox.project().join(".claude/settings.json")), "deeds hook");
    // What was written is what a shell can run.
    let mut shell = sandbox.command("/bin/sh", &sandbox.project());
    let ran =
        crate::sandbox::finish(shell.arg("-c").arg(own).env("DEEDS_DIR", sandbox.path("ledger")), b"{}").expect(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert!(sandbox.path("ledger/ledger.jsonl").exists());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
        let sandbox = Sandbox::new();
        let real = put(&sandbox.path("dotfiles/settings.json"), b"{}");
        set_mode(&real, 0o640);
        let link = sandbox.home().join(".claude/settings.json");
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&real, &link).unwrap();
        for verb in ["install", "uninstall"] {
            sandbox.deeds(&[verb, "claude"]).expect(0);
            assert!(link.symlink_metadata().unwrap().is_symlink());
            assert_eq!(std::fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
        }
        assert_eq!(std::fs::read(&real).unwrap(), b"{}");
        std::fs::remove_file(&real).unwrap();
        let refused = sandbox.deeds(&["install", "claude"]).expect(65);
        assert!(refused.stderr.contains("leads to no file"), "{refused:?}");
    }

    #[test]
    fn what_may_not_be_written_is_refused() {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, b"{}");
        set_mode(&path, 0o444);
        let refused = sandbox.deeds(&["install", "claude"]).expect(70);
        assert!(refused.stderr.contains("it is read-only"), "{refused:?}");
        assert_eq!(std::fs::read(&path).unwrap(), b"{}");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(sandbox.deeds(&["install", "claude"]).expect(70).stderr.contains("settings.json"));
    }

    #[test]
    fn what_stood_there_is_kept_where_only_its_owner_reads_it() {
        let sandbox = Sandbox::new();
        let before = b"{\"env\":{\"TOKEN\":\"t\"}}";
        claude_settings(&sandbox, before);
        let told = sandbox.deeds(&["install", "claude"]).expect(0).stdout;
        let kept = told.lines().find_map(|line| line.strip_prefix("The file as it was: ")).unwrap();
        assert_eq!(std::fs::read(kept).unwrap(), before);
        assert_eq!(std::fs::metadata(kept).unwrap().mode() & 0o077, 0);
    }

    #[test]
    fn a_project_file_is_as_readable_as_the_project() {
        let sandbox = Sandbox::with_repository();
        set_mode(&sandbox.project(), 0o755);
        sandbox.deeds(&["install", "claude", "--project"]).expect(0);
        let mode = |path: &str| std::fs::metadata(sandbox.project().join(path)).unwrap().mode() & 0o777;
        assert_eq!((mode(".claude"), mode(".claude/settings.json")), (0o755, 0o644));
    }
}

fn codex(sandbox: &Sandbox, file: &str) -> PathBuf {
    sandbox.home().join(".codex").join(file)
}

fn toml_hooks(path: &Path) -> Value {
    deeds::command::install::toml_file::hooks(&std::fs::read_to_string(path).unwrap().parse().unwrap())
}

#[test]
fn codex_hooks_go_where_there_are_some_and_its_config_comes_back_byte_for_byte() {
    for (name, before) in fixtures("codex") {
        for keep in [true, false] {
            let sandbox = Sandbox::new();
            let path = put(&codex(&sandbox, "config.toml"), &before);
            let told = sandbox.deeds(&["install", "codex"]).expect(0).stdout;
            assert!(told.contains("config.toml") && told.contains("Hooks need review"), "{name}: {told}");
            assert!(!codex(&sandbox, "hooks.json").exists());
            let installed = std::fs::read_to_string(&path).unwrap();
            assert_registered(&toml_hooks(&path), &CODEX_EVENTS);
            // Somebody else's hooks stay where they are: their place is part of what Codex trusts.
            let first = toml_hooks(&path);
            assert!(["say done", "/opt/audit.sh"].iter().any(|command| {
                [&first["Stop"], &first["PostToolUse"]]
                    .iter()
                    .any(|groups| groups[0]["hooks"][0]["command"] == *command)
            }));
            let bare = installed.replace("\r\n", "").contains('\n');
            assert_eq!(bare, name != "crlf.toml", "{name}");
            sandbox.deeds(&["install", "codex"]).expect(0);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), installed, "{name}");
            if !keep {
                std::fs::remove_dir_all(sandbox.state()).unwrap();
            }
            let told = sandbox.deeds(&["uninstall", "codex"]).expect(0).stdout;
            assert!(!told.contains("have moved up"), "{name}: {told}");
            let after = std::fs::read(&path).unwrap();
            assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&before), "{name}");
        }
    }
}

#[test]
fn codex_hooks_go_into_a_file_of_their_own_where_there_are_none() {
    let sandbox = Sandbox::new();
    let config = put(&codex(&sandbox, "config.toml"), b"model = \"gpt-5.5\"\n");
    sandbox.deeds(&["install", "codex"]).expect(0);
    let hooks = codex(&sandbox, "hooks.json");
    assert_registered(&parsed(&std::fs::read(&hooks).unwrap())["hooks"], &CODEX_EVENTS);
    assert_eq!(std::fs::read(&config).unwrap(), b"model = \"gpt-5.5\"\n");
    sandbox.deeds(&["uninstall", "codex"]).expect(0);
    assert!(!hooks.exists());
}

#[test]
fn an_older_own_entry_in_codexs_config_is_brought_up_to_date_where_it_stands() {
    let sandbox = Sandbox::new();
    let before = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/old/deeds hook\" # ours\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"say done\"\n";
    let path = put(&codex(&sandbox, "config.toml"), before.as_bytes());
    sandbox.deeds(&["install", "codex"]).expect(0);
    let text = std::fs::read_to_string(&path).unwrap();
    let line = format!("command = \"{}\" # ours\ntimeout = 30\n", own_command());
    assert!(text.contains(&line), "{text}");
    assert_registered(&toml_hooks(&path), &CODEX_EVENTS);
    // Ours stood first: what stood behind it is trusted at another place.
    let told = sandbox.deeds(&["uninstall", "codex"]).expect(0).stdout;
    assert!(told.contains("have moved up"), "{told}");
    let after = handlers(&toml_hooks(&path));
    assert_eq!(after, [("Stop".into(), "say done".into(), None)]);
}

#[test]
fn what_codex_would_not_read_is_refused() {
    let refused = |file: &str, bytes: &[u8]| -> Ran {
        let sandbox = Sandbox::new();
        let path = put(&codex(&sandbox, file), bytes);
        let ran = sandbox.deeds(&["install", "codex"]).expect(65);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        ran
    };
    let mark = refused("hooks.json", "\u{feff}{}".as_bytes());
    assert!(mark.stderr.contains("byte order mark") && mark.stderr.contains("(at 1:1)"), "{mark:?}");
    let key = refused("hooks.json", b"{\"hooks\":{},\n \"mine\":1}");
    assert!(key.stderr.contains("\"mine\"") && key.stderr.contains("(at 2:2)"), "{key:?}");
    let toml = refused("config.toml", b"model = \"x\"\nmodel = \"y\"\n");
    assert!(toml.stderr.contains("config.toml") && toml.stderr.contains("(at 2:"), "{toml:?}");
    let wrong = refused("config.toml", b"[hooks]\nStop = 7\n");
    assert!(wrong.stderr.contains("hooks.Stop is not a list"), "{wrong:?}");
}

/// The repository is a plugin of Claude Code: what it registers is what `deeds install` would.
#[test]
fn the_plugin_registers_what_is_installed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    assert_eq!(read("hooks/hooks.json"), read("hooks/claude.json"));
    let plugin: Value = serde_json::from_str(&read(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let market: Value = serde_json::from_str(&read(".claude-plugin/marketplace.json")).unwrap();
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
}

mod on_disk {
    use deeds::command::install::file::SettingsFile;
    use deeds::durable::faults::{How, with};
    use deeds::layout::Env;

    use super::*;

    fn env(sandbox: &Sandbox) -> Env {
        Env { xdg_state_home: Some(sandbox.state()), ..Env::default() }
    }

    /// Whatever call fails, is cut short, or is the process's last: the file is the old one or the new one.
    #[test]
    fn a_file_is_the_old_one_or_the_new_one() {
        const ENOSPC: i32 = 28;
        for how in [How::Fail(ENOSPC), How::Short(3, ENOSPC), How::Die(3)] {
            let mut reached_all = false;
            for nth in 0..50 {
                let sandbox = Sandbox::new();
                let path = claude_settings(&sandbox, b"{\"old\": 1}");
                let file = SettingsFile::read(&path).unwrap();
                let (result, reached) = with(nth, None, how, || file.write("{\"new\": 2}", &env(&sandbox)));
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(text == "{\"old\": 1}" || text == "{\"new\": 2}", "{how:?} at {nth}: {text}");
                if !reached {
                    assert!(result.is_ok() && text.contains("new"), "{how:?} at {nth}");
                    reached_all = true;
                    break;
                }
                if let Ok(kept) = result {
                    assert!(text.contains("new") && kept.is_some_and(|kept| kept.exists()), "{how:?} at {nth}");
                }
                let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
                assert!(left == 1 || matches!(how, How::Die(_)), "{how:?} at {nth} leaves a draft");
            }
            assert!(reached_all);
        }
    }

    #[test]
    fn what_a_client_writes_meanwhile_is_not_overwritten() {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, b"{}");
        let file = SettingsFile::read(&path).unwrap();
        std::fs::write(&path, "{\"theirs\": 1}").unwrap();
        let error = file.write("{\"ours\": 1}", &env(&sandbox)).unwrap_err();
        assert!(error.message.contains("somebody changed it just now"), "{error:?}");
        assert!(file.remove(&env(&sandbox)).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"theirs\": 1}");
        let absent = SettingsFile::read(&path.with_file_name("none.json")).unwrap();
        std::fs::write(path.with_file_name("none.json"), "{}").unwrap();
        assert!(absent.write("{\"ours\": 1}", &env(&sandbox)).is_err());
    }

    #[test]
    fn earlier_states_are_kept_and_not_without_end() {
        let sandbox = Sandbox::new();
        let path = claude_settings(&sandbox, b"0");
        for n in 1..=20 {
            SettingsFile::read(&path).unwrap().write(&n.to_string(), &env(&sandbox)).unwrap();
        }
        let earlier = SettingsFile::read(&path).unwrap().earlier(&env(&sandbox));
        assert_eq!(earlier, ["19", "18", "17", "16", "15", "14", "13", "12"]);
    }
}
