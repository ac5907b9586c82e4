//! From the ledger to judge records: which runs there were, what they did, and what they come to.

pub mod command;
pub mod invocation;
pub mod outcome;
pub mod runners;
pub mod summary;
