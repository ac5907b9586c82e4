//! The integration tests: one binary, one helper ([`sandbox::Sandbox`]), everything through the real `deeds`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod claims;
mod claude;
mod claude_replay;
mod commands;
mod drafts;
mod faults;
mod gate;
mod hook;
mod hook_secrets;
mod judging;
mod layout;
mod ledger;
mod new_sensor;
mod overtaken;
mod runners;
mod sandbox;
mod session;
mod spool;
mod tamper;
mod tidy;
mod tree;
mod verbs;
