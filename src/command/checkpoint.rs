//! `deeds checkpoint`: what the ledger is now, in a few signed lines, to be kept elsewhere.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::wrote;
use crate::bundle::signing::{PublicKey, SigningKey};
use crate::durable;
use crate::error::{Error, Exit, Result};
use crate::layout::Env;
use crate::ledger::checkpoint::{Checkpoint, LEN_MAX};
use crate::ledger::{Asked, Ledger, Outcome};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
}

/// Prints a checkpoint of a ledger that is whole.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let note = note(&Ledger::at(&env.place(&args.workdir), &env), &env)?;
    wrote(out.write_all(note.as_bytes()), Exit::Holds)
}

/// A checkpoint of a ledger that is whole, signed with this user's key.
pub fn note(ledger: &Ledger, env: &Env) -> Result<String> {
    let place = ledger.dir().display();
    let verification = ledger.verify_against(&Asked { tree: true, ..Asked::default() });
    let refuse = |exit, why: String| {
        let message = format!("failed to make a checkpoint: {place}: {why}");
        Err(Error { exit, code: "ledger", message, at: None })
    };
    let why = || format!("the ledger is {}; see deeds verify", verification.outcome.as_str());
    match (verification.outcome, verification.id.clone()) {
        (Outcome::Ok | Outcome::TornTail, Some(id)) => {
            let key = SigningKey::load_or_create(env)?;
            let (size, root) = (verification.tree.size(), verification.tree.root());
            Ok(Checkpoint { ledger: id, size, root }.note(&key.public().bytes(), |text| key.sign(text)))
        }
        (Outcome::Ok | Outcome::TornTail, None) => refuse(Exit::NotShown, "nothing has been recorded yet".into()),
        (Outcome::Unreadable, _) => refuse(Exit::Unable, why()),
        _ => refuse(Exit::DoesNotHold, why()),
    }
}

/// Whose signature a checkpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedBy {
    /// This user's own key, and it is right.
    Us,
    /// A key that is not here: not checked.
    Other,
}

/// Reads a checkpoint that was kept elsewhere. One that is signed with this user's key and was changed is refused.
pub fn read(path: &Path, env: &Env) -> Result<(Checkpoint, SignedBy)> {
    let refuse = |why: &str| Error::input(format!("failed to read a checkpoint: {}: {why}", path.display()));
    let bytes = durable::read_small(path, LEN_MAX as u64).map_err(|error| refuse(&error.to_string()))?;
    let note = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8"))?;
    let (checkpoint, text, signed) = Checkpoint::parse(&note).map_err(refuse)?;
    let Ok(Some(own)) = PublicKey::own(env) else { return Ok((checkpoint, SignedBy::Other)) };
    match signed.iter().find(|signed| signed.is_of(&own.bytes())) {
        None => Ok((checkpoint, SignedBy::Other)),
        Some(signed) if own.verify(text.as_bytes(), &signed.signature) => Ok((checkpoint, SignedBy::Us)),
        Some(_) => Err(refuse("it was changed after it was signed")),
    }
}
