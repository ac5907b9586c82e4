//! `deeds completions`: the script by which a shell completes deeds' command lines.

use std::io::Write;

use clap::Command;
use clap_complete::{Shell, generate};

use super::wrote;
use crate::error::{Exit, Result};

/// Prints the script for `shell`; `command` is the whole command line's definition.
pub fn run(shell: Shell, mut command: Command, out: &mut dyn Write) -> Result<Exit> {
    // Written by way of memory: the generator ends the process where it cannot write.
    let mut script = Vec::new();
    generate(shell, &mut command, "deeds", &mut script);
    wrote(out.write_all(&script), Exit::Holds)
}
