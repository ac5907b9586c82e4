//! Commits and pushes: "Committed as 54de2ce and pushed to origin/main", "Commit: 9e8d7c6", "nothing has been pushed".

use super::deed::{self, Voice};
use super::push;
use super::reading::{Draft, Sense};
use super::token::{Tok, Token, word};
use super::vcs_label;
use super::vcs_undone;
use super::words::{self, has};
use super::{Kind, Says};

/// What can be committed or pushed, as the subject of a passive.
#[rustfmt::skip]
pub const WORK: &[&str] = &[
    "adjustments", "all", "both", "branch", "branches", "bump", "change", "changes", "cleanup", "code", "commit",
    "commits", "config", "configuration", "correction", "docs", "documentation", "edit", "edits", "everything",
    "feature", "file", "files", "fix", "fixes", "hotfix", "implementation", "it", "migration", "neither", "none", "nothing", "part", "parts",
    "patch", "patches", "refactor", "refactoring", "release", "removal", "rename", "rest", "result", "results",
    "revision", "rewrite", "tag", "tags", "test", "tests", "that", "them", "these", "they", "this", "those", "tree",
    "update", "updates", "version", "work",
];

/// Things that are committed in another sense.
#[rustfmt::skip]
const NOT_WORK: &[&str] = &[
    "batch", "crime", "cursor", "form", "memory", "mistake", "offset", "offsets", "record", "records", "row", "rows",
    "statement", "transaction", "transactions", "value", "writes",
];

pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    if vcs_label::label(sense, out) || vcs_label::answered(sense, out) {
        return;
    }
    for at in 0..tokens.len() {
        match word(tokens, at) {
            "commit" | "push" if vcs_undone::yet_to(sense, at, out) => {}
            "commit" | "push" if at > 1 && vcs_undone::left_to_you(sense, at, out) => {}
            "commit" | "commits" | "push" | "pushes" if at > 0 && tokens[at - 1].is("no") => {
                vcs_undone::none_made(sense, at, out)
            }
            "commit" | "commits" if were_made(sense, at, out) => {}
            "committed" | "recommitted" | "re-committed" | "commit" => committed(sense, at, out),
            "amended" => amended(sense, at, out),
            "combined" | "divided" | "put" | "split" | "squashed" => into_commits(sense, at, out),
            "made" | "created" | "added" | "make" | "create" | "wrote" => commits_made(sense, at, out),
            "uncommitted" | "unpushed" => vcs_undone::left_over(sense, at, out),
            "committing" | "pushing" => vcs_undone::refrained(sense, at, out),
            "push" if at > 0 && matches!(word(tokens, at - 1), "the" | "my") => push::the_push(sense, at, out),
            "pushed" | "force-pushed" | "re-pushed" | "repushed" | "push" | "force-push" => {
                push::pushed(sense, at, out)
            }
            _ => {}
        }
    }
}

pub fn object(tokens: &[Token], at: usize) -> Option<String> {
    tokens.get(at).map(|token| token.low.clone())
}

/// The end of the part of the sentence that belongs to the verb.
pub fn own_part(tokens: &[Token], from: usize) -> usize {
    (from..tokens.len())
        .find(|i| {
            let token = &tokens[*i];
            matches!(token.punct(), Some(';'))
                || matches!(token.low.as_str(), "but" | "so" | "because" | "which" | "while") && token.tok == Tok::Word
                || (token.is("and") || token.punct() == Some(',')) && starts_verb(tokens, *i + 1)
        })
        .unwrap_or(tokens.len())
}

fn starts_verb(tokens: &[Token], i: usize) -> bool {
    let low = word(tokens, i);
    let low =
        if matches!(low, "and" | "then" | "have" | "also" | "not" | "i" | "we") { word(tokens, i + 1) } else { low };
    low.ends_with("ed")
        || matches!(low, "it" | "is" | "was" | "the" | "all" | "did" | "have" | "ran" | "made")
        || word(tokens, i) == "i"
}

fn first_hash(tokens: &[Token], from: usize, to: usize) -> Option<usize> {
    (from..to.min(from + 16)).find(|i| tokens.get(*i).is_some_and(|token| token.tok == Tok::Hash))
}

/// Whether the subject of a passive is the agent's work.
pub fn of_work(tokens: &[Token], voice: &Voice, verb: usize) -> bool {
    let next = word(tokens, verb + 1);
    let Some((from, to)) = voice.done_to else { return true };
    let subject = tokens.get(from..to).unwrap_or_default();
    if subject.iter().any(|token| NOT_WORK.contains(&token.low.as_str())) {
        return false;
    }
    let work = subject.iter().any(|token| {
        WORK.contains(&token.low.as_str()) || matches!(token.tok, Tok::Path | Tok::Hash | Tok::Ident | Tok::Number(_))
    });
    // "The printer is not committed."
    let denied = voice.negated && subject.len() <= 3 && next != "to" && matches!(next, "" | "yet" | "and" | "or");
    let next = if next == "separately" { word(tokens, verb + 2) } else { next };
    let named = (verb + 2..tokens.len().min(verb + 5)).any(|i| matches!(tokens[i].tok, Tok::Hash | Tok::Ident));
    let place = matches!(next, "on" | "as" | "in") && named && subject.len() <= 4;
    work || denied || place || (voice.perfect && next != "to")
}

/// "committed to": a branch, or an obligation.
pub fn to_elsewhere(tokens: &[Token], i: usize) -> bool {
    if !matches!(word(tokens, i), "to" | "into") {
        return false;
    }
    let i = i + usize::from(tokens.get(i + 1).and_then(Token::punct) == Some(':'));
    let at = i + 1 + usize::from(matches!(word(tokens, i + 1), "the" | "my" | "our" | "your" | "a" | "its"));
    let place = matches!(
        word(tokens, at),
        "branch"
            | "local"
            | "repo"
            | "repository"
            | "git"
            | "main"
            | "master"
            | "develop"
            | "trunk"
            | "feature"
            | "remote"
            | "upstream"
            | "origin"
            | "github"
            | "gitlab"
            | "fork"
            | "working"
            | "current"
            | "same"
            | "new"
            | "release"
    );
    !(place || matches!(tokens.get(at).map(|token| &token.tok), Some(Tok::Ident | Tok::Hash | Tok::Path)))
}

fn committed(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let bare = word(tokens, at) == "commit";
    let Some(voice) = deed::voice(tokens, &sense.guarded, at).or_else(|| ticked(sense, at)) else { return };
    if bare && !(voice.bare && voice.negated) && !ticked_at(sense, at) {
        return;
    }
    if forbids(tokens, &voice) {
        return;
    }
    let part = own_part(tokens, at + 1);
    let nothing = word(tokens, at + 1) == "nothing" || answered_no(tokens, at);
    let other =
        tokens.get(at + 1..part).unwrap_or_default().iter().take(4).any(|token| NOT_WORK.contains(&token.low.as_str()));
    let myself = matches!(word(tokens, at + 1), "myself" | "ourselves");
    let described = voice.present && voice.done_to.is_some() && !voice.negated && describes(tokens, at + 1);
    if myself
        || described
        || other
        || to_elsewhere(tokens, at + 1)
        || !of_work(tokens, &voice, at)
        || relative(tokens, at)
    {
        return;
    }
    let says = if voice.negated || nothing || deed::denies(tokens, voice.done_to) { Says::NotDone } else { Says::Done };
    let before = voice.done_to.and_then(|(from, to)| first_hash(tokens, from, to));
    let hash = if says == Says::Done { before.or_else(|| first_hash(tokens, at + 1, part)) } else { None };
    // "Committed in two steps:" leads to the commits.
    let leads = sense.frame.asserts && tokens.last().and_then(Token::punct) == Some(':');
    if leads && hash.is_none() && says == Says::Done {
        return;
    }
    // "Committed in two parts: `a1b2c3d` moves the code, `b2c3d4e` changes it"
    let parts = (at + 1..tokens.len().min(at + 8)).any(|i| {
        matches!(tokens[i].tok, Tok::Number(n) if n > 1)
            && matches!(word(tokens, i + 1), "commits" | "parts" | "pieces" | "steps")
    });
    let hashes: Vec<usize> = (at + 1..tokens.len()).filter(|i| tokens[*i].tok == Tok::Hash).collect();
    if parts && hashes.len() > 1 && says == Says::Done {
        for hash in hashes {
            out.extend(sense.deed(Kind::Commit, says, object(tokens, hash), voice.start..hash + 1));
        }
        return;
    }
    let anything = usize::from(matches!(word(tokens, at + 1), "anything" | "it" | "them" | "this" | "nothing"));
    let end = hash.map_or(at + 1 + anything, |hash| (hash + 1).max(at + 1));
    out.extend(sense.deed(Kind::Commit, says, hash.and_then(|hash| object(tokens, hash)), voice.start..end));
}

/// "is committed on save", "are committed under `vendor/`": how it is kept, not what was done.
fn describes(tokens: &[Token], i: usize) -> bool {
    let low = word(tokens, i);
    if !has(words::PREPOSITIONS, low) || matches!(low, "as" | "with" | "without") {
        return false;
    }
    let at = i + 1 + usize::from(has(words::DETERMINERS, word(tokens, i + 1)));
    let place = tokens.get(at).is_some_and(|token| {
        matches!(token.tok, Tok::Hash | Tok::Ident | Tok::Number(_)) || token.tok == Tok::Path && low == "to"
    });
    let branch = matches!(
        word(tokens, at),
        "branch"
            | "commit"
            | "current"
            | "develop"
            | "feature"
            | "local"
            | "main"
            | "master"
            | "same"
            | "single"
            | "trunk"
            | "working"
    );
    let on_top = low == "on" && word(tokens, i + 1) == "top";
    !on_top && !(matches!(low, "in" | "into" | "on" | "to") && (place || branch))
}

/// "Do not push": said to somebody.
pub fn forbids(tokens: &[Token], voice: &Voice) -> bool {
    voice.bare && matches!(word(tokens, voice.start), "do" | "never")
}

/// "Pushed: no"
pub fn answered_no(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).and_then(Token::punct) == Some(':')
        && matches!(word(tokens, at + 2), "no" | "none" | "nothing" | "not")
}

/// "[x] Commit and push": done, since the box is checked.
pub fn ticked(sense: &Sense, at: usize) -> Option<Voice> {
    ticked_at(sense, at).then_some(Voice {
        start: at,
        negated: false,
        bare: true,
        done_to: None,
        perfect: false,
        present: false,
    })
}

pub fn ticked_at(sense: &Sense, at: usize) -> bool {
    let tokens = sense.tokens;
    let first = at == 0 || (at <= 3 && word(tokens, at - 1) == "and" && matches!(word(tokens, 0), "commit" | "stage"));
    let verb = !matches!(tokens.get(at + 1).and_then(Token::punct), Some(':'))
        && !matches!(word(tokens, at + 1), "message" | "messages" | "history" | "hook" | "hooks");
    sense.tick == super::segment::Tick::Checked && first && verb
}

/// A participle after its noun: "the report committed by the bot".
pub fn relative(tokens: &[Token], at: usize) -> bool {
    (at + 1..tokens.len().min(at + 5))
        .any(|i| word(tokens, i) == "by" && !matches!(word(tokens, i + 1), "me" | "us" | "hand"))
}

fn amended(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let Some(voice) = deed::voice(tokens, &sense.guarded, at) else { return };
    let part = own_part(tokens, at + 1);
    let named = tokens
        .get(at + 1..part)
        .unwrap_or_default()
        .iter()
        .take(8)
        .any(|token| token.is("commit") || token.tok == Tok::Hash)
        || part == at + 1;
    let of_commit = voice.done_to.is_none_or(|(from, to)| tokens[from..to].iter().any(|token| token.is("commit")));
    if !of_commit || (voice.done_to.is_none() && !named) {
        return;
    }
    let says = if voice.negated { Says::NotDone } else { Says::Done };
    let hash = first_hash(tokens, at + 1, part);
    // "Amended the commit; it is `a1b2c3d` now"
    let later = (part..tokens.len().min(part + 4)).find(|i| {
        tokens[*i].tok == Tok::Hash && matches!(word(tokens, i - 1), "is" | "now") && word(tokens, part + 1) == "it"
    });
    let commit = (at + 1..part).find(|i| tokens[*i].is("commit"));
    let close = hash.filter(|hash| tokens.get(hash + 1).and_then(Token::punct) == Some(')')).map(|hash| hash + 1);
    let end = close.or(hash).or(commit).unwrap_or(at) + 1;
    let hash = hash.or(later);
    out.extend(sense.deed(Kind::Commit, says, hash.and_then(|hash| object(tokens, hash)), voice.start..end));
}

/// "Squashed the fixups into one commit, `a1b2c3d`": into a commit that is made by it.
fn into_commits(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let part = own_part(tokens, at + 1);
    let Some(noun) = (at + 3..part.min(at + 14)).find(|i| {
        let single = matches!(word(tokens, *i - 1), "1" | "single") || matches!(tokens[*i - 1].tok, Tok::Number(_));
        matches!(word(tokens, *i), "commit" | "commits")
            && single
            && (at + 1..*i).any(|j| matches!(word(tokens, j), "into" | "to"))
    }) else {
        return;
    };
    let Some(voice) = deed::voice(tokens, &sense.guarded, at).filter(|voice| !voice.bare) else { return };
    let says = if voice.negated { Says::NotDone } else { Says::Done };
    // "… into three commits: `a1b2c3d`, `b2c3d4e` and `c3d4e5f`"
    let end = own_part(tokens, noun + 1);
    let hashes: Vec<usize> = (noun + 1..end).filter(|i| tokens[*i].tok == Tok::Hash).collect();
    if hashes.is_empty() {
        out.extend(sense.deed(Kind::Commit, says, None, voice.start..noun + 1));
    }
    for hash in hashes {
        out.extend(sense.deed(Kind::Commit, says, object(tokens, hash), voice.start..hash + 1));
    }
}

/// "Two commits were made, `a1f09be` with the fix and `77c2d04` with the docs."
fn were_made(sense: &Sense, at: usize, out: &mut Vec<Draft>) -> bool {
    let tokens = sense.tokens;
    let from = super::lead::clause_start(tokens, at);
    let counted = at == from + 1 && matches!(tokens[from].tok, Tok::Number(_));
    let auxiliary = |i: &usize| has(words::BE, word(tokens, *i)) || has(words::HAVE, word(tokens, *i));
    let verb = (at + 1..).find(|i| !auxiliary(i)).unwrap_or(at + 1);
    let made = verb > at + 1 && matches!(word(tokens, verb), "made" | "created");
    if !(counted && made && sense.guarded.allows_deed(from)) || relative(tokens, verb) {
        return false;
    }
    let hashes: Vec<usize> = (verb + 1..tokens.len()).filter(|i| tokens[*i].tok == Tok::Hash).collect();
    if hashes.is_empty() {
        out.extend(sense.deed(Kind::Commit, Says::Done, None, from..verb + 1));
    }
    for hash in hashes {
        out.extend(sense.deed(Kind::Commit, Says::Done, object(tokens, hash), from..hash + 1));
    }
    true
}

/// "I made two commits: `a1f09be` for the schema and `77c2d04` for the backfill."
fn commits_made(sense: &Sense, at: usize, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let Some(noun) = (at + 1..tokens.len().min(at + 7)).find(|i| matches!(word(tokens, *i), "commit" | "commits"))
    else {
        return;
    };
    let between = tokens.get(at + 1..noun).unwrap_or_default();
    let plain = |token: &Token| {
        !has(words::PREPOSITIONS, &token.low)
            && !has(words::RELATIVES, &token.low)
            && token.punct().is_none()
            && !matches!(token.tok, Tok::Path)
    };
    let Some(voice) = deed::voice(tokens, &sense.guarded, at) else { return };
    if !between.iter().all(plain)
        || (matches!(word(tokens, at), "make" | "create") && !voice.bare)
        || matches!(word(tokens, noun + 1), "message" | "messages" | "hook" | "hooks" | "template")
        || voice.done_to.is_some()
    {
        return;
    }
    let no = between.iter().any(|token| token.is("no"));
    if voice.negated || no {
        out.extend(sense.deed(Kind::Commit, Says::NotDone, None, voice.start..noun + 1));
        return;
    }
    let part = own_part(tokens, noun + 1);
    let hashes: Vec<usize> = (noun + 1..part).filter(|i| tokens[*i].tok == Tok::Hash).collect();
    if hashes.is_empty() {
        out.extend(sense.deed(Kind::Commit, Says::Done, None, voice.start..noun + 1));
    }
    for hash in hashes {
        out.extend(sense.deed(Kind::Commit, Says::Done, object(tokens, hash), voice.start..hash + 1));
    }
}
