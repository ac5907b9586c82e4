//! One error for every verb: an exit code, and one line that says what failed, where, why, and what to do.

use std::fmt;
use std::path::Path;

/// What `deeds` exits with (sysexits where it fits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It holds; also: nothing to judge.
    Holds = 0,
    /// It is not shown.
    NotShown = 1,
    /// It does not hold: contradicted, tampered, mismatch.
    DoesNotHold = 2,
    /// Wrong usage.
    Usage = 64,
    /// Unreadable input.
    Input = 65,
    /// Could not do it: I/O, lock, unreadable ledger.
    Unable = 70,
}

/// A failure with the exit code it leads to. Displays as `<what failed>: <path>: <cause>; <what to do>`.
#[derive(Debug)]
pub struct Error {
    pub exit: Exit,
    /// Machine-readable, snake_case: `invalid_input`, `io`, `lock`, `usage`, …
    pub code: &'static str,
    pub message: String,
    /// Where in the input: a JSON pointer, or `line:column`.
    pub at: Option<String>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn usage(message: impl Into<String>) -> Error {
        Error { exit: Exit::Usage, code: "usage", message: message.into(), at: None }
    }

    pub fn input(message: impl Into<String>) -> Error {
        Error { exit: Exit::Input, code: "invalid_input", message: message.into(), at: None }
    }

    pub fn unable(code: &'static str, message: impl Into<String>) -> Error {
        Error { exit: Exit::Unable, code, message: message.into(), at: None }
    }

    /// `failed to <verb>: <path>: <cause>`
    pub fn io(verb: &str, path: &Path, cause: impl fmt::Display) -> Error {
        Error::unable("io", format!("failed to {verb}: {}: {cause}", path.display()))
    }

    pub fn at(mut self, at: impl Into<String>) -> Error {
        self.at = Some(at.into());
        self
    }

    /// `{"error":{"code","message","at"?}}`, as every verb with JSON output prints it.
    pub fn to_json(&self) -> serde_json::Value {
        let mut inner = serde_json::Map::new();
        inner.insert("code".into(), self.code.into());
        inner.insert("message".into(), self.message.clone().into());
        if let Some(at) = &self.at {
            inner.insert("at".into(), at.clone().into());
        }
        serde_json::json!({ "error": inner })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(at) => write!(f, "{} (at {at})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
