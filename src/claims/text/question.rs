//! Where a sentence asks rather than states.

use super::guard::has_word;
use super::token::{Token, word};
use super::words::{self, has};

/// Words that open a question, with a question mark or without.
#[rustfmt::skip]
const QUESTION_OPENERS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "is", "may", "shall", "should", "want", "was", "were", "will",
    "would",
];

const TAGS: &[&str] =
    &["agreed", "correct", "do", "does", "eh", "is", "are", "no", "not", "ok", "okay", "right", "yes"];

/// Where the question begins in a sentence that ends with a question mark.
pub fn begins(tokens: &[Token]) -> usize {
    for i in (1..tokens.len()).rev() {
        let boundary = matches!(tokens[i - 1].punct(), Some('—' | ';' | ',' | ':' | '('))
            || tokens[i - 1].is("so")
            || tokens[i - 1].is("but");
        if !boundary {
            continue;
        }
        let rest = &tokens[i..];
        // "The tests fail, what now?"
        if rest.len() <= 3 && word(tokens, i) == "what" {
            return 0;
        }
        if rest.len() <= 3 && rest.iter().all(|token| has_word(TAGS, token) || has(words::PRONOUNS, &token.low)) {
            return 0;
        }
        if has_word(QUESTION_OPENERS, &tokens[i]) || matches!(word(tokens, i), "what" | "which" | "how" | "ok" | "okay")
        {
            return i;
        }
    }
    0
}

/// An inverted question whose mark was forgotten.
pub fn asks(tokens: &[Token]) -> bool {
    matches!(
        word(tokens, 0),
        "do" | "does" | "did" | "should" | "shall" | "could" | "would" | "can" | "may" | "is" | "are"
    ) && (has(words::DETERMINERS, word(tokens, 1))
        || has(words::PRONOUNS, word(tokens, 1))
        || word(tokens, 1) == "tests")
}
