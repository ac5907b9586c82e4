//! From a client's JSON to an [`AgentEvent`](crate::evidence::event::AgentEvent). Knows the clients, and no ledger.

pub mod codex_rollout;
