//! What somebody says holds: declared in `deeds.json`, in a file of claims, or said in an agent's message.

pub mod config;
mod context;
pub mod declared;
mod everything;
pub mod ids;
pub mod message;
mod remedy;
pub mod render;
pub mod report;
pub mod text;
mod tool;
pub mod verdict;

/// The JSON Schema of `deeds.json`.
pub const SCHEMA: &str = include_str!("schema.json");
