//! What a look at a worktree saw, and the sensor that takes one.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::host::Look;
use super::scratch::quoted;
use super::tree::observe;
use super::{EvidenceSensor, SensorOutcome};
use crate::evidence::event::AgentEvent;
use crate::evidence::{CollectionMethod, RuntimeCapabilities, SignalAvailability, SignalClass, TrustClass};

/// The state of a worktree at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktree {
    /// The tree id; equal ids, equal content. `None` with a reason.
    pub tree: Option<String>,
    /// Why there is no tree id.
    pub reason: Option<String>,
    /// The commit checked out; `None` on a branch without one.
    pub head: Option<String>,
    /// What differs from `head`, by path; without a commit, all files.
    pub changed: Vec<Changed>,
    /// There are more rows than are kept, or none could be had.
    pub changed_cut: bool,
    /// Checked-out submodules and embedded repositories.
    pub submodules: Vec<Nested>,
    /// Nothing differs from `head`; `None` where that cannot be told.
    pub clean: Option<bool>,
}

/// One row of what differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `A`, `M`, `D`, `T`.
    pub status: String,
    pub path: String,
    /// The mode and id there are now; zeros for what is gone.
    pub mode: String,
    pub sha: String,
}

/// A repository inside the worktree. Its `tree` stands in the tree id of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    pub path: String,
    pub head: Option<String>,
    pub tree: Option<String>,
    pub clean: Option<bool>,
}

/// A path as text: as it is where that is possible, else as git quotes it.
pub fn path_text(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => String::from_utf8_lossy(&quoted(path)).into_owned(),
    }
}

impl Worktree {
    /// Nothing was seen.
    pub fn without(reason: impl Into<String>) -> Worktree {
        Worktree { reason: Some(reason.into()), ..Worktree::default() }
    }

    /// `tree:<id>`, as a requirement names it.
    pub fn subject(&self) -> Option<String> {
        self.tree.as_ref().map(|tree| format!("tree:{tree}"))
    }

    /// The payload, without what says which look it is and without its context.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("tree".into(), json!(self.tree));
        if let Some(reason) = &self.reason {
            out.insert("reason".into(), json!(reason));
        }
        out.insert("head".into(), json!(self.head));
        let row = |row: &Changed| json!({"status": row.status, "path": row.path, "mode": row.mode, "sha": row.sha});
        out.insert("changed".into(), self.changed.iter().map(row).collect());
        out.insert("changed_cut".into(), json!(self.changed_cut));
        out.insert("clean".into(), json!(self.clean));
        if !self.submodules.is_empty() {
            let row = |one: &Nested| json!({"path": one.path, "head": one.head, "tree": one.tree, "clean": one.clean});
            out.insert("submodules".into(), self.submodules.iter().take(SUBMODULE_ROWS).map(row).collect());
        }
        out
    }

    /// Reads what [`Worktree::to_json`] wrote; `None` if `value` is no object. A row that cannot be read (a path that the
    /// ledger keeps elsewhere) is left out, and the rows then count as cut.
    pub fn from_json(value: &Value) -> Option<Worktree> {
        let body = value.as_object()?;
        let rows = |key: &str| body.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let changed: Vec<Changed> = rows("changed").iter().filter_map(changed_row).collect();
        Some(Worktree {
            tree: text(value, "tree"),
            reason: text(value, "reason"),
            head: text(value, "head"),
            changed_cut: body.get("changed_cut") != Some(&Value::Bool(false)) || changed.len() < rows("changed").len(),
            changed,
            submodules: rows("submodules").iter().filter_map(nested_row).collect(),
            clean: body.get("clean").and_then(Value::as_bool),
        })
    }
}

/// Submodules listed in a payload; the tree id covers all of them.
const SUBMODULE_ROWS: usize = 50;

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn changed_row(row: &Value) -> Option<Changed> {
    Some(Changed {
        status: text(row, "status")?,
        path: text(row, "path")?,
        mode: text(row, "mode")?,
        sha: text(row, "sha")?,
    })
}

fn nested_row(row: &Value) -> Option<Nested> {
    Some(Nested {
        path: text(row, "path")?,
        head: text(row, "head"),
        tree: text(row, "tree"),
        clean: row.get("clean").and_then(Value::as_bool),
    })
}

/// What a host look is allowed to take.
pub const BUDGET: Duration = Duration::from_secs(1);

/// Looks at the worktree that the event's directory is in. Whether that is the session's own repository is for the
/// caller to know: [`super::checkout::same_repository`].
pub struct HostWorktreeSensor<'a> {
    /// A look that was just taken; otherwise one is.
    pub seen: Option<&'a Worktree>,
    pub budget: Duration,
    /// The payload's `context`.
    pub context: Value,
}

impl HostWorktreeSensor<'_> {
    pub const NAME: &'static str = "HostWorktreeSensor";
    const VERSION: &'static str = "1";
}

impl EvidenceSensor for HostWorktreeSensor<'_> {
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
        let taken;
        let seen = match (self.seen, event.cwd.as_deref()) {
            (Some(seen), _) => seen,
            (None, Some(cwd)) => {
                taken = observe(Path::new(cwd), self.budget);
                &taken
            }
            (None, None) => return SensorOutcome::failed("the event names no directory to look at"),
        };
        let look = Look { sensor: Self::NAME, version: Self::VERSION, what: "worktree" };
        let evidence = vec![look.evidence(event, seen.to_json(), self.context.clone())];
        // What was seen beside the tree is kept, and that the tree was not seen is said.
        let state =
            if seen.tree.is_some() { SignalAvailability::Available } else { SignalAvailability::CollectionFailed };
        SensorOutcome { evidence, state, detail: seen.reason.clone() }
    }
}
