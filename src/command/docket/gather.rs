//! Which entries a verdict needs, out of a ledger that may be large.
//!
//! Every line on the way is checked along the chain; only what can matter is built.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use memchr::memmem::{Finder, find};

use super::{Reach, unreadable};
use crate::error::Result;
use crate::ledger::{Backward, BadLine, Choice, Entry, EntryKind, Ledger, Met, Outcome};
use crate::sensor::host_process::HOST_SESSION;
use crate::sensor::scan::could_matter;

/// How many entries before a session's start are looked through for a pass on the same files.
const EARLIER: usize = 1_000;

/// After so many entries of others in a row, the beginning of a session is not looked for any further where somebody waits,
/// or where a hint may lead to it.
const FOREIGN: usize = 10_000;

/// The entries of one session in order, what the host saw itself, and what others showed that may support it. They are read
/// from the end back to the session's start and a little beyond; a session that is far back is found by its hints.
pub fn session(
    ledger: &Ledger,
    id: &str,
    reach: Reach,
    declared: &[String],
    holes: &mut Vec<String>,
) -> Result<Vec<Entry>> {
    let hints = ledger.backward_from_hints(id)?;
    let patience = if hints.is_empty() && reach == Reach::Everything { usize::MAX } else { FOREIGN };
    let mut gathering = Gathering { ledger, id, found: BTreeMap::new(), far: None, holes };
    let most = if reach == Reach::Session { 0 } else { EARLIER };
    let sieve = || Sieve::new(id, declared, most);
    let mut end = gathering.read(ledger.backward()?, sieve().with_patience(patience))?;
    for hint in hints {
        if end == End::Begun {
            break;
        }
        end = gathering.read(hint, sieve().with_patience(FOREIGN))?;
    }
    let Gathering { found, far, holes, .. } = gathering;
    if end == End::GaveUp {
        holes.push(format!("no beginning of the session was found in the {FOREIGN} entries before it"));
    }
    if let Some((seq, offset)) = far {
        ledger.note_at(id, seq, offset);
    }
    Ok(found.into_values().collect())
}

/// Shows `each` what can matter of the whole ledger, in order, one entry at a time.
pub fn whole(ledger: &Ledger, declared: &[String], holes: &mut Vec<String>, each: &mut dyn FnMut(Entry)) -> Result<()> {
    let mut head = Vec::new();
    let mut taken = 0;
    let bearing = Bearing::new(declared);
    let mut bears = |line: &[u8]| {
        // Of any kind of observation the first ones say that it reached the ledger.
        let changes_head = value_after(line, b"\"head\":\"").is_some_and(|now| now != head);
        let bears = taken < FOREIGN / 10 || changes_head || bearing.has(line);
        taken += usize::from(bears);
        if let Some(now) = value_after(line, b"\"head\":\"").filter(|_| changes_head) {
            head = now.to_owned();
        }
        bears
    };
    let mut trouble = Ok(());
    ledger.scan(&mut |met| {
        let met = match met {
            Met::Entry(raw) if bears(raw.line) => raw.build(),
            Met::Entry(_) => return ControlFlow::Continue(()),
            Met::Built(recorded) => Ok(recorded.entry),
            Met::Wrong(bad) => Err(bad),
        };
        match met {
            Ok(entry) => each(entry),
            Err(bad) => trouble = damaged(ledger, &bad, holes),
        }
        if trouble.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    trouble
}

fn damaged(ledger: &Ledger, bad: &BadLine, holes: &mut Vec<String>) -> Result<()> {
    if bad.kind.outcome() == Outcome::Unreadable {
        return Err(unreadable(ledger, bad));
    }
    // A damaged line may be met from more than one side.
    let hole = format!("the ledger is damaged: {bad}");
    if !holes.contains(&hole) {
        holes.push(hole);
    }
    Ok(())
}

/// How one way back ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At the beginning of the session, or of the ledger.
    Begun,
    GaveUp,
}

struct Gathering<'a> {
    ledger: &'a Ledger,
    id: &'a str,
    found: BTreeMap<u64, Entry>,
    /// The session's last entry, if it is so far back that it should be found sooner next time.
    far: Option<(u64, u64)>,
    holes: &'a mut Vec<String>,
}

impl Gathering<'_> {
    fn read(&mut self, mut back: Backward, mut sieve: Sieve<'_>) -> Result<End> {
        while let Some(entry) = back.next_of(&mut |line| sieve.choose(line)) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(bad) => {
                    damaged(self.ledger, &bad, self.holes)?;
                    continue;
                }
            };
            if entry.body["session_id"] == *self.id {
                if sieve.longest > FOREIGN && self.far.is_none() {
                    self.far = Some((entry.seq, back.at()));
                }
                if sieve.beyond.is_none() && begins(&entry) {
                    sieve.beyond = Some(0);
                }
            }
            self.found.insert(entry.seq, entry);
        }
        Ok(if sieve.gave_up { End::GaveUp } else { End::Begun })
    }
}

/// Tells line by line, from the newest back, what can matter to one session.
struct Sieve<'a> {
    own: Finder<'static>,
    bearing: Bearing<'a>,
    /// Entries of others since the last own one, and the most of them in a row.
    foreign: usize,
    longest: usize,
    patience: usize,
    /// Entries before the session's start, and how many of them are looked at.
    beyond: Option<usize>,
    most: usize,
    gave_up: bool,
}

impl<'a> Sieve<'a> {
    fn new(id: &str, declared: &'a [String], most: usize) -> Sieve<'a> {
        let own = Finder::new(&of_session(id)).into_owned();
        let bearing = Bearing::new(declared);
        Sieve { own, bearing, foreign: 0, longest: 0, patience: FOREIGN, beyond: None, most, gave_up: false }
    }

    fn with_patience(self, patience: usize) -> Sieve<'a> {
        Sieve { patience, ..self }
    }

    fn choose(&mut self, line: &[u8]) -> Choice {
        if let Some(count) = &mut self.beyond {
            if *count >= self.most {
                return Choice::Stop;
            }
            *count += 1;
        }
        if self.own.find(line).is_some() {
            self.foreign = 0;
            return Choice::Take;
        }
        self.foreign += 1;
        self.longest = self.longest.max(self.foreign);
        if self.beyond.is_none() && self.foreign > self.patience {
            self.gave_up = true;
            return Choice::Stop;
        }
        if self.bearing.is_evidence(line) && self.bearing.has(line) { Choice::Take } else { Choice::Pass }
    }
}

/// What a line of a session holds; inside of a string its quotation marks would be escaped.
fn of_session(id: &str) -> Vec<u8> {
    format!("\"session_id\":{}", serde_json::Value::from(id)).into_bytes()
}

/// The entry with which a session began; a resumed one began before.
fn begins(entry: &Entry) -> bool {
    entry.kind == EntryKind::Session
        && entry.body["event"] == "SessionStart"
        && !matches!(entry.body["source"].as_str(), Some("resume" | "compact"))
}

/// Tells by a line, nothing of which is built, whether its entry can bear on a verdict: all but commands that cannot have
/// been a check, and tools that change nothing. Over-inclusive.
struct Bearing<'a> {
    declared: &'a [String],
    evidence: Finder<'static>,
    look: Finder<'static>,
    host: Finder<'static>,
    exit_code: Finder<'static>,
    tool_result: Finder<'static>,
}

impl<'a> Bearing<'a> {
    fn new(declared: &'a [String]) -> Bearing<'a> {
        Bearing {
            declared,
            evidence: Finder::new(b"\"kind\":\"evidence\",\"body\":{"),
            look: Finder::new(b"\"look\":\""),
            host: Finder::new(&of_session(HOST_SESSION)).into_owned(),
            exit_code: Finder::new(b"\"kind\":\"exit_code\""),
            tool_result: Finder::new(b"\"kind\":\"tool_result\""),
        }
    }

    fn is_evidence(&self, line: &[u8]) -> bool {
        self.evidence.find(line).is_some()
    }

    fn has(&self, line: &[u8]) -> bool {
        if !self.is_evidence(line) || self.look.find(line).is_some() || self.host.find(line).is_some() {
            return true;
        }
        if self.exit_code.find(line).is_some() {
            return command(line).is_none_or(|command| could_matter(&command, self.declared));
        }
        let tool = value_after(line, b"\"tool\":\"").unwrap_or_default();
        self.tool_result.find(line).is_none() || matches!(tool, b"Agent" | b"Task") || tool.ends_with(b"agent")
    }
}

/// The command of a line, if it stands there.
fn command(line: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\"command\":";
    let at = find(line, KEY)? + KEY.len();
    serde_json::Deserializer::from_slice(&line[at..]).into_iter::<String>().next()?.ok()
}

/// A string without escapes, after its key.
fn value_after<'l>(line: &'l [u8], key: &[u8]) -> Option<&'l [u8]> {
    let rest = &line[find(line, key)? + key.len()..];
    rest.split(|byte| *byte == b'"').next()
}
