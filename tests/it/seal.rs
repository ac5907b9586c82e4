//! Sealing: by hand and by itself, what it leaves, and what is left of it when it is killed.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use deeds::bundle::anchor::Spine;
use deeds::bundle::producer::Producer;
use deeds::bundle::seal::{Order, seal as seal_order};
use deeds::bundle::signing::PublicKey;
use deeds::bundle::store::{Store, TaskId};
use deeds::bundle::verify::{Pin, all, task};
use deeds::durable::faults::{How, with};
use deeds::error::Exit;
use deeds::ledger::EntryKind;
use serde_json::{Value, json};

use crate::bundles::{
    blob, declare, entries, env, file, forge, item, ledger, parts, producer, project, seal, statement, verify,
};
use crate::sandbox::{Ran, Sandbox, finish};

#[test]
fn where_no_producer_is_declared_nothing_happens_and_nothing_is_made() {
    for config in [
        None,
        Some("{}"),
        Some(r#"{"producers":[]}"#),
        Some(r#"{"tasks":{"t":{"producers":[]}},"producers":[{"name":"x","kind":"test","command":["true"]}]}"#),
    ] {
        let sandbox = Sandbox::with_repository();
        config.map(|config| sandbox.write("deeds.json", config));
        let ran = sandbox.deeds(&["evidence", "seal", "t"]).expect(1);
        assert!(ran.stdout.contains("no producers are declared"), "{ran:?}");
        sandbox.deeds(&["evidence", "verify", "t"]).expect(1);
        sandbox.deeds(&["evidence", "verify", "--all"]).expect(0);
        sandbox.deeds(&["evidence", "gc"]).expect(0);
        assert!(!ledger(&sandbox).dir().exists() && !sandbox.home().join(".config").exists());
    }
}

#[test]
fn a_new_seal_supersedes_and_the_old_one_stays_in_the_ledger() {
    let sandbox = project(producer("echo one"));
    seal(&sandbox, "t");
    declare(&sandbox, producer("echo two"));
    seal(&sandbox, "t");
    let anchors: Vec<Value> =
        entries(&sandbox).into_iter().filter(|entry| entry.kind == EntryKind::Bundle).map(|entry| entry.body).collect();
    assert_eq!(anchors.len(), 2);
    let listed = sandbox.deeds(&["evidence", "list", "--json"]).expect(0).json();
    assert_eq!((&listed["superseded"], &listed["bundle"]), (&json!(1), &anchors[1]["bundle"]));
    // The superseded envelope is still there, and is what the ledger says.
    let envelope = ledger(&sandbox).resolve(&anchors[0]["envelope"]).unwrap();
    assert_eq!(deeds::bundle::verify::hash_of(envelope.as_bytes()), anchors[0]["bundle"].as_str().map(str::to_owned));
    std::fs::write(sandbox.path("old.json"), envelope).unwrap();
    let old = sandbox.path("old.json");
    let ran = sandbox.deeds(&["evidence", "verify", "t", "--bundle", old.to_str().unwrap(), "--json"]).expect(2);
    assert_eq!(parts(&ran.json()), ["anchor"]);
}

#[test]
fn a_sealed_run_counts_as_seen_by_the_host() {
    let sandbox = project(json!([
        {"name": "suite", "kind": "test", "command": ["sh", "check.sh"]},
        {"name": "style", "kind": "lint", "command": ["false"], "required": false},
        {"name": "nothing", "kind": "test", "command": ["cargo", "test", "--no-run", "--help"], "required": false},
    ]));
    sandbox.write("check.sh", "exit 0");
    sandbox.write(
        "claims.json",
        json!({"claims": [
        {"id": "t", "requires": [{"evidenceId": "tests", "subject": "@worktree", "trust": ["host_observed"]}]},
        {"id": "l", "requires": [{"evidenceId": "lint", "subject": "@worktree"}]}]})
        .to_string(),
    );
    seal(&sandbox, "t");
    let judged = sandbox.deeds(&["judge", "--claims", "claims.json", "--all", "--format", "json"]).json();
    let outcomes: Vec<&Value> = judged["claims"].as_array().unwrap().iter().map(|claim| &claim["outcome"]).collect();
    assert_eq!(outcomes, ["supported", "contradicted"], "{judged}");
    sandbox.write("check.sh", "exit 1");
    let judged = sandbox.deeds(&["judge", "--claims", "claims.json", "--all", "--format", "json"]).json();
    assert_eq!(judged["claims"][0]["outcome"], "unsupported", "{judged}");
}

#[test]
fn files_that_changed_meanwhile_are_said_and_make_no_record() {
    let sandbox = project(producer("echo more >> README.md"));
    let sealed = seal(&sandbox, "t");
    assert!(sealed.stdout.contains("files changed while tests ran"), "{sealed:?}");
    let stated = statement(&sandbox, "t");
    assert_eq!(item(&stated, "tests")["moved"], true);
    let source = stated["subject"].as_array().unwrap().iter().find(|subject| subject["name"] == "source").unwrap();
    assert!(source["digest"].get("gitTree").is_none() && source["digest"]["gitCommit"].is_string());
    assert!(entries(&sandbox).iter().all(|entry| entry.kind != EntryKind::Evidence));
    verify(&sandbox, "t", 0);
}

#[test]
fn a_producer_cannot_wait_for_the_seal_that_it_is_part_of() {
    let deeds = env!("CARGO_BIN_EXE_deeds");
    let sandbox = project(producer(&format!("{deeds} evidence seal other")));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    assert_eq!(item(&stated, "tests")["exit"], 64);
    assert!(String::from_utf8(blob(&sandbox, item(&stated, "tests"), "stderr")).unwrap().contains("as a producer"));
}

#[test]
fn a_producer_that_removes_the_project_leaves_no_seal() {
    let sandbox = project(producer("rm -rf .git; echo done"));
    let ran = sandbox.deeds(&["evidence", "seal", "gone"]).expect(70);
    assert!(ran.stderr.contains("removed the ledger"), "{ran:?}");
    assert!(!sandbox.project().join(".git/deeds/ledger.jsonl").exists());
}

#[test]
fn bytes_that_are_not_kept_are_no_pass() {
    let sandbox =
        project(json!([{"name": "film", "kind": "recording", "command": ["head", "-c", "9000000", "/dev/zero"]}]));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    let film = item(&stated, "film");
    assert_eq!((&film["stdout"]["len"], &film["stdout"]["kept"]), (&json!(9_000_000), &json!("none")));
    let verdict = verify(&sandbox, "t", 1);
    assert_eq!((parts(&verdict), &verdict["verdict"]), (vec!["film/stdout"], &json!("cannot_tell")));
    // A picture of nothing is none.
    declare(&sandbox, json!([{"name": "film", "kind": "recording", "command": ["true"]}]));
    seal(&sandbox, "t");
    assert_eq!(statement(&sandbox, "t")["predicate"]["result"], "FAILED");
}

#[test]
fn memory_does_not_grow_with_what_a_producer_prints() {
    let megabytes = std::env::var("DEEDS_TEST_PRINTS_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(48);
    let script = format!(
        "yes 'a line of output like any other' | head -c {}; grep VmHWM /proc/$PPID/status >&2",
        megabytes << 20
    );
    let sandbox = project(producer(&script));
    seal(&sandbox, "t");
    let stated = statement(&sandbox, "t");
    assert_eq!(item(&stated, "tests")["stdout"]["len"], megabytes << 20);
    let told = String::from_utf8(blob(&sandbox, item(&stated, "tests"), "stderr")).unwrap();
    let kib: u64 = told.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 32 << 10, "{kib} KiB for {megabytes} MiB");
}

/// The order of the tests that seal without a process of their own.
fn order<'a>(sandbox: &Sandbox, task: &'a TaskId, producers: &'a [Producer], rest: &'a Rest) -> (Order<'a>, Pin) {
    let key = PublicKey::own(&rest.env).unwrap();
    let pin = Pin { key: key.unwrap(), by: "own".into() };
    let order = Order {
        task,
        producers,
        root: &rest.root,
        env: &rest.env,
        ledger: &rest.ledger,
        declared_in: &[],
        session: None,
        event: None,
        stop: &rest.stop,
        wait: Duration::from_secs(600),
    };
    let _ = sandbox;
    (order, pin)
}

struct Rest {
    root: std::path::PathBuf,
    env: deeds::layout::Env,
    ledger: deeds::ledger::Ledger,
    stop: AtomicBool,
}

#[test]
fn a_seal_that_dies_at_any_call_leaves_the_old_bundle_or_the_new_one() {
    let declared = |word: &str| -> Vec<Producer> {
        serde_json::from_value(json!([{"name": "t", "kind": "generic", "command": ["echo", word]}])).unwrap()
    };
    let (mut old_ones, mut new_ones) = (0, 0);
    for nth in 0.. {
        let sandbox = Sandbox::new();
        let rest = Rest {
            root: sandbox.project(),
            env: env(&sandbox),
            ledger: deeds::ledger::Ledger::open(&sandbox.project().join(".deeds")),
            stop: AtomicBool::new(false),
        };
        deeds::bundle::signing::SigningKey::load_or_create(&rest.env).unwrap();
        let name = TaskId::parse("t").unwrap();
        let (old, new) = (declared("old"), declared("new"));
        let (first, pin) = order(&sandbox, &name, &old, &rest);
        seal_order(&first, &mut |_| {}).unwrap();
        let (second, _) = order(&sandbox, &name, &new, &rest);
        let (done, reached) = with(nth, None, How::Die(100), || seal_order(&second, &mut |_| {}).is_ok());
        let store = Store::of(rest.ledger.dir());
        let pins = [pin];
        let look = || {
            let spine = Spine::read(&rest.ledger);
            let report = task("t", &store, &spine, &rest.ledger.blobs(), &pins).unwrap();
            let shown: Vec<String> =
                report.findings.iter().map(|found| format!("{}: {}", found.part, found.why)).collect();
            assert_eq!(report.exit(), Exit::Holds, "call {nth}: {shown:?}");
            report.statement.unwrap().items()[0]["argv"][1].as_str().unwrap().to_owned()
        };
        let word = look();
        assert!(!done || word == "new", "call {nth}");
        old_ones += u32::from(word == "old");
        new_ones += u32::from(word == "new");
        // Whatever it left, the next seal goes through, and nothing is taken for tampering.
        let (third, _) = order(&sandbox, &name, &new, &rest);
        seal_order(&third, &mut |_| {}).unwrap();
        assert_eq!(look(), "new", "call {nth}");
        if !reached {
            break;
        }
    }
    assert!(old_ones > 5 && new_ones > 1, "{old_ones} {new_ones}");
}

#[test]
fn hole_11_checking_a_thousand_bundles_reads_each_once() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "t");
    let model = statement(&sandbox, "t");
    let pins = [Pin { key: PublicKey::own(&env(&sandbox)).unwrap().unwrap(), by: "own".into() }];
    let mut cost = Vec::new();
    let mut made = 1;
    for count in [250, 500, 1000] {
        while made < count {
            let mut stated = model.clone();
            let name = format!("task {made}");
            stated["predicate"]["deeds"]["task"] = json!(name);
            forge(&sandbox, &name, &stated);
            made += 1;
        }
        let before = bytes_read();
        let ledger = ledger(&sandbox);
        let spine = Spine::read(&ledger);
        let mut seen = 0;
        all(&Store::of(ledger.dir()), &spine, &ledger.blobs(), &pins, &mut |name, report| {
            seen += 1;
            assert_eq!(report.exit(), Exit::Holds, "{name}");
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, count);
        cost.push(bytes_read() - before);
    }
    // Twice the bundles, twice the reading.
    for pair in cost.windows(2) {
        assert!(pair[1] < pair[0] * 5 / 2, "{cost:?}");
    }
    let ran = sandbox.deeds(&["evidence", "verify", "--all"]).expect(0);
    assert!(ran.stdout.ends_with("1000 of 1000 bundles verified\n"));
}

/// What this thread has read, in bytes.
fn bytes_read() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    text.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

fn event(name: &str, more: Value, sandbox: &Sandbox) -> String {
    let mut event =
        json!({"hook_event_name": name, "session_id": "s1", "cwd": sandbox.project(), "transcript_path": "/x/t.jsonl"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event.to_string()
}

fn hook(sandbox: &Sandbox, event: &str) -> Ran {
    sandbox.deeds_with(&["hook"], event.as_bytes()).expect(0)
}

/// A project whose one producer goes on only when somebody has read from the pipe `gate`.
fn gated(sandbox: &Sandbox) -> std::path::PathBuf {
    let gate = sandbox.path("gate");
    finish(sandbox.command("mkfifo", &sandbox.project()).arg(&gate), b"").expect(0);
    gate
}

/// What a user does who has read the producers.
#[track_caller]
fn approve(sandbox: &Sandbox) {
    sandbox.deeds(&["evidence", "approve"]).expect(0);
}

/// Lets the producer go on, and waits until the seal that it is part of is done: the next one waits for it.
fn let_through(sandbox: &Sandbox, gate: &Path) {
    std::fs::File::open(gate).unwrap().read_to_end(&mut Vec::new()).unwrap();
    let other = sandbox.write("other.json", r#"[{"name":"x","kind":"generic","command":["true"]}]"#);
    sandbox.deeds(&["evidence", "seal", "after", "--producers", other.to_str().unwrap()]).expect(0);
    std::fs::remove_file(other).unwrap();
}

#[test]
fn hole_15_a_completed_task_is_sealed_by_a_process_that_nobody_waits_for() {
    let sandbox = Sandbox::with_repository();
    let gate = gated(&sandbox);
    declare(&sandbox, producer(&format!("echo go > {}; echo fine", gate.display())));
    approve(&sandbox);
    // The hook comes back although the producer waits.
    assert_eq!(hook(&sandbox, &event("TaskCompleted", json!({"task_id": "1"}), &sandbox)).stdout, "");
    let_through(&sandbox, &gate);
    let sealed = verify(&sandbox, "s1/1", 0);
    assert_eq!(sealed["result"], "PASSED");
    let stated = statement(&sandbox, "s1/1");
    let deeds = &stated["predicate"]["deeds"];
    assert_eq!((&deeds["session"], &deeds["event"]), (&json!("s1"), &json!("TaskCompleted")));
    assert_eq!(blob(&sandbox, item(&stated, "tests"), "stdout"), b"fine\n");
    // The same event told twice seals once.
    let before = entries(&sandbox).len();
    hook(&sandbox, &event("TaskCompleted", json!({"task_id": "1"}), &sandbox));
    assert_eq!(entries(&sandbox).len(), before);
    // Task 1 of another session is another bundle.
    let other = event("TaskCompleted", json!({"task_id": "1"}), &sandbox).replace("\"s1\"", "\"s2\"");
    hook(&sandbox, &other);
    let_through(&sandbox, &gate);
    verify(&sandbox, "s2/1", 0);
    assert_ne!(file(&sandbox, "s1/1"), file(&sandbox, "s2/1"));
    verify(&sandbox, "s1/1", 0);
}

#[test]
fn only_the_events_that_are_named_seal() {
    let sandbox = Sandbox::with_repository();
    let gate = gated(&sandbox);
    let config = json!({"producers": producer(&format!("echo go > {}", gate.display())), "sealOn": ["SessionEnd"]});
    sandbox.write("deeds.json", config.to_string());
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "x"]);
    approve(&sandbox);
    hook(&sandbox, &event("TaskCompleted", json!({"task_id": "1"}), &sandbox));
    hook(&sandbox, &event("SessionEnd", json!({"reason": "other"}), &sandbox));
    let_through(&sandbox, &gate);
    verify(&sandbox, "s1", 0);
    verify(&sandbox, "s1/1", 1);
}

#[test]
fn the_end_of_a_codex_session_seals_unless_something_else_is_named() {
    let sandbox = Sandbox::with_repository();
    let gate = gated(&sandbox);
    declare(&sandbox, producer(&format!("echo go > {}", gate.display())));
    approve(&sandbox);
    let end = event("SessionEnd", json!({"reason": "other"}), &sandbox);
    // To Claude Code's own end of a session nothing is declared.
    hook(&sandbox, &end);
    hook(&sandbox, &end.replace("/x/t.jsonl", "/x/rollout-1.jsonl").replace("\"s1\"", "\"c1\""));
    let_through(&sandbox, &gate);
    verify(&sandbox, "c1", 0);
    verify(&sandbox, "s1", 1);
}

#[test]
fn a_stop_seals_where_it_is_named() {
    let sandbox = Sandbox::with_repository();
    let gate = gated(&sandbox);
    let config = json!({"producers": producer(&format!("echo go > {}", gate.display())), "sealOn": ["Stop"]});
    sandbox.write("deeds.json", config.to_string());
    approve(&sandbox);
    hook(&sandbox, &event("Stop", json!({"last_assistant_message": "Done.", "stop_hook_active": false}), &sandbox));
    let_through(&sandbox, &gate);
    verify(&sandbox, "s1", 0);
}

#[test]
fn a_seal_that_could_not_be_made_leaves_an_entry_that_says_why() {
    let sandbox = project(producer("true"));
    sandbox.write("deeds.json", r#"{"producers":[{"name":"t","kind":"test","comand":["true"]}]}"#);
    // What the hook starts, run to its end.
    let args = ["evidence", "seal", "--session=s1", "--event=TaskCompleted", "--", "s1/1"];
    sandbox.deeds(&args).expect(65);
    let all = entries(&sandbox);
    let word = all.iter().find(|entry| entry.kind == EntryKind::NotCollected).unwrap();
    assert!(word.body["detail"].as_str().unwrap().contains("did you mean `command`"), "{}", word.body);
    assert_eq!((&word.body["session_id"], &word.body["task"]), (&json!("s1"), &json!("s1/1")));
    // A signing key that cannot be used is such a reason too.
    sandbox.write("deeds.json", json!({"producers": producer("true")}).to_string());
    approve(&sandbox);
    std::fs::create_dir(sandbox.home().join(".config/deeds/signing.key")).unwrap();
    sandbox.deeds(&args).expect(70);
    let last = entries(&sandbox).pop().unwrap();
    assert_eq!(last.kind, EntryKind::NotCollected);
    assert!(last.body["detail"].as_str().unwrap().contains("signing"), "{}", last.body);
}

/// The text of the last entry, which says why nothing was sealed.
#[track_caller]
fn last_word(sandbox: &Sandbox) -> String {
    let last = entries(sandbox).pop().unwrap();
    assert_eq!(last.kind, EntryKind::NotCollected);
    last.body["detail"].as_str().unwrap().to_owned()
}

#[test]
fn what_nobody_approved_of_does_not_run_by_itself() {
    let args = ["evidence", "seal", "--session=s1", "--event=TaskCompleted", "--", "s1/1"];
    let ran = |sandbox: &Sandbox| sandbox.path("ran").exists();
    let touch = |sandbox: &Sandbox, more: &str| producer(&format!("touch {}{more}", sandbox.path("ran").display()));
    let sandbox = Sandbox::with_repository();
    declare(&sandbox, touch(&sandbox, ""));
    // A clone that brings its own producers.
    sandbox.deeds(&args).expect(65);
    assert!(last_word(&sandbox).contains("not approved") && !ran(&sandbox));
    // By hand they run, and that approves of nothing.
    seal(&sandbox, "by-hand");
    assert!(ran(&sandbox));
    std::fs::remove_file(sandbox.path("ran")).unwrap();
    sandbox.deeds(&args).expect(65);
    assert!(!ran(&sandbox));
    // Approved, until a single word of them is another.
    approve(&sandbox);
    sandbox.deeds(&args).expect(0);
    std::fs::remove_file(sandbox.path("ran")).unwrap();
    declare(&sandbox, touch(&sandbox, "; true"));
    sandbox.deeds(&args).expect(65);
    let mut limited = touch(&sandbox, "");
    limited[0]["env"] = json!({"PATH": "/elsewhere"});
    declare(&sandbox, limited);
    sandbox.deeds(&args).expect(65);
    declare(&sandbox, json!([]));
    sandbox.write("deeds.json", json!({"tasks": {"1": {"producers": touch(&sandbox, " ")}}}).to_string());
    sandbox.deeds(&args).expect(65);
    assert!(!ran(&sandbox));
    approve(&sandbox);
    sandbox.deeds(&args).expect(0);
    assert!(ran(&sandbox));
    // Taken back.
    std::fs::remove_file(sandbox.path("ran")).unwrap();
    sandbox.deeds(&["evidence", "approve", "--revoke"]).expect(0);
    sandbox.deeds(&args).expect(65);
    assert!(last_word(&sandbox).contains("deeds evidence approve") && !ran(&sandbox));
}

#[test]
fn an_approval_is_of_one_project_and_its_worktrees() {
    let args = ["evidence", "seal", "--session=s1", "--event=TaskCompleted", "--", "s1/1"];
    let sandbox = project(producer("true"));
    approve(&sandbox);
    let worktree = sandbox.path("worktree");
    sandbox.git(&["worktree", "add", "-q", worktree.to_str().unwrap()]);
    finish(sandbox.command(env!("CARGO_BIN_EXE_deeds"), &worktree).args(args), b"").expect(0);
    let clone = sandbox.path("clone");
    sandbox.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    finish(sandbox.command(env!("CARGO_BIN_EXE_deeds"), &clone).args(args), b"").expect(65);
    // Where the agent may write, nothing can be approved; the main worktree is such a place to a linked one, too.
    let inside = sandbox.project().join("config");
    let mut linked = sandbox.command(env!("CARGO_BIN_EXE_deeds"), &worktree);
    let ran = finish(linked.args(["evidence", "approve"]).env("XDG_CONFIG_HOME", &inside), b"");
    assert!(ran.expect(65).stderr.contains("inside of the project"));
    for (args, code) in [(["evidence", "approve"].as_slice(), 65), (&args, 65)] {
        let ran = finish(sandbox.deeds_command().args(args).env("XDG_CONFIG_HOME", &inside), b"");
        assert!(ran.expect(code).stderr.contains("inside of the project"));
    }
}

#[test]
fn approving_shows_what_it_lets_run() {
    let sandbox = project(json!([
        {"name": "tests", "kind": "test", "command": ["sh", "-c", "x \u{1b}[2K\nfake"], "cwd": "a", "env": {"B": "c d"}},
    ]));
    let shown = sandbox.deeds(&["evidence", "approve"]).expect(0).stdout;
    let row = shown.lines().find(|line| line.contains("tests (test)")).unwrap();
    assert!(row.contains(r#""sh" "-c""#) && row.contains("in a") && row.contains(r#"B="c d""#), "{shown}");
    assert!(row.contains("fake") && !shown.contains('\u{1b}'), "{shown}");
    let told = sandbox.deeds(&["evidence", "approve", "--json"]).expect(0).json();
    assert_eq!(told["approved"][0]["producers"][0]["command"][0], "sh");
    sandbox.write("deeds.json", "{}");
    assert!(sandbox.deeds(&["evidence", "approve"]).expect(1).stdout.contains("no producers"));
    sandbox.write("deeds.json", r#"{"producers": 1}"#);
    sandbox.deeds(&["evidence", "approve"]).expect(65);
}

#[test]
fn a_malformed_declaration_is_noticed_by_the_hook_too() {
    let sandbox = Sandbox::with_repository();
    sandbox.write("deeds.json", r#"{"producers":[{"name":"t"}]}"#);
    hook(&sandbox, &event("TaskCompleted", json!({"task_id": "1"}), &sandbox));
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while !entries(&sandbox).iter().any(|entry| entry.kind == EntryKind::NotCollected) {
        assert!(std::time::Instant::now() < until, "no word was left");
        std::thread::yield_now();
    }
}

#[test]
fn evidence_is_exported_as_it_stands() {
    let sandbox = project(producer("yes | head -c 20000"));
    seal(&sandbox, "t");
    let ledger = ledger(&sandbox);
    let mut draft = crate::drafts::evidence("call", "x");
    let source = json!({
        "sensor_name": "S", "trust_class": "oracle", "collected_at": "2026-11-30T21:04:05.200Z", "provider": "p",
        "collection_method": "telepathy", "collector_version": "9", "freshness": {"clock_source": "sundial", "caveat": "c", "later": 1},
        "tamper_boundary": {"description": "d", "detail": "e", "later": [2]}, "later": {"a": null}
    });
    draft.body.insert("source".into(), source.clone());
    draft.body.insert("later".into(), json!({"kept": true}));
    ledger.append(vec![draft.clone()], &deeds::ledger::Append::default()).unwrap();
    let out = sandbox.deeds(&["export", "--format", "jsonl"]).expect(0).stdout;
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let exported = lines.iter().find(|line| line["source_event_id"] == "call").unwrap();
    assert_eq!(*exported, Value::Object(draft.body));
    let run = lines.iter().find(|line| line["payload"]["producer"]["name"] == "tests").unwrap();
    assert_eq!(run["payload"]["output"].as_str().unwrap().len(), 20000);
    // What cannot be had is counted.
    let digest = run["payload"]["output_digest"].as_str().unwrap();
    std::fs::remove_file(ledger.blobs().path(digest)).unwrap();
    let short = sandbox.deeds(&["export", "--format", "jsonl"]).expect(1);
    assert!(short.stderr.contains("1 left out in all"), "{short:?}");
}

#[test]
fn envelopes_are_exported_if_they_are_what_was_sealed() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "a");
    seal(&sandbox, "b");
    let out = sandbox.deeds(&["export", "--format", "in-toto"]).expect(0).stdout;
    assert_eq!(out.lines().count(), 2);
    let one = sandbox.deeds(&["export", "--format", "in-toto", "a"]).expect(0).stdout;
    assert_eq!(one, std::fs::read_to_string(file(&sandbox, "a")).unwrap());
    std::fs::copy(file(&sandbox, "a"), file(&sandbox, "b")).unwrap();
    let out = sandbox.deeds(&["export", "--format", "in-toto"]).expect(1);
    assert!(out.stdout.lines().count() == 1 && out.stderr.contains("left out: b"), "{out:?}");
}

#[test]
fn the_check_of_a_ledger_is_one_of_its_bundles_too() {
    let sandbox = project(producer("echo fine"));
    let before = sandbox.deeds(&["verify", "--json"]).expect(0).json();
    assert_eq!(before, json!({"result": "ok", "entries": 0, "findings": []}));
    seal(&sandbox, "t");
    let whole = sandbox.deeds(&["verify", "--json"]).expect(0).json();
    assert_eq!(whole["bundles"], json!({"verified": 1, "findings": []}));
    let path =
        ledger(&sandbox).blobs().path(item(&statement(&sandbox, "t"), "tests")["stdout"]["blob"].as_str().unwrap());
    std::fs::write(path, "evil").unwrap();
    let found = sandbox.deeds(&["verify"]).expect(2);
    assert!(found.stdout.contains("bundle of t: tests/stdout"), "{found:?}");
    assert_eq!(sandbox.deeds(&["verify", "--json"]).expect(2).json()["bundles"]["verified"], 0);
}

#[test]
fn a_bundle_that_is_being_superseded_is_no_mismatch() {
    let sandbox = project(producer("echo $$"));
    seal(&sandbox, "t");
    let sealing = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..15).for_each(|_| drop(seal(&sandbox, "t")));
            sealing.store(false, std::sync::atomic::Ordering::SeqCst);
        });
        while sealing.load(std::sync::atomic::Ordering::SeqCst) {
            verify(&sandbox, "t", 0);
            sandbox.deeds(&["evidence", "verify", "--all"]).expect(0);
            sandbox.deeds(&["verify"]).expect(0);
        }
    });
}

#[test]
fn who_is_asked_to_end_ends_with_all_that_it_started_and_seals_nothing() {
    let sandbox = Sandbox::with_repository();
    let gate = gated(&sandbox);
    declare(&sandbox, producer(&format!("echo $$ > {}; sleep 300", gate.display())));
    let mut sealing =
        sandbox.deeds_command().args(["evidence", "seal", "t"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut pid = String::new();
    std::fs::File::open(&gate).unwrap().read_to_string(&mut pid).unwrap();
    // Another one waits for it, and can be asked to end as well.
    let mut waiting = sandbox.deeds_command();
    let mut waiting = waiting.args(["evidence", "seal", "u"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut told = [0; 7];
    waiting.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert_eq!(&told, b"waiting");
    for child in [&mut waiting, &mut sealing] {
        finish(sandbox.command("kill", &sandbox.project()).args(["-TERM", &child.id().to_string()]), b"").expect(0);
        assert_eq!(child.wait().unwrap().code(), Some(70));
    }
    assert!(!Path::new(&format!("/proc/{}/fd/1", pid.trim())).exists(), "the producer lives on");
    verify(&sandbox, "t", 1);
    verify(&sandbox, "u", 1);
}

#[test]
fn standard_input_is_not_the_producers() {
    let sandbox = project(producer("cat; echo end"));
    sandbox.deeds_with(&["evidence", "seal", "t"], b"words of the caller").expect(0);
    assert_eq!(blob(&sandbox, item(&statement(&sandbox, "t"), "tests"), "stdout"), b"end\n");
}

#[test]
fn a_bundle_that_waits_to_be_anchored_is_anchored_by_the_next_event() {
    let sandbox = project(producer("echo fine"));
    seal(&sandbox, "a");
    // While somebody holds the ledger, what is to be appended waits.
    let ledger = ledger(&sandbox);
    let ran = ledger.exclusively(Duration::from_secs(9), || sandbox.deeds(&["evidence", "seal", "t"])).unwrap();
    assert!(ran.code == Some(70) && ran.stderr.contains("the next event anchors it"), "{ran:?}");
    verify(&sandbox, "t", 1);
    verify(&sandbox, "a", 0);
    ledger.append(vec![crate::drafts::evidence("next", "x")], &deeds::ledger::Append::default()).unwrap();
    assert_eq!(verify(&sandbox, "t", 0)["result"], "PASSED");
    seal(&sandbox, "t");
    verify(&sandbox, "t", 0);
}

#[test]
fn a_trusted_key_that_cannot_be_read_hides_nothing() {
    let sandbox = project(producer("true"));
    seal(&sandbox, "one");
    sandbox.write("deeds.json", json!({"producers": producer("true"), "trustedKeys": ["nope.pub"]}).to_string());
    let ran = sandbox.deeds(&["evidence", "verify", "one"]).expect(0);
    assert!(ran.stderr.contains("nope.pub") && ran.stderr.contains("left out"), "{ran:?}");
    let ledger = sandbox.project().join(".git/deeds/ledger.jsonl");
    let altered = std::fs::read_to_string(&ledger).unwrap().replace("\"exit_code\":0", "\"exit_code\":1");
    std::fs::write(&ledger, altered).unwrap();
    assert!(sandbox.deeds(&["verify"]).expect(2).stdout.contains("altered"));
}
