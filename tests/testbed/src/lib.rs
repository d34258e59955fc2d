//! The testbed: a model of Juju, an embedded OpenStack, and the gateway in front of either cloud.
//!
//! It knows nothing of the charm's code: it starts whatever binary a scenario names, exactly as Juju would.

pub mod data_plane;
