//! Evidence: one observation, with what was seen, where it came from and how far it can be trusted.
//!
//! Architecture invariant: nothing here judges. Trust says *how much*, method says *how*; neither has an order, and no
//! weight is computed from them. Strings that this version does not know are kept and written back byte for byte.

pub mod capability;
pub mod event;
pub mod id;
mod source;
pub(crate) mod tags;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use capability::{RuntimeCapabilities, SignalAvailability, SignalClass};
pub use source::{EvidenceSource, Freshness, TamperBoundary, UNKNOWN_BOUNDARY};
pub use tags::{ClockSource, CollectionMethod, EvidenceKind, TrustClass};

/// One observation, as it stands in the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// 32 hex digits, the same for the same observation however often it is met: [`id::EvidenceId`].
    pub id: String,
    pub session_id: String,
    /// The client's id of the call that this is about; with `session_id` it names the run.
    #[serde(default)]
    pub source_event_id: Option<String>,
    pub kind: EvidenceKind,
    /// The event's time, RFC 3339.
    pub observed_at: String,
    /// What was seen. Its shape depends on `kind` and the sensor; every payload has a `context`.
    pub payload: Value,
    /// The granular breadcrumb: `<client>:<its version or unknown>:<event>:<tool>#<branch>`.
    pub provenance: String,
    /// `None`: recorded by code that named no source.
    #[serde(default)]
    pub source: Option<EvidenceSource>,
    /// Keys that this version does not know; they survive a read and a rewrite.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn old_blob() -> Value {
        json!({
            "id": "0123456789abcdef0123456789abcdef", "session_id": "s", "source_event_id": "toolu_1", "kind": "exit_code",
            "observed_at": "2026-01-01T00:00:00.000Z", "payload": {"exit_code": 0}, "provenance": "claude:unknown:PostToolUse:Bash#x",
            "source": {"sensor_name": "ClaudeBashExitCodeSensor", "trust_class": "agent_adjacent",
                       "collected_at": "2026-01-01T00:00:00.000Z", "provider": "claude"}
        })
    }

    #[test]
    fn an_old_source_reads_as_explicit_unknowns_also_after_a_rewrite() {
        let mut value = old_blob();
        for _ in 0..2 {
            let evidence: Evidence = serde_json::from_value(value).unwrap();
            let source = evidence.source.as_ref().unwrap();
            assert_eq!(source.trust_class, TrustClass::AgentAdjacent);
            assert_eq!(source.collection_method, CollectionMethod::PreProvenance);
            assert_eq!(source.freshness.clock_source, ClockSource::PreProvenance);
            assert_eq!(source.tamper_boundary.description, "unknown (record predates tamper-boundary tracking)");
            assert_eq!(source.collector_version, None);
            assert_eq!(source.boundary(), "unknown (record predates tamper-boundary tracking)");
            value = serde_json::to_value(&evidence).unwrap();
        }
    }

    #[test]
    fn a_null_or_absent_source_is_none() {
        let mut value = old_blob();
        value["source"] = Value::Null;
        assert_eq!(serde_json::from_value::<Evidence>(value.clone()).unwrap().source, None);
        value.as_object_mut().unwrap().remove("source");
        assert_eq!(serde_json::from_value::<Evidence>(value).unwrap().source, None);
    }

    #[test]
    fn unknown_tags_and_keys_survive_and_a_tag_that_is_no_string_is_an_error() {
        let mut value = old_blob();
        value["kind"] = json!("Telepathy é");
        value["later"] = json!({"a": [1]});
        value["source"]["trust_class"] = json!("oracle");
        value["source"]["later"] = json!(true);
        value["source"]["freshness"] = json!({"clock_source": "sundial", "later": 1});
        value["source"]["tamper_boundary"] = json!({"description": "d", "later": 2});
        let evidence: Evidence = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(evidence.kind, EvidenceKind::Unrecognized("Telepathy é".into()));
        let again = serde_json::to_value(&evidence).unwrap();
        assert_eq!(again["kind"], "Telepathy é");
        assert_eq!(again["later"], value["later"]);
        assert_eq!(again["source"]["trust_class"], "oracle");
        assert_eq!(again["source"]["later"], true);
        assert_eq!(again["source"]["freshness"], value["source"]["freshness"]);
        assert_eq!(again["source"]["tamper_boundary"], value["source"]["tamper_boundary"]);
        value["kind"] = json!(7);
        assert!(serde_json::from_value::<Evidence>(value).is_err());
    }
}
