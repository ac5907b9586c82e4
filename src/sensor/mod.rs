//! Sensors: code that looks at one event and yields evidence, or says why there is none.
//!
//! Architecture invariant: no registry, no plugins. A sensor is a type that is constructed and called where its event is
//! handled; a new kind of sensor changes nothing else.

pub mod capture;
pub mod checkout;
pub mod claude_bash;
pub mod claude_batch;
pub mod claude_edit;
pub mod claude_git;
pub mod claude_task;
pub mod clean;
pub mod codex;
pub mod codex_capture;
pub mod difference;
pub mod digest;
pub mod disk;
mod filtered;
pub mod git;
pub mod git_command;
mod git_config;
pub mod git_words;
mod host;
pub mod host_file;
pub mod host_process;
mod listing;
pub mod looks;
pub mod output;
mod patched;
pub mod scan;
pub mod scene;
mod scratch;
pub mod stamp;
pub mod tool_result;
pub mod tree;
pub mod unparsed;
pub mod worktree;

use crate::evidence::event::AgentEvent;
use crate::evidence::{CollectionMethod, Evidence, RuntimeCapabilities, SignalAvailability, SignalClass, TrustClass};

/// One way of looking at an event.
pub trait EvidenceSensor {
    /// The name recorded in `source.sensor_name`.
    fn name(&self) -> &'static str;
    /// Without these signals there is nothing to look at: the outcome is then `unsupported`.
    fn required_capabilities(&self) -> &'static [SignalClass];
    fn trust_class(&self) -> TrustClass;
    fn collection_method(&self) -> CollectionMethod;
    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome;
}

/// What a sensor came back with. A struct, so that a partial collection is neither hidden nor overstated.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorOutcome {
    pub evidence: Vec<Evidence>,
    pub state: SignalAvailability,
    /// Why it is not `available`; a time-out is named here.
    pub detail: Option<String>,
}

impl SensorOutcome {
    pub fn collected(evidence: Vec<Evidence>) -> SensorOutcome {
        SensorOutcome { evidence, state: SignalAvailability::Available, detail: None }
    }

    /// The event is none of this sensor's.
    pub fn nothing() -> SensorOutcome {
        SensorOutcome { evidence: Vec::new(), state: SignalAvailability::Available, detail: None }
    }

    pub fn failed(detail: impl Into<String>) -> SensorOutcome {
        SensorOutcome { evidence: Vec::new(), state: SignalAvailability::CollectionFailed, detail: Some(detail.into()) }
    }

    pub fn unsupported(signal: &SignalClass) -> SensorOutcome {
        SensorOutcome {
            evidence: Vec::new(),
            state: SignalAvailability::Unsupported,
            detail: Some(format!("needs the signal {signal}, which this client does not expose")),
        }
    }

    /// The outcome where a required signal is not there; `None` where all are.
    pub fn missing(capabilities: &RuntimeCapabilities, required: &[SignalClass]) -> Option<SensorOutcome> {
        capabilities.missing(required).map(|(signal, _)| SensorOutcome::unsupported(&signal))
    }
}
