//! The lines that one append writes, made before anything is written.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::cause::Cause;
use super::duplicate::CONFLICT_KEY;
use super::entry::{self, EntryKind, Link};
use super::hash::{Hash, ZERO};
use super::lock::Lock;
use super::place;
use super::tail::{End, Fragment, Tail};
use crate::clock;
use crate::durable;
use crate::evidence::id::{digest_fields, hex};
use crate::layout;

/// Everything that goes into one write, and the link that the next line needs.
pub(super) struct Lines {
    pub bytes: Vec<u8>,
    at: String,
    next: u64,
    prev: Hash,
    /// The ledger's id, if it begins here.
    pub begun: Option<String>,
}

impl Lines {
    /// Lines to follow what `tail` ends with. What they have to begin with (a newline, a recovery entry, the genesis) is
    /// in `bytes` already.
    pub fn after(dir: &Path, lock: &Lock, tail: &Tail) -> Result<Lines, Cause> {
        let mut lines = Lines { bytes: Vec::new(), at: clock::now(), next: 0, prev: ZERO, begun: None };
        let (link, fragment) = match tail.end()? {
            End::Whole(link) => (Some(link), None),
            End::NoNewline(link) => {
                lines.bytes.push(b'\n');
                (Some(link), None)
            }
            End::Torn(link, fragment) => {
                if !fragment.isolated {
                    lines.bytes.push(b'\n');
                }
                (link, Some(fragment))
            }
            End::Empty => (None, None),
        };
        match (link.map_or_else(|| last_of_segments(dir), |link| Ok(Some(link)))?, fragment) {
            (Some(link), fragment) => {
                (lines.next, lines.prev) = Link::after(Some(link));
                if let Some(fragment) = fragment {
                    lines.recovery(&fragment);
                }
            }
            (None, fragment) => {
                if lock.mark().map_err(Cause::io("read", &dir.join(layout::LOCK)))?.is_some() {
                    return Err(Cause::Gone);
                }
                lines.genesis(fragment.as_ref())?;
            }
        }
        Ok(lines)
    }

    /// The number of the next entry.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Adds an entry and says its number. `body` is a JSON object.
    pub fn add(&mut self, kind: &EntryKind, body: &[u8]) -> u64 {
        let seq = self.next;
        self.prev = entry::write(&mut self.bytes, seq, &self.prev, &self.at, kind, body);
        self.next += 1;
        seq
    }

    /// The same for an entry whose id the entry `with` has too, with other content.
    pub fn add_conflict(&mut self, kind: &EntryKind, body: &[u8], with: u64) -> u64 {
        let mut marked = body[..body.len() - 1].to_vec();
        marked.extend_from_slice(format!(",\"{CONFLICT_KEY}\":{with}}}").as_bytes());
        self.add(kind, &marked)
    }

    fn recovery(&mut self, fragment: &Fragment) {
        let id = digest_fields(&["recovery", &self.prev.to_string(), &fragment.sha256]);
        let body = format!("{{\"id\":\"{id}\",\"reason\":\"torn_tail\",{}}}", described(fragment));
        self.add(&EntryKind::Recovery, body.as_bytes());
    }

    fn genesis(&mut self, fragment: Option<&Fragment>) -> Result<(), Cause> {
        let id = random_id().map_err(Cause::io("read", Path::new(RANDOM)))?;
        let mut body = format!(
            "{{\"id\":\"{id}\",\"tool\":{{\"name\":\"deeds\",\"version\":\"{}\"}},\"format\":{}",
            env!("CARGO_PKG_VERSION"),
            entry::FORMAT
        );
        if let Some(fragment) = fragment {
            body.push(',');
            body.push_str(&described(fragment));
        }
        body.push('}');
        self.add(&EntryKind::Genesis, body.as_bytes());
        self.begun = Some(id);
        Ok(())
    }
}

fn described(fragment: &Fragment) -> String {
    format!("\"fragment\":{{\"len\":{},\"sha256\":\"{}\"}}", fragment.len, fragment.sha256)
}

/// The last entry of the newest closed segment.
fn last_of_segments(dir: &Path) -> Result<Option<Link>, Cause> {
    let segments = place::segments(dir).map_err(Cause::io("read", dir))?;
    let Some(newest) = segments.last() else { return Ok(None) };
    let path = dir.join(layout::segment(*newest));
    let tail = durable::open(&path).and_then(|file| Tail::read(&file)).map_err(Cause::io("read", &path))?;
    match tail.end()? {
        End::Whole(link) => Ok(Some(link)),
        _ => Err(Cause::Corrupt("its last closed segment does not end with a whole line")),
    }
}

const RANDOM: &str = "/dev/urandom";

fn random_id() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    File::open(RANDOM)?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}
