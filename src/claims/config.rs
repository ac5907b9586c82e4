//! `deeds.json`: the project's definition of done, and how deeds behaves in it. Strict: a key that is not known is an
//! error that names the nearest one, since a claim that is silently ignored is a check that silently never runs.

mod mistake;
mod pointer;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use self::mistake::explain;
pub use self::mistake::nearest;
use crate::bundle::producer::{self, Producer, unique_keys};
use crate::bundle::signing::PublicKey;
use crate::durable;
use crate::error::Error;
use crate::evidence::TrustClass;
use crate::evidence::event::Client;

/// The file's name, in the project's root.
pub const FILE_NAME: &str = "deeds.json";

/// A file as long as this is refused: the hook reads it at every event.
pub const CAP: u64 = 1 << 20;

/// Ids that start so are made for the claims of a message; nobody else may use them.
pub const MESSAGE_PREFIX: &str = "message/";

/// What may change after a run without making it stale for the gate.
const IGNORED_FOR_FRESHNESS: &[&str] = &["*.md", "LICENSE*", "docs/**"];

/// A valid `deeds.json`, or the defaults where there is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    #[serde(rename = "$schema", default)]
    pub schema: Option<String>,
    #[serde(default)]
    pub claims: Vec<StandingClaim>,
    /// Declared checks: name → command. A run counts as one if one of its simple commands is that command, word for word.
    #[serde(default, deserialize_with = "unique_keys")]
    pub checks: BTreeMap<String, Value>,
    #[serde(default)]
    pub gate: GateMode,
    /// Accept the basis `exit` only: a summary behind a masked status confirms nothing.
    #[serde(default)]
    pub strict: bool,
    #[serde(default = "ignored_by_default")]
    pub ignore_for_freshness: Vec<String>,
    /// `always`: every append is flushed to the disk.
    #[serde(default)]
    pub sync: Option<SyncMode>,
    /// Commands whose output is proof of done.
    #[serde(default)]
    pub producers: Vec<Producer>,
    /// The producers of single tasks, instead.
    #[serde(default, deserialize_with = "unique_keys")]
    pub tasks: BTreeMap<String, Task>,
    /// The events at which a bundle is sealed; without it, what [`Config::seals_on`] says.
    #[serde(default)]
    pub seal_on: Option<Vec<SealEvent>>,
    /// Public keys by which bundles may be signed: PEM, its base64 line, or a `.pub` or `.pem` file of the project.
    #[serde(default)]
    pub trusted_keys: Vec<String>,
}

/// One claim that must hold whenever the agent says it is done.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StandingClaim {
    pub id: String,
    pub requires: Vec<Requirement>,
}

/// One record that a claim needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Requirement {
    pub evidence_id: String,
    /// `@worktree`, `@head`, or an opaque string compared as it is.
    #[serde(default, deserialize_with = "present_string")]
    pub subject: Option<String>,
    /// The trust classes accepted; empty: any.
    #[serde(default)]
    pub trust: Vec<TrustClass>,
}

/// What the Stop hook does with a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateMode {
    Off,
    #[default]
    Report,
    Block,
}

/// What is particular to one task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Task {
    /// `None`: those of the project.
    pub producers: Option<Vec<Producer>>,
}

/// An event at which a bundle can be sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum SealEvent {
    TaskCompleted,
    SessionEnd,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    Always,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            schema: None,
            claims: Vec::new(),
            checks: BTreeMap::new(),
            gate: GateMode::default(),
            strict: false,
            ignore_for_freshness: ignored_by_default(),
            sync: None,
            producers: Vec::new(),
            tasks: BTreeMap::new(),
            seal_on: None,
            trusted_keys: Vec::new(),
        }
    }
}

fn ignored_by_default() -> Vec<String> {
    IGNORED_FOR_FRESHNESS.iter().map(|p| (*p).to_owned()).collect()
}

/// `"subject": null` is an error, as in the judge's contract: an explicit nothing is not an absent key.
fn present_string<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

impl Config {
    /// Reads `<root>/deeds.json`; the defaults where there is none.
    pub fn load(root: &Path) -> Result<Config, Error> {
        let path = path(root);
        match durable::read_small(&path, CAP) {
            Ok(bytes) => Config::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|e| Error { message: format!("{}: {}", path.display(), e.message), ..e }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
            Err(e) => Err(Error::input(format!("failed to read: {}: {e}", path.display()))),
        }
    }

    /// Reads the text of a `deeds.json`. Errors name line and column and, for an unknown key, the nearest right one.
    pub fn parse(text: &str) -> Result<Config, Error> {
        if text.len() as u64 >= CAP {
            return Err(Error::input("it is 1 MiB or longer; declare less"));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !text.trim_start().starts_with('{') && !text.trim().is_empty() {
            return Err(Error::input("it must be an object: { … }").at("1:1"));
        }
        let config: Config = serde_json::from_str(text).map_err(|e| explain(text, &e))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for (n, claim) in self.claims.iter().enumerate() {
            let at = format!("/claims/{n}/id");
            if claim.id.starts_with(MESSAGE_PREFIX) {
                let message =
                    format!("ids that begin with `{MESSAGE_PREFIX}` are made for the claims of a message; use another");
                return Err(Error::input(message).at(at));
            }
            if claim.id.trim().is_empty() {
                return Err(Error::input("a claim's id must not be empty").at(at));
            }
            if !seen.insert(claim.id.as_str()) {
                return Err(Error::input("two claims have this id; ids must differ").at(at));
            }
            if claim.requires.is_empty() {
                return Err(
                    Error::input("a claim must require at least one record").at(format!("/claims/{n}/requires"))
                );
            }
            let mut needed = HashSet::new();
            for (m, requirement) in claim.requires.iter().enumerate() {
                if !needed.insert(requirement.evidence_id.as_str()) {
                    let at = format!("/claims/{n}/requires/{m}/evidenceId");
                    return Err(Error::input("a claim names this record twice; once is enough").at(at));
                }
                if let Some(k) = requirement.trust.iter().position(|t| matches!(t, TrustClass::Unrecognized(_))) {
                    let known: Vec<&str> = TrustClass::KNOWN.iter().map(TrustClass::as_str).collect();
                    let message = format!("no such trust class; there are {}", known.join(", "));
                    return Err(Error::input(message).at(format!("/claims/{n}/requires/{m}/trust/{k}")));
                }
            }
        }
        for (name, command) in &self.checks {
            if command.as_str().is_none_or(|c| c.trim().is_empty()) {
                return Err(
                    Error::input("a check is a command: a string that is not empty").at(format!("/checks/{name}"))
                );
            }
        }
        producer::check(&self.producers, "/producers")?;
        for (name, task) in &self.tasks {
            producer::check(task.producers.as_deref().unwrap_or_default(), &format!("/tasks/{name}/producers"))?;
        }
        for (n, key) in self.trusted_keys.iter().enumerate() {
            if !key.ends_with(".pub") && !key.ends_with(".pem") {
                PublicKey::from_text(key).map_err(|why| Error::input(why).at(format!("/trustedKeys/{n}")))?;
            }
        }
        Ok(())
    }

    /// The producers of a task: its own, where `deeds.json` names it, else the project's.
    pub fn producers_of(&self, task: &str) -> &[Producer] {
        let own = self.tasks.get(task).and_then(|task| task.producers.as_ref());
        own.unwrap_or(&self.producers)
    }

    /// Whether a bundle is sealed at this event of this client: by default where Claude Code says that a task is completed,
    /// and where a session of Codex ends, which has no such event.
    pub fn seals_on(&self, event: SealEvent, client: Client) -> bool {
        match &self.seal_on {
            Some(events) => events.contains(&event),
            None if client == Client::Codex => event == SealEvent::SessionEnd,
            None => event == SealEvent::TaskCompleted,
        }
    }

    /// There is something to seal, for some task at least.
    pub fn has_producers(&self) -> bool {
        self.lists().next().is_some()
    }

    /// Each list of producers that is not empty, with the task whose own it is.
    pub fn lists(&self) -> impl Iterator<Item = (Option<&str>, &[Producer])> {
        let own = self.tasks.iter().filter_map(|(task, it)| Some((Some(task.as_str()), it.producers.as_deref()?)));
        std::iter::once((None, self.producers.as_slice())).chain(own).filter(|(_, producers)| !producers.is_empty())
    }

    /// The declared checks as (name, command).
    pub fn declared_checks(&self) -> impl Iterator<Item = (&str, &str)> {
        self.checks.iter().filter_map(|(name, command)| Some((name.as_str(), command.as_str()?)))
    }
}

/// Reads a file of producers: a list of them, or an object with the one key `producers`.
pub fn producers_file(text: &str) -> Result<Vec<Producer>, Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Declared {
        producers: Vec<Producer>,
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let producers = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).map(|declared: Declared| declared.producers)
    };
    let producers: Vec<Producer> = producers.map_err(|e| explain(text, &e))?;
    producer::check(&producers, "")?;
    Ok(producers)
}

/// Where the file of a project lies.
pub fn path(root: &Path) -> PathBuf {
    root.join(FILE_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_read() {
        let config = Config::parse(
            r#"{"claims":[{"id":"tests-pass","requires":[{"evidenceId":"tests","subject":"@worktree","trust":["host_observed"]}]}],
                "checks":{"contract":"make contract-test"},"gate":"block","strict":true,
                "producers":[{"name":"tests","kind":"test","command":["cargo","test"],"required":true}]}"#,
        )
        .unwrap();
        assert_eq!(config.claims[0].requires[0].subject.as_deref(), Some("@worktree"));
        assert_eq!(config.declared_checks().collect::<Vec<_>>(), [("contract", "make contract-test")]);
        assert_eq!(config.gate, GateMode::Block);
        assert!(config.strict);
        assert_eq!(Config::parse("{}").unwrap().ignore_for_freshness, ["*.md", "LICENSE*", "docs/**"]);
    }

    #[test]
    fn a_file_that_the_hook_would_not_read_whole_is_refused_by_all() {
        let text = |len: usize| format!("{{{}}}", " ".repeat(len - 2));
        assert!(Config::parse(&text(CAP as usize - 1)).is_ok());
        assert!(Config::parse(&text(CAP as usize)).unwrap_err().message.contains("1 MiB"));
    }

    #[test]
    fn producers_are_read_as_strictly_as_the_rest() {
        let one = |keys: &str| format!(r#"{{"producers":[{{"name":"t","kind":"test","command":["true"]{keys}}}]}}"#);
        let config = Config::parse(&one("")).unwrap();
        assert!(config.producers[0].required && config.producers[0].timeout().as_secs() == 600);
        let error = |text: &str| {
            let e = Config::parse(text).unwrap_err();
            format!("{} @{}", e.message, e.at.unwrap_or_default())
        };
        assert!(
            error(&one(r#","required":"false""#))
                .contains("/producers/0/required is a string, and should be true or false")
        );
        assert!(
            error(&one(r#","timout":1"#)).starts_with("there is no key `timout` here; did you mean `timeout`? @1:")
        );
        assert!(error(&one(r#","timeout":0"#)).ends_with("@/producers/0/timeout"));
        assert!(error(&one(r#","cwd":"../x""#)).ends_with("@/producers/0/cwd"));
        assert!(error(&one(r#","env":{"A":"1","A":"2"}"#)).contains("stands here twice"));
        assert!(error(&one(r#","env":{"A":1}"#)).contains("/producers/0/env/A is a number, and should be a string"));
        assert!(error(&one("").replace("\"test\"", "\"tests\"")).contains("did you mean `test`"));
        assert!(
            error(&one("").replace("[\"true\"]", "\"true\""))
                .contains("/producers/0/command is a string, and should be a list")
        );
        assert!(error(&one("").replace("[\"true\"]", "[]")).ends_with("@/producers/0/command"));
        let twice = one("").replace("]}]", r#"]},{"name":"t","kind":"lint","command":["x"]}]"#);
        assert!(error(&twice).ends_with("@/producers/1/name"), "{}", error(&twice));
        assert!(error(r#"{"tasks":{"a":{},"a":{}}}"#).contains("`a` stands here twice"));
        assert!(error(r#"{"sealOn":["TaskComplete"]}"#).contains("did you mean `TaskCompleted`"));
        assert!(error(r#"{"trustedKeys":["x"]}"#).ends_with("@/trustedKeys/0"));
    }

    #[test]
    fn a_task_has_its_own_producers_or_those_of_the_project() {
        let text = r#"{"producers":[{"name":"t","kind":"test","command":["true"]}],
                       "tasks":{"none":{"producers":[]},"same":{}}}"#;
        let config = Config::parse(text).unwrap();
        let count = |task: &str| config.producers_of(task).len();
        assert_eq!((count("none"), count("same"), count("other")), (0, 1, 1));
        assert!(config.seals_on(SealEvent::TaskCompleted, Client::Claude));
        assert!(!config.seals_on(SealEvent::SessionEnd, Client::Claude));
        assert!(config.seals_on(SealEvent::SessionEnd, Client::Codex));
    }

    #[test]
    fn errors_name_the_place_and_the_nearest_right_key() {
        let error = |text: &str| {
            let e = Config::parse(text).unwrap_err();
            format!("{} @{}", e.message, e.at.unwrap_or_default())
        };
        assert_eq!(error("{\n  \"claim\": []\n}"), "there is no key `claim` here; did you mean `claims`? @2:9");
        assert_eq!(error(r#"{"gate":"blok"}"#), "there is no value `blok` here; did you mean `block`? @1:14");
        assert!(error("{").contains("it ends too early"));
        assert!(
            error(r#"{"claims":[{"id":"message/1","requires":[{"evidenceId":"tests"}]}]}"#).ends_with("@/claims/0/id")
        );
        assert!(error(r#"{"claims":[{"id":"a","requires":[]}]}"#).ends_with("@/claims/0/requires"));
        assert!(
            error(r#"{"claims":[{"id":"a","requires":[{"evidenceId":"tests","subject":null}]}]}"#).contains("null")
        );
        assert!(error(r#"{"checks":{"x":7}}"#).ends_with("@/checks/x"));
        assert!(
            error(r#"{"claims":[{"id":"a","requires":[{"evidenceId":"t","trust":["me"]}]}]}"#)
                .contains("host_observed")
        );
    }
}
