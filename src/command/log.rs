//! `deeds log`: what was recorded, an entry a line.

mod what;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Output, wrote};
use crate::error::{Exit, Result};
use crate::layout::Env;
use crate::ledger::{CONFLICT_KEY, Draft, Finding, Ledger, Outcome, Recorded};
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub output: Output,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    report(&Ledger::at(&env.place(&args.workdir), &env), args.output, out)
}

/// Lists what `ledger` holds, and what waits in its spool.
pub fn report(ledger: &Ledger, output: Output, out: &mut dyn Write) -> Result<Exit> {
    let mut exit = Exit::Holds;
    let mut seen = Seen::default();
    for item in ledger.read_lines()? {
        let written = match item {
            Ok(recorded) if seen.before(recorded.entry.id(), &recorded.entry.body) => Ok(()),
            Ok(recorded) if output == Output::Json => writeln!(out, "{}", recorded.line),
            Ok(recorded) => print_entry(&recorded, out),
            Err(finding) => {
                if finding.kind.outcome() == Outcome::Unreadable {
                    exit = Exit::Unable;
                }
                print_finding(&finding, output, out)
            }
        };
        if written.is_err() {
            return wrote(written, exit);
        }
    }
    wrote(print_waiting(ledger, &mut seen, output, out), exit)
}

/// What is on the disk and not yet in the ledger.
fn print_waiting(ledger: &Ledger, seen: &mut Seen, output: Output, out: &mut dyn Write) -> io::Result<()> {
    let (drafts, unread) = ledger.spool().drafts();
    for draft in drafts {
        let body = Value::Object(draft.body.clone());
        if seen.before(&draft.id, &body) {
            continue;
        }
        if output == Output::Json {
            writeln!(out, "{}", json!({ "spooled": true, "kind": draft.kind, "body": body }))?;
        } else {
            print_draft(&draft, &body, out)?;
        }
    }
    for unread in unread {
        let (path, why) = (unread.path.display(), &unread.why);
        if output == Output::Json {
            writeln!(
                out,
                "{}",
                json!({ "finding": { "kind": "unreadable", "line": 0, "detail": format!("{path}: {why}") } })
            )?;
        } else {
            writeln!(out, "!  unreadable: {}: {}", path, sanitise(why, Lines::Escape))?;
        }
    }
    Ok(())
}

fn print_entry(recorded: &Recorded, out: &mut dyn Write) -> io::Result<()> {
    let entry = &recorded.entry;
    let time = entry.body.get("observed_at").and_then(Value::as_str).unwrap_or(&entry.at);
    print_line(&format!("#{}", entry.seq), time, &what::label(&entry.kind, &entry.body), &entry.body, out)
}

fn print_draft(draft: &Draft, body: &Value, out: &mut dyn Write) -> io::Result<()> {
    let time = body.get("observed_at").and_then(Value::as_str).unwrap_or("-");
    print_line("spooled", time, &what::label(&draft.kind, body), body, out)
}

fn print_line(number: &str, time: &str, label: &what::Label, body: &Value, out: &mut dyn Write) -> io::Result<()> {
    let seconds = time.get(..19).map_or_else(|| time.to_owned(), |seconds| format!("{seconds}Z"));
    let mut line = format!("{number:>6}  {seconds}  {:<19}  {}", label.kind, label.what);
    if let Some(source) = body.get("source").filter(|source| source.is_object()) {
        let of = |key: &str| source.get(key).and_then(Value::as_str).unwrap_or("unknown").to_owned();
        line.push_str(&format!("  [{} via {}]", of("trust_class"), of("collection_method")));
    }
    if let Some(other) = body.get(CONFLICT_KEY).and_then(Value::as_u64) {
        line.push_str(&format!("  (conflicts with #{other})"));
    }
    writeln!(out, "{}", sanitise(&line, Lines::Escape))
}

fn print_finding(finding: &Finding, output: Output, out: &mut dyn Write) -> io::Result<()> {
    if output == Output::Json {
        let found = json!({ "kind": finding.kind.as_str(), "line": finding.line, "detail": finding.detail });
        return writeln!(out, "{}", json!({ "finding": found }));
    }
    writeln!(out, "!  {}", sanitise(&finding.to_string(), Lines::Escape))
}

/// The ids that were shown: what was recorded twice is shown once, unless the second says something else.
#[derive(Debug, Default)]
struct Seen(HashSet<String>);

impl Seen {
    fn before(&mut self, id: &str, body: &Value) -> bool {
        !id.is_empty() && !self.0.insert(id.to_owned()) && body.get(CONFLICT_KEY).is_none()
    }
}
