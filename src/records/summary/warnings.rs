//! Whether a linter that was not content named warnings only: to some that is a pass.

use super::Text;
use super::counts::leading;

/// Whether all that the linter names in its closing words are warnings. A linter that is not known here names errors.
pub fn only(runner: &str, text: &Text) -> bool {
    let mut warned = false;
    for line in text.lines() {
        let t = line.text;
        let (warns, errs) = match runner {
            "eslint" => {
                let totals = t.starts_with("✖ ") && t.contains(" problem");
                let none = t.contains("(0 errors,");
                (totals && none, (totals && !none) || t.starts_with("ESLint found too many warnings"))
            }
            "clippy" => (t.starts_with("warning"), t.starts_with("error")),
            "biome" => {
                let found = t.strip_prefix("Found ").and_then(leading).map(|(_, rest)| rest);
                let is = |word: &str| found.is_some_and(|rest| rest.starts_with(word));
                (is(" warning"), is(" error"))
            }
            "oxlint" => {
                let totals = t.starts_with("Found ") && t.contains(" warning") && t.contains(" error");
                let none = t.contains(" and 0 errors");
                (totals && none, totals && !none)
            }
            _ => return false,
        };
        if errs {
            return false;
        }
        warned |= warns;
    }
    warned
}
