//! The integration tests: one binary, one helper ([`sandbox::Sandbox`]), everything through the real `deeds`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod claude;
mod claude_replay;
mod hook;
mod judging;
mod drafts;
mod faults;
mod layout;
mod hook_secrets;
mod ledger;
mod new_sensor;
mod sandbox;
mod session;
mod tidy;
mod tree;
mod runners;
mod claims;
mod spool;
mod tamper;
mod verbs;
