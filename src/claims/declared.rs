//! Claims that somebody wrote down: the standing ones of `deeds.json`, and those of a file in the judge's shape.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::config::{Config, MESSAGE_PREFIX, Requirement, StandingClaim};
use super::verdict::{Claim, From};
use crate::error::Error;
use crate::records::git::GitOp;
use crate::records::need::{Moment, Need};
use crate::records::story::Checks;
use crate::records::subject::Wanted;

/// A file of claims: the judge's input without its evidence.
#[derive(Debug, Deserialize)]
struct ClaimsFile {
    claims: Vec<StandingClaim>,
}

/// The standing claims. `now` is asked once, and only if a claim is about the worktree.
pub fn standing_claims(config: &Config, now: impl Fn() -> (Wanted, Moment)) -> Vec<Claim> {
    assemble(&config.claims, From::Config, now)
}

/// The claims of a file.
pub fn file_claims(text: &str, now: impl Fn() -> (Wanted, Moment)) -> Result<Vec<Claim>, Error> {
    let file: ClaimsFile = serde_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        Error::input(message).at(format!("{}:{}", e.line(), e.column()))
    })?;
    if let Some(n) = file.claims.iter().position(|c| c.id.starts_with(MESSAGE_PREFIX)) {
        let message =
            format!("ids that begin with `{MESSAGE_PREFIX}` are made for the claims of a message; use another");
        return Err(Error::input(message).at(format!("/claims/{n}/id")));
    }
    Ok(assemble(&file.claims, From::File, now))
}

fn assemble(claims: &[StandingClaim], from: From, now: impl Fn() -> (Wanted, Moment)) -> Vec<Claim> {
    let about_now =
        claims.iter().flat_map(|c| &c.requires).any(|r| r.subject.as_deref().is_some_and(|s| s.starts_with('@')));
    let (worktree, moment) = if about_now { now() } else { (Wanted::Any, Moment::default()) };
    let claim = |claim: &StandingClaim| Claim {
        id: claim.id.clone(),
        from,
        needs: claim.requires.iter().map(|r| need(r, &worktree, &moment)).collect(),
        moment: moment.clone(),
        words: None,
    };
    claims.iter().map(claim).collect()
}

fn need(requirement: &Requirement, worktree: &Wanted, moment: &Moment) -> Need {
    let wanted = match requirement.subject.as_deref() {
        None => Wanted::Any,
        Some("@worktree") => worktree.clone(),
        Some("@head") => match moment.worktree["head"].as_str() {
            Some(head) => Wanted::Opaque(format!("commit:{head}")),
            None => Wanted::Unresolvable("there is no HEAD here".into()),
        },
        Some(text) if text.starts_with('@') => {
            Wanted::Unresolvable(format!("there is no {text}; there are @worktree and @head"))
        }
        Some(text) => Wanted::Opaque(text.to_owned()),
    };
    let mut need = Need::new(requirement.evidence_id.clone(), wanted);
    need.trust = requirement.trust.iter().map(|t| t.as_str().to_owned()).collect();
    need
}

/// One claim a kind that was seen at all: what has been shown so far.
pub fn seen_kinds(checks: &Checks, now: impl Fn() -> (Wanted, Moment)) -> Vec<Claim> {
    let mut kinds: BTreeSet<(String, bool)> = BTreeSet::new();
    for check in &checks.own {
        let id = if check.check == "check" { format!("check/{}", check.runner) } else { check.check.clone() };
        kinds.insert((id, true));
    }
    for deed in &checks.git {
        kinds.insert((if deed.op == GitOp::Commit { "commit" } else { "push" }.to_owned(), false));
    }
    if kinds.is_empty() {
        return Vec::new();
    }
    let (worktree, moment) = now();
    let claim = |(id, about_files): (String, bool)| {
        let wanted = if about_files { worktree.clone() } else { Wanted::Any };
        Claim {
            id: id.clone(),
            from: From::Overview,
            needs: vec![Need::new(id, wanted)],
            moment: moment.clone(),
            words: None,
        }
    };
    kinds.into_iter().map(claim).collect()
}
