//! What is true now, read off Octavia's statuses.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

use super::desired::{self, Desired, Wish};

use super::observed::{FloatingIp, LoadBalancer, Lookup, Member, Observed, Pool};
use super::plan;
use super::status::{Operating, Provisioning};
use crate::model::mark::Mark;
use crate::model::outcome::{self, MemberHealth, Outcome, State};

/// Every wanted load balancer as it stands.
///
/// `failed` are those whose changes could not all be carried out; `refused_vips` why the cloud does not give the address
/// that was asked for.
pub fn outcome(
    desired: &Desired,
    observed: &Observed,
    failed: &BTreeSet<Mark>,
    refused_vips: &BTreeMap<Mark, String>,
) -> Outcome {
    let load_balancers = desired.load_balancers.iter().map(|(mark, wanted)| {
        let present = plan::kept(observed, mark, wanted.published);
        let floating_ip = observed.floating_ips.iter().find(|one| {
            let vip_port = present.and_then(|present| present.vip_port.as_ref());
            one.mark == *mark && one.port.is_some() && one.port.as_ref() == vip_port
        });
        let missing = || match no_such_vip(wanted, observed, refused_vips.get(mark)) {
            Some(reason) => State::Unsupported { field: "ingress_address".to_owned(), reason },
            None => State::Pending(format!("{}: not made yet", wanted.key)),
        };
        let state = present.map_or_else(missing, |present| state(wanted, present, floating_ip, observed));
        let trouble = present.map(|present| trouble(wanted, present)).unwrap_or_default();
        let members = present.map(members).unwrap_or_default();
        let is_settled = !failed.contains(mark);
        (wanted.key.clone(), outcome::LoadBalancer { state, is_settled, trouble, members })
    });
    Outcome { load_balancers: load_balancers.collect() }
}

/// Why a consumer cannot have the address that it asks for.
fn no_such_vip(
    wanted: &desired::LoadBalancer,
    observed: &Observed,
    refused: Option<&String>,
) -> Option<String> {
    let Wish::Consumer(address) = wanted.vip else { return None };
    if wanted.published.is_some() {
        return None;
    }
    match &observed.terrain.subnet {
        Lookup::Found(subnet) if !subnet.cidr.contains(&address) => {
            Some(format!("expected an address in {}, got {address}", subnet.cidr))
        }
        Lookup::Found(_) | Lookup::Unset | Lookup::Wrong(_) => refused.cloned(),
    }
}

/// Load balancers that take no change now, of this name or all: what is in them is left as it is.
pub fn left_alone(desired: &Desired, observed: &Observed, name: Option<&str>) -> Vec<String> {
    let asked =
        desired.load_balancers.iter().filter(|(_, wanted)| name.is_none_or(|name| name == wanted.name));
    let left = asked.filter_map(|(mark, wanted)| {
        let present = plan::kept(observed, mark, wanted.published);
        match present.map(|present| present.provisioning) {
            Some(Provisioning::Active) => None,
            Some(status) => Some(format!("{}: Octavia says {}", wanted.name, status.as_str())),
            None => Some(format!("{}: not made yet", wanted.name)),
        }
    });
    left.collect()
}

fn state(
    wanted: &desired::LoadBalancer,
    present: &LoadBalancer,
    floating_ip: Option<&FloatingIp>,
    observed: &Observed,
) -> State {
    match present.provisioning {
        Provisioning::Active => {}
        Provisioning::Error => {
            return State::Failed(format!(
                "{}: Octavia says ERROR for load balancer {}; it is left as it is and keeps its address; an \
                 administrator can run \"openstack loadbalancer failover {}\"",
                wanted.key, present.name, present.id
            ));
        }
        Provisioning::PendingCreate
        | Provisioning::PendingUpdate
        | Provisioning::PendingDelete
        | Provisioning::Deleted
        | Provisioning::Unknown => {
            return State::Pending(format!(
                "{}: load balancer {}",
                wanted.key,
                present.provisioning.as_str()
            ));
        }
    }
    for front in wanted.listeners.keys() {
        let listener = present.listeners.iter().find(|listener| listener.port == *front);
        let pool = present.pools.iter().find(|pool| {
            pool.front == Some(*front) && listener.is_none_or(|one| one.pool.as_ref() == Some(&pool.id))
        });
        let parts = [
            ("listener", listener.map(|listener| listener.provisioning)),
            ("pool of port", pool.map(|pool| pool.provisioning)),
        ];
        for (part, status) in parts {
            let status = status.map_or("missing", Provisioning::as_str);
            if status != Provisioning::Active.as_str() {
                return State::Pending(format!("{}: {part} {front} {status}", wanted.key));
            }
        }
    }
    let address = if wanted.public {
        match (&observed.terrain.floating_network, floating_ip) {
            (_, Some(floating_ip)) => Some(floating_ip.address),
            (Lookup::Unset, None) => present.vip_address,
            (Lookup::Found(_) | Lookup::Wrong(_), None) => None,
        }
    } else {
        present.vip_address
    };
    match address {
        None => State::Pending(format!("{}: no floating IP yet", wanted.key)),
        Some(address) if is_a_members_own(wanted, address) => State::Failed(format!(
            "{}: the cloud gives {address} as the load balancer's address, but that is a member's own; it is not published",
            wanted.key
        )),
        Some(address) => State::Ready(address),
    }
}

/// A failed child leaves its load balancer ACTIVE, and traffic flows: without a check, or not to this member.
fn trouble(wanted: &desired::LoadBalancer, present: &LoadBalancer) -> Vec<String> {
    let mut trouble = Vec::new();
    for pool in &present.pools {
        let Some(front) = pool.front else { continue };
        let mut say = |what: &str| {
            trouble.push(format!("{}: Octavia says ERROR for {what} of port {front}", wanted.key));
        };
        if pool.monitor.as_ref().is_some_and(|monitor| monitor.provisioning == Provisioning::Error) {
            say("the health monitor");
        }
        for member in pool.members.iter().filter(|member| member.provisioning == Provisioning::Error) {
            say(&format!("member {} ({})", member.name, SocketAddr::new(member.address, member.port.get())));
        }
    }
    trouble
}

fn is_a_members_own(wanted: &desired::LoadBalancer, address: IpAddr) -> bool {
    wanted.listeners.values().any(|listener| listener.members.keys().any(|(member, _)| *member == address))
}

fn members(present: &LoadBalancer) -> Vec<outcome::Member> {
    let pools = present.pools.iter().filter(|pool| pool.front.is_some());
    let of = |pool: &Pool| {
        let is_monitored = pool.monitor.is_some();
        pool.members.iter().map(|one| member(one, is_monitored)).collect::<Vec<_>>()
    };
    let mut members: Vec<outcome::Member> = pools.flat_map(of).collect();
    members.sort();
    members
}

fn member(member: &Member, is_monitored: bool) -> outcome::Member {
    let health = match member.operating {
        _ if !member.admin_state_up => MemberHealth::SwitchedOff,
        Operating::Online | Operating::Draining => MemberHealth::Online,
        Operating::Error => MemberHealth::Down,
        // Octavia says so too between the making of a monitor and its first report.
        Operating::NoMonitor if !is_monitored => MemberHealth::NotMonitored,
        Operating::NoMonitor | Operating::Offline | Operating::Degraded | Operating::Unknown => {
            MemberHealth::Unknown
        }
    };
    outcome::Member {
        name: member.name.clone(),
        socket: SocketAddr::new(member.address, member.port.get()),
        health,
    }
}
