//! Closing lines that are told by a pattern alone, as data in the runners' table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use regex::Regex;

use super::{Counts, Report, Says, Text};

/// One kind of line. The pattern is matched with `(?m)`, so that `^` and `$` are a line's.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub says: Meaning,
    pub pattern: &'static str,
}

/// What a matching line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A total that speaks by its numbers: `3 examples, 1 failure`.
    Total,
    Says(Says),
    /// The group `name` is a failing test's.
    Failing,
}

/// Reads by shapes.
pub fn read(text: &Text, shapes: &[Shape]) -> Report {
    let mut report = Report::default();
    for shape in shapes {
        let Some(regex) = compiled(shape.pattern) else { continue };
        for found in regex.captures_iter(&text.text) {
            let Some(all) = found.get(0) else { continue };
            match shape.says {
                Meaning::Total => report.push_total(all.start(), Counts::read(all.as_str())),
                Meaning::Says(says) => report.push(all.start(), says),
                Meaning::Failing => {
                    if let Some(name) = found.name("name") {
                        report.name(name.as_str());
                    }
                }
            }
        }
    }
    report.sort();
    report
}

/// Compiled once in a process, when first needed.
fn compiled(pattern: &'static str) -> Option<Arc<Regex>> {
    type Cache = HashMap<&'static str, Option<Arc<Regex>>>;
    static CACHE: OnceLock<Mutex<Cache>> = OnceLock::new();
    let mut cache = CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    cache.entry(pattern).or_insert_with(|| Regex::new(&format!("(?m){pattern}")).ok().map(Arc::new)).clone()
}

/// Whether the pattern is one; for the table's test.
pub fn is_valid(pattern: &'static str) -> bool {
    compiled(pattern).is_some()
}
