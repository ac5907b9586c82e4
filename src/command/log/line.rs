//! One entry as one line: number, time, who saw it and how, kind, and what it says, cut to the terminal's width.

use serde_json::Value;

use super::filter::{SHORT, time_of};
use super::reported::Reported;
use super::{Times, View, marks, safe, what};
use crate::command::human::{ago, utc};
use crate::command::terminal::{Paint, columns, fit, pad};
use crate::ledger::{CONFLICT_KEY, EntryKind};

/// As long as the longest usual one.
const KIND_WIDTH: usize = 9;
const MARKS_WIDTH: usize = 10;
/// So much of what an entry says is shown however narrow the terminal is.
const WHAT_MIN: usize = 16;

/// What a line is made of.
pub(super) struct Row {
    number: String,
    millis: Option<i64>,
    /// Trust class and collection method.
    pub source: Option<(String, String)>,
    kind: String,
    what: String,
    end: String,
    outcome: Option<Reported>,
}

impl Row {
    pub fn new(number: String, kind: &EntryKind, body: &Value, at: Option<&str>) -> Row {
        let label = what::label(kind, body);
        let source = body.get("source").filter(|source| source.is_object()).map(|source| {
            let of = |key: &str| source[key].as_str().unwrap_or("unknown").to_owned();
            (of("trust_class"), of("collection_method"))
        });
        let mut end = label.end;
        if let Some(other) = body.get(CONFLICT_KEY).and_then(Value::as_u64) {
            end.push_str(&format!(" (conflicts with #{other})"));
        }
        let short = SHORT.iter().find(|(_, long)| *long == label.kind).map(|(short, _)| (*short).to_owned());
        Row {
            number,
            millis: time_of(body, at.unwrap_or_default()),
            source,
            kind: short.unwrap_or(label.kind),
            what: label.what,
            end,
            outcome: Reported::of(kind, body),
        }
    }

    pub fn line(&self, view: &View) -> String {
        let terminal = &view.terminal;
        let (time, time_width) = match (self.millis, view.times) {
            (None, _) => ("-".to_owned(), 10),
            (Some(at), Times::Relative) => (ago(at, view.now), 10),
            (Some(at), Times::Absolute) => (format!("{}Z", utc(at).replace(' ', "T")), 20),
        };
        let marks = self.source.as_ref().map(|(trust, method)| marks::of(trust, method)).unwrap_or_default();
        let head = format!("{:>7}  {time:>time_width$}", self.number);
        let marks = pad(&marks, MARKS_WIDTH);
        let kind = pad(&safe(&self.kind), KIND_WIDTH);
        let end = safe(&self.end);
        let taken = columns(&head) + columns(&marks) + columns(&kind) + columns(&end) + 6;
        let room = terminal.width.saturating_sub(taken).max(WHAT_MIN);
        let what = fit(&safe(&self.what), room);
        let paint = self.outcome.map_or(Paint::Plain, Reported::paint);
        // A run says how it ended after the arrow; of everything else the whole is what ended so.
        let said = match end.is_empty() {
            true => terminal.paint(paint, &what),
            false => format!("{what}{}", terminal.paint(paint, &end)),
        };
        let line =
            format!("{}  {}  {kind}  {said}", terminal.paint(Paint::Dim, &head), terminal.paint(Paint::Dim, &marks));
        line.trim_end().to_owned()
    }
}

/// Something is wrong with the ledger itself.
pub(super) fn warning(text: &str, view: &View) -> String {
    view.terminal.paint(Paint::Bad, &format!("!  {}", safe(text)))
}

pub(super) fn remark(text: &str, view: &View) -> String {
    view.terminal.paint(Paint::Dim, &safe(text))
}
