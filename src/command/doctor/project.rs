//! The project: git, by which deeds tells which files a run saw, and `deeds.json`.

use super::report::{Check, Report};
use crate::bundle::approval::Approvals;
use crate::claims::config::{self, Config, GateMode};
use crate::claims::ids;
use crate::command::human;
use crate::error::Result;
use crate::layout::{self, Basis, Env, Place};

pub fn look(place: &Place, env: &Env, codex: bool, report: &mut Report) {
    git(place, report);
    declared(place, env, codex, report);
}

fn git(place: &Place, report: &mut Report) {
    let root = place.root.display();
    report.add(match (&place.repository, layout::on_path("git")) {
        (Some(_), Some(git)) => Check::ok("git", format!("{} is a repository, {}", root, git.display())),
        (Some(_), None) => Check::failure(
            "git",
            "is not on PATH: which files a run saw, commits and pushes cannot be looked at",
            "install git, or add its folder to PATH",
        ),
        (None, _) => Check::ok("git", format!("{root} is no repository"))
            .with("claims about commits and pushes cannot be shown; edits say whether files changed since a run"),
    });
    if place.basis == Basis::Variable {
        let detail = format!("says where the ledger is: {}", place.ledger.display());
        report.add(Check::ok("DEEDS_DIR", detail).with("the client must have been started with the same"));
    }
}

fn declared(place: &Place, env: &Env, codex: bool, report: &mut Report) {
    let path = config::path(&place.root);
    let found = match Config::load(&place.root) {
        Ok(found) => found,
        Err(error) => {
            let advice = "mend it: until then the hook goes by the defaults, and every other verb refuses it";
            report.add(Check::failure("deeds.json", error.to_string(), advice));
            return;
        }
    };
    let hints = ids::hints(&found);
    for hint in &hints {
        report.add(Check::warning("deeds.json", hint, "such a claim can never be shown"));
    }
    if hints.is_empty() {
        let detail = if path.exists() {
            format!(
                "{}, {}",
                human::count(found.claims.len(), "standing claim", "standing claims"),
                human::count(found.checks.len(), "check", "checks")
            )
        } else {
            "there is none, and there need not be; the defaults apply".to_owned()
        };
        report.add(Check::ok("deeds.json", detail));
    }
    if found.has_producers() && found.seal_on.as_ref().is_none_or(|events| !events.is_empty()) {
        report.add(sealing(place, env, &found));
    }
    if codex && found.gate == GateMode::Report {
        let detail = "report, and Codex shows no line at the end of a turn";
        report.add(Check::ok("gate", detail).with("ask with deeds judge, or set \"gate\": \"block\" in deeds.json"));
    }
}

/// Whether what is declared may run by itself.
fn sealing(place: &Place, env: &Env, found: &Config) -> Check {
    let all = || -> Result<bool> {
        let approvals = Approvals::of(place, env)?;
        for (_, producers) in found.lists() {
            if !approvals.covers(producers)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    match all() {
        Ok(true) => Check::ok("sealing", "the producers of deeds.json are approved to run by themselves"),
        Ok(false) => Check::warning(
            "sealing",
            "producers of deeds.json are not approved to run by themselves, so no task is sealed by itself",
            "read them, then deeds evidence approve; or set \"sealOn\": [] and seal by hand",
        ),
        Err(error) => Check::warning(
            "sealing",
            format!("no task is sealed by itself: {}", error.message),
            "set \"sealOn\": [] and seal by hand",
        ),
    }
}
