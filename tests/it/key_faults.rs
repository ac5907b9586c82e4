//! What fails around a ledger's key costs no event, and is never taken for tampering where it was none.

use std::os::unix::fs::PermissionsExt;

use deeds::durable::Sync;
use deeds::durable::faults::{How, with};
use deeds::layout::Env;
use deeds::ledger::{Append, Kept, Ledger};

use crate::drafts::{append, entries, evidence, verdict};
use crate::sandbox::Sandbox;

const EIO: i32 = 5;
const EINTR: i32 = 4;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

fn keyed(sandbox: &Sandbox) -> Ledger {
    let env = Env { xdg_state_home: Some(sandbox.state()), ..Env::default() };
    Ledger::within(&sandbox.path("ledger"), &env)
}

#[test]
fn whatever_call_fails_the_event_is_kept_and_the_chain_holds() {
    for begun in [false, true] {
        for how in [How::Fail(EIO), How::Fail(ENOSPC), How::Fail(EINTR), How::Fail(EROFS), How::Short(40, ENOSPC)] {
            for nth in 0.. {
                let sandbox = Sandbox::new();
                let ledger = keyed(&sandbox);
                if begun {
                    append(&ledger, vec![evidence("before", "x")]);
                }
                let options = Append { sync: Sync::Data, ..Append::default() };
                let (kept, reached) = with(nth, None, how, || ledger.keep(vec![evidence("new", "x")], &options));
                let kept = kept.unwrap_or_else(|error| panic!("{begun} {how:?} {nth}: {error}"));
                if let Kept::Spooled(path, _) = kept {
                    assert!(path.exists());
                }
                append(&ledger, vec![evidence("after", "x")]);
                let calls: Vec<String> = entries(&ledger)
                    .iter()
                    .filter_map(|entry| Some(entry.body.get("source_event_id")?.as_str()?.to_owned()))
                    .collect();
                for call in ["new", "after"] {
                    assert_eq!(
                        calls.iter().filter(|told| *told == call).count(),
                        1,
                        "{begun} {how:?} {nth}: {calls:?}"
                    );
                }
                let (outcome, kinds) = verdict(&ledger);
                assert_eq!(outcome, "ok", "{begun} {how:?} {nth}: {kinds:?}");
                if !reached {
                    break;
                }
            }
        }
    }
}

#[test]
fn without_a_home_or_with_one_that_takes_nothing_events_are_recorded_without_macs() {
    let sandbox = Sandbox::with_repository();
    let event = |call: &str| {
        let cwd = sandbox.project();
        serde_json::json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": call, "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a", "stderr": ""}})
        .to_string()
    };
    let no_folder = sandbox.write("a-file", "");
    for (n, home) in [None, Some(no_folder.clone()), Some("/proc/1/nowhere".into())].into_iter().enumerate() {
        let mut command = sandbox.deeds_command();
        command.env_remove("HOME").env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME").arg("hook");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        let ran = crate::sandbox::finish(&mut command, event(&format!("toolu_{n}")).as_bytes()).expect(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{n}");
    }
    let mut verify = sandbox.deeds_command();
    verify.env_remove("HOME").env_remove("XDG_STATE_HOME").args(["verify", "--json"]);
    let found = crate::sandbox::finish(&mut verify, b"").expect(0).json();
    assert_eq!((found["result"].as_str(), found["entries"].as_u64()), (Some("ok"), Some(4)), "{found}");
}

#[test]
fn rights_of_others_on_the_keys_are_taken_away_and_a_folder_of_another_user_is_not_used() {
    let sandbox = Sandbox::new();
    let ledger = keyed(&sandbox);
    append(&ledger, vec![evidence("a", "x")]);
    let key = ledger.keys().unwrap().path();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    append(&ledger, vec![evidence("b", "x")]);
    assert_eq!(mode(&key), 0o600);
    assert_eq!(mode(key.parent().unwrap()), 0o700);
    // Only root can give a folder away, and only then is there something to see.
    if std::os::unix::fs::chown(key.parent().unwrap(), Some(12345), Some(12345)).is_ok() {
        let other =
            Ledger::within(&sandbox.path("other"), &Env { xdg_state_home: Some(sandbox.state()), ..Env::default() });
        append(&other, vec![evidence("c", "x")]);
        assert_eq!((verdict(&other).0, other.verify().without_mac), ("ok", 2));
    }
}
