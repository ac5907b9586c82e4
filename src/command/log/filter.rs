//! Which entries are wanted.

use memchr::memmem;
use serde_json::Value;

use super::reported::Reported;
use crate::claims::config::nearest;
use crate::clock;
use crate::command::tail::files::age;
use crate::error::{Error, Result};
use crate::ledger::EntryKind;
use crate::text::{Lines, sanitise};

/// The filters as they were typed.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub kinds: Vec<String>,
    pub since: Option<String>,
    pub outcomes: Vec<Reported>,
    pub session: Option<String>,
    pub agent: Option<String>,
}

/// An entry is wanted if it meets all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    kinds: Vec<String>,
    /// Milliseconds.
    pub since: Option<i64>,
    outcomes: Vec<Reported>,
    /// An id or its beginning.
    session: Option<String>,
    agent: Option<String>,
}

/// What people call the kinds of evidence, and how they are recorded.
pub const SHORT: &[(&str, &str)] = &[
    ("run", "exit_code"),
    ("edit", "file_diff"),
    ("look", "process_observation"),
    ("tool", "tool_result"),
    ("excerpt", "transcript_excerpt"),
];

/// The entry kinds that can be asked for beside `evidence`.
const KINDS: &[&str] = &[
    "genesis",
    "session",
    "evidence",
    "not_collected",
    "unparsed",
    "claim",
    "judgement",
    "bundle",
    "key",
    "recovery",
    "segment",
    "prune",
];

/// `--agent main`: what the session's own agent did, and no sub-agent.
const MAIN: &str = "main";

impl Filter {
    /// `now` is what an age counts from, milliseconds.
    pub fn parse(asked: &Asked, now: i64) -> Result<Filter> {
        let names =
            asked.kinds.iter().flat_map(|kinds| kinds.split(',')).map(str::trim).filter(|kind| !kind.is_empty());
        Ok(Filter {
            kinds: names.map(kind).collect::<Result<_>>()?,
            since: asked.since.as_deref().map(|since| moment(since, now)).transpose()?,
            outcomes: asked.outcomes.clone(),
            session: asked.session.clone(),
            agent: asked.agent.clone(),
        })
    }

    /// Nothing is left out.
    pub fn takes_all(&self) -> bool {
        *self == Filter::default()
    }

    /// Whether an entry may be wanted, by its kind and its body as it stands; says no only where that is sure.
    pub fn may_take(&self, kind: &str, body: &[u8]) -> bool {
        let evidence = EntryKind::Evidence;
        let of_kind =
            |wanted: &String| wanted == kind || (kind == evidence.as_str() && !KINDS.contains(&wanted.as_str()));
        let plain = |id: &&String| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        let named = |id: &String| memmem::find(body, format!("\"session_id\":\"{id}").as_bytes()).is_some();
        (self.kinds.is_empty() || self.kinds.iter().any(of_kind))
            && self.session.as_ref().filter(plain).is_none_or(named)
    }

    /// `at` is when it was appended.
    pub fn takes(&self, kind: &EntryKind, body: &Value, at: &str) -> bool {
        let of_kind =
            |wanted: &String| wanted == kind.as_str() || (*kind == EntryKind::Evidence && body["kind"] == **wanted);
        (self.kinds.is_empty() || self.kinds.iter().any(of_kind))
            && self.session.as_ref().is_none_or(|id| begins(&body["session_id"], id))
            && self.agent.as_ref().is_none_or(|id| is_of_agent(body, id))
            && (self.outcomes.is_empty() || Reported::of(kind, body).is_some_and(|it| self.outcomes.contains(&it)))
            && self.since.is_none_or(|since| time_of(body, at).is_none_or(|time| time >= since))
    }

    /// Whether something appended then is older than what is wanted.
    pub fn is_before(&self, at: &str) -> bool {
        self.since.zip(clock::parse_millis(at)).is_some_and(|(since, at)| at < since)
    }
}

/// When it was observed; of what has no such time, when it was appended. Milliseconds.
pub fn time_of(body: &Value, at: &str) -> Option<i64> {
    clock::parse_millis(body["observed_at"].as_str().unwrap_or(at)).or_else(|| clock::parse_millis(at))
}

fn begins(value: &Value, id: &str) -> bool {
    value.as_str().is_some_and(|whole| whole.starts_with(id))
}

fn is_of_agent(body: &Value, id: &str) -> bool {
    let context = if body["payload"].is_object() { &body["payload"]["context"] } else { &body["context"] };
    let agent = if body["agent"].is_string() { &body["agent"] } else { &context["agent"]["id"] };
    if id == MAIN { body["session_id"].is_string() && !agent.is_string() } else { begins(agent, id) }
}

fn kind(name: &str) -> Result<String> {
    let known = || KINDS.iter().copied().chain(SHORT.iter().flat_map(|(short, long)| [*short, *long]));
    if let Some((_, long)) = SHORT.iter().find(|(short, _)| *short == name) {
        return Ok((*long).to_owned());
    }
    if known().any(|kind| kind == name) {
        return Ok(name.to_owned());
    }
    let hint = match nearest(name, known()) {
        Some(right) => format!("did you mean `{right}`?"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Err(Error::usage(format!("`{}` is no kind of entry; {hint}", sanitise(name, Lines::Escape))))
}

/// An age (`2h`, `7d`), a day (`2026-11-30`, UTC), or a time (RFC 3339).
fn moment(text: &str, now: i64) -> Result<i64> {
    if let Ok(age) = age(text) {
        return Ok(now.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)));
    }
    let day = || clock::parse_millis(&format!("{text}T00:00:00Z"));
    clock::parse_millis(text).or_else(day).ok_or_else(|| {
        let text = sanitise(text, Lines::Escape);
        Error::usage(format!("`{text}` is no time; write an age (30m, 2h, 7d), a day (2026-11-30) or RFC 3339"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_an_age_a_day_or_rfc_3339() {
        let now = 1_796_072_645_123;
        assert_eq!(moment("2h", now).unwrap(), now - 7_200_000);
        assert_eq!(moment("2026-11-30", now).unwrap(), clock::parse_millis("2026-11-30T00:00:00Z").unwrap());
        assert_eq!(moment("2026-11-30T22:04:05+01:00", now).unwrap(), 1_796_072_645_000);
        for wrong in ["yesterday", "", "2026-13-01", "-2h", "5"] {
            assert_eq!(moment(wrong, now).unwrap_err().code, "usage", "{wrong}");
        }
    }

    #[test]
    fn a_kind_that_there_is_not_is_answered_with_the_nearest() {
        assert_eq!(kind("run").unwrap(), "exit_code");
        assert!(kind("claims").unwrap_err().message.contains("did you mean `claim`?"));
        assert!(kind("zzzzzzzzzzzz").unwrap_err().message.contains("there are genesis, "));
    }
}
