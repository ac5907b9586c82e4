//! Phrases as data: a little pattern over words, and an index that finds the longest one at a place.
//!
//! A pattern is words with spaces between: `a|b` is either, `x?` may be left out, `#` is any number.

use std::collections::HashMap;

use super::token::{Tok, Token};

#[derive(Debug)]
struct Element {
    any_of: Vec<&'static str>,
    optional: bool,
}

#[derive(Debug)]
pub struct Phrase(Vec<Element>);

impl Phrase {
    pub fn new(pattern: &'static str) -> Phrase {
        let element = |part: &'static str| {
            let optional = part.len() > 1 && part.ends_with('?');
            let words = if optional { &part[..part.len() - 1] } else { part };
            Element { any_of: words.split('|').collect(), optional }
        };
        Phrase(pattern.split(' ').map(element).collect())
    }

    /// Where the phrase ends if it stands at `i`.
    pub fn ends_at(&self, tokens: &[Token], i: usize) -> Option<usize> {
        ends(&self.0, tokens, i)
    }

    /// The words that it can begin with.
    fn firsts(&self) -> Vec<&'static str> {
        let mut firsts = Vec::new();
        for element in &self.0 {
            firsts.extend(&element.any_of);
            if !element.optional {
                break;
            }
        }
        firsts
    }
}

fn ends(elements: &[Element], tokens: &[Token], i: usize) -> Option<usize> {
    let Some((first, rest)) = elements.split_first() else { return Some(i) };
    let here = tokens.get(i).is_some_and(|token| first.any_of.iter().any(|word| fits(token, word)));
    let with = if here { ends(rest, tokens, i + 1) } else { None };
    with.or_else(|| if first.optional { ends(rest, tokens, i) } else { None })
}

fn fits(token: &Token, word: &str) -> bool {
    match token.tok {
        Tok::Number(_) => word == "#" || token.low == word,
        Tok::Word | Tok::Ident => token.low == word,
        _ => false,
    }
}

/// Rows of a table by the first word of their phrase.
#[derive(Debug)]
pub struct Index<R: 'static> {
    rows: HashMap<&'static str, Vec<(Phrase, &'static R)>>,
}

impl<R> Index<R> {
    pub fn new(rows: &'static [R], phrase: impl Fn(&R) -> &'static str) -> Index<R> {
        let mut index: HashMap<&'static str, Vec<(Phrase, &'static R)>> = HashMap::new();
        for row in rows {
            for first in Phrase::new(phrase(row)).firsts() {
                index.entry(first).or_default().push((Phrase::new(phrase(row)), row));
            }
        }
        Index { rows: index }
    }

    /// All phrases that stand at `i`, the longest first: where each ends, and its row.
    pub fn all_at(&self, tokens: &[Token], i: usize) -> Vec<(usize, &'static R)> {
        let Some(token) = tokens.get(i).filter(|token| matches!(token.tok, Tok::Word | Tok::Number(_))) else {
            return Vec::new();
        };
        let number = if matches!(token.tok, Tok::Number(_)) { self.rows.get("#") } else { None };
        let rows = self.rows.get(token.low.as_str()).into_iter().chain(number).flatten();
        let mut found: Vec<(usize, &'static R)> =
            rows.filter_map(|(phrase, row)| phrase.ends_at(tokens, i).map(|end| (end, *row))).collect();
        found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
        found
    }

    /// The longest phrase that stands at `i`.
    pub fn at(&self, tokens: &[Token], i: usize) -> Option<(usize, &'static R)> {
        self.all_at(tokens, i).into_iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn the_longest_phrase_is_found() {
        static ROWS: &[(&str, u8)] = &[("as far as i can|could tell|see", 1), ("as", 2), ("# of|in them?", 3)];
        let index = Index::new(ROWS, |row| row.0);
        let at = |text: &str| index.at(&tokens(text, 0, text.len()), 0).map(|(end, row)| (end, row.1));
        assert_eq!(at("As far as I can see, no"), Some((6, 1)));
        assert_eq!(at("as such"), Some((1, 2)));
        assert_eq!(at("3 of them pass"), Some((3, 3)));
        assert_eq!(at("3 of all"), Some((2, 3)));
        assert_eq!(at("none"), None);
    }
}
