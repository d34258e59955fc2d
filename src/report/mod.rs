//! What the others are told: answers to consumers, statuses to operators. Pure.

pub mod answers;
pub mod status;
pub mod website;
