//! How many tests passed, failed and were skipped, as the words of a closing line say.

/// What a run counted. `None`: the output does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    /// Tests or files that could not be run to an answer, where the runner tells these apart from failures.
    pub errors: Option<u64>,
    pub skipped: Option<u64>,
}

/// Which kind of number a word names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Passed,
    Failed,
    Errors,
    Skipped,
    /// All that were run, whatever came of them.
    Total,
}

/// The words that closing lines use, whoever prints them.
const WORDS: &[(&str, Kind)] = &[
    ("passed", Kind::Passed),
    ("passing", Kind::Passed),
    ("pass", Kind::Passed),
    ("succeeded", Kind::Passed),
    ("xpassed", Kind::Passed),
    ("failed", Kind::Failed),
    ("failing", Kind::Failed),
    ("fail", Kind::Failed),
    ("failure", Kind::Failed),
    ("failures", Kind::Failed),
    ("cancelled", Kind::Failed),
    ("error", Kind::Errors),
    ("errors", Kind::Errors),
    ("skipped", Kind::Skipped),
    ("skip", Kind::Skipped),
    ("skips", Kind::Skipped),
    ("pending", Kind::Skipped),
    ("pendings", Kind::Skipped),
    ("omissions", Kind::Skipped),
    ("todo", Kind::Skipped),
    ("ignored", Kind::Skipped),
    ("xfailed", Kind::Skipped),
    ("incomplete", Kind::Skipped),
    ("total", Kind::Total),
    ("tests", Kind::Total),
    ("test", Kind::Total),
    ("examples", Kind::Total),
    ("example", Kind::Total),
    ("runs", Kind::Total),
];

impl Counts {
    /// The numbers of a whole closing line: what it does not name is none.
    pub const NONE: Counts = Counts { passed: Some(0), failed: Some(0), errors: Some(0), skipped: Some(0) };

    /// Reads `1 failed, 2 passed`, whatever stands between the pairs. Where only a total is given, what neither failed
    /// nor was skipped passed.
    pub fn read(list: &str) -> Counts {
        Counts::from_pairs(pairs(list))
    }

    pub fn from_pairs<'a>(pairs: impl Iterator<Item = (u64, &'a str)>) -> Counts {
        let (mut passed, mut total) = (None, None);
        let mut counts = Counts::NONE;
        for (n, word) in pairs {
            let Some((_, kind)) = WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)) else { continue };
            match kind {
                Kind::Passed => passed = Some(passed.unwrap_or(0u64).saturating_add(n)),
                Kind::Failed => add(&mut counts.failed, n),
                Kind::Errors => add(&mut counts.errors, n),
                Kind::Skipped => add(&mut counts.skipped, n),
                Kind::Total => total = Some(n),
            }
        }
        let rest = |total: u64| total.saturating_sub(counts.bad()).saturating_sub(counts.skipped.unwrap_or(0));
        counts.passed = passed.or(total.map(rest)).or(Some(0));
        counts
    }

    /// Failures and errors.
    pub fn bad(&self) -> u64 {
        self.failed.unwrap_or(0).saturating_add(self.errors.unwrap_or(0))
    }

    /// Tests that were run to an answer.
    pub fn run(&self) -> u64 {
        self.passed.unwrap_or(0).saturating_add(self.bad())
    }

    /// The sum; unknown where either is.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Counts {
            passed: sum(self.passed, other.passed),
            failed: sum(self.failed, other.failed),
            errors: sum(self.errors, other.errors),
            skipped: sum(self.skipped, other.skipped),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }
}

fn add(slot: &mut Option<u64>, n: u64) {
    *slot = Some(slot.unwrap_or(0).saturating_add(n));
}

/// Each number and the word after it: `2 tests run: 1 passed` gives (2, tests), (1, passed).
pub fn pairs(list: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut number = None;
    list.split_whitespace().filter_map(move |token| {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) {
            number = word.parse::<u64>().ok();
            return None;
        }
        number.take().map(|n| (n, word))
    })
}

/// The number that a text begins with, and what follows it.
pub fn leading(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

/// The number after `label` in a text such as `Tests run: 3, Failures: 0`.
pub fn labelled(text: &str, label: &str) -> Option<u64> {
    let rest = &text[text.find(label)? + label.len()..];
    leading(rest.trim_start_matches([' ', ':', '='])).map(|(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_numbers() {
        let jest = Counts::read("Tests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total");
        assert_eq!(jest, Counts { passed: Some(1), failed: Some(1), errors: Some(0), skipped: Some(2) });
        let rspec = Counts::read("5 examples, 1 failure, 1 pending");
        assert_eq!((rspec.passed, rspec.failed, rspec.skipped), (Some(3), Some(1), Some(1)));
        assert_eq!(Counts::read("nothing here"), Counts::NONE);
        assert_eq!(Counts::read("99999999999999999999999 passed").passed, Some(0));
    }

    #[test]
    fn labels_and_sums() {
        assert_eq!(labelled("Tests run: 3, Failures: 12", "Failures"), Some(12));
        assert_eq!(labelled("Tests run: 3", "Errors"), None);
        assert_eq!(Counts::NONE.plus(Counts::default()).passed, None);
    }
}
