//! What is said about statuses, held against what bash does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use deeds::records::command::read;
use deeds::records::invocation::{Invocation, Reached, Reading};

use super::Random;

/// A temporary directory with a fake runner `r`: `r 3 101` notes that number 3 ran, and exits with 101.
struct Bench {
    dir: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("deeds-commands-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("bin")).unwrap();
        fs::create_dir_all(dir.join("sub")).unwrap();
        let runner = dir.join("bin/r");
        fs::write(&runner, "#!/bin/sh\ntrap '' PIPE\necho \"$2\" >> \"$MARKS/$1\"\necho \"out $1\"\nexit \"$2\"\n")
            .unwrap();
        let made = Command::new("chmod").arg("+x").arg(&runner).status().unwrap();
        assert!(made.success());
        Bench { dir }
    }

    /// Whether bash itself can read the line.
    fn is_bash(&self, line: &str) -> bool {
        Command::new("bash").args(["-n", "-c", line]).output().unwrap().status.success()
    }

    /// What bash reports, and the statuses with which each runner ended.
    fn run(&self, line: &str, marks: &Path) -> (i32, BTreeMap<String, Vec<i32>>) {
        let _ = fs::remove_dir_all(marks);
        fs::create_dir_all(marks).unwrap();
        let path = format!("{}:{}", self.dir.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        // `output` also waits for what runs on in the background: descriptor 9 keeps the pipe open.
        let output = Command::new("bash")
            .args(["-c", "exec 9>&1; exec bash -c \"$1\"", "bash", line])
            .env("PATH", path)
            .env("MARKS", marks)
            .current_dir(self.dir.join("sub"))
            .output()
            .unwrap();
        let mut ran = BTreeMap::new();
        for entry in fs::read_dir(marks).unwrap() {
            let entry = entry.unwrap();
            let codes = fs::read_to_string(entry.path()).unwrap().lines().map(|line| line.parse().unwrap()).collect();
            ran.insert(entry.file_name().into_string().unwrap(), codes);
        }
        (output.status.code().unwrap_or(-1), ran)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Writes command lines out of runners and operators.
struct Writer {
    random: Random,
    runners: usize,
    functions: Vec<String>,
    /// Inside quotes for `bash -c`, or inside a loop, or a function.
    quoted: bool,
    looping: bool,
    depth: usize,
}

impl Writer {
    fn line(seed: u64) -> String {
        let mut writer = Writer {
            random: Random::new(seed),
            runners: 0,
            functions: Vec::new(),
            quoted: false,
            looping: false,
            depth: 0,
        };
        let mut line = String::new();
        if writer.random.below(4) == 0 {
            let option = [
                "set -e",
                "set -o pipefail",
                "set -eo pipefail",
                "set -euo pipefail",
                "trap 'exit 0' EXIT",
                "trap 'true' EXIT",
            ];
            line.push_str(writer.random.pick(&option));
            line.push_str(writer.random.pick(&["; ", "\n"]));
        }
        let items = 1 + writer.random.below(2);
        line.push_str(&writer.script(items));
        line
    }

    fn script(&mut self, items: usize) -> String {
        let mut text = String::new();
        for item in 0..items {
            if item > 0 {
                text.push_str(self.random.pick(&["; ", "\n", " ;"]));
            }
            text.push_str(&self.item());
        }
        text
    }

    fn item(&mut self) -> String {
        match self.random.below(14) {
            0 => format!("{} & {}", self.chain(), self.random.pick(&["wait", "wait $!", "true", "p=$!; wait $p"])),
            1 => format!("{}; {}", self.chain(), self.status()),
            2 => {
                let chain = self.chain();
                format!("rc=0; {chain} || rc=$?; {}; exit $rc", self.chain())
            }
            3 if self.depth == 0 && !self.quoted => {
                let name = format!("f{}", self.functions.len());
                let body = self.block();
                self.functions.push(name.clone());
                format!("{name}() {{ {body}; }}; {}", self.chain())
            }
            _ => self.chain(),
        }
    }

    /// What people do with a status afterwards.
    fn status(&mut self) -> String {
        let ways = [
            "rc=$?; echo rc $rc; exit $rc",
            "rc=$?\nr_rc=$rc\ntrue\n(exit $r_rc)",
            "exit $?",
            "exit ${PIPESTATUS[0]}",
            "s=${PIPESTATUS[0]}; echo; exit \"$s\"",
            "[ $? -eq 0 ]",
            "if [ $? -ne 0 ]; then echo bad; exit 1; fi",
            "if [[ $? == 0 ]]; then true; else false; fi",
            "test \"$?\" -eq 0 && echo fine",
            "echo EXIT=$?",
            "exit 0",
            "exit 3",
            "true",
            "rc=$?; ((rc == 0))",
        ];
        self.random.pick(&ways).to_owned()
    }

    fn chain(&mut self) -> String {
        let mut text = self.pipeline();
        for _ in 0..[0, 0, 0, 0, 1, 1, 1, 2][self.random.below(8)] {
            let joint = self.random.pick(&[" && ", " || ", " &&\n"]);
            let next = self.pipeline();
            let _ = write!(text, "{joint}{next}");
        }
        text
    }

    fn pipeline(&mut self) -> String {
        let mut text = if self.random.below(10) == 0 { "! ".to_owned() } else { String::new() };
        text.push_str(&self.command());
        while self.random.below(6) == 0 {
            let filter = match self.random.below(4) {
                0 => self.command(),
                _ => self.random.pick(&["cat", "tail -5", "cat >/dev/null", "true", "grep out", "wc -l"]).to_owned(),
            };
            let _ = write!(text, "{}{filter}", self.random.pick(&[" | ", " |& ", " 2>&1 | "]));
        }
        text
    }

    fn runner(&mut self) -> String {
        self.runners += 1;
        let code = [0, 0, 0, 1, 1, 3, 101][self.random.below(7)];
        format!("r {} {code}", self.runners)
    }

    fn block(&mut self) -> String {
        self.depth += 1;
        let items = 1 + self.random.below(2);
        let text = self.script(items);
        self.depth -= 1;
        text
    }

    fn command(&mut self) -> String {
        if self.depth > 1 || self.random.below(4) > 0 {
            return self.simple();
        }
        let leaves = self.looping;
        match self.random.below(12) {
            0 | 1 => format!("( {} )", self.block()),
            2 | 3 => format!("{{ {}; }}", self.block()),
            4 => {
                let (condition, body) = (self.chain(), self.block());
                match self.random.below(3) {
                    0 => format!("if {condition}; then {body}; fi"),
                    1 => format!("if {condition}; then {body}; else {}; fi", self.block()),
                    _ => {
                        let (other, last) = (self.chain(), self.block());
                        format!("if {condition}; then {body}; elif {other}; then {last}; fi")
                    }
                }
            }
            5 => {
                self.looping = true;
                let body = self.block();
                self.looping = leaves;
                let leave = self.random.pick(&["", "; break", "; continue", " && break", " || break", " || exit 4"]);
                format!("for i in {}; do {body}{leave}; done", self.random.pick(&["1", "1 2", "$none"]))
            }
            6 => {
                self.looping = true;
                let (condition, body) = (self.chain(), self.block());
                self.looping = leaves;
                let word = self.random.pick(&["while", "until"]);
                format!("{word} {condition}; do {body}\nbreak; done")
            }
            7 => {
                let (one, two) = (self.block(), self.block());
                format!("case $x in a) {one};; *) {two};; esac")
            }
            8 if !self.quoted => {
                self.quoted = true;
                let options = self.random.pick(&["-c", "-ec", "-eo pipefail -c", "-uc"]);
                let text = self.block().replace('\'', "'\\''");
                self.quoted = false;
                format!("bash {options} '{text}'")
            }
            9 if !self.quoted => {
                self.quoted = true;
                let text = self.block().replace('\'', "'\\''");
                self.quoted = false;
                format!("eval '{text}'")
            }
            10 if !self.quoted && self.depth == 0 => {
                let text = self.block();
                format!("bash <<'END' &&\n{text}\nEND\ntrue")
            }
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> String {
        if !self.functions.is_empty() && self.random.below(3) == 0 {
            let at = self.random.below(self.functions.len());
            return self.functions[at].clone();
        }
        let runner = self.runner();
        match self.random.below(40) {
            0 => "true".into(),
            1 => "false".into(),
            2 => "echo words".into(),
            3 => format!("timeout 20 {runner}"),
            4 => format!("env A=1 {runner}"),
            5 => format!("X=1 {runner}"),
            6 => format!("time {runner}"),
            7 => format!("{runner} > /dev/null 2>&1"),
            8 => format!("{runner} > log"),
            9 => format!("{runner} > /nowhere/log"),
            10 => format!("x=$({runner})"),
            11 => format!("echo \"$({runner})\""),
            12 => format!("export x=$({runner})"),
            13 => format!("nice -n 1 {runner}"),
            14 => format!("command {runner}"),
            15 => format!("cd . && {runner}"),
            16 => format!("(exec {runner})"),
            17 => format!("nohup {runner}"),
            18 => format!("echo a b | xargs -n1 {runner}"),
            19 => format!("find . -maxdepth 0 -exec {runner} \\;"),
            20 => "set -e".into(),
            21 => "set +e".into(),
            22 => format!("cat <({runner})"),
            23 => format!("{{ {runner} # a comment; r 99 0\n}}"),
            24 => format!("echo $unset_name; {runner}"),
            25 => format!("{{ {runner}; exit; }}"),
            26 if self.looping => "break".into(),
            _ => runner,
        }
    }
}

/// Whether bash bore out what was said; the claim that it did not.
fn broken(said: &[Invocation], number: &str, reported: i32, ran: &[i32]) -> Option<String> {
    let mut all = said.iter().filter(|i| i.program == "r" && i.args.first().is_some_and(|arg| arg.text == number));
    let Some(said) = all.next() else {
        return (!ran.is_empty()).then(|| "ran, and is not among the invocations".into());
    };
    // One that stands in a function may be called twice: then what is said of each call cannot be told apart.
    if all.next().is_some() {
        return None;
    }
    let good = ran.iter().all(|code| *code == 0);
    let status = said.status;
    let claims = [
        (said.reached == Reached::Always && ran.is_empty(), "always reached"),
        (status.zero && reported == 0 && !good, "zero"),
        (status.zero_ran && reported == 0 && (ran.is_empty() || !good), "zero_ran"),
        (status.nonzero && reported != 0 && !ran.is_empty() && !ran.contains(&reported), "nonzero"),
        (status.inverted && reported == 0 && (ran.is_empty() || ran.contains(&0)), "inverted 0"),
        (status.inverted && reported == 1 && !ran.is_empty() && !ran.contains(&0), "inverted 1"),
    ];
    claims.iter().find(|(broken, _)| *broken).map(|(_, claim)| format!("{claim}: {said:?}"))
}

/// What a batch of lines came to.
#[derive(Default)]
struct Tally {
    claims: usize,
    t: std::time::Duration,
    /// Lines that bash understands and we do not.
    unread: Vec<String>,
    wrong: Vec<String>,
}

fn sample(seeds: std::ops::Range<u64>, bench: &Bench) -> Tally {
    let mut tally = Tally::default();
    let marks = bench.dir.join(format!("marks-{}", seeds.start));
    for seed in seeds {
        let line = Writer::line(seed);
        let t0 = std::time::Instant::now();
        let r = read(&line);
        let el = t0.elapsed();
        tally.t += el;
        if el.as_millis() > 300 {
            eprintln!("slow {seed} {el:?} {}", line.len());
        }
        let said = match r {
            Reading::Script(said) => said,
            Reading::CannotTell(why) => {
                if bench.is_bash(&line) {
                    tally.unread.push(format!("seed {seed}: {why}\n{line}"));
                }
                continue;
            }
        };
        tally.claims += said.iter().filter(|i| i.status.zero || i.status.nonzero || i.status.inverted).count();
        let (reported, ran) = bench.run(&line, &marks);
        for number in 1..=Writer::count(&line) {
            let number = number.to_string();
            let codes = ran.get(&number).cloned().unwrap_or_default();
            if let Some(claim) = broken(&said, &number, reported, &codes) {
                let what = format!("seed {seed}, runner {number} ran {codes:?}, bash reported {reported}");
                tally.wrong.push(format!("{what}\n{line}\n{claim}"));
            }
        }
    }
    tally
}

impl Writer {
    /// The highest number of a runner in a line.
    fn count(line: &str) -> usize {
        line.split("r ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok()).max().unwrap_or(0)
    }
}

#[test]
fn what_is_said_of_2000_lines_is_what_bash_does() {
    let bench = &Bench::new("differential");
    let first: u64 = std::env::var("SEED").map_or(0, |s| s.parse().unwrap());
    let halves: Vec<Tally> = std::thread::scope(|scope| {
        let threads =
            [first..first + 1000, first + 1000..first + 2000].map(|seeds| scope.spawn(move || sample(seeds, bench)));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let claims: usize = halves.iter().map(|half| half.claims).sum();
    let wrong: Vec<&String> = halves.iter().flat_map(|half| &half.wrong).collect();
    let unread: Vec<&String> = halves.iter().flat_map(|half| &half.unread).collect();
    eprintln!("time {:?} {:?}", halves[0].t, halves[1].t);
    eprintln!("claims {claims} unread {}", unread.len());
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{unread:#?}");
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(unread.len() < 20, "{} not understood: {unread:#?}", unread.len());
    assert!(claims > 2000, "only {claims} claims: precision is lost");
}
