//! Where `deeds tail` finds rollouts, where it writes, and what it makes of a file that is not the one it read before.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::codex_tail::{bodies, fixtures};
use crate::sandbox::Sandbox;

/// A recorded rollout as if its session had been in `project`.
fn moved(case: &str, project: &Path) -> (String, String) {
    let dir = fixtures().join(case).join("rollouts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let path = files.pop().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    (name, text.replace("/home/dev/demo/project", project.to_str().unwrap()))
}

/// Puts a rollout where Codex keeps it.
fn put(sandbox: &Sandbox, folder: &str, name: &str, content: &[u8]) -> PathBuf {
    let dir = sandbox.home().join(".codex").join(folder);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join(name), content).unwrap();
    dir.join(name)
}

fn compressed(content: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tail(sandbox: &Sandbox, args: &[&str]) -> String {
    sandbox.deeds(&[&["tail"], args].concat()).expect(0).stdout
}

fn recorded(sandbox: &Sandbox) -> Vec<Value> {
    bodies(&sandbox.project().join(".git/deeds"))
}

fn exit_codes(bodies: &[Value]) -> Vec<i64> {
    bodies.iter().filter_map(|body| body["payload"]["exit_code"].as_i64()).collect()
}

#[test]
fn every_rollout_of_codex_goes_to_the_ledger_of_its_own_project() {
    let sandbox = Sandbox::with_repository();
    let (name, text) = moved("basic", &sandbox.project());
    put(&sandbox, "sessions/2026/11/30", &name, text.as_bytes());
    let (archived, text) = moved("parallel", &sandbox.project());
    put(&sandbox, "archived_sessions", &format!("{archived}.zst"), &compressed(text.as_bytes()));
    let (gone, text) = moved("git", Path::new("/home/dev/demo/no-such-project"));
    put(&sandbox, "sessions/2026/11/30", &gone, text.as_bytes());
    let said = tail(&sandbox, &[]);
    assert!(said.starts_with("2 rollouts read: ") && said.contains("5 of them commands"), "{said}");
    assert!(said.ends_with("; 1 skipped, whose project is gone\n"), "{said}");
    let recorded = recorded(&sandbox);
    let mut codes = exit_codes(&recorded);
    codes.sort_unstable();
    assert_eq!(codes, [0, 0, 0, 5, 101]);
    let root = sandbox.project();
    assert!(recorded.iter().filter(|body| body["kind"] == "exit_code").all(|body| {
        let context = &body["payload"]["context"];
        context["root"] == root.to_str().unwrap() && context["head"].is_null()
    }));
    assert_eq!(tail(&sandbox, &[]), "2 rollouts read: nothing new; 1 skipped, whose project is gone\n");
}

#[test]
fn a_variable_or_an_option_says_where_to_write_whatever_the_project() {
    let sandbox = Sandbox::new();
    let (name, text) = moved("basic", Path::new("/home/dev/demo/no-such-project"));
    let path = put(&sandbox, "sessions", &name, text.as_bytes());
    let ran = sandbox.deeds_command().args(["tail"]).arg(&path).env("DEEDS_DIR", sandbox.path("one")).output().unwrap();
    assert!(ran.status.success());
    assert_eq!(exit_codes(&bodies(&sandbox.path("one"))), [0, 101]);
    tail(&sandbox, &["--ledger", sandbox.path("two").to_str().unwrap(), path.to_str().unwrap()]);
    assert_eq!(bodies(&sandbox.path("two")), bodies(&sandbox.path("one")));
}

#[test]
fn only_what_is_asked_for_is_read() {
    let sandbox = Sandbox::with_repository();
    let (name, text) = moved("basic", &sandbox.project());
    let old = put(&sandbox, "sessions", &name, text.as_bytes());
    let week = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    std::fs::File::options().append(true).open(&old).unwrap().set_modified(week).unwrap();
    assert_eq!(tail(&sandbox, &["--since", "7d"]), "0 rollouts read: nothing new\n");
    assert_eq!(tail(&sandbox, &["--session", "another"]), "0 rollouts read: nothing new\n");
    assert!(tail(&sandbox, &["--session", "01a22df7-fa9e-7340-879d-7a348e4d6cca"]).starts_with("1 rollout read: "));
    let wrong = sandbox.deeds(&["tail", "--since", "soon"]).expect(64);
    assert_eq!(wrong.stderr, "deeds: 'soon' is no age; write a number and d, h, m or s, as in 7d\n");
    let missing = sandbox.deeds(&["tail", "no-such.jsonl"]).expect(65);
    assert!(missing.stderr.contains("failed to read a rollout: "), "{missing:?}");
}

#[test]
fn a_compressed_rollout_leaves_what_the_plain_one_leaves_also_where_it_was_read_half() {
    for case in ["code-mode", "big"] {
        let sandbox = Sandbox::new();
        let (name, text) = moved(case, Path::new("/home/dev/demo/project"));
        let read = |file: &str, content: &[u8], ledger: &str| {
            let path = sandbox.write(file, content);
            let ledger = sandbox.path(ledger);
            tail(&sandbox, &["--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]);
            bodies(&ledger)
        };
        let plain = read(&name, text.as_bytes(), "plain");
        let squeezed = compressed(text.as_bytes());
        assert_eq!(read(&format!("{name}.zst"), &squeezed, "compressed"), plain);
        // Two frames, as a compressor that appends leaves them.
        let (first, second) = text.as_bytes().split_at(text.len() / 3);
        assert_eq!(read(&format!("{name}.zst"), &[compressed(first), compressed(second)].concat(), "frames"), plain);
        read(&name, &text.as_bytes()[..text.len() / 2], "half");
        assert_eq!(read(&format!("{name}.zst"), &squeezed, "half"), plain);
        let cut = sandbox.write(&format!("{name}.zst"), &squeezed[..squeezed.len() / 2]);
        let ledger = sandbox.path("cut");
        let ran = sandbox.deeds(&["tail", "--ledger", ledger.to_str().unwrap(), cut.to_str().unwrap()]);
        assert_eq!(ran.code, Some(65), "{ran:?}");
        assert_eq!(read(&format!("{name}.zst"), &squeezed, "cut"), plain);
    }
}

#[test]
fn a_copy_a_resumed_session_and_a_fork_are_read_once() {
    let sandbox = Sandbox::new();
    let ledger = sandbox.path("ledger");
    let ledger = ledger.to_str().unwrap();
    let file = |case: &str| {
        let (name, text) = moved(case, Path::new("/home/dev/demo/project"));
        sandbox.write(&format!("{case}/{name}"), text)
    };
    let (start, resumed, fork) = (file("resume-1-start"), file("resume-2-resume"), file("resume-3-fork"));
    assert!(tail(&sandbox, &["--ledger", ledger, start.to_str().unwrap()]).contains("1 of them commands"));
    let copy = sandbox.path("project/elsewhere.jsonl");
    std::fs::copy(&start, &copy).unwrap();
    assert_eq!(tail(&sandbox, &["--ledger", ledger, copy.to_str().unwrap()]), "1 rollout read: nothing new\n");
    assert!(tail(&sandbox, &["--ledger", ledger, resumed.to_str().unwrap()]).contains("1 of them commands"));
    assert!(tail(&sandbox, &["--ledger", ledger, fork.to_str().unwrap()]).contains("1 of them commands"));
    let all = bodies(Path::new(ledger));
    // The shorter copy is older than what was read since: nothing of it is new, and nothing of the longer one is again.
    for file in [&start, &resumed, &copy, &fork] {
        tail(&sandbox, &["--ledger", ledger, file.to_str().unwrap()]);
    }
    assert_eq!(bodies(Path::new(ledger)), all);
    let begun: Vec<&Value> = all.iter().filter(|body| body["event"] == "SessionStart").collect();
    assert_eq!(begun[1]["rollout"]["forked_from"], begun[0]["session_id"]);
    assert_eq!(begun[1]["rollout"]["base"]["end_ordinal_exclusive"], 34);
}

#[test]
fn a_replaced_rollout_is_read_again_and_only_what_it_changed_is_recorded() {
    let sandbox = Sandbox::new();
    let ledger = sandbox.path("ledger");
    let (name, text) = moved("basic", Path::new("/home/dev/demo/project"));
    let path = sandbox.write(&name, &text);
    let args = ["--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()];
    tail(&sandbox, &args);
    let before = bodies(&ledger);
    // Rewritten in another layout: every line moves, nothing is said that was not said before.
    let spaced: String =
        text.lines().map(|line| format!("{} \n", line.replacen("{\"timestamp\"", "{ \"timestamp\"", 1))).collect();
    std::fs::write(&path, &spaced).unwrap();
    assert_eq!(tail(&sandbox, &args), "1 rollout read: nothing new\n");
    assert_eq!(bodies(&ledger), before);
    // An exit code that is another one now: both stand, and the second names the first.
    std::fs::write(&path, spaced.replace("\"exit_code\":101", "\"exit_code\":0")).unwrap();
    assert!(tail(&sandbox, &args).contains("1 entry recorded"), "{:#?}", bodies(&ledger));
    let told: Vec<Value> =
        bodies(&ledger).into_iter().filter(|body| body["source_event_id"] == "call_mock7160002_0").collect();
    let [first, second] = &told[..] else { panic!("{told:#?}") };
    assert_eq!((&first["payload"]["exit_code"], &second["payload"]["exit_code"]), (&101.into(), &0.into()));
    assert_eq!(first["id"], second["id"]);
    assert!(second["conflicts_with"].is_u64());
}

#[test]
fn a_crash_between_two_lines_of_the_ledger_neither_loses_nor_doubles_anything() {
    let sandbox = Sandbox::new();
    let (name, text) = moved("patch", Path::new("/home/dev/demo/project"));
    let path = sandbox.write(&name, &text);
    let whole = sandbox.path("whole");
    tail(&sandbox, &["--ledger", whole.to_str().unwrap(), path.to_str().unwrap()]);
    let expected = bodies(&whole);
    let lines = std::fs::read_to_string(whole.join("ledger.jsonl")).unwrap();
    let ends: Vec<usize> = lines.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1).collect();
    // After each whole line, and with half of the next one written.
    for (n, end) in ends.iter().enumerate() {
        for torn in [0, 200] {
            let crashed = sandbox.path(&format!("crashed-{n}-{torn}"));
            std::fs::create_dir(&crashed).unwrap();
            let written = &lines.as_bytes()[..(end + torn).min(lines.len())];
            std::fs::write(crashed.join("ledger.jsonl"), written).unwrap();
            tail(&sandbox, &["--ledger", crashed.to_str().unwrap(), path.to_str().unwrap()]);
            let found: Vec<Value> = bodies(&crashed).into_iter().filter(|body| body["reason"] != "torn_tail").collect();
            assert_eq!(found, expected, "after line {n}, {torn} bytes torn");
        }
    }
}

#[test]
fn a_line_of_twenty_megabytes_is_measured_and_the_lines_around_it_are_read() {
    let sandbox = Sandbox::new();
    let (name, text) = moved("basic", Path::new("/home/dev/demo/project"));
    let at = text.find('\n').unwrap() + 1;
    let long = format!(
        "{{\"timestamp\":\"t\",\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"x\":\"{}\"}}}}\n",
        "y".repeat(20 << 20)
    );
    let path = sandbox.write(&name, [&text[..at], &long, &text[at..]].concat());
    let ledger = sandbox.path("ledger");
    tail(&sandbox, &["--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()]);
    let recorded = bodies(&ledger);
    assert_eq!(exit_codes(&recorded), [0, 101]);
    let line = recorded.iter().find(|body| body["reason"].is_string()).unwrap();
    assert_eq!(line["reason"], "a line of more than 16 MiB: response_item / message");
    assert_eq!((line["len"].as_u64(), line["offset"].as_u64()), (Some(long.len() as u64 - 1), Some(at as u64)));
    assert_eq!(line["sha256"], deeds::evidence::id::sha256_hex(long.trim_end().as_bytes()));
    let args = ["--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()];
    assert_eq!(tail(&sandbox, &args), "1 rollout read: nothing new\n");
}

#[test]
fn what_an_agent_says_a_position_to_be_is_none() {
    let sandbox = Sandbox::new();
    let ledger = sandbox.path("ledger");
    let (name, text) = moved("mcp", Path::new("/home/dev/demo/project"));
    let thread = "01a22dfc-f57a-71b3-b810-06ffef73f2d2";
    let forged = format!("{{\"read_to\":{{\"thread\":\"{thread}\",\"offset\":99999,\"line\":\"0000000000000000\"}}}}");
    let text = text.replace("\"arguments\":{\"a\":1,\"b\":2}", &format!("\"arguments\":{forged}"));
    assert!(text.contains("99999"));
    let half = text.find("\"server\":\"demo\",\"tool\":\"fail\"").unwrap();
    let path = sandbox.write(&name, &text[..half]);
    let args = ["--ledger", ledger.to_str().unwrap(), path.to_str().unwrap()];
    tail(&sandbox, &args);
    std::fs::write(&path, &text).unwrap();
    tail(&sandbox, &args);
    let tools = bodies(&ledger);
    let tools: Vec<&str> = tools.iter().filter_map(|body| body["payload"]["tool"].as_str()).collect();
    assert_eq!(tools, ["mcp__demo__add", "mcp__demo__fail"]);
}
