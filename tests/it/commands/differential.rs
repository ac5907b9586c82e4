//! What is said about statuses, directories and output, held against what bash does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use deeds::records::command::read;
use deeds::records::invocation::{Dir, Invocation, Reached, Reading, View};

use super::Random;

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
        match self.random.below(48) {
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
            27 => format!("cd a && {runner}"),
            28 => format!("cd ..; {runner}"),
            29 => format!("pushd a >/dev/null; {runner}; popd >/dev/null"),
            30 => format!("( cd a/a; {runner} )"),
            31 => format!("env -C a {runner}"),
            32 => format!("{runner} > log{0}a 2>&1; cat log{0}a", self.runners),
            33 => format!("{runner} > log{0} 2>&1; tail -3 log{0}", self.runners),
            34 => format!("out=$({runner} 2>&1); echo \"$out\""),
            _ => runner,
        }
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
    let lost = |view: View, name: &str| view <= View::Tail && !ran.is_empty() && !seen(name) && !quits;
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

impl Writer {
    /// The highest number of a runner in a line.
    fn count(line: &str) -> usize {
        line.split("r ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok()).max().unwrap_or(0)
    }
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
