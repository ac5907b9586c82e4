//! Why an append did not happen.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Draft;
use crate::error::Error;
use crate::layout;

/// Why nothing was appended.
#[derive(Debug)]
pub enum Cause {
    /// The ledger's directory is not one to write to.
    Place(PathBuf, &'static str),
    /// Somebody held the lock all the while.
    Locked,
    /// The ledger's end is not what deeds writes.
    Corrupt(&'static str),
    /// The ledger is in a later version's format.
    Newer(u64),
    /// A ledger was begun here, and it is gone. The file of its key says so too, if one is given.
    Gone(Option<PathBuf>),
    /// A draft's line would be longer than a line may be, whatever is moved out of it.
    TooLong,
    Io {
        verb: &'static str,
        path: PathBuf,
        error: io::Error,
    },
}

impl Cause {
    /// Says what was being done to which file when an error came.
    pub(super) fn io(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Cause {
        move |error| Cause::Io { verb, path: path.to_owned(), error }
    }
}

/// The drafts that could not be appended, as they were, and why. Displays as one line.
#[derive(Debug)]
pub struct AppendError {
    pub cause: Cause,
    pub drafts: Vec<Draft>,
    /// The ledger's directory.
    pub ledger: PathBuf,
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = |name| self.ledger.join(name);
        match &self.cause {
            Cause::Io { verb, path, error } => write!(f, "failed to {verb}: {}: {error}", path.display()),
            Cause::Place(path, why) => write!(f, "failed to append: {}: {why}", path.display()),
            Cause::Locked => {
                write!(f, "failed to lock: {}: another process held it all the while", path(layout::LOCK).display())
            }
            cause => {
                write!(f, "failed to append: {}: ", path(layout::LEDGER).display())?;
                match cause {
                    Cause::Corrupt(why) => write!(f, "{why}; `deeds verify` says more"),
                    Cause::Newer(format) => write!(f, "it is in format {format}; update deeds"),
                    Cause::Gone(key) => {
                        let lock = path(layout::LOCK);
                        write!(
                            f,
                            "a ledger was begun here and it is gone; bring it back, or remove {}",
                            lock.display()
                        )?;
                        if let Some(key) = key {
                            write!(f, " and {}", key.display())?;
                        }
                        f.write_str(" to begin anew")
                    }
                    _ => f.write_str("an entry would be longer than a line may be"),
                }
            }
        }
    }
}

impl std::error::Error for AppendError {}

impl From<AppendError> for Error {
    fn from(error: AppendError) -> Error {
        let code = match error.cause {
            Cause::Locked => "lock",
            Cause::Corrupt(_) | Cause::Newer(_) | Cause::Gone(_) => "ledger",
            Cause::Place(..) | Cause::TooLong | Cause::Io { .. } => "io",
        };
        Error::unable(code, error.to_string())
    }
}
