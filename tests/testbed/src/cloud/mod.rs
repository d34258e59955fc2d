//! An embedded OpenStack: Keystone, Neutron and Octavia as one HTTP server with state, and a data plane behind it.
//!
//! Its rules are the real ones, each with its source; what it does not know it refuses, as the real ones do.

mod access;
mod answer;
mod api;
mod beat;
mod embedded;
mod keystone;
mod network;
mod neutron;
mod octavia;
mod python;
mod seed;
mod server;
mod serving;
mod store;
#[cfg(test)]
mod tests;
mod value;

pub use access::Access;
pub use api::ApiClient;
pub use embedded::{CloudOptions, EmbeddedCloud};
