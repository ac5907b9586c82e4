//! Which state of the files an observation is about, and whether two states are the same.

/// The state that a run was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The host saw this tree when the run ended. `edits` is the session's last edit before it.
    Tree { tree: String, edits: Option<String> },
    /// No tree was seen; all that is known is the session's last edit before it.
    Edits { edits: Option<String>, why: String },
    /// It cannot be said which state it was about; it neither supports nor contradicts.
    Nowhere { why: String },
}

/// The state that a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Any state.
    Any,
    Tree(String),
    /// No tree can be had: the session's own last edit stands for the state.
    Edits(Option<String>),
    /// An opaque string, compared as it is.
    Opaque(String),
    /// It could not be resolved (`@worktree` outside a repository), with the reason.
    Unresolvable(String),
}

impl Subject {
    pub fn matches(&self, wanted: &Wanted) -> bool {
        match (self, wanted) {
            (_, Wanted::Any) => true,
            (Subject::Tree { tree, .. }, Wanted::Tree(other)) => tree == other,
            (Subject::Tree { edits, .. } | Subject::Edits { edits, .. }, Wanted::Edits(other)) => edits == other,
            (_, Wanted::Opaque(other)) => self.to_wire().as_deref() == Some(other),
            _ => false,
        }
    }

    /// `tree:<id>`, `edits:<id>`, or nothing.
    pub fn to_wire(&self) -> Option<String> {
        match self {
            Subject::Tree { tree, .. } => Some(format!("tree:{tree}")),
            Subject::Edits { edits, .. } => Some(edits_wire(edits.as_deref())),
            Subject::Nowhere { .. } => None,
        }
    }
}

impl Wanted {
    /// The subject that a requirement names; `None` where any will do.
    pub fn to_wire(&self) -> Option<String> {
        match self {
            Wanted::Any => None,
            Wanted::Tree(tree) => Some(format!("tree:{tree}")),
            Wanted::Edits(edits) => Some(edits_wire(edits.as_deref())),
            Wanted::Opaque(text) => Some(text.clone()),
            Wanted::Unresolvable(_) => Some("unresolvable".into()),
        }
    }
}

fn edits_wire(id: Option<&str>) -> String {
    format!("edits:{}", id.unwrap_or("none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_tree_never_stands_for_a_tree_that_was_seen() {
        let unseen = Subject::Edits { edits: Some("e1".into()), why: "no git".into() };
        let seen = Subject::Tree { tree: "t1".into(), edits: Some("e1".into()) };
        assert!(!unseen.matches(&Wanted::Tree("t1".into())));
        assert!(seen.matches(&Wanted::Tree("t1".into())));
        assert!(unseen.matches(&Wanted::Edits(Some("e1".into()))) && seen.matches(&Wanted::Edits(Some("e1".into()))));
        assert!(!unseen.matches(&Wanted::Edits(None)));
        assert!(!Subject::Nowhere { why: "ssh".into() }.matches(&Wanted::Edits(None)));
        assert!(!seen.matches(&Wanted::Unresolvable("no repository".into())));
        assert!(seen.matches(&Wanted::Opaque("tree:t1".into())));
    }
}
