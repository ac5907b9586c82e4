//! The `deeds` binary: arguments to verb, result to exit code and one line of error.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use deeds::cli::{Cli, KeyVerb, ScopeArgs, Verb};
use deeds::command::evidence::verbs::EvidenceVerb;
use deeds::command::install::client::{Client, Scope};
use deeds::command::judge::Format;
use deeds::command::{
    Output, Quiet, checkpoint, completions, demo, doctor, evidence, export, hook, install, judge, key, log, report,
    run, sessions, show, snapshot, tail, uninstall, verify, wrote,
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
    let mut nowhere = std::io::sink();
    // What these two say is their exit code, too.
    let only_code = cli.quiet && matches!(cli.verb, Verb::Judge(_) | Verb::Verify(_));
    let to: &mut dyn Write = if only_code { &mut nowhere } else { &mut out };
    let result = dispatch(&cli, to).and_then(|code| wrote(out.flush(), Exit::Holds).map(|_| code));
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
    if !workdir.is_dir() {
        let cause = workdir.metadata().map_or_else(|error| error.to_string(), |_| "it is no folder".to_owned());
        return Err(Error::io("enter", &workdir, cause));
    }
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
                    format: if args.json { Format::Json } else { args.format },
                    emit_snapshot: args.emit_snapshot,
                },
                out,
            )?,
        },
        Verb::Run(args) => {
            return run::run(&run::Args { workdir, check: args.check.clone(), command: args.command.clone() });
        }
        Verb::Log(args) => log::run(
            &log::Args {
                workdir,
                output: output(args.json),
                asked: log::filter::Asked {
                    kinds: args.kind.clone(),
                    since: args.since.clone(),
                    outcomes: args.outcome.clone(),
                    session: args.session.clone(),
                    agent: args.agent.clone(),
                },
                last: args.last,
                follow: args.follow,
                times: if args.utc { log::Times::Absolute } else { log::Times::Relative },
                quiet: quiet(cli),
            },
            out,
        )?,
        Verb::Show(args) => show::run(&show::Args { workdir, entry: args.entry.clone() }, out)?,
        Verb::Verify(args) => verify::run(
            &verify::Args { workdir, output: output(args.json), key: args.key.clone(), expect: args.expect.clone() },
            out,
        )?,
        Verb::Checkpoint => checkpoint::run(&checkpoint::Args { workdir }, out)?,
        Verb::Key(KeyVerb::Take) => key::take(&key::Args { workdir }, out)?,
        Verb::Key(KeyVerb::Forget) => key::forget(&key::Args { workdir }, out)?,
        Verb::Report(args) => report::run(
            &report::Args {
                workdir,
                html: args.html.clone(),
                session: args.session.clone(),
                all: args.all,
                quiet: quiet(cli),
            },
            out,
        )?,
        Verb::Sessions(args) => {
            sessions::run(&sessions::Args { workdir, output: output(args.json), last: args.last }, out)?
        }
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
        Verb::Install(args) => install::run(&registration(workdir, args.client, &args.scope, args.dry_run), out)?,
        Verb::Uninstall(args) => uninstall::run(&registration(workdir, args.client, &args.scope, args.dry_run), out)?,
        Verb::Doctor(args) => {
            doctor::run(&doctor::Args { workdir, client: args.client, output: output(args.json) }, out)?
        }
        Verb::Completions(args) => completions::run(args.shell, Cli::command(), out)?,
        Verb::Schema => wrote(out.write_all(deeds::claims::SCHEMA.as_bytes()), Exit::Holds)?,
    };
    Ok(exit as u8)
}

fn quiet(cli: &Cli) -> Quiet {
    if cli.quiet { Quiet::Yes } else { Quiet::No }
}

fn registration(workdir: PathBuf, client: Client, scope: &ScopeArgs, dry_run: bool) -> install::Args {
    let scope = match (scope.project, scope.local) {
        (true, _) => Scope::Project,
        (_, true) => Scope::Local,
        _ => Scope::User,
    };
    install::Args { workdir, client, scope, mode: if dry_run { install::Mode::DryRun } else { install::Mode::Write } }
}

fn output(json: bool) -> Output {
    if json { Output::Json } else { Output::Text }
}

/// What prints JSON prints its errors as JSON too.
fn writes_json(verb: &Verb) -> bool {
    match verb {
        Verb::Judge(args) => args.json || args.format == Format::Json || args.emit_snapshot,
        Verb::Doctor(args) => args.json,
        Verb::Log(args) => args.json,
        Verb::Sessions(args) => args.json,
        Verb::Verify(args) => args.json,
        Verb::Evidence(EvidenceVerb::Seal(args)) => args.json,
        Verb::Evidence(EvidenceVerb::Verify(args)) => args.json,
        Verb::Evidence(EvidenceVerb::Show(args)) => args.json,
        Verb::Evidence(EvidenceVerb::List(args)) => args.json,
        _ => false,
    }
}
