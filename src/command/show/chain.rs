//! An entry's place in the chain: what it names as the one before it, its own hash, and whether the one after names it.

use crate::ledger::{Entry, Finding, Hash, Outcome};

/// An entry by what the one after it names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub seq: u64,
    pub hash: Hash,
}

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Chain {
    pub last: Option<Link>,
    pub wrong: Vec<Finding>,
}

impl Chain {
    /// Names and values, to be shown with the entry. Reading has recomputed the hash: an entry whose bytes are not those
    /// that its hash was made of is never one.
    pub fn lines(&self, entry: &Entry, before: Option<Link>, after: Option<&Entry>) -> Vec<(&'static str, String)> {
        let prev = match before {
            Some(before) if before.hash == entry.prev => format!("{}, the hash of #{}", entry.prev, before.seq),
            Some(before) => format!("{}, which is not the hash of #{} before it", entry.prev, before.seq),
            None if entry.seq == 0 => format!("{}: it is the first", entry.prev),
            None => format!("{}, and there is nothing before it", entry.prev),
        };
        let next = match after {
            Some(after) if after.prev == entry.hash => format!("#{} names this hash as the one before it", after.seq),
            Some(after) => format!("#{} does not follow: it names {} as the one before it", after.seq, after.prev),
            None => "none yet: it is the newest, and nothing vouches for it but its own hash".to_owned(),
        };
        let mac = if entry.mac.is_some() { "present; deeds verify --key checks it" } else { "none" };
        let mut lines = vec![
            ("hash", format!("{}, recomputed from its bytes: the same", entry.hash)),
            ("prev", prev),
            ("next", next),
            ("mac", mac.to_owned()),
        ];
        let damage: Vec<&Finding> = self.wrong.iter().filter(|found| found.kind.outcome() != Outcome::Ok).collect();
        if let Some(first) = damage.first() {
            let more = if damage.len() > 1 { format!(" and {} more", damage.len() - 1) } else { String::new() };
            lines.push(("damage", format!("before or at this entry: {first}{more}; see deeds verify")));
        }
        lines
    }
}
