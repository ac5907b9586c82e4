//! How far this user's seals have come in each ledger, kept outside of every project:
//! `$XDG_STATE_HOME/deeds/seals/<sha256 of the ledger's path>.json`, `{"ledger":"<id>","seq":N,"bundle":"<sha256>"}`.
//!
//! A ledger from whose end a bundle was cut, together with that bundle, is whole in itself; it is this file that knows. It
//! is written after the entry, so a crash leaves it behind, never ahead. Another ledger in the same place is not held
//! against it: that may be a new clone.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::anchor::Anchor;
use crate::durable::{self, Sync};
use crate::evidence::id::sha256_hex;
use crate::layout::{self, Env};
use crate::ledger::Ledger;

const CAP: u64 = 4096;

/// The last entry that a seal of this user's appended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The ledger's id.
    pub ledger: String,
    pub seq: u64,
    pub bundle: String,
}

impl Head {
    /// What is known of a ledger; nothing where nothing was sealed, or it cannot be read.
    pub fn read(env: &Env, ledger: &Ledger) -> Option<Head> {
        let bytes = durable::read_small(&path(env, ledger)?, CAP).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes a seal. That it cannot be noted takes nothing from the seal itself.
    pub fn write(env: &Env, ledger: &Ledger, seq: u64, bundle: &str) {
        let id = ledger.read().ok().and_then(|mut entries| entries.find_map(Result::ok));
        let (Some(path), Some(genesis)) = (path(env, ledger), id) else { return };
        let head = Head { ledger: genesis.id().to_owned(), seq, bundle: bundle.to_owned() };
        let (Some(folder), Ok(text)) = (path.parent(), serde_json::to_string(&head)) else { return };
        let _ = durable::make_dirs(folder);
        let _ = durable::put(&path, &folder.join(durable::unique_name()), text.as_bytes(), Sync::None);
    }

    /// What is wrong with a ledger of this id and these anchors, if anything.
    pub fn missed(&self, ledger: Option<&str>, anchors: &[Anchor]) -> Option<String> {
        let there = anchors.iter().any(|anchor| anchor.seq == self.seq && anchor.bundle == self.bundle);
        (ledger == Some(self.ledger.as_str()) && !there)
            .then(|| format!("shrunk: entry #{}, which a seal of yours appended, is gone", self.seq))
    }
}

fn path(env: &Env, ledger: &Ledger) -> Option<PathBuf> {
    let place = ledger.dir().canonicalize().unwrap_or_else(|_| ledger.dir().to_owned());
    let name = sha256_hex(place.as_os_str().as_encoded_bytes());
    Some(env.state()?.join(layout::SEALS).join(format!("{name}.json")))
}
