//! One file a verb: what each subcommand does, from its arguments to its exit code.

mod capture;
pub mod demo;
pub mod docket;
pub mod hook;
pub mod judge;
pub mod log;
pub mod run;
pub mod show;
pub mod snapshot;
mod stop;
pub mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::{Cli, Format, Verb};
use crate::error::{Error, Exit, Result};
use crate::text::{Lines, sanitise};

/// Parses the arguments, runs the verb, prints at most one line of error. `hook` does not come this way.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let usage = !matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let _ = e.print();
            return ExitCode::from(if usage { Exit::Usage as u8 } else { 0 });
        }
    };
    let wants_json = wants_json(&cli.verb);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let result = run(&cli, &mut out).and_then(|code| {
        out.flush()
            .map_err(|e| Error { code: "broken_pipe", ..Error::io("write", std::path::Path::new("stdout"), e) })?;
        Ok(code)
    });
    match result {
        Ok(code) => ExitCode::from(code),
        Err(e) if e.message.contains("Broken pipe") => ExitCode::from(0),
        Err(e) => {
            if wants_json {
                let _ = writeln!(out, "{}", e.to_json());
                let _ = out.flush();
            }
            let _ = writeln!(std::io::stderr(), "deeds: {}", sanitise(&e.to_string(), Lines::Escape));
            ExitCode::from(e.exit as u8)
        }
    }
}

fn wants_json(verb: &Verb) -> bool {
    match verb {
        Verb::Judge(args) => args.format == Format::Json || args.emit_snapshot || args.snapshot.is_some(),
        Verb::Log(args) => args.json,
        Verb::Verify(args) => args.json,
        _ => false,
    }
}

fn run(cli: &Cli, out: &mut dyn Write) -> Result<u8> {
    let exit = match &cli.verb {
        Verb::Run(args) => return run::run(args, &cli.workdir),
        Verb::Judge(args) => match &args.snapshot {
            Some(path) => snapshot::run(&path.clone().into(), args.jsonl, out, &mut std::io::stderr())?,
            None => judge::run(args, &cli.workdir, out)?,
        },
        Verb::Demo => demo::run(out)?,
        Verb::Schema => {
            let text = include_str!("../claims/schema.json");
            out.write_all(text.as_bytes()).map_err(|e| Error::io("write", std::path::Path::new("stdout"), e))?;
            Exit::Holds
        }
        Verb::Log(args) => log::run(&log::Args { workdir: cli.workdir.clone(), output: output(args.json) }, out)?,
        Verb::Verify(args) => {
            verify::run(&verify::Args { workdir: cli.workdir.clone(), output: output(args.json) }, out)?
        }
        Verb::Show(args) => show::run(&show::Args { workdir: cli.workdir.clone(), entry: args.entry.clone() }, out)?,
        Verb::Hook | Verb::Tail(_) => return Err(Error::usage("not there yet")),
    };
    Ok(exit as u8)
}

fn output(json: bool) -> Output {
    if json { Output::Json } else { Output::Text }
}

/// For whom a verb writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Text,
    Json,
}

/// What a verb ends with after writing to standard output. A reader that has gone away wants no more, and no complaint.
pub(crate) fn wrote(written: io::Result<()>, exit: Exit) -> Result<Exit> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::unable("io", format!("failed to write to standard output: {error}")))
        }
        _ => Ok(exit),
    }
}
