//! A producer: a declared command whose output is proof of done.
//!
//! Strict: a declaration that is silently taken for another is a proof that silently is none.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::path::{Component, Path};
use std::time::Duration;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};

/// A producer's time limit where it declares none, in seconds.
const TIMEOUT: f64 = 600.0;
/// A longer one is a mistake.
const TIMEOUT_MAX: f64 = 24.0 * 3600.0;
/// So many that the entry which anchors their bundle can name all that they printed.
const MOST: usize = 100;
const NAME_MAX: usize = 128;

/// What a producer's output shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Test,
    Coverage,
    Lint,
    Generic,
    Screenshot,
    Recording,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Test => "test",
            Kind::Coverage => "coverage",
            Kind::Lint => "lint",
            Kind::Generic => "generic",
            Kind::Screenshot => "screenshot",
            Kind::Recording => "recording",
        }
    }

    /// Its standard output is bytes, not text.
    pub fn is_media(self) -> bool {
        matches!(self, Kind::Screenshot | Kind::Recording)
    }
}

/// One declared command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Producer {
    pub name: String,
    pub kind: Kind,
    /// The words of the command; no shell reads them.
    pub command: Vec<String>,
    /// The gate passes only if this one does.
    #[serde(default = "required_by_default")]
    pub required: bool,
    /// In seconds.
    #[serde(default = "timeout_by_default")]
    timeout: f64,
    /// Where it runs, from the project's root.
    #[serde(default, deserialize_with = "present")]
    pub cwd: Option<String>,
    /// What is set beside the environment of deeds itself.
    #[serde(default, deserialize_with = "unique_keys")]
    pub env: BTreeMap<String, String>,
}

fn required_by_default() -> bool {
    true
}

fn timeout_by_default() -> f64 {
    TIMEOUT
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

impl Producer {
    pub fn timeout(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::from_secs(TIMEOUT as u64))
    }

    fn trouble(&self) -> Option<(&'static str, &'static str)> {
        let hidden = |text: &str| text.chars().any(char::is_control);
        if self.name.trim().is_empty() || self.name.len() > NAME_MAX || hidden(&self.name) {
            return Some(("name", "a producer's name is 1 to 128 bytes without control characters"));
        }
        if self.command.first().is_none_or(|program| program.is_empty()) {
            return Some(("command", "a command is a list of words, of which the first is the program"));
        }
        if self.command.iter().any(|word| word.contains('\0')) {
            return Some(("command", "a word of a command cannot hold a NUL byte"));
        }
        if !(self.timeout > 0.0 && self.timeout <= TIMEOUT_MAX) {
            return Some(("timeout", "a time limit is in seconds, more than 0 and at most 86400"));
        }
        let inside = |cwd: &str| {
            Path::new(cwd).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                && !cwd.is_empty()
                && !cwd.contains('\0')
        };
        if self.cwd.as_deref().is_some_and(|cwd| !inside(cwd)) {
            return Some(("cwd", "a producer runs inside of the project: a path from its root, without `..`"));
        }
        let sound = |(name, value): (&String, &String)| {
            !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
        };
        if !self.env.iter().all(sound) {
            return Some(("env", "a variable has a name without `=`, and no NUL byte"));
        }
        None
    }
}

/// Refuses what no schema catches; `at` is the JSON pointer of the list.
pub fn check(producers: &[Producer], at: &str) -> Result<()> {
    if producers.len() > MOST {
        return Err(Error::input(format!("at most {MOST} producers, please")).at(at));
    }
    let mut names = HashSet::new();
    for (n, producer) in producers.iter().enumerate() {
        if let Some((key, why)) = producer.trouble() {
            return Err(Error::input(why).at(format!("{at}/{n}/{key}")));
        }
        if !names.insert(producer.name.as_str()) {
            return Err(Error::input("two producers have this name; names must differ").at(format!("{at}/{n}/name")));
        }
    }
    Ok(())
}

/// An object in which no key stands twice: of two declarations under one name neither is dropped in silence.
pub fn unique_keys<'de, D, V>(deserializer: D) -> std::result::Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Unique<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Unique<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> std::result::Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = access.next_entry::<String, V>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format!("the key `{key}` stands here twice")));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}
