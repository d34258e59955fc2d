//! Where a load balancer is reached.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::port::Port;

/// An address and a front port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Front {
    /// The VIP, or the floating IP of a public load balancer; never a unit's own address.
    pub address: IpAddr,
    /// The front port.
    pub port: Port,
}
