//! Juju's hook tools, as executables and as the answers that the model of Juju gives them.
//!
//! The executable that runs the tests is also every tool: the model makes links to it named after the tools, and
//! [`act`] recognises the name it was called by.

pub(crate) mod answer;
mod client;
pub(crate) mod commands;
pub(crate) mod flags;
pub(crate) mod format;
pub(crate) mod value;
pub(crate) mod wire;
mod yaml;

pub use client::act;
pub use commands::NAMES;
