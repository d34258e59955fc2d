//! What there is: our objects in the cloud, and the facts of the cloud that a plan needs.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::status::{Operating, Provisioning};
use crate::model::mark::Mark;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::model::traffic::Algorithm;

/// All that carries our marks, and the terrain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Our load balancers with all their parts.
    pub load_balancers: Vec<LoadBalancer>,
    /// Our VIP ports.
    pub ports: Vec<VipPort>,
    /// Our floating IPs.
    pub floating_ips: Vec<FloatingIp>,
    /// Facts of the cloud.
    pub terrain: Terrain,
}

/// One load balancer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadBalancer {
    /// Octavia's id.
    pub id: String,
    /// Whose it is.
    pub mark: Mark,
    /// Its name.
    pub name: String,
    /// What Octavia does with it.
    pub provisioning: Provisioning,
    /// How it fares.
    pub operating: Operating,
    /// The VIP.
    pub vip_address: Option<IpAddr>,
    /// The port that holds the VIP.
    pub vip_port: Option<String>,
    /// The subnet of the VIP.
    pub vip_subnet: Option<String>,
    /// What makes it: `amphora`, `ovn`, …
    pub provider: Option<String>,
    /// Its flavor's id.
    pub flavor: Option<String>,
    /// Where it was made.
    pub availability_zone: Option<String>,
    /// When it was made; sorts as text.
    pub created_at: String,
    /// Its listeners that carry our mark.
    pub listeners: Vec<Listener>,
    /// Its pools that carry our mark.
    pub pools: Vec<Pool>,
}

/// One listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// Octavia's id.
    pub id: String,
    /// The front port.
    pub port: Port,
    /// Octavia's protocol.
    pub protocol: String,
    /// Who may connect, as Octavia spells it; empty means everybody.
    pub allowed_cidrs: BTreeSet<String>,
    /// The pool that gets the traffic.
    pub pool: Option<String>,
    /// Milliseconds of silence from a client.
    pub timeout_client_data: u64,
    /// Milliseconds that a connection to a member may take.
    pub timeout_member_connect: u64,
    /// Milliseconds of silence from a member.
    pub timeout_member_data: u64,
    /// What Octavia does with it.
    pub provisioning: Provisioning,
}

/// One pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Octavia's id.
    pub id: String,
    /// The front port that it was made for, by its tag.
    pub front: Option<Port>,
    /// Octavia's protocol.
    pub protocol: String,
    /// How members are chosen; none for a way that this charm does not know.
    pub algorithm: Option<Algorithm>,
    /// Kinds of monitor that its provider did not take.
    pub refused: BTreeSet<Kind>,
    /// The type of session persistence, if any.
    pub persistence: Option<String>,
    /// What Octavia does with it.
    pub provisioning: Provisioning,
    /// Its members.
    pub members: Vec<Member>,
    /// Its health monitor.
    pub monitor: Option<HealthMonitor>,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Octavia's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where it listens.
    pub address: IpAddr,
    /// The port that gets traffic.
    pub port: Port,
    /// Its share; an operator's own weight stays.
    pub weight: u32,
    /// Used only when all others are down; an operator's own choice stays.
    pub backup: bool,
    /// Switched off by an operator if false; stays.
    pub admin_state_up: bool,
    /// The subnet from which it is reached.
    pub subnet: Option<String>,
    /// Where the checks go, if not to `port`.
    pub monitor_port: Option<Port>,
    /// Where the checks go, if not to `address`.
    pub monitor_address: Option<IpAddr>,
    /// What Octavia does with it.
    pub provisioning: Provisioning,
    /// How it fares.
    pub operating: Operating,
}

/// One health monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthMonitor {
    /// Octavia's id.
    pub id: String,
    /// Its kind; none for one that this charm does not know.
    pub kind: Option<Kind>,
    /// Seconds between checks.
    pub delay: u32,
    /// Seconds that a check may take.
    pub timeout: u32,
    /// Passed checks until up.
    pub max_retries: u32,
    /// Failed checks until down.
    pub max_retries_down: u32,
    /// HTTP method.
    pub http_method: Option<String>,
    /// HTTP path.
    pub url_path: Option<String>,
    /// HTTP codes.
    pub expected_codes: Option<String>,
    /// What Octavia does with it.
    pub provisioning: Provisioning,
}

/// A Neutron port that holds a VIP of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VipPort {
    /// Neutron's id.
    pub id: String,
    /// Whose it is.
    pub mark: Mark,
    /// Its name; OVN goes by it.
    pub name: String,
    /// The VIP.
    pub address: Option<IpAddr>,
    /// The VIP's subnet.
    pub subnet: Option<String>,
    /// The VIP's network.
    pub network: String,
}

/// A floating IP of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FloatingIp {
    /// Neutron's id.
    pub id: String,
    /// Whose it is.
    pub mark: Mark,
    /// The address.
    pub address: IpAddr,
    /// The network that it comes from.
    pub network: String,
    /// The port that it leads to.
    pub port: Option<String>,
}

/// Facts of the cloud.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terrain {
    /// Where VIPs go.
    pub subnet: Lookup<Subnet>,
    /// Where floating IPs come from.
    pub floating_network: Lookup<String>,
    /// Whether the cloud offers the provider OVN; none as long as nobody needed to know.
    pub offers_ovn: Option<bool>,
    /// The flavor of new load balancers, by its id.
    pub flavor: Lookup<String>,
    /// The addresses of subnets; known only where a list of who may connect needs them.
    pub cidrs: BTreeMap<String, IpNet>,
    /// Under which addresses our networks are seen by the world; known in the same case.
    pub gateways: BTreeSet<IpAddr>,
    /// Our own address.
    pub own_address: Option<IpAddr>,
    /// The subnets in which a port of our project holds an address.
    pub seats: BTreeMap<IpAddr, Vec<Seat>>,
}

/// A name or id of an option, looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lookup<T> {
    /// The option is not set and nothing else tells.
    #[default]
    Unset,
    /// Exactly one.
    Found(T),
    /// None, or several; the text names the option, the value and what would be right.
    Wrong(String),
}

/// A subnet that can hold a VIP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subnet {
    /// Neutron's id.
    pub id: String,
    /// Its network's id.
    pub network: String,
    /// Its addresses.
    pub cidr: IpNet,
    /// The operator named it by the option; otherwise it is that of our own address.
    pub named: bool,
}

/// A port that holds an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seat {
    /// The subnet.
    pub subnet: String,
    /// Its network.
    pub network: String,
}

impl Terrain {
    /// What a list of who may connect must never lock out: the subnets of these members, of the VIP and of this unit, and
    /// the routers' own addresses, from which the members' requests to a floating IP come.
    pub fn surroundings(&self, members: &BTreeSet<IpAddr>, vip_subnet: Option<&str>) -> BTreeSet<IpNet> {
        let mut found: BTreeSet<IpNet> = self.gateways.iter().map(|address| IpNet::from(*address)).collect();
        found.extend(vip_subnet.and_then(|subnet| self.cidrs.get(subnet)));
        for address in members.iter().chain(&self.own_address) {
            let seats = self.seats.get(address).into_iter().flatten();
            let cidrs: Vec<IpNet> = seats.filter_map(|seat| self.cidrs.get(&seat.subnet)).copied().collect();
            if cidrs.is_empty() {
                found.insert(IpNet::from(*address));
            }
            found.extend(cidrs);
        }
        found
    }

    /// The subnet from which a member is reached, if the ports of our project leave no doubt.
    pub fn member_subnet(&self, address: IpAddr, vip_network: Option<&str>) -> Option<&str> {
        let seats = self.seats.get(&address)?;
        let beside_the_vip = seats.iter().find(|seat| Some(seat.network.as_str()) == vip_network);
        let only = || if let [seat] = seats.as_slice() { Some(seat) } else { None };
        beside_the_vip.or_else(only).map(|seat| seat.subnet.as_str())
    }
}
