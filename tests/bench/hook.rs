//! What one hook call costs, as a whole process, beside an empty Rust program. Everything is measured interleaved in one
//! run; the numbers to look at are the ratios.
//!
//! `cargo bench --bench hook` (`-- --rounds 500`, `-- --json FILE`)
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Case {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    stdin: Box<dyn Fn(usize) -> Vec<u8>>,
    dir: PathBuf,
    times: Vec<Duration>,
}

fn main() {
    let options: Vec<String> = std::env::args().collect();
    let option = |name: &str| options.iter().position(|o| o == name).and_then(|n| options.get(n + 1)).cloned();
    let rounds: usize = option("--rounds").and_then(|r| r.parse().ok()).unwrap_or(300);
    let scratch = std::env::temp_dir().join(format!("deeds-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let empty = empty_program(&scratch);
    let mut cases = vec![case("empty Rust program", &empty, &[], &scratch, |_| Vec::new())];
    for (name, bytes) in [("1.5 KB", 1_500), ("10 KB", 10_000), ("200 KB", 200_000), ("1 MB", 1_000_000)] {
        let dir = repository(&scratch.join(name.replace(' ', "")));
        let cwd = dir.display().to_string();
        let deeds = Path::new(env!("CARGO_BIN_EXE_deeds"));
        cases.push(case(&format!("deeds hook, {name}"), deeds, &["hook"], &dir, move |n| payload(n, bytes, &cwd)));
    }
    for round in 0..rounds + 10 {
        for case in &mut cases {
            let took = once(case, round);
            // The first rounds warm caches and are not counted.
            if round >= 10 {
                case.times.push(took);
            }
        }
    }
    let floor = percentile(&mut cases[0].times.clone(), 50);
    let mut rows = Vec::new();
    println!("{:<24} {:>10} {:>10} {:>8}", "", "median", "95th", "ratio");
    for case in &mut cases {
        let median = percentile(&mut case.times, 50);
        let high = percentile(&mut case.times, 95);
        let ratio = median.as_secs_f64() / floor.as_secs_f64();
        println!("{:<24} {:>7} µs {:>7} µs {:>7.2}×", case.name, median.as_micros(), high.as_micros(), ratio);
        rows.push(serde_json::json!({"case": case.name, "median_us": median.as_micros() as u64, "p95_us": high.as_micros() as u64, "ratio": ratio}));
    }
    if let Some(path) = option("--json") {
        std::fs::write(path, serde_json::to_string_pretty(&rows).unwrap()).unwrap();
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

fn case(name: &str, program: &Path, args: &[&str], dir: &Path, stdin: impl Fn(usize) -> Vec<u8> + 'static) -> Case {
    Case {
        name: name.into(),
        program: program.into(),
        args: args.iter().map(|a| (*a).into()).collect(),
        stdin: Box::new(stdin),
        dir: dir.into(),
        times: Vec::new(),
    }
}

fn once(case: &Case, round: usize) -> Duration {
    let input = (case.stdin)(round);
    let mut command = Command::new(&case.program);
    command.args(&case.args).current_dir(&case.dir).env_clear().env("HOME", &case.dir).env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(&input);
    let status = child.wait().unwrap();
    let took = started.elapsed();
    assert!(status.success(), "{} failed", case.name);
    took
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn empty_program(scratch: &Path) -> PathBuf {
    let source = scratch.join("empty.rs");
    std::fs::write(&source, "fn main() {}\n").unwrap();
    let program = scratch.join("empty");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "-O", "-C", "strip=symbols", "-C", "panic=abort", "-o"])
        .arg(&program)
        .arg(&source)
        .status()
        .unwrap();
    assert!(status.success());
    program
}

fn repository(dir: &Path) -> PathBuf {
    std::fs::create_dir_all(dir).unwrap();
    let git = |args: &[&str]| {
        assert!(Command::new("git").args(args).current_dir(dir).env("HOME", dir).output().unwrap().status.success())
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["-c", "user.name=B", "-c", "user.email=b@example.com", "commit", "-q", "--allow-empty", "-m", "start"]);
    dir.into()
}

/// A PostToolUse payload of an ordinary command, of about this many bytes.
fn payload(n: usize, bytes: usize, cwd: &str) -> Vec<u8> {
    let line = "drwxr-xr-x  2 dev dev   4096 Nov 30 20:11 some-directory-name-that-is-ordinary\n";
    let output = line.repeat(bytes.saturating_sub(700) / line.len() + 1);
    serde_json::to_vec(&serde_json::json!({
        "session_id": "b0b0b0b0-0000-4000-8000-000000000000",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-demo-project/b0b0b0b0-0000-4000-8000-000000000000.jsonl",
        "cwd": cwd, "prompt_id": "p", "permission_mode": "acceptEdits", "effort": {"level": "medium"},
        "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls -l", "description": "List files"},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false},
        "tool_use_id": format!("toolu_bench{n:016}"), "duration_ms": 12
    }))
    .unwrap()
}
