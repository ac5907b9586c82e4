//! `deeds doctor`.
