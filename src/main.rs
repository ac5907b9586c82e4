//! The `deeds` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // An agent waits for this one: nothing is built that it does not need, no argument parser either.
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "hook") {
        return deeds::command::hook::run();
    }
    tail()
}

fn tail() -> ExitCode {
    use clap::Parser;
    #[derive(Parser)]
    struct Cli {
        #[command(subcommand)]
        verb: Verb,
    }
    #[derive(clap::Subcommand)]
    enum Verb {
        Tail(deeds::cli::TailArgs),
    }
    let Verb::Tail(args) = Cli::parse().verb;
    match deeds::command::tail::run(&args, std::path::Path::new("."), &mut std::io::stdout().lock()) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            eprintln!("deeds: {error}");
            ExitCode::from(error.exit as u8)
        }
    }
}
