//! `deeds install`: registers the hook with a client, in a file that may hold much else.
//!
//! Architecture invariant: only own entries are touched, known by their command; what Codex trusts is never written.

pub mod client;
mod diff;
mod edit;
pub mod file;
pub mod handlers;
pub mod json;
pub mod json_file;
pub mod own;
pub mod target;
pub mod toml_file;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::client::{Client, Scope};
use self::target::Target;
use super::wrote;
use crate::error::{Error, Exit, Result};
use crate::layout::Env;
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone)]
pub struct Args {
    pub workdir: PathBuf,
    pub client: Client,
    pub scope: Scope,
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    /// Only say what would change.
    DryRun,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    install(args, out).map_err(left_alone)
}

/// What cannot be read is not changed.
pub(super) fn left_alone(mut error: Error) -> Error {
    if error.exit == Exit::Input {
        error.message.push_str("; nothing was changed; mend it, then run this again");
    }
    error
}

fn install(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let root = env.place(&args.workdir).root;
    let target = target::choose(args.client, args.scope, &env, &root)?;
    let command = target::command(args.scope)?;
    let after = target.installed(target.file.text(), &command)?;
    let changed = !target.file.exists() || after != target.file.text();
    if args.mode == Mode::DryRun {
        let written = print_diff(&target, &after, out).and_then(|()| match changed {
            true => Ok(()),
            false => writeln!(out, "nothing to do: {} is registered in {}", sanitised(&command), path(&target)),
        });
        return wrote(written, Exit::Holds);
    }
    let kept = if changed { target.file.write(&after, &env)? } else { None };
    let written = print(&target, &command, changed, kept.as_deref(), out)
        .and_then(|()| others(args, &env, &root, "It is also registered in", out))
        .and_then(|()| next_steps(&target, &command, changed, out));
    wrote(written, Exit::Holds)
}

/// What a change would do to the file.
pub(super) fn print_diff(target: &Target, after: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", diff::unified(&path(target), target.file.text(), after))
}

fn print(target: &Target, command: &str, changed: bool, kept: Option<&Path>, out: &mut dyn Write) -> io::Result<()> {
    let client = target.client;
    let did = if changed { "Registered" } else { "Nothing to do: registered already" };
    writeln!(out, "{did} with {}, for {}: {}", client.name(), target.scope.whose(), path(target))?;
    writeln!(out, "  command {}\n", sanitised(command))?;
    for wanted in client.wanted() {
        writeln!(out, "  {:<19} {:>3} s  {}", wanted.event, wanted.timeout, wanted.why)?;
    }
    if let Some(kept) = kept {
        writeln!(out, "\nThe file as it was: {}", sanitised(&kept.display().to_string()))?;
    }
    Ok(())
}

/// Where else the hook is registered for the same sessions.
pub(super) fn others(args: &Args, env: &Env, root: &Path, says: &str, out: &mut dyn Write) -> io::Result<()> {
    for scope in Scope::ALL.into_iter().filter(|scope| *scope != args.scope) {
        for target in target::all(args.client, scope, env, root).unwrap_or_default() {
            if target.handlers().is_ok_and(|all| all.iter().any(|handler| handler.own.is_some())) {
                let (client, option) = (args.client.tag(), scope.option());
                writeln!(out, "\n{says} {}; to end that: deeds uninstall {client} {option}", path(&target))?;
            }
        }
    }
    Ok(())
}

fn next_steps(target: &Target, command: &str, changed: bool, out: &mut dyn Write) -> io::Result<()> {
    if command.contains("/target/debug/") || command.contains("/target/release/") {
        writeln!(
            out,
            "\nThis program stands in a build folder; once that is cleaned, the hook is gone. `cargo install --path .` puts it in a lasting place."
        )?;
    }
    if target.scope == Scope::Project && command != "deeds hook" {
        writeln!(
            out,
            "\n`deeds` is not this program on your PATH, so the file names a path of this machine; others who share the file have it elsewhere."
        )?;
    }
    match target.client {
        Client::Claude => writeln!(
            out,
            "\nNext: start Claude Code in a project, let it work, and ask `deeds judge`. `deeds doctor` says whether all is well."
        ),
        Client::Codex if !changed => writeln!(out, "\n`deeds doctor` says whether Codex trusts it."),
        Client::Codex => writeln!(
            out,
            "\nCodex runs a hook only once you trust it, and `codex exec` skips one that you do not in silence. So start `codex`\n\
             in a terminal: it says \"Hooks need review\"; look at them, or trust them all (its second choice). Trust is given\n\
             for exactly this command and time-out, and deeds never writes it. Then let it work, and ask `deeds judge`.\n\
             `deeds doctor` says whether all is well.{}",
            if target.scope == Scope::Project {
                "\nIt also runs a project's hooks only in a project that you trust."
            } else {
                ""
            }
        ),
    }
}

pub(super) fn path(target: &Target) -> String {
    sanitised(&target.file.path.display().to_string())
}

fn sanitised(text: &str) -> String {
    sanitise(text, Lines::Escape)
}
