//! `octavia-integrator`: health-checked OpenStack load balancers for Kubernetes under Juju.
//!
//! See `ARCHITECTURE.md` for the loop, the house and the invariants.

pub mod actions;
pub mod cli;
pub mod config;
pub mod dispatch;
pub mod error;
pub mod interface;
pub mod juju;
pub mod model;
pub mod octavia;
pub mod openstack;
pub mod reconcile;
pub mod report;
