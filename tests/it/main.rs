//! The integration tests: one binary, one helper ([`sandbox::Sandbox`]), everything through the real `deeds`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod judge;
mod judge_generated;
mod redact;
mod redact_generated;
mod redact_oracle;
mod secrets;
mod snapshot;
