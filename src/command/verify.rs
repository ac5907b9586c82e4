//! `deeds verify`: is the ledger what was written?

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;

use super::evidence::verify::{Bundles, worst};
use super::{Output, wrote};
use crate::error::{Exit, Result};
use crate::layout::Env;
use crate::ledger::{Finding, Ledger, Outcome, Verification};
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub output: Output,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = env.place(&args.workdir);
    let bundles = Bundles::check(&place, &env)?;
    let exit = report_with(&Ledger::at(&place, &env), args.output, &bundles, out)?;
    if args.output == Output::Json { Ok(exit) } else { bundles.print(exit, out) }
}

/// Says whether `ledger` is what was written.
pub fn report(ledger: &Ledger, output: Output, out: &mut dyn Write) -> Result<Exit> {
    report_with(ledger, output, &Bundles::default(), out)
}

fn report_with(ledger: &Ledger, output: Output, bundles: &Bundles, out: &mut dyn Write) -> Result<Exit> {
    let verification = ledger.verify();
    let exit = match verification.outcome {
        Outcome::Ok => Exit::Holds,
        Outcome::TornTail => Exit::NotShown,
        Outcome::Altered | Outcome::Forked | Outcome::Shrunk => Exit::DoesNotHold,
        Outcome::Unreadable => Exit::Unable,
    };
    let written = match output {
        Output::Json => print_json(&verification, bundles, out),
        Output::Text => print_text(ledger, &verification, out),
    };
    wrote(written, bundles.exit.map_or(exit, |own| worst(exit, own)))
}

fn print_json(verification: &Verification, bundles: &Bundles, out: &mut dyn Write) -> io::Result<()> {
    let finding = |found: &Finding| json!({ "kind": found.kind.as_str(), "line": found.line, "detail": found.detail });
    let mut findings: Vec<_> = verification.findings.iter().map(finding).collect();
    if verification.more > 0 {
        let detail = format!("{} more findings", verification.more);
        findings.push(json!({ "kind": "more", "line": 0, "detail": detail }));
    }
    let result = verification.outcome.as_str();
    let mut told = json!({ "result": result, "entries": verification.entries, "findings": findings });
    if bundles.exit.is_some() {
        told["bundles"] = bundles.to_json();
    }
    writeln!(out, "{told}")
}

fn print_text(ledger: &Ledger, verification: &Verification, out: &mut dyn Write) -> io::Result<()> {
    let place = ledger.dir().display().to_string();
    let entries = verification.entries;
    let outcome = verification.outcome.as_str();
    if entries == 0 && verification.outcome == Outcome::Ok {
        return writeln!(out, "{outcome}: nothing has been recorded yet in {}", sanitise(&place, Lines::Escape));
    }
    writeln!(out, "{outcome}: {entries} entries in {}", sanitise(&place, Lines::Escape))?;
    for finding in &verification.findings {
        writeln!(out, "  {}", sanitise(&finding.to_string(), Lines::Escape))?;
    }
    if verification.more > 0 {
        writeln!(out, "  and {} more", verification.more)?;
    }
    if let Some(advice) = advice(verification.outcome) {
        writeln!(out, "{advice}")?;
    }
    if verification.without_mac > 0 {
        let without = verification.without_mac;
        writeln!(
            out,
            "{without} entries have no mac. The chain shows that nothing in it was changed, taken out or put in unless all \
             that follows was written anew; it does not show that nothing was cut off at its end."
        )?;
    }
    let (waiting, unread) = ledger.spool().drafts();
    if !waiting.is_empty() || !unread.is_empty() {
        writeln!(out, "{} entries wait in the spool; the next event takes them in.", waiting.len())?;
    }
    for unread in unread {
        writeln!(out, "  cannot be read: {}: {}", unread.path.display(), sanitise(&unread.why, Lines::Escape))?;
    }
    Ok(())
}

/// What to do.
fn advice(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Ok => None,
        Outcome::TornTail => Some(
            "A write was cut short, as by a crash. The next event isolates what is left of it; all before it stands.",
        ),
        Outcome::Altered => Some(
            "What stands there is not what was recorded. Copy the ledger before anything else; what stands before the first line named is as it was recorded.",
        ),
        Outcome::Forked => Some(
            "Two writers did not see each other's lock, as on some network file systems. Nothing was overwritten; set DEEDS_DIR to a directory on a local disk.",
        ),
        Outcome::Shrunk => Some("Something that was recorded is gone. Bring it back from a copy, if there is one."),
        Outcome::Unreadable => Some("Nothing is said about what could not be read."),
    }
}
