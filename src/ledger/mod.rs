//! The append-only, chained file of everything recorded. Knows no client.
