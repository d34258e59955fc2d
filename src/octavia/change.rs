//! One step from what there is to what there should be; a plan is a list of these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::desired::{Listener, Making, Timeouts, Transport};
use crate::model::monitor::Monitor;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::model::traffic::Algorithm;

/// One write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// A Neutron port for the VIP, ours for life.
    CreatePort {
        /// The load balancer's name.
        name: String,
        /// The VIP's network.
        network: String,
        /// The VIP's subnet.
        subnet: String,
        /// The address that a consumer already knows, if it can be had again.
        address: Option<IpAddr>,
    },
    /// A load balancer with everything in it.
    CreateLoadBalancer {
        /// Its name.
        name: String,
        /// Its request's name, after which its parts are named.
        request: String,
        /// The VIP's port.
        port: PortReference,
        /// How it is made; a flavor by its id.
        making: Making,
        /// Everything in it.
        listeners: BTreeMap<Port, Listener>,
        /// The subnets of members that have one.
        subnets: BTreeMap<IpAddr, String>,
    },
    /// A new name for a load balancer.
    RenameLoadBalancer {
        /// Which.
        id: String,
        /// The name.
        name: String,
    },
    /// A pool without members and monitor, which follow.
    CreatePool {
        /// In which load balancer.
        load_balancer: String,
        /// Its name.
        name: String,
        /// Its front port, as a tag.
        front: Port,
        /// What it speaks.
        transport: Transport,
        /// How members are chosen.
        algorithm: Algorithm,
        /// A client address keeps its member.
        sticky: bool,
        /// Kinds of monitor that its provider does not take, as tags.
        refused: BTreeSet<Kind>,
    },
    /// Changed fields of a pool.
    UpdatePool {
        /// Which.
        id: String,
        /// Of which front port; for people.
        front: Port,
        /// How members are chosen, if that changes.
        algorithm: Option<Algorithm>,
        /// Whether a client address keeps its member, if that changes.
        sticky: Option<bool>,
        /// Kinds of monitor that its provider does not take, if that changes.
        refused: Option<BTreeSet<Kind>>,
    },
    /// A pool that no front port needs.
    DeletePool {
        /// Which.
        id: String,
    },
    /// The whole list of a pool's members.
    PutMembers {
        /// Which pool.
        pool: PoolReference,
        /// Of which front port; for people.
        front: Port,
        /// Every member with every field.
        members: Vec<Member>,
        /// What differs, for people: `+10.5.5.18:6443 -10.5.5.16:6443`.
        difference: String,
        /// Whether a member leaves the pool.
        departed: bool,
    },
    /// A health monitor.
    CreateMonitor {
        /// For which pool.
        pool: PoolReference,
        /// Of which front port; for people.
        front: Port,
        /// Its name.
        name: String,
        /// What it does.
        monitor: Monitor,
    },
    /// Changed fields of a health monitor.
    UpdateMonitor {
        /// Which.
        id: String,
        /// Of which front port; for people.
        front: Port,
        /// What changes.
        fields: MonitorFields,
    },
    /// A health monitor that is not wanted, or is of another type.
    DeleteMonitor {
        /// Which.
        id: String,
        /// Of which front port; for people.
        front: Port,
        /// Its kind, if we know it; for people.
        kind: Option<Kind>,
    },
    /// A front port.
    CreateListener {
        /// In which load balancer.
        load_balancer: String,
        /// Its name.
        name: String,
        /// The front port.
        front: Port,
        /// What it speaks.
        transport: Transport,
        /// Who may connect; empty means everybody.
        allowed_cidrs: BTreeSet<IpNet>,
        /// When its sessions end.
        timeouts: Option<Timeouts>,
        /// Where its traffic goes.
        pool: PoolReference,
    },
    /// Changed fields of a listener.
    UpdateListener {
        /// Which.
        id: String,
        /// The front port; for people.
        front: Port,
        /// Milliseconds of silence, if that changes.
        idle_timeout: Option<u64>,
        /// Milliseconds for a connection to a member, if that changes.
        connect_timeout: Option<u64>,
        /// Who may connect, if that changes; empty means everybody.
        allowed_cidrs: Option<BTreeSet<IpNet>>,
        /// Where its traffic goes, if that changes.
        pool: Option<PoolReference>,
    },
    /// A front port that nobody asks for.
    DeleteListener {
        /// Which.
        id: String,
        /// The front port; for people.
        front: Port,
    },
    /// A floating IP that leads to the VIP.
    CreateFloatingIp {
        /// From which network.
        network: String,
        /// The VIP's port.
        port: PortReference,
    },
    /// A floating IP of ours that leads elsewhere.
    AttachFloatingIp {
        /// Which.
        id: String,
        /// Its address; for people.
        address: IpAddr,
        /// The VIP's port.
        port: PortReference,
    },
    /// A load balancer and everything in it.
    DeleteLoadBalancer {
        /// Which.
        id: String,
        /// Its name; for people.
        name: String,
    },
    /// A floating IP that nobody needs.
    DeleteFloatingIp {
        /// Which.
        id: String,
        /// Its address; for people.
        address: IpAddr,
    },
    /// Another name for a VIP port: OVN goes by it.
    RenamePort {
        /// Which.
        id: String,
        /// The name.
        name: String,
    },
    /// A VIP port that nobody needs.
    DeletePort {
        /// Which.
        id: String,
    },
}

/// A port that is there, or that an earlier change of the same load balancer makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PortReference {
    /// By Neutron's id.
    Existing(String),
    /// Made by [`Change::CreatePort`].
    Planned,
}

/// A pool that is there, or that an earlier change of the same load balancer makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PoolReference {
    /// By Octavia's id.
    Existing(String),
    /// Made by [`Change::CreatePool`] for this front port.
    Planned(Port),
}

/// A member with every field, since a batch PUT resets what is left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// Where it listens.
    pub address: IpAddr,
    /// The port that gets traffic.
    pub port: Port,
    /// The unit behind it, or its address.
    pub name: String,
    /// Its share.
    pub weight: u32,
    /// Used only when all others are down.
    pub backup: bool,
    /// Whether it may be used.
    pub admin_state_up: bool,
    /// The subnet from which it is reached.
    pub subnet: Option<String>,
    /// Where the checks go, if not to `port`.
    pub monitor_port: Option<Port>,
}

/// Fields of a health monitor; none stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonitorFields {
    /// Seconds between checks.
    pub delay: Option<u32>,
    /// Seconds that a check may take.
    pub timeout: Option<u32>,
    /// Passed checks until up.
    pub max_retries: Option<u32>,
    /// Failed checks until down.
    pub max_retries_down: Option<u32>,
    /// HTTP method.
    pub http_method: Option<String>,
    /// HTTP path.
    pub url_path: Option<String>,
    /// HTTP codes.
    pub expected_codes: Option<String>,
}

impl Change {
    /// Whether Octavia must be done with the load balancer before: it locks it while it works, and it still needs the
    /// VIP's port while it deletes.
    pub fn waits(&self) -> bool {
        match self {
            Self::RenameLoadBalancer { .. }
            | Self::CreatePool { .. }
            | Self::UpdatePool { .. }
            | Self::DeletePool { .. }
            | Self::PutMembers { .. }
            | Self::CreateMonitor { .. }
            | Self::UpdateMonitor { .. }
            | Self::DeleteMonitor { .. }
            | Self::CreateListener { .. }
            | Self::UpdateListener { .. }
            | Self::DeleteListener { .. }
            | Self::CreateLoadBalancer { .. }
            | Self::DeleteLoadBalancer { .. }
            | Self::DeletePort { .. } => true,
            Self::CreatePort { .. }
            | Self::RenamePort { .. }
            | Self::CreateFloatingIp { .. }
            | Self::AttachFloatingIp { .. }
            | Self::DeleteFloatingIp { .. } => false,
        }
    }

    /// Whether it deletes something, or a pool loses a member by it.
    pub fn takes_away(&self) -> bool {
        match self {
            Self::PutMembers { departed, .. } => *departed,
            Self::DeletePool { .. }
            | Self::DeleteMonitor { .. }
            | Self::DeleteListener { .. }
            | Self::DeleteLoadBalancer { .. }
            | Self::DeleteFloatingIp { .. }
            | Self::DeletePort { .. } => true,
            Self::CreatePort { .. }
            | Self::RenamePort { .. }
            | Self::CreateLoadBalancer { .. }
            | Self::RenameLoadBalancer { .. }
            | Self::CreatePool { .. }
            | Self::UpdatePool { .. }
            | Self::CreateMonitor { .. }
            | Self::UpdateMonitor { .. }
            | Self::CreateListener { .. }
            | Self::UpdateListener { .. }
            | Self::CreateFloatingIp { .. }
            | Self::AttachFloatingIp { .. } => false,
        }
    }

    /// Whether it changes the health monitor of a pool that is there, and nothing else.
    pub fn is_about_monitors(&self) -> bool {
        match self {
            Self::CreateMonitor { pool, .. } => matches!(pool, PoolReference::Existing(_)),
            Self::UpdatePool { refused, .. } => refused.is_some(),
            Self::UpdateMonitor { .. } | Self::DeleteMonitor { .. } => true,
            _ => false,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreatePort { address: Some(address), .. } => {
                write!(formatter, "create the VIP port at {address}")
            }
            Self::CreatePort { subnet, .. } => write!(formatter, "create the VIP port in subnet {subnet}"),
            Self::CreateLoadBalancer { listeners, .. } => {
                write!(formatter, "create the load balancer")?;
                for (front, listener) in listeners {
                    let back = listener.members.keys().map(|(_, port)| port.to_string()).next();
                    let back = back.unwrap_or_else(|| "?".to_owned());
                    write!(formatter, "; {} {front} -> {back}", listener.transport.as_str())?;
                    write!(formatter, ", {} members", listener.members.len())?;
                    match &listener.monitor {
                        Some(monitor) => write!(formatter, ", monitor {}", describe(monitor))?,
                        None => write!(formatter, ", no monitor")?,
                    }
                }
                Ok(())
            }
            Self::RenameLoadBalancer { name, .. } => write!(formatter, "rename the load balancer to {name}"),
            Self::CreatePool { front, .. } => write!(formatter, "create the pool of port {front}"),
            Self::UpdatePool { front, algorithm, sticky, refused, .. } => {
                write!(formatter, "update the pool of port {front}:")?;
                set(formatter, "lb_algorithm", algorithm.map(Algorithm::as_str))?;
                set(
                    formatter,
                    "session persistence",
                    sticky.map(|on| if on { "SOURCE_IP" } else { "none" }),
                )?;
                let kinds = |kinds: &BTreeSet<Kind>| {
                    kinds.iter().map(|kind| kind_name(*kind)).collect::<Vec<_>>().join(",")
                };
                set(formatter, "monitors that the provider does not take", refused.as_ref().map(kinds))
            }
            Self::DeletePool { id } => write!(formatter, "delete pool {id}"),
            Self::PutMembers { front, members, difference, .. } => {
                let plural = if members.len() == 1 { "" } else { "s" };
                write!(formatter, "set {} member{plural} for port {front}: {difference}", members.len())
            }
            Self::CreateMonitor { front, monitor, .. } => {
                write!(formatter, "create the health monitor of port {front}: {}", describe(monitor))
            }
            Self::UpdateMonitor { front, fields, .. } => {
                write!(formatter, "update the health monitor of port {front}:")?;
                let MonitorFields {
                    delay,
                    timeout,
                    max_retries,
                    max_retries_down,
                    http_method,
                    url_path,
                    expected_codes,
                } = fields;
                set(formatter, "delay", *delay)?;
                set(formatter, "timeout", *timeout)?;
                set(formatter, "max_retries", *max_retries)?;
                set(formatter, "max_retries_down", *max_retries_down)?;
                set(formatter, "http_method", http_method.as_deref())?;
                set(formatter, "url_path", url_path.as_deref())?;
                set(formatter, "expected_codes", expected_codes.as_deref())
            }
            Self::DeleteMonitor { front, kind, .. } => {
                write!(
                    formatter,
                    "delete the {} health monitor of port {front}",
                    kind.map_or("unknown", kind_name)
                )
            }
            Self::CreateListener { front, transport, .. } => {
                write!(formatter, "create the listener {} {front}", transport.as_str())
            }
            Self::UpdateListener { front, idle_timeout, connect_timeout, allowed_cidrs, pool, .. } => {
                write!(formatter, "update the listener of port {front}:")?;
                set(formatter, "timeout_client_data and timeout_member_data", *idle_timeout)?;
                set(formatter, "timeout_member_connect", *connect_timeout)?;
                let networks = |networks: &BTreeSet<IpNet>| {
                    let texts: Vec<String> = networks.iter().map(ToString::to_string).collect();
                    if texts.is_empty() { "everybody".to_owned() } else { texts.join(",") }
                };
                set(formatter, "allowed_cidrs", allowed_cidrs.as_ref().map(networks))?;
                set(formatter, "default_pool", pool.as_ref().map(|_| "its own"))
            }
            Self::DeleteListener { front, .. } => write!(formatter, "delete the listener of port {front}"),
            Self::CreateFloatingIp { network, .. } => {
                write!(formatter, "create a floating IP from network {network}")
            }
            Self::AttachFloatingIp { address, .. } => {
                write!(formatter, "attach floating IP {address} to the VIP")
            }
            Self::DeleteLoadBalancer { name, .. } => write!(formatter, "delete load balancer {name}"),
            Self::DeleteFloatingIp { address, .. } => write!(formatter, "delete floating IP {address}"),
            Self::RenamePort { name, .. } => write!(formatter, "rename the VIP port to {name}"),
            Self::DeletePort { id } => write!(formatter, "delete VIP port {id}"),
        }
    }
}

fn set(formatter: &mut fmt::Formatter<'_>, field: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(formatter, " {field}={value}"))
}

fn describe(monitor: &Monitor) -> String {
    let Monitor { probe, delay, timeout, max_retries, max_retries_down, port } = monitor;
    let http = probe.http().map(|http| format!(" {} expecting {}", http.path, http.expected_codes));
    let port = port.map(|port| format!(" on port {port}"));
    format!(
        "{}{}{}, {delay}/{timeout}/{max_retries}/{max_retries_down}",
        kind_name(probe.kind()),
        http.unwrap_or_default(),
        port.unwrap_or_default()
    )
}

/// A kind as Octavia spells it.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Https => "HTTPS",
        Kind::Http => "HTTP",
        Kind::Tcp => "TCP",
        Kind::TlsHello => "TLS-HELLO",
        Kind::Ping => "PING",
        Kind::UdpConnect => "UDP-CONNECT",
        Kind::Sctp => "SCTP",
    }
}
