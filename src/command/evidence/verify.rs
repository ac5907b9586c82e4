//! `deeds evidence verify`: one bundle, one that lies elsewhere, or every bundle of the project.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Desk;
use super::verbs::EvidenceVerifyArgs;
use crate::bundle::anchor::Spine;
use crate::bundle::head::Head;
use crate::bundle::store;
use crate::bundle::verify::{self, Report, Weight};
use crate::command::human;
use crate::command::wrote;
use crate::error::{Exit, Result};
use crate::layout::{Env, Place};
use crate::ledger::{Ledger, Verification};
use crate::text::{Lines, sanitise};

/// The envelope's name in a folder that was exported.
pub const ENVELOPE: &str = "bundle.json";

/// Whether the ledger was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchored {
    Checked,
    NotChecked,
}

pub fn run(desk: &Desk, args: &EvidenceVerifyArgs, out: &mut dyn Write) -> Result<Exit> {
    let pins = desk.pins(args.key.as_deref())?;
    if args.all {
        return all(desk, args, out);
    }
    if let Some(path) = &args.bundle {
        let (report, anchored) = elsewhere(desk, path, args.task.as_deref(), &pins)?;
        let task = report.statement.as_ref().map(|statement| statement.task().to_owned());
        let task = args.task.clone().or(task).unwrap_or_else(|| path.display().to_string());
        return wrote(print(&task, &report, anchored, args.json, out), report.exit());
    }
    let task = args.task.as_deref().unwrap_or_default();
    let spine = desk.spine()?;
    let report = desk.report(task, &spine, &pins)?;
    wrote(print(task, &report, Anchored::Checked, args.json, out), report.exit())
}

fn all(desk: &Desk, args: &EvidenceVerifyArgs, out: &mut dyn Write) -> Result<Exit> {
    let spine = desk.spine()?;
    let pins = desk.pins(args.key.as_deref())?;
    let (mut exit, mut count, mut verified) = (Exit::Holds, 0, 0_u64);
    desk.each(&spine, &pins, &mut |task, report| {
        count += 1;
        verified += u64::from(report.exit() == Exit::Holds);
        exit = worst(exit, report.exit());
        wrote(print(task, report, Anchored::Checked, args.json, out), Exit::Holds).map(drop)
    })?;
    let mut ledger = Report::default();
    verify::check_ledger(&spine, &mut ledger);
    exit = worst(exit, ledger.exit());
    if args.json {
        // Each bundle says what is wrong with the ledger; where there is none, nobody would.
        let alone = count == 0 && !ledger.findings.is_empty();
        let told = alone.then(|| to_json("", &ledger, Anchored::Checked));
        return wrote(told.map_or(Ok(()), |told| writeln!(out, "{told}")), exit);
    }
    let written = match count {
        0 => print_findings(&ledger, out).and_then(|()| writeln!(out, "no bundles")),
        _ => writeln!(out, "{}", tally(verified, count)),
    };
    wrote(written, exit)
}

fn tally(verified: u64, count: usize) -> String {
    format!("{verified} of {} verified", human::count(count, "bundle", "bundles"))
}

/// What does not hold outweighs what cannot be told.
pub fn worst(a: Exit, b: Exit) -> Exit {
    if (a as u8) >= (b as u8) { a } else { b }
}

/// A folder that was exported, or an envelope by itself. The ledger here is asked for an envelope whose task it knows.
fn elsewhere(desk: &Desk, path: &Path, task: Option<&str>, pins: &[verify::Pin]) -> Result<(Report, Anchored)> {
    let file = if path.is_dir() { path.join(ENVELOPE) } else { path.to_owned() };
    let Some(bytes) = store::read(&file)? else {
        return Ok((Report { absent: true, ..Report::default() }, Anchored::Checked));
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let exported = Ledger::open(folder);
    let blobs = if folder.join(crate::layout::BLOBS).is_dir() { exported.blobs() } else { desk.ledger.blobs() };
    let mut report = verify::bundle(&bytes, task, pins, &|digest| blobs.check(digest));
    let known = report.statement.as_ref().map(|statement| statement.task().to_owned());
    if path.is_dir() {
        return Ok((report, Anchored::NotChecked));
    }
    let spine = desk.spine()?;
    let Some(name) = known.filter(|name| spine.latest(name).is_some()) else {
        return Ok((report, Anchored::NotChecked));
    };
    verify::check_anchor(task.unwrap_or(&name), &spine, &mut report);
    verify::check_ledger(&spine, &mut report);
    Ok((report, Anchored::Checked))
}

/// What the bundles beside a ledger come to, for `deeds verify`; what is wrong with the ledger itself it says.
#[derive(Debug, Default)]
pub struct Bundles {
    count: usize,
    pub verified: u64,
    /// One line each.
    pub findings: Vec<String>,
    pub exit: Option<Exit>,
}

impl Bundles {
    /// Checks every bundle of a place, if there is any, against the entries that were found to anchor some. `head`: what was
    /// known before those were read.
    pub fn check(place: &Place, env: &Env, anchored: Verification, head: Option<Head>) -> Result<Bundles> {
        let desk = Desk::of(place.clone(), env.clone());
        let mut bundles = Bundles::default();
        let spine = Spine::among(anchored).held_against(head);
        if spine.anchors().is_empty() && desk.store.files()?.is_empty() && spine.missed.is_none() {
            return Ok(bundles);
        }
        let pins = desk.pins(None)?;
        let mut exit = Exit::Holds;
        desk.each(&spine, &pins, &mut |task, report| {
            exit = worst(exit, report.exit());
            bundles.count += 1;
            bundles.verified += u64::from(report.exit() == Exit::Holds);
            let line = |found: &verify::Finding| format!("bundle of {task}: {}: {}", found.part, found.why);
            // What is wrong with the ledger is said once.
            bundles.findings.extend(report.findings.iter().filter(|found| found.part != "ledger").map(line));
            Ok(())
        })?;
        if spine.missed.is_some() {
            exit = Exit::DoesNotHold;
            bundles.findings.extend(spine.missed.iter().map(|missed| format!("ledger: {missed}")));
        }
        bundles.exit = Some(exit);
        Ok(bundles)
    }

    /// Says what was found, in lines; nothing where there is no bundle. The exit code is the worse of both.
    pub fn print(&self, exit: Exit, out: &mut dyn Write) -> Result<Exit> {
        let Some(own) = self.exit else { return Ok(exit) };
        let mut text = tally(self.verified, self.count) + "\n";
        self.findings.iter().for_each(|line| text.push_str(&format!("  {}\n", sanitise(line, Lines::Escape))));
        wrote(write!(out, "{text}"), worst(exit, own))
    }

    /// The same for a JSON object that is printed elsewhere.
    pub fn to_json(&self) -> Value {
        json!({"verified": self.verified, "findings": self.findings})
    }
}

/// One word for what was found.
pub fn verdict(report: &Report) -> &'static str {
    match report.exit() {
        Exit::Holds => "verified",
        Exit::DoesNotHold => "mismatch",
        _ if report.absent => "no bundle",
        _ => "cannot tell",
    }
}

fn print(task: &str, report: &Report, anchored: Anchored, json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        return writeln!(out, "{}", to_json(task, report, anchored));
    }
    let result = match &report.statement {
        Some(statement) => format!("  {}", statement.result()),
        None => String::new(),
    };
    writeln!(out, "{}: {}{result}", verdict(report), sanitise(task, Lines::Escape))?;
    if let Some((key, by)) = &report.signer {
        writeln!(out, "  signed: by {} ({})", key.get(..16).unwrap_or(key), sanitise(by, Lines::Escape))?;
    }
    match (&report.anchor, anchored) {
        (Some(anchor), _) => writeln!(out, "  anchor: #{}, the latest of this task", anchor.seq)?,
        (None, Anchored::NotChecked) => writeln!(out, "  anchor: not checked")?,
        (None, Anchored::Checked) => {}
    }
    print_findings(report, out)
}

/// Each thing that was found, by name.
pub fn print_findings(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.findings {
        let line = format!("  {}: {}", finding.part, finding.why);
        writeln!(out, "{}", sanitise(&line, Lines::Escape))?;
    }
    Ok(())
}

pub fn to_json(task: &str, report: &Report, anchored: Anchored) -> Value {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|found| {
            let weight = if found.weight == Weight::Mismatch { "mismatch" } else { "untold" };
            json!({"part": found.part, "weight": weight, "detail": found.why})
        })
        .collect();
    let statement = report.statement.as_ref();
    json!({
        "task": task,
        "verdict": verdict(report).replace(' ', "_"),
        "bundle": statement.map(|s| s.hash.clone()),
        "result": statement.map(|s| s.result().to_owned()),
        "gatePassed": statement.and_then(|s| s.gate_passed()),
        "signedBy": report.signer.as_ref().map(|(key, by)| json!({"keyId": key, "pinnedBy": by})),
        "anchor": report.anchor.as_ref().map(|anchor| json!({"seq": anchor.seq, "hash": anchor.entry})),
        "anchorChecked": anchored == Anchored::Checked,
        "findings": findings,
    })
}
