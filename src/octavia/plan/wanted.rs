//! The changes of one load balancer that is wanted.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::{OVN, Owned, Past, Steps, address, difference, fit, parts, surplus};
use crate::model::finding::Finding;
use crate::model::mark::Mark;
use crate::octavia::change::{Change, PortReference};
use crate::octavia::desired::{LoadBalancer as Wanted, Making, Wish};
use crate::octavia::observed::{LoadBalancer, Lookup, Terrain, VipPort};
use crate::octavia::status::Provisioning;

pub(super) fn steps(
    mark: &Mark,
    wanted: &Wanted,
    making: &Making,
    owned: &Owned<'_>,
    terrain: &Terrain,
    past: Past<'_>,
    findings: &mut Vec<Finding>,
) -> Steps {
    let kept = surplus::kept(owned, wanted.published);
    let wanted = &fit::fit(mark, wanted, kept.load_balancer, terrain, past, findings);
    let mut changes = surplus::others(owned, &kept);
    match kept.load_balancer {
        Some(load_balancer) => {
            findings.extend(difference::notes(wanted, making, load_balancer, terrain));
            if load_balancer.provisioning == Provisioning::Active {
                if load_balancer.name != wanted.name {
                    changes.push(rename(load_balancer, wanted));
                }
                let network = kept.port.map(|port| port.network.as_str());
                parts::changes(wanted, load_balancer, network, terrain, past, &mut changes);
            }
            address::floating_ip_of(wanted, load_balancer, &kept, terrain, &mut changes, findings);
        }
        None => create(wanted, making, &kept, terrain, &mut changes, findings),
    }
    let load_balancer = kept.load_balancer.map(|load_balancer| load_balancer.id.clone());
    Steps { mark: mark.clone(), name: wanted.name.clone(), load_balancer, changes }
}

fn create(
    wanted: &Wanted,
    making: &Making,
    kept: &surplus::Kept<'_>,
    terrain: &Terrain,
    changes: &mut Vec<Change>,
    findings: &mut Vec<Finding>,
) {
    // Said once for all load balancers.
    let flavor = match &terrain.flavor {
        Lookup::Wrong(_) => return,
        Lookup::Found(id) => Some(id.clone()),
        Lookup::Unset => None,
    };
    let Some((port, network)) = vip_port(wanted, kept.port, terrain, changes, findings) else { return };
    // OVN takes in a load balancer before it refuses what is in it, and would hold our VIP: which provider it is, the
    // bare one tells, and its parts and its floating IP follow in the next round.
    let bare = match making.provider.as_deref() {
        Some(provider) => provider == OVN,
        None => terrain.offers_ovn == Some(true),
    };
    let addresses =
        wanted.listeners.values().flat_map(|listener| listener.members.keys().map(|(address, _)| *address));
    let subnets: BTreeMap<IpAddr, String> = addresses
        .filter_map(|address| Some((address, terrain.member_subnet(address, Some(&network))?.to_owned())))
        .collect();
    changes.push(Change::CreateLoadBalancer {
        name: wanted.name.clone(),
        request: wanted.key.name.clone(),
        port: port.clone(),
        making: Making { flavor, ..making.clone() },
        listeners: if bare { BTreeMap::new() } else { wanted.listeners.clone() },
        subnets,
    });
    if bare {
        return;
    }
    address::floating_ip(wanted, kept.floating_ip, port, terrain, changes, findings);
}

/// The port for the VIP and its network: the one that is there, else a new one.
fn vip_port(
    wanted: &Wanted,
    port: Option<&VipPort>,
    terrain: &Terrain,
    changes: &mut Vec<Change>,
    findings: &mut Vec<Finding>,
) -> Option<(PortReference, String)> {
    if let Some(port) = port {
        return Some((PortReference::Existing(port.id.clone()), port.network.clone()));
    }
    match &terrain.subnet {
        Lookup::Found(_) if wanted.vip == Wish::Unclear && wanted.published.is_none() => None,
        Lookup::Found(subnet) => {
            let wished = wanted.vip.address();
            if let Some(address) = wished.filter(|address| !subnet.cidr.contains(address))
                && wanted.published.is_none()
            {
                findings.push(Finding::blocked(format!(
                    "{}: {address} is asked for as VIP, but lies outside of subnet {} ({}); correct {}",
                    wanted.key,
                    subnet.id,
                    subnet.cidr,
                    if matches!(wanted.vip, Wish::Operator(_)) { "lb-vip-address" } else { "the request" }
                )));
                return None;
            }
            changes.push(Change::CreatePort {
                name: wanted.name.clone(),
                network: subnet.network.clone(),
                subnet: subnet.id.clone(),
                address: wanted.published.or(wished).filter(|address| subnet.cidr.contains(address)),
            });
            Some((PortReference::Planned, subnet.network.clone()))
        }
        Lookup::Unset => {
            findings.push(Finding::blocked(
                "lb-subnet is not set and no port of the project holds our own address; set lb-subnet to the name or id \
                 of the subnet for VIPs",
            ));
            None
        }
        // Said once for all load balancers.
        Lookup::Wrong(_) => None,
    }
}

fn rename(load_balancer: &LoadBalancer, wanted: &Wanted) -> Change {
    Change::RenameLoadBalancer { id: load_balancer.id.clone(), name: wanted.name.clone() }
}
