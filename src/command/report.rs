//! `deeds report`: a session's verdicts, its time line and its evidence as one page for a browser.
//!
//! Architecture invariant: the page loads nothing and runs no script, and says so to the browser (a content security
//! policy); all that comes from outside goes through [`html::text`]. What it says is what `deeds judge` and `deeds show` say.

mod events;
mod html;
mod lanes;
mod rows;
mod verdicts;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::docket::{Docket, Reach};
use super::judge::place_of;
use super::session::scope_of;
use super::{Quiet, human, wrote};
use crate::claims::config::Config;
use crate::clock;
use crate::error::{Error, Exit, Result};
use crate::layout::{Env, Place};
use crate::ledger::Ledger;
use events::Events;
use lanes::Lanes;
use verdicts::Groups;

const PAGE: &str = include_str!("report/page.html");
const STYLE: &str = include_str!("report/style.css");

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    /// `-`: standard output.
    pub html: PathBuf,
    pub session: Option<String>,
    /// The whole ledger as one session.
    pub all: bool,
    pub quiet: Quiet,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let place = place_of(&args.workdir)?;
    let config = Config::load(&place.root)?;
    let scope = scope_of(&place, args.session.as_deref(), args.all)?;
    let docket = Docket::open(&place, &config, scope, Reach::Everything)?;
    let groups = Groups::judge(&docket, &place.root)?;
    let page = page(&place, &docket, &groups, args.all)?;
    if args.html == Path::new("-") {
        return wrote(out.write_all(page.as_bytes()), Exit::Holds);
    }
    std::fs::write(&args.html, &page).map_err(|e| Error::io("write", &args.html, e))?;
    if args.quiet == Quiet::Yes {
        return Ok(Exit::Holds);
    }
    let size = human::bytes(page.len() as u64);
    wrote(writeln!(out, "wrote {} ({size}): {}", args.html.display(), groups.tally()), Exit::Holds)
}

fn page(place: &Place, docket: &Docket<'_>, groups: &Groups, all: bool) -> Result<String> {
    let ledger = Ledger::at(place, &Env::read());
    let events = Events::gather(&ledger, docket, all)?;
    let lanes = Lanes::of(docket, &events, groups);
    let project = place.root.file_name().unwrap_or(place.root.as_os_str()).to_string_lossy();
    let now = clock::parse_millis(&clock::now()).unwrap_or(0);
    let title = groups.title();
    let judged = format!("Judged {} UTC, standing claims on the files as they were then.", human::utc(now));
    let coverage = docket.coverage();
    Ok(html::fill(
        PAGE,
        &[
            ("style", STYLE.to_owned()),
            ("project", html::text(&project)),
            ("title", html::text(&title)),
            ("class", groups.class().to_owned()),
            ("tally", html::text(&groups.tally())),
            ("facts", facts(docket, &events, all)),
            ("verdicts", groups.html(docket, &events)),
            ("lanes", lanes.html()),
            ("events", rows::html(docket, &events, &lanes, groups)),
            ("unseen", unseen(&coverage.holes)),
            ("judged", html::text(&judged)),
            ("chain", html::text(&events.chain)),
            ("boundaries", events.boundaries()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ],
    ))
}

/// Who, when and how much, in one line.
fn facts(docket: &Docket<'_>, events: &Events, all: bool) -> String {
    let mut parts = Vec::new();
    match (&docket.session, all) {
        (_, true) => parts.push("the whole ledger".to_owned()),
        (Some(id), _) => parts.push(format!("session <code>{}</code>", html::text(id))),
        _ => parts.push("no session".to_owned()),
    }
    if let Some(client) = &docket.story.client {
        parts.push(html::text(client));
    }
    if let Some((first, last)) = events.span() {
        parts.push(format!("{} UTC, {}", human::utc(first), human::duration(last - first)));
    }
    let (runs, edits, said) = events.counts();
    parts.push(format!(
        "{}, {}, {}",
        human::count(runs, "run", "runs"),
        human::count(edits, "edit", "edits"),
        human::count(said, "message", "messages")
    ));
    parts.iter().map(|part| format!("<span>{part}</span>")).collect()
}

fn unseen(holes: &[String]) -> String {
    if holes.is_empty() {
        return String::new();
    }
    let items: String = holes.iter().map(|hole| format!("<li>{}</li>", html::text(hole))).collect();
    format!("<section id=\"unseen\"><h2>What could not be seen</h2><ul>{items}</ul></section>")
}
