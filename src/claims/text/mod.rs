//! What an agent's message claims: text in, claims out; nothing else is read and nothing is written.
//!
//! [`segment`] and [`token`] find the agent's own prose, [`sentence`] cuts it up, [`frame`] says what a heading or a
//! lead-in makes of a list. Within a sentence, [`noun`] finds what is checked and [`verb`] and [`outcome`] what is said of
//! it ([`checks`]); [`fragments`] and [`pronoun`] read results whose check is not named, or was named before ([`mention`]).
//! [`vcs`], [`push`] and [`file`] find deeds, [`unrun`], [`vcs_undone`] and [`untouched`] what was not done. [`guard`],
//! [`others`], [`lead`] and, after a result, [`ending`] and [`doubt`] take away whatever is only wished for, guessed, asked,
//! quoted, planned or past. The words themselves are tables: `nouns`, `predicates`, `guards`, `leads`, `file_verbs`, and
//! the runners in `runners`.
//!
//! Architecture invariant: precision before recall. A statement that no rule knows is no claim, since a claim that was
//! not made leads to a false accusation.

mod adverbial;
mod assertion;
mod checks;
mod code;
mod deed;
mod determiner;
mod doubt;
mod ending;
#[cfg(test)]
mod examples;
mod figures;
mod file;
mod file_before;
#[rustfmt::skip]
mod file_verbs;
mod fragments;
mod frame;
mod generic;
mod guard;
#[rustfmt::skip]
mod guards;
mod lead;
#[rustfmt::skip]
mod leads;
mod making;
mod mark;
mod mention;
mod narrow;
mod not_done;
mod noun;
#[rustfmt::skip]
mod nouns;
mod others;
mod outcome;
mod passes;
mod phrase;
#[rustfmt::skip]
mod predicates;
mod pronoun;
mod push;
mod question;
mod reading;
mod report;
mod row;
mod runner;
#[rustfmt::skip]
mod runners;
mod scan;
mod segment;
mod sentence;
mod still;
mod subject;
mod subset;
mod token;
mod unrun;
mod untouched;
mod vcs;
mod vcs_label;
mod vcs_undone;
mod verb;
mod words;

use std::ops::Range;

pub use reading::claims;
pub use runners::unnamed_tool;
pub use scan::could_claim;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Tests,
    Lint,
    Typecheck,
    Format,
    Build,
    Commit,
    Push,
    File,
}

/// What it says: the result of a check, or that a deed was done or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Says {
    Pass,
    Fail,
    Done,
    NotDone,
}

/// How much of it the claim speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    All,
    Part,
    Unclear,
}

/// The numbers of tests that a claim gives; what it does not give is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
}

/// One claim of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextClaim {
    pub kind: Kind,
    pub says: Says,
    pub scope: Scope,
    /// Tests only.
    pub count: Option<Count>,
    /// The runner that is named beside it, as the folders of recorded runs are.
    pub runner: Option<&'static str>,
    /// A commit's hash, where it was pushed, a file's path: as written.
    pub object: Option<String>,
    /// The bytes of the message that make it.
    pub span: Range<usize>,
    /// The words that name the part, for [`Scope::Part`], or the place that a check ran in.
    pub subset: Option<String>,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tests => "tests",
            Kind::Lint => "lint",
            Kind::Typecheck => "typecheck",
            Kind::Format => "format",
            Kind::Build => "build",
            Kind::Commit => "commit",
            Kind::Push => "push",
            Kind::File => "file",
        }
    }
}

impl Says {
    /// What a check's result says.
    pub fn result(passes: bool) -> Says {
        if passes { Says::Pass } else { Says::Fail }
    }

    pub fn name(self) -> &'static str {
        match self {
            Says::Pass => "pass",
            Says::Fail => "fail",
            Says::Done => "done",
            Says::NotDone => "not_done",
        }
    }
}

impl Scope {
    pub fn name(self) -> &'static str {
        match self {
            Scope::All => "all",
            Scope::Part => "part",
            Scope::Unclear => "unclear",
        }
    }
}
