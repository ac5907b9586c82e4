//! Rows of a table: the first cell names a check or a file, another one says what came of it.

use std::ops::Range;

use super::frame::Frame;
use super::mark::Mark;
use super::reading::{self, Draft, Sense};
use super::segment::Tick;
use super::token::{self, Tok, Token};
use super::{Kind, Scope};

/// Column titles under which nothing is said of now, or by the agent.
#[rustfmt::skip]
const OTHER_COLUMNS: &[&str] = &[
    "alternative", "approach", "baseline", "before", "behavior", "behaviour", "ci", "consequence", "consequences",
    "criteria", "criterion", "effect", "effects", "effort", "example", "expected", "explanation", "goal", "history",
    "if", "main", "master", "meaning", "needed", "next", "old", "option", "options", "original", "owner", "phase",
    "pipeline", "plan", "planned", "previous", "previously", "priority", "proposal", "required", "requirement",
    "requirements", "risk", "risks", "says", "scenario", "should", "shown", "target", "todo", "upstream", "variant",
    "want", "yesterday",
];

/// Titles of a first column that make every row a choice or a demand.
#[rustfmt::skip]
const DEMANDS: &[&str] = &[
    "acceptance", "alternative", "approach", "argument", "branch", "case", "cases", "choice", "claim", "code", "con",
    "condition", "cons", "criteria", "criterion", "date", "day", "error", "event", "example", "exit", "flag",
    "flags", "gate", "goal", "hold", "holds", "icon", "idea", "if", "input", "issue", "key", "message", "metric",
    "must", "need", "needs", "option", "options", "parameter", "person", "plan", "pro", "proposal", "pros",
    "question", "required", "requirement", "requirements", "risk", "rule", "scenario", "setting", "settings",
    "should", "state", "symbol", "symptom", "term", "ticket", "time", "todo", "trigger", "variable", "variant",
    "version", "way", "who",
];

pub fn read(message: &str, cells: &[Range<usize>], header: &[Range<usize>], frame: Frame, out: &mut Vec<Draft>) {
    let title = |i: usize| header.get(i).and_then(|cell| message.get(cell.clone())).unwrap_or_default().to_lowercase();
    let any = |title: &str, set: &[&str]| title.split(|c: char| !c.is_alphanumeric()).any(|word| set.contains(&word));
    // "Done when", "Expected": a table of what shall be.
    if header
        .iter()
        .enumerate()
        .any(|(i, _)| any(&title(i), &["when", "if", "must", "should", "shall", "criteria", "criterion"]))
    {
        return;
    }
    if any(&title(0), DEMANDS)
        || (1..header.len()).any(|i| {
            any(
                &title(i),
                &[
                    "required",
                    "needed",
                    "requirement",
                    "option",
                    "owner",
                    "deadline",
                    "due",
                    "covers",
                    "cause",
                    "who",
                    "assignee",
                    "priority",
                    "fix",
                    "workaround",
                ],
            )
        })
    {
        return;
    }
    let frame = Frame { files: files_column(&title(0), header.len(), &title(1)).or(frame.files), ..frame };
    let kept: Vec<&Range<usize>> = cells
        .iter()
        .enumerate()
        .filter(|(i, _)| *i == 0 || !any(&title(*i), OTHER_COLUMNS))
        .map(|(_, cell)| cell)
        .collect();
    if kept.len() < 2 && cells.len() > 1 {
        return;
    }
    let exits: Vec<&Range<usize>> = cells
        .iter()
        .enumerate()
        .filter(|(i, _)| any(&title(*i), &["exit", "rc", "exit_code"]))
        .map(|(_, cell)| cell)
        .collect();
    let tallied = |i: usize| match title(i).trim() {
        "pass" | "passed" | "passing" | "passes" => Some("passed"),
        "fail" | "failed" | "failing" | "failures" | "fails" => Some("failed"),
        "skipped" | "ignored" | "skip" => Some("skipped"),
        _ => None,
    };
    let tallies: Vec<(&Range<usize>, &str)> =
        cells.iter().enumerate().filter_map(|(i, cell)| tallied(i).map(|word| (cell, word))).collect();
    // The row as one sentence, its cells divided by bars; a cell that has its own sentences is read by itself too.
    let mut row: Vec<Token> = Vec::new();
    for (i, cell) in kept.iter().enumerate() {
        if i > 0 {
            row.push(Token { tok: Tok::Punct('|'), low: "|".to_owned(), start: cell.start, end: cell.start });
        }
        let number = message.get((*cell).clone()).is_some_and(|text| text.trim().parse::<u32>().is_ok());
        // A bare number under "Exit code" is one.
        if number && exits.contains(cell) {
            row.push(Token { tok: Tok::Word, low: "exit".to_owned(), start: cell.start, end: cell.start });
        }
        row.extend(token::tokens(message, cell.start, cell.end));
        // A bare number under "Passed" or "Failed" counts those.
        if let Some(counts) = tallies.iter().find(|(at, _)| number && at == cell).map(|(_, word)| *word) {
            row.push(Token { tok: Tok::Word, low: counts.to_owned(), start: cell.end, end: cell.end });
        }
        if row.len() > 300 {
            row.truncate(300);
            break;
        }
    }
    let undone = row.iter().any(|token| token.tok == Tok::Mark(Mark::Open))
        || row.iter().any(|token| {
            matches!(token.low.as_str(), "required" | "mandatory" | "pending" | "todo" | "planned" | "tbd" | "n/a")
        });
    if undone {
        return;
    }
    let sense = Sense::new(message, &row, &row, false, None, frame, Tick::None);
    let mut found = Vec::new();
    reading::read(&sense, &mut found);
    // "All tests pass | ❌"
    let bad = row.iter().any(|token| token.tok == Tok::Mark(Mark::Bad))
        || (1..row.len()).any(|i| {
            let alone = row.get(i + 1).is_none_or(|next| next.punct() == Some('|'));
            row[i].is("no") && row[i - 1].punct() == Some('|') && alone
        });
    found.retain(|draft| !(bad && draft.claim.says == super::Says::Pass));
    // "| core | 40 passed |" in a table of packages
    if any(&title(0), &["package", "module", "crate", "component", "project", "suite", "directory", "file", "area"]) {
        let name = cells.first().and_then(|cell| message.get(cell.clone())).unwrap_or_default().replace(['`', '*'], "");
        for draft in found.iter_mut().filter(|draft| draft.claim.kind == Kind::Tests) {
            draft.claim.scope = Scope::Part;
            draft.claim.subset = Some(name.clone());
        }
    }
    out.append(&mut found);
}

/// A table of files and what was done to them.
fn files_column(first: &str, columns: usize, second: &str) -> Option<super::frame::Listing> {
    let files = first.contains("file") || first.contains("path");
    let change = ["change", "action", "modif", "description", "summary", "purpose", "edit", "done"]
        .iter()
        .any(|word| second.contains(word));
    let changed = ["changed", "modified", "created", "updated", "added", "edited", "touched", "new"]
        .iter()
        .any(|word| first.contains(word));
    (files && ((columns > 1 && change && second != "purpose" && second != "description") || changed))
        .then_some(super::frame::Listing::Changed)
}
