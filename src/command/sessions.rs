//! `deeds sessions`: a line for each session that the ledger knows, the newest last, with what it did and its verdicts.
//!
//! Architecture invariant: the ledger is read once, an entry at a time; what is held grows with the sessions and their
//! calls, not with what was recorded of them.

mod tally;

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::docket::{Docket, Reach};
use super::judge::place_of;
use super::terminal::{Paint, Terminal, columns, pad};
use super::{Output, human, wrote};
use crate::claims::config::Config;
use crate::claims::verdict::judge_claims;
use crate::clock;
use crate::error::{Exit, Result};
use crate::judge::ClaimOutcome;
use crate::layout::{Env, Place};
use crate::ledger::{Ledger, Outcome};
use crate::records::story::Scope;
use crate::text::{Lines, sanitise};
use tally::{Tallies, Tally, Verdicts};

/// So many of the newest that were never judged are judged now, and only what ends so near to the ledger's end.
const JUDGED_NOW_MAX: usize = 10;
const JUDGED_NOW_WITHIN: u64 = 20_000;
/// On a narrower terminal ids are cut short.
const WHOLE_ID_FROM: usize = 100;
const SHORT_ID: usize = 13;

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub output: Output,
    pub last: Option<usize>,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = place_of(&args.workdir)?;
    let mut tallies = Tallies::default();
    let mut exit = Exit::Holds;
    let mut wrong = Vec::new();
    for entry in Ledger::at(&place, &env).read()? {
        match entry {
            Ok(entry) => tallies.add(&entry),
            Err(finding) => {
                if finding.kind.outcome() == Outcome::Unreadable {
                    exit = Exit::Unable;
                }
                wrong.push(finding);
            }
        }
    }
    let newest = tallies.newest;
    let mut sessions = tallies.sorted();
    let before = sessions.len().saturating_sub(args.last.unwrap_or(usize::MAX));
    sessions.drain(..before);
    judge_now(&place, &mut sessions, newest);
    let written = match args.output {
        Output::Json => {
            let finding = |f: &crate::ledger::Finding| json!({"finding": {"kind": f.kind.as_str(), "line": f.line, "detail": f.detail}});
            let mut lines = wrong.iter().map(finding).chain(sessions.iter().map(Tally::json));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        }
        Output::Text => {
            let terminal = Terminal::of_stdout(&env);
            let warned = wrong.iter().try_for_each(|finding| {
                let text = format!("!  {}", sanitise(&finding.to_string(), Lines::Escape));
                writeln!(out, "{}", terminal.paint(Paint::Bad, &text))
            });
            let now = clock::parse_millis(&clock::now()).unwrap_or(0);
            warned.and_then(|()| print(&sessions, &terminal, now, out))
        }
    };
    wrote(written, exit)
}

/// Judges the words of sessions for which nobody did when they were said.
fn judge_now(place: &Place, sessions: &mut [Tally], newest: u64) {
    let Ok(config) = Config::load(&place.root) else { return };
    let unjudged = sessions.iter_mut().rev().filter(|s| s.judged.is_empty() && !s.claims.is_empty());
    for session in unjudged.take(JUDGED_NOW_MAX) {
        if newest.saturating_sub(session.last_seq) > JUDGED_NOW_WITHIN {
            continue;
        }
        session.now = judged(place, &config, &session.id).ok();
    }
}

fn judged(place: &Place, config: &Config, session: &str) -> Result<Verdicts> {
    let docket = Docket::open(place, config, Some(Scope::Session(session.to_owned())), Reach::Everything)?;
    let mut counted = Verdicts::default();
    for words in &docket.story.words {
        let (verdicts, _) = judge_claims(docket.claims_of(words), &docket.story, &docket.checks)?;
        for verdict in &verdicts {
            match verdict.result.outcome {
                ClaimOutcome::Supported => counted.supported += 1,
                ClaimOutcome::Contradicted { .. } => counted.contradicted += 1,
                ClaimOutcome::Unsupported { .. } => counted.not_shown += 1,
            }
        }
    }
    Ok(counted)
}

fn print(sessions: &[Tally], terminal: &Terminal, now: i64, out: &mut dyn Write) -> io::Result<()> {
    if sessions.is_empty() {
        return writeln!(out, "no session is recorded here yet");
    }
    let head = ["session", "client", "began", "lasted", "runs", "edits", "claims"].map(str::to_owned);
    let rows: Vec<[String; 7]> = sessions.iter().map(|session| cells(session, terminal, now)).collect();
    let mut widths = [0; 7];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    let line = |row: &[String; 7]| {
        let cell = |(n, (cell, width)): (usize, (&String, &usize))| match n {
            0..=2 => pad(cell, *width),
            _ => format!("{}{cell}", " ".repeat(width.saturating_sub(columns(cell)))),
        };
        row.iter().zip(&widths).enumerate().map(cell).collect::<Vec<_>>().join("  ")
    };
    writeln!(out, "{}", terminal.paint(Paint::Dim, &format!("{}  verdicts", line(&head))))?;
    for (session, row) in sessions.iter().zip(&rows) {
        writeln!(out, "{}  {}", line(row), verdicts(session, terminal))?;
    }
    Ok(())
}

fn cells(session: &Tally, terminal: &Terminal, now: i64) -> [String; 7] {
    let id = sanitise(&session.id, Lines::Escape);
    let whole = terminal.width >= WHOLE_ID_FROM || id.chars().count() <= SHORT_ID;
    let id = if whole { id } else { crate::text::shorten(&id, SHORT_ID) };
    let client = session.client.as_deref().unwrap_or("-");
    [
        id,
        sanitise(client, Lines::Escape),
        session.first.map_or("-".to_owned(), |at| human::ago(at, now)),
        session.first.zip(session.last).map_or("-".to_owned(), |(first, last)| human::duration(last - first)),
        session.runs.len().to_string(),
        session.edits.len().to_string(),
        session.claims.len().to_string(),
    ]
}

/// `✗ 1  ? 2  ✓ 5`
fn verdicts(session: &Tally, terminal: &Terminal) -> String {
    let Some(counted) = session.verdicts() else {
        let why = if session.claims.is_empty() { "-" } else { "not judged" };
        return terminal.paint(Paint::Dim, why);
    };
    let part = |paint, mark: &str, n: usize| (n > 0).then(|| terminal.paint(paint, &format!("{mark} {n}")));
    let parts: Vec<String> = [
        part(Paint::Bad, "✗", counted.contradicted),
        part(Paint::Doubtful, "?", counted.not_shown),
        part(Paint::Good, "✓", counted.supported),
    ]
    .into_iter()
    .flatten()
    .collect();
    let blocked = if session.blocked > 0 { format!("  sent back {}", session.blocked) } else { String::new() };
    let said = if parts.is_empty() { terminal.paint(Paint::Dim, "nothing claimed") } else { parts.join("  ") };
    let now = if session.now.is_some() { "~ " } else { "" };
    format!("{now}{said}{blocked}")
}

impl Tally {
    fn json(&self) -> Value {
        let time = |at: Option<i64>| at.map(clock::format_millis);
        let verdicts = self.verdicts().map(|v| {
            json!({
                "contradicted": v.contradicted, "not_shown": v.not_shown, "supported": v.supported,
                "from": if self.now.is_some() { "judged_now" } else { "recorded" },
            })
        });
        json!({
            "session": self.id, "client": self.client, "started_at": time(self.first), "last_event_at": time(self.last),
            "duration_ms": self.first.zip(self.last).map(|(first, last)| (last - first).max(0)),
            "first_seq": self.first_seq, "last_seq": self.last_seq,
            "runs": self.runs.len(), "edits": self.edits.len(), "claims": self.claims.len(), "blocked": self.blocked,
            "verdicts": verdicts,
        })
    }
}
