//! What one hook call costs, as a whole process, beside an empty Rust program and beside scripts that give the same
//! guarantee. Everything is measured interleaved in one run; the numbers to look at are the ratios.
//!
//! `cargo bench --bench hook` (`-- --rounds 500`, `-- --json FILE`)
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "hook/ground.rs"]
mod ground;
#[path = "hook/peers.rs"]
mod peers;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The first rounds warm caches and are not counted.
const WARM: usize = 10;
/// Rounds between two runs of what takes long.
const SELDOM: usize = 10;
const LARGE: usize = 1_000_000;

type Stdin = Box<dyn Fn(usize) -> Vec<u8>>;

/// One program with one kind of input.
pub struct Case {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    /// What it reads, by the number of the call.
    stdin: Stdin,
    dir: PathBuf,
    /// So many processes at once; the time is that of one event.
    at_once: usize,
    /// It is run in every so many rounds.
    every: usize,
    times: Vec<Duration>,
}

impl Case {
    pub fn new(
        name: &str,
        program: &Path,
        args: &[&str],
        dir: &Path,
        stdin: impl Fn(usize) -> Vec<u8> + 'static,
    ) -> Case {
        Case {
            name: name.into(),
            program: program.into(),
            args: args.iter().map(|arg| (*arg).into()).collect(),
            stdin: Box::new(stdin),
            dir: dir.into(),
            at_once: 1,
            every: 1,
            times: Vec::new(),
        }
    }

    pub fn seldom(self) -> Case {
        Case { every: SELDOM, ..self }
    }

    fn at_once(self, at_once: usize) -> Case {
        Case { at_once, ..self }
    }

    fn start(&self) -> Child {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.dir).env_clear().env("HOME", &self.dir);
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The most memory that a call holds, in KiB; `None` where nothing is installed that tells.
    fn most_memory(&self) -> Option<u64> {
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "%M"]).arg(&self.program).args(&self.args).current_dir(&self.dir);
        command.env_clear().env("HOME", &self.dir).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().ok()?;
        child.stdin.take()?.write_all(&(self.stdin)(usize::MAX / 16)).ok()?;
        let told = child.wait_with_output().ok()?;
        String::from_utf8_lossy(&told.stderr).lines().last()?.trim().parse().ok()
    }

    /// One call, or several at once: the time that each event took.
    fn once(&self, round: usize) -> Duration {
        let inputs: Vec<Vec<u8>> = (0..self.at_once).map(|nth| (self.stdin)(round * self.at_once + nth)).collect();
        let started = Instant::now();
        let mut children: Vec<Child> = (0..self.at_once).map(|_| self.start()).collect();
        for (child, input) in children.iter_mut().zip(&inputs) {
            // One that does not read is no failure.
            let _ = child.stdin.take().unwrap().write_all(input);
        }
        for child in &mut children {
            assert!(child.wait().unwrap().success(), "{} failed", self.name);
        }
        started.elapsed() / self.at_once as u32
    }
}

fn main() {
    let options: Vec<String> = std::env::args().collect();
    let option = |name: &str| options.iter().position(|o| o == name).and_then(|n| options.get(n + 1)).cloned();
    let rounds: usize = option("--rounds").and_then(|r| r.parse().ok()).unwrap_or(300);
    let scratch = std::env::temp_dir().join(format!("deeds-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();

    let mut cases = cases(&scratch);
    for round in 0..rounds + WARM {
        for case in cases.iter_mut().filter(|case| round % case.every == 0) {
            let took = case.once(round);
            if round >= WARM {
                case.times.push(took);
            }
        }
    }
    let rows = table(&mut cases);
    for case in cases.iter().filter(|case| case.program.ends_with("deeds") && case.at_once == 1) {
        if let Some(kib) = case.most_memory() {
            println!("{:<42} {kib:>7} KiB at most", case.name);
        }
    }
    if let Some(path) = option("--json") {
        std::fs::write(path, serde_json::to_string_pretty(&rows).unwrap() + "\n").unwrap();
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

fn cases(scratch: &Path) -> Vec<Case> {
    let deeds = Path::new(env!("CARGO_BIN_EXE_deeds"));
    let hook = |name: &str, dir: &Path, bytes: usize| {
        let cwd = dir.display().to_string();
        Case::new(&format!("deeds hook, {name}"), deeds, &["hook"], dir, move |n| ground::tool_use(n, bytes, &cwd))
    };
    let stop = |name: &str, dir: &Path| {
        let cwd = dir.display().to_string();
        Case::new(&format!("deeds hook, Stop, {name}"), deeds, &["hook"], dir, move |n| ground::stop(n, &cwd))
    };

    let mut cases =
        vec![Case::new("empty Rust program", &ground::empty_program(scratch), &[], scratch, |_| Vec::new())];
    for (name, bytes) in [("1.5 KB", 1_500), ("10 KB", 10_000), ("200 KB", 200_000), ("1 MB", 1_000_000)] {
        let dir = ground::repository(&scratch.join(name.replace(' ', "")));
        cases.push(hook(name, &dir, bytes));
    }
    let large = ground::repository(&scratch.join("large"));
    ground::fill(&large, LARGE);
    cases.push(hook(&format!("10 KB, {LARGE} entries"), &large, 10_000));
    let many = ground::repository(&scratch.join("many"));
    cases.push(hook("10 KB, 8 at once", &many, 10_000).at_once(8));
    let gated = ground::gated(&ground::repository(&scratch.join("gated")));
    ground::start(deeds, &gated);
    cases.push(stop("gate", &gated).seldom());
    let large = ground::gated(&ground::repository(&scratch.join("largegated")));
    ground::fill(&large, LARGE);
    ground::start(deeds, &large);
    cases.push(stop(&format!("gate, {LARGE} entries"), &large).seldom());
    cases.extend(peers::cases(scratch));
    cases
}

/// Prints what was measured; the ratio is that to the first case.
fn table(cases: &mut [Case]) -> Vec<serde_json::Value> {
    let floor = percentile(&mut cases[0].times, 50);
    println!("{:<42} {:>10} {:>10} {:>8}", "", "median", "95th", "ratio");
    let mut rows = Vec::new();
    for case in cases.iter_mut().filter(|case| !case.times.is_empty()) {
        let (median, high) = (percentile(&mut case.times, 50), percentile(&mut case.times, 95));
        let ratio = median.as_secs_f64() / floor.as_secs_f64();
        println!("{:<42} {:>7} µs {:>7} µs {:>7.2}×", case.name, median.as_micros(), high.as_micros(), ratio);
        rows.push(serde_json::json!({
            "case": case.name,
            "median_us": median.as_micros() as u64,
            "p95_us": high.as_micros() as u64,
            "ratio": (ratio * 100.0).round() / 100.0,
        }));
    }
    rows
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
