//! `deeds doctor`: whether what should happen at every tool call does, looked at link by link; for what is not well, what
//! to do.
//!
//! Architecture invariant: it looks, and changes nothing.

mod calls;
mod clients;
mod heartbeat;
mod kept;
mod project;
mod report;
mod trust;

use std::io::Write;
use std::path::PathBuf;

use self::report::{Check, Level, Report};
use super::install::client::Client;
use super::{Output, wrote};
use crate::error::{Exit, Result};
use crate::layout::{self, Env};
use crate::ledger::Ledger;

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    /// Only this one, which must be registered then.
    pub client: Option<Client>,
    pub output: Output,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = env.place(&args.workdir);
    let ledger = Ledger::at(&place, &env);
    let mut report = Report::default();
    program(&env, &mut report);
    let past = heartbeat::Past::read(&ledger);
    let asked = args.client.map_or(Client::ALL.to_vec(), |client| vec![client]);
    let registered: Vec<clients::Registered> =
        asked.iter().filter_map(|client| clients::look(*client, &env, &place.root, &past, &mut report)).collect();
    if registered.is_empty() && !report.has(Level::Failure) {
        let (says, todo) = match args.client {
            Some(client) => (
                format!("{} does not call deeds, so nothing is recorded", client.name()),
                format!("deeds install {}", client.tag()),
            ),
            None => (
                "no client calls deeds, so nothing is recorded".to_owned(),
                "deeds install claude, or deeds install codex".to_owned(),
            ),
        };
        report.add(Check::failure("clients", says, todo));
    }
    for client in &registered {
        heartbeat::look(client.client, &past, &mut report);
        calls::look(client, &env, &place.root, &past, &mut report);
    }
    heartbeat::look_at_shapes(&past, &mut report);
    kept::look(&ledger, &env, &mut report);
    project::look(&place, &env, registered.iter().any(|client| client.client == Client::Codex), &mut report);
    let exit = match report.worst() {
        Level::Ok => Exit::Holds,
        Level::Warning => Exit::NotShown,
        Level::Failure => Exit::DoesNotHold,
    };
    wrote(report.write(args.output, &asked, out), exit)
}

/// This program, and whether a terminal finds it.
fn program(env: &Env, report: &mut Report) {
    let version = env!("CARGO_PKG_VERSION");
    let this = std::env::current_exe().unwrap_or_default();
    let shown = this.display();
    report.add(match layout::on_path("deeds") {
        Some(found) if layout::is_same_file(&found, &this) => {
            Check::ok("program", format!("deeds {version}, {}", found.display()))
        }
        Some(found) => Check::warning(
            "program",
            format!("this is {shown}, and `deeds` on your PATH is another: {}", found.display()),
            "remove the one that is not wanted, or put its folder later in PATH",
        ),
        None => Check::warning(
            "program",
            format!("deeds {version}, {shown}, is not on your PATH"),
            "add its folder to PATH; cargo puts programs into ~/.cargo/bin",
        ),
    });
    if env.off {
        report.add(Check::failure(
            "DEEDS_OFF",
            "is set: the hook records nothing where a client inherits it",
            "unset DEEDS_OFF, and start the client from there",
        ));
    }
}
