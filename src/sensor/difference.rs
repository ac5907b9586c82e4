//! Which file it was that changed between two looks.
//!
//! Architecture invariant: a path is named only if it is known to differ; where rows were cut, nothing is said beyond.

use std::collections::{BTreeMap, BTreeSet};

use super::worktree::{Changed, Worktree};

/// A path whose content differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub path: String,
    /// Mode and id in the one and in the other; zeros where it is not.
    pub before: (String, String),
    pub after: (String, String),
}

/// The first path, in order, that differs between two looks, as far as their rows tell without git. Over different
/// commits only paths with a row in both can be compared: [`first_difference_over`] knows more.
pub fn first_difference(a: &Worktree, b: &Worktree) -> Option<String> {
    if a.head == b.head {
        return first_difference_over(a, b, &[]);
    }
    let other: BTreeMap<&str, &Changed> = b.changed.iter().map(|row| (row.path.as_str(), row)).collect();
    let differs = |row: &&Changed| {
        other.get(row.path.as_str()).is_some_and(|there| (&row.mode, &row.sha) != (&there.mode, &there.sha))
    };
    a.changed.iter().filter(differs).map(|row| row.path.clone()).min()
}

/// The first path that differs between two looks whose commits differ in `moved` ([`diff_trees`]). Beyond the end of a
/// list that was cut, nothing is said.
pub fn first_difference_over(a: &Worktree, b: &Worktree, moved: &[Moved]) -> Option<String> {
    if a.tree.is_some() && a.tree == b.tree {
        return None;
    }
    let known = |one: &Worktree| match (one.changed_cut, one.changed.last()) {
        (false, _) => Known::All,
        (true, Some(last)) => Known::UpTo(last.path.clone()),
        (true, None) => Known::Nothing,
    };
    let (known_a, known_b) = (known(a), known(b));
    let rows = |one: &Worktree| -> BTreeMap<String, (String, String)> {
        one.changed.iter().map(|row| (row.path.clone(), (row.mode.clone(), row.sha.clone()))).collect()
    };
    let (rows_a, rows_b) = (rows(a), rows(b));
    let moves: BTreeMap<&str, &Moved> = moved.iter().map(|one| (one.path.as_str(), one)).collect();
    let paths: BTreeSet<&str> =
        rows_a.keys().chain(rows_b.keys()).map(String::as_str).chain(moves.keys().copied()).collect();
    // `None` is the content that both commits have.
    let differs = |path: &&str| {
        let moved = moves.get(path);
        let before = rows_a.get(*path).or(moved.map(|one| &one.before));
        let after = rows_b.get(*path).or(moved.map(|one| &one.after));
        before != after
    };
    let told = |path: &&str| known_a.covers(path) && known_b.covers(path);
    paths.into_iter().take_while(told).find(differs).map(str::to_owned)
}

/// How far a list of rows goes.
enum Known {
    All,
    UpTo(String),
    Nothing,
}

impl Known {
    fn covers(&self, path: &str) -> bool {
        match self {
            Known::All => true,
            Known::UpTo(last) => path <= last.as_str(),
            Known::Nothing => false,
        }
    }
}
