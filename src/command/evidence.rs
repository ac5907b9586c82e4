//! `deeds evidence …`: proof of done, sealed and checked.

mod approve;
pub mod auto;
mod export;
mod gc;
mod key;
mod list;
mod seal;
mod show;
mod table;
pub mod verbs;
pub mod verify;

use std::io::Write;
use std::path::Path;

use self::verbs::EvidenceVerb;
use crate::bundle::anchor::Spine;
use crate::bundle::head::Head;
use crate::bundle::signing::PublicKey;
use crate::bundle::store::Store;
use crate::bundle::verify::{self as check, Pin, Report};
use crate::claims::config::Config;
use crate::error::{Error, Exit, Result};
use crate::layout::{Env, Place};
use crate::ledger::{Ledger, Outcome};
use crate::text::{Lines, sanitise};

pub fn run(workdir: &Path, verb: &EvidenceVerb, out: &mut dyn Write) -> Result<Exit> {
    let desk = Desk::at(workdir);
    match verb {
        EvidenceVerb::Seal(args) => seal::run(&desk, args, out),
        EvidenceVerb::Approve(args) => approve::run(&desk, args, out),
        EvidenceVerb::Verify(args) => verify::run(&desk, args, out),
        EvidenceVerb::Show(args) => show::run(&desk, args, out),
        EvidenceVerb::List(args) => list::run(&desk, args, out),
        EvidenceVerb::Export(args) => export::run(&desk, args, out),
        EvidenceVerb::Gc(args) => gc::run(&desk, args, out),
        EvidenceVerb::Key => key::run(&desk, out),
    }
}

/// How often a bundle is looked at again while others are sealed.
const LOOKS: usize = 5;

/// Where a project's bundles are, and its ledger.
pub struct Desk {
    pub env: Env,
    pub place: Place,
    pub ledger: Ledger,
    pub store: Store,
}

impl Desk {
    pub fn at(workdir: &Path) -> Desk {
        let env = Env::read();
        let place = env.place(workdir);
        Desk::of(place, env)
    }

    pub fn of(place: Place, env: Env) -> Desk {
        let ledger = Ledger::at(&place, &env);
        let store = Store::of(ledger.dir());
        Desk { env, place, ledger, store }
    }

    /// The ledger's bundles, and whether it is what was written.
    pub fn spine(&self) -> Result<Spine> {
        // What is known first: a seal may end while the ledger is read.
        let head = Head::read(&self.env, &self.ledger);
        let spine = Spine::read(&self.ledger);
        if spine.verification.outcome == Outcome::Unreadable && spine.verification.entries == 0 {
            let why = spine.verification.findings.first().map(ToString::to_string).unwrap_or_default();
            let dir = self.ledger.dir().display();
            return Err(Error::unable(
                "unreadable_ledger",
                format!("failed to read the ledger: {dir}: {why}; see deeds verify"),
            ));
        }
        Ok(spine.held_against(head))
    }

    /// What is so about a task's bundle. A seal that ended meanwhile is no mismatch: what does not hold is looked at again,
    /// with the ledger as it is by then.
    pub fn report(&self, task: &str, spine: &Spine, pins: &[Pin]) -> Result<Report> {
        let report = check::task(task, &self.store, spine, &self.ledger.blobs(), pins)?;
        self.settled(task, report, spine, pins)
    }

    fn settled(&self, task: &str, mut report: Report, spine: &Spine, pins: &[Pin]) -> Result<Report> {
        let mut fresh = None;
        for _ in 0..LOOKS {
            let by_time = |report: &Report| {
                let of = |part: &str| report.findings.iter().any(|finding| finding.part == part);
                report.statement.is_some() && !of("task") && (of("anchor") || of("ledger"))
            };
            if !by_time(&report) || !fresh.as_ref().unwrap_or(spine).has_grown(&self.ledger) {
                break;
            }
            let next = self.spine()?;
            report = check::task(task, &self.store, &next, &self.ledger.blobs(), pins)?;
            fresh = Some(next);
        }
        Ok(report)
    }

    /// Every bundle of the project, one at a time.
    pub fn each(&self, spine: &Spine, pins: &[Pin], seen: &mut dyn FnMut(&str, &Report) -> Result<()>) -> Result<()> {
        check::all(&self.store, spine, &self.ledger.blobs(), pins, &mut |task, report| {
            seen(task, &self.settled(task, report, spine, pins)?)
        })
    }

    /// The keys that are trusted: the one that was named or, without one, this user's own and those of `deeds.json`.
    pub fn pins(&self, named: Option<&Path>) -> Result<Vec<Pin>> {
        if let Some(path) = named {
            return Ok(vec![Pin { key: PublicKey::read(path)?, by: format!("--key {}", path.display()) }]);
        }
        let own = PublicKey::own(&self.env)?.map(|key| Pin { key, by: "your own key".into() });
        let mut pins: Vec<Pin> = own.into_iter().collect();
        for text in &Config::load(&self.place.root)?.trusted_keys {
            let read = || PublicKey::read(&self.place.root.join(text));
            // One key that cannot be read makes the others no less trusted, and hides nothing of the ledger.
            let key = match PublicKey::from_text(text).or_else(|_| read()) {
                Ok(key) => key,
                Err(error) => {
                    let line = format!("deeds: trustedKeys: {error}; it is left out");
                    let _ = writeln!(std::io::stderr(), "{}", sanitise(&line, Lines::Escape));
                    continue;
                }
            };
            pins.push(Pin { key, by: "trustedKeys of deeds.json".into() });
        }
        Ok(pins)
    }
}
