//! What the host's own looks have in common: how their evidence is stamped.

use serde_json::{Map, Value, json};

use crate::clock;
use crate::evidence::event::AgentEvent;
use crate::evidence::id::{EvidenceId, sha256_hex};
use crate::evidence::{
    CollectionMethod, Evidence, EvidenceKind, EvidenceSource, Freshness, TamperBoundary, TrustClass,
};

/// One kind of look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub sensor: &'static str,
    /// The sensor's own version.
    pub version: &'static str,
    /// The payload's `look`, and the branch of the provenance: `host:<what>`.
    pub what: &'static str,
}

impl Look {
    /// Evidence of what was seen at the moment of `event`.
    pub fn evidence(&self, event: &AgentEvent<'_>, seen: Map<String, Value>, context: Value) -> Evidence {
        let mut payload = Map::new();
        payload.insert("look".into(), json!(self.what));
        payload.extend(seen);
        let (trust, method) = (TrustClass::HostObserved, CollectionMethod::ProcessObservation);
        let call = match &event.call_id {
            Some(call) => call.to_string(),
            None => sha256_hex(Value::from(payload.clone()).to_string().as_bytes()),
        };
        payload.insert("context".into(), context);
        let id = EvidenceId {
            provider: event.client.as_str(),
            session: &event.session_id,
            phase: &event.name,
            call: &call,
            sensor: self.sensor,
            method: &method,
            part: "",
        };
        let tool = event.tool.as_deref().unwrap_or("-");
        Evidence {
            id: id.hex(),
            session_id: event.session_id.to_string(),
            source_event_id: event.call_id.as_deref().map(str::to_owned),
            kind: EvidenceKind::ProcessObservation,
            observed_at: event.observed_at.clone(),
            payload: payload.into(),
            provenance: format!("deeds:{}:{}:{tool}#host:{}", env!("CARGO_PKG_VERSION"), event.name, self.what),
            source: Some(EvidenceSource {
                sensor_name: self.sensor.into(),
                collected_at: clock::now(),
                provider: None,
                collector_version: Some(self.version.into()),
                freshness: Freshness { clock_source: event.clock.clone(), ..Freshness::default() },
                tamper_boundary: TamperBoundary::new(&trust, &method, None),
                trust_class: trust,
                collection_method: method,
                extra: Map::new(),
            }),
            extra: Map::new(),
        }
    }
}
