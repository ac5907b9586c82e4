//! The integration tests: one binary, one helper ([`sandbox::Sandbox`]), everything through the real `deeds`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod claude;
mod claude_replay;
mod codex_tail;
mod hook;
mod ledger;
mod new_sensor;
mod sandbox;
mod tree;
