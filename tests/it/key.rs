//! Entries are signed, one key after the other: what was written before the first key was taken away cannot be changed
//! by whoever has the machine afterwards.

use std::path::{Path, PathBuf};

use deeds::durable::faults::{How, with};
use deeds::evidence::id::{hex, sha256_hex};
use deeds::layout::Env;
use deeds::ledger::{Append, Appended, Asked, EntryKind, Key, Keys, Ledger, Verification};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::drafts::{append, bytes, entries, evidence, set_bytes, verdict};
use crate::sandbox::Sandbox;

/// A ledger with a place for its keys.
fn keyed(sandbox: &Sandbox) -> Ledger {
    let env = Env { xdg_state_home: Some(sandbox.state()), ..Env::default() };
    Ledger::within(&sandbox.path("ledger"), &env)
}

fn filled(sandbox: &Sandbox, count: usize) -> Ledger {
    let ledger = keyed(sandbox);
    add(&ledger, 0, count);
    ledger
}

fn add(ledger: &Ledger, from: usize, to: usize) {
    for i in from..to {
        append(ledger, vec![evidence(&format!("call {i}"), &"output é\n".repeat(i % 7))]);
    }
}

fn keys(ledger: &Ledger) -> Keys {
    ledger.keys().unwrap()
}

fn take(ledger: &Ledger) -> Key {
    let mut taken = None;
    let hand = |key: &Key| {
        taken = Key::parse(&key.to_text());
        Ok(())
    };
    assert!(ledger.take_key(hand).unwrap());
    taken.unwrap()
}

fn with_key(ledger: &Ledger, key: &Key) -> (&'static str, Vec<&'static str>, Verification) {
    let asked = Asked { key: Some(key.clone()), ..Asked::default() };
    let found = ledger.verify_against(&asked);
    (found.outcome.as_str(), found.findings.iter().map(|finding| finding.kind.as_str()).collect(), found)
}

/// The key's own bytes, from its file.
fn secret(text: &str) -> [u8; 32] {
    let digits = text.lines().find_map(|line| line.strip_prefix("key ")).unwrap();
    std::array::from_fn(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
}

fn ratchet(key: [u8; 32]) -> [u8; 32] {
    sha256_of(&[b"deeds:key:v1\n".as_slice(), &key].concat())
}

fn sha256_of(bytes: &[u8]) -> [u8; 32] {
    unhex(&sha256_hex(bytes))
}

fn unhex(digits: &str) -> [u8; 32] {
    std::array::from_fn(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
}

fn mac(key: &[u8; 32], hash: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(&unhex(hash));
    hex(&mac.finalize().into_bytes())
}

#[test]
fn every_entry_is_signed_as_the_format_says_with_the_key_after_the_one_before() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 5);
    let mut key = secret(&std::fs::read_to_string(keys(&ledger).first_path()).unwrap());
    for entry in entries(&ledger) {
        assert_eq!(entry.mac.unwrap().as_str(), mac(&key, entry.hash.as_str()), "{}", entry.seq);
        key = ratchet(key);
    }
    assert_eq!(secret(&std::fs::read_to_string(keys(&ledger).path()).unwrap()), key);
    let found = ledger.verify();
    assert_eq!((found.outcome.as_str(), found.checked, found.without_mac), ("ok", 6, 0));
    for path in [keys(&ledger).path(), keys(&ledger).first_path()] {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(path).unwrap().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_key_that_is_behind_catches_up_and_one_that_was_damaged_is_made_again_from_the_first() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let behind = std::fs::read(keys(&ledger).path()).unwrap();
    add(&ledger, 2, 5);
    for content in [behind, b"deeds-key 1\nhalf".to_vec(), vec![]] {
        std::fs::write(keys(&ledger).path(), content).unwrap();
        assert_eq!(verdict(&ledger), ("ok", vec![]));
        let before = entries(&ledger).len();
        append(&ledger, vec![evidence(&format!("then {before}"), "x")]);
        assert_eq!((verdict(&ledger), entries(&ledger).len()), (("ok", vec![]), before + 1));
    }
}

#[test]
fn whatever_call_a_process_dies_at_the_next_append_goes_on_with_the_right_key() {
    for state in 0..3 {
        for nth in 0.. {
            let sandbox = Sandbox::new();
            let ledger = if state == 0 { keyed(&sandbox) } else { filled(&sandbox, 2) };
            if state == 2 {
                let content = bytes(&ledger);
                set_bytes(&ledger, &content[..content.len() - 40]);
            }
            let (_, reached) =
                with(nth, None, How::Die(0), || ledger.append(vec![evidence("new", "x")], &Append::default()));
            append(&ledger, vec![evidence("after", "x")]);
            let found = ledger.verify();
            assert_eq!(found.without_mac, 0, "{state} {nth}");
            // The last line was cut after its key had gone on: that entry is gone, and said to be.
            let expected = if state == 2 { "shrunk" } else { "ok" };
            assert_eq!(found.outcome.as_str(), expected, "{state} {nth} {:?}", found.findings);
            if !reached {
                break;
            }
        }
    }
}

#[test]
fn a_clean_cut_of_the_end_leaves_the_key_ahead_and_what_comes_next_says_so_for_good() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 5);
    let content = bytes(&ledger);
    let all: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    set_bytes(&ledger, &all[..4].concat());
    assert_eq!(verdict(&ledger), ("shrunk", vec!["key_ahead"]));
    append(&ledger, vec![evidence("after", "x")]);
    assert_eq!(entries(&ledger)[4].kind, EntryKind::Key);
    assert_eq!(verdict(&ledger), ("shrunk", vec!["key_ahead"]));
    append(&ledger, vec![evidence("after that", "x")]);
    let first = take(&ledger);
    let (outcome, kinds, found) = with_key(&ledger, &first);
    assert_eq!((outcome, kinds, found.checked), ("shrunk", vec!["key_ahead"], 7));
}

#[test]
fn a_ledger_that_is_gone_with_all_its_place_is_missed_for_good_and_the_next_one_records() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let old = entries(&ledger)[0].id().to_owned();
    std::fs::remove_dir_all(ledger.dir()).unwrap();
    assert_eq!(verdict(&ledger), ("shrunk", vec!["gone"]));
    // As where a project was cloned anew: what happens now is recorded and signed.
    assert_eq!(append(&ledger, vec![evidence("a", "x")]), [Appended::Written(1)]);
    let genesis = &entries(&ledger)[0];
    assert_ne!(genesis.id(), old);
    assert_eq!(genesis.body["before"], serde_json::json!([{"ledger": old, "entries": 3}]));
    append(&ledger, vec![evidence("b", "x")]);
    let found = ledger.verify();
    assert_eq!((verdict(&ledger), found.without_mac), (("shrunk", vec!["gone"]), 0));
    assert!(found.findings[0].detail.contains(&format!("ledger {old} of 3 entries")), "{:?}", found.findings);

    assert_eq!(ledger.forget_gone().unwrap(), std::slice::from_ref(&old));
    assert_eq!(verdict(&ledger), ("ok", vec!["forgotten"]));
    assert!(ledger.forget_gone().unwrap().is_empty());
    // Once more: only what is missing now is named.
    let second = entries(&ledger)[0].id().to_owned();
    std::fs::remove_dir_all(ledger.dir()).unwrap();
    append(&ledger, vec![evidence("c", "x")]);
    assert_eq!(entries(&ledger)[0].body["before"], serde_json::json!([{"ledger": second, "entries": 4}]));
}

#[test]
fn a_process_that_dies_while_a_ledger_is_begun_anew_leaves_it_named() {
    for nth in 0.. {
        let sandbox = Sandbox::new();
        let ledger = filled(&sandbox, 2);
        std::fs::remove_dir_all(ledger.dir()).unwrap();
        let (_, reached) =
            with(nth, None, How::Die(0), || ledger.append(vec![evidence("new", "x")], &Append::default()));
        append(&ledger, vec![evidence("after", "x")]);
        assert_eq!(verdict(&ledger), ("shrunk", vec!["gone"]), "{nth}");
        if !reached {
            break;
        }
    }
}

#[test]
fn verifying_makes_no_key_and_many_first_appends_make_one() {
    let sandbox = Sandbox::new();
    let ledger = keyed(&sandbox);
    ledger.verify();
    assert!(!sandbox.state().join("deeds/keys").exists());
    std::thread::scope(|scope| {
        for i in 0..8 {
            let ledger = &ledger;
            scope.spawn(move || append(ledger, vec![evidence(&format!("thread {i}"), "x")]));
        }
    });
    let found = ledger.verify();
    assert_eq!((found.outcome.as_str(), found.checked), ("ok", 9));
    assert_eq!(std::fs::read_dir(sandbox.state().join("deeds/keys")).unwrap().count(), 2);
}

#[test]
fn a_ledger_without_a_key_gets_one_with_the_next_append_announced_by_an_entry() {
    let sandbox = Sandbox::new();
    crate::drafts::filled(&sandbox, 3);
    let ledger = keyed(&sandbox);
    append(&ledger, vec![evidence("a", "x")]);
    let all = entries(&ledger);
    assert_eq!((&all[4].kind, &all[4].body["first"]), (&EntryKind::Key, &serde_json::json!(4)));
    assert_eq!(all.iter().filter(|entry| entry.mac.is_some()).count(), 2);
    let found = ledger.verify();
    assert_eq!((found.outcome.as_str(), found.without_mac, found.checked), ("ok", 4, 2));
    // Where the key is out of reach, entries go without, and are not passed over in silence.
    crate::drafts::append(&crate::drafts::ledger(&sandbox), vec![evidence("b", "x")]);
    assert_eq!(verdict(&ledger), ("altered", vec!["mac_missing"]));
    append(&ledger, vec![evidence("c", "x")]);
    assert_eq!(verdict(&ledger), ("altered", vec!["mac_missing"]));
}

#[test]
fn a_place_where_no_key_can_be_kept_holds_nothing_up() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.state()).unwrap();
    std::fs::write(sandbox.state().join("deeds"), "a file").unwrap();
    let ledger = filled(&sandbox, 3);
    let found = ledger.verify();
    assert_eq!((found.outcome.as_str(), found.without_mac), ("ok", 4));
}

#[test]
fn every_flip_and_every_missing_line_is_found_with_the_key_too() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 6);
    let good = bytes(&ledger);
    let first = take(&ledger);
    let (outcome, kinds, found) = with_key(&ledger, &first);
    assert_eq!((outcome, kinds, found.checked), ("ok", vec![], 7));
    let mut at = 7_usize;
    for nth in 0..400 {
        at = (at * 7919 + 104_729) % good.len();
        let mut content = good.clone();
        content[at] ^= 1 << (nth % 8);
        set_bytes(&ledger, &content);
        assert_eq!(with_key(&ledger, &first).0, "altered", "byte {at}");
    }
    let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    for gone in 0..lines.len() {
        let left: Vec<u8> =
            lines.iter().enumerate().filter(|(i, _)| *i != gone).flat_map(|(_, l)| l.to_vec()).collect();
        set_bytes(&ledger, &left);
        let expected = if gone + 1 == lines.len() { "shrunk" } else { "altered" };
        assert_eq!(with_key(&ledger, &first).0, expected, "line {gone}");
    }
}

/// All entries written anew with other content, chained anew, each signed with what `key_of` gives for its number.
fn rewritten(ledger: &Ledger, mut key_of: impl FnMut(u64) -> Option<[u8; 32]>) -> Vec<u8> {
    let mut prev = "0".repeat(64);
    let mut out = String::new();
    for (seq, line) in String::from_utf8(bytes(ledger)).unwrap().lines().enumerate() {
        let (covered, _) = line.rsplit_once(",\"hash\":\"").unwrap();
        let at = covered.find(",\"prev\":\"").unwrap() + 9;
        let mut covered = covered.to_owned();
        covered.replace_range(at..at + 64, &prev);
        let covered = covered.replace("\"exit_code\":0", "\"exit_code\":1");
        let hash = sha256_hex(format!("deeds:entry:v1\n{covered}").as_bytes());
        out.push_str(&format!("{covered},\"hash\":\"{hash}\""));
        if let Some(key) = key_of(seq as u64) {
            out.push_str(&format!(",\"mac\":\"{}\"", mac(&key, &hash)));
        }
        out.push_str("}\n");
        prev = hash;
    }
    out.into_bytes()
}

#[test]
fn an_attacker_with_all_files_cannot_change_what_came_before_without_the_taken_key_seeing_it() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 6);
    let good = bytes(&ledger);
    // While the first key is here, whoever reads it can make everything anew: that is why it is to be taken.
    let mut first_secret = secret(&std::fs::read_to_string(keys(&ledger).first_path()).unwrap());
    let forged = rewritten(&ledger, |_| {
        let key = first_secret;
        first_secret = ratchet(key);
        Some(key)
    });
    set_bytes(&ledger, &forged);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
    set_bytes(&ledger, &good);

    let first = take(&ledger);
    assert!(!keys(&ledger).first_path().exists());
    // From here on the attacker has every file.
    let current = secret(&std::fs::read_to_string(keys(&ledger).path()).unwrap());
    let signed_with_current = rewritten(&ledger, |_| Some(current));
    let mut key = current;
    let signed_on = rewritten(&ledger, |_| {
        key = ratchet(key);
        Some(key)
    });
    for (forged, kind) in [
        (signed_with_current, "mac_differs"),
        (signed_on, "mac_differs"),
        (rewritten(&ledger, |_| None), "mac_missing"),
    ] {
        set_bytes(&ledger, &forged);
        let (outcome, kinds, found) = with_key(&ledger, &first);
        assert_eq!((outcome, kinds[0], found.checked), ("altered", kind, 0));
    }
    // Removing the key makes a new one, which proves nothing of what came before.
    set_bytes(&ledger, &rewritten(&ledger, |_| None));
    std::fs::remove_file(keys(&ledger).path()).unwrap();
    append(&ledger, vec![evidence("after", "x")]);
    assert_eq!(with_key(&ledger, &first).0, "altered");
    // Cutting all after one entry off, and an honest entry after that: the key between was erased.
    let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    set_bytes(&ledger, &lines[..4].concat());
    std::fs::remove_file(keys(&ledger).path()).unwrap();
    let _ = std::fs::remove_file(keys(&ledger).first_path());
    append(&ledger, vec![evidence("after", "x")]);
    assert_eq!(with_key(&ledger, &first).0, "altered");
}

/// What holds of a key that comes back from a backup.
#[test]
fn a_key_from_a_backup_makes_no_second_history() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    let (old_key, old_ledger) = (std::fs::read(keys(&ledger).path()).unwrap(), bytes(&ledger));
    add(&ledger, 3, 6);
    let (new_key, new_ledger) = (std::fs::read(keys(&ledger).path()).unwrap(), bytes(&ledger));
    // The key alone: it catches up with the one history.
    std::fs::write(keys(&ledger).path(), &old_key).unwrap();
    add(&ledger, 6, 7);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
    // The ledger alone: its end is missed, and what is appended then says so.
    set_bytes(&ledger, &old_ledger);
    std::fs::write(keys(&ledger).path(), &new_key).unwrap();
    add(&ledger, 10, 11);
    assert_eq!(verdict(&ledger).0, "shrunk");
    // Both, and another history begun: it verifies by itself, and the checkpoint of the first one finds it out.
    set_bytes(&ledger, &new_ledger);
    std::fs::write(keys(&ledger).path(), &new_key).unwrap();
    let tree = ledger.verify_against(&Asked { tree: true, ..Asked::default() }).tree;
    let id = ledger.verify().id.unwrap();
    let kept = deeds::ledger::checkpoint::Checkpoint { ledger: id, size: tree.size(), root: tree.root() };
    set_bytes(&ledger, &old_ledger);
    std::fs::write(keys(&ledger).path(), &old_key).unwrap();
    add(&ledger, 20, 24);
    let found = ledger.verify_against(&Asked { checkpoint: Some(kept), ..Asked::default() });
    assert_eq!((found.outcome.as_str(), found.findings[0].kind.as_str()), ("forked", "other_history"));
    // One file cannot hold both.
    let fork = new_ledger[old_ledger.len()..].to_vec();
    set_bytes(&ledger, &[bytes(&ledger), fork].concat());
    assert_ne!(verdict(&ledger).0, "ok");
}

fn expect(sandbox: &Sandbox, file: &Path) -> (Option<i32>, String) {
    let ran = sandbox.deeds(&["verify", "--json", "--expect", file.to_str().unwrap()]);
    (ran.code, ran.stdout)
}

#[test]
fn a_checkpoint_finds_a_ledger_that_was_cut_forked_or_made_anew() {
    let sandbox = Sandbox::with_repository();
    let payload = |n: usize| {
        let project = sandbox.project();
        format!(
            r#"{{"session_id":"s","cwd":{project:?},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}},"tool_response":{{"stdout":"{n}","stderr":"","interrupted":false}},"tool_use_id":"t{n}"}}"#
        )
    };
    let hook = |n| assert_eq!(sandbox.deeds_with(&["hook"], payload(n).as_bytes()).code, Some(0));
    (0..4).for_each(hook);
    let ran = sandbox.deeds(&["checkpoint"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let file: PathBuf = sandbox.path("kept");
    std::fs::write(&file, &ran.stdout).unwrap();
    let path = sandbox.project().join(".git/deeds/ledger.jsonl");
    let then = std::fs::read(&path).unwrap();
    (4..6).for_each(hook);
    assert_eq!(expect(&sandbox, &file).0, Some(0));
    let text = sandbox.deeds(&["verify", "--expect", file.to_str().unwrap()]).stdout;
    assert!(text.contains("are those of the checkpoint (signed with this user's key)"), "{text}");
    // Cut: the key's file is changed with it, as whoever has the machine can.
    let all: Vec<&[u8]> = then.split_inclusive(|byte| *byte == b'\n').collect();
    std::fs::write(&path, all[..all.len() - 1].concat()).unwrap();
    std::fs::remove_dir_all(sandbox.state().join("deeds/keys")).unwrap();
    assert_eq!(sandbox.deeds(&["verify"]).code, Some(0));
    let (code, found) = expect(&sandbox, &file);
    assert!(code == Some(2) && found.contains("fewer_entries") && found.contains("\"shrunk\""), "{found}");
    // Another end.
    (10..14).for_each(hook);
    let (code, found) = expect(&sandbox, &file);
    assert!(code == Some(2) && found.contains("other_history") && found.contains("\"forked\""), "{found}");
    // Made anew.
    std::fs::remove_dir_all(sandbox.project().join(".git/deeds")).unwrap();
    std::fs::remove_dir_all(sandbox.state().join("deeds/keys")).unwrap();
    (0..8).for_each(hook);
    let (code, found) = expect(&sandbox, &file);
    assert!(code == Some(2) && found.contains("replaced"), "{found}");
    // A checkpoint that was changed is none.
    std::fs::write(&file, ran.stdout.replacen("\n5\n", "\n4\n", 1)).unwrap();
    assert_eq!(expect(&sandbox, &file).0, Some(65));
}

#[test]
fn the_first_key_is_taken_once_and_checks_from_a_file_or_stdin() {
    let sandbox = Sandbox::with_repository();
    assert_eq!(sandbox.deeds(&["key", "take"]).code, Some(1));
    let event = format!(
        r#"{{"session_id":"s","cwd":{:?},"hook_event_name":"SessionStart","source":"startup"}}"#,
        sandbox.project()
    );
    sandbox.deeds_with(&["hook"], event.as_bytes());
    let key = sandbox.deeds(&["key", "take"]);
    assert_eq!(key.code, Some(0), "{key:?}");
    assert_eq!(sandbox.deeds(&["key", "take"]).code, Some(1));
    std::fs::write(sandbox.path("first"), &key.stdout).unwrap();
    let file = sandbox.path("first");
    for ran in [
        sandbox.deeds(&["verify", "--key", file.to_str().unwrap()]),
        sandbox.deeds_with(&["verify", "--key", "-"], key.stdout.as_bytes()),
    ] {
        assert!(ran.code == Some(0) && ran.stdout.contains("2 of 2 macs hold under the key given"), "{ran:?}");
    }
    let ran = sandbox.deeds_with(&["verify", "--key", "-"], b"nonsense");
    assert_eq!(ran.code, Some(65), "{ran:?}");
}

#[test]
fn a_stop_waits_two_seconds_for_a_held_lock_in_all_and_loses_nothing() {
    use rustix::fs::{FlockOperation, flock};
    let sandbox = Sandbox::with_repository();
    let event = |name: &str, more: &str| {
        format!(r#"{{"session_id":"s","cwd":{:?},"hook_event_name":"{name}"{more}}}"#, sandbox.project())
    };
    sandbox.deeds_with(&["hook"], event("SessionStart", r#","source":"startup""#).as_bytes());
    let holder = std::fs::File::open(sandbox.project().join(".git/deeds/ledger.lock")).unwrap();
    flock(&holder, FlockOperation::LockExclusive).unwrap();
    let said = r#","stop_hook_active":false,"last_assistant_message":"All tests pass. Committed.""#;
    let ran = sandbox.deeds_with(&["hook"], event("Stop", said).as_bytes());
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("another process held it all the while"), "{}", ran.stderr);
    drop(holder);
    sandbox.deeds_with(&["hook"], event("SessionEnd", r#","reason":"exit""#).as_bytes());
    assert!(sandbox.deeds(&["log"]).stdout.contains("All tests pass"), "the claim waited in the spool");
    assert_eq!(sandbox.deeds(&["verify"]).code, Some(0));
}

#[test]
fn a_limit_on_the_size_of_files_does_not_end_the_hook_and_the_event_waits() {
    let sandbox = Sandbox::with_repository();
    let event = |n: usize| {
        let out = "x".repeat(3000);
        format!(
            r#"{{"session_id":"s","cwd":{:?},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}},"tool_response":{{"stdout":"{out}","stderr":"","interrupted":false}},"tool_use_id":"t{n}"}}"#,
            sandbox.project()
        )
    };
    (0..6).for_each(|n| drop(sandbox.deeds_with(&["hook"], event(n).as_bytes())));
    let before = std::fs::read(sandbox.project().join(".git/deeds/ledger.jsonl")).unwrap();
    assert!(before.len() > 16 << 10);
    // Blocks of 1024 bytes in bash: the ledger may not grow, a spool file may be written.
    let script = format!("ulimit -f 16; exec {} hook", env!("CARGO_BIN_EXE_deeds"));
    let ran =
        crate::sandbox::finish(sandbox.command("bash", &sandbox.project()).args(["-c", &script]), event(6).as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("it is kept"), "{ran:?}");
    assert_eq!(std::fs::read(sandbox.project().join(".git/deeds/ledger.jsonl")).unwrap(), before);
    sandbox.deeds_with(&["hook"], event(7).as_bytes());
    let verified = sandbox.deeds(&["verify"]);
    assert!(verified.code == Some(0) && verified.stdout.starts_with("ok: 9 entries"), "{verified:?}");
}

/// Three hundred processes, 32 at once, some of them killed at a moment that nobody chose.
#[test]
fn hooks_that_are_killed_lose_nothing_that_others_finished() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let sandbox = Sandbox::with_repository();
    let event = |n: usize| {
        format!(
            r#"{{"session_id":"s","cwd":{:?},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"echo {n}"}},"tool_response":{{"stdout":"{n}","stderr":"","interrupted":false}},"tool_use_id":"t{n}"}}"#,
            sandbox.project()
        )
    };
    let next = AtomicUsize::new(0);
    let finished = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= 300 {
                        break;
                    }
                    let mut command = sandbox.deeds_command();
                    let kill = n.is_multiple_of(3);
                    if !kill {
                        let ran = crate::sandbox::finish(command.arg("hook"), event(n).as_bytes());
                        assert_eq!(ran.code, Some(0));
                        finished.lock().unwrap().push(n);
                        continue;
                    }
                    let mut child = command.arg("hook").stdin(std::process::Stdio::piped()).spawn().unwrap();
                    let mut stdin = child.stdin.take().unwrap();
                    let _ = std::io::Write::write_all(&mut stdin, event(n).as_bytes());
                    drop(stdin);
                    // Somewhere between its start and its end, by how much else there is to do.
                    (0..n * 37 % 400).for_each(|_| std::thread::yield_now());
                    let _ = child.kill();
                    let _ = child.wait();
                }
            });
        }
    });
    // One more takes in what waits; an append takes in 64 files at most.
    (300..308).for_each(|n| drop(sandbox.deeds_with(&["hook"], event(n).as_bytes())));
    let verified = sandbox.deeds(&["verify"]);
    assert!(verified.code == Some(0) && verified.stdout.contains(" entries"), "{verified:?}");
    let log = sandbox.deeds(&["log", "--json"]).stdout;
    for n in finished.into_inner().unwrap() {
        assert!(log.contains(&format!("\"source_event_id\":\"t{n}\"")), "{n}");
    }
}

#[test]
fn every_cut_of_the_last_two_lines_is_a_crash_or_a_loss_as_the_key_says() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let mut behind = Vec::new();
    for i in 2..4 {
        behind.push(std::fs::read(keys(&ledger).path()).unwrap());
        add(&ledger, i, i + 1);
    }
    let (good, ahead) = (bytes(&ledger), std::fs::read(keys(&ledger).path()).unwrap());
    let ends: Vec<usize> = (0..good.len()).filter(|at| good[*at] == b'\n').map(|at| at + 1).collect();
    let (before, last) = (ends[ends.len() - 3], ends[ends.len() - 2]);
    for cut in before + 1..good.len() {
        set_bytes(&ledger, &good[..cut]);
        // The line was finished and its key went on: somebody, or a power cut, took it.
        std::fs::write(keys(&ledger).path(), &ahead).unwrap();
        let whole_but_newline = cut == good.len() - 1;
        assert_eq!(verdict(&ledger).0, if whole_but_newline { "torn_tail" } else { "shrunk" }, "{cut}");
        // The process died while it wrote.
        std::fs::write(keys(&ledger).path(), &behind[usize::from(cut >= last)]).unwrap();
        assert_eq!(verdict(&ledger).0, if cut == last { "ok" } else { "torn_tail" }, "{cut}");
    }
}

#[test]
fn a_key_that_others_can_read_is_made_private_and_a_link_in_its_place_is_not_followed() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let path = keys(&ledger).path();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    add(&ledger, 1, 2);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let target = sandbox.path("target");
    std::fs::rename(&path, &target).unwrap();
    symlink(&target, &path).unwrap();
    let before = std::fs::read(&target).unwrap();
    add(&ledger, 2, 3);
    assert_eq!(std::fs::read(&target).unwrap(), before);
    assert_eq!(verdict(&ledger), ("ok", vec!["key_unreadable"]));
    std::fs::rename(&target, &path).unwrap();
    assert_eq!(verdict(&ledger), ("altered", vec!["mac_missing"]));
}
