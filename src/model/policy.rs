//! What the operator wants: the options, validated.

use std::collections::BTreeSet;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::monitor::MonitorPolicy;
use super::name_template::NameTemplate;
use super::port::Port;
use super::traffic::Algorithm;
use super::vip_addresses::VipAddresses;

/// Options that shape load balancers; credentials are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Where VIPs live, by name or id; none means the subnet of our own ingress address.
    pub subnet: Option<String>,
    /// Where floating IPs come from, by name or id; none means that public requests get the VIP.
    pub floating_network: Option<String>,
    /// How members are chosen.
    pub algorithm: Algorithm,
    /// The front port of those that the interface `public-address` asks for.
    pub front_port: Port,
    /// What makes load balancers, by name; none means the cloud's default.
    pub provider: Option<String>,
    /// Their size and topology, by name or id; none means the cloud's default.
    pub flavor: Option<String>,
    /// Where they are made; none means the cloud's default.
    pub availability_zone: Option<String>,
    /// Who may reach public ones, beside the cluster itself; empty means everybody.
    pub allowed_cidrs: BTreeSet<IpNet>,
    /// What they are called.
    pub name_template: NameTemplate,
    /// The VIPs to ask for.
    pub vip_addresses: VipAddresses,
    /// The control plane whose address workers get over `website`; none means the only one.
    pub website_source: Option<String>,
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
