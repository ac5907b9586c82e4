//! Command line definitions: plain data, no behaviour.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::command::evidence::verbs::EvidenceVerb;
use crate::command::export::ExportArgs;
use crate::command::judge::Format;

/// Holds a coding agent's words against its deeds.
#[derive(Debug, Parser)]
#[command(name = "deeds", version, about, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 it holds · 1 it is not shown · 2 it does not hold · 64 wrong usage · 65 unreadable input · 70 could not do it"
)]
pub struct Cli {
    /// Where to look for the project
    #[arg(short = 'w', long, value_name = "DIR", default_value = ".", global = true)]
    pub workdir: PathBuf,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Take one hook event of Claude Code or Codex from stdin into the ledger; never fails its caller
    Hook,
    /// Judge claims against what the ledger recorded
    Judge(JudgeArgs),
    /// Run a command, pass its output and status through, and record what it did
    Run(RunArgs),
    /// List what was recorded
    Log(LogArgs),
    /// Show one entry whole, and why it counts as what it counts as
    Show(ShowArgs),
    /// Check the ledger's chain
    Verify(VerifyArgs),
    /// Print what the ledger is now, signed, to be kept elsewhere
    Checkpoint,
    /// The key that entries are signed with
    #[command(subcommand)]
    Key(KeyVerb),
    /// Read Codex rollout files into the ledger
    Tail(TailArgs),
    /// Seal proof of done, and check it later
    #[command(subcommand)]
    Evidence(EvidenceVerb),
    /// Write bundles or evidence in formats that others read
    Export(ExportArgs),
    /// Play a recorded session through the real pipeline and judge it
    Demo,
    /// Print the JSON Schema of deeds.json
    Schema,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds judge                              standing claims, and those of the session's last message
  deeds judge --message report.md          the claims of a text, against the files as they are now
  deeds judge --claims claims.json         claims in the judge's own shape
  deeds judge --snapshot input.json        the pure judge alone: no ledger is opened")]
pub struct JudgeArgs {
    /// Judge the claims of this file, in the judge's shape; @worktree and @head are allowed as subjects
    #[arg(long, value_name = "FILE", conflicts_with_all = ["message", "snapshot"])]
    pub claims: Option<PathBuf>,
    /// Judge the claims that this text makes ('-': stdin)
    #[arg(long, value_name = "FILE", conflicts_with = "snapshot")]
    pub message: Option<PathBuf>,
    /// The session to judge; without it, the newest one of this worktree
    #[arg(long, value_name = "ID", conflicts_with = "snapshot")]
    pub session: Option<String>,
    /// Take the whole ledger as one session
    #[arg(long, conflicts_with_all = ["session", "snapshot"])]
    pub all: bool,
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// Print the pure judge's input instead of a verdict
    #[arg(long, conflicts_with = "snapshot")]
    pub emit_snapshot: bool,
    /// The pure judge on {claims, evidence} ('-': stdin)
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// One input a line, one verdict a line
    #[arg(long, requires = "snapshot")]
    pub jsonl: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds run -- cargo test
  deeds run --check contract               runs the command that deeds.json declares")]
pub struct RunArgs {
    /// Run the check that deeds.json declares under this name
    #[arg(long, value_name = "NAME")]
    pub check: Option<String>,
    /// The command and its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub struct LogArgs {
    /// One ledger entry a line, as it stands
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A sequence number, or the beginning of an entry's id
    #[arg(value_name = "SEQ|ID")]
    pub entry: String,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[arg(long)]
    pub json: bool,
    /// Check the entries' macs with the key that `deeds key take` printed ('-': stdin)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Hold the ledger against a checkpoint that was kept elsewhere
    #[arg(long, value_name = "CHECKPOINT")]
    pub expect: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum KeyVerb {
    /// Print the ledger's first key once, and remove it from this machine
    Take,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds tail                               every rollout of $CODEX_HOME, once
  deeds tail --follow --since 7d           stay, and take up what is new")]
pub struct TailArgs {
    /// Rollout files, .jsonl or .jsonl.zst; without any, those of $CODEX_HOME
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Stay, and take up new files and new lines
    #[arg(long)]
    pub follow: bool,
    /// Only rollouts changed since: 7d, 12h, 30m
    #[arg(long, value_name = "AGE")]
    pub since: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Write to this ledger, whatever project the rollout names
    #[arg(long, value_name = "DIR")]
    pub ledger: Option<PathBuf>,
}
