//! `deeds key take`: gives the ledger's first key away, so that whoever takes over this machine later cannot change what
//! was recorded before without that being seen. `deeds key forget`: records that a ledger which was here before is gone, and
//! that this is known.

use std::io::Write;
use std::path::PathBuf;

use super::wrote;
use crate::error::{Error, Exit, Result};
use crate::layout::Env;
use crate::ledger::Ledger;

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
}

/// Prints the first key once and removes it from this machine. If it cannot be printed it stays.
pub fn take(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let ledger = Ledger::at(&env.place(&args.workdir), &env);
    let taken = ledger.take_key(|key| {
        let written = out.write_all(key.to_text().as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Error::unable("io", format!("failed to print the key, which stays here: {error}")))
    })?;
    if taken {
        let told = "deeds: this was the only copy: keep it off this machine; `deeds verify --key FILE` checks with it";
        return wrote(writeln!(std::io::stderr(), "{told}"), Exit::Holds);
    }
    let place = ledger.dir().display();
    let message = format!("no key to take: {place}: it has been taken, or nothing has been signed with one yet");
    Err(Error { exit: Exit::NotShown, code: "not_found", message, at: None })
}

/// Records that it is known that ledgers which were here before are gone.
pub fn forget(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let ledger = Ledger::at(&env.place(&args.workdir), &env);
    let forgotten = ledger.forget_gone()?;
    if forgotten.is_empty() {
        let place = ledger.dir().display();
        let message = format!("no ledger to forget: {place}: none is missing that was here before; see deeds verify");
        return Err(Error { exit: Exit::NotShown, code: "not_found", message, at: None });
    }
    let written = forgotten.iter().try_for_each(|id| writeln!(out, "ledger {id} is gone, and that is known"));
    wrote(written, Exit::Holds)
}
