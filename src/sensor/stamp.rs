//! From a payload to evidence: id, provenance, source and context, the same way for every sensor.

use serde_json::{Map, Value};

use super::EvidenceSensor;
use super::clean::Cleaner;
use super::scene::Scene;
use crate::evidence::event::{AgentEvent, Client};
use crate::evidence::id::{EvidenceId, sha256_hex};
use crate::evidence::{Evidence, EvidenceKind, EvidenceSource, Freshness, TamperBoundary, TrustClass};

/// What is particular to one piece of evidence.
pub struct Seen<'a> {
    pub kind: EvidenceKind,
    pub payload: Map<String, Value>,
    /// The call it is about, where that is not the event's own.
    pub call: Option<&'a str>,
    /// The tool, where that is not the event's own.
    pub tool: Option<&'a str>,
    /// An ordinal or a path where a sensor sees several things of one call; else empty.
    pub part: &'a str,
    /// The last part of the provenance: which way the value was come by.
    pub branch: &'a str,
    /// What is specific about the boundary.
    pub boundary: Option<String>,
}

impl<'a> Seen<'a> {
    pub fn new(kind: EvidenceKind, payload: Map<String, Value>, branch: &'a str) -> Seen<'a> {
        Seen { kind, payload, call: None, tool: None, part: "", branch, boundary: None }
    }
}

/// Evidence of `sensor`, version `version`, on `event`. `clean` has counted what was redacted from the payload.
pub fn evidence(
    sensor: &dyn EvidenceSensor,
    version: &str,
    event: &AgentEvent<'_>,
    scene: &Scene,
    mut clean: Cleaner,
    seen: Seen<'_>,
) -> Evidence {
    let (trust, method) = (sensor.trust_class(), sensor.collection_method());
    let session_id = clean.text(&event.session_id);
    let call = seen.call.or(event.call_id.as_deref()).map(|id| clean.text(id));
    let tool = seen.tool.or(event.tool.as_deref()).map_or_else(|| "-".into(), |tool| clean.text(tool));
    let mut payload = seen.payload;
    let context = scene.context(event, &mut clean);
    payload.insert("redacted".into(), clean.count().into());
    let told = call.clone().unwrap_or_else(|| identity(&payload));
    let id = id_of(sensor, event.client, &session_id, &event.name, &told, seen.part);
    payload.insert("context".into(), context);
    Evidence {
        id,
        session_id,
        source_event_id: call,
        kind: seen.kind,
        observed_at: event.observed_at.clone(),
        payload: payload.into(),
        provenance: format!(
            "{}:{}:{}:{tool}#{}",
            event.client.as_str(),
            event.client_version.as_deref().unwrap_or("unknown"),
            event.name,
            seen.branch
        ),
        source: Some(EvidenceSource {
            sensor_name: sensor.name().into(),
            provider: (trust != TrustClass::HostObserved).then(|| event.client.as_str().into()),
            collected_at: scene.collected_at.clone(),
            collector_version: Some(version.into()),
            freshness: Freshness { clock_source: event.clock.clone(), ..Freshness::default() },
            tamper_boundary: TamperBoundary::new(&trust, &method, seen.boundary),
            trust_class: trust,
            collection_method: method,
            extra: Map::new(),
        }),
        extra: Map::new(),
    }
}

/// The id of what `sensor` sees of a call.
pub fn id_of(
    sensor: &dyn EvidenceSensor,
    client: Client,
    session: &str,
    phase: &str,
    call: &str,
    part: &str,
) -> String {
    let method = sensor.collection_method();
    EvidenceId { provider: client.as_str(), session, phase, call, sensor: sensor.name(), method: &method, part }.hex()
}

/// What a payload is known by where its client gave it no id.
fn identity(payload: &Map<String, Value>) -> String {
    let rest: Map<String, Value> = payload
        .iter()
        .filter(|(key, _)| *key != "duration_ms")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    sha256_hex(Value::Object(rest).to_string().as_bytes())
}
