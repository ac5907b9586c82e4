//! What is wrong with a `deeds.json`, in words: where, and what was probably meant.

use serde_json::Value;
use serde_json::error::Category;

use super::pointer;
use crate::error::Error;

/// How serde calls a kind of value, and how people do.
const KINDS: &[(&str, &str)] = &[
    ("a sequence", "a list"),
    ("struct ", "an object"),
    ("a map", "an object"),
    ("an object", "an object"),
    ("a string", "a string"),
    ("a boolean", "true or false"),
    ("f64", "a number"),
    // Of a word out of a few.
    ("value", "a string"),
];

/// serde's error about `text` with its place: what stands there and what should, and the nearest right key where one was
/// not known.
pub fn explain(text: &str, error: &serde_json::Error) -> Error {
    let whole = error.to_string();
    let message = whole.split(" at line ").next().unwrap_or(&whole);
    let message = in_words(text, error, message).unwrap_or_else(|| message.to_owned());
    Error::input(message).at(format!("{}:{}", error.line(), error.column()))
}

fn in_words(text: &str, error: &serde_json::Error, message: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("it is empty; write {}, or remove it".into());
    }
    let Ok(parsed) = serde_json::from_str::<Value>(text) else {
        let early = error.classify() == Category::Eof;
        return Some(if early { "it ends too early".into() } else { format!("it is no valid JSON here: {message}") });
    };
    let mut ticked = message.split('`').skip(1).step_by(2);
    let here = pointer::at(text, error.line(), error.column());
    let named = |pointer: &str| if pointer.is_empty() { "the file".to_owned() } else { pointer.to_owned() };
    match message.split(' ').take(2).collect::<Vec<_>>()[..] {
        ["unknown", kind @ ("field" | "variant")] => {
            let kind = if kind == "field" { "key" } else { "value" };
            let wrong = ticked.next()?;
            let known: Vec<&str> = ticked.collect();
            let hint = match nearest(wrong, known.iter().copied()) {
                Some(right) => format!("did you mean `{right}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            Some(format!("there is no {kind} `{wrong}` here; {hint}"))
        }
        ["missing", "field"] => Some(format!("{} lacks the key `{}`", named(pointer::parent(&here)), ticked.next()?)),
        ["duplicate", "field"] => Some(format!("the key `{}` stands here twice", ticked.next()?)),
        _ => {
            let here = if message.starts_with("invalid length") { pointer::parent(&here) } else { here.as_str() };
            let wanted = message.split("expected ").nth(1)?;
            let (_, wanted) = KINDS.iter().find(|(serde, _)| wanted.starts_with(serde))?;
            Some(format!("{} is {}, and should be {wanted}", named(here), kind(parsed.pointer(here)?)))
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
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
