//! The gateway: an HTTP proxy between the charm and either cloud, embedded or real.
//!
//! It rewrites Keystone's catalogue so that all traffic goes through it, passes everything else on as it is, and
//! is the one place that counts, records, injects faults and kills: so all of these work on a real cloud too.

mod body;
mod call;
mod fault;
mod forward;
mod front;
mod handle;
mod ledger;
mod name;
mod origin;
mod proxy;
mod rewrite;
#[cfg(test)]
mod tests;

pub use call::{Call, render};
pub use fault::{Effect, Fault};
pub use proxy::{Gateway, Killer};
