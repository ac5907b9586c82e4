//! What is said around a claim of its own sentence and makes it narrower, or none: another place or time ("at commit
//! x", "with the change stashed"), a part ("for core, …", "… but the new one fails"), an object that is only a part ("I
//! did not commit `.env`", "the API of `a.rs` is unchanged").

use super::adverbial::MACHINES;
use super::reading::{Draft, Sense};
use super::subset;
use super::token::{Tok, Token, word};
use super::words::{self, has};
use super::{Kind, Says, Scope};

/// Narrows the claims found in one sentence; drops those that are of something else.
pub fn apply(sense: &Sense, found: &mut Vec<Draft>) {
    found.retain(|draft| {
        let (from, to) = reach(sense.tokens, draft);
        !match draft.claim.kind {
            Kind::Commit | Kind::Push => other_deed(sense.tokens, draft, from, to),
            Kind::File => part_of_file(sense.tokens, draft, from, to),
            _ => other_state(sense.tokens, draft, from, to),
        }
    });
    for draft in found.iter_mut() {
        let (from, to) = reach(sense.tokens, draft);
        if let Some((start, end)) = setting(sense.tokens, draft, from, to) {
            draft.claim.subset = sense.words(start, end);
        }
        let Some((start, end)) = part(sense, draft, from, to) else { continue };
        draft.claim.scope = Scope::Part;
        if draft.claim.subset.is_none() {
            draft.claim.subset = sense.words(start, end);
        }
    }
    // "### core", "All tests pass."
    if let Some((start, end)) = sense.frame.part {
        for draft in found.iter_mut().filter(|draft| draft.claim.kind == Kind::Tests) {
            if draft.claim.says == Says::Pass && draft.claim.scope != Scope::Part && draft.claim.count.is_none() {
                draft.claim.scope = Scope::Part;
                draft.claim.subset = sense.message.get(start..end).map(str::to_owned);
            }
        }
    }
    contrary(sense, found);
}

/// The tokens of a claim.
fn reach(tokens: &[Token], draft: &Draft) -> (usize, usize) {
    let from = tokens.partition_point(|token| token.start < draft.claim.span.start);
    let to = tokens.partition_point(|token| token.start < draft.claim.span.end);
    (from, to.max(from))
}

fn is_check(kind: Kind) -> bool {
    !matches!(kind, Kind::Commit | Kind::Push | Kind::File)
}

/// The end of what still belongs to a claim's own predicate.
fn own_end(tokens: &[Token], to: usize) -> usize {
    (to..tokens.len())
        .find(|i| {
            let joins = matches!(word(tokens, *i), "and" | "but" | "so" | "while" | "whereas" | "because" | "which");
            let with_and_without = word(tokens, *i) == "and" && matches!(word(tokens, *i + 1), "with" | "without");
            joins && !with_and_without || matches!(tokens[*i].punct(), Some(',' | ';' | '—' | ':' | '|' | '('))
        })
        .unwrap_or(tokens.len())
}

/// The beginning of the words that open a claim's clause, with an adverbial before its comma.
fn own_start(tokens: &[Token], from: usize) -> usize {
    (0..from)
        .rev()
        .find(|i| {
            matches!(word(tokens, *i), "and" | "but" | "so" | "while" | "whereas" | "because" | "now" | "again")
                || matches!(tokens[*i].punct(), Some(';' | '—' | '|'))
        })
        .map_or(0, |i| i + 1)
}

/// Words by which the tree was not as it is now.
#[rustfmt::skip]
const OTHER_TREE: &[&str] = &[
    "baseline", "reverted", "reverting", "stash", "stashed", "stashing", "unmodified", "unpatched", "unreleased",
];

/// What stands in for the real thing while a check runs.
#[rustfmt::skip]
const PROPS: &[&str] = &[
    "fixture", "fixtures", "hack", "mock", "mocks", "override", "overrides", "stub", "stubs", "workaround",
];

/// A pass of another tree, place or time.
fn other_state(tokens: &[Token], draft: &Draft, from: usize, to: usize) -> bool {
    let claim = &draft.claim;
    if claim.says == Says::NotDone && claim.kind == Kind::Build {
        let built = (from..tokens.len().min(to + 4)).any(|i| {
            matches!(word(tokens, i), "artifact" | "binary" | "docs" | "documentation" | "image" | "package" | "wheel")
        });
        return built;
    }
    if claim.says != Says::Pass {
        return false;
    }
    // "No new warnings": there may be old ones.
    let new = (from..to).any(|i| tokens[i].is("new") && i > 0 && matches!(word(tokens, i - 1), "no" | "any" | "zero"));
    if new && claim.kind != Kind::Tests {
        return true;
    }
    let around = (own_start(tokens, from)..from).chain(to..own_end(tokens, to));
    let within = |i: &usize| tokens[*i].is("at") && tokens.get(i + 1).is_some_and(|token| token.tok == Tok::Hash);
    around.clone().any(|i| other_at(tokens, i, i >= to)) || (from..to).any(|i| within(&i))
}

fn other_at(tokens: &[Token], i: usize, after: bool) -> bool {
    let low = word(tokens, i);
    let (next, third) = (word(tokens, i + 1), word(tokens, i + 2));
    // `a1b2c3d`, `HEAD~1`
    let hash = |i: usize| {
        tokens.get(i).is_some_and(|token| {
            token.tok == Tok::Hash
                || token.tok == Tok::Ident && token.low.contains(['~', '^']) && !token.low.contains(' ')
        })
    };
    let until_comma = |set: &[&str]| {
        (i + 1..tokens.len().min(i + 6))
            .take_while(|at| tokens[*at].punct().is_none())
            .any(|at| set.contains(&word(tokens, at)))
    };
    match low {
        _ if OTHER_TREE.contains(&low) => true,
        "at" | "on" if next == "commit" || next == "revision" || hash(i + 1) => hash(i + 1) || hash(i + 2),
        "at" if after => next == "the" && matches!(third, "start" | "beginning" | "outset"),
        "on" if after => {
            let branch = tokens.get(i + 1).map_or("", |token| token.low.as_str());
            let branch = branch.rsplit('/').next().unwrap_or_default();
            matches!(branch, "main" | "master" | "develop" | "trunk" | "upstream") && third != "too"
                || next == "the" && third == "first" && word(tokens, i + 3) == "run"
        }
        "without" if after => {
            let twice = i > 0 && matches!(word(tokens, i - 1), "and" | "or");
            !twice
                && matches!(next, "my" | "the" | "this" | "these" | "that" | "it")
                && (next == "it" || until_comma(&["change", "changes", "commit", "fix", "patch", "work"]))
        }
        "with" => until_comma(PROPS) && until_comma(&["place"]),
        _ => false,
    }
}

/// Another machine or interpreter: "in the container", "under Node 18". It leaves the scope as it is, but what ran here
/// says nothing against it.
fn setting(tokens: &[Token], draft: &Draft, from: usize, to: usize) -> Option<(usize, usize)> {
    let claim = &draft.claim;
    if !is_check(claim.kind) || claim.subset.is_some() {
        return None;
    }
    // "I did not run the tests on Windows": elsewhere they may have been.
    if claim.says == Says::NotDone && has(words::PREPOSITIONS, word(tokens, to)) {
        return Some((to, own_end(tokens, to)));
    }
    if claim.says != Says::Pass {
        return None;
    }
    // "Linux: 300 passed."
    if tokens.get(1).and_then(Token::punct) == Some(':') && MACHINES.contains(&word(tokens, 0)) {
        return Some((0, 1));
    }
    let until = |i: usize| {
        (i + 1..tokens.len().min(i + 6)).find(|at| tokens[*at].punct().is_some()).unwrap_or(tokens.len().min(i + 6))
    };
    (own_start(tokens, from)..from).chain(to..own_end(tokens, to)).find_map(|i| {
        let end = until(i);
        let named = (i + 1..end).any(|at| MACHINES.contains(&word(tokens, at)));
        (matches!(word(tokens, i), "in" | "on" | "under" | "inside" | "with") && named).then_some((i, end))
    })
}

/// Titles and labels that name no part: "Result: all tests pass".
#[rustfmt::skip]
const REPORTS: &[&str] = &[
    "actually", "after", "afterwards", "also", "answer", "bonus", "bottom", "build", "check", "checked", "checks",
    "clippy", "conclusion", "confirmed", "current", "currently", "details", "done", "end", "evidence", "fact",
    "finally", "finished", "fixed", "format", "here", "high", "implemented", "important", "lint", "local", "locally",
    "message", "net", "news", "note", "notes", "now", "outcome", "overall", "overview", "progress", "proof",
    "quality", "ran", "report", "result", "results", "running", "short", "state", "status", "success", "summary",
    "test", "tested", "testing", "tests", "tl;dr", "tldr", "today", "update", "updated", "validated", "validation",
    "verdict", "verification", "verified", "verify", "yes",
];

/// The single word of a title or label that names a part of the work.
pub fn names_part(token: &Token) -> bool {
    matches!(token.tok, Tok::Word | Tok::Ident)
        && !REPORTS.contains(&token.low.as_str())
        && !MACHINES.contains(&token.low.as_str())
        && !has(words::OPENERS, &token.low)
        && !has(words::ADVERBS, &token.low)
        && !token.low.ends_with("ed")
}

/// The words that make a result of all only a part of it.
fn part(sense: &Sense, draft: &Draft, from: usize, to: usize) -> Option<(usize, usize)> {
    let tokens = sense.tokens;
    let claim = &draft.claim;
    if claim.scope == Scope::Part || claim.says != Says::Pass || !is_check(claim.kind) {
        return None;
    }
    let end = own_end(tokens, to);
    // "for the Python code"
    let code = |i: &usize| word(tokens, *i) == "for" && *i + 2 < end && word(tokens, end - 1) == "code";
    let plain = |token: &Token| {
        has(words::DETERMINERS, &token.low)
            || matches!(token.low.as_str(), "new" | "whole" | "entire" | "changed" | "current")
    };
    if let Some(at) = (to..end).find(code).filter(|at| !tokens[at + 1..end - 1].iter().all(plain)) {
        return Some((at, end));
    }
    if claim.kind != Kind::Tests {
        return None;
    }
    // "with `--skip s`"
    let filters = |token: &Token| {
        ["--skip", "--exclude", "--ignore", "--deselect", "--filter", "--only"].iter().any(|f| token.low.starts_with(f))
    };
    if let Some(at) = (to..end).find(|i| filters(&tokens[*i])) {
        return Some((at, at + 1));
    }
    // "All tests before s", "tests with the tag fast"
    let chosen = |i: &usize| {
        matches!(word(tokens, *i), "tests" | "cases" | "specs")
            && (matches!(word(tokens, *i + 1), "before" | "up" | "tagged" | "marked" | "labelled" | "whose" | "named")
                || word(tokens, *i + 1) == "with" && !matches!(word(tokens, *i + 2), "it" | "this" | "that"))
    };
    if let Some(at) = (from..to.min(from + 6)).find(chosen) {
        return Some((at + 1, (at + 5).min(to)));
    }
    let start = own_start(tokens, from);
    if matches!(word(tokens, start), "in" | "inside" | "under")
        && start < from
        && subset::names_part(tokens, start, from, Kind::Tests)
    {
        let machine = tokens[start..from].iter().any(|token| MACHINES.contains(&token.low.as_str()));
        if !machine {
            return Some((start, from));
        }
    }
    opened(tokens, from).or_else(|| but_fails(sense, to))
}

/// "Skipping s, …", "Besides s, …", "Apart from that, …", "For core, …", "Lexer: …"
fn opened(tokens: &[Token], from: usize) -> Option<(usize, usize)> {
    let divider = from.checked_sub(1)?;
    let start = own_start(tokens, divider);
    let second = word(tokens, start + 1);
    match tokens[divider].punct()? {
        ':' => (divider == start + 1 && start == 0 && names_part(&tokens[0])).then_some((0, 1)),
        ',' => {
            let excepts = match word(tokens, start) {
                "skipping" | "deselecting" | "omitting" => true,
                "besides" => divider > start + 1,
                "apart" | "aside" => second == "from",
                "other" => second == "than",
                "for" => {
                    divider == start + 2
                        && !matches!(second, "now" | "me" | "example" | "instance" | "completeness" | "reference")
                        || subset::names_part(tokens, start, divider, Kind::Tests)
                }
                _ => false,
            };
            excepts.then_some((start, divider))
        }
        _ => None,
    }
}

/// "…, but the new one (s) fails", where nothing else is checked after "but".
fn but_fails(sense: &Sense, to: usize) -> Option<(usize, usize)> {
    let tokens = sense.tokens;
    let but = (to..tokens.len().min(to + 3)).find(|i| matches!(word(tokens, *i), "but" | "though" | "while"))?;
    let fails = (but + 1..tokens.len().min(but + 12))
        .find(|i| matches!(word(tokens, *i), "fail" | "fails" | "failing" | "broken" | "red"))?;
    let other =
        sense.phrases.iter().any(|phrase| phrase.start > but && phrase.end <= fails && phrase.kind != Kind::Tests);
    let command = tokens[but..fails].iter().any(|token| matches!(token.tok, Tok::Command(_)) || token.is("not"));
    (!other && !command).then_some((but, fails + 1))
}

/// "pass on stable, fail on nightly": each holds of its own place only, though its scope is the noun's.
fn contrary(sense: &Sense, found: &mut [Draft]) {
    for at in 0..found.len() {
        let claim = &found[at].claim;
        if claim.says != Says::Pass || !matches!(claim.kind, Kind::Tests | Kind::Build) || claim.count.is_some() {
            continue;
        }
        let kind = claim.kind;
        let fails = |draft: &Draft| draft.claim.kind == kind && draft.claim.says == Says::Fail && !draft.past_failure;
        let Some(other) = (at + 1..found.len()).find(|i| fails(&found[*i])) else { continue };
        for i in [at, other] {
            let (from, to) = reach(sense.tokens, &found[i]);
            let end = own_end(sense.tokens, to);
            if found[i].claim.subset.is_none() {
                found[i].claim.subset = if end > to { sense.words(to, end) } else { sense.words(from, to) };
            }
        }
    }
}

/// A commit or push of something else than the work: tags, one file left out, another repository.
fn other_deed(tokens: &[Token], draft: &Draft, from: usize, to: usize) -> bool {
    let denied = draft.claim.says == Says::NotDone;
    // "It's not pushed until you approve": how it is done, not what was.
    if denied && matches!(word(tokens, to), "until" | "unless" | "without") {
        return true;
    }
    let near = |i: usize| word(tokens, i);
    let some = |words: &[&str], end: usize| (from..end.min(tokens.len())).any(|i| words.contains(&near(i)));
    if draft.claim.kind == Kind::Push {
        let tags = denied && some(&["tag", "tags"], to + 3) || matches!(near(from), "tag" | "tags");
        let force = denied && some(&["force-push", "force-pushed", "force"], to);
        return tags || force;
    }
    let path = tokens.get(to).is_some_and(|token| matches!(token.tok, Tok::Path | Tok::Ident));
    let dot = tokens.get(to).is_some_and(|token| token.punct() == Some('.') && to + 1 < tokens.len());
    let elsewhere = matches!(near(to), "in" | "to") && (to..to + 3).any(|i| matches!(near(i), "other" | "another"));
    denied && (path || dot || some(&["else"], to + 2)) || elsewhere
}

/// "The API of `a.rs` is unchanged", "I did not change anything else in `a.rs`": not the whole file.
fn part_of_file(tokens: &[Token], draft: &Draft, from: usize, to: usize) -> bool {
    if draft.claim.says == Says::Done {
        // "I renamed `a.rs` and then undid it"
        return (to..tokens.len().min(to + 8)).any(|i| {
            let back = matches!(word(tokens, i), "reverted" | "undid")
                || matches!(word(tokens, i), "rolled" | "took") && (i + 1..i + 4).any(|at| word(tokens, at) == "back");
            back && matches!(word(tokens, i + 1), "back" | "it" | "that" | "them" | "this")
        });
    }
    let beyond = matches!(word(tokens, to), "beyond" | "except" | "apart" | "aside" | "besides" | "outside" | "other");
    let else_ = tokens[from..to].iter().any(|token| token.is("else"));
    let within = (from + 1..to).any(|i| {
        matches!(word(tokens, i), "of" | "in" | "from")
            && tokens.get(i + 1).is_some_and(|token| token.tok == Tok::Path)
            && !matches!(
                word(tokens, i - 1),
                "anything"
                    | "nothing"
                    | "change"
                    | "changes"
                    | "edits"
                    | "modifications"
                    | "contents"
                    | "line"
                    | "copy"
            )
    });
    beyond || else_ || within
}
