//! What runs of checks prove: recorded outputs, the same outputs behind shell constructs, outputs written by the tools'
//! documentation, and every known way to accuse falsely.

mod accusations;
mod captured;
mod documented;
mod filters;
mod hostile;
mod masks;

use std::path::PathBuf;

use deeds::records::invocation::{Dir, Elsewise, Foreign, Invocation, Reached, Status, View, Word};
use deeds::records::outcome::{Judged, Outcome, Seen, judge_run};
use deeds::records::runners::{Check, Recognised, recognise};

/// One row of the index of recorded outputs.
struct Fixture {
    runner: String,
    file: String,
    command: String,
    exit: i64,
    check: String,
    outcome: String,
    output: String,
}

/// All recorded outputs.
fn fixtures() -> Vec<Fixture> {
    ["index.jsonl", "more.jsonl"].into_iter().flat_map(index).collect()
}

fn index(name: &str) -> Vec<Fixture> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runners");
    let index = std::fs::read_to_string(dir.join(name)).unwrap();
    let rows = index.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        Fixture {
            runner: text("runner"),
            output: std::fs::read_to_string(dir.join(text("file"))).unwrap(),
            file: text("file"),
            command: text("command"),
            exit: row["exit"].as_i64().unwrap(),
            check: text("check"),
            outcome: text("outcome"),
        }
    });
    rows.collect()
}

/// A simple command, as it is after unwrapping.
fn bare(command: &str) -> Invocation {
    let mut words: Vec<Word> = split(command).into_iter().map(|text| Word { text, literal: true }).collect();
    let via = if words[0].text == "npx" { vec![words.remove(0).text] } else { Vec::new() };
    let program = words.remove(0).text.rsplit('/').next().unwrap().to_owned();
    Invocation {
        repeats: false,
        program,
        args: words,
        env: Vec::new(),
        via,
        dir: Dir::Start,
        elsewhere: None,
        reached: Reached::Always,
        status: Status::OWN,
        wrapper_codes: Vec::new(),
        view: View::Whole,
        stdout: View::Whole,
        stderr: View::Whole,
        tail_lines: None,
        foreign: Foreign::default(),
        changes: true,
        then_changes: false,
        changed_before: false,
        elsewise: Elsewise::default(),
        text: command.to_owned(),
        span: (0, command.len()),
    }
}

/// Words, with single quotes.
fn split(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

impl Invocation_ for Invocation {}

/// What a shell construct does to an invocation, for tests that do not go through the shell's parser.
trait Invocation_: Into<Invocation> {
    fn masked(self) -> Invocation {
        Invocation { status: Status::MASKED, ..self.into() }
    }

    fn tailed(self) -> Invocation {
        Invocation { view: View::Tail, stdout: View::Tail, stderr: View::Tail, ..self.masked() }
    }

    fn seen_through(self, view: View) -> Invocation {
        Invocation { view, stdout: view, stderr: view, ..self.into() }
    }

    fn foreign(self, before: bool, after: bool) -> Invocation {
        Invocation { foreign: Foreign { before, after }, ..self.into() }
    }

    fn perhaps(self) -> Invocation {
        Invocation { reached: Reached::Perhaps, ..self.into() }
    }
}

fn one(invocation: &Invocation, check: Check) -> Recognised {
    let found: Vec<Recognised> = recognise(invocation).into_iter().filter(|r| r.check == check).collect();
    assert_eq!(found.len(), 1, "{}: {found:?}", invocation.text);
    found.into_iter().next().unwrap()
}

fn judge_as(invocation: &Invocation, check: Check, exit: i64, output: &str) -> Judged {
    let recognised = one(invocation, check);
    let seen = Seen {
        recognised: &recognised,
        invocation,
        line: &[],
        reported_exit: Some(exit),
        exit_reason: None,
        output,
        output_cut: false,
    };
    let judged = judge_run(&seen);
    assert_eq!(judged.reason.is_some(), judged.outcome == Outcome::Unknown, "{}: {judged:?}", invocation.text);
    judged
}

/// A run of tests.
fn tests(invocation: &Invocation, exit: i64, output: &str) -> Judged {
    judge_as(invocation, Check::Tests, exit, output)
}

fn check_of(name: &str) -> Check {
    let all = [Check::Tests, Check::Lint, Check::Typecheck, Check::Format, Check::Build];
    all.into_iter().find(|c| c.as_str() == name).unwrap()
}
