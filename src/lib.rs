//! Words against deeds: evidence of what a coding agent did, kept in a tamper-evident local ledger, and a judge that
//! says for each claim whether the recorded deeds bear it out.
//!
//! Data flows one way: client JSON → [`adapter`] → `AgentEvent` → [`sensor`] → [`evidence`] → [`ledger`] → [`records`] →
//! [`judge`] → verdict → text. From the top down: `cli`, `command`, `gate`, `claims`, `records`, `judge`, `bundle`,
//! `adapter`, `sensor`, `ledger`, `evidence`, then `redact`, `layout`, `clock`, `durable`, `text`, `bytes`, `error`. Imports
//! point down that list only; `tests/it/tidy.rs` checks it.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod adapter;
pub mod bundle;
pub mod bytes;
pub mod claims;
pub mod cli;
pub mod clock;
pub mod command;
pub mod durable;
pub mod error;
pub mod evidence;
pub mod gate;
pub mod judge;
pub mod layout;
pub mod ledger;
pub mod records;
pub mod redact;
pub mod sensor;
pub mod text;
