//! `deeds verify`: is the ledger what was written?

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::checkpoint::{self, SignedBy};
use super::evidence::verify::{Bundles, worst};
use super::{Output, human, wrote};
use crate::bundle::head::Head;
use crate::error::{Error, Exit, Result};
use crate::layout::Env;
use crate::ledger::{Asked, Finding, FindingKind, Key, Ledger, Outcome, Protection, Verification};
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub output: Output,
    /// The first key, as `deeds key take` printed it.
    pub key: Option<PathBuf>,
    /// A checkpoint that was kept elsewhere.
    pub expect: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = env.place(&args.workdir);
    let key = args.key.as_deref().map(read_key).transpose()?;
    let expected = args.expect.as_deref().map(|path| checkpoint::read(path, &env)).transpose()?;
    let (checkpoint, signed_by) = expected.unzip();
    let asked = Asked { key, checkpoint, bundles: true, ..Asked::default() };
    let ledger = Ledger::at(&place, &env);
    // What is known first: a seal may end while the ledger is read.
    let head = Head::read(&env, &ledger);
    let mut verification = ledger.verify_against(&asked);
    // What is wrong with the ledger itself is no bundle's fault.
    let anchored = Verification {
        id: verification.id.clone(),
        newest: verification.newest,
        bundles: std::mem::take(&mut verification.bundles),
        ..Verification::default()
    };
    let bundles = Bundles::check(&place, &env, anchored, head)?;
    let exit = report_on(&ledger, &verification, args.output, &asked, signed_by, &bundles, out)?;
    if args.output == Output::Json { Ok(exit) } else { bundles.print(exit, out) }
}

/// Says whether `ledger` is what was written.
pub fn report(ledger: &Ledger, output: Output, out: &mut dyn Write) -> Result<Exit> {
    report_on(ledger, &ledger.verify(), output, &Asked::default(), None, &Bundles::default(), out)
}

/// Longer than a key is no file of one.
const KEY_CAP: u64 = 4 << 10;

fn read_key(path: &Path) -> Result<Key> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(KEY_CAP).read_to_end(&mut bytes).map(|_| bytes)
    } else {
        crate::durable::read_small(path, KEY_CAP)
    };
    let refuse = |why: &str| Error::input(format!("failed to read a key: {}: {why}", path.display()));
    let bytes = read.map_err(|error| refuse(&error.to_string()))?;
    let key = std::str::from_utf8(&bytes).ok().and_then(Key::parse);
    key.ok_or_else(|| refuse("it is not what `deeds key take` prints"))
}

fn report_on(
    ledger: &Ledger,
    verification: &Verification,
    output: Output,
    asked: &Asked,
    signed_by: Option<SignedBy>,
    bundles: &Bundles,
    out: &mut dyn Write,
) -> Result<Exit> {
    let exit = match verification.outcome {
        Outcome::Ok => Exit::Holds,
        Outcome::TornTail => Exit::NotShown,
        Outcome::Altered | Outcome::Forked | Outcome::Shrunk => Exit::DoesNotHold,
        Outcome::Unreadable => Exit::Unable,
    };
    let written = match output {
        Output::Json => print_json(verification, bundles, out),
        Output::Text => print_text(ledger, verification, asked, signed_by, out),
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

fn print_text(
    ledger: &Ledger,
    verification: &Verification,
    asked: &Asked,
    signed_by: Option<SignedBy>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = ledger.dir().display().to_string();
    let entries = verification.entries;
    let outcome = verification.outcome.as_str();
    if entries == 0 && verification.outcome == Outcome::Ok {
        return writeln!(out, "{outcome}: nothing has been recorded yet in {}", sanitise(&place, Lines::Escape));
    }
    writeln!(out, "{outcome}: {} in {}", of(entries), sanitise(&place, Lines::Escape))?;
    for finding in &verification.findings {
        writeln!(out, "  {}", sanitise(&finding.to_string(), Lines::Escape))?;
    }
    if verification.more > 0 {
        writeln!(out, "  and {} more", verification.more)?;
    }
    if let Some(advice) = advice(verification) {
        writeln!(out, "{advice}")?;
    }
    if verification.entries > 0 && verification.outcome != Outcome::Unreadable {
        for line in protection(verification) {
            writeln!(out, "{}", sanitise(&line, Lines::Escape))?;
        }
    }
    if let (Some(checkpoint), true) = (&asked.checkpoint, verification.agrees) {
        let signature = match signed_by {
            Some(SignedBy::Us) => "signed with this user's key",
            _ => "its signature was not checked: the key is not here",
        };
        let first = match checkpoint.size {
            1 => "first entry is that".to_owned(),
            size => format!("first {size} entries are those"),
        };
        writeln!(out, "The {first} of the checkpoint ({signature}).")?;
    }
    let (waiting, unread) = ledger.spool().drafts();
    if !waiting.is_empty() || !unread.is_empty() {
        let (waits, them) = if waiting.len() == 1 { ("waits", "it") } else { ("wait", "them") };
        writeln!(out, "{} {waits} in the spool; the next event takes {them} in.", of(waiting.len() as u64))?;
    }
    for unread in unread {
        writeln!(out, "  cannot be read: {}: {}", unread.path.display(), sanitise(&unread.why, Lines::Escape))?;
    }
    Ok(())
}

fn of(entries: u64) -> String {
    human::count(entries as usize, "entry", "entries")
}

/// What is protected in this state, and what is not.
fn protection(verification: &Verification) -> Vec<String> {
    let (all, without, checked) = (verification.entries, verification.without_mac, verification.checked);
    let mut lines = Vec::new();
    match &verification.protection {
        Protection::None if without < all => lines.push(format!(
            "{} with a mac, and the key is not on this machine: the chain alone was checked.",
            of(all - without)
        )),
        Protection::None => lines.push("No key: the chain alone was checked.".to_owned()),
        Protection::Unreadable(why) => lines.push(format!("The key on this machine cannot be read ({why}): the chain alone was checked.")),
        Protection::Kept(first) => lines.push(format!(
            "{checked} of {all} macs hold under the first key, for entry {first} on. It is still kept on this machine: whoever can \
             read it can make them anew. `deeds key take` gives it to you, to keep elsewhere."
        )),
        Protection::Taken(first) => lines.push(format!(
            "Since entry {first} each entry has a mac; `deeds verify --key FILE` checks them with the key that was taken. Checked \
             here: the chain, and that the end is the one that the current key is for."
        )),
        Protection::Given(first) => lines.push(format!(
            "{checked} of {all} macs hold under the key given, for entry {first} on: nobody who came after it was taken changed \
             an entry written before they came."
        )),
    }
    if without > 0 {
        lines.push(format!(
            "{} without a mac: the chain shows a change there unless all that follows was written anew.",
            of(without)
        ));
    }
    // A checkpoint has shown it.
    if verification.agrees {
        return lines;
    }
    lines.push(match verification.protection {
        Protection::None | Protection::Unreadable(_) => {
            "Not shown: that nothing was cut off at the end; `deeds checkpoint`, kept elsewhere, shows it.".to_owned()
        }
        _ => "Not shown: that nothing was cut off at the end by somebody who changed the key's file too; `deeds checkpoint`, kept \
              elsewhere, shows it."
            .to_owned(),
    });
    lines
}

/// What to do.
fn advice(verification: &Verification) -> Option<&'static str> {
    let only = |kinds: &[FindingKind]| {
        let mut found = verification.findings.iter().filter(|found| found.kind.outcome() == verification.outcome);
        found.all(|found| kinds.contains(&found.kind)) && verification.more == 0
    };
    match verification.outcome {
        Outcome::Ok => None,
        Outcome::TornTail => Some(
            "A write was cut short, as by a crash. The next event isolates what is left of it; all before it stands.",
        ),
        Outcome::Altered if only(&[FindingKind::MacMissing, FindingKind::MacDiffers]) => Some(
            "The chain holds, and the key does not vouch for those entries: deeds ran where it could not reach it (a container, another home), or somebody put them there.",
        ),
        Outcome::Altered => Some(
            "What stands there is not what was recorded. Copy the ledger before anything else; what stands before the first line named is as it was recorded.",
        ),
        Outcome::Forked => Some(
            "Two writers did not see each other's lock, as on some network file systems. Nothing was overwritten; set DEEDS_DIR to a directory on a local disk.",
        ),
        Outcome::Shrunk if only(&[FindingKind::Gone]) && verification.entries > 0 => {
            Some("What was recorded since then is whole.")
        }
        Outcome::Shrunk => Some("Something that was recorded is gone. Bring it back from a copy, if there is one."),
        Outcome::Unreadable => Some("Nothing is said about what could not be read."),
    }
}
