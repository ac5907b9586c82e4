//! What reading a large ledger costs, as whole processes: judging, listing, verifying, and one more append.
//!
//! `cargo bench --bench ledger` (`-- --entries 100000`, `-- --json FILE`)
#![allow(clippy::unwrap_used, clippy::expect_used)]
// What stands in `hook/` is shared with the other bench.
#![allow(dead_code)]

#[path = "hook/ground.rs"]
mod ground;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

const ROUNDS: usize = 9;

/// What one run took, and the most memory that it was seen to hold.
struct Run {
    took: Duration,
    kib: u64,
}

fn main() {
    let options: Vec<String> = std::env::args().collect();
    let option = |name: &str| options.iter().position(|o| o == name).and_then(|n| options.get(n + 1)).cloned();
    let entries: usize = option("--entries").and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let scratch = std::env::temp_dir().join(format!("deeds-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let empty = ground::empty_program(&scratch);
    let (small, large) = (ground::repository(&scratch.join("small")), ground::repository(&scratch.join("large")));
    ground::fill(&small, 500);
    ground::fill(&large, entries);
    let megabytes = std::fs::metadata(large.join(".git/deeds/ledger.jsonl")).unwrap().len() as f64 / 1e6;
    println!("{entries} entries, {megabytes:.0} MB");

    let deeds = Path::new(env!("CARGO_BIN_EXE_deeds"));
    let middle = ground::session(entries / 2);
    let newest = ground::session(entries - 1);
    let cases: Vec<(&str, &Path, Vec<&str>, &Path, bool)> = vec![
        ("empty Rust program", &empty, vec![], &scratch, false),
        ("hook, 10 KB, 500 entries", deeds, vec!["hook"], &small, false),
        ("hook, 10 KB, all entries", deeds, vec!["hook"], &large, false),
        (
            "judge, newest session, 500 entries",
            deeds,
            vec!["judge", "--session", "b0b0b0b0-0000-4000-8000-000000000000"],
            &small,
            false,
        ),
        ("judge, newest session", deeds, vec!["judge", "--session", &newest], &large, false),
        ("judge, a session in the middle", deeds, vec!["judge", "--session", &middle], &large, false),
        ("judge --all", deeds, vec!["judge", "--all"], &large, true),
        ("log", deeds, vec!["log", "--json"], &large, true),
        ("verify", deeds, vec!["verify"], &large, true),
    ];
    let mut rows = Vec::new();
    let mut floor = Duration::ZERO;
    for (name, program, args, dir, whole) in &cases {
        let mut runs: Vec<Run> = (0..if *whole { 3 } else { ROUNDS }).map(|n| run(program, args, dir, n)).collect();
        runs.sort_by_key(|run| run.took);
        let (took, kib) = (runs[runs.len() / 2].took, runs.iter().map(|run| run.kib).max().unwrap_or(0));
        if floor.is_zero() {
            floor = took;
        }
        let ms = took.as_secs_f64() * 1e3;
        let rate = if *whole { format!("{:>6.0} MB/s", megabytes / took.as_secs_f64()) } else { String::new() };
        println!("{name:<40} {ms:>9.2} ms {:>7.1}× {kib:>8} KiB {rate}", ms / floor.as_secs_f64() / 1e3);
        rows.push(json!({ "case": name, "entries": entries, "median_ms": ms, "most_kib": kib }));
    }
    if let Some(path) = option("--json") {
        std::fs::write(path, serde_json::to_string_pretty(&rows).unwrap() + "\n").unwrap();
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

fn run(program: &Path, args: &[&str], dir: &Path, n: usize) -> Run {
    let input = ground::tool_use(1_000_000 + n, 10_000, &dir.display().to_string());
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).env_clear().env("HOME", dir).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let _ = child.stdin.take().unwrap().write_all(&input);
    let mut kib = 0;
    loop {
        let ended = child.try_wait().unwrap().is_some();
        let took = started.elapsed();
        if ended {
            return Run { took, kib };
        }
        // A short run is not disturbed by looking at it.
        if took > Duration::from_millis(20) {
            kib = kib.max(high_water(&status).unwrap_or(0));
        }
        std::thread::park_timeout(Duration::from_micros(50));
    }
}

/// The most memory that a process has held so far.
fn high_water(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}
