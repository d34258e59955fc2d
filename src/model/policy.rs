//! What the operator wants: the options, validated.

use serde::{Deserialize, Serialize};

use super::monitor::MonitorPolicy;
use super::traffic::Algorithm;

/// Options that shape load balancers; credentials are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Where VIPs live, by name or id; none means the subnet of our own ingress address.
    pub subnet: Option<String>,
    /// Where floating IPs come from, by name or id; none means that public requests get the VIP.
    pub floating_network: Option<String>,
    /// How members are chosen.
    pub algorithm: Algorithm,
    /// How members are checked.
    pub monitor: MonitorPolicy,
    /// Seconds of silence after which a session ends.
    pub idle_timeout: u32,
    /// Seconds that a connection to a member may take.
    pub connect_timeout: u32,
    /// Seconds that a hook may wait for what it wrote itself.
    pub provisioning_timeout: u32,
}

impl Policy {
    /// Seconds that a hook may wait if no option says it.
    pub const PROVISIONING_TIMEOUT: u32 = 120;
}
