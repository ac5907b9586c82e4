//! PHPUnit: `OK (3 tests, 3 assertions)`, or a verdict and `Tests: 3, Assertions: 3, Failures: 1.`

use super::counts::leading;
use super::{Counts, Report, Says, Text};

/// Names stand in numbered lists, one for each kind; only those of errors and failures are of failing tests.
pub fn phpunit(text: &Text) -> Report {
    let mut report = Report::default();
    let mut failing = false;
    for line in text.lines() {
        let t = line.text;
        if let Some(list) = t.strip_prefix("OK (").and_then(|t| t.strip_suffix(')'))
            && list.contains(" assertion")
        {
            report.push_total(line.at, Counts::read(list));
        } else if t.starts_with("Tests: ") && t.contains(", Assertions: ") && t.ends_with('.') {
            let items = t.trim_end_matches('.').split(", ").filter_map(|item| item.split_once(": "));
            report.push_total(line.at, Counts::from_pairs(items.filter_map(|(word, n)| Some((n.parse().ok()?, word)))));
        } else if t == "No tests executed!" {
            report.push(line.at, Says::Nothing);
        } else if ["Could not open input file: ", "Cannot open file ", "Unknown option ", "Test file "]
            .iter()
            .any(|s| t.starts_with(s))
        {
            report.push(line.at, Says::NotRun);
        } else if t.starts_with("There was ") || t.starts_with("There were ") {
            failing = t.contains(" error") || t.contains(" failure");
        } else if failing
            && let Some(name) = leading(t).and_then(|(_, rest)| rest.strip_prefix(") "))
            && name.contains("::")
        {
            report.name(name.split(" with data set ").next().unwrap_or(name));
        }
    }
    report
}
