//! Whether entries were signed with the ledger's keys, one after the other.
//!
//! With the first key, every mac is made again. Once that has been taken elsewhere, the current key still says which entry
//! comes next, and from which one on every entry has a mac.

use serde_json::Value;

use super::entry::Parts;
use super::finding::{Finding, FindingKind, Outcome};
use super::key::{BEHIND_MAX, Found, Key, Keys};

/// What macs were checked with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Protection {
    /// No key: the chain alone.
    #[default]
    None,
    /// Something stands where the key is that is none, or cannot be read.
    Unreadable(String),
    /// The first key, which is still kept on this machine, and its first entry.
    Kept(u64),
    /// The first key has been taken: only the current one is here. Its first entry.
    Taken(u64),
    /// The first key, handed in, and its first entry.
    Given(u64),
}

/// What the whole ledger was found to be.
pub(super) struct Whole {
    pub entries: u64,
    pub id: Option<String>,
    /// It is known already that nothing is left of it.
    pub known_gone: bool,
}

pub(super) struct MacCheck {
    pub protection: Protection,
    pub checked: u64,
    /// The key for the next entry to be checked.
    key: Option<Key>,
    /// The key of this machine.
    current: Option<Key>,
    /// From here on every entry has a mac.
    first: u64,
    /// Entries before the first that have macs: of a key that is not here.
    foreign: u64,
    /// The number after the last entry's.
    next: u64,
    given: bool,
}

impl MacCheck {
    pub fn new(keys: Option<&Keys>, given: Option<Key>) -> MacCheck {
        let mut check = MacCheck {
            protection: Protection::None,
            checked: 0,
            key: None,
            current: None,
            first: u64::MAX,
            foreign: 0,
            next: 0,
            given: given.is_some(),
        };
        let read = keys.map(|keys| keys.current().and_then(|current| Ok((current, keys.first()?))));
        match read {
            Some(Ok((Found::Key(current), first))) => {
                check.first = current.first;
                check.protection = Protection::Taken(current.first);
                check.key = Some(current.clone());
                check.current = Some(current);
                if let Found::Key(first) = first {
                    check.protection = Protection::Kept(first.first);
                    check.key = Some(first);
                }
            }
            Some(Ok((Found::Damaged, _))) => check.protection = Protection::Unreadable("it is no key".to_owned()),
            Some(Err(error)) => check.protection = Protection::Unreadable(error.to_string()),
            Some(Ok((Found::None, _))) | None => {}
        }
        if let Some(given) = given {
            check.first = given.first;
            check.protection = Protection::Given(given.first);
            check.key = Some(given);
        }
        check
    }

    pub fn entry(&mut self, parts: &Parts<'_>, line: u64, found: &mut Vec<Finding>) {
        let follows = parts.seq == self.next;
        self.next = parts.seq.saturating_add(1);
        if parts.seq < self.first {
            self.foreign += u64::from(parts.mac.is_some());
            return;
        }
        let Some(mac) = parts.mac else {
            let detail = format!(
                "entry {} has no mac, and since entry {} all have one: it was put there without the key, or where deeds \
                 could not reach it",
                parts.seq, self.first
            );
            found.push(Finding::new(FindingKind::MacMissing, line, detail));
            return;
        };
        let Some(mut key) = self.key.clone().filter(|key| key.seq <= parts.seq) else { return };
        if parts.seq - key.seq > BEHIND_MAX {
            let detail = format!("entry {} is further from the one before than a key reaches", parts.seq);
            found.push(Finding::new(FindingKind::MacDiffers, line, detail));
            return;
        }
        while key.seq < parts.seq {
            key.ratchet();
        }
        let expected = key.index;
        let announced = if matches!(parts.kind, "key" | "recovery") { Announced::of(parts.body) } else { None };
        let skipped = announced.as_ref().map_or(0, |told| told.index.saturating_sub(expected));
        if skipped <= BEHIND_MAX {
            (0..skipped).for_each(|_| key.skip());
        }
        if key.mac(&parts.hash) == mac {
            self.checked += 1;
            if skipped > 0 {
                let detail = format!("{skipped} entries that stood before it are gone, by the key it was signed with");
                found.push(Finding::new(FindingKind::KeyAhead, line, detail));
            }
            key.ratchet();
            self.key = Some(key);
            return;
        }
        if announced.is_some_and(|told| told.first == parts.seq) {
            let detail = format!(
                "at entry {} another key begins, and nothing signed with the one before says so; what stands before it is \
                 proven by this key, the rest is not",
                parts.seq
            );
            found.push(Finding::new(FindingKind::MacDiffers, line, detail));
            // The rest has other macs, all of them.
            (self.key, self.first) = (None, u64::MAX);
            return;
        }
        let detail = format!("entry {} was not signed with the key for it", parts.seq);
        found.push(Finding::new(FindingKind::MacDiffers, line, detail));
        // One after the other costs one step each; a number out of order is looked at, and not followed.
        if follows && skipped == 0 {
            key.ratchet();
            self.key = Some(key);
        }
    }

    /// What is found once all has been read.
    pub fn end(&self, whole: &Whole, outcome: Outcome) -> Vec<Finding> {
        let mut found = Vec::new();
        if let Protection::Unreadable(why) = &self.protection {
            found.push(Finding::new(FindingKind::KeyUnreadable, 0, format!("the ledger's key cannot be read: {why}")));
        }
        let given = self.key.as_ref().filter(|_| self.given);
        for key in self.current.iter().chain(given) {
            match &whole.id {
                Some(id) if *id != key.ledger => {
                    let detail = format!("this is ledger {id}; the key is of ledger {}", key.ledger);
                    found.push(Finding::new(FindingKind::Replaced, 1, detail));
                    return found;
                }
                None if whole.entries == 0 && !whole.known_gone && outcome != Outcome::Unreadable && key.is_used() => {
                    let detail = format!("ledger {} was begun here, and nothing of it is left", key.ledger);
                    found.push(Finding::new(FindingKind::Gone, 0, detail));
                    return found;
                }
                _ => {}
            }
        }
        if let Some(current) = self.current.as_ref().filter(|current| whole.entries > 0 && self.next < current.seq) {
            let detail = format!(
                "the key is for entry {}, and the last one here is {}: {} entries are gone from the end. A power cut may \
                 take the last ones, and so may somebody who cuts them off",
                current.seq,
                self.next.saturating_sub(1),
                current.seq - self.next
            );
            found.push(Finding::new(FindingKind::KeyAhead, 0, detail));
        }
        if self.foreign > 0 && !self.given && self.current.is_some() && self.first < u64::MAX {
            let detail = format!(
                "{} entries before entry {} have macs of a key that is not here: it was lost or removed, and another one \
                 began",
                self.foreign, self.first
            );
            found.push(Finding::new(FindingKind::Rekeyed, 0, detail));
        }
        found
    }
}

/// What a `key` entry says, or a `recovery` in its place.
struct Announced {
    first: u64,
    index: u64,
}

impl Announced {
    fn of(body: &[u8]) -> Option<Announced> {
        let body: Value = serde_json::from_slice(body).ok()?;
        Some(Announced { first: body.get("first")?.as_u64()?, index: body.get("index")?.as_u64()? })
    }
}
