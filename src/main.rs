//! The `deeds` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // An agent waits for this one: nothing is built that it does not need, no argument parser either.
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "hook") {
        return deeds::command::hook::run();
    }
    ExitCode::SUCCESS
}
