//! Proof-of-done bundles: producers' outputs sealed into one signed statement.
