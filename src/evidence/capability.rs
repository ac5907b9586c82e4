//! What can be seen through a client at all: signals, and whether each is there.

use std::borrow::Cow;

use super::tags::tags;

tags! {
    /// A kind of signal that a client may expose.
    SignalClass {
        ToolInvocation = "tool_invocation",
        ToolTrace = "tool_trace",
        ToolResultPayload = "tool_result_payload",
        ProcessResult = "process_result",
        SessionLifecycle = "session_lifecycle",
        SubagentLifecycle = "subagent_lifecycle",
        FinalResponse = "final_response",
        ReasoningSummary = "reasoning_summary",
        RawReasoning = "raw_reasoning",
        TokenLogprobs = "token_logprobs",
        InternalModelSignals = "internal_model_signals",
    }
}

tags! {
    /// Whether a signal is there.
    SignalAvailability {
        Available = "available",
        Unavailable = "unavailable",
        /// The client has no such signal.
        Unsupported = "unsupported",
        Redacted = "redacted",
        /// It was there and could not be collected; a time-out too, with a detail that names it.
        CollectionFailed = "collection_failed",
        Unknown = "unknown",
    }
}

/// What one client exposes. A signal that is not listed is [`SignalAvailability::Unknown`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeCapabilities {
    pub provider: String,
    signals: Cow<'static, [(SignalClass, SignalAvailability)]>,
}

use SignalAvailability::{Available, Unavailable, Unsupported};

/// Claude Code 2.1.332 through its hooks: no event of a tool carries its trace or an exit code as a field, so the exit
/// status comes from which event fired and from the text of a failure.
const CLAUDE: &[(SignalClass, SignalAvailability)] = &[
    (SignalClass::ToolInvocation, Available),
    (SignalClass::ToolTrace, Unavailable),
    (SignalClass::ToolResultPayload, Available),
    (SignalClass::ProcessResult, Available),
    (SignalClass::SessionLifecycle, Available),
    (SignalClass::SubagentLifecycle, Available),
    (SignalClass::FinalResponse, Available),
    (SignalClass::ReasoningSummary, Unsupported),
    (SignalClass::RawReasoning, Unsupported),
    (SignalClass::TokenLogprobs, Unsupported),
    (SignalClass::InternalModelSignals, Unsupported),
];

/// Codex CLI 0.171.0 through its hooks and rollout file; the exit code is literal in the rollout.
const CODEX: &[(SignalClass, SignalAvailability)] = &[
    (SignalClass::ToolInvocation, Available),
    (SignalClass::ToolTrace, Available),
    (SignalClass::ToolResultPayload, Available),
    (SignalClass::ProcessResult, Available),
    (SignalClass::SessionLifecycle, Available),
    (SignalClass::SubagentLifecycle, Available),
    (SignalClass::FinalResponse, Available),
    (SignalClass::ReasoningSummary, Unsupported),
    (SignalClass::RawReasoning, Unsupported),
    (SignalClass::TokenLogprobs, Unsupported),
    (SignalClass::InternalModelSignals, Unsupported),
];

/// What deeds sees when it runs a command itself.
const HOST: &[(SignalClass, SignalAvailability)] = &[
    (SignalClass::ToolInvocation, Available),
    (SignalClass::ToolTrace, Available),
    (SignalClass::ToolResultPayload, Available),
    (SignalClass::ProcessResult, Available),
    (SignalClass::SessionLifecycle, Unsupported),
    (SignalClass::SubagentLifecycle, Unsupported),
    (SignalClass::FinalResponse, Unsupported),
    (SignalClass::ReasoningSummary, Unsupported),
    (SignalClass::RawReasoning, Unsupported),
    (SignalClass::TokenLogprobs, Unsupported),
    (SignalClass::InternalModelSignals, Unsupported),
];

impl RuntimeCapabilities {
    pub fn new(provider: impl Into<String>, signals: Vec<(SignalClass, SignalAvailability)>) -> RuntimeCapabilities {
        RuntimeCapabilities { provider: provider.into(), signals: signals.into() }
    }

    /// The capabilities of a client by its name: `claude`, `codex` or `deeds`; of any other, nothing is known.
    pub fn of(provider: &str) -> RuntimeCapabilities {
        let known: &[_] = match provider {
            "claude" => CLAUDE,
            "codex" => CODEX,
            "deeds" => HOST,
            _ => &[],
        };
        RuntimeCapabilities { provider: provider.into(), signals: known.into() }
    }

    pub fn availability(&self, signal: &SignalClass) -> SignalAvailability {
        self.signals.iter().find(|(s, _)| s == signal).map_or(SignalAvailability::Unknown, |(_, a)| a.clone())
    }

    /// The first required signal that is not available, with what it is instead.
    pub fn missing(&self, required: &[SignalClass]) -> Option<(SignalClass, SignalAvailability)> {
        required
            .iter()
            .map(|signal| (signal.clone(), self.availability(signal)))
            .find(|(_, availability)| *availability != SignalAvailability::Available)
    }

    pub fn signals(&self) -> &[(SignalClass, SignalAvailability)] {
        &self.signals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_nobody_listed_is_unknown_and_not_available() {
        let nobody = RuntimeCapabilities::of("somebody-else");
        assert_eq!(nobody.availability(&SignalClass::ToolInvocation), SignalAvailability::Unknown);
        let claude = RuntimeCapabilities::of("claude");
        assert_eq!(claude.missing(&[SignalClass::ToolInvocation]), None);
        assert_eq!(
            claude.missing(&[SignalClass::ToolInvocation, SignalClass::ReasoningSummary]),
            Some((SignalClass::ReasoningSummary, SignalAvailability::Unsupported))
        );
        for provider in ["claude", "codex", "deeds"] {
            let listed = RuntimeCapabilities::of(provider);
            assert!(SignalClass::KNOWN.iter().all(|s| listed.availability(s) != SignalAvailability::Unknown));
        }
    }
}
