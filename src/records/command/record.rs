//! What the walk notes of each program: that it ran here, prints there, may change files, and what it shows of others.

use super::plan::{Ends, Plan, Value};
use super::program::{self, Filter, Reads};
use super::scope::Scope;
use super::sink::{Writer, compose, is_scratch};
use super::syntax::{Operator, Part, Word};
use super::unwrap::program_name;
use super::walk::Walk;
use crate::records::invocation::{Dir, View};

/// A program that runs.
#[derive(Debug, Clone)]
pub struct Run {
    pub words: Vec<Word>,
    pub environment: Vec<(String, Word)>,
    pub via: Vec<String>,
    pub codes: Vec<u8>,
    pub elsewhere: Option<String>,
    pub dir: Dir,
    pub span: (usize, usize),
    /// Where its standard output and its standard error are shown.
    pub streams: [Vec<Shown>; 2],
}

/// One place where a stream's text can be seen.
#[derive(Debug, Clone)]
pub struct Shown {
    pub filter: Filter,
    pub tails: Vec<u32>,
    /// The leaf that shows it: the run itself, or the `tail log` that comes later.
    pub at: usize,
    /// The file it was kept in holds other text before, or after.
    pub before: bool,
    pub after: bool,
}

/// A simple command, as one that prints and changes things. Its number is the run's.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub print: Print,
    pub change: Change,
    pub visible: bool,
    pub tails: Vec<u32>,
    pub loops: Vec<u32>,
    pub pipelines: Vec<(u32, usize)>,
    pub jobs: Vec<usize>,
    pub late: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Print {
    Nothing,
    /// So many lines of words that name no result.
    Words(u32),
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// A redirection, or `tee`: only while it prints.
    File,
    Program,
}

impl Walk {
    /// Notes a program, and what it shows of earlier ones.
    pub fn record(&mut self, words: &[Word], span: (usize, usize), scope: &Scope) -> Plan {
        let number = self.runs.len();
        let reads = program::reads(words);
        self.show_again(words, &reads, scope);
        // `echo "$(F)"` prints nothing but what was counted as F's.
        let passes = matches!(&words[1..], [word] if word.substitutions.iter().any(|s| s.whole)) && is_echo(&words[0]);
        let filters = scope.fed && reads.known && (reads.files.is_empty() || reads.filter == Filter::SOME);
        let print = match program_name(&words[0]).as_str() {
            _ if passes || filters || (program::is_silent(words) && !scope.resolved) => Print::Nothing,
            "echo" | "printf" => self.echoed(&words[1..]),
            _ => Print::Text,
        };
        let copies = reads.copies.iter().any(|word| !word.literal().as_deref().is_some_and(is_scratch));
        let prints = print != Print::Nothing || filters;
        let change = if scope.resolved || program::changes(words) {
            Change::Program
        } else if scope.writes || copies || (prints && (scope.out.file || scope.err.file)) {
            Change::File
        } else {
            Change::Nothing
        };
        let streams = [&scope.out, &scope.err].map(|sink| {
            let filter = Filter { view: sink.view, lines: sink.lines };
            vec![Shown { filter, tails: sink.tails.clone(), at: number, before: false, after: false }]
        });
        for (stream, sink) in [&scope.out, &scope.err].into_iter().enumerate() {
            for stored in &sink.stored {
                let writer = Writer { run: number, stream, filter: stored.filter };
                self.captures.entry(stored.key.clone()).or_default().writers.push(writer);
            }
        }
        self.leaves.push(Leaf {
            print,
            change,
            visible: scope.out.view != View::Hidden || scope.err.view != View::Hidden,
            tails: scope.out.tails.iter().chain(&scope.err.tails).copied().collect(),
            loops: scope.loops.clone(),
            pipelines: scope.pipelines.clone(),
            jobs: scope.jobs.clone(),
            late: scope.late,
        });
        self.runs.push(Run {
            words: words.to_vec(),
            environment: self.shell.exported.iter().chain(&scope.environment).cloned().collect(),
            via: scope.via.clone(),
            codes: scope.codes.clone(),
            elsewhere: scope.elsewhere.clone(),
            dir: self.shell.dir.clone(),
            span,
            streams,
        });
        self.status_of(words, &reads, number, scope)
    }

    /// How it can end.
    fn status_of(&mut self, words: &[Word], reads: &Reads, run: usize, scope: &Scope) -> Plan {
        let plain = !scope.wrapped;
        let ends = match words[0].literal().as_deref() {
            Some("test" | "[") => {
                let texts: Vec<&str> = words[1..].iter().map(|word| word.raw.as_str()).collect();
                match self.compares(&texts) {
                    Some(plan) => return plan,
                    None => Ends::Test,
                }
            }
            Some("cat" | "tail") if plain && scope.fed && reads.files.is_empty() && reads.filter != Filter::SOME => {
                Ends::Filters
            }
            Some("true" | ":") if !scope.resolved => Ends::Zero,
            Some("false") if !scope.resolved => Ends::One,
            Some("echo" | "pwd") if plain => Ends::Prints,
            Some("printf") if plain && words.get(1).is_some_and(|format| !has_numbers(&format.raw)) => Ends::Prints,
            _ => Ends::Any,
        };
        Plan::Run { run, ends }
    }

    /// `[ $? -eq 0 ]`, `[[ $rc != 0 ]]`, `((rc == 0))`.
    pub fn test_text(&mut self, text: &str) -> Plan {
        let inside = text.trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
        let texts: Vec<&str> = inside.split_ascii_whitespace().collect();
        let bare = text.starts_with("((");
        let plan = match texts.as_slice() {
            [variable] if bare => self.compares(&[variable, "-ne", "0"]),
            _ => self.compares(&texts),
        };
        plan.unwrap_or(Plan::Ends(Ends::Test))
    }

    fn compares(&mut self, texts: &[&str]) -> Option<Plan> {
        let [left, operator, right] = texts else { return None };
        let zero = match *operator {
            "-eq" | "=" | "==" | "-le" => true,
            "-ne" | "!=" | "-gt" => false,
            _ => return None,
        };
        if right.trim_matches(['"', '\'']) != "0" {
            return None;
        }
        let name = left.trim_matches('"');
        let name = name.strip_prefix('$').unwrap_or(name);
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        match self.value_named(name) {
            Value::Unknown | Value::Job => None,
            value => Some(Plan::Test { value, zero }),
        }
    }

    /// If this command shows what a file or variable has kept of earlier runs, that is noted with them.
    fn show_again(&mut self, words: &[Word], reads: &Reads, scope: &Scope) {
        match &words[1..] {
            [word] if is_echo(&words[0]) => self.show_variable(word, Filter::WHOLE, scope),
            [format, word] if is_echo(&words[0]) && matches!(format.raw.trim_matches(['\'', '"']), "%s" | "%s\\n") => {
                self.show_variable(word, Filter::WHOLE, scope);
            }
            rest if is_echo(&words[0]) => rest.iter().for_each(|word| self.show_variable(word, Filter::SOME, scope)),
            _ => {}
        }
        if !reads.known || scope.fed {
            return;
        }
        let filter = if reads.files.len() == 1 { reads.filter } else { Filter::SOME };
        for file in &reads.files {
            self.show_file(file, filter, scope);
        }
        for redirect in &scope.inputs {
            match redirect.operator {
                Operator::Read => self.show_file(&redirect.target, reads.filter, scope),
                Operator::Text { .. } => self.show_variable(&redirect.target, reads.filter, scope),
                _ => {}
            }
        }
    }

    fn show_file(&mut self, file: &Word, filter: Filter, scope: &Scope) {
        if let Some(key) = self.key(file, scope) {
            self.show(&key, filter, scope);
        }
    }

    fn show_variable(&mut self, word: &Word, filter: Filter, scope: &Scope) {
        for part in &word.parts {
            let Part::Variable { name, quoted } = part else { continue };
            let Some(key) = self.shell.captured.get(name).cloned() else { continue };
            // Unquoted, or among other text, its lines are no longer what they were.
            let whole = *quoted && word.parts.len() == 1;
            self.show(&key, if whole { filter } else { Filter::SOME }, scope);
        }
    }

    /// Notes, with each run that wrote to a file or variable, that it is shown here.
    fn show(&mut self, key: &str, filter: Filter, scope: &Scope) {
        let Some(capture) = self.captures.get(key).cloned() else { return };
        let here = self.leaves.len();
        for (index, writer) in capture.writers.iter().enumerate() {
            let (before, _) = self.printed(&capture.writers[..index], writer.run);
            let (after, words) = self.printed(&capture.writers[index + 1..], writer.run);
            let place = Filter { view: scope.out.view, lines: scope.out.lines };
            let mut filter = compose(compose(writer.filter, filter), place);
            // Words printed after it into the file take their share of what `tail` keeps.
            filter.lines = filter.lines.map(|lines| lines.saturating_sub(words));
            let lost = filter.lines == Some(0) || (filter.lines.is_some() && after);
            if lost || self.disturbed(writer.run, here, &capture.writers, scope) {
                filter = compose(filter, Filter::SOME);
            }
            let before = before || capture.continued;
            let shown = Shown { filter, tails: scope.out.tails.clone(), at: here, before, after };
            self.runs[writer.run].streams[writer.stream].push(shown);
        }
    }

    /// Whether others than `run` printed text, and how many lines of mere words.
    fn printed(&self, writers: &[Writer], run: usize) -> (bool, u32) {
        let others = writers.iter().filter(|writer| writer.run != run);
        others.fold((false, 0), |(text, lines), writer| match self.leaves[writer.run].print {
            Print::Nothing => (text, lines),
            Print::Words(more) => (text, lines + more),
            Print::Text => (true, lines),
        })
    }

    /// Between a run and the command that shows its output, something could have touched the file, or it still runs.
    fn disturbed(&self, run: usize, here: usize, writers: &[Writer], scope: &Scope) -> bool {
        let own = &self.leaves[run];
        let changed = self.leaves[run + 1..here].iter().zip(run + 1..).any(|(leaf, number)| {
            leaf.change == Change::Program && !writers.iter().any(|writer| writer.run == number) && !leaf.late
        });
        let runs_on = own.jobs.iter().any(|job| !scope.jobs.contains(job) && self.jobs[*job].is_none());
        changed || runs_on || (own.loops != scope.loops)
    }

    /// What `echo` and `printf` print: words, or something that could be taken for a result.
    fn echoed(&self, words: &[Word]) -> Print {
        let mut text = String::new();
        for word in words {
            for part in &word.parts {
                match part {
                    Part::Text(more) => text.push_str(more),
                    Part::Variable { name, .. } if self.is_plain(name) => {}
                    Part::Opaque if word.raw.contains("$(date") && word.substitutions.len() == 1 => {}
                    _ => return Print::Text,
                }
            }
            text.push(' ');
        }
        let lines = 1 + text.matches('\n').count() + text.matches("\\n").count();
        if names_result(&text) { Print::Text } else { Print::Words(lines as u32) }
    }

    fn is_plain(&self, name: &str) -> bool {
        let known = ["?", "$", "#", "!", "SECONDS", "PWD", "HOME", "USER", "HOSTNAME", "SHELL"];
        known.contains(&name) || name.starts_with("PIPESTATUS") || self.shell.plain.contains(name)
    }
}

/// Whether a text could be taken for what a test runner or its like says at its end: a number beside a word for an
/// outcome, or one of the phrases that say it without a number.
pub fn names_result(text: &str) -> bool {
    const OUTCOMES: &[&str] = &["pass", "fail", "error", "success", "warn", "problem", "issue", "skip"];
    const WORDS: &[&str] = &["ok", "ran", "run"];
    const PHRASES: &[&str] = &[
        "checks passed",
        "build success",
        "build fail",
        "no tests",
        "test result",
        "error:",
        "congratulations",
        "***",
    ];
    let text = text.to_ascii_lowercase();
    let number = text.contains(|c: char| c.is_ascii_digit());
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let outcome = OUTCOMES.iter().any(|word| text.contains(word)) || words.any(|word| WORDS.contains(&word));
    PHRASES.iter().any(|phrase| text.contains(phrase)) || (number && outcome)
}

fn is_echo(word: &Word) -> bool {
    matches!(word.literal().as_deref(), Some("echo" | "printf"))
}

/// A format that can fail on what it is given.
fn has_numbers(format: &str) -> bool {
    format.split('%').skip(1).any(|rest| !rest.starts_with(['s', 'b', 'q', '%']))
}
