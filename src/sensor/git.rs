//! Where HEAD, its branch, and what that branch is pushed to stand, and the sensor that looks.
//!
//! A remote's branch is what the last fetch or push left here; the network is never asked.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::checkout::Checkout;
use super::difference::Moved;
use super::git_command::{Deadline, Done, Git, not_run};
use super::host::Look;
use super::listing::{Row, rows};
use super::scratch::Scratch;
use super::tree::{is_object_id, settings_and_head};
use super::worktree::{Worktree, path_text};
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::AgentEvent;
use crate::evidence::{CollectionMethod, RuntimeCapabilities, SignalClass, TrustClass};
use crate::layout;

/// Where things stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitLook {
    /// `None` on a branch without a commit.
    pub head: Option<String>,
    /// `None` where HEAD is detached.
    pub branch: Option<String>,
    pub upstream: Option<Upstream>,
    /// `origin/main` → its commit: the upstream, where the branch is pushed to, and the branch's namesakes.
    pub remotes: BTreeMap<String, String>,
    /// Nothing in the worktree differs from HEAD; `None` where nobody looked, or could tell.
    pub clean: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// `origin/main`; a branch of this repository by its own name.
    pub name: String,
    /// `None`: it is configured and not there.
    pub sha: Option<String>,
}

/// Looks at the repository that `cwd` is in. Whether the worktree is clean is taken from `seen`, a look at the same
/// moment.
pub fn look(cwd: &Path, budget: Duration, seen: Option<&Worktree>) -> Result<GitLook, String> {
    let deadline = Deadline::after(budget);
    let checkout = Checkout::find(cwd)?;
    let git = Git::find(layout::var("PATH").as_deref(), Some(&checkout.root))?;
    look_with(&git, &checkout, &deadline, seen)
}

/// The same with a git of the caller's choice.
pub fn look_with(git: &Git, of: &Checkout, deadline: &Deadline, seen: Option<&Worktree>) -> Result<GitLook, String> {
    of.check_owner(git, deadline)?;
    let questions: [&[&str]; 3] =
        [&["rev-parse", "--quiet", "--verify", "HEAD"], &["symbolic-ref", "--quiet", "HEAD"], &["remote"]];
    let mut answers = of.ask(git, &questions, deadline);
    let remotes = answers.pop().unwrap_or_else(not_run)?.output("remote")?;
    let symbolic = answers.pop().unwrap_or_else(not_run)?;
    let head = answers.pop().unwrap_or_else(not_run)?;
    let line = |done: Done| {
        let told = (done.code == Some(0)).then(|| String::from_utf8_lossy(&done.stdout).trim_end().to_owned());
        told.filter(|line| !line.is_empty())
    };
    let head = line(head).filter(|head| is_object_id(head));
    let full = line(symbolic);
    let branch = full.as_deref().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned());
    let mut found = GitLook { head, branch, clean: seen.and_then(|seen| seen.clean), ..GitLook::default() };
    let (Some(full), Some(branch)) = (full, found.branch.clone()) else { return Ok(found) };

    let mut wanted: Vec<String> =
        String::from_utf8_lossy(&remotes).lines().map(|remote| format!("refs/remotes/{remote}/{branch}")).collect();
    wanted.push(full.clone());
    let refs = read_refs(git, of, &wanted, deadline)?;
    let mut upstream = None;
    let mut shas: BTreeMap<String, String> = BTreeMap::new();
    let mut missing = Vec::new();
    for one in &refs {
        if one.name == full {
            upstream = Some(one.upstream.clone()).filter(|name| !name.is_empty());
            missing = [&one.upstream, &one.push].into_iter().filter(|name| !name.is_empty()).cloned().collect();
        } else {
            shas.insert(one.name.clone(), one.sha.clone());
        }
    }
    missing.retain(|name| !shas.contains_key(name));
    if !missing.is_empty() {
        for one in read_refs(git, of, &missing, deadline)? {
            shas.insert(one.name, one.sha);
        }
    }
    found.upstream = upstream.map(|name| Upstream { sha: shas.get(&name).cloned(), name: short(&name).to_owned() });
    let remote = |(name, sha): (String, String)| Some((name.strip_prefix("refs/remotes/")?.to_owned(), sha));
    found.remotes = shas.into_iter().filter_map(remote).collect();
    Ok(found)
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/remotes/").or_else(|| name.strip_prefix("refs/heads/")).unwrap_or(name)
}

struct Ref {
    name: String,
    sha: String,
    upstream: String,
    push: String,
}

/// The refs of exactly these names that there are.
fn read_refs(git: &Git, of: &Checkout, names: &[String], deadline: &Deadline) -> Result<Vec<Ref>, String> {
    let mut args = vec!["for-each-ref", "--format=%(refname)%00%(objectname)%00%(upstream)%00%(push)", "--"];
    args.extend(names.iter().map(String::as_str));
    let told = of.ask(git, &[&args], deadline).pop().unwrap_or_else(not_run)?.output("for-each-ref")?;
    let told = String::from_utf8_lossy(&told);
    let row = |line: &str| {
        let mut fields = line.split('\0').map(str::to_owned);
        Some(Ref { name: fields.next()?, sha: fields.next()?, upstream: fields.next()?, push: fields.next()? })
    };
    Ok(told.lines().filter_map(row).filter(|one| names.contains(&one.name)).collect())
}

/// What differs between the trees of two commits, path by path.
pub fn diff_trees(cwd: &Path, before: &str, after: &str, budget: Duration) -> Result<Vec<Moved>, String> {
    if !is_object_id(before) || !is_object_id(after) {
        return Err("not the ids of commits".into());
    }
    let deadline = Deadline::after(budget);
    let checkout = Checkout::find(cwd)?;
    let git = Git::find(layout::var("PATH").as_deref(), Some(&checkout.root))?;
    checkout.check_owner(&git, &deadline)?;
    let (config, _) = settings_and_head(&git, &checkout, &deadline)?;
    let scratch = Scratch::new(&git, &checkout, &config, &deadline)?;
    let raw = scratch.git(&["diff-tree", "-r", "--raw", "-z", "--no-renames", before, after], None)?;
    let field = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let moved = |row: Row<'_>| Moved {
        path: path_text(row.path),
        before: (field(row.before_mode), field(row.before)),
        after: (field(row.mode), field(row.sha)),
    };
    Ok(rows(&raw).map(moved).collect())
}

/// Looks at the repository that the event's directory is in. Whether that is the session's own is for the caller to
/// know: [`super::checkout::same_repository`].
pub struct HostGitSensor<'a> {
    /// A look at the worktree that was just taken; it says whether the worktree is clean.
    pub seen: Option<&'a Worktree>,
    pub budget: Duration,
    /// The payload's `context`.
    pub context: Value,
}

impl HostGitSensor<'_> {
    pub const NAME: &'static str = "HostGitSensor";
    const VERSION: &'static str = "1";
}

impl GitLook {
    /// The payload, without what says which look it is and without its context.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("head".into(), json!(self.head));
        out.insert("branch".into(), json!(self.branch));
        out.insert(
            "upstream".into(),
            self.upstream.as_ref().map_or(Value::Null, |up| json!({"name": up.name, "sha": up.sha})),
        );
        if !self.remotes.is_empty() {
            out.insert("remotes".into(), json!(self.remotes));
        }
        out.insert("clean".into(), json!(self.clean));
        out
    }

    /// Reads what [`GitLook::to_json`] wrote; `None` if `value` is no object.
    pub fn from_json(value: &Value) -> Option<GitLook> {
        value.as_object()?;
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let upstream = value.get("upstream");
        let remotes = value.get("remotes").and_then(Value::as_object);
        Some(GitLook {
            head: text(value, "head"),
            branch: text(value, "branch"),
            upstream: upstream.and_then(|up| Some(Upstream { name: text(up, "name")?, sha: text(up, "sha") })),
            remotes: remotes
                .into_iter()
                .flatten()
                .filter_map(|(name, sha)| Some((name.clone(), sha.as_str()?.to_owned())))
                .collect(),
            clean: value.get("clean").and_then(Value::as_bool),
        })
    }
}

impl EvidenceSensor for HostGitSensor<'_> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::HostObserved
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::ProcessObservation
    }

    fn collect(&self, event: &AgentEvent<'_>, _: &RuntimeCapabilities) -> SensorOutcome {
        let Some(cwd) = event.cwd.as_deref() else {
            return SensorOutcome::failed("the event names no directory to look at");
        };
        match look(Path::new(cwd), self.budget, self.seen) {
            Ok(found) => {
                let look = Look { sensor: Self::NAME, version: Self::VERSION, what: "git" };
                SensorOutcome::collected(vec![look.evidence(event, found.to_json(), self.context.clone())])
            }
            Err(reason) => SensorOutcome::failed(reason),
        }
    }
}
