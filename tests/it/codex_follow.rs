//! `deeds tail --follow`: what is written while it runs.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::codex_tail::{bodies, fixtures};
use crate::sandbox::Sandbox;

/// Longer than any of this takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

struct Following {
    child: Child,
    said: Receiver<String>,
}

impl Following {
    fn start(sandbox: &Sandbox) -> Following {
        let mut child = sandbox.deeds_command().args(["tail", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (say, said) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        Following { child, said }
    }

    fn next(&self) -> String {
        self.said.recv_timeout(LONG).expect("nothing was said")
    }

    /// Ctrl-C.
    fn interrupt(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{status:?}");
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fixture(case: &str, project: &Path) -> (String, Vec<String>) {
    let dir = fixtures().join(case).join("rollouts");
    let path = std::fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&path).unwrap().replace("/home/dev/demo/project", project.to_str().unwrap());
    (path.file_name().unwrap().to_str().unwrap().to_owned(), text.lines().map(|line| format!("{line}\n")).collect())
}

fn append(path: &Path, text: &str) {
    let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn codes(sandbox: &Sandbox) -> Vec<i64> {
    let recorded = bodies(&sandbox.project().join(".git/deeds"));
    recorded.iter().filter_map(|body| body["payload"]["exit_code"].as_i64()).collect()
}

#[test]
fn new_lines_new_files_compression_and_replacement_are_taken_up() {
    let sandbox = Sandbox::with_repository();
    let dir: PathBuf = sandbox.home().join(".codex/sessions/2026/11/30");
    std::fs::create_dir_all(&dir).unwrap();
    let (name, lines) = fixture("basic", &sandbox.project());
    let second = lines.iter().position(|line| line.contains("\"exit_code\":101")).unwrap();
    let path = dir.join(&name);
    append(&path, &lines[..second].concat());

    let following = Following::start(&sandbox);
    assert!(following.next().starts_with("1 rollout read: "));
    assert_eq!(codes(&sandbox), [0]);

    // A line, in two pieces.
    let (half, rest) = lines[second].split_at(100);
    append(&path, half);
    append(&path, rest);
    assert_eq!(following.next(), format!("{name}: 1 recorded"));
    assert_eq!(codes(&sandbox), [0, 101]);

    // Another session, in a folder that was not there.
    let (other, others) = fixture("resume-1-start", &sandbox.project());
    std::fs::create_dir_all(sandbox.home().join(".codex/sessions/2026/12/01")).unwrap();
    append(&sandbox.home().join(".codex/sessions/2026/12/01").join(&other), &others.concat());
    assert!(following.next().starts_with(&format!("{other}: ")));
    assert_eq!(codes(&sandbox), [0, 101, 0]);

    // Compressed, with what was written last.
    let whole = lines.concat();
    let squeezed = ruzstd::encoding::compress_to_vec(whole.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    std::fs::write(dir.join(format!("{name}.tmp")), squeezed).unwrap();
    std::fs::rename(dir.join(format!("{name}.tmp")), dir.join(format!("{name}.zst"))).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(following.next(), format!("{name}.zst: 1 recorded"));

    // Shortened, and then gone on with otherwise.
    let (other_path, meta) = (sandbox.home().join(".codex/sessions/2026/12/01").join(&other), &others[0]);
    let later = others.iter().find(|line| line.contains("\"exit_code\":0")).unwrap();
    let later =
        later.replace("\"exit_code\":0", "\"exit_code\":9").replacen("\"id\":\"call_mock", "\"id\":\"call_later", 1);
    std::fs::write(&other_path, format!("{meta}{later}")).unwrap();
    assert_eq!(following.next(), format!("{other}: 1 recorded"));
    assert_eq!(codes(&sandbox), [0, 101, 0, 9]);

    following.interrupt();
    let after = bodies(&sandbox.project().join(".git/deeds"));
    let again = sandbox.deeds(&["tail"]).expect(0);
    assert_eq!(again.stdout, "2 rollouts read: nothing new\n");
    assert_eq!(bodies(&sandbox.project().join(".git/deeds")), after);
}

#[test]
fn the_host_looks_beside_a_line_that_was_just_written_and_beside_no_other() {
    let sandbox = Sandbox::with_repository();
    let dir = sandbox.home().join(".codex/sessions/2026/11/30");
    std::fs::create_dir_all(&dir).unwrap();
    let (name, lines) = fixture("basic", &sandbox.project());
    let path = dir.join(&name);
    append(&path, &lines[0]);
    let following = Following::start(&sandbox);
    following.next();

    // A test run with the time of the recording, which is not now.
    let test = lines.iter().find(|line| line.contains("\"exit_code\":101")).unwrap();
    append(&path, test);
    assert_eq!(following.next(), format!("{name}: 1 recorded"));
    let mut fresh: Value = serde_json::from_str(test).unwrap();
    // As late as it may be: a busy machine takes its time to come to it.
    let now = deeds::clock::parse_millis(&deeds::clock::now()).unwrap();
    fresh["timestamp"] = json!(deeds::clock::format_millis(now + 1_900));
    fresh["payload"]["item"]["id"] = json!("call_fresh");
    append(&path, &format!("{fresh}\n"));
    assert_eq!(following.next(), format!("{name}: 3 recorded"));

    let recorded = bodies(&sandbox.project().join(".git/deeds"));
    let looks: Vec<&Value> = recorded.iter().filter(|body| body["payload"]["look"].is_string()).collect();
    assert_eq!(looks.iter().map(|body| &body["payload"]["look"]).collect::<Vec<_>>(), ["worktree", "git"]);
    assert!(looks.iter().all(|body| body["source_event_id"] == "call_fresh"));
    let old = recorded.iter().find(|body| body["payload"]["exit_code"] == 101).unwrap();
    let caveat = old["source"]["freshness"]["caveat"].as_str().unwrap();
    assert!(caveat.starts_with("the client's clock and this host's differ by "), "{caveat}");
    following.interrupt();
}
