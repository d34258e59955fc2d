//! Thin clients for Keystone, Octavia and Neutron: the only place that speaks HTTP.
//!
//! They know the wire and nothing of why we call.

mod catalogue;
mod deadline;
mod error;
mod keystone;
mod pages;
mod session;
mod transport;

pub mod neutron;
pub mod octavia;

pub use deadline::Deadline;
pub use error::Error;
pub use session::Session;
pub use transport::Proxies;
