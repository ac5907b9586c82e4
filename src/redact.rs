//! Secrets are replaced before anything is hashed or stored.
