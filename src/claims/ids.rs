//! Evidence ids that no record will ever have, most likely typed wrong, and the nearest right one.
//!
//! An id is opaque to the judge, so a wrong one is no error: its claim is simply never shown, and nobody says why.

use super::config::{Config, nearest};
use crate::records::runners::{self, Check};

const CHECKS: [Check; 5] = [Check::Tests, Check::Lint, Check::Typecheck, Check::Format, Check::Build];
/// What an id begins with.
const HEADS: &[&str] = &["tests", "lint", "typecheck", "format", "build", "check", "commit", "push", "file"];

/// What is odd about the ids of a `deeds.json`, a sentence each.
pub fn hints(config: &Config) -> Vec<String> {
    let ids = config.claims.iter().flat_map(|claim| claim.requires.iter().map(move |need| (claim, need)));
    let hint = |(claim, need): (&super::config::StandingClaim, &super::config::Requirement)| {
        let odd = hint(&need.evidence_id, config).or_else(|| subject(need.subject.as_deref()?))?;
        Some(format!("claim {:?}: {odd}", claim.id))
    };
    ids.filter_map(hint).collect()
}

/// A subject without its `@` is compared as it is, and is that of no run.
fn subject(subject: &str) -> Option<String> {
    let meant = matches!(subject, "worktree" | "head" | "HEAD").then(|| subject.to_lowercase())?;
    Some(format!("the subject {subject:?} is compared as it is; did you mean \"@{meant}\"?"))
}

/// What is odd about an id; `None`: nothing.
pub fn hint(id: &str, config: &Config) -> Option<String> {
    // What follows a question mark narrows which runs count.
    let id = id.split('?').next().unwrap_or(id);
    let (head, rest) = id.split_once('/').unwrap_or((id, ""));
    if head == "check" {
        let mut declared = config.declared_checks().map(|(name, _)| name);
        if declared.any(|name| name == rest) {
            return None;
        }
        let names: Vec<&str> = config.declared_checks().map(|(name, _)| name).collect();
        let says = format!("{id:?} is not declared under \"checks\"");
        return Some(match nearest(rest, names.iter().copied()) {
            Some(right) => format!("{says}; did you mean \"check/{right}\"?"),
            None => says,
        });
    }
    if let Some(check) = CHECKS.iter().find(|check| check.as_str() == head) {
        if rest.is_empty() && !id.contains('/') {
            return None;
        }
        let known: Vec<&str> = runners::runners(*check).collect();
        if known.contains(&rest) {
            return None;
        }
        let says = format!("there is no runner {rest:?} of {head}");
        return Some(match nearest(rest, known.iter().copied()) {
            Some(right) => format!("{says}; did you mean \"{head}/{right}\"?"),
            None => format!("{says}; there are {}", known.join(", ")),
        });
    }
    if HEADS.contains(&head) {
        return None;
    }
    let right = nearest(head, HEADS.iter().copied())?;
    Some(format!("{id:?} is no evidence that deeds records; did you mean \"{}\"?", id.replacen(head, right, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_without_its_sign_is_told() {
        let with = |subject: &str| {
            let text =
                format!(r#"{{"claims":[{{"id":"x","requires":[{{"evidenceId":"tests","subject":"{subject}"}}]}}]}}"#);
            hints(&Config::parse(&text).unwrap())
        };
        assert!(with("worktree")[0].contains("did you mean \"@worktree\"?"));
        assert!(with("@worktree").is_empty() && with("commit:1").is_empty());
    }

    #[test]
    fn a_wrong_id_is_told_with_the_nearest_right_one() {
        let config = Config::parse(r#"{"checks": {"contract": "make contract-test"}}"#).unwrap();
        let hint = |id: &str| hint(id, &config).unwrap_or_default();
        assert_eq!(hint("tests/pytets"), "there is no runner \"pytets\" of tests; did you mean \"tests/pytest\"?");
        assert_eq!(
            hint("check/contrat"),
            "\"check/contrat\" is not declared under \"checks\"; did you mean \"check/contract\"?"
        );
        assert_eq!(hint("test"), "\"test\" is no evidence that deeds records; did you mean \"tests\"?");
        assert!(hint("lint/cargo-test").starts_with("there is no runner \"cargo-test\" of lint"));
        for right in [
            "tests",
            "tests/pytest",
            "tests/cargo-test",
            "check/contract",
            "commit",
            "push/origin/main",
            "file/a.rs",
            "tests?says=fail",
            "seal/x",
            "coverage",
        ] {
            assert_eq!(hint(right), "", "{right}");
        }
    }
}
