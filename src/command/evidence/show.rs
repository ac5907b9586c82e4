//! `deeds evidence show TASK`: what a bundle states, and first whether it is what was sealed.

use std::io::{self, Write};

use super::verbs::EvidenceShowArgs;
use super::verify::{Anchored, print_findings, to_json, verdict};
use super::{Desk, table};
use crate::bundle::verify::Report;
use crate::command::wrote;
use crate::error::Result;
use crate::text::{Lines, sanitise};

pub fn run(desk: &Desk, args: &EvidenceShowArgs, out: &mut dyn Write) -> Result<crate::error::Exit> {
    let pins = desk.pins(args.key.as_deref())?;
    let spine = desk.spine()?;
    let report = desk.report(&args.task, &spine, &pins)?;
    let exit = report.exit();
    if args.json {
        let mut told = to_json(&args.task, &report, Anchored::Checked);
        told["statement"] = report.statement.as_ref().map(|statement| statement.value.clone()).into();
        return wrote(writeln!(out, "{told}"), exit);
    }
    wrote(print(&args.task, &report, out), exit)
}

fn print(task: &str, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Some(statement) = &report.statement else {
        writeln!(out, "{}: {}", verdict(report), sanitise(task, Lines::Escape))?;
        return print_findings(report, out);
    };
    let text = format!("task    {}\n{}", statement.task(), table::text(statement));
    write!(out, "{}", sanitise(&text, Lines::Keep))?;
    if let Some(anchor) = &report.anchor {
        writeln!(out, "anchor  #{}  {}", anchor.seq, anchor.entry)?;
    }
    let source = &statement.deeds()["source"];
    let of = |key: &str| source[key].as_str().unwrap_or("-").to_owned();
    let line = format!("source  commit {}  tree {}", of("commit"), of("treeBefore"));
    writeln!(out, "{}", sanitise(&line, Lines::Escape))?;
    match &report.signer {
        Some((key, by)) => writeln!(out, "signed  by {key} ({})", sanitise(by, Lines::Escape))?,
        None => writeln!(out, "signed  by no key that is pinned")?,
    }
    writeln!(
        out,
        "this is {}",
        match verdict(report) {
            "verified" => "verified: what is shown is what was sealed",
            "mismatch" => "NOT what was sealed:",
            _ => "not verified, because something cannot be told:",
        }
    )?;
    print_findings(report, out)
}
