//! Formatting and building: "It compiles", "I ran `cargo fmt`", "formatted with rustfmt", "rebuilt the release binary".

use super::assertion::{self, Finding};
use super::deed;
use super::ending;
use super::lead::{self, Lead};
use super::noun::{Amount, NounPhrase};
use super::nouns::Form;
use super::outcome::result_ends;
use super::reading::{Draft, Sense};
use super::subset::{self, Tail};
use super::token::{Tok, Token, word};
use super::verb::{self, Copula, Said};
use super::words::{self, has};
use super::{Kind, Says, Scope};

/// Subjects of "compiles" and "builds" that are the code worked on.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "all", "app", "application", "backend", "binary", "both", "branch", "changes", "code", "codebase", "components",
    "crate", "crates", "everything", "executable", "extension", "file", "frontend", "image", "it", "library",
    "module", "modules", "package", "packages", "program", "project", "projects", "repo", "repository", "result",
    "server", "site", "solution", "source", "target", "targets", "that", "this", "tree", "typescript", "version",
    "wheel", "workspace",
];

const COMPILING: &[(&str, Kind)] = &[
    ("build", Kind::Build),
    ("builds", Kind::Build),
    ("built", Kind::Build),
    ("compile", Kind::Build),
    ("compiled", Kind::Build),
    ("compiles", Kind::Build),
    ("compiling", Kind::Build),
    ("type-check", Kind::Typecheck),
    ("type-checks", Kind::Typecheck),
    ("typecheck", Kind::Typecheck),
    ("typechecks", Kind::Typecheck),
    ("lints", Kind::Lint),
    ("links", Kind::Build),
];

/// Things that a build makes.
#[rustfmt::skip]
const ARTEFACTS: &[&str] = &[
    "apk", "app", "artefact", "artefacts", "artifact", "artifacts", "binaries", "binary", "bundle", "container",
    "crate", "docs", "documentation", "executable", "extension", "frontend", "image", "images", "installer", "jar",
    "library", "package", "packages", "project", "release", "site", "wheel", "wheels", "workspace",
];

pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    for at in 0..sense.tokens.len() {
        let found = not_brought(sense, at)
            .or_else(|| not_built(sense, at))
            .or_else(|| compiles(sense, at))
            .or_else(|| formatter_ran(sense, at, out))
            .or_else(|| formatted(sense, at))
            .or_else(|| built(sense, at));
        out.extend(found);
    }
}

/// "I can't get the project to build."
fn not_brought(sense: &Sense, at: usize) -> Option<Draft> {
    let tokens = sense.tokens;
    if !matches!(word(tokens, at), "build" | "compile") || at < 4 || word(tokens, at - 1) != "to" {
        return None;
    }
    let get = (at.saturating_sub(6)..at - 2).find(|i| matches!(word(tokens, *i), "get" | "make"))?;
    let object = tokens[get + 1..at - 1].iter().any(|token| CODE.contains(&token.low.as_str()));
    let start = lead::clause_start(tokens, get);
    let denied = matches!(word(tokens, start), "i" | "we") && tokens[start..get].iter().any(|token| token.is("not"));
    let able = tokens[start..get].iter().any(|token| matches!(token.low.as_str(), "can" | "could" | "able" | "did"));
    if !(object && denied && able && get - start <= 5 && sense.guarded.allows_deed(start)) {
        return None;
    }
    sense.draft(Kind::Build, Says::Fail, Scope::All, None, None, None, start..at + 1, false)
}

/// "I could not build it here", "I did not build."
fn not_built(sense: &Sense, at: usize) -> Option<Draft> {
    let tokens = sense.tokens;
    if !matches!(word(tokens, at), "build" | "built" | "compile" | "compiled") {
        return None;
    }
    let start = lead::clause_start(tokens, at);
    let group = &tokens[start..at];
    let own = group.first().is_some_and(|token| token.is("i") || token.is("we"));
    let denied = group.len() >= 3 && group.len() <= 5 && group.iter().any(|token| token.is("not"));
    let only = |token: &Token| {
        matches!(token.low.as_str(), "i" | "we" | "not" | "could" | "can" | "able" | "to" | "yet" | "been")
            || has(words::HAVE, &token.low)
            || has(words::DO, &token.low)
            || has(words::BE, &token.low)
            || has(words::ADVERBS, &token.low)
    };
    let object = at + 1 + usize::from(has(words::DETERMINERS, word(tokens, at + 1)));
    let code = matches!(word(tokens, object), "it" | "anything" | "project" | "code" | "workspace" | "crate" | "tree");
    let end = if code { object + 1 } else { at + 1 };
    if !(own && denied && group.iter().all(only) && result_ends(tokens, end) && sense.guarded.allows_deed(start)) {
        return None;
    }
    sense.draft(Kind::Build, Says::NotDone, Scope::All, None, None, None, start..end, false)
}

/// "The project builds without warnings", "it does not compile".
fn compiles(sense: &Sense, at: usize) -> Option<Draft> {
    let tokens = sense.tokens;
    let (_, kind) = COMPILING.iter().find(|(form, _)| *form == word(tokens, at))?;
    let mut end = at;
    while end > 0 {
        let low = word(tokens, end - 1);
        let part = has(words::ADVERBS, low)
            || has(words::HAVE, low)
            || has(words::DO, low)
            || has(words::BE, low)
            || low == "not"
            || low == "longer"
            || low == "no";
        if !part || (matches!(low, "all" | "both") && end >= 2 && !CODE.contains(&word(tokens, end - 2))) {
            break;
        }
        end -= 1;
    }
    let head = end.checked_sub(1)?;
    if !CODE.contains(&word(tokens, head)) {
        return None;
    }
    let mut start = head;
    while start > 0 && head - start < 5 {
        let token = &tokens[start - 1];
        let low = token.low.as_str();
        let inside = has(words::DETERMINERS, low) && low != "that"
            || matches!(token.tok, Tok::Ident | Tok::Path | Tok::Number(_))
            || (token.tok == Tok::Word
                && !has(words::PREPOSITIONS, low)
                && !has(words::VERBS, low)
                && !has(words::CONJUNCTIONS, low)
                && !has(words::PRONOUNS, low)
                && !has(words::RELATIVES, low)
                && !has(words::MODALS, low)
                && !has(words::OPENERS, low)
                && !has(words::ADVERBS, low)
                && !low.ends_with("ed"));
        if !inside || head == start && matches!(word(tokens, head), "it" | "everything" | "this" | "that") {
            break;
        }
        start -= 1;
        if has(words::DETERMINERS, low) && !matches!(low, "both" | "all") {
            break;
        }
    }
    // "Go code compiled with …" is no statement.
    let bare = !has(words::DETERMINERS, word(tokens, start)) && !matches!(word(tokens, head), "it" | "everything");
    if word(tokens, at) == "compiled" && end == at && bare {
        return None;
    }
    if word(tokens, head) == "that" && start == head && lead::clause_start(tokens, head) != head {
        return None;
    }
    // "How it builds the index" has an object; a noun phrase that is a check already has its own rule.
    let Said::Result(predicate) = verb::read(tokens, end, *kind, Copula::Needed) else { return None };
    if tokens[start..head].iter().any(|token| matches!(token.low.as_str(), "your" | "their" | "his" | "her")) {
        return None;
    }
    // "1 package does not compile" is the reason of something else.
    let counted = tokens[start..head].iter().any(|token| matches!(token.tok, Tok::Number(_)));
    if counted && !predicate.passes {
        return None;
    }
    if predicate.end <= at
        || !sense.guarded.allows_check(start)
        || !matches!(lead::read(tokens, start, true), Lead::Plain | Lead::Stated | Lead::Exception { .. })
    {
        return None;
    }
    // "It builds on the parser", and not "on the new toolchain"
    let based = word(tokens, at).starts_with("build")
        && word(tokens, at + 1) == "on"
        && has(words::DETERMINERS, word(tokens, at + 2))
        && !(at + 3..at + 6).any(|i| {
            matches!(word(tokens, i), "branch" | "host" | "machine" | "platform" | "platforms" | "toolchain" | "tree")
        });
    if based {
        return None;
    }
    if predicate.end == at + 1 && !result_ends(tokens, at + 1) && !has(words::ADVERBS, word(tokens, at + 1)) {
        return None;
    }
    if matches!(word(tokens, at + 1), "from" | "into" | "on" if word(tokens, at + 2) == "top" || word(tokens, at + 1) != "on")
    {
        return None;
    }
    if ending::takes_back(tokens, predicate.end, !predicate.passes, predicate.past) {
        return None;
    }
    let tail = subset::tail(tokens, predicate.end, *kind);
    let says = if predicate.passes { Says::Pass } else { Says::Fail };
    let phrase = NounPhrase {
        start,
        head,
        end: head + 1,
        kind: *kind,
        form: Form::Many,
        amount: Amount::Bare,
        definite: true,
        number: None,
        ratio: None,
        // "the `proto` crate"
        subset: (start..head).find(|i| matches!(tokens[*i].tok, Tok::Ident | Tok::Path)).map(|i| (i, i + 1)),
        runner: None,
        by_command: false,
        filter: None,
    };
    let tail = Tail { subset: None, ..tail };
    let (outcome, past) = (predicate.outcome, predicate.past);
    let finding = Finding { outcome, past, tail, ..Finding::new(says, predicate.end.max(tail.end)) };
    assertion::draft(sense, &phrase, &finding, Lead::Plain, start)
}

/// "I ran `cargo fmt`": a formatter that changes files, unless its result is told as a check's.
fn formatter_ran(sense: &Sense, at: usize, found: &[Draft]) -> Option<Draft> {
    let tokens = sense.tokens;
    let Tok::Command(uses) = &tokens[at].tok else { return None };
    let only = uses.iter().find(|only| only.kind == Kind::Format && !only.looks_only)?;
    let mut verb = at.checked_sub(1)?;
    // "I ran `cargo clippy` and `cargo fmt`", "I ran the formatter (`cargo fmt`)".
    while verb > 0
        && (matches!(tokens[verb].tok, Tok::Command(_))
            || matches!(word(tokens, verb), "and" | "the" | "then" | "both" | "a" | "final" | "formatter")
            || matches!(tokens[verb].punct(), Some(',' | '(')))
    {
        verb -= 1;
    }
    if !matches!(word(tokens, verb), "ran" | "re-ran" | "reran" | "applied" | "run" | "rerun" | "re-run") {
        return None;
    }
    let voice = deed::voice(tokens, &sense.guarded, verb)?;
    let bare = matches!(word(tokens, verb), "run" | "rerun" | "re-run");
    if voice.negated || voice.done_to.is_some() || (bare && (voice.start == verb || !voice.perfect)) {
        return None;
    }
    let told = found.iter().any(|draft| draft.claim.kind == Kind::Format && draft.claim.span.end > tokens[at].start);
    let scope = if some_files(tokens, at + 1) { Scope::Part } else { Scope::All };
    (!told)
        .then(|| sense.draft(Kind::Format, Says::Done, scope, None, only.runner, None, voice.start..at + 1, false))
        .flatten()
}

/// "over the three files I touched"
fn some_files(tokens: &[Token], from: usize) -> bool {
    let end =
        (from..tokens.len().min(from + 9)).find(|i| tokens[*i].punct().is_some()).unwrap_or(tokens.len().min(from + 9));
    let files = (from..end)
        .find(|i| matches!(word(tokens, *i), "directory" | "file" | "files" | "folder" | "module" | "package"));
    files.is_some_and(|files| {
        let chosen = |token: &Token| {
            matches!(token.tok, Tok::Number(_))
                || matches!(token.low.as_str(), "new" | "changed" | "touched" | "edited" | "modified")
        };
        matches!(word(tokens, files), "directory" | "folder")
            || !tokens[from..files].iter().any(|token| token.is("all") || token.is("and"))
                && tokens[from..files].iter().any(chosen)
            || matches!(word(tokens, files + 1), "i" | "that")
    })
}

/// "Formatted with rustfmt", "the code was formatted with prettier".
fn formatted(sense: &Sense, at: usize) -> Option<Draft> {
    let tokens = sense.tokens;
    if !matches!(word(tokens, at), "formatted" | "reformatted" | "auto-formatted" | "autoformatted") {
        return None;
    }
    let voice = deed::voice(tokens, &sense.guarded, at)?;
    let reach = tokens.len().min(at + 12);
    let clause = (at + 1..reach)
        .find(|i| matches!(tokens[*i].punct(), Some(';' | '—')) || tokens[*i].is("but") || tokens[*i].is("so"))
        .unwrap_or(reach);
    let tool = (at + 1..clause)
        .find(|i| matches!(&tokens[*i].tok, Tok::Command(uses) if uses.iter().any(|only| only.kind == Kind::Format)));
    let code = |i: &usize| {
        matches!(
            word(tokens, *i),
            "code"
                | "everything"
                | "codebase"
                | "files"
                | "file"
                | "sources"
                | "project"
                | "workspace"
                | "crate"
                | "changes"
                | "it"
                | "imports"
                | "all"
        ) || tokens[*i].tok == Tok::Path
    };
    let first = at + 1 + usize::from(has(words::DETERMINERS, word(tokens, at + 1)));
    let object = (first..clause.min(first + 2)).find(code);
    let of = voice.done_to.and_then(|(from, to)| (from..to).find(code));
    let runner = match tool.map(|i| &tokens[i].tok) {
        Some(Tok::Command(uses)) => uses.iter().find(|only| only.kind == Kind::Format).and_then(|only| only.runner),
        _ => None,
    };
    let closed = object.is_some_and(|i| result_ends(tokens, i + 1) && word(tokens, i + 1) != "as")
        || (of.is_some() && result_ends(tokens, at + 1) && word(tokens, at + 1) != "as");
    // "is formatted on save"
    let described = voice.present
        && voice.done_to.is_some()
        && tool.is_none()
        && matches!(word(tokens, at + 1), "after" | "at" | "before" | "by" | "in" | "on" | "per" | "when");
    if described {
        return None;
    }
    let says = if voice.negated { Says::NotDone } else { Says::Done };
    let file = object.or(of).is_some_and(|i| tokens[i].tok == Tok::Path);
    let scope = if file || some_files(tokens, at + 1) { Scope::Part } else { Scope::All };
    (tool.is_some() || closed)
        .then(|| {
            sense.draft(
                Kind::Format,
                says,
                scope,
                None,
                runner,
                None,
                voice.start..tool.or(object).unwrap_or(at) + 1,
                false,
            )
        })
        .flatten()
}

/// "Rebuilt the release binary with `cargo build --release`".
fn built(sense: &Sense, at: usize) -> Option<Draft> {
    let tokens = sense.tokens;
    if !matches!(word(tokens, at), "built" | "rebuilt" | "re-built") {
        return None;
    }
    let voice = deed::voice(tokens, &sense.guarded, at)?;
    let artefact = |token: &Token| token.tok == Tok::Word && ARTEFACTS.contains(&token.low.as_str());
    let determiner = matches!(word(tokens, at + 1), "the" | "both" | "all" | "our" | "release");
    let end = match voice.done_to {
        // "The last release was built in May" is history.
        Some(_) if !voice.perfect && word(tokens, at) == "built" => return None,
        Some((from, to)) => tokens[from..to].iter().any(artefact).then_some(at + 1)?,
        None if determiner => {
            (at + 2..tokens.len().min(at + 7))
                .find(|i| artefact(&tokens[*i]) && !tokens.get(*i + 1).is_some_and(artefact))?
                + 1
        }
        None => return None,
    };
    if matches!(word(tokens, end), "on" | "around" | "into" | "from") && voice.done_to.is_some() {
        return None;
    }
    let (runner, _) = sense.runner(Kind::Build, None, None, false);
    let says = if voice.negated { Says::NotDone } else { Says::Done };
    sense.draft(Kind::Build, says, Scope::All, None, runner, None, voice.start..end, false)
}
