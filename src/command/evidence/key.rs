//! `deeds evidence key`: the public key that bundles are signed with.

use std::io::Write;

use super::Desk;
use crate::bundle::signing::PublicKey;
use crate::command::wrote;
use crate::error::{Exit, Result};

pub fn run(desk: &Desk, out: &mut dyn Write) -> Result<Exit> {
    match PublicKey::own(&desk.env)? {
        Some(key) => wrote(write!(out, "{}", key.to_pem()), Exit::Holds),
        None => {
            let _ =
                writeln!(std::io::stderr(), "deeds: there is no key yet; the first `deeds evidence seal` makes one");
            Ok(Exit::NotShown)
        }
    }
}
