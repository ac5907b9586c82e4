//! `deeds log --follow`: what is there, then each new entry as it is appended, until the reader goes away.

use std::io::{self, Write};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Item, Legend, Printer, View, line, list, marks};
use crate::clock;
use crate::command::{Output, wrote};
use crate::error::{Exit, Result};
use crate::ledger::Ledger;

/// How often the ledger is looked at.
const EVERY: Duration = Duration::from_millis(250);
/// With nothing else asked for, what came before is shown as far as it fits a screen.
const BEFORE: usize = 20;

pub(super) fn follow(ledger: &Ledger, mut view: View, out: &mut dyn Write) -> Result<Exit> {
    if view.last.is_none() && view.filter.since.is_none() {
        view.last = Some(BEFORE);
    }
    let mut newest = newest_seq(ledger)?;
    let mut size = size(ledger);
    let mut printer = Printer::new(&view, out);
    let mut written = Ok(());
    if view.output == Output::Text && view.legend == Legend::Shown {
        // Which marks will occur is not known yet.
        let legend = marks::Used::every().legend().unwrap_or_default();
        written = writeln!(printer.out, "{}", line::remark(&legend, &view));
    }
    if written.is_ok() {
        written = list(ledger, &mut printer)?;
    }
    let mut exit = printer.exit;
    // Entries that were appended while these were listed are shown already.
    let mut shown = printer.seen;
    loop {
        written = written.and_then(|()| out.flush());
        if written.is_err() || reader_has_gone() {
            return wrote(written, exit);
        }
        let now = self::size(ledger);
        if now == size {
            continue;
        }
        size = now;
        view.now = clock::parse_millis(&clock::now()).unwrap_or(view.now);
        let mut printer = Printer::new(&view, out);
        printer.seen = shown;
        let items = after(ledger, &mut newest)?;
        written = items.iter().rev().try_for_each(|item| printer.item(item));
        exit = printer.exit;
        shown = printer.seen;
    }
}

/// What was appended after `newest`, the last first.
fn after(ledger: &Ledger, newest: &mut Option<u64>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let mut last = None;
    for item in ledger.backward_lines()? {
        if let Ok(recorded) = &item {
            if newest.is_some_and(|newest| recorded.entry.seq <= newest) {
                break;
            }
            last = last.max(Some(recorded.entry.seq));
        }
        items.push(item);
    }
    *newest = (*newest).max(last);
    Ok(items)
}

fn newest_seq(ledger: &Ledger) -> Result<Option<u64>> {
    Ok(ledger.backward()?.find_map(|entry| entry.ok()).map(|entry| entry.seq))
}

/// Changes with every append.
fn size(ledger: &Ledger) -> Option<u64> {
    std::fs::symlink_metadata(ledger.dir().join(crate::layout::LEDGER)).map(|found| found.len()).ok()
}

/// Waits a moment. Whether whoever reads standard output has closed it.
fn reader_has_gone() -> bool {
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let wait = Timespec { tv_sec: 0, tv_nsec: EVERY.as_nanos() as i64 };
    match poll(&mut fds, Some(&wait)) {
        Ok(_) => fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
        Err(_) => false,
    }
}
