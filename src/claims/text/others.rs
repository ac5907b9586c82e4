//! Words of somebody else: "the reviewer says that …", "…, says the issue".

use super::guard::{excepts, has_word};
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// Verbs of saying: with anybody but the agent (or its own tools) as subject, what follows is somebody else's word.
#[rustfmt::skip]
pub const SAYING: &[&str] = &[
    "announces", "assert", "asserts", "assumes", "believes", "claim", "claimed", "claims", "concluded", "confirmed", "confirms",
    "documents", "expects", "feels", "insists", "mentioned", "mentions", "noted", "notes", "promise", "promised", "promises",
    "read", "reads", "replied", "reported", "reports", "requires", "said", "say", "says", "showed", "shows",
    "stated", "states", "suggested", "suggests", "tells", "thinks", "thought", "told", "writes", "wrote",
];

/// Subjects whose report is the agent's own observation.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "build", "checker", "compiler", "final", "formatter", "harness", "i", "it", "last", "linter", "output",
    "outputs", "re-run", "rerun", "result", "results", "run", "runner", "suite", "summary", "test", "tests", "this",
    "we",
];

/// Words by which even an output is somebody else's.
#[rustfmt::skip]
const FOREIGN_OWNERS: &[&str] = &[
    "actions", "agent", "attached", "badge", "bot", "buildkite", "ci", "circleci", "colleague", "description",
    "gitlab", "her", "his", "jenkins", "old", "pasted", "pipeline", "readme", "screenshot", "sent", "sub-agent",
    "subagent", "their", "travis", "user", "workflow", "you", "your",
];

/// "It passes on Linux, says the issue": the whole is somebody else's word.
pub fn cited(tokens: &[Token]) -> bool {
    (1..tokens.len()).any(|i| {
        let says =
            matches!(word(tokens, i), "claims" | "reports" | "said" | "say" | "says" | "states" | "writes" | "wrote");
        says && tokens[i - 1].punct() == Some(',')
            && tokens.len() - i <= 7
            && tokens.get(i + 1).is_some_and(|token| matches!(token.tok, Tok::Word | Tok::Path | Tok::Ident))
            && !matches!(word(tokens, i + 1), "all" | "i" | "it" | "no" | "that" | "we")
    })
}

/// "according to `pytest`", "according to my last run": the agent's own look.
pub fn own_source(tokens: &[Token], from: usize) -> bool {
    let source = tokens.get(from..).unwrap_or_default();
    let own = source.first().is_some_and(|token| matches!(token.tok, Tok::Command(_)))
        || source.iter().take(4).any(|token| has_word(OWN, token) || token.is("my"));
    own && !source.iter().take(9).any(others_word)
}

/// Where a sentence begins that ends with ", I think" or ", if I read it right": what stands before it is no more than that.
pub fn tagged(tokens: &[Token]) -> Option<usize> {
    let divides = |i: &usize| {
        matches!(tokens[*i].punct(), Some(';' | '—'))
            || tokens[*i].punct() == Some(',') && matches!(word(tokens, i + 1), "and" | "but" | "so")
            || tokens[*i].is("but") && !excepts(tokens, *i)
    };
    let since = |end: usize| (0..end).rev().find(divides).map_or(0, |i| i + 1);
    let source = (1..tokens.len()).find(|i| tokens[*i].is("according") && word(tokens, i + 1) == "to");
    if let Some(at) = source.filter(|at| !own_source(tokens, at + 2)) {
        return Some(since(at));
    }
    let comma = tokens.iter().rposition(|token| token.punct() == Some(','))?;
    let tag = &tokens[comma + 1..];
    let words: Vec<&str> = tag.iter().map(|token| token.low.as_str()).collect();
    let hedge = |word: &str| {
        matches!(word, "assume" | "believe" | "expect" | "guess" | "hope" | "presume" | "reckon" | "suppose" | "think")
    };
    let said = |word: &str| matches!(word, "claim" | "claimed" | "say" | "said" | "told" | "wrote");
    let doubts = match words.as_slice() {
        ["i", verb] => hedge(verb),
        ["i", "would", verb] => hedge(verb) || *verb == "say",
        ["you" | "he" | "she" | "they", verb] => said(verb),
        ["if", "i" | "we" | "you" | "one" | "the" | "it", ..] => words.len() <= 9,
        ["apparently" | "hopefully" | "presumably" | "probably" | "supposedly" | "allegedly"] => true,
        ["it", "seems"] | ["or", "so", ..] => true,
        _ => false,
    };
    doubts.then(|| since(comma))
}

/// A word for somebody else, or something of theirs.
pub fn others_word(token: &Token) -> bool {
    let owner = token.low.strip_suffix("'s").unwrap_or(&token.low);
    token.tok == Tok::Word && FOREIGN_OWNERS.contains(&owner)
}

/// Whether the subject of a verb of saying is somebody else.
pub fn says_another(subject: &[Token]) -> bool {
    let cut = subject
        .iter()
        .rposition(|token| has(words::CONJUNCTIONS, &token.low) && token.tok == Tok::Word)
        .map_or(0, |at| at + 1);
    let subject = &subject[cut..];
    if subject.iter().any(others_word) {
        return true;
    }
    let own = subject.iter().any(|token| has_word(OWN, token) || matches!(token.tok, Tok::Command(_)));
    let there = subject.iter().any(|token| matches!(token.tok, Tok::Word | Tok::Ident | Tok::Path));
    there && !own
}
