//! What is wanted, fitted to what a provider takes.
//!
//! OVN balances packets, not connections: it has no timeouts, chooses by addresses and ports, and connects to check
//! (`ovn_octavia_provider/driver.py`). Other providers refuse a kind of monitor here and there.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;

use super::{OVN, Past};
use crate::model::finding::Finding;
use crate::model::mark::Mark;
use crate::model::monitor::Monitor;
use crate::model::port::Port;
use crate::model::probe::{Kind, Probe};
use crate::model::traffic::Algorithm;
use crate::octavia::change::kind_name;
use crate::octavia::desired::{Listener, LoadBalancer, Transport};
use crate::octavia::observed::{self, Lookup, Terrain};
use crate::octavia::status::Provisioning;

/// The same load balancer with listeners that its provider takes.
pub(super) fn fit(
    mark: &Mark,
    wanted: &LoadBalancer,
    present: Option<&observed::LoadBalancer>,
    terrain: &Terrain,
    past: Past<'_>,
    findings: &mut Vec<Finding>,
) -> LoadBalancer {
    let mut fitted = wanted.clone();
    for (front, listener) in &mut fitted.listeners {
        if !listener.allowed_cidrs.is_empty() {
            let operators = listener.allowed_cidrs.clone();
            listener.allowed_cidrs = allowed(listener, present, terrain);
            if operators.is_disjoint(&listener.allowed_cidrs) {
                findings.push(Finding::note(format!(
                    "{}: lb-allowed-cidrs holds no network of the VIP's address family, so only the cluster itself may \
                     connect",
                    wanted.key
                )));
            }
        }
        if present.is_some_and(is_ovn) {
            if !listener.allowed_cidrs.is_empty() {
                findings.push(Finding::blocked(format!(
                    "{}: lb-allowed-cidrs is not kept, since the provider ovn has no such list; unset it and use \
                     security groups",
                    wanted.key
                )));
            }
            *listener = for_ovn(listener);
        }
        let pools = present.into_iter().flat_map(|present| &present.pools);
        let pools = pools.filter(|pool| pool.front == Some(*front) && !past.tried.again);
        let mut refused: BTreeSet<Kind> = pools.flat_map(|pool| pool.refused.clone()).collect();
        refused.extend(past.tried.refused.get(&(mark.clone(), *front)).into_iter().flatten());
        step_down(listener, refused, |meant, taken| {
            let instead = taken.map_or("nothing", kind_name);
            findings.push(Finding::note(format!(
                "{}: the provider takes no {} health monitor, so port {front} is watched by {instead}",
                wanted.key,
                kind_name(meant)
            )));
        });
    }
    fitted
}

pub(super) fn is_ovn(present: &observed::LoadBalancer) -> bool {
    present.provider.as_deref() == Some(OVN)
}

fn for_ovn(wanted: &Listener) -> Listener {
    let Listener {
        transport,
        allowed_cidrs: _,
        timeouts: _,
        algorithm: _,
        sticky,
        members,
        monitor,
        refused,
    } = wanted.clone();
    let probe = match transport {
        Transport::Tcp => Probe::Tcp,
        Transport::Udp => Probe::UdpConnect,
    };
    let members = members.into_iter().map(|(key, mut member)| {
        member.monitor_port = None;
        (key, member)
    });
    Listener {
        transport,
        allowed_cidrs: BTreeSet::new(),
        timeouts: None,
        algorithm: Algorithm::SourceIpPort,
        sticky,
        members: members.collect(),
        monitor: monitor.map(|monitor| Monitor { probe, port: None, ..monitor }),
        refused,
    }
}

/// What the operator allows, and what must not be locked out; Octavia takes only the VIP's own address family.
fn allowed(
    wanted: &Listener,
    present: Option<&observed::LoadBalancer>,
    terrain: &Terrain,
) -> BTreeSet<IpNet> {
    let new = if let Lookup::Found(subnet) = &terrain.subnet { Some(subnet) } else { None };
    let vip_subnet = present.and_then(|one| one.vip_subnet.as_deref()).or(new.map(|new| new.id.as_str()));
    let members: BTreeSet<IpAddr> = wanted.members.keys().map(|(address, _)| *address).collect();
    let mut allowed = terrain.surroundings(&members, vip_subnet);
    allowed.extend(&wanted.allowed_cidrs);
    let vip = present.and_then(|one| one.vip_address).or(new.map(|new| new.cidr.addr()));
    allowed.retain(|network| vip.is_none_or(|vip| vip.is_ipv6() == network.addr().is_ipv6()));
    if allowed.is_empty() {
        // An empty list would let everybody in.
        allowed.extend(vip.map(IpNet::from));
    }
    allowed
}

/// From what is meant to what is taken: HTTPS, then TCP, then nothing.
fn step_down(listener: &mut Listener, refused: BTreeSet<Kind>, say: impl FnOnce(Kind, Option<Kind>)) {
    let Some(meant) = listener.monitor.as_ref().map(|monitor| monitor.probe.kind()) else { return };
    if !refused.contains(&meant) {
        // Something else is meant now: what was refused is forgotten.
        return;
    }
    while let Some(monitor) = listener.monitor.as_mut().filter(|one| refused.contains(&one.probe.kind())) {
        match monitor.probe.kind() {
            Kind::Https | Kind::Http | Kind::TlsHello | Kind::Ping => monitor.probe = Probe::Tcp,
            Kind::Tcp | Kind::UdpConnect | Kind::Sctp => listener.monitor = None,
        }
    }
    say(meant, listener.monitor.as_ref().map(|monitor| monitor.probe.kind()));
    listener.refused = refused;
}

/// The name that OVN's driver looks for when it wires a floating IP, and whose port it deletes with the load balancer.
pub(super) fn ovn_port_name(load_balancer: &str) -> String {
    format!("ovn-lb-vip-{load_balancer}")
}

/// The front ports whose monitors Octavia could not make although they were replaced.
pub fn still_in_error(
    observed: &observed::Observed,
    replaced: &BTreeSet<(Mark, Port)>,
) -> Vec<(Mark, Port, Kind)> {
    let mut found = Vec::new();
    for one in &observed.load_balancers {
        for pool in &one.pools {
            let Some((front, monitor)) = pool.front.zip(pool.monitor.as_ref()) else { continue };
            let key = (one.mark.clone(), front);
            let failed = monitor.provisioning == Provisioning::Error;
            if let (true, true, Some(kind)) = (failed, replaced.contains(&key), monitor.kind) {
                found.push((key.0, key.1, kind));
            }
        }
    }
    found
}
