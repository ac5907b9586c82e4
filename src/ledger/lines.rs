//! The lines that one append writes, made before anything is written.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::cause::Cause;
use super::duplicate::CONFLICT_KEY;
use super::entry::{self, EntryKind, Link};
use super::hash::{Hash, ZERO};
use super::key::Key;
use super::key::Keys;
use super::lock::Lock;
use super::place;
use super::signer::{self, There};
use super::tail::{End, Fragment, Tail};
use crate::clock;
use crate::durable;
use crate::evidence::id::{digest_fields, hex};
use crate::layout;

/// In a genesis: the ledgers that were begun in its place before, of which nothing was left.
pub(super) const BEFORE: &str = "before";
/// In a `key` entry: the ledgers of which somebody said that he knows they are gone.
pub(super) const FORGOTTEN: &str = "forgotten";

/// Everything that goes into one write, and the link that the next line needs.
pub(super) struct Lines {
    pub bytes: Vec<u8>,
    at: String,
    next: u64,
    prev: Hash,
    /// The ledger's id, if it begins here.
    pub begun: Option<String>,
    /// The key of the next line. `None`: lines are not signed.
    pub key: Option<Key>,
}

impl Lines {
    /// Lines to follow what `tail` ends with. What they have to begin with (a newline, a recovery entry, the genesis) is
    /// in `bytes` already.
    pub fn after(dir: &Path, lock: &Lock, tail: &Tail, keys: Option<&Keys>) -> Result<Lines, Cause> {
        let mut lines = Lines { bytes: Vec::new(), at: clock::now(), next: 0, prev: ZERO, begun: None, key: None };
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
                if let Some(keys) = keys {
                    lines.key = signer::key_for(keys, dir, lock, lines.next)?;
                }
                let announced = lines.announced(link);
                match fragment {
                    Some(fragment) => lines.recovery(&fragment, announced.as_deref()),
                    None => lines.begin_key(announced.as_deref()),
                }
            }
            (None, fragment) => {
                let mark = lock.mark().map_err(Cause::io("read", &dir.join(layout::LOCK)))?;
                let there = keys.map(signer::find).transpose()?.unwrap_or(There::OutOfReach);
                let is_used = |key: &Key| key.is_used();
                if mark.is_some() {
                    let used = matches!(&there, There::Key(key) if is_used(key));
                    return Err(Cause::Gone(keys.filter(|_| used).map(Keys::path)));
                }
                let mut before = Vec::new();
                if let Some(keys) = keys {
                    // The whole place is new, as after a project was cloned again: what was here before is named, and
                    // what happens now is recorded.
                    if let There::Key(old) = &there
                        && is_used(old)
                    {
                        keys.note_gone(old).map_err(Cause::io("note that a ledger is gone", &keys.path()))?;
                    }
                    before = keys.gone();
                }
                let unused = match there {
                    There::Key(key) if is_used(&key) => There::None,
                    other => other,
                };
                let id = match &unused {
                    There::Key(unused) => unused.ledger.clone(),
                    _ => random_id().map_err(Cause::io("read", Path::new(layout::RANDOM)))?,
                };
                lines.key = match unused {
                    There::Key(unused) => Some(unused),
                    There::None => keys.and_then(|keys| keys.make(id.clone(), 0).ok()),
                    There::OutOfReach => None,
                };
                lines.genesis(id, &before, fragment.as_ref());
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
        let key = &mut self.key;
        self.prev = entry::write(&mut self.bytes, seq, &self.prev, &self.at, kind, body, |hash| {
            let key = key.as_mut()?;
            let mac = key.mac(hash);
            key.ratchet();
            Some(mac)
        });
        self.next += 1;
        seq
    }

    /// The same for an entry whose id the entry `with` has too, with other content.
    pub fn add_conflict(&mut self, kind: &EntryKind, body: &[u8], with: u64) -> u64 {
        let mut marked = body[..body.len() - 1].to_vec();
        marked.extend_from_slice(format!(",\"{CONFLICT_KEY}\":{with}}}").as_bytes());
        self.add(kind, &marked)
    }

    /// The entry directly after what was torn, which names it; it announces a key too, since it is signed with it.
    fn recovery(&mut self, fragment: &Fragment, announced: Option<&str>) {
        let id = digest_fields(&["recovery", &self.prev.to_string(), &fragment.sha256]);
        let key = announced.map(|key| format!(",{key}")).unwrap_or_default();
        let body = format!("{{\"id\":\"{id}\",\"reason\":\"torn_tail\",{}{key}}}", described(fragment));
        self.add(&EntryKind::Recovery, body.as_bytes());
    }

    /// What is to be said where entries are signed from here on that were not before, or with other keys.
    fn announced(&self, last: Link) -> Option<String> {
        let key = self.key.as_ref().filter(|key| !last.has_mac || last.seq + 1 == key.start)?;
        Some(format!("\"first\":{},\"index\":{}", key.first, key.index))
    }

    fn begin_key(&mut self, announced: Option<&str>) {
        let Some(announced) = announced else { return };
        let id = digest_fields(&["key", &self.prev.to_string(), announced]);
        self.add(&EntryKind::Key, format!("{{\"id\":\"{id}\",{announced}}}").as_bytes());
    }

    fn genesis(&mut self, id: String, before: &[(String, u64)], fragment: Option<&Fragment>) {
        let mut body = format!(
            "{{\"id\":\"{id}\",\"tool\":{{\"name\":\"deeds\",\"version\":\"{}\"}},\"format\":{}",
            env!("CARGO_PKG_VERSION"),
            entry::FORMAT
        );
        if !before.is_empty() {
            let rows = before.iter().map(|(id, entries)| format!("{{\"ledger\":\"{id}\",\"entries\":{entries}}}"));
            body.push_str(&format!(",\"{BEFORE}\":[{}]", rows.collect::<Vec<_>>().join(",")));
        }
        if let Some(fragment) = fragment {
            body.push(',');
            body.push_str(&described(fragment));
        }
        body.push('}');
        self.add(&EntryKind::Genesis, body.as_bytes());
        self.begun = Some(id);
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

fn random_id() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    File::open(layout::RANDOM)?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}
