//! Command lines by chance, out of fake runners and everything that bash combines them with.

use std::fmt::Write as _;

use super::Random;

/// Writes command lines out of runners and operators.
pub struct Writer {
    random: Random,
    runners: usize,
    functions: Vec<String>,
    /// Inside quotes for `bash -c`, or inside a loop, or a function.
    quoted: bool,
    looping: bool,
    depth: usize,
}

impl Writer {
    pub fn line(seed: u64) -> String {
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

impl Writer {
    /// The highest number of a runner in a line.
    pub fn count(line: &str) -> usize {
        line.split("r ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok()).max().unwrap_or(0)
    }
}
