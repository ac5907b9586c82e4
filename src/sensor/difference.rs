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

/// The first path that differs between two looks whose commits differ in `moved` ([`super::git::diff_trees`]). Beyond the
/// end of a list that was cut, nothing is said.
pub fn first_difference_over(a: &Worktree, b: &Worktree, moved: &[Moved]) -> Option<String> {
    differences_over(a, b, moved).paths.into_iter().next()
}

/// What differs between two looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// In order.
    pub paths: Vec<String>,
    /// Nothing else differs.
    pub complete: bool,
}

/// Every path that is known to differ between two looks whose commits differ in `moved`.
pub fn differences_over(a: &Worktree, b: &Worktree, moved: &[Moved]) -> Differences {
    if a.tree.is_some() && a.tree == b.tree {
        return Differences { paths: Vec::new(), complete: true };
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
    let complete = matches!((&known_a, &known_b), (Known::All, Known::All));
    Differences { paths: paths.into_iter().take_while(told).filter(differs).map(str::to_owned).collect(), complete }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn look(tree: &str, head: &str, rows: &[(&str, &str)]) -> Worktree {
        let row = |(path, sha): &(&str, &str)| Changed {
            status: "M".into(),
            path: (*path).into(),
            mode: "100644".into(),
            sha: (*sha).into(),
        };
        Worktree {
            tree: Some(tree.into()),
            head: Some(head.into()),
            changed: rows.iter().map(row).collect(),
            ..Worktree::default()
        }
    }

    #[test]
    fn at_one_commit_the_rows_tell_all() {
        let a = look("1", "c", &[("b", "1"), ("d", "1")]);
        assert_eq!(first_difference(&a, &a), None);
        assert_eq!(first_difference(&a, &look("2", "c", &[("b", "2"), ("d", "2")])).as_deref(), Some("b"));
        assert_eq!(first_difference(&a, &look("2", "c", &[("b", "1")])).as_deref(), Some("d"), "put back");
        assert_eq!(first_difference(&a, &look("2", "c", &[("a", "1"), ("b", "1"), ("d", "1")])).as_deref(), Some("a"));
    }

    #[test]
    fn beyond_the_end_of_a_cut_list_nothing_is_said() {
        let mut cut = look("1", "c", &[("a", "1"), ("b", "1")]);
        cut.changed_cut = true;
        let whole = look("2", "c", &[("a", "1"), ("b", "1"), ("z", "1")]);
        assert_eq!(first_difference(&cut, &whole), None, "z may be a row that was cut");
        assert_eq!(first_difference(&whole, &cut), None);
        assert_eq!(first_difference(&cut, &look("2", "c", &[("a", "2"), ("z", "1")])).as_deref(), Some("a"));
        cut.changed.clear();
        assert_eq!(first_difference(&cut, &whole), None, "no rows could be had");
    }

    #[test]
    fn over_two_commits_the_moves_between_them_count() {
        let content = |sha: &str| ("100644".to_owned(), sha.to_owned());
        let moved = [Moved { path: "b".into(), before: content("0"), after: content("1") }];
        // b was edited, then committed as it was: the same content.
        let (tested, committed) = (look("1", "c", &[("b", "1")]), look("1", "d", &[]));
        assert_eq!(first_difference_over(&tested, &committed, &moved), None);
        let later = look("2", "d", &[("x", "9")]);
        assert_eq!(first_difference_over(&tested, &later, &moved).as_deref(), Some("x"));
        assert_eq!(first_difference(&tested, &later), None, "rows alone do not tell");
        let other = look("2", "d", &[("b", "7")]);
        assert_eq!(first_difference(&tested, &other).as_deref(), Some("b"));
    }
}
