//! `deeds export`: bundles as DSSE envelopes, or evidence as lines of JSON, for tools that are not ours.
//!
//! Architecture invariant: what is left out is counted, said, and makes the exit code non-zero.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use super::evidence::Desk;
use super::wrote;
use crate::error::{Exit, Result};
use crate::ledger::{CONFLICT_KEY, EntryKind, Ledger, blob_of};
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The signed envelope of each task's bundle, one a line
    InToto,
    /// The evidence, one piece a line, source included
    Jsonl,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deeds export --format in-toto release-1.4
  deeds export --format jsonl > evidence.jsonl")]
pub struct ExportArgs {
    /// in-toto: the signed envelopes, one a line; jsonl: the evidence, one piece a line
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Format,
    /// The bundle of this task only
    #[arg(value_name = "TASK")]
    pub task: Option<String>,
}

pub fn run(workdir: &Path, args: &ExportArgs, out: &mut dyn Write) -> Result<Exit> {
    let desk = Desk::at(workdir);
    let mut left_out = Vec::new();
    match args.format {
        Format::InToto => envelopes(&desk, args.task.as_deref(), &mut left_out, out)?,
        Format::Jsonl => evidence(&desk.ledger, &mut left_out, out)?,
    }
    for why in left_out.iter().take(20) {
        let _ = writeln!(io::stderr(), "deeds: left out: {}", sanitise(why, Lines::Escape));
    }
    if left_out.is_empty() {
        return Ok(Exit::Holds);
    }
    let _ = writeln!(io::stderr(), "deeds: {} left out in all", left_out.len());
    Ok(Exit::NotShown)
}

fn envelopes(desk: &Desk, task: Option<&str>, left_out: &mut Vec<String>, out: &mut dyn Write) -> Result<()> {
    let spine = desk.spine()?;
    let pins = desk.pins(None)?;
    let tasks = match task {
        Some(task) => vec![task],
        None => spine.tasks().into_keys().collect(),
    };
    for task in tasks {
        let report = desk.report(task, &spine, &pins)?;
        let envelope = report.anchor.as_ref().and_then(|anchor| desk.ledger.resolve(&anchor.envelope));
        match envelope.filter(|_| report.exit() != Exit::DoesNotHold && report.signer.is_some()) {
            Some(envelope) => wrote(writeln!(out, "{}", envelope.trim_end()), Exit::Holds).map(drop)?,
            None => {
                let why = report.findings.first().map(|found| format!("{}: {}", found.part, found.why));
                left_out.push(format!("{task}: {}", why.unwrap_or_else(|| "no bundle".into())));
            }
        }
    }
    Ok(())
}

/// Evidence as it stands, with what lies in blobs put back in its place; what was recorded twice stands there once.
fn evidence(ledger: &Ledger, left_out: &mut Vec<String>, out: &mut dyn Write) -> Result<()> {
    let mut seen = HashSet::new();
    let mut put = |name: String, id: &str, body: &Value, left_out: &mut Vec<String>| {
        if !seen.insert(id.to_owned()) && body.get(CONFLICT_KEY).is_none() {
            return Ok(());
        }
        let whole = ledger.resolve_all(body);
        if names_blob(&whole) {
            left_out.push(format!("{name}: what lies in a blob of it is gone, or is not what its name says"));
        }
        wrote(writeln!(out, "{whole}"), Exit::Holds).map(drop)
    };
    for recorded in ledger.read()? {
        match recorded {
            Ok(entry) if entry.kind == EntryKind::Evidence => {
                put(format!("entry #{}", entry.seq), entry.id(), &entry.body, left_out)?;
            }
            Ok(_) => {}
            Err(finding) => left_out.push(finding.to_string()),
        }
    }
    let (waiting, unread) = ledger.spool().drafts();
    for draft in waiting.into_iter().filter(|draft| draft.kind == EntryKind::Evidence) {
        put("what waits in the spool".to_owned(), &draft.id, &Value::Object(draft.body), left_out)?;
    }
    left_out.extend(unread.into_iter().map(|unread| format!("{}: {}", unread.path.display(), unread.why)));
    Ok(())
}

fn names_blob(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(names_blob),
        Value::Object(members) => blob_of(value).is_some() || members.values().any(names_blob),
        _ => false,
    }
}
