//! What there should be: every load balancer with listeners, pools, members and monitors.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::names::Names;
use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::ids::RelationId;
use crate::model::mark::{Mark, Scope};
use crate::model::monitor::{self, Monitor, MonitorType};
use crate::model::policy::Policy;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::model::request::{BackEnd, Request, RequestKey};
use crate::model::traffic::{Algorithm, Protocol};
use crate::model::vip_addresses::VipAddresses;

/// All that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Desired {
    /// By mark.
    pub load_balancers: BTreeMap<Mark, LoadBalancer>,
    /// How new ones are made.
    pub making: Making,
    /// The units of each relation: a load balancer whose request is gone or bad goes on following them.
    pub units: BTreeMap<RelationId, BTreeSet<BackEnd>>,
    /// Units that Juju expects and this unit has not met yet: a new unit meets them one by one, and their members stay.
    pub unmet: BTreeSet<String>,
}

/// One wanted load balancer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadBalancer {
    /// The request that it answers.
    pub key: RequestKey,
    /// Its name in the cloud.
    pub name: String,
    /// Whether it gets a floating IP where there is a network for them.
    pub public: bool,
    /// The address that the consumer already knows.
    pub published: Option<IpAddr>,
    /// The VIP that is wished for.
    pub vip: Wish,
    /// By front port; never empty.
    pub listeners: BTreeMap<Port, Listener>,
}

/// A wish for a VIP; it counts only as long as there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wish {
    /// Whatever is free.
    #[default]
    None,
    /// The consumer asks for it.
    Consumer(IpAddr),
    /// The operator's option asks for it.
    Operator(IpAddr),
    /// The operator's option asks for something that cannot be told; until it can, no VIP is taken.
    Unclear,
}

impl Wish {
    /// The address.
    pub fn address(self) -> Option<IpAddr> {
        match self {
            Self::Consumer(address) | Self::Operator(address) => Some(address),
            Self::None | Self::Unclear => None,
        }
    }
}

/// What makes new load balancers; none is the cloud's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Making {
    /// The provider.
    pub provider: Option<String>,
    /// The flavor, by name or id.
    pub flavor: Option<String>,
    /// The availability zone.
    pub availability_zone: Option<String>,
}

/// One front port and what is behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// What it speaks.
    pub transport: Transport,
    /// Who may connect; empty means everybody.
    pub allowed_cidrs: BTreeSet<IpNet>,
    /// None where there are no sessions.
    pub timeouts: Option<Timeouts>,
    /// How members are chosen.
    pub algorithm: Algorithm,
    /// A client address keeps its member.
    pub sticky: bool,
    /// By address and port.
    pub members: BTreeMap<(IpAddr, Port), Member>,
    /// How members are checked.
    pub monitor: Option<Monitor>,
    /// Kinds of monitor that the provider does not take here, and so not the one that was meant.
    pub refused: BTreeSet<Kind>,
}

/// When a session ends, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// After this much silence.
    pub idle: u64,
    /// When a connection to a member takes longer.
    pub connect: u64,
}

/// TLS passes through, so HTTP and HTTPS are TCP here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Transport {
    /// Bytes.
    Tcp,
    /// Datagrams.
    Udp,
}

impl Transport {
    /// As Octavia spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
        }
    }
}

/// One wanted member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The unit behind it, or its address.
    pub name: String,
    /// Where the checks go, if not where the traffic goes.
    pub monitor_port: Option<Port>,
}

/// Everything that `desire` needs beside requests and policy.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    /// Our marks.
    pub scope: &'a Scope,
    /// Our application's name.
    pub application: &'a str,
    /// The model's name.
    pub model: &'a str,
    /// Where those load balancers are reached whose front port we choose, as their consumers were told.
    pub told: &'a BTreeMap<RelationId, Front>,
    /// The units of each relation that have an address.
    pub units: &'a BTreeMap<RelationId, BTreeSet<BackEnd>>,
    /// What consumers were told before.
    pub published: &'a BTreeMap<RequestKey, IpAddr>,
}

/// What the requests and the options come to.
pub fn desire(requests: &[Request], policy: &Policy, setting: &Setting<'_>) -> (Desired, Vec<Finding>) {
    let mut findings = Vec::new();
    let names = Names::new(&policy.name_template);
    let load_balancers = requests
        .iter()
        .map(|request| {
            let mark = setting.scope.mark(&request.key, &request.consumer);
            let load_balancer = LoadBalancer {
                key: request.key.clone(),
                name: names.load_balancer(
                    setting.application,
                    setting.model,
                    &request.consumer,
                    &request.key.name,
                ),
                public: request.public,
                published: setting.published.get(&request.key).copied(),
                vip: vip(request, requests, policy, &mut findings),
                listeners: listeners(request, policy, told(request, setting), &mut findings),
            };
            (mark, load_balancer)
        })
        .collect();
    findings.extend(unknown_names(requests, policy));
    let Policy { provider, flavor, availability_zone, .. } = policy.clone();
    let making = Making { provider, flavor, availability_zone };
    let units = setting.units.clone();
    (Desired { load_balancers, making, units, unmet: BTreeSet::new() }, findings)
}

/// What the consumer asks for goes before what the operator does.
fn vip(request: &Request, requests: &[Request], policy: &Policy, findings: &mut Vec<Finding>) -> Wish {
    if let Some(address) = request.ingress_address {
        return Wish::Consumer(address);
    }
    match policy.vip_addresses.wish(request, requests) {
        Ok(address) => address.map_or(Wish::None, Wish::Operator),
        Err(reason) => {
            let finding = Finding::blocked(reason);
            if !findings.contains(&finding) {
                findings.push(finding);
            }
            Wish::Unclear
        }
    }
}

/// Names in `lb-vip-address` that nobody has.
fn unknown_names(requests: &[Request], policy: &Policy) -> Vec<Finding> {
    let VipAddresses::Named(addresses) = &policy.vip_addresses else { return Vec::new() };
    let is_known = |name: &String| requests.iter().any(|one| one.key.name == *name || one.consumer == *name);
    let unknown = addresses.keys().filter(|name| !requests.is_empty() && !is_known(name));
    let text = |name| format!("lb-vip-address: no request and no consumer is called {name:?}");
    unknown.map(|name| Finding::note(text(name))).collect()
}

/// A front port that a consumer was told and that is to change: it stays until the new one has been told.
fn told(request: &Request, setting: &Setting<'_>) -> Option<Port> {
    setting.told.get(&request.key.relation).map(|front| front.port)
}

fn listeners(
    request: &Request,
    policy: &Policy,
    told: Option<Port>,
    findings: &mut Vec<Finding>,
) -> BTreeMap<Port, Listener> {
    let (checks, left) = monitor::assign(&request.ports, &request.checks);
    for check in left {
        findings.push(Finding::note(format!(
            "{}: the health check on port {} is not used, since a pool has one monitor",
            request.key, check.port
        )));
    }
    if let MonitorType::Fixed(kind) = policy.monitor.monitor_type
        && !monitor::fits(kind, request.protocol)
    {
        findings.push(Finding::note(format!(
            "{}: monitor-type cannot watch {} traffic, so the automatic monitor is used",
            request.key,
            if request.protocol == Protocol::Udp { "UDP" } else { "TCP" }
        )));
    }
    let mut listener = |back: Port| {
        let monitor = monitor::choose(&policy.monitor, request.protocol, back, checks.get(&back).copied());
        let monitor_port = monitor.as_ref().and_then(|monitor| monitor.port);
        if let (Some(Monitor { delay, timeout, .. }), true) = (&monitor, policy.monitor.timeout.is_some())
            && timeout >= delay
        {
            let note = Finding::note(format!(
                "monitor-timeout ({timeout} s) is not shorter than the delay of {delay} s: a check may still run when \
                 the next is due"
            ));
            if !findings.contains(&note) {
                findings.push(note);
            }
        }
        let transport = if request.protocol == Protocol::Udp { Transport::Udp } else { Transport::Tcp };
        let timeouts = Timeouts {
            idle: u64::from(policy.idle_timeout) * 1000,
            connect: u64::from(policy.connect_timeout) * 1000,
        };
        Listener {
            transport,
            allowed_cidrs: if request.public { policy.allowed_cidrs.clone() } else { BTreeSet::new() },
            timeouts: (transport == Transport::Tcp).then_some(timeouts),
            algorithm: request.algorithm.unwrap_or(policy.algorithm),
            sticky: request.sticky,
            members: request
                .back_ends
                .iter()
                .map(|back_end| {
                    let name = match &back_end.unit {
                        Some(unit) => unit.to_string(),
                        None => back_end.address.to_string(),
                    };
                    ((back_end.address, back), Member { name, monitor_port })
                })
                .collect(),
            monitor,
            refused: BTreeSet::new(),
        }
    };
    let mut listeners: BTreeMap<Port, Listener> =
        request.ports.iter().map(|(front, back)| (*front, listener(*back))).collect();
    if let (Some(told), Some(first)) = (told, listeners.values().next().cloned()) {
        listeners.entry(told).or_insert(first);
    }
    listeners
}
