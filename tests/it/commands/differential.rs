//! What is said about statuses, directories and output, held against what bash does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use deeds::records::command::read;
use deeds::records::invocation::{Dir, Invocation, Reached, Reading, View};

use super::generator::Writer;

/// A temporary directory with a fake runner `r`: `r 3 101` notes that number 3 ran and where, prints, and exits with 101.
struct Bench {
    dir: PathBuf,
}

/// What bash did with a line.
struct Done {
    reported: i32,
    /// All that was printed.
    output: String,
    /// By a runner's number, how and where it ran, every time.
    ran: BTreeMap<String, Vec<(i32, PathBuf)>>,
}

/// Where lines begin, in a directory `a` in a directory `a`, and so on: `cd a` and `cd ..` always succeed.
const START: &str = "a/a/a/a/a/a/a/a";

impl Bench {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("deeds-commands-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("bin")).unwrap();
        fs::create_dir_all(dir.join(START).join(START).join(START)).unwrap();
        let runner = dir.join("bin/r");
        let text = "#!/bin/sh\ntrap '' PIPE\necho \"$2 $PWD\" >> \"$MARKS/$1\"\n\
            echo \"<err $1>\" >&2\necho \"<out $1>\"\nexit \"$2\"\n";
        fs::write(&runner, text).unwrap();
        let made = Command::new("chmod").arg("+x").arg(&runner).status().unwrap();
        assert!(made.success());
        Bench { dir }
    }

    /// Whether bash itself can read the line.
    fn is_bash(&self, line: &str) -> bool {
        Command::new("bash").args(["-n", "-c", line]).output().unwrap().status.success()
    }

    fn run(&self, line: &str, marks: &Path) -> Done {
        let _ = fs::remove_dir_all(marks);
        fs::create_dir_all(marks).unwrap();
        let path = format!("{}:{}", self.dir.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        // `output` also waits for what runs on in the background: descriptor 9 keeps the pipe open.
        let output = Command::new("bash")
            .args(["-c", "exec 9>&1; exec bash -c \"$1\"", "bash", line])
            .env("PATH", path)
            .env("MARKS", marks)
            .current_dir(self.dir.join(START))
            .output()
            .unwrap();
        let mut ran = BTreeMap::new();
        for entry in fs::read_dir(marks).unwrap() {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            let times = text.lines().map(|line| line.split_once(' ').unwrap());
            let times = times.map(|(code, dir)| (code.parse().unwrap(), PathBuf::from(dir))).collect();
            ran.insert(entry.file_name().into_string().unwrap(), times);
        }
        let printed = [output.stdout.as_slice(), &output.stderr].concat();
        Done {
            reported: output.status.code().unwrap_or(-1),
            output: String::from_utf8_lossy(&printed).into_owned(),
            ran,
        }
    }

    /// The directory of which something is said.
    fn place(&self, dir: &Dir) -> Option<PathBuf> {
        let start = self.dir.join(START);
        match dir {
            Dir::Unknown => None,
            Dir::Start => Some(start),
            Dir::To(path) => {
                let mut place = start;
                path.split('/').for_each(|part| if part == ".." { assert!(place.pop()) } else { place.push(part) });
                Some(place)
            }
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Whether bash bore out what was said; the claim that it did not.
fn broken(said: &[Invocation], number: &str, done: &Done, bench: &Bench, line: &str) -> Option<String> {
    let ran = done.ran.get(number).map(Vec::as_slice).unwrap_or_default();
    let mut all = said.iter().filter(|i| i.program == "r" && i.args.first().is_some_and(|arg| arg.text == number));
    let Some(said) = all.next() else {
        return (!ran.is_empty()).then(|| "ran, and is not among the invocations".into());
    };
    // One that stands in a function may be called twice: then what is said of each call cannot be told apart.
    if all.next().is_some() {
        return None;
    }
    let (reported, status) = (done.reported, said.status);
    let codes: Vec<i32> = ran.iter().map(|(code, _)| *code).collect();
    let good = codes.iter().all(|code| *code == 0);
    let place = bench.place(&said.dir);
    let seen = |name: &str| done.output.contains(&format!("<{name} {number}>"));
    // What a later command shows is seen if that is reached.
    let quits = line.contains("set -e") || line.contains("bash -e");
    let lost = |view: View, name: &str| {
        // The runner's last two lines are one on each stream.
        let kept = view < View::Tail || (view == View::Tail && said.tail_lines.is_none_or(|lines| lines > 1));
        kept && !ran.is_empty() && !seen(name) && !quits
    };
    // In the background, output counts as hidden though it may come in time.
    let shown = |view: View, name: &str| view == View::Hidden && seen(name) && !line.contains('&');
    let claims = [
        (said.reached == Reached::Always && ran.is_empty(), "always reached"),
        (status.zero && reported == 0 && !good, "zero"),
        (status.zero_ran && reported == 0 && (ran.is_empty() || !good), "zero_ran"),
        (status.nonzero && reported != 0 && !ran.is_empty() && !codes.contains(&reported), "nonzero"),
        (status.inverted && reported == 0 && (ran.is_empty() || codes.contains(&0)), "inverted 0"),
        (status.inverted && reported == 1 && !ran.is_empty() && !codes.contains(&0), "inverted 1"),
        (place.is_some_and(|place| ran.iter().any(|(_, dir)| *dir != place)), "the directory"),
        (!said.repeats && ran.len() > 1 && !said.via.iter().any(|via| via == "xargs"), "runs once"),
        (lost(said.stdout, "out") || lost(said.stderr, "err"), "output is seen"),
        (shown(said.stdout, "out") || shown(said.stderr, "err"), "output is hidden"),
    ];
    claims.iter().find(|(broken, _)| *broken).map(|(_, claim)| format!("{claim}: {said:?}"))
}

/// What a batch of lines came to.
#[derive(Default)]
struct Tally {
    claims: usize,
    /// Lines that bash understands and we do not.
    unread: Vec<String>,
    wrong: Vec<String>,
}

fn sample(seeds: std::ops::Range<u64>) -> Tally {
    let bench = &Bench::new(&format!("differential-{}", seeds.start));
    let mut tally = Tally::default();
    let marks = bench.dir.join("marks");
    for seed in seeds {
        let line = Writer::line(seed);
        let said = match read(&line) {
            Reading::Script(said) => said,
            Reading::CannotTell(why) => {
                if bench.is_bash(&line) {
                    tally.unread.push(format!("seed {seed}: {why}\n{line}"));
                }
                continue;
            }
        };
        tally.claims += said.iter().filter(|i| i.status.zero || i.status.nonzero || i.status.inverted).count();
        let done = bench.run(&line, &marks);
        for number in 1..=Writer::count(&line) {
            let number = number.to_string();
            if let Some(claim) = broken(&said, &number, &done, bench, &line) {
                let what = format!("seed {seed}, runner {number} ran {:?}", done.ran.get(&number));
                let (reported, output) = (done.reported, &done.output);
                tally.wrong.push(format!("{what}, bash reported {reported}\n{line}\n{claim}\n{output}"));
            }
        }
    }
    tally
}

#[test]
fn what_is_said_of_2000_lines_is_what_bash_does() {
    let halves: Vec<Tally> = std::thread::scope(|scope| {
        let threads = [0..1000, 1000..2000].map(|seeds| scope.spawn(move || sample(seeds)));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let claims: usize = halves.iter().map(|half| half.claims).sum();
    let wrong: Vec<&String> = halves.iter().flat_map(|half| &half.wrong).collect();
    let unread: Vec<&String> = halves.iter().flat_map(|half| &half.unread).collect();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(unread.len() < 20, "{} not understood: {unread:#?}", unread.len());
    assert!(claims > 4000, "only {claims} claims: precision is lost");
}
