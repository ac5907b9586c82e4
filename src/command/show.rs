//! `deeds show`: one entry whole, with what its blobs hold and what stands between it and the agent.

mod chain;
mod same_call;

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::{why, wrote};
use crate::error::{Error, Exit, Result};
use crate::evidence::{Evidence, EvidenceSource};
use crate::layout::{Env, Place};
use crate::ledger::{Entry, EntryKind, Finding, Ledger, Outcome, blob_of};
use crate::text::{Lines, sanitise};
use chain::{Chain, Link};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    /// An entry's number (`118`, `#118`), or an id or its beginning.
    pub entry: String,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let place = env.place(&args.workdir);
    let ledger = Ledger::at(&place, &env);
    show(&ledger, &args.entry, Some(&place), out)
}

/// Shows the entries of `ledger` that `name` is the number or the beginning of the id of.
pub fn report(ledger: &Ledger, name: &str, out: &mut dyn Write) -> Result<Exit> {
    show(ledger, name, None, out)
}

/// `place`: where to look for what the entry's run counts as.
fn show(ledger: &Ledger, name: &str, place: Option<&Place>, out: &mut dyn Write) -> Result<Exit> {
    let wanted = Wanted::parse(name)?;
    let mut shown = 0;
    let mut chain = Chain::default();
    // The entry last found, which is shown once it is known what follows it.
    let mut held: Option<(Entry, Option<Link>)> = None;
    let mut all = ledger.read()?;
    loop {
        let next = match all.next() {
            Some(Err(finding)) => {
                chain.wrong.push(finding);
                continue;
            }
            Some(Ok(entry)) => Some(entry),
            None => None,
        };
        if let Some((entry, before)) = held.take() {
            let written = if shown > 0 { writeln!(out) } else { Ok(()) }
                .and_then(|()| print(ledger, &entry, &chain.lines(&entry, before, next.as_ref()), out))
                .and_then(|()| print_why(place, &entry, out));
            if written.is_err() {
                return wrote(written, Exit::Holds);
            }
            shown += 1;
            if matches!(wanted, Wanted::Seq(_)) {
                break;
            }
        }
        let Some(entry) = next else { break };
        let link = Link { seq: entry.seq, hash: entry.hash };
        if wanted.is(&entry) {
            held = Some((entry, chain.last));
        }
        chain.last = Some(link);
    }
    if shown == 0 { Err(absent(name, &chain.wrong)) } else { Ok(Exit::Holds) }
}

/// What is not there may have been taken out: then the damage is what there is to say.
fn absent(name: &str, wrong: &[Finding]) -> Error {
    let name = sanitise(name, Lines::Escape);
    let first = |of: fn(Outcome) -> bool| wrong.iter().find(|finding| of(finding.kind.outcome()));
    let damaged = |finding: &Finding, exit| Error {
        exit,
        code: "damaged_ledger",
        message: format!("entry {name} cannot be shown: the ledger is damaged: {finding}; see deeds verify"),
        at: None,
    };
    if let Some(finding) = first(|outcome| outcome == Outcome::Unreadable) {
        return damaged(finding, Exit::Unable);
    }
    if let Some(finding) = first(|outcome| !matches!(outcome, Outcome::Ok | Outcome::TornTail)) {
        return damaged(finding, Exit::DoesNotHold);
    }
    let torn = first(|outcome| outcome == Outcome::TornTail).map(|_| " (its last line was cut short, as by a crash)");
    let message = format!("no such entry: {name}{}; `deeds log` lists them", torn.unwrap_or_default());
    Error { exit: Exit::NotShown, code: "not_found", message, at: None }
}

/// Why the run that the entry is about counts as what it counts as; of words, what became of the claims in them.
fn print_why(place: Option<&Place>, entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    let session = entry.body["session_id"].as_str();
    let lines = match (place.zip(session), &entry.kind) {
        (Some((place, session)), EntryKind::Claim) => why::claims(place, session, entry.seq),
        (Some((place, session)), _) => why::explain(place, session, entry.seq),
        _ => Vec::new(),
    };
    if !lines.is_empty() {
        writeln!(out, "\nwhy:")?;
    }
    lines.iter().try_for_each(|line| writeln!(out, "  {}", sanitise(line, Lines::Escape)))
}

/// Which entries are asked for.
enum Wanted {
    Seq(u64),
    Id(String),
}

/// An id is recognised by this much of its beginning.
const ID_MIN: usize = 6;

impl Wanted {
    fn parse(text: &str) -> Result<Wanted> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if let Some(seq) = digits.parse().ok().filter(|_| digits.len() < ID_MIN + 10) {
            return Ok(Wanted::Seq(seq));
        }
        let is_id = text.len() >= ID_MIN && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_id {
            let text = sanitise(text, Lines::Escape);
            return Err(Error::usage(format!("`{text}` is neither an entry's number nor the beginning of an id")));
        }
        Ok(Wanted::Id(text.to_owned()))
    }

    fn is(&self, entry: &Entry) -> bool {
        match self {
            Wanted::Seq(seq) => entry.seq == *seq,
            Wanted::Id(id) => entry.id().starts_with(id.as_str()),
        }
    }
}

fn print(ledger: &Ledger, entry: &Entry, chain: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    field(out, "entry", &format!("#{} {}", entry.seq, entry.kind))?;
    field(out, "appended", &entry.at)?;
    chain.iter().try_for_each(|(name, line)| field(out, name, line))?;
    let evidence: Option<Evidence> = match entry.kind {
        EntryKind::Evidence => serde_json::from_value(entry.body.clone()).ok(),
        _ => None,
    };
    let Some(evidence) = evidence else { return members(ledger, &entry.body, out) };
    field(out, "id", &evidence.id)?;
    field(out, "kind", evidence.kind.as_str())?;
    field(out, "session", &evidence.session_id)?;
    field(out, "call", evidence.source_event_id.as_deref().unwrap_or("none"))?;
    field(out, "observed", &evidence.observed_at)?;
    field(out, "provenance", &evidence.provenance)?;
    match &evidence.source {
        Some(source) => print_source(source, out)?,
        None => field(out, "source", "none was named")?,
    }
    print_context(&evidence.payload["context"], out)?;
    for (key, value) in &evidence.extra {
        member(ledger, key, value, out)?;
    }
    // A ledger that cannot be read has said so before this entry came out of it.
    for (nth, line) in same_call::lines(ledger, &evidence).unwrap_or_default().iter().enumerate() {
        field(out, if nth == 0 { "same call" } else { "" }, line)?;
    }
    writeln!(out)?;
    members(ledger, &evidence.payload, out)
}

fn print_source(source: &EvidenceSource, out: &mut dyn Write) -> io::Result<()> {
    let version = source.collector_version.as_deref().unwrap_or("unknown");
    field(out, "sensor", &format!("{} (version {version})", source.sensor_name))?;
    field(out, "trust", &format!("{} via {}", source.trust_class, source.collection_method))?;
    field(out, "boundary", &source.boundary())?;
    if let Some(detail) = &source.tamper_boundary.detail {
        field(out, "", detail)?;
    }
    field(out, "clock", source.freshness.clock_source.as_str())?;
    if let Some(caveat) = &source.freshness.caveat {
        field(out, "", caveat)?;
    }
    field(out, "collected", &source.collected_at)
}

/// Where it happened: worktree, directory and commit.
fn print_context(context: &Value, out: &mut dyn Write) -> io::Result<()> {
    for (name, key) in [("worktree", "root"), ("directory", "cwd"), ("commit", "head"), ("branch", "branch")] {
        if let Some(text) = context[key].as_str() {
            field(out, name, text)?;
        }
    }
    match context["agent"]["id"].as_str() {
        Some(agent) => field(out, "sub-agent", agent),
        None => Ok(()),
    }
}

fn field(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "{name:<11} {}", sanitise(value, Lines::Escape))
}

fn members(ledger: &Ledger, value: &Value, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Value::Object(members) => members.iter().try_for_each(|(key, item)| member(ledger, key, item, out)),
        other => member(ledger, "payload", other, out),
    }
}

/// Writes one member; text of several lines as such, indented.
fn member(ledger: &Ledger, key: &str, value: &Value, out: &mut dyn Write) -> io::Result<()> {
    let key = sanitise(key, Lines::Escape);
    if let Some(digest) = blob_of(value)
        && ledger.resolve(value).is_none()
    {
        return writeln!(out, "{key}: (blob {digest} is gone, or holds something else)");
    }
    match ledger.resolve_all(value) {
        Value::String(text) if text.contains('\n') => {
            writeln!(out, "{key}:")?;
            text.lines().try_for_each(|line| writeln!(out, "  | {}", sanitise(line, Lines::Escape)))
        }
        Value::String(text) => writeln!(out, "{key}: {}", sanitise(&text, Lines::Escape)),
        other => writeln!(out, "{key}: {}", sanitise(&other.to_string(), Lines::Escape)),
    }
}
