//! Command line definitions: plain data, no behaviour.

use std::path::PathBuf;

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Args, Parser, Subcommand};

use crate::command::evidence::verbs::EvidenceVerb;
use crate::command::export::ExportArgs;
use crate::command::install::client::Client;
use crate::command::judge::Format;
use crate::command::log::Reported;

/// The colours of help and usage; none where `NO_COLOR` is set or nobody looks.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Holds a coding agent's words against its deeds.
#[derive(Debug, Parser)]
#[command(name = "deeds", version, about, max_term_width = 110, styles = STYLES)]
#[command(after_help = "First steps:
  deeds install claude                     or codex; then let it work as ever
  deeds judge                              is it so, what the agent said?
  deeds doctor                             is everything recorded that should be?

Exit codes: 0 it holds · 1 it is not shown · 2 it does not hold · 64 wrong usage · 65 unreadable input · 70 could not do it")]
pub struct Cli {
    /// Where to look for the project
    #[arg(short = 'w', long, value_name = "DIR", default_value = ".", global = true)]
    pub workdir: PathBuf,
    /// Only the answer itself: no legend, no summary; of judge and verify, only the exit code
    #[arg(short, long, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Take one hook event of Claude Code or Codex from stdin into the ledger; never fails its caller
    #[command(after_help = "Examples:
  deeds hook < event.json                  as a client calls it, which deeds install sees to

It exits 0 whatever happens; what cannot be recorded now is kept, and one line on stderr says why.")]
    Hook,
    /// Judge claims against what the ledger recorded
    Judge(JudgeArgs),
    /// Run a command, pass its output and status through, and record what it did
    Run(RunArgs),
    /// List what was recorded
    Log(LogArgs),
    /// Show one entry whole, and why it counts as what it counts as
    Show(ShowArgs),
    /// List the sessions, each with what it did and its verdicts
    Sessions(SessionsArgs),
    /// Write a session's verdicts, time line and evidence as one HTML page
    Report(ReportArgs),
    /// Check the ledger's chain and every bundle
    Verify(VerifyArgs),
    /// Print what the ledger is now, signed, to be kept elsewhere
    #[command(after_help = "Examples:
  deeds checkpoint > monday.checkpoint     and later: deeds verify --expect monday.checkpoint")]
    Checkpoint,
    /// The key that entries are signed with
    #[command(subcommand)]
    #[command(after_help = "Examples:
  deeds key take > ledger.key              keep it off this machine, for deeds verify --key
  deeds key forget                         after you cloned or made the project anew")]
    Key(KeyVerb),
    /// Read Codex rollout files into the ledger
    Tail(TailArgs),
    /// Seal proof of done, and check it later
    #[command(subcommand)]
    Evidence(EvidenceVerb),
    /// Write bundles or evidence in formats that others read
    Export(ExportArgs),
    /// Play a recorded session through the real pipeline and judge it
    #[command(after_help = "Examples:
  deeds demo                               an agent that says more than it did, and what deeds says")]
    Demo,
    /// Print the JSON Schema of deeds.json
    #[command(after_help = "Examples:
  deeds schema > deeds.schema.json         and in deeds.json: \"$schema\": \"./deeds.schema.json\"")]
    Schema,
    /// Register the hook with Claude Code or Codex
    Install(InstallArgs),
    /// Take the hook out of a client's settings again
    Uninstall(UninstallArgs),
    /// Look whether everything that records and judges works, and say what to do
    Doctor(DoctorArgs),
    /// Print the script by which a shell completes deeds' command lines
    Completions(CompletionsArgs),
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
    /// The session to judge, the beginning of its id will do; without it, the newest one of this worktree
    #[arg(long, value_name = "ID", conflicts_with = "snapshot")]
    pub session: Option<String>,
    /// Take the whole ledger as one session
    #[arg(long, conflicts_with_all = ["session", "snapshot"])]
    pub all: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// Print JSON: --format json
    #[arg(long, conflicts_with_all = ["format", "snapshot"])]
    pub json: bool,
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
  deeds run -- bash -c 'make && make test'
  deeds run --check contract               runs the command that deeds.json declares

Exit codes: those of the command · 126 it may not be run · 127 there is none such · 128 + N signal N ended it")]
pub struct RunArgs {
    /// Run the check that deeds.json declares under this name
    #[arg(long, value_name = "NAME")]
    pub check: Option<String>,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds log -n 20                          the newest twenty
  deeds log --kind run --outcome failed    commands that reported a failure
  deeds log --since 2h --kind claim,judgement
  deeds log --follow                       each entry as it is recorded

Kinds: run, edit, look, tool (evidence), session, claim, judgement, not_collected, unparsed, bundle, …")]
pub struct LogArgs {
    /// Only these kinds: run, edit, claim, …; several with commas
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only what was observed since: an age (30m, 2h, 7d), a day, or RFC 3339
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only what was reported so; of a run its exit, of a judgement its verdicts
    #[arg(long, value_enum, value_name = "OUTCOME")]
    pub outcome: Vec<Reported>,
    /// Only this session; the beginning of its id will do
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this sub-agent; main: only the session's own agent
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Only so many of the newest
    #[arg(short = 'n', long, value_name = "N")]
    pub last: Option<usize>,
    /// Stay, and show each entry as it is recorded
    #[arg(short, long)]
    pub follow: bool,
    /// Times in UTC instead of ages
    #[arg(long)]
    pub utc: bool,
    /// One ledger entry a line, as it stands
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds show 118                           the entry that a verdict names as #118
  deeds show 3f9a2c41                      by the beginning of its id")]
pub struct ShowArgs {
    /// A sequence number, or the beginning of an entry's id
    #[arg(value_name = "SEQ|ID")]
    pub entry: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds sessions -n 5                      the five newest
  deeds sessions --json                    one JSON object a line

Verdicts are those that were recorded at the end of each turn, all turns together. ~ marks those worked out now, of
sessions that were read from a file or whose client has no Stop hook.")]
pub struct SessionsArgs {
    /// Only so many of the newest
    #[arg(short = 'n', long, value_name = "N")]
    pub last: Option<usize>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds report --html report.html          the newest session of this worktree
  deeds report --html - --all > all.html   the whole ledger as one session

The page needs no network and runs no script; it opens from a file and prints.")]
pub struct ReportArgs {
    /// Where to write the page ('-': stdout)
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// The session to report, the beginning of its id will do; without it, the newest one of this worktree
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Take the whole ledger as one session
    #[arg(long, conflicts_with = "session")]
    pub all: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds verify
  deeds verify --expect monday.checkpoint  is it still what it was then, and more?
  deeds verify --json

Exit codes: 0 it is what was written · 1 cannot tell · 2 it is not · 70 it cannot be read")]
pub struct VerifyArgs {
    /// Print JSON
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
    #[command(after_help = "Examples:
  deeds key take > ledger.key              and later: deeds verify --key ledger.key")]
    Take,
    /// Record that you know of a ledger that was here before and is gone, as where you cloned the project anew
    #[command(after_help = "Examples:
  deeds key forget                         deeds verify is content from then on")]
    Forget,
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
    /// Only this session; the beginning of its id will do
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Write to this ledger, whatever project the rollout names
    #[arg(long, value_name = "DIR")]
    pub ledger: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds install claude                     for you, in all projects
  deeds install claude --local             for you, in this project only
  deeds install codex --dry-run            what would change in which file

Only deeds' own entries are touched. The file as it was is kept; deeds uninstall brings it back.")]
pub struct InstallArgs {
    #[arg(value_enum, value_name = "CLIENT")]
    pub client: Client,
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds uninstall claude
  deeds uninstall codex --project --dry-run

What was recorded stays.")]
pub struct UninstallArgs {
    #[arg(value_enum, value_name = "CLIENT")]
    pub client: Client,
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct ScopeArgs {
    /// In your own settings, for all projects; this is the default
    #[arg(long)]
    pub user: bool,
    /// In the project's settings, which are committed with it
    #[arg(long)]
    pub project: bool,
    /// In your own settings for this project (Claude Code only)
    #[arg(long)]
    pub local: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds doctor                             this project, and both clients
  deeds doctor codex                       Codex must be registered, too
  deeds doctor --json

It changes nothing. Exit codes: 0 all is well · 1 warnings · 2 failures")]
pub struct DoctorArgs {
    /// Only this client
    #[arg(value_enum, value_name = "CLIENT")]
    pub client: Option<Client>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  deeds completions bash > ~/.local/share/bash-completion/completions/deeds
  deeds completions zsh > ~/.zfunc/_deeds           with ~/.zfunc in fpath, before compinit
  deeds completions fish > ~/.config/fish/completions/deeds.fish")]
pub struct CompletionsArgs {
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}
