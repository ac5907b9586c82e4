//! Which key the next entry is signed with, asked while the ledger is locked.
//!
//! | the key is | because | and so |
//! |---|---|---|
//! | for the next entry | | it signs |
//! | behind | a crash came between the lines and the key | it catches up |
//! | ahead | entries are gone | it goes on from where it is, and a `key` entry says how many it skipped |
//! | not there | the ledger is older than its key, or the key was lost | one is made, and a `key` entry announces it |
//! | another ledger's, or out of reach | | nothing is signed; `deeds verify` says so |

use std::path::Path;
use std::time::Duration;

use super::Ledger;
use super::cause::{AppendError, Cause};
use super::key::{BEHIND_MAX, Found, Key, Keys, no_place};
use super::lock::Lock;
use super::tail::{End, Tail};
use super::verify;
use crate::durable::{self, Sync};
use crate::error::{Error, Result};
use crate::layout;

const WAIT: Duration = Duration::from_secs(2);

/// What there is to sign with.
pub(super) enum There {
    Key(Key),
    /// None was made yet, or what was made is lost.
    None,
    /// There may be one, and it cannot be had here; none is put in its place.
    OutOfReach,
}

pub(super) fn find(keys: &Keys) -> Result<There, Cause> {
    match keys.current() {
        Ok(Found::Key(key)) => Ok(There::Key(key)),
        Ok(Found::None | Found::Damaged) => Ok(There::None),
        Err(error) if no_place(&error) => Ok(There::OutOfReach),
        // What works the next time should not leave an entry without its mac: the event waits.
        Err(error) => Err(Cause::io("read the ledger's key", &keys.path())(error)),
    }
}

/// The key for the entry `next` of a ledger that has entries. `None`: it cannot be signed.
pub(super) fn key_for(keys: &Keys, dir: &Path, lock: &Lock, next: u64) -> Result<Option<Key>, Cause> {
    let mark = lock.mark().map_err(Cause::io("read", &dir.join(layout::LOCK)))?;
    let mut key = match find(keys)? {
        There::Key(key) => key,
        There::OutOfReach => return Ok(None),
        There::None => {
            let Some(id) = mark.or_else(|| verify::begun_id(dir)) else { return Ok(None) };
            // Where no key can be kept, entries go without.
            return Ok(keys.make(id, next).ok());
        }
    };
    if mark.is_some_and(|mark| mark != key.ledger) || next.saturating_sub(key.seq) > BEHIND_MAX {
        return Ok(None);
    }
    while key.seq < next {
        key.ratchet();
    }
    if key.seq > next {
        (key.start, key.seq) = (next, next);
        // Noted before it signs: the same key must not be skipped to twice.
        if keys.store(&key, Sync::None).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(key))
}

/// Gives the first key away, once the current one is past all that was signed.
pub(super) fn take(ledger: &Ledger, hand: impl FnOnce(&Key) -> Result<()>) -> Result<bool> {
    let dir = ledger.dir.as_path();
    let Some(keys) = Keys::of(dir, ledger.state.as_deref()) else { return Ok(false) };
    let unreadable = |error| Error::io("read the ledger's key", &keys.first_path(), error);
    let Found::Key(first) = keys.first().map_err(unreadable)? else { return Ok(false) };
    let lock_path = dir.join(layout::LOCK);
    let lock = Lock::exclusive(dir, WAIT).map_err(|error| Error::io("lock", &lock_path, error))?;
    let lock = lock.ok_or_else(|| Error::unable("lock", "failed to lock the ledger: another process held it"))?;
    let refused = |cause| Error::from(AppendError { cause, drafts: Vec::new(), ledger: dir.to_owned() });
    let path = dir.join(layout::LEDGER);
    let file = durable::open(&path).map_err(|error| Error::io("read", &path, error))?;
    let end = Tail::read(&file).map_err(|error| Error::io("read", &path, error))?.end().map_err(refused)?;
    let (End::Whole(last) | End::NoNewline(last) | End::Torn(Some(last), _)) = end else { return Ok(false) };
    let Some(key) = key_for(&keys, dir, &lock, last.seq + 1).map_err(refused)? else { return Ok(false) };
    if key.index == first.index {
        return Ok(false);
    }
    let stored = keys.store(&key, Sync::Data).and_then(|()| durable::sync(&file));
    stored.map_err(|error| Error::io("write the ledger's key", &keys.path(), error))?;
    hand(&first)?;
    let forgotten = keys.forget_first();
    forgotten.map_err(|error| Error::io("remove the first key, which is still there", &keys.first_path(), error))?;
    Ok(true)
}
