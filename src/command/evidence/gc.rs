//! `deeds evidence gc`: removes what no entry and no bundle names any more.

use std::io::Write;

use super::Desk;
use super::verbs::GcArgs;
use crate::bundle::gc::{Mode, sweep};
use crate::command::{human, wrote};
use crate::error::{Exit, Result};

pub fn run(desk: &Desk, args: &GcArgs, out: &mut dyn Write) -> Result<Exit> {
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Remove };
    let swept = sweep(&desk.ledger, mode)?;
    let bytes: u64 = swept.removed.iter().map(|(_, len)| len).sum();
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let mut text = String::new();
    for (path, len) in &swept.removed {
        text.push_str(&format!("{}  {len} B\n", path.display()));
    }
    text.push_str(&format!(
        "{verb} {}, {bytes} B; {} in use",
        human::count(swept.removed.len(), "file", "files"),
        human::count(swept.live, "blob", "blobs")
    ));
    if swept.young > 0 {
        text.push_str(&format!(", {} unused and younger than a day", swept.young));
    }
    wrote(writeln!(out, "{text}"), Exit::Holds)
}
