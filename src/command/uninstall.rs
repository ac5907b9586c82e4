//! `deeds uninstall`: takes the hook out of a client's settings again, and leaves no trace where that can be.

use std::io::Write;

use super::install::target::{self, Target};
use super::install::{Args, Mode, left_alone, others, path, print_diff};
use super::wrote;
use crate::error::{Exit, Result};
use crate::layout::Env;
use crate::text::{Lines, sanitise};

/// What becomes of the file.
#[derive(Debug, PartialEq, Eq)]
enum After {
    Text(String),
    /// It was not there before deeds was.
    NoFile,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    uninstall(args, out).map_err(left_alone)
}

fn uninstall(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let root = env.place(&args.workdir).root;
    let mut written = Ok(());
    let mut any = false;
    for target in target::all(args.client, args.scope, &env, &root)? {
        if !target.handlers()?.iter().any(|handler| handler.own.is_some()) {
            continue;
        }
        any = true;
        let after = after(&target, &env)?;
        if args.mode == Mode::DryRun {
            let text = if let After::Text(text) = &after { text } else { "" };
            written = written.and_then(|()| print_diff(&target, text, out));
            continue;
        }
        let kept = match &after {
            After::Text(text) => target.file.write(text, &env)?,
            After::NoFile => target.file.remove(&env)?,
        };
        let did = if after == After::NoFile { "Removed the file" } else { "Removed deeds from" };
        written = written.and_then(|()| writeln!(out, "{did} {}", path(&target)));
        if let Some(kept) = kept {
            let kept = sanitise(&kept.display().to_string(), Lines::Escape);
            written = written.and_then(|()| writeln!(out, "The file as it was: {kept}"));
        }
    }
    if !any {
        let (name, whose) = (args.client.name(), args.scope.whose());
        written = written.and_then(|()| writeln!(out, "Nothing to do: {name} has no hook of deeds for {whose}."));
    }
    written = written.and_then(|()| others(args, &env, &root, "It is still registered in", out));
    if any && args.mode == Mode::Write {
        written = written.and_then(|()| writeln!(out, "What was recorded stays."));
    }
    wrote(written, Exit::Holds)
}

/// The file as it was before it was installed into, byte for byte, where nobody has changed it since; else the file
/// without own entries.
fn after(target: &Target, env: &Env) -> Result<After> {
    let now = target.file.text();
    let command = target.handlers()?.into_iter().find(|handler| handler.own.is_some()).map(|handler| handler.command);
    if let Some(command) = command {
        let leads_here = |text: &str| target.installed(text, &command).is_ok_and(|after| after == now);
        let has_own = |text: &str| target.uninstalled(text).is_ok_and(|after| after != text);
        let earlier = target.file.earlier(env);
        if let Some(before) = earlier.into_iter().find(|text| !has_own(text) && leads_here(text)) {
            return Ok(After::Text(before));
        }
        if leads_here("") {
            return Ok(After::NoFile);
        }
    }
    Ok(After::Text(target.uninstalled(now)?))
}
