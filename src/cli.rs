//! Command line definitions: plain data, no behaviour.

use std::path::PathBuf;

use clap::Args;

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
