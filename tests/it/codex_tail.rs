//! `deeds tail` over rollouts that Codex CLI 0.171.0 wrote.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use deeds::command::tail::Args;
use serde_json::Value;

use crate::sandbox::{Sandbox, finish};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/codex")
}

/// Every recorded rollout, by its path below the fixtures.
pub fn rollouts() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for case in std::fs::read_dir(fixtures()).unwrap() {
        let dir = case.unwrap().path().join("rollouts");
        found.extend(std::fs::read_dir(dir).into_iter().flatten().map(|file| file.unwrap().path()));
    }
    found.sort();
    assert!(found.len() >= 19, "{found:?}");
    found
}

/// `deeds tail --ledger DIR FILE`, without a process of its own.
fn tail(file: &Path, ledger: &Path) -> String {
    let args =
        Args { workdir: "/".into(), files: vec![file.to_owned()], ledger: Some(ledger.to_owned()), ..Args::default() };
    let mut out = Vec::new();
    deeds::command::tail::run(&args, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The bodies in a ledger, without genesis and without what depends on when they were collected.
pub fn bodies(ledger: &Path) -> Vec<Value> {
    let entries = deeds::ledger::Ledger::open(ledger).read().unwrap();
    let bodies = entries.map(|entry| entry.unwrap()).filter(|entry| entry.kind.as_str() != "genesis");
    bodies
        .map(|entry| {
            let mut body = entry.body;
            if let Some(source) = body.get_mut("source").and_then(Value::as_object_mut) {
                source.remove("collected_at");
            }
            body
        })
        .collect()
}

/// The items of a rollout that are commands: id, exit code.
fn commands_in(rollout: &Path) -> Vec<(String, i64)> {
    let text = std::fs::read_to_string(rollout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["payload"]["item"]["type"] == "CommandExecution")
        .map(|line| {
            let item = &line["payload"]["item"];
            (item["id"].as_str().unwrap().to_owned(), item["exit_code"].as_i64().unwrap())
        })
        .collect()
}

#[test]
fn every_exit_code_of_every_rollout_is_recorded_once_and_a_second_run_adds_nothing() {
    for rollout in rollouts() {
        let sandbox = Sandbox::new();
        let ledger = sandbox.path("ledger");
        tail(&rollout, &ledger);
        let recorded = bodies(&ledger);
        let mut told: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for body in recorded.iter().filter(|body| body["payload"]["exit_code"].is_i64()) {
            assert_eq!(body["source"]["collection_method"], "file_poll");
            assert_eq!(body["source"]["trust_class"], "agent_adjacent");
            assert_eq!(body["source"]["sensor_name"], "CodexItemCompletedSensor");
            assert_eq!(body["payload"]["exit_basis"], "rollout");
            told.entry(body["source_event_id"].as_str().unwrap()).or_default().push(&body["payload"]["exit_code"]);
        }
        let commands = commands_in(&rollout);
        assert_eq!(told.len(), commands.len(), "{rollout:?}");
        for (id, code) in commands {
            assert_eq!(told[id.as_str()], [&Value::from(code)], "{rollout:?} {id}");
        }
        assert_eq!(tail(&rollout, &ledger), "1 rollout read: nothing new\n");
        assert_eq!(bodies(&ledger), recorded);
    }
}

#[test]
fn a_script_is_shown_as_one_and_is_no_run_beside_its_commands() {
    let rollout = rollouts().into_iter().find(|path| path.to_string_lossy().contains("code-mode")).unwrap();
    let sandbox = Sandbox::new();
    let ledger = sandbox.path("l");
    let commands = commands_in(&rollout).len();
    assert!(tail(&rollout, &ledger).ends_with(&format!(", {commands} of them commands\n")));
    let ask =
        |args: &[&str]| finish(sandbox.deeds_command().args(args).env("DEEDS_DIR", &ledger), b"").expect(0).stdout;
    let runs = ask(&["log", "--kind", "run"]);
    assert!(runs.lines().all(|line| !line.contains("  →")), "{runs}");
    assert!(runs.contains("script: syntax error here (") && runs.contains("script: const r = await"), "{runs}");
    let sessions = ask(&["sessions", "--json"]);
    let told: Value = serde_json::from_str(sessions.lines().next().unwrap()).unwrap();
    assert_eq!(told["runs"], commands, "{told}");
}

#[test]
fn reading_in_two_goes_leaves_what_reading_whole_leaves_wherever_the_file_was_cut() {
    let jobs: Vec<(PathBuf, usize, usize)> = rollouts()
        .into_iter()
        .flat_map(|rollout| {
            let len = std::fs::metadata(&rollout).unwrap().len() as usize;
            (0..len).step_by(1000).skip(1).map(move |cut| (rollout.clone(), cut, len))
        })
        .collect();
    let sandbox = Sandbox::new();
    let whole: BTreeMap<PathBuf, Vec<Value>> = rollouts()
        .into_iter()
        .enumerate()
        .map(|(n, rollout)| {
            let ledger = sandbox.path(&format!("whole-{n}"));
            tail(&rollout, &ledger);
            (rollout, bodies(&ledger))
        })
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (next, jobs, whole, sandbox) = (&next, &jobs, &whole, &sandbox);
            scope.spawn(move || {
                while let Some((rollout, cut, _)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let dir = sandbox.path(&format!("cut-{worker}"));
                    std::fs::create_dir_all(&dir).unwrap();
                    let copy = dir.join(rollout.file_name().unwrap());
                    let content = std::fs::read(rollout).unwrap();
                    std::fs::write(&copy, &content[..*cut]).unwrap();
                    tail(&copy, &dir.join("ledger"));
                    let mut file = std::fs::OpenOptions::new().append(true).open(&copy).unwrap();
                    file.write_all(&content[*cut..]).unwrap();
                    tail(&copy, &dir.join("ledger"));
                    assert!(bodies(&dir.join("ledger")) == whole[rollout], "{rollout:?} cut at {cut}");
                    std::fs::remove_dir_all(&dir).unwrap();
                }
            });
        }
    });
}

/// A rollout of some megabytes: the recorded ones one after the other, again and again, as one thread whose calls and turns
/// are all its own.
fn long_rollout() -> String {
    let mut text = String::new();
    for round in 0..6 {
        let recorded = rollouts();
        let distinct = recorded.iter().filter(|path| !path.to_string_lossy().contains("/resume-"));
        for (nth, rollout) in distinct.enumerate() {
            let own = format!("{round}_{nth}");
            let lines = std::fs::read_to_string(rollout).unwrap();
            for line in lines.lines().skip(usize::from(!text.is_empty())) {
                let line = line.replace("call_mock", &format!("call_{own}_mock"));
                let line = line.replace("\"exec-", &format!("\"exec-{own}-"));
                text.push_str(&line.replace("\"turn_id\":\"", &format!("\"turn_id\":\"{own}-")));
                text.push('\n');
            }
            text.push_str("{\"broken\n");
        }
    }
    assert!(text.len() > 5 << 20, "{}", text.len());
    text
}

#[test]
fn a_long_rollout_read_by_several_threads_leaves_what_reading_it_in_small_parts_leaves() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("rollout-2026-11-30T19-39-16-long.jsonl");
    let text = long_rollout();
    std::fs::write(&file, &text).unwrap();
    tail(&file, &sandbox.path("whole"));
    let whole = bodies(&sandbox.path("whole"));
    let items = |body: &&Value| body["source"]["sensor_name"] == "CodexItemCompletedSensor";
    let commands = |bodies: &[Value]| bodies.iter().filter(items).count();
    assert!(commands(&whole) > 300);
    assert_eq!(tail(&file, &sandbox.path("whole")), "1 rollout read: nothing new\n");
    assert!(bodies(&sandbox.path("whole")) == whole);

    // In parts that one thread reads alone, and of which hardly one ends where a line does.
    let parts = sandbox.path("parts.jsonl");
    let mut grown = std::fs::File::create(&parts).unwrap();
    for part in text.as_bytes().chunks(777_777) {
        grown.write_all(part).unwrap();
        tail(&parts, &sandbox.path("parts"));
    }
    let in_parts: Vec<Value> =
        bodies(&sandbox.path("parts")).into_iter().filter(|body| body["event"] != "RolloutRead").collect();
    let differ = in_parts.iter().zip(&whole).find(|(part, whole)| part != whole);
    assert!(differ.is_none() && in_parts.len() == whole.len(), "{} {} {differ:#?}", in_parts.len(), whole.len());

    // An item that stands in the file once more is nothing new, however many lines were looked at ahead.
    let again = text.split_inclusive('\n').skip(1);
    std::fs::write(&file, [&text[..], &again.collect::<String>()].concat()).unwrap();
    tail(&file, &sandbox.path("again"));
    assert_eq!(commands(&bodies(&sandbox.path("again"))), commands(&whole));
}

#[test]
fn a_reader_that_is_killed_again_and_again_loses_and_doubles_nothing() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("rollout-2026-11-30T19-39-16-long.jsonl");
    std::fs::write(&file, long_rollout()).unwrap();
    tail(&file, &sandbox.path("whole"));
    let ledger = sandbox.path("killed");
    let written = || std::fs::metadata(ledger.join("ledger.jsonl")).map_or(0, |data| data.len());
    let mut cut_short = 0;
    for more in [0, 1, 20_000, 50_000, 100_000, 200_000] {
        let (had, mut reader) = (written(), sandbox.deeds_command());
        let mut reader =
            reader.args(["tail", "--ledger", ledger.to_str().unwrap(), file.to_str().unwrap()]).spawn().unwrap();
        while written() < had + more && reader.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        reader.kill().unwrap();
        cut_short += u32::from(!reader.wait().unwrap().success());
    }
    assert!(cut_short > 0);
    tail(&file, &ledger);
    // That reading began anew is told; nothing else differs.
    let killed: Vec<Value> = bodies(&ledger).into_iter().filter(|body| body["event"] != "RolloutRead").collect();
    let whole = bodies(&sandbox.path("whole"));
    let differ = killed.iter().zip(&whole).find(|(killed, whole)| killed != whole);
    assert!(differ.is_none() && killed.len() == whole.len(), "{} {} {differ:#?}", killed.len(), whole.len());
}
