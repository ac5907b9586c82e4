//! Reading forward without building what is not wanted: each line is checked along the chain, as by every other reader, and
//! shown as it stands.

use std::ops::ControlFlow;

use super::Ledger;
use super::duplicate::CONFLICT_KEY;
use super::entry::{Entry, Parts};
use super::finding::{Finding, FindingKind};
use super::read::{Recorded, Step, Walk};
use super::verify;
use crate::error::Result;

/// An entry that was found to be what its hash says, its body not yet built.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a> {
    parts: Parts<'a>,
    number: u64,
    /// The whole line, without its newline.
    pub line: &'a [u8],
}

impl<'a> Raw<'a> {
    pub fn kind(&self) -> &'a str {
        self.parts.kind
    }

    /// The body as JSON.
    pub fn body(&self) -> &'a [u8] {
        self.parts.body
    }

    /// The body's id, where it stands first and needs no unescaping: where deeds puts it.
    pub fn id(&self) -> Option<&'a str> {
        let rest = self.parts.body.strip_prefix(b"{\"id\":\"")?;
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        std::str::from_utf8(&rest[..end]).ok().filter(|_| rest[end] == b'"')
    }

    /// Whether it may say of itself that an earlier one has its id and other content.
    pub fn may_conflict(&self) -> bool {
        memchr::memmem::find(self.parts.body, CONFLICT_KEY.as_bytes()).is_some()
    }

    pub fn build(&self) -> Result<Entry, Finding> {
        self.parts.build().map_err(|why| Finding::new(FindingKind::Altered, self.number, why.to_string()))
    }
}

/// What is met on the way.
#[derive(Debug)]
pub enum Met<'a> {
    Entry(Raw<'a>),
    /// The same, of a line with which something else is wrong, which was said before.
    Built(Recorded),
    Wrong(Finding),
}

/// Goes through a ledger until `look` has seen enough.
pub(super) fn scan(ledger: &Ledger, look: &mut dyn FnMut(Met<'_>) -> ControlFlow<()>) -> Result<()> {
    let mut walk = Walk::open(&ledger.dir)?;
    if let Some(gone) = verify::gone(ledger)
        && look(Met::Wrong(gone)).is_break()
    {
        return Ok(());
    }
    loop {
        let step = walk.step(|parts, line, found| {
            let raw = Raw { parts: *parts, number: line.number, line: line.bytes };
            if found.is_empty() {
                return (look(Met::Entry(raw)), None);
            }
            // What is wrong comes first, and is not complete before the step has ended.
            let text = String::from_utf8_lossy(line.bytes).into_owned();
            match raw.build() {
                Ok(entry) => (ControlFlow::Continue(()), Some(Recorded { entry, line: text })),
                Err(finding) => {
                    found.push(finding);
                    (ControlFlow::Continue(()), None)
                }
            }
        });
        for finding in walk.found.drain(..) {
            if look(Met::Wrong(finding)).is_break() {
                return Ok(());
            }
        }
        let next = match step {
            Step::Entry((next, None)) => next,
            Step::Entry((_, Some(recorded))) => look(Met::Built(recorded)),
            Step::Other => ControlFlow::Continue(()),
            Step::End => ControlFlow::Break(()),
        };
        if next.is_break() {
            return Ok(());
        }
    }
}
