//! The testbed: a model of Juju, an embedded OpenStack, and the gateway in front of either cloud.
//!
//! It knows nothing of the charm's code: it starts whatever binary a scenario names, exactly as Juju would.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a broken testbed stops the test at once")]

pub mod backend;
pub mod cloud;
pub mod data_plane;
pub mod eventually;
pub mod gateway;
pub mod juju;
mod runtime;
#[cfg(test)]
mod testing;
mod tls;
pub mod tools;
