//! From the ledger to judge records: which runs there were, what they did, and what they come to.
//!
//! Architecture invariant: this is worked out anew for every verdict and never stored, so that a better recogniser also
//! improves verdicts about old evidence. Nothing here reads a clock or starts a process.

mod attempt;
pub mod check;
pub mod command;
mod counted;
mod deeds;
mod file_deeds;
pub mod files;
pub mod fold;
pub mod git;
pub mod invocation;
pub mod need;
pub mod outcome;
pub mod owned;
mod part;
mod remains;
mod retried;
pub mod run;
pub mod runners;
pub mod since;
pub mod story;
pub mod subject;
pub mod summary;
