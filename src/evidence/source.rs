//! Who observed something, how, by which clock, and which boundary stands between the observation and the agent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tags::{ClockSource, CollectionMethod, TrustClass};

/// The boundary of a record written before boundaries were recorded. Shown as it stands, never recomputed.
pub const UNKNOWN_BOUNDARY: &str = "unknown (record predates tamper-boundary tracking)";

/// The boundary where no sentence is known for a trust class and method.
const NO_BOUNDARY: &str = "unknown (no boundary is known for this trust class and collection method)";

/// What produced a piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceSource {
    pub sensor_name: String,
    pub trust_class: TrustClass,
    /// When deeds collected it, by the host's clock, RFC 3339.
    pub collected_at: String,
    /// The client that told it: `claude`, `codex`; `None` where the host looked itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(default)]
    pub collection_method: CollectionMethod,
    /// The sensor's own version, not the crate's.
    #[serde(default)]
    pub collector_version: Option<String>,
    #[serde(default)]
    pub freshness: Freshness,
    #[serde(default)]
    pub tamper_boundary: TamperBoundary,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Which clock `observed_at` came from, and what is odd about it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    #[serde(default)]
    pub clock_source: ClockSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A sentence for people on what stands between the agent and this observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TamperBoundary {
    /// One of the canned sentences: [`TamperBoundary::canned`].
    pub description: String,
    /// What is specific to this observation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Default for TamperBoundary {
    fn default() -> Self {
        TamperBoundary { description: UNKNOWN_BOUNDARY.into(), detail: None, extra: Map::new() }
    }
}

/// The canned sentences. A sentence is never changed once released: a new wording is a new row *above* the old one, and
/// the old one stays recognised.
const CANNED: &[(TrustClass, CollectionMethod, &str)] = &[
    (
        TrustClass::AgentAdjacent,
        CollectionMethod::HookCallback,
        "reported by the agent's client through a hook callback on this host; the agent runs as the same user, and nothing outside it confirms the report",
    ),
    (
        TrustClass::AgentAdjacent,
        CollectionMethod::FilePoll,
        "read from a session file that the agent's client writes on this host; the agent runs as the same user and could write to that file",
    ),
    (
        TrustClass::AgentAdjacent,
        CollectionMethod::Reconstructed,
        "worked out afterwards from what the agent's client recorded; nothing outside the agent confirms it",
    ),
    (
        TrustClass::HostObserved,
        CollectionMethod::ProcessObservation,
        "observed by deeds itself on this host, outside the agent's client; the agent runs as the same user and could have prepared what was seen",
    ),
    (
        TrustClass::HostObserved,
        CollectionMethod::FilePoll,
        "read by deeds itself from a file on this host; the agent runs as the same user and could have prepared what was seen",
    ),
    (
        TrustClass::IndependentExternal,
        CollectionMethod::HttpWebhook,
        "reported by a system outside this host; neither the agent nor this host can alter it there",
    ),
    (TrustClass::HumanReviewed, CollectionMethod::Reconstructed, "entered or confirmed by a person"),
    (
        TrustClass::ModelInternal,
        CollectionMethod::HookCallback,
        "the model's own account of itself, passed on by its client; nothing outside the model confirms it",
    ),
];

impl TamperBoundary {
    /// The current sentence for a trust class and method; an unknown one where either is unknown.
    pub fn canned(trust: &TrustClass, method: &CollectionMethod) -> &'static str {
        match method {
            CollectionMethod::PreProvenance => UNKNOWN_BOUNDARY,
            CollectionMethod::Unrecognized(_) => NO_BOUNDARY,
            _ => CANNED.iter().find(|(t, m, _)| t == trust && m == method).map_or(NO_BOUNDARY, |row| row.2),
        }
    }

    pub fn new(trust: &TrustClass, method: &CollectionMethod, detail: Option<String>) -> TamperBoundary {
        TamperBoundary { description: Self::canned(trust, method).into(), detail, extra: Map::new() }
    }
}

impl EvidenceSource {
    /// What serialising gives, without a copy of any string.
    pub fn into_value(self) -> Value {
        let Freshness { clock_source, caveat, extra: more } = self.freshness;
        let mut freshness = Map::with_capacity(2);
        freshness.insert("clock_source".to_owned(), clock_source.as_str().into());
        freshness.extend(caveat.map(|caveat| ("caveat".to_owned(), caveat.into())));
        freshness.extend(more);
        let TamperBoundary { description, detail, extra: more } = self.tamper_boundary;
        let mut boundary = Map::with_capacity(2);
        boundary.insert("description".to_owned(), description.into());
        boundary.extend(detail.map(|detail| ("detail".to_owned(), detail.into())));
        boundary.extend(more);

        let mut source = Map::with_capacity(8);
        let mut put = |key: &str, value: Value| drop(source.insert(key.to_owned(), value));
        put("sensor_name", self.sensor_name.into());
        put("trust_class", self.trust_class.as_str().into());
        put("collected_at", self.collected_at.into());
        if let Some(provider) = self.provider {
            put("provider", provider.into());
        }
        put("collection_method", self.collection_method.as_str().into());
        put("collector_version", self.collector_version.into());
        put("freshness", freshness.into());
        put("tamper_boundary", boundary.into());
        source.extend(self.extra);
        source.into()
    }

    /// The boundary as a reader should state it: the stored sentence if it is one of the canned ones for this class and
    /// method, else the recomputed one with the remark that the stored sentence is not ours.
    pub fn boundary(&self) -> String {
        let stored = self.tamper_boundary.description.as_str();
        if stored == UNKNOWN_BOUNDARY || self.boundary_is_canned() {
            return stored.to_owned();
        }
        let ours = TamperBoundary::canned(&self.trust_class, &self.collection_method);
        format!("{ours} [the stored sentence is not one of deeds' own and is not believed]")
    }

    /// Whether the stored sentence is one that deeds writes, or wrote, for this class and method.
    pub fn boundary_is_canned(&self) -> bool {
        let stored = self.tamper_boundary.description.as_str();
        match &self.collection_method {
            CollectionMethod::PreProvenance => stored == UNKNOWN_BOUNDARY,
            CollectionMethod::Unrecognized(_) => stored == NO_BOUNDARY,
            method => {
                CANNED.iter().any(|(t, m, text)| t == &self.trust_class && m == method && *text == stored)
                    || (stored == NO_BOUNDARY && TamperBoundary::canned(&self.trust_class, method) == NO_BOUNDARY)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(trust: TrustClass, method: CollectionMethod, sentence: &str) -> EvidenceSource {
        EvidenceSource {
            sensor_name: "S".into(),
            trust_class: trust,
            collected_at: "2026-01-01T00:00:00.000Z".into(),
            provider: None,
            collection_method: method,
            collector_version: None,
            freshness: Freshness::default(),
            tamper_boundary: TamperBoundary { description: sentence.into(), detail: None, extra: Map::new() },
            extra: Map::new(),
        }
    }

    #[test]
    fn a_source_made_a_value_is_what_serialising_it_gives() {
        let more = Map::from_iter([("later".to_owned(), Value::from(1))]);
        let bare = source(TrustClass::HostObserved, CollectionMethod::FilePoll, "d");
        let full = EvidenceSource {
            provider: Some("codex".into()),
            collector_version: Some("1".into()),
            freshness: Freshness {
                clock_source: ClockSource::Unrecognized("sundial".into()),
                caveat: Some("slow".into()),
                extra: more.clone(),
            },
            tamper_boundary: TamperBoundary { description: "d".into(), detail: Some("e".into()), extra: more.clone() },
            extra: more,
            ..bare.clone()
        };
        for source in [bare, full] {
            let serialised = serde_json::to_string(&source).unwrap();
            assert_eq!(source.into_value().to_string(), serialised);
        }
    }

    #[test]
    fn hook_callback_and_file_poll_differ_under_one_trust_class() {
        let hook = TamperBoundary::canned(&TrustClass::AgentAdjacent, &CollectionMethod::HookCallback);
        let poll = TamperBoundary::canned(&TrustClass::AgentAdjacent, &CollectionMethod::FilePoll);
        assert_ne!(hook, poll);
        assert!(!hook.starts_with("unknown") && !poll.starts_with("unknown"));
    }

    #[test]
    fn a_forged_sentence_is_recomputed_and_said_to_be_none_of_ours() {
        let forged = source(TrustClass::AgentAdjacent, CollectionMethod::HookCallback, "verified by NASA");
        assert!(!forged.boundary_is_canned());
        assert!(forged.boundary().starts_with("reported by the agent's client"));
        assert!(forged.boundary().contains("not believed"));
        assert!(!forged.boundary().contains("NASA"));
        let borrowed = TamperBoundary::canned(&TrustClass::IndependentExternal, &CollectionMethod::HttpWebhook);
        let borrowed = source(TrustClass::AgentAdjacent, CollectionMethod::HookCallback, borrowed);
        assert!(!borrowed.boundary_is_canned());
    }

    #[test]
    fn an_unknown_or_absent_method_always_has_an_unknown_boundary() {
        for method in [CollectionMethod::PreProvenance, CollectionMethod::Unrecognized("x".into())] {
            assert!(TamperBoundary::canned(&TrustClass::HostObserved, &method).starts_with("unknown"));
            let told = source(TrustClass::HostObserved, method, "measured twice");
            assert!(told.boundary().starts_with("unknown"));
        }
        let unheard = TamperBoundary::canned(&TrustClass::Unrecognized("x".into()), &CollectionMethod::HookCallback);
        assert!(unheard.starts_with("unknown"));
    }
}
