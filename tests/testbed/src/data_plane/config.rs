//! The contract: what a data plane is asked to do, and what it tells.

use std::net::IpAddr;
use std::time::Duration;

/// Serves load balancers on real sockets and watches their members.
pub trait DataPlane: Send + Sync {
    /// Serves this load balancer as described, from now on; called again for every change.
    fn apply(&self, vip: VipConfig);
    /// Stops serving the load balancer with this id.
    fn remove(&self, load_balancer: &str);
    /// How the member with this id fares now.
    fn member_status(&self, member: &str) -> MemberStatus;
}

/// What the health checks say of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberStatus {
    /// Nothing is known of a member with this id.
    Unknown,
    /// The pool has no health monitor.
    NoMonitor,
    /// The checks pass.
    Up,
    /// The checks fail.
    Down,
    /// The checks pass and the weight is 0.
    Draining,
    /// Switched off by an administrator.
    Maintenance,
}

/// One load balancer as the data plane serves it.
#[derive(Debug, Clone, PartialEq)]
pub struct VipConfig {
    /// Octavia's id of the load balancer.
    pub load_balancer: String,
    /// The VIP and every floating address that leads to it.
    pub addresses: Vec<IpAddr>,
    /// What listens.
    pub listeners: Vec<ListenerConfig>,
    /// Pools that no listener uses are watched too.
    pub spare_pools: Vec<PoolConfig>,
}

/// One front port.
#[derive(Debug, Clone, PartialEq)]
pub struct ListenerConfig {
    /// Octavia's id.
    pub id: String,
    /// The front port.
    pub port: u16,
    /// Octavia's protocol: TCP, HTTP, HTTPS, UDP, …
    pub protocol: String,
    /// Networks whose clients may connect; empty means all.
    pub allowed_cidrs: Vec<String>,
    /// Idle time after which a client's silence ends the session.
    pub timeout_client_data: Duration,
    /// Idle time after which a member's silence ends the session.
    pub timeout_member_data: Duration,
    /// How long a connection to a member may take.
    pub timeout_member_connect: Duration,
    /// Where the traffic goes; none refuses connections.
    pub pool: Option<PoolConfig>,
}

/// Members and how they are chosen and watched.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolConfig {
    /// Octavia's id.
    pub id: String,
    /// Octavia's `lb_algorithm`.
    pub algorithm: String,
    /// Whether a client address sticks to a member.
    pub source_ip_persistence: bool,
    /// The members.
    pub members: Vec<MemberConfig>,
    /// The health monitor.
    pub monitor: Option<MonitorConfig>,
}

/// One back end.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberConfig {
    /// Octavia's id.
    pub id: String,
    /// Where it listens.
    pub address: IpAddr,
    /// The port that gets traffic.
    pub port: u16,
    /// 0 gets no traffic.
    pub weight: u32,
    /// Used only when no other member is up.
    pub backup: bool,
    /// False takes it out.
    pub admin_state_up: bool,
    /// Address to check instead of `address`.
    pub monitor_address: Option<IpAddr>,
    /// Port to check instead of `port`.
    pub monitor_port: Option<u16>,
}

/// How members are checked.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitorConfig {
    /// Octavia's type: HTTP, HTTPS, TCP, TLS-HELLO, PING, UDP-CONNECT, SCTP.
    pub kind: String,
    /// Time between checks, as configured (the data plane divides it by its clock factor).
    pub delay: Duration,
    /// How long an answer may take, as configured.
    pub timeout: Duration,
    /// Passed checks until a member is up.
    pub rise: u32,
    /// Failed checks until a member is down.
    pub fall: u32,
    /// HTTP method.
    pub http_method: String,
    /// Path asked for.
    pub url_path: String,
    /// `200`, `200,401` or `200-204`.
    pub expected_codes: String,
    /// False stops the checks.
    pub admin_state_up: bool,
}
