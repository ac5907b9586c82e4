//! What is wrong with a `deeds.json`, in words: where, and what was probably meant.

use crate::error::Error;

/// serde's error with its place, and the nearest right key where one was not known.
pub fn explain(error: &serde_json::Error) -> Error {
    let whole = error.to_string();
    let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
    let at = format!("{}:{}", error.line(), error.column());
    let mut ticked = message.split('`').skip(1).step_by(2);
    if (message.starts_with("unknown field") || message.starts_with("unknown variant"))
        && let Some(wrong) = ticked.next()
        && let Some(right) = nearest(wrong, ticked)
    {
        let kind = if message.starts_with("unknown field") { "key" } else { "value" };
        return Error::input(format!("there is no {kind} `{wrong}` here; did you mean `{right}`?")).at(at);
    }
    Error::input(message).at(at)
}

/// The candidate with the fewest edits, if it is near at all.
pub fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|right| (edits(wrong, right), right))
        .min()
        .filter(|(distance, right)| *distance <= right.chars().count().max(3) / 2)
        .map(|(_, right)| right)
}

/// Levenshtein distance without regard to case.
fn edits(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).take(64).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
