//! Secrets are replaced before anything is hashed or stored.
//! (stand-in until the real one lands)
use std::borrow::Cow;

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Command,
    Output,
}

pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    pub count: usize,
}

pub fn redact(text: &str, _place: Where) -> Redacted<'_> {
    Redacted { text: Cow::Borrowed(text), count: 0 }
}

pub fn redact_json(_value: &mut Value, _place: Where) -> usize {
    0
}

pub fn secret_name(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(".env"))
}
