//! What somebody says holds: declared in `deeds.json`, in a file of claims, or said in an agent's message.

pub mod config;
