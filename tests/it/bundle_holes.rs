//! Ways in which a proof of done has been no proof elsewhere, each tried on ours.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deeds::bundle::envelope;
use deeds::bundle::signing::SigningKey;
use deeds::layout::Env;
use deeds::ledger::Append;
use serde_json::{Value, json};

use crate::bundles::{
    blob, blob_path, declare, entries, file, forge, item, ledger, parts, producer, project, seal, statement, verify,
};
use crate::sandbox::{Sandbox, finish};

#[test]
fn hole_01_the_bundle_of_another_task_is_not_this_ones() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "a");
    std::fs::copy(file(&sandbox, "a"), file(&sandbox, "b")).unwrap();
    let verdict = verify(&sandbox, "b", 2);
    assert!(parts(&verdict).contains(&"task") && parts(&verdict).contains(&"anchor"), "{verdict}");
    sandbox.deeds(&["evidence", "verify", "--all"]).expect(2);
    declare(&sandbox, producer("exit 1"));
    seal(&sandbox, "b");
    std::fs::copy(file(&sandbox, "a"), file(&sandbox, "b")).unwrap();
    assert!(parts(&verify(&sandbox, "b", 2)).contains(&"task"));
    verify(&sandbox, "a", 0);
}

#[test]
fn hole_02_an_older_bundle_put_back_is_not_the_latest() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let passing = std::fs::read(file(&sandbox, "t")).unwrap();
    declare(&sandbox, producer("exit 1"));
    seal(&sandbox, "t");
    assert_eq!(verify(&sandbox, "t", 0)["gatePassed"], false);
    std::fs::write(file(&sandbox, "t"), &passing).unwrap();
    let verdict = verify(&sandbox, "t", 2);
    assert_eq!(parts(&verdict), ["anchor"]);
    // Beside the bundle, where a seal that did not end would have left it, it counts as little.
    std::fs::write(file(&sandbox, "t").with_extension("next"), &passing).unwrap();
    verify(&sandbox, "t", 2);
}

#[test]
fn hole_03_an_entry_taken_from_the_middle_of_the_ledger_is_missed() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    seal(&sandbox, "u");
    let path = ledger(&sandbox).dir().join("ledger.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"task\":\"t\"")).collect();
    std::fs::write(&path, format!("{}\n", kept.join("\n"))).unwrap();
    std::fs::remove_file(file(&sandbox, "t")).unwrap();
    assert_eq!(parts(&verify(&sandbox, "u", 2)), ["ledger"]);
    assert_eq!(parts(&verify(&sandbox, "t", 2)), ["ledger"]);
    sandbox.deeds(&["evidence", "verify", "--all"]).expect(2);
}

#[test]
fn hole_03_the_last_entry_cut_off_together_with_its_bundle_is_missed() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let path = ledger(&sandbox).dir().join("ledger.jsonl");
    let passing = (std::fs::read(&path).unwrap(), std::fs::read(file(&sandbox, "t")).unwrap());
    declare(&sandbox, producer("exit 1"));
    seal(&sandbox, "t");
    std::fs::write(&path, &passing.0).unwrap();
    std::fs::write(file(&sandbox, "t"), &passing.1).unwrap();
    assert!(parts(&verify(&sandbox, "t", 2)).contains(&"ledger"));
    sandbox.deeds(&["evidence", "show", "t"]).expect(2);
    sandbox.deeds(&["evidence", "verify", "--all"]).expect(2);
    sandbox.deeds(&["verify"]).expect(2);
    // The only bundle, and all trace of it.
    let sandbox = project(producer("exit 1"));
    seal(&sandbox, "t");
    let path = ledger(&sandbox).dir().join("ledger.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{}\n", text.lines().next().unwrap())).unwrap();
    std::fs::remove_dir_all(ledger(&sandbox).dir().join("bundles")).unwrap();
    verify(&sandbox, "t", 2);
    sandbox.deeds(&["evidence", "verify", "--all"]).expect(2);
    sandbox.deeds(&["verify"]).expect(2);
}

#[test]
fn hole_04_a_signature_by_a_fresh_key_is_no_signature() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let opened = envelope::open(&std::fs::read(file(&sandbox, "t")).unwrap()).unwrap();
    let other = Env { xdg_config_home: Some(sandbox.path("elsewhere")), ..Env::default() };
    let fresh = SigningKey::load_or_create(&other).unwrap();
    std::fs::write(file(&sandbox, "t"), envelope::seal(&opened.payload, &fresh)).unwrap();
    let verdict = verify(&sandbox, "t", 2);
    assert_eq!(parts(&verdict), ["signature"]);
    assert!(verdict["findings"][0]["detail"].as_str().unwrap().contains("not pinned"), "{verdict}");
    // Pinned by somebody, it counts.
    let key = sandbox.path("elsewhere/deeds/signing.pub");
    sandbox.deeds(&["evidence", "verify", "t", "--key", key.to_str().unwrap()]).expect(0);
    let pem = std::fs::read_to_string(&key).unwrap();
    sandbox.write("deeds.json", json!({"trustedKeys": [pem.lines().nth(1).unwrap()]}).to_string());
    let verdict = verify(&sandbox, "t", 0);
    assert_eq!(verdict["signedBy"]["pinnedBy"], "trustedKeys of deeds.json");
}

#[test]
fn hole_05_what_is_not_signed_is_not_accepted() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let good = std::fs::read_to_string(file(&sandbox, "t")).unwrap();
    for (from, to) in [
        ("{\"payloadType\"", "{\"approved\":true,\"payloadType\""),
        ("{\"keyid\"", "{\"cert\":\"x\",\"keyid\""),
        ("{\"payloadType\"", "{\"payload\":\"e30=\",\"payloadType\""),
    ] {
        std::fs::write(file(&sandbox, "t"), good.replacen(from, to, 1)).unwrap();
        assert_eq!(parts(&verify(&sandbox, "t", 2)), ["envelope"], "{to}");
    }
    std::fs::write(file(&sandbox, "t"), &good).unwrap();
    let mut changed = statement(&sandbox, "t");
    changed["predicate"]["approvedBy"] = json!("me");
    let mut envelope: Value = serde_json::from_str(&good).unwrap();
    envelope["payload"] = STANDARD.encode(changed.to_string()).into();
    std::fs::write(file(&sandbox, "t"), envelope.to_string()).unwrap();
    assert_eq!(parts(&verify(&sandbox, "t", 2)), ["signature", "anchor"]);
}

#[test]
fn hole_06_verifying_without_a_key_makes_none_and_accuses_nobody() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let config = sandbox.home().join(".config/deeds");
    std::fs::remove_dir_all(&config).unwrap();
    let verdict = verify(&sandbox, "t", 1);
    assert_eq!(verdict["verdict"], "cannot_tell");
    assert_eq!(parts(&verdict), ["signature"]);
    assert!(!config.exists());
    sandbox.deeds(&["evidence", "key"]).expect(1);
    assert!(!config.exists());
}

#[test]
fn hole_07_twelve_first_seals_at_once_make_one_key_and_twelve_bundles() {
    let sandbox = project(producer("echo fine"));
    let begin = |n: u32| {
        let mut seal = sandbox.deeds_command();
        seal.args(["evidence", "seal", &format!("t{n}")]).stdout(Stdio::null()).stderr(Stdio::null());
        seal.spawn().unwrap()
    };
    let seals: Vec<_> = (0..12).map(begin).collect();
    for mut one in seals {
        assert!(one.wait().unwrap().success());
    }
    let all = sandbox.deeds(&["evidence", "verify", "--all", "--json"]).expect(0);
    let keys: std::collections::BTreeSet<String> = all
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["signedBy"]["keyId"].to_string())
        .collect();
    assert_eq!((all.stdout.lines().count(), keys.len()), (12, 1));
}

#[test]
fn hole_08_a_torn_last_line_fails_no_bundle() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let path = ledger(&sandbox).dir().join("ledger.jsonl");
    // Of an event that came after it, a crash left the beginning; so its key has not gone on.
    let key = ledger(&sandbox).keys().unwrap().path();
    let key_before = std::fs::read(&key).unwrap();
    ledger(&sandbox).append(vec![crate::drafts::evidence("torn", "x")], &Append::default()).unwrap();
    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 100]).unwrap();
    std::fs::write(&key, key_before).unwrap();
    verify(&sandbox, "t", 0);
    seal(&sandbox, "u");
    verify(&sandbox, "t", 0);
    verify(&sandbox, "u", 0);
    sandbox.deeds(&["verify"]).expect(0);
}

#[test]
fn hole_09_a_tampered_blob_is_named_and_sealing_again_puts_the_right_bytes_there() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let path = blob_path(&sandbox, item(&statement(&sandbox, "t"), "tests"), "stdout");
    std::fs::write(&path, "evil\n").unwrap();
    assert_eq!(parts(&verify(&sandbox, "t", 2))[0], "tests/stdout");
    seal(&sandbox, "t");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "fine\n");
    verify(&sandbox, "t", 0);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(parts(&verify(&sandbox, "t", 2))[0], "tests/stdout");
}

#[test]
fn hole_10_a_time_out_keeps_what_was_printed_and_kills_all_that_ran() {
    let sandbox = project(json!([
        {"name": "slow", "kind": "generic", "timeout": 0.4,
         "command": ["sh", "-c", "echo part; sleep 300 & echo $! > $PIDS.slow; wait"], "env": {"PIDS": "../pids"}},
        {"name": "leaves", "kind": "generic", "required": false,
         "command": ["sh", "-c", "sleep 300 & echo $! > $PIDS.leaves; echo done"], "env": {"PIDS": "../pids"}},
    ]));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    let slow = item(&stated, "slow");
    assert_eq!((&slow["timedOut"], &slow["passed"]), (&json!(true), &json!(false)));
    assert_eq!(blob(&sandbox, slow, "stdout"), b"part\n");
    // The command itself exited 0: what it left running is killed, and is not held against it.
    let leaves = item(&stated, "leaves");
    assert_eq!((&leaves["exit"], &leaves["passed"], &leaves["leftRunning"]), (&json!(0), &json!(true), &json!(true)));
    assert_eq!(blob(&sandbox, leaves, "stdout"), b"done\n");
    for name in ["slow", "leaves"] {
        let pid = std::fs::read_to_string(sandbox.path(&format!("pids.{name}"))).unwrap();
        assert!(is_gone(pid.trim()), "{name}");
    }
}

/// Gone, or dead and not yet collected by whoever inherited it.
fn is_gone(pid: &str) -> bool {
    let state = |stat: String| stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => matches!(state(stat), Some('Z' | 'X')),
        Err(_) => !Path::new(&format!("/proc/{pid}")).exists(),
    }
}

#[test]
fn hole_12_the_key_lies_outside_of_the_project_and_is_its_owners_alone() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let key = sandbox.home().join(".config/deeds/signing.key");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&key).unwrap();
    let secret = text.lines().nth(1).unwrap();
    let found = finish(sandbox.command("grep", &sandbox.project()).args(["-rl", secret, "."]), b"");
    assert_eq!((found.code, found.stdout.as_str()), (Some(1), ""));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(sandbox.deeds(&["evidence", "seal", "t"]).expect(70).stderr.contains("others can read it"));
}

#[test]
fn hole_13_somebody_elsewhere_verifies_with_the_public_key_alone() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let key = sandbox.deeds(&["evidence", "key"]).expect(0).stdout;
    let proof = sandbox.path("proof");
    sandbox.deeds(&["evidence", "export", "t", "--to", proof.to_str().unwrap()]).expect(0);
    let checkpoint = proof.join("checkpoint");
    let held = sandbox.deeds(&["verify", "--expect", checkpoint.to_str().unwrap()]).expect(0);
    assert!(held.stdout.contains("are those of the checkpoint"), "{held:?}");
    let reviewer = Sandbox::new();
    let there = reviewer.path("proof");
    finish(
        reviewer.command("cp", &reviewer.project()).args(["-r", proof.to_str().unwrap(), there.to_str().unwrap()]),
        b"",
    );
    std::fs::write(reviewer.path("known.pub"), &key).unwrap();
    let (there_text, known) = (there.to_str().unwrap(), reviewer.path("known.pub"));
    let args = ["evidence", "verify", "--bundle", there_text, "--key", known.to_str().unwrap()];
    let verified = reviewer.deeds(&args).expect(0);
    assert!(verified.stdout.contains("anchor: not checked") && verified.stdout.contains("t  PASSED"), "{verified:?}");
    assert!(!reviewer.home().join(".config").exists() && !reviewer.project().join(".deeds").exists());
    // Without a key of one's own nothing is trusted, the one that came with it least of all.
    let unpinned = reviewer.deeds(&["evidence", "verify", "--bundle", there_text]).expect(1);
    assert!(unpinned.stdout.contains("no key to check it with"), "{unpinned:?}");
    let digest = std::fs::read_dir(there.join("blobs")).unwrap().next().unwrap().unwrap().path();
    let blob = std::fs::read_dir(digest).unwrap().next().unwrap().unwrap().path();
    std::fs::write(blob, "evil").unwrap();
    reviewer.deeds(&args).expect(2);
}

#[test]
fn hole_14_the_command_its_place_and_the_state_of_the_files_are_bound() {
    let sandbox =
        project(json!([{"name": "t", "kind": "generic", "command": ["pwd"], "cwd": "sub", "env": {"A": "1"}}]));
    sandbox.write("sub/x", "x");
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    let deeds = &stated["predicate"]["deeds"];
    let one = item(&stated, "t");
    assert_eq!((&one["argv"], &one["cwd"], &one["env"]), (&json!(["pwd"]), &json!("sub"), &json!({"A": "1"})));
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["add", "-A"]);
    let tree = sandbox.git(&["write-tree"]);
    assert_eq!((&deeds["source"]["commit"], &deeds["source"]["clean"]), (&json!(head), &json!(false)));
    assert_eq!((&one["treeBefore"], &one["treeAfter"]), (&json!(tree), &json!(tree)));
    let subjects = stated["subject"].as_array().unwrap();
    let source = subjects.iter().find(|subject| subject["name"] == "source").unwrap();
    assert_eq!(source["digest"], json!({"gitCommit": head, "gitTree": tree}));
    assert!(one["startedAt"].as_str() <= one["endedAt"].as_str() && one["startedAt"].is_string());
    let config = std::fs::read(sandbox.project().join("deeds.json")).unwrap();
    let digest = deeds::evidence::id::sha256_hex(&config);
    assert_eq!(stated["predicate"]["configuration"], json!([{"name": "deeds.json", "digest": {"sha256": digest}}]));
    assert_eq!(deeds["tool"], format!("deeds {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn hole_16_a_malformed_declaration_is_refused_with_its_place() {
    let sandbox = project(producer("true"));
    sandbox.write("deeds.json", "{\n  \"producers\": [{\"name\":\"t\",\"kind\":\"test\",\"comand\":[\"true\"]}]\n}");
    let refused = sandbox.deeds(&["evidence", "seal", "t"]).expect(65);
    assert!(refused.stderr.contains("did you mean `command`") && refused.stderr.contains("at 2:"), "{refused:?}");
    let other = sandbox.write("p.json", "[{\"name\":\"t\",\"kind\":\"tests\",\"command\":[\"true\"]}]");
    sandbox.write("deeds.json", "{}");
    let refused = sandbox.deeds(&["evidence", "seal", "t", "--producers", other.to_str().unwrap()]).expect(65);
    assert!(refused.stderr.contains("did you mean `test`") && refused.stderr.contains("p.json"), "{refused:?}");
    sandbox.write("p.json", r#"{"producers":[{"name":"t","kind":"test","command":["true"]}]}"#);
    sandbox.deeds(&["evidence", "seal", "t", "--producers", other.to_str().unwrap()]).expect(0);
    let configuration = statement(&sandbox, "t")["predicate"]["configuration"].clone();
    assert_eq!(configuration[1]["name"], "producers");
}

#[test]
fn hole_17_show_verifies_first_and_tells_no_bundle_from_a_broken_one() {
    let sandbox = project(producer("echo fine"));
    let none = sandbox.deeds(&["evidence", "show", "t"]).expect(1);
    assert!(none.stdout.starts_with("no bundle: t"), "{none:?}");
    sandbox.deeds(&["evidence", "show"]).expect(64);
    seal(&sandbox, "t");
    let shown = sandbox.deeds(&["evidence", "show", "t"]).expect(0);
    assert!(
        shown.stdout.contains("this is verified") && shown.stdout.contains("tests  test  required  pass  exit 0"),
        "{shown:?}"
    );
    std::fs::write(blob_path(&sandbox, item(&statement(&sandbox, "t"), "tests"), "stdout"), "evil").unwrap();
    let shown = sandbox.deeds(&["evidence", "show", "t"]).expect(2);
    assert!(shown.stdout.contains("NOT what was sealed") && shown.stdout.contains("gate    passed"), "{shown:?}");
    std::fs::write(file(&sandbox, "t"), "{").unwrap();
    let broken = sandbox.deeds(&["evidence", "show", "t"]).expect(2);
    assert!(broken.stdout.starts_with("mismatch: t"), "{broken:?}");
    std::fs::remove_file(file(&sandbox, "t")).unwrap();
    assert_eq!(parts(&verify(&sandbox, "t", 2)), ["bundle"]);
}

#[test]
fn hole_18_where_nothing_was_required_no_gate_passed() {
    let sandbox = project(json!([{"name": "t", "kind": "generic", "command": ["true"], "required": false}]));
    let sealed = seal(&sandbox, "t");
    assert!(sealed.stdout.contains("nothing was required"), "{sealed:?}");
    let stated = statement(&sandbox, "t");
    assert_eq!(stated["predicate"]["deeds"]["gatePassed"], Value::Null);
    assert_eq!(
        (&stated["predicate"]["result"], &stated["predicate"]["deeds"]["words"]),
        (&json!("WARNED"), &json!("nothing was required"))
    );
    declare(
        &sandbox,
        json!([{"name": "a", "kind": "generic", "command": ["true"]}, {"name": "b", "kind": "lint", "command": ["false"], "required": false}]),
    );
    seal(&sandbox, "t");
    let predicate = &statement(&sandbox, "t")["predicate"];
    assert_eq!((&predicate["result"], &predicate["deeds"]["gatePassed"]), (&json!("WARNED"), &json!(true)));
    assert_eq!(
        (&predicate["passedTests"], &predicate["warnedTests"], &predicate["failedTests"]),
        (&json!(["a"]), &json!(["b"]), &json!([]))
    );
    declare(&sandbox, json!([{"name": "a", "kind": "generic", "command": ["false"]}]));
    // That the gate did not pass is sealed like anything else.
    seal(&sandbox, "t");
    let predicate = &statement(&sandbox, "t")["predicate"];
    assert_eq!(
        (&predicate["result"], &predicate["deeds"]["gatePassed"], &predicate["failedTests"]),
        (&json!("FAILED"), &json!(false), &json!(["a"]))
    );
    assert_eq!(verify(&sandbox, "t", 0)["result"], "FAILED");
}

#[test]
fn hole_19_the_summary_at_the_end_of_a_long_output_is_kept() {
    let sandbox = project(producer("echo first; yes 0123456789abcde | head -c 3000000; echo; echo 'the summary'"));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    let tests = item(&stated, "tests");
    let text = String::from_utf8(blob(&sandbox, tests, "stdout")).unwrap();
    assert!(text.starts_with("first\n") && text.ends_with("\nthe summary\n") && text.len() <= 1 << 20);
    let whole = format!("first\n{}\nthe summary\n", &"0123456789abcde\n".repeat(187_500));
    assert_eq!(tests["stdout"]["len"], whole.len());
    assert_eq!(tests["stdout"]["sha256"], deeds::evidence::id::sha256_hex(whole.as_bytes()));
    assert_eq!(tests["stdout"]["kept"], "head_and_tail");
    verify(&sandbox, "t", 0);
}

#[test]
fn hole_20_what_is_said_on_stderr_corrupts_no_picture() {
    let png = r"printf '\211PNG\r\n\032\n\000\377\376'; echo warning >&2";
    let sandbox = project(json!([{"name": "shot", "kind": "screenshot", "command": ["sh", "-c", png]}]));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    assert_eq!(blob(&sandbox, item(&stated, "shot"), "stdout"), b"\x89PNG\r\n\x1a\n\x00\xff\xfe");
    assert_eq!(blob(&sandbox, item(&stated, "shot"), "stderr"), b"warning\n");
    verify(&sandbox, "t", 0);
}

#[test]
fn hole_21_no_secret_is_kept_or_signed() {
    let token = format!("ghp_{}", "A1b2".repeat(9));
    let sandbox = project(json!([{"name": "t", "kind": "generic", "env": {"API_TOKEN": token},
        "command": ["sh", "-c", format!("echo got {token}; echo {token} >&2")]}]));
    seal(&sandbox, "t");
    let mut everything = statement(&sandbox, "t").to_string();
    everything.push_str(&std::fs::read_to_string(ledger(&sandbox).dir().join("ledger.jsonl")).unwrap());
    let stated = statement(&sandbox, "t");
    for stream in ["stdout", "stderr"] {
        everything.push_str(&String::from_utf8(blob(&sandbox, item(&stated, "t"), stream)).unwrap());
    }
    assert!(!everything.contains(&token) && everything.contains("[REDACTED:"));
    assert!(item(&stated, "t")["redacted"].as_u64().unwrap() >= 4);
    assert!(!sandbox.deeds(&["evidence", "seal", "t"]).stderr.contains(&token));
}

#[test]
fn hole_22_a_word_is_no_boolean_and_no_name_stands_twice() {
    let sandbox = project(json!([]));
    for (producers, what) in [
        (json!([{"name": "t", "kind": "test", "command": ["true"], "required": "false"}]), "should be true or false"),
        (
            json!([{"name": "t", "kind": "test", "command": ["true"]}, {"name": "t", "kind": "lint", "command": ["true"]}]),
            "names must differ",
        ),
        (json!([{"name": "t", "kind": "test", "command": "true"}]), "should be a list"),
        (json!([{"name": "t", "kind": "test", "command": ["true"], "timeout": -1}]), "/producers/0/timeout"),
    ] {
        sandbox.write("deeds.json", json!({"producers": producers}).to_string());
        let refused = sandbox.deeds(&["evidence", "seal", "t"]).expect(65);
        assert!(refused.stderr.contains(what), "{refused:?}");
    }
    assert!(!ledger(&sandbox).dir().exists());
}

#[test]
fn hole_23_garbage_is_collected_and_nothing_that_is_named() {
    let sandbox = project(json!([{"name": "shot", "kind": "screenshot", "command": ["cat", "README.md"]}]));
    seal(&sandbox, "t");
    sandbox.write("README.md", "another picture");
    seal(&sandbox, "t");
    sandbox.deeds_with(&["hook"], hook_output(&"long output\n".repeat(1000)).as_bytes()).expect(0);
    let ledger_here = ledger(&sandbox);
    let blobs = ledger_here.blobs();
    let garbage = [blobs.put(b"nobody names this").unwrap(), blobs.put(b"nor this").unwrap()];
    let young = blobs.put(b"made just now").unwrap();
    let draft = blobs.path(&garbage[0]).with_file_name("00001-2-3");
    std::fs::write(&draft, "what a killed process left").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(48 * 3600);
    let mut all = 0;
    for path in every_blob(&ledger(&sandbox).dir().join("blobs")) {
        all += 1;
        if path != blobs.path(&young) {
            std::fs::File::open(path).unwrap().set_modified(old).unwrap();
        }
    }
    let dry = sandbox.deeds(&["evidence", "gc", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("would remove 3 files") && blobs.path(&garbage[0]).exists(), "{dry:?}");
    let swept = sandbox.deeds(&["evidence", "gc"]).expect(0);
    assert!(swept.stdout.contains("removed 3 files"), "{swept:?}");
    assert_eq!(every_blob(&ledger(&sandbox).dir().join("blobs")).len(), all - 3);
    assert!(!blobs.path(&garbage[0]).exists() && !draft.exists() && blobs.path(&young).exists());
    verify(&sandbox, "t", 0);
    sandbox.deeds(&["verify"]).expect(0);
    // The superseded bundle is still whole, its picture too.
    let first = entries(&sandbox).into_iter().find(|entry| entry.body["task"] == "t").unwrap();
    for digest in first.body["blobs"].as_array().unwrap() {
        assert!(blobs.get(digest.as_str().unwrap()).is_some());
    }
    // An old blob that is stored again is young.
    let again = blobs.put(b"stored again").unwrap();
    std::fs::File::open(blobs.path(&again)).unwrap().set_modified(old).unwrap();
    blobs.put(b"stored again").unwrap();
    sandbox.deeds(&["evidence", "gc"]).expect(0);
    assert!(blobs.path(&again).exists());
}

fn every_blob(dir: &Path) -> Vec<std::path::PathBuf> {
    let folders = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect()
}

fn hook_output(text: &str) -> String {
    json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/nowhere", "tool_name": "Bash", "tool_use_id": "u",
           "tool_input": {"command": "ls"}, "tool_response": {"stdout": text, "stderr": "", "interrupted": false}})
    .to_string()
}

#[test]
fn hole_24_a_picture_has_no_credential_and_one_that_cannot_be_checked_is_no_pass() {
    let sandbox = project(json!([{"name": "shot", "kind": "screenshot", "command": ["echo", "x"]}]));
    seal(&sandbox, "t");
    assert!(sandbox.deeds(&["evidence", "show", "t"]).expect(0).stdout.contains("no content credential"));
    let mut stated = statement(&sandbox, "t");
    assert_eq!(item(&stated, "shot").get("contentCredential"), Some(&Value::Null));
    let sidecar = ledger(&sandbox).blobs().put(b"a manifest").unwrap();
    stated["predicate"]["deeds"]["items"][0]["contentCredential"] = json!({"format": "c2pa", "sha256": sidecar});
    stated["predicate"]["deeds"]["task"] = json!("u");
    forge(&sandbox, "u", &stated);
    let verdict = verify(&sandbox, "u", 1);
    assert!(verdict["findings"][0]["detail"].as_str().unwrap().contains("content credential"), "{verdict}");
    verify(&sandbox, "t", 0);
}
