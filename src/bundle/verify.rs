//! Is a bundle what was sealed? The whole of the check, small enough to be read in one sitting.
//!
//! | part | holds if |
//! |---|---|
//! | envelope | it is a DSSE envelope with one signature and no key that is not signed |
//! | signature | a key that somebody pinned made it; none that comes with the bundle counts |
//! | task | the statement names the task that it stands for |
//! | blobs | each is there under its name, and its bytes have that SHA-256 |
//! | anchor | the ledger's latest entry for the task names this very payload |
//! | ledger | it is what was written |
//!
//! Architecture invariant: nothing is changed or made here. What cannot be checked is said, and is no pass.

use std::io;
use std::path::Path;

use super::anchor::{Anchor, Spine};
use super::envelope::{self, PAYLOAD_TYPE, pae};
use super::signing::PublicKey;
use super::statement::Statement;
use super::store::{self, Store};
use crate::error::{Exit, Result};
use crate::evidence::id::sha256_hex;
use crate::ledger::{Blobs, Held, Outcome};

/// A key that is trusted, and because of what.
pub struct Pin {
    pub key: PublicKey,
    pub by: String,
}

/// What a finding makes of the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is not what was sealed.
    Mismatch,
    /// That cannot be told.
    Untold,
}

/// One thing that does not hold, or cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub weight: Weight,
    /// `signature`, `task`, `anchor`, a blob's name …
    pub part: String,
    pub why: String,
}

/// All that was found out about one bundle.
#[derive(Default)]
pub struct Report {
    /// There is neither a bundle nor a trace of one.
    pub absent: bool,
    /// What it states, if it can be read at all; to be believed only if nothing was found.
    pub statement: Option<Statement>,
    /// The id of the pinned key that made the signature, and by what it is pinned.
    pub signer: Option<(String, String)>,
    /// The entry that names it, where the ledger was asked.
    pub anchor: Option<Anchor>,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn exit(&self) -> Exit {
        match self.findings.iter().map(|finding| finding.weight).min() {
            Some(Weight::Mismatch) => Exit::DoesNotHold,
            Some(Weight::Untold) => Exit::NotShown,
            None if self.absent => Exit::NotShown,
            None => Exit::Holds,
        }
    }

    fn mismatch(&mut self, part: impl Into<String>, why: impl Into<String>) {
        self.findings.push(Finding { weight: Weight::Mismatch, part: part.into(), why: why.into() });
    }

    fn untold(&mut self, part: impl Into<String>, why: impl Into<String>) {
        self.findings.push(Finding { weight: Weight::Untold, part: part.into(), why: why.into() });
    }
}

/// The bundle that stands for `task` beside a ledger.
pub fn task(task: &str, store: &Store, spine: &Spine, blobs: &Blobs<'_>, pins: &[Pin]) -> Result<Report> {
    let there = store.read(task)?;
    let latest = spine.latest(task);
    // A seal that was killed at its last step is one that was made.
    let finished = there.next.filter(|next| latest.is_some() && hash_of(next).as_ref() == latest.map(|l| &l.bundle));
    let Some(bytes) = finished.or(there.bundle) else {
        let mut report = Report { absent: latest.is_none(), ..Report::default() };
        if let Some(latest) = latest {
            report.mismatch("bundle", format!("entry #{} names it, and it is gone", latest.seq));
        }
        check_ledger(spine, &mut report);
        return Ok(report);
    };
    let mut report = bundle(&bytes, Some(task), pins, &|digest| blobs.check(digest));
    check_anchor(task, spine, &mut report);
    check_ledger(spine, &mut report);
    Ok(report)
}

/// An envelope by itself, with a way to look at blobs: all but the ledger.
pub fn bundle(bytes: &[u8], task: Option<&str>, pins: &[Pin], held: &dyn Fn(&str) -> io::Result<Held>) -> Report {
    let mut report = Report::default();
    let opened = match envelope::open(bytes) {
        Ok(opened) => opened,
        Err(why) => {
            report.mismatch("envelope", why);
            return report;
        }
    };
    let signed = pae(PAYLOAD_TYPE, &opened.payload);
    match pins.iter().find(|pin| pin.key.verify(&signed, &opened.signature)) {
        Some(pin) => report.signer = Some((pin.key.key_id(), pin.by.clone())),
        None if pins.is_empty() => {
            report.untold("signature", "there is no key to check it with; pin one with --key FILE")
        }
        None if pins.iter().any(|pin| pin.key.key_id() == opened.key_id) => {
            report.mismatch("signature", format!("it is not one by the key {} over this content", opened.key_id));
        }
        None => report.mismatch(
            "signature",
            format!("it names the key {}, which is not pinned: an unpinned key proves nothing", opened.key_id),
        ),
    }
    let statement = match Statement::read(&opened.payload) {
        Ok(statement) => statement,
        // It is signed, and of a kind that is not known here.
        Err(why) if report.signer.is_some() => {
            report.untold("statement", why);
            return report;
        }
        Err(why) => {
            report.mismatch("statement", why);
            return report;
        }
    };
    if task.is_some_and(|task| task != statement.task()) {
        report.mismatch("task", format!("it is the bundle of the task {:?}", statement.task()));
    }
    for blob in statement.blobs() {
        match blob {
            Ok((name, digest)) => check_blob(name, digest, held(digest), &mut report),
            Err(name) => report.mismatch(name, "its digest is none"),
        }
    }
    for (part, why) in statement.open_points() {
        report.untold(part, why);
    }
    report.statement = Some(statement);
    report
}

fn check_blob(name: &str, digest: &str, held: io::Result<Held>, report: &mut Report) {
    match held {
        Ok(Held::Intact) => {}
        Ok(Held::Missing) => report.mismatch(name, format!("its blob {digest} is gone")),
        Ok(Held::Differs) => report.mismatch(name, format!("its blob {digest} holds something else")),
        Err(error) => report.untold(name, format!("its blob {digest} cannot be read: {error}")),
    }
}

/// The latest entry of the task names this payload.
pub fn check_anchor(task: &str, spine: &Spine, report: &mut Report) {
    let Some(statement) = &report.statement else { return };
    match (spine.of(&statement.hash), spine.latest(task)) {
        (Some(own), Some(latest)) if own.seq == latest.seq => report.anchor = Some(own.clone()),
        (Some(own), Some(latest)) if own.task == task => {
            let why = format!("entry #{} names it, and entry #{} another that came after it", own.seq, latest.seq);
            report.mismatch("anchor", why);
        }
        (_, Some(latest)) => {
            report.mismatch("anchor", format!("the ledger does not name it; entry #{} names another", latest.seq));
        }
        (_, None) => report.mismatch("anchor", "the ledger does not name it"),
    }
}

/// The ledger is what was written. A line that a crash cut short is no change to what stands before it.
pub fn check_ledger(spine: &Spine, report: &mut Report) {
    let found = spine.verification.findings.iter().find(|found| found.kind.outcome() == spine.verification.outcome);
    let why = || found.map(ToString::to_string).unwrap_or_default();
    match spine.verification.outcome {
        Outcome::Ok | Outcome::TornTail => {}
        Outcome::Unreadable => report.untold("ledger", why()),
        outcome => report.mismatch("ledger", format!("{}: {}", outcome.as_str(), why())),
    }
    if let Some(missed) = &spine.missed {
        report.mismatch("ledger", missed.as_str());
    }
}

/// Every bundle of a ledger, by task: those that it names, and those that lie beside it. `seen` is shown each report.
pub fn all(
    store: &Store,
    spine: &Spine,
    blobs: &Blobs<'_>,
    pins: &[Pin],
    seen: &mut dyn FnMut(&str, Report) -> Result<()>,
) -> Result<()> {
    for name in spine.tasks().into_keys() {
        seen(name, task(name, store, spine, blobs, pins)?)?;
    }
    let expected: std::collections::HashSet<_> = spine.tasks().into_keys().map(|name| store.path(name)).collect();
    for path in store.files()?.into_iter().filter(|path| !store::is_next(path) && !expected.contains(path)) {
        let (name, mut report) = stray(&path, blobs, pins)?;
        check_anchor(&name, spine, &mut report);
        check_ledger(spine, &mut report);
        seen(&name, report)?;
    }
    Ok(())
}

/// A bundle's file that stands for no task which the ledger knows.
fn stray(path: &Path, blobs: &Blobs<'_>, pins: &[Pin]) -> Result<(String, Report)> {
    let bytes = store::read(path)?.unwrap_or_default();
    let mut report = bundle(&bytes, None, pins, &|digest| blobs.check(digest));
    let name = report.statement.as_ref().map(|statement| statement.task().to_owned());
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match name {
        Some(name) if sha256_hex(name.as_bytes()) == stem => Ok((name, report)),
        Some(name) => {
            report.mismatch("task", format!("it is the bundle of the task {name:?}, in the place of another"));
            Ok((name, report))
        }
        None => Ok((format!("({stem})"), report)),
    }
}

/// What an envelope's payload is known by, if it is an envelope.
pub fn hash_of(bytes: &[u8]) -> Option<String> {
    envelope::open(bytes).ok().map(|opened| sha256_hex(&opened.payload))
}
