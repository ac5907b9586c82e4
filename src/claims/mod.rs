//! What somebody says holds: declared in `deeds.json`, or said in an agent's message.

pub mod text;
