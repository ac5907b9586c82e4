//! The pure judge: claims and records in, one result per claim out. No I/O, no clock, no environment; nothing but serde.
