//! Command line definitions: plain data, no behaviour.
