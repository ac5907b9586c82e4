//! One file a verb: what each subcommand does, from its arguments to its exit code.

pub mod hook;
