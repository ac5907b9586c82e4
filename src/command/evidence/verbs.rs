//! What `deeds evidence …` is given: plain data, no behaviour.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  deeds evidence seal release-1.4          run the producers of deeds.json, sign what they printed
  deeds evidence approve                   let them run by themselves, when a task is completed
  deeds evidence verify release-1.4        is it what was sealed?
  deeds evidence export release-1.4 --to proof
  deeds evidence verify --bundle proof --key signing.pub")]
pub enum EvidenceVerb {
    /// Run the declared producers, and sign and anchor what they printed
    Seal(SealArgs),
    /// Let the producers of deeds.json run by themselves when a task is sealed
    Approve(ApproveArgs),
    /// Check a bundle: task, signature, anchor, ledger, every blob
    Verify(EvidenceVerifyArgs),
    /// Show what a bundle states, after checking it
    Show(EvidenceShowArgs),
    /// List the bundles
    List(EvidenceListArgs),
    /// Write a bundle with all that a reviewer elsewhere needs
    Export(EvidenceExportArgs),
    /// Remove what no entry and no bundle names any more
    Gc(GcArgs),
    /// Print the public key that bundles are signed with
    #[command(after_help = "Examples:
  deeds evidence key > alice.pub           for whoever checks your bundles elsewhere")]
    Key,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence seal release-1.4
  deeds evidence seal nightly --producers nightly.json

Exit codes: 0 it is sealed, whatever the gate says · 1 nothing was to be sealed")]
pub struct SealArgs {
    /// What the bundle is the proof of
    pub task: String,
    /// Take the producers from this file instead of deeds.json
    #[arg(long, value_name = "FILE")]
    pub producers: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The session whose event asked for it
    #[arg(long, value_name = "ID", hide = true)]
    pub session: Option<String>,
    /// The event that asked for it
    #[arg(long, value_name = "NAME", hide = true)]
    pub event: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence approve                   shows what may run from now on
  deeds evidence approve --revoke")]
pub struct ApproveArgs {
    /// Take back what was approved for this project
    #[arg(long, conflicts_with = "json")]
    pub revoke: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence verify release-1.4
  deeds evidence verify --all
  deeds evidence verify --bundle proof --key alice.pub

Exit codes: 0 it is what was sealed; of --all also: nothing was · 1 no bundle, or cannot tell · 2 it is not")]
pub struct EvidenceVerifyArgs {
    /// The task whose bundle is checked
    #[arg(required_unless_present_any = ["all", "bundle"])]
    pub task: Option<String>,
    /// A folder that `evidence export` wrote, or an envelope
    #[arg(long, value_name = "PATH", conflicts_with = "all")]
    pub bundle: Option<PathBuf>,
    /// Accept this public key (PEM) only
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Every bundle of the project
    #[arg(long, conflicts_with = "task")]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence show release-1.4
  deeds evidence show release-1.4 --json")]
pub struct EvidenceShowArgs {
    /// The task whose bundle is shown
    pub task: String,
    /// Accept this public key (PEM) only
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence list
  deeds evidence list --json               one JSON object a line")]
pub struct EvidenceListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence export release-1.4 --to proof")]
pub struct EvidenceExportArgs {
    /// The task whose bundle is written
    pub task: String,
    /// A folder that is not there yet
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds evidence gc --dry-run
  deeds evidence gc")]
pub struct GcArgs {
    /// Say what would be removed
    #[arg(long)]
    pub dry_run: bool,
}
