//! The `deeds` binary: arguments to verb, result to exit code and one line of error.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use deeds::cli::{Cli, KeyVerb, Verb};
use deeds::command::evidence::verbs::EvidenceVerb;
use deeds::command::judge::Format;
use deeds::command::{
    Output, checkpoint, demo, evidence, export, hook, judge, key, log, run, show, snapshot, tail, verify, wrote,
};
use deeds::error::{Error, Exit, Result};
use deeds::text::{Lines, sanitise};

fn main() -> ExitCode {
    // An agent waits for this one: nothing is built that it does not need, no argument parser either.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|verb| verb == "hook") && !words.any(|word| word == "--help" || word == "-h") {
        return hook::run();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let _ = error.print();
            return ExitCode::from(if asked { Exit::Holds as u8 } else { Exit::Usage as u8 });
        }
    };
    // Not locked: what `deeds run` passes through is written by threads of its own.
    let mut out = BufWriter::new(std::io::stdout());
    let result = dispatch(&cli, &mut out).and_then(|code| wrote(out.flush(), Exit::Holds).map(|_| code));
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if writes_json(&cli.verb) {
                let _ = writeln!(out, "{}", error.to_json());
                let _ = out.flush();
            }
            let _ = writeln!(std::io::stderr(), "deeds: {}", sanitise(&error.to_string(), Lines::Escape));
            ExitCode::from(error.exit as u8)
        }
    }
}

fn dispatch(cli: &Cli, out: &mut dyn Write) -> Result<u8> {
    let workdir = cli.workdir.clone();
    let exit = match &cli.verb {
        Verb::Hook => return Err(Error::usage("hook takes no options before it; deeds hook")),
        Verb::Judge(args) => match &args.snapshot {
            Some(path) => snapshot::run(&path.clone().into(), args.jsonl, out, &mut std::io::stderr())?,
            None => judge::run(
                &judge::Args {
                    workdir,
                    claims: args.claims.clone(),
                    message: args.message.clone(),
                    session: args.session.clone(),
                    all: args.all,
                    format: args.format,
                    emit_snapshot: args.emit_snapshot,
                },
                out,
            )?,
        },
        Verb::Run(args) => {
            return run::run(&run::Args { workdir, check: args.check.clone(), command: args.command.clone() });
        }
        Verb::Log(args) => log::run(&log::Args { workdir, output: output(args.json) }, out)?,
        Verb::Show(args) => show::run(&show::Args { workdir, entry: args.entry.clone() }, out)?,
        Verb::Verify(args) => verify::run(
            &verify::Args { workdir, output: output(args.json), key: args.key.clone(), expect: args.expect.clone() },
            out,
        )?,
        Verb::Checkpoint => checkpoint::run(&checkpoint::Args { workdir }, out)?,
        Verb::Key(KeyVerb::Take) => key::take(&key::Args { workdir }, out)?,
        Verb::Tail(args) => tail::run(
            &tail::Args {
                workdir,
                files: args.files.clone(),
                follow: args.follow,
                since: args.since.clone(),
                session: args.session.clone(),
                ledger: args.ledger.clone(),
            },
            out,
        )?,
        Verb::Evidence(verb) => evidence::run(&workdir, verb, out)?,
        Verb::Export(args) => export::run(&workdir, args, out)?,
        Verb::Demo => demo::run(out)?,
        Verb::Schema => wrote(out.write_all(deeds::claims::SCHEMA.as_bytes()), Exit::Holds)?,
    };
    Ok(exit as u8)
}

fn output(json: bool) -> Output {
    if json { Output::Json } else { Output::Text }
}

/// What prints JSON prints its errors as JSON too.
fn writes_json(verb: &Verb) -> bool {
    match verb {
        Verb::Judge(args) => args.format == Format::Json || args.emit_snapshot,
        Verb::Log(args) => args.json,
        Verb::Verify(args) => args.json,
        Verb::Evidence(EvidenceVerb::Seal(args)) => args.json,
        Verb::Evidence(EvidenceVerb::Verify(args)) => args.json,
        Verb::Evidence(EvidenceVerb::Show(args)) => args.json,
        Verb::Evidence(EvidenceVerb::List(args)) => args.json,
        _ => false,
    }
}
