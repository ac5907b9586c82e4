//! Every path and environment variable, in one place.
//!
//! Architecture invariant: nothing here starts a process or changes a disk; a repository is found by looking.

mod repository;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

pub use repository::{Context, Head, Repository};

/// The file appended to.
pub const LEDGER: &str = "ledger.jsonl";
/// Locked while appending; never removed. Holds the id of the ledger that was begun here.
pub const LOCK: &str = "ledger.lock";
/// `blobs/<first two hex digits>/<sha256>`.
pub const BLOBS: &str = "blobs";
/// `bundles/<sha256 of the task>.json`.
pub const BUNDLES: &str = "bundles";
/// In the user's state: how far seals have come in each ledger.
pub const SEALS: &str = "seals";
/// Locked while a bundle is made; never removed.
pub const SEAL_LOCK: &str = "seal.lock";
/// Events that could not be appended yet.
pub const SPOOL: &str = "spool";
/// What could not be taken in.
pub const QUARANTINE: &str = "quarantine";
/// How far each session's own file has been read.
pub const SESSIONS: &str = "sessions";
/// In the user's state: clients' settings files as they were before deeds changed them.
pub const SETTINGS_BACKUPS: &str = "settings";
/// The key for digests of files that are named like secrets.
pub const DIGEST_KEY: &str = "digest.key";
/// deeds' own folder in the user's configuration.
pub const CONFIG_PLACE: &str = "deeds";
/// The private key that bundles and checkpoints are signed with.
pub const SIGNING_KEY: &str = "signing.key";
/// Its public half.
pub const SIGNING_PUBLIC: &str = "signing.pub";
/// Locked while the key is made; never removed.
pub const SIGNING_LOCK: &str = "signing.lock";
/// In the user's configuration: the producers that may run by themselves.
pub const APPROVED: &str = "approved";
/// In the user's state: the keys that entries are signed with.
pub const KEYS: &str = "keys";
/// Where random bytes come from.
pub const RANDOM: &str = "/dev/urandom";
/// A ledger outside a repository.
pub const PROJECT_PLACE: &str = ".deeds";
/// The project's own declarations.
pub const CONFIG: &str = "deeds.json";

/// What says that a folder is a project of its own.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "deno.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "setup.py",
    "CMakeLists.txt",
    "Package.swift",
    "pubspec.yaml",
    CONFIG,
];

/// `ledger-<first seq>.jsonl`: a closed earlier part of the ledger.
pub fn segment(first_seq: u64) -> String {
    format!("ledger-{first_seq}.jsonl")
}

/// The first seq in the name of a closed segment.
pub fn segment_first(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("ledger-")?.strip_suffix(".jsonl")?;
    let canonical = digits == "0" || !digits.starts_with('0');
    if canonical && digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The environment variables that deeds heeds, read once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// `DEEDS_DIR`: where the ledger is, whatever the project.
    pub deeds_dir: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`: the session's project, where the agent may have wandered off since.
    pub claude_project_dir: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`: Claude Code's own folder, where it is not `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// `XDG_STATE_HOME`
    pub xdg_state_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`
    pub xdg_config_home: Option<PathBuf>,
    /// `CODEX_HOME`
    pub codex_home: Option<PathBuf>,
    /// `HOME`
    pub home: Option<PathBuf>,
    /// `DEEDS_OFF`: the hook does nothing.
    pub off: bool,
    /// `NO_COLOR`
    pub no_color: bool,
    /// `AI_AGENT`: how the client names itself and its version.
    pub ai_agent: Option<String>,
}

/// `DEEDS_TEST_PANIC`, in builds for development only: how often deeds is to fail, to show what it does then.
pub fn deliberate_panics() -> usize {
    if !cfg!(debug_assertions) {
        return 0;
    }
    match var("DEEDS_TEST_PANIC") {
        Some(value) if value == "twice" => 2,
        Some(_) => 1,
        None => 0,
    }
}

/// Set for producers: the ledger whose seal they are part of.
pub const SEALING: &str = "DEEDS_SEALING";

/// `COLUMNS`: how wide a line may be where nothing else tells.
pub fn columns() -> Option<usize> {
    var("COLUMNS")?.to_str()?.parse().ok()
}

/// `TERM=dumb`: a terminal that knows no colours.
pub fn is_dumb_terminal() -> bool {
    var("TERM").is_some_and(|term| term == "dumb")
}

/// A variable, if it is set to something.
pub fn var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A variable that the XDG specification wants absolute; any other value is as good as none.
fn absolute_var(name: &str) -> Option<PathBuf> {
    var(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The program that a shell would start by this name.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = var("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(&name)).find(|at| is_program(at))
}

#[cfg(unix)]
pub fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Whether two names lead to the same file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

impl Env {
    pub fn read() -> Env {
        Env {
            deeds_dir: var("DEEDS_DIR").map(PathBuf::from),
            claude_project_dir: absolute_var("CLAUDE_PROJECT_DIR"),
            claude_config_dir: absolute_var("CLAUDE_CONFIG_DIR"),
            xdg_state_home: absolute_var("XDG_STATE_HOME"),
            xdg_config_home: absolute_var("XDG_CONFIG_HOME"),
            codex_home: absolute_var("CODEX_HOME"),
            home: absolute_var("HOME"),
            off: var("DEEDS_OFF").is_some_and(|value| value != "0"),
            no_color: var("NO_COLOR").is_some(),
            ai_agent: var("AI_AGENT").and_then(|value| value.into_string().ok()),
        }
    }

    /// `$XDG_STATE_HOME/deeds`: what must lie outside the project.
    pub fn state(&self) -> Option<PathBuf> {
        let base = self.xdg_state_home.clone().or_else(|| Some(self.home.as_ref()?.join(".local/state")))?;
        Some(base.join("deeds"))
    }

    /// `$XDG_CONFIG_HOME`, or where it is by default.
    pub fn config(&self) -> Option<PathBuf> {
        self.xdg_config_home.clone().or_else(|| Some(self.home.as_ref()?.join(".config")))
    }

    /// Codex's own folder.
    pub fn codex(&self) -> Option<PathBuf> {
        self.codex_home.clone().or_else(|| Some(self.home.as_ref()?.join(".codex")))
    }

    /// Claude Code's own folder.
    pub fn claude(&self) -> Option<PathBuf> {
        self.claude_config_dir.clone().or_else(|| Some(self.home.as_ref()?.join(".claude")))
    }

    /// The session's project: what the client calls so, else where the session began, else where the agent is.
    pub fn project(&self, session_cwd: Option<&Path>, cwd: &Path) -> PathBuf {
        self.claude_project_dir.clone().unwrap_or_else(|| session_cwd.unwrap_or(cwd).to_owned())
    }

    /// Where the ledger of `project` is, or would be.
    pub fn place(&self, project: &Path) -> Place {
        let project = normal(project);
        let walk = self.walk(&project);
        let root = match (&walk.private, &walk.repository) {
            (Some(private), _) => private.clone(),
            (None, Some(Repository { root: Some(root), .. })) => root.clone(),
            (None, Some(bare)) => bare.git_dir.clone(),
            (None, None) => walk.own.unwrap_or_else(|| project.clone()),
        };
        let (ledger, basis) = match (&self.deeds_dir, &walk.private, &walk.repository) {
            (Some(dir), _, _) => (normal(dir), Basis::Variable),
            (None, Some(private), _) => (private.join(PROJECT_PLACE), Basis::Project),
            (None, None, Some(repository)) => (repository.common_dir.join("deeds"), Basis::Repository),
            (None, None, None) => (root.join(PROJECT_PLACE), Basis::Project),
        };
        Place { ledger, basis, root, repository: walk.repository }
    }

    /// The worktree that `cwd` is in, and what is checked out there.
    pub fn context(&self, cwd: &Path) -> Context {
        self.walk(&normal(cwd)).repository.map(|found| found.context()).unwrap_or_default()
    }

    /// Walks up from `start` to the first repository, or to a folder that already has a ledger of its own. A home folder
    /// that is a repository (of dotfiles, mostly) is not walked up to from a folder with its own manifest.
    fn walk(&self, start: &Path) -> Walk {
        let mut walk = Walk::default();
        for dir in start.ancestors() {
            if self.home.as_deref() == Some(dir) && dir != start {
                walk.own =
                    start.ancestors().take_while(|below| *below != dir).find(|d| is_project(d)).map(Path::to_owned);
                if walk.own.is_some() {
                    return walk;
                }
            }
            walk.repository = Repository::at(dir);
            if repository::is_private_place(&dir.join(PROJECT_PLACE)) {
                walk.private = Some(dir.to_owned());
            }
            if walk.repository.is_some() {
                return walk;
            }
            if walk.private.is_some() {
                // The ledger is found; a repository further up may still say what is checked out.
                walk.repository = dir.ancestors().skip(1).find_map(Repository::at);
                return walk;
            }
        }
        walk
    }
}

#[derive(Debug, Default)]
struct Walk {
    repository: Option<Repository>,
    /// The folder that holds a ledger of its own.
    private: Option<PathBuf>,
    /// The folder whose manifest kept the walk from reaching home.
    own: Option<PathBuf>,
}

fn is_project(dir: &Path) -> bool {
    MANIFESTS.iter().any(|name| dir.join(name).is_file())
}

/// Absolute, and without `..`, so that its ancestors are the folders it is in.
pub fn normal(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute.components().any(|part| part == Component::ParentDir) {
        return absolute.canonicalize().unwrap_or(absolute);
    }
    absolute
}

/// Where a project's ledger is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The ledger's directory; it need not exist yet.
    pub ledger: PathBuf,
    pub basis: Basis,
    /// The worktree's root; without a repository, the project's folder. `deeds.json` stands here.
    pub root: PathBuf,
    pub repository: Option<Repository>,
}

/// Why the ledger is where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// `DEEDS_DIR` says so.
    Variable,
    /// In the repository's common directory, shared by its worktrees.
    Repository,
    /// In the project's folder: there was no repository when it was begun.
    Project,
}

/// What is checked out where `cwd` is: [`Env::context`] with the process's own environment.
pub fn context_of(cwd: &Path) -> Context {
    Env::read().context(cwd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_name_reads_back_and_nothing_else_does() {
        assert_eq!(segment_first(&segment(0)), Some(0));
        assert_eq!(segment_first(&segment(41)), Some(41));
        for name in
            ["ledger.jsonl", "ledger-.jsonl", "ledger-01.jsonl", "ledger-+1.jsonl", "ledger-1.json", "ledger-x.jsonl"]
        {
            assert_eq!(segment_first(name), None, "{name}");
        }
    }

    #[test]
    fn the_project_is_the_sessions_and_not_where_the_agent_wandered() {
        let mut env = Env::default();
        let (session, cwd) = (Path::new("/home/dev/demo"), Path::new("/home/dev/demo/src"));
        assert_eq!(env.project(None, cwd), cwd);
        assert_eq!(env.project(Some(session), cwd), session);
        env.claude_project_dir = Some("/home/dev/other".into());
        assert_eq!(env.project(Some(session), cwd), Path::new("/home/dev/other"));
    }
}
