//! Secrets are replaced before anything is hashed or stored.
//!
//! What is replaced leaves `[REDACTED:<kind>]` and is counted, so that the ledger says what it left out. Precision comes
//! first: a commit's id, a UUID or a lock file's digest is evidence. Names, headers and quotation marks around a secret
//! stay, so that a command still reads as a command; a value that only says where its secret is (`$TOKEN`) stays too.
//!
//! Architecture invariant: on the hook's path. No regex and no automaton is built, the text is passed over once, and
//! the work is linear in it. The regexes stand in `tests/it/redact_oracle.rs`, as the oracle.

mod assignment;
mod class;
mod credentials;
mod header;
mod json;
mod kinds;
mod name;
mod pem;
mod scan;
mod setting;
mod shape;
mod shell;
mod value;

use std::borrow::Cow;

use scan::{Scan, Span};

pub use json::redact_json;
pub use name::secret_name;

/// How a replaced secret begins.
const MARKER: &str = "[REDACTED:";

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    /// How many markers were put in. Redacting again puts in none.
    pub count: u32,
}

/// What a text is: the same words can be a secret in one and code in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// What was, or would be, run: every assignment to a telling name counts, up to the end of the shell's word.
    Command,
    /// Anything else: an assignment counts where a line is nothing but one, as in an environment listing.
    Output,
}

/// Replaces every secret in `text`.
pub fn redact(text: &str, place: Where) -> Redacted<'_> {
    let spans = spans(text, place);
    if spans.is_empty() {
        return Redacted { text: Cow::Borrowed(text), count: 0 };
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for span in &spans {
        // Spans begin and end at ASCII, or at the ends of runs that take whole characters.
        out.push_str(text.get(kept..span.start).unwrap_or_default());
        out.push_str(MARKER);
        out.push_str(span.kind);
        out.push(']');
        kept = span.end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Redacted { text: Cow::Owned(out), count: u32::try_from(spans.len()).unwrap_or(u32::MAX) }
}

/// Sorted, none overlapping another.
fn spans(text: &str, place: Where) -> Vec<Span> {
    let mut scan = Scan::new(text, place);
    scan.kinds();
    let found = scan.into_spans();
    if place == Where::Output {
        return found;
    }
    let mut placed = assignment::in_command(&mut Scan::new(text, place));
    placed.append(&mut credentials::in_command(text.as_bytes()));
    placed.append(&mut setting::in_command(text.as_bytes()));
    if placed.is_empty() { found } else { merge([found, placed].concat()) }
}

/// In order, overlaps made one.
fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span.start);
    let mut merged = Vec::with_capacity(spans.len());
    for span in spans {
        span.join(&mut merged);
    }
    merged
}
