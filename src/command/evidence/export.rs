//! `deeds evidence export TASK --to DIR`: a bundle with all that a reviewer elsewhere needs.
//!
//! ```text
//! DIR/bundle.json    the DSSE envelope
//! DIR/blobs/<aa>/<sha256>
//! DIR/signing.pub    the key that it verifies against here; whoever gets this pins the one that they know
//! DIR/anchor.json    the ledger's entry that names it, as it stands
//! DIR/checkpoint     what the whole ledger was then, signed: `deeds verify --expect` holds the ledger against it
//! ```

use std::io::Write;
use std::path::Path;

use super::Desk;
use super::verbs::EvidenceExportArgs;
use super::verify::{ENVELOPE, print_findings};
use crate::bundle::signing::PublicKey;
use crate::bundle::verify::Report;
use crate::command::{checkpoint, wrote};
use crate::durable::{self, Sync};
use crate::error::{Error, Exit, Result};
use crate::layout;
use crate::ledger::{Entry, Ledger};
use crate::text::{Lines, sanitise};

const ANCHOR: &str = "anchor.json";
const CHECKPOINT: &str = "checkpoint";

pub fn run(desk: &Desk, args: &EvidenceExportArgs, out: &mut dyn Write) -> Result<Exit> {
    let pins = desk.pins(None)?;
    let spine = desk.spine()?;
    let report = desk.report(&args.task, &spine, &pins)?;
    let key = report.signer.as_ref().and_then(|(id, _)| pins.iter().find(|pin| pin.key.key_id() == *id));
    let exit = report.exit();
    let (Some(key), true) = (key, report.anchor.is_some() && exit != Exit::DoesNotHold) else {
        let task = sanitise(&args.task, Lines::Escape);
        let written = writeln!(out, "nothing was exported: {}: {task}", super::verify::verdict(&report))
            .and_then(|()| print_findings(&report, out));
        return wrote(written, exit);
    };
    write(desk, &report, &key.key, &args.to)?;
    let to = args.to.display().to_string();
    let mut text =
        format!("{to}\ncheck it there: deeds evidence verify --bundle {to} --key <your own copy of the key>\n");
    if exit != Exit::Holds {
        text.push_str("it is exported all the same, although something of it cannot be told:\n");
    }
    wrote(write!(out, "{}", sanitise(&text, Lines::Keep)).and_then(|()| print_findings(&report, out)), Exit::Holds)
}

fn write(desk: &Desk, report: &Report, key: &PublicKey, to: &Path) -> Result<()> {
    let (Some(statement), Some(anchor)) = (&report.statement, &report.anchor) else { return Ok(()) };
    std::fs::create_dir(to).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Error::usage(format!("{} is there already; --to wants a folder that is not", to.display()))
        }
        _ => Error::io("make", to, e),
    })?;
    let envelope = desk.ledger.resolve(&anchor.envelope).ok_or_else(|| {
        Error::unable("bundle", format!("failed to read the envelope that entry #{} names", anchor.seq))
    })?;
    let put = |name: &str, bytes: &[u8]| {
        let path = to.join(name);
        durable::put(&path, &to.join(durable::unique_name()), bytes, Sync::None)
            .map_err(|e| Error::io("write", &path, e))
    };
    let exported = Ledger::open(to);
    for (name, digest) in statement.blobs().flatten() {
        let gone = || Error::unable("bundle", format!("failed to read the blob of {name}: it is gone"));
        let bytes = desk.ledger.blobs().get(digest).ok_or_else(gone)?;
        exported.blobs().put(&bytes).map_err(|e| Error::io("write", &to.join(layout::BLOBS), e))?;
    }
    put(layout::SIGNING_PUBLIC, key.to_pem().as_bytes())?;
    if let Some(line) = line_of(&desk.ledger, anchor.seq)? {
        put(ANCHOR, format!("{line}\n").as_bytes())?;
    }
    // Of a ledger that is not whole there is none, and the bundle stands without it.
    if let Ok(note) = checkpoint::note(&desk.ledger, &desk.env) {
        put(CHECKPOINT, note.as_bytes())?;
    }
    put(ENVELOPE, envelope.as_bytes())
}

/// An entry as it stands.
fn line_of(ledger: &Ledger, seq: u64) -> Result<Option<String>> {
    let found = |entry: &Entry| entry.seq == seq;
    Ok(ledger.read_lines()?.flatten().find(|recorded| found(&recorded.entry)).map(|recorded| recorded.line))
}
