//! What an agent's sentence needs in order to hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::context::{allows_warnings, hedges, offers_a_choice};
use super::everything;
use super::text::{Count, Kind, Says as TextSays, Scope, TextClaim, claims};
use super::tool;
use super::verdict::{Claim, From, Words};
use crate::claims::config::MESSAGE_PREFIX;
use crate::records::files::{names, relative};
use crate::records::git::GitOp;
use crate::records::need::{EVERYTHING, Moment, Need, Says};
use crate::records::owned::Owned;
use crate::records::story::{Checks, Story};
use crate::records::subject::Wanted;

/// The claims of a message, against the state that it was said in.
pub fn message_claims(message: &str, wanted: &Wanted, moment: &Moment, story: &Story, checks: &Checks) -> Vec<Claim> {
    let said = claims(message);
    let fails = said.iter().any(|claim| claim.kind == Kind::Tests && claim.says == TextSays::Fail);
    let owned = Owned::of(message, fails);
    let words_of = |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let beside: Arc<BTreeSet<String>> = Arc::new(words_of(message));
    let chooses = offers_a_choice(message);
    said.iter()
        .enumerate()
        .map(|(n, claim)| {
            let mut need = need(claim, message, wanted, moment, story, checks);
            need.hedged = hedges(claim, message, chooses);
            need.beside.clone_from(&beside);
            need.whole = claim.scope == Scope::All;
            need.allows_warnings = allows_warnings(claim, message);
            // "Committed as 0f0e0d0. The printer is not committed": what was not done is only a part.
            let done = |other: &TextClaim| other.kind == claim.kind && other.says != TextSays::NotDone;
            if need.says == Says::NotDone && claim.kind != Kind::File && said.iter().any(done) {
                need.part = need.part.or_else(|| Some(claim.subset.clone().unwrap_or_default()));
            }
            if claim.kind == Kind::Tests && claim.says == TextSays::Pass {
                need.owned = owned.clone();
            }
            Claim {
                id: format!("{MESSAGE_PREFIX}{}", n + 1),
                from: From::Message,
                needs: vec![need],
                moment: moment.clone(),
                words: Some(words(claim, message)),
            }
        })
        .collect()
}

fn words(claim: &TextClaim, message: &str) -> Words {
    Words {
        kind: claim.kind.name().to_owned(),
        says: claim.says.name().to_owned(),
        count: claim.count.as_ref().map(numbers),
        text: message.get(claim.span.clone()).unwrap_or_default().to_owned(),
        range: claim.span.clone(),
        agent: None,
    }
}

fn numbers(count: &Count) -> (Option<u64>, Option<u64>) {
    (count.passed, count.failed)
}

/// "Deleted `a.rs`" and "created `a.rs`" are about the whole file; "removed the cache from `a.rs`" is a change of it.
fn deed_on_the_whole(claim: &TextClaim, message: &str) -> Option<&'static str> {
    let object = claim.object.as_deref()?;
    let text = message.get(claim.span.clone())?;
    let before = text.get(..text.find(object)?)?.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let before = before.strip_suffix(" file").or(before.strip_suffix(" the")).unwrap_or(&before).trim_end();
    let verb = before.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    match verb {
        "deleted" | "removed" | "delete" | "remove" => Some("removed"),
        "created" | "create" => Some("created"),
        _ => None,
    }
}

fn need(claim: &TextClaim, message: &str, wanted: &Wanted, moment: &Moment, story: &Story, checks: &Checks) -> Need {
    let says = match claim.says {
        TextSays::Pass | TextSays::Done => Says::Yes,
        TextSays::Fail => Says::Fails,
        TextSays::NotDone => Says::NotDone,
    };
    let mut need = match claim.kind {
        Kind::Commit => commit_need(claim, checks),
        Kind::Push => Need::new(push_id(claim, moment, checks), Wanted::Any),
        Kind::File => Need::new(file_id(claim.object.as_deref().unwrap_or_default(), story), Wanted::Any),
        kind => {
            let span = message.get(claim.span.clone()).unwrap_or_default();
            let runner = claim.runner.or_else(|| tool::of(span, kind));
            let named = runner.map(|runner| format!("{}/{runner}", kind.name()));
            Need::new(named.unwrap_or_else(|| kind.name().to_owned()), wanted.clone())
        }
    };
    need.says = says;
    if claim.kind == Kind::File && says == Says::Yes {
        need.part = deed_on_the_whole(claim, message).map(str::to_owned);
    }
    let of_git = matches!(claim.kind, Kind::Commit | Kind::Push);
    if of_git && says == Says::Yes && claim.scope == Scope::All && claim.subset.is_none() {
        let rows = moment.worktree["changed"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names = rows.iter().filter_map(|row| row["path"].as_str()?.rsplit('/').next());
        let names: Vec<&str> = names.collect();
        let part = everything::part(claim.span.clone(), message, &names);
        need.part = part.map(|part| if claim.kind == Kind::Push { EVERYTHING } else { part }.to_owned());
    }
    if claim.kind == Kind::Tests {
        need.count = claim.count.as_ref().map(numbers);
        // "One test still fails" names no part: any failure of that number bears it out.
        let nameless_failure = says == Says::Fails && claim.subset.is_none();
        // A place ("on nightly") is named beside a scope that it does not change.
        if (claim.scope == Scope::Part && !nameless_failure) || claim.subset.is_some() {
            need.part = Some(claim.subset.clone().unwrap_or_default());
        }
    } else if says != Says::Fails && (claim.scope == Scope::Part || claim.subset.is_some()) {
        need.part = need.part.or(Some(claim.subset.clone().unwrap_or_default()));
    }
    need
}

/// A commit that is named is looked for among those that the host saw; a short hash is resolved now.
fn commit_need(claim: &TextClaim, checks: &Checks) -> Need {
    let hash = claim.object.as_deref().filter(|h| h.len() >= 4).map(str::to_lowercase);
    let wanted = hash.map_or(Wanted::Any, |hash| {
        let full = checks.git.iter().filter_map(|d| d.sha.as_deref()).find(|sha| sha.starts_with(&hash));
        Wanted::Opaque(format!("commit:{}", full.unwrap_or(&hash)))
    });
    Need::new("commit", wanted)
}

/// `origin/main`, a branch, or a remote, as it was written → the record of that push.
fn push_id(claim: &TextClaim, moment: &Moment, checks: &Checks) -> String {
    let Some(object) = claim.object.as_deref() else { return "push".into() };
    let pushes = || {
        checks.git.iter().rev().filter_map(|d| match &d.op {
            GitOp::Push { remote, name, .. } => Some((remote, name)),
            GitOp::Commit => None,
        })
    };
    let known = pushes().find(|(remote, name)| object == format!("{remote}/{name}") || object == *name);
    if let Some((remote, name)) = known {
        return format!("push/{remote}/{name}");
    }
    if pushes().any(|(remote, _)| remote == object) {
        return "push".into();
    }
    // "Pushed to origin", "pushed to upstream": a remote, and the branch is the one that is checked out.
    let of_remote = |name: &str| name.strip_prefix(object).is_some_and(|rest| rest.starts_with('/'));
    let seen = moment.git["remotes"].as_object();
    let is_remote = object == "origin" || seen.is_some_and(|remotes| remotes.keys().any(|name| of_remote(name)));
    let upstream = || moment.git["upstream"]["name"].as_str().and_then(remote_of);
    match (object.split_once('/'), moment.git["branch"].as_str()) {
        (None, Some(branch)) if is_remote => format!("push/{object}/{branch}"),
        (None, None) if is_remote => "push".into(),
        (None, _) => format!("push/{}/{object}", upstream().unwrap_or("origin")),
        (Some(_), _) => format!("push/{object}"),
    }
}

/// `fork/main` → `fork`.
fn remote_of(upstream: &str) -> Option<&str> {
    upstream.split_once('/').map(|(remote, _)| remote)
}

fn file_id(written: &str, story: &Story) -> String {
    let edit = story.edits.iter().rev().find(|e| names(written, &e.path));
    let root = story.runs.iter().find_map(|r| r.root.as_deref());
    let path = edit.map_or_else(|| written.trim_start_matches("./").to_owned(), |e| relative(&e.path, root));
    format!("file/{path}")
}
