//! What a look at a worktree costs, beside what git's own commands take on the same files, in a repository made for it
//! under the temporary directory: the best time of several by the clock, and the processor time of one on average, which
//! says more on a busy machine. Milliseconds.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use deeds::sensor::git::look;
use deeds::sensor::tree::observe;

const SIZES: [usize; 3] = [100, 10_000, 100_000];
const TIMES: usize = 7;

fn main() {
    // Cargo adds an argument of its own.
    let mut sizes: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.extend(SIZES);
    }
    println!("{:>8}  {:<40} {:>9} {:>9}", "files", "what", "clock", "processor");
    for size in sizes {
        let dir = std::env::temp_dir().join(format!("deeds-bench-{}-{size}", std::process::id()));
        measure(&dir, size);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}

fn measure(dir: &Path, size: usize) {
    let row = |what: &str, (clock, processor): (Duration, f64)| {
        println!("{size:>8}  {what:<40} {:>9.1} {processor:>9.1}", clock.as_secs_f64() * 1000.0);
    };
    let see = || {
        let seen = observe(dir, Duration::from_secs(120));
        assert_eq!(seen.reason, None);
    };
    make(dir, size, SystemTime::now() - Duration::from_secs(3600));
    row("look, nothing changed", best(see));
    let status = best(|| git(dir, &["status", "--porcelain"]));
    row("git status, nothing changed", status);
    row("git write-tree", best(|| git(dir, &["write-tree"])));
    std::fs::write(dir.join("d0/f0.txt"), "changed\n").unwrap();
    std::fs::write(dir.join("new.txt"), "new\n").unwrap();
    row("look, one file changed and one new", best(see));
    row("look at HEAD and its upstream", best(|| drop(look(dir, Duration::from_secs(120), None).unwrap())));
    for at in 0..size / 100 {
        let path = dir.join(format!("u{at}"));
        std::fs::write(path, format!("untracked {at}\n")).unwrap();
    }
    row("look, a hundredth as many untracked", best(see));
    // As after a checkout: no entry's time tells whether its file changed since.
    std::fs::remove_dir_all(dir).unwrap();
    make(dir, size, SystemTime::now() + Duration::from_secs(3600));
    row("look, every file's content compared", best(see));
}

/// A repository with `size` committed files of about 1 KiB, a hundred a folder, that were written at `written`.
fn make(dir: &Path, size: usize, written: SystemTime) {
    std::fs::create_dir_all(dir).unwrap();
    git(dir, &["init", "-q"]);
    for at in 0..size {
        let folder = dir.join(format!("d{}", at / 100));
        if at % 100 == 0 {
            std::fs::create_dir(&folder).unwrap();
        }
        let path = folder.join(format!("f{}.txt", at % 100));
        std::fs::write(&path, format!("line of file {at}\n").repeat(50)).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
    }
    git(dir, &["-c", "core.looseCompression=0", "add", "-A"]);
    git(
        dir,
        &["-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "gc.auto=0", "commit", "-q", "-m", "all"],
    );
}

fn best(mut run: impl FnMut()) -> (Duration, f64) {
    let mut times = Vec::new();
    let before = processor_ms();
    for _ in 0..TIMES {
        let begun = Instant::now();
        run();
        times.push(begun.elapsed());
    }
    (times.into_iter().min().unwrap(), (processor_ms() - before) / TIMES as f64)
}

/// What this process and its ended children have used; zero where the system does not tell.
fn processor_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    // Four counters of hundredths of a second, the twelfth to the fifteenth behind the name.
    after_name.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
}

fn git(dir: &Path, args: &[&str]) {
    let status = Command::new("git").arg("-C").arg(dir).args(args).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "git {args:?}");
}
