//! "All changes are committed", "I committed and pushed everything": whether the words say that nothing is left.

use std::ops::Range;

use crate::records::need::{EVERYTHING, NOTHING_LEFT};

/// What "all" may be of.
const WORK: &[&str] = &["changes", "work", "files", "edits", "modifications", "it", "them", "this", "that"];

/// Words between the verb and its object, or between "all" and what it is of.
const BETWEEN: &[&str] = &["and", "then", "staged", "pushed", "committed", "of", "the", "my", "our", "these", "those"];

/// Words by which something is left out.
const EXCEPT: &[&str] = &[
    "apart",
    "aside",
    "besides",
    "except",
    "excepting",
    "excluding",
    "exclude",
    "leaving",
    "minus",
    "other",
    "save",
    "unless",
    "without",
];

/// Words after which something may be left out, or something else be said.
const TURN: &[&str] = &["but", "else", "n't", "not", "otherwise", "though", "while"];

/// Words by which a message may speak of what is left in the tree, or of what came after the commit.
#[rustfmt::skip]
const LEFT: &[&str] = &[
    "after", "afterwards", "before", "began", "continued", "dirty", "draft", "drafts", "earlier", "finally", "first",
    "later", "leave", "leaves", "leaving", "left", "leftover", "meanwhile", "next", "pending", "progress", "remain",
    "remaining", "remains", "scratch", "since", "skipped", "started", "stash", "stashed", "still", "temporary", "then",
    "todo", "uncommitted", "unfinished", "unstaged", "untracked", "wip", "yours",
];

/// The part that a claim of a commit is about, if it is all of the work. `left`: names of files that are not committed; a
/// message that speaks of one of them hides nothing.
pub fn part(span: Range<usize>, message: &str, left: &[&str]) -> Option<&'static str> {
    let (from, to) = (sentence_start(message, span.start), sentence_end(message, span.end));
    let sentence = message.get(from..to)?.to_lowercase();
    let turns = words(&sentence).any(|word| TURN.contains(&word));
    let named = left.iter().any(|name| message.contains(name));
    if words(&sentence).any(|word| EXCEPT.contains(&word)) || (turns && named) {
        return None;
    }
    let claim = message.get(span.clone())?.to_lowercase();
    let after = message.get(span.end..to)?.to_lowercase();
    let after: Vec<&str> = words(&after).collect();
    let of_all = words(&claim).any(|word| matches!(word, "all" | "everything" | "both"));
    let object = object(&after);
    // "Everything but the notes", and not "everything, but did not push".
    let all_but =
        |rest: &[&str]| matches!(rest, ["but", next, ..] if !matches!(*next, "did" | "do" | "have" | "i" | "was"));
    let all_but = object.is_some_and(all_but) && !sentence.contains(", but");
    if all_but || (!of_all && object.is_none()) {
        return None;
    }
    let told = message.to_lowercase();
    let speaks = turns || named || words(&told).any(|word| LEFT.contains(&word));
    let whole = match object {
        Some(rest) => is_whole(rest),
        None => is_whole_subject(&claim) && is_whole(&after),
    };
    Some(if whole && !speaks { NOTHING_LEFT } else { EVERYTHING })
}

/// What stands after "everything" or "all of the changes", where that is what was committed.
fn object<'w>(after: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let at = after.iter().position(|word| !BETWEEN.contains(word))?;
    match after[at] {
        "everything" => Some(&after[at + 1..]),
        "all" | "both" => {
            let rest = &after[at + 1..];
            let skip = rest.iter().take_while(|word| BETWEEN.contains(word)).count();
            match rest.get(skip) {
                None => Some(&[]),
                Some(noun) if WORK.contains(noun) => Some(&rest[skip + 1..]),
                Some(_) => None,
            }
        }
        _ => None,
    }
}

/// Nothing that follows narrows it: the end, a push, or under which name.
fn is_whole(after: &[&str]) -> bool {
    let hash = |word: &str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let commits = |words: &[&str]| words.iter().take(4).any(|word| matches!(*word, "commit" | "commits"));
    match after {
        [] | ["and", "pushed", ..] | ["now"] => true,
        ["as", name] => hash(name),
        ["in", rest @ ..] => commits(rest),
        _ => false,
    }
}

/// "Everything is committed", "all my changes have been committed".
fn is_whole_subject(claim: &str) -> bool {
    let words: Vec<&str> = words(claim).collect();
    let known = |word: &&str| {
        BETWEEN.contains(word)
            || WORK.contains(word)
            || matches!(*word, "all" | "everything" | "is" | "are" | "has" | "have" | "been" | "now" | "s")
    };
    words.first().is_some_and(|first| matches!(*first, "all" | "everything")) && words.iter().all(known)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '_' | '/' | '.' | '-')));
    text.flat_map(|word| match word.strip_suffix("n't").or(word.strip_suffix("n’t")) {
        Some(stem) => [stem, "n't"],
        None => [word.trim_matches(['.', '-', '\'', '’']), ""],
    })
    .flat_map(|word| word.split_inclusive(['\'', '’']))
    .map(|word| word.trim_end_matches(['\'', '’']))
    .filter(|word| !word.is_empty())
}

fn ends(message: &str, at: usize, c: char) -> bool {
    let after = message[at + c.len_utf8()..].chars().next();
    matches!(c, ';' | '\n' | '!' | '?' | '—' | ':') || (c == '.' && after.is_none_or(char::is_whitespace))
}

fn sentence_start(message: &str, before: usize) -> usize {
    let head = message.get(..before).unwrap_or_default();
    let end = head.char_indices().rev().find(|(at, c)| ends(message, *at, *c));
    end.map_or(0, |(at, c)| at + c.len_utf8())
}

fn sentence_end(message: &str, after: usize) -> usize {
    let tail = message.get(after..).unwrap_or_default();
    tail.char_indices().find(|(at, c)| ends(message, after + at, *c)).map_or(message.len(), |(at, _)| after + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str, claim: &str) -> Option<&'static str> {
        let at = message.find(claim).unwrap();
        part(at..at + claim.len(), message, &["b.rs"])
    }

    #[test]
    fn nothing_is_left_where_the_words_say_so() {
        for (message, claim) in [
            ("I committed everything.", "I committed"),
            ("All changes are committed.", "All changes are committed"),
            ("I committed and pushed everything.", "I committed"),
            ("Done. I've committed all of my changes.", "I've committed"),
            ("Everything's committed.", "Everything's committed"),
            ("Everything is committed and pushed to `origin/main`.", "Everything is committed"),
            ("Committed all.", "Committed"),
            ("Everything is committed in two small commits.", "Everything is committed"),
            ("Fixed it and committed everything as `a1f09be`.", "committed"),
        ] {
            assert_eq!(of(message, claim), Some(NOTHING_LEFT), "{message}");
        }
    }

    #[test]
    fn what_narrows_it_or_is_told_beside_it_is_not_held_against_it() {
        for (message, claim) in [
            ("Committed everything in `src`.", "Committed"),
            ("Committed everything in a new folder.", "Committed"),
            ("I committed everything. Then I went on with the parser.", "I committed"),
            ("Committed all the changes to the parser.", "Committed"),
            ("All changes for step 1 are committed.", "All changes for step 1 are committed"),
            ("Both files are committed.", "Both files are committed"),
            ("I committed everything. Your own edits are left as they were.", "I committed"),
            ("I committed everything. b.rs is a draft.", "I committed"),
            ("I committed everything, but did not push.", "I committed"),
            ("I committed everything but did not push.", "I committed"),
        ] {
            assert_eq!(of(message, claim), Some(EVERYTHING), "{message}");
        }
    }

    #[test]
    fn a_part_is_not_everything() {
        for (message, claim) in [
            ("Committed everything except the notes.", "Committed"),
            ("Except for the docs, everything is committed.", "everything is committed"),
            ("Committed the fix, and all tests pass.", "Committed"),
            ("Committed the fix; everything is green.", "Committed"),
            ("Committed the rename in all files.", "Committed"),
            ("Committed all tests.", "Committed"),
            ("I committed everything but the notes.", "I committed"),
            ("I committed all of it, but not b.rs.", "I committed"),
        ] {
            assert_eq!(of(message, claim), None, "{message}");
        }
    }
}
