//! `deeds log`: what was recorded, an entry a line, newest last.
//!
//! Architecture invariant: a ledger of any size is listed in the memory of one line and of the ids that were shown. What is
//! wanted of the end only (`--last`, `--since`) is read from the end.

pub mod filter;
mod follow;
mod line;
mod marks;
mod reported;
pub mod what;

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::terminal::Terminal;
use super::{Output, Quiet, session, wrote};
use crate::clock;
use crate::error::{Exit, Result};
use crate::evidence::id::sha256_hex;
use crate::layout::Env;
use crate::ledger::{CONFLICT_KEY, Finding, Ledger, Met, Outcome, Raw, Recorded};
use crate::text::{Lines, sanitise};
use filter::{Asked, Filter};
use line::Row;
pub use reported::Reported;

/// How much of a ledger's end is held to be shown from there; more is read from the beginning.
const HELD_MAX: usize = 20_000;

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub output: Output,
    pub asked: Asked,
    /// Only so many of the newest.
    pub last: Option<usize>,
    /// Stay, and show what comes.
    pub follow: bool,
    pub times: Times,
    pub quiet: Quiet,
}

/// How a time is shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// `3m ago`
    Relative,
    /// UTC, to the second.
    Absolute,
}

/// What of a ledger is shown, and how.
#[derive(Debug, Clone)]
pub struct View {
    pub output: Output,
    pub filter: Filter,
    pub last: Option<usize>,
    pub times: Times,
    pub terminal: Terminal,
    /// What "ago" counts from, milliseconds.
    pub now: i64,
    /// Whether the marks are explained at the end.
    pub legend: Legend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    Shown,
    Left,
}

impl View {
    /// All of it, for a file or a pager.
    pub fn all(output: Output, now: i64) -> View {
        View {
            output,
            filter: Filter::default(),
            last: None,
            times: Times::Relative,
            terminal: Terminal::PLAIN,
            now,
            legend: Legend::Shown,
        }
    }
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = env.place(&args.workdir);
    let ledger = Ledger::at(&place, &env);
    let mut asked = args.asked.clone();
    // With `--follow` it may be one that is still to come.
    if let Some(given) = asked.session.take_if(|_| !args.follow) {
        asked.session = Some(session::resolve(&place, &given)?);
    }
    let now = clock::parse_millis(&clock::now()).unwrap_or(0);
    let view = View {
        output: args.output,
        filter: Filter::parse(&asked, now)?,
        last: args.last,
        times: args.times,
        terminal: Terminal::of_stdout(&env),
        now,
        legend: if args.quiet == Quiet::Yes { Legend::Left } else { Legend::Shown },
    };
    if args.follow { follow::follow(&ledger, view, out) } else { report(&ledger, &view, out) }
}

/// Lists what `ledger` holds, and what waits in its spool.
pub fn report(ledger: &Ledger, view: &View, out: &mut dyn Write) -> Result<Exit> {
    let mut printer = Printer::new(view, out);
    let listed = list(ledger, &mut printer)?;
    let written = listed.and_then(|()| printer.waiting(ledger)).and_then(|()| printer.end());
    wrote(written, printer.exit)
}

/// The ledger's own entries. The inner result is that of writing.
fn list(ledger: &Ledger, printer: &mut Printer<'_>) -> Result<io::Result<()>> {
    if let Some(held) = newest(ledger, printer.view)? {
        return Ok(held.iter().rev().try_for_each(|item| printer.item(item)));
    }
    let mut written = Ok(());
    ledger.scan(&mut |met| {
        written = match met {
            Met::Entry(raw) => printer.raw(&raw),
            Met::Built(recorded) => printer.entry(&recorded),
            Met::Wrong(finding) => printer.finding(&finding),
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(written)
}

type Item = Result<Recorded, Finding>;

/// What is asked for of the ledger's end, the newest first. `None`: it is better read from the beginning.
fn newest(ledger: &Ledger, view: &View) -> Result<Option<Vec<Item>>> {
    if view.last.is_none() && view.filter.since.is_none() {
        return Ok(None);
    }
    let mut held = Vec::new();
    let mut entries = 0;
    let mut seen = Seen::default();
    for item in ledger.backward_lines()? {
        if view.last.is_some_and(|last| entries >= last) {
            break;
        }
        match &item {
            // Nothing is appended before it was observed, so all that stands before was observed before.
            Ok(recorded) if view.filter.is_before(&recorded.entry.at) => break,
            Ok(recorded) => {
                let entry = &recorded.entry;
                if !view.filter.takes(&entry.kind, &entry.body, &entry.at) || seen.before(entry.id(), &entry.body) {
                    continue;
                }
                entries += 1;
            }
            Err(_) => {}
        }
        held.push(item);
        if view.last.is_none() && held.len() > HELD_MAX {
            return Ok(None);
        }
    }
    Ok(Some(held))
}

/// Writes what is shown, and remembers what was.
struct Printer<'a> {
    view: &'a View,
    out: &'a mut dyn Write,
    seen: Seen,
    marks: marks::Used,
    exit: Exit,
    /// Nothing has been written yet.
    is_empty: bool,
}

impl<'a> Printer<'a> {
    fn new(view: &'a View, out: &'a mut dyn Write) -> Printer<'a> {
        Printer { view, out, seen: Seen::default(), marks: marks::Used::default(), exit: Exit::Holds, is_empty: true }
    }

    fn item(&mut self, item: &Item) -> io::Result<()> {
        match item {
            Ok(recorded) => self.entry(recorded),
            Err(finding) => self.finding(finding),
        }
    }

    /// Builds only what may be wanted, and of what is shown as it stands nothing.
    fn raw(&mut self, raw: &Raw<'_>) -> io::Result<()> {
        let view = self.view;
        if !view.filter.may_take(raw.kind(), raw.body()) {
            return Ok(());
        }
        let as_it_stands = view.output == Output::Json && view.filter.takes_all() && !raw.may_conflict();
        if let Some(id) = raw.id().filter(|id| as_it_stands && !id.is_empty()) {
            if self.seen.is_new(id) {
                self.out.write_all(raw.line)?;
                self.out.write_all(b"\n")?;
            }
            return Ok(());
        }
        match raw.build() {
            Ok(entry) => self.entry(&Recorded { entry, line: String::from_utf8_lossy(raw.line).into_owned() }),
            Err(finding) => self.finding(&finding),
        }
    }

    fn entry(&mut self, recorded: &Recorded) -> io::Result<()> {
        let entry = &recorded.entry;
        if !self.view.filter.takes(&entry.kind, &entry.body, &entry.at) || self.seen.before(entry.id(), &entry.body) {
            return Ok(());
        }
        if self.view.output == Output::Json {
            return writeln!(self.out, "{}", recorded.line);
        }
        let row = Row::new(format!("#{}", entry.seq), &entry.kind, &entry.body, Some(&entry.at));
        self.row(&row)
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.marks.note(row);
        self.is_empty = false;
        writeln!(self.out, "{}", row.line(self.view))
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        if finding.kind.outcome() == Outcome::Unreadable {
            self.exit = Exit::Unable;
        }
        self.is_empty = false;
        if self.view.output == Output::Json {
            let found = json!({ "kind": finding.kind.as_str(), "line": finding.line, "detail": finding.detail });
            return writeln!(self.out, "{}", json!({ "finding": found }));
        }
        writeln!(self.out, "{}", line::warning(&finding.to_string(), self.view))
    }

    /// What is on the disk and not yet in the ledger.
    fn waiting(&mut self, ledger: &Ledger) -> io::Result<()> {
        let (drafts, unread) = ledger.spool().drafts();
        for draft in drafts {
            let body = Value::Object(draft.body);
            if !self.view.filter.takes(&draft.kind, &body, "") || self.seen.before(&draft.id, &body) {
                continue;
            }
            if self.view.output == Output::Json {
                writeln!(self.out, "{}", json!({ "spooled": true, "kind": draft.kind, "body": body }))?;
            } else {
                self.row(&Row::new("spooled".to_owned(), &draft.kind, &body, None))?;
            }
        }
        for unread in unread {
            self.is_empty = false;
            let (path, why) = (unread.path.display(), &unread.why);
            if self.view.output == Output::Json {
                let detail = format!("{path}: {why}");
                writeln!(self.out, "{}", json!({ "finding": { "kind": "unreadable", "line": 0, "detail": detail } }))?;
            } else {
                writeln!(self.out, "{}", line::warning(&format!("unreadable: {path}: {why}"), self.view))?;
            }
        }
        Ok(())
    }

    /// What the marks mean, as far as they occurred; that there is nothing to show, where there is not.
    fn end(&mut self) -> io::Result<()> {
        if self.is_empty && self.view.output == Output::Text && self.view.legend == Legend::Shown {
            let all = self.view.filter.takes_all() && self.view.last != Some(0);
            let says = if all { "nothing is recorded here yet" } else { "nothing that is recorded here is like that" };
            return writeln!(self.out, "{says}");
        }
        match self.marks.legend() {
            Some(legend) if self.view.output == Output::Text && self.view.legend == Legend::Shown => {
                writeln!(self.out, "{}", line::remark(&legend, self.view))
            }
            _ => Ok(()),
        }
    }
}

/// The ids that were shown: what was recorded twice is shown once, unless the second says something else. An id is 32 hex
/// digits, kept as the number that they are.
#[derive(Debug, Default)]
struct Seen(HashSet<u128>);

impl Seen {
    fn before(&mut self, id: &str, body: &Value) -> bool {
        !id.is_empty() && !self.is_new(id) && body.get(CONFLICT_KEY).is_none()
    }

    fn is_new(&mut self, id: &str) -> bool {
        self.0.insert(number(id))
    }
}

fn number(id: &str) -> u128 {
    let own = if id.len() == 32 { u128::from_str_radix(id, 16).ok() } else { None };
    own.unwrap_or_else(|| u128::from_str_radix(&sha256_hex(id.as_bytes())[..32], 16).unwrap_or_default())
}

/// Text from outside, in one line.
fn safe(text: &str) -> String {
    sanitise(text, Lines::Escape)
}
