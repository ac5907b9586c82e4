//! `deeds evidence list`: the tasks that have a bundle.

use std::io::Write;

use serde_json::json;

use super::Desk;
use super::verbs::EvidenceListArgs;
use crate::command::wrote;
use crate::error::{Exit, Result};
use crate::text::{Lines, sanitise};

pub fn run(desk: &Desk, args: &EvidenceListArgs, out: &mut dyn Write) -> Result<Exit> {
    let spine = desk.spine()?;
    for (task, count) in spine.tasks() {
        let Some(latest) = spine.latest(task) else { continue };
        let written = if args.json {
            let told = json!({
                "task": task, "result": latest.result, "gatePassed": latest.gate_passed, "bundle": latest.bundle,
                "anchor": latest.seq, "at": latest.at, "superseded": count - 1,
            });
            writeln!(out, "{told}")
        } else {
            let earlier = if count > 1 { format!("  and {} before it", count - 1) } else { String::new() };
            let bundle = latest.bundle.get(..12).unwrap_or(&latest.bundle);
            let line = format!("{}  {:<6}  #{}  {bundle}  {task}{earlier}", latest.at, latest.result, latest.seq);
            writeln!(out, "{}", sanitise(&line, Lines::Escape))
        };
        if written.is_err() {
            return wrote(written, Exit::Holds);
        }
    }
    if spine.anchors().is_empty() && !args.json {
        return wrote(writeln!(out, "no bundles"), Exit::Holds);
    }
    Ok(Exit::Holds)
}
