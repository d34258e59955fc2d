//! `octavia-integrator`: health-checked `OpenStack` load balancers for Kubernetes under Juju.
//!
//! See `ARCHITECTURE.md` for the loop, the house and the invariants.

pub mod model;
pub mod octavia;
pub mod openstack;
pub mod report;
