//! What a consumer wishes to be checked.

use serde::{Deserialize, Serialize};

use super::port::Port;
use super::traffic::Protocol;

/// One `health_checks` entry of a request (`loadbalancer_interface`, `schemas/v1.py`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HealthCheck {
    /// What to speak.
    pub protocol: Protocol,
    /// Where to ask; often, but not always, where the traffic goes.
    pub port: Port,
    /// For HTTP and HTTPS; starts with `/`.
    pub path: Option<String>,
    /// Seconds between checks; the library's own default is 30.
    pub interval: u32,
    /// Failed checks until a member is down; the library's own default is 3.
    pub retries: u32,
}

impl HealthCheck {
    /// The interval that the library fills in when the consumer has no wish.
    pub const DEFAULT_INTERVAL: u32 = 30;
    /// The retries that the library fills in when the consumer has no wish.
    pub const DEFAULT_RETRIES: u32 = 3;
}
