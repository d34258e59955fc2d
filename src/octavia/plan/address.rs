//! The floating IP of one load balancer: made where it is wanted, and never taken away again.

use super::fit;
use super::surplus::Kept;
use crate::model::finding::Finding;
use crate::octavia::change::{Change, PortReference};
use crate::octavia::desired::LoadBalancer as Wanted;
use crate::octavia::observed::{FloatingIp, LoadBalancer, Lookup, Terrain};

pub(super) fn floating_ip(
    wanted: &Wanted,
    present: Option<&FloatingIp>,
    port: PortReference,
    terrain: &Terrain,
    changes: &mut Vec<Change>,
    findings: &mut Vec<Finding>,
) {
    let Some(present) = present else {
        if let (true, Lookup::Found(network)) = (wanted.public, &terrain.floating_network) {
            changes.push(Change::CreateFloatingIp { network: network.clone(), port });
        }
        return;
    };
    let FloatingIp { id, address, network, port: leads_to, mark: _ } = present;
    let keeps =
        |why: &str| Finding::note(format!("{why}, but {} keeps its floating IP {address}", wanted.key));
    match &terrain.floating_network {
        _ if !wanted.public => findings.push(keeps("the request is no longer public")),
        Lookup::Found(wished) if wished != network => {
            findings.push(keeps(&format!("lb-floating-network is now {wished}")));
        }
        Lookup::Unset => findings.push(keeps("lb-floating-network is no longer set")),
        Lookup::Found(_) | Lookup::Wrong(_) => {}
    }
    let attached = matches!(&port, PortReference::Existing(id) if leads_to.as_ref() == Some(id));
    if !attached {
        changes.push(Change::AttachFloatingIp { id: id.clone(), address: *address, port });
    }
}

/// The same for a load balancer that is there; OVN wires a floating IP only to a port that has the name it goes by.
pub(super) fn floating_ip_of(
    wanted: &Wanted,
    load_balancer: &LoadBalancer,
    kept: &Kept<'_>,
    terrain: &Terrain,
    changes: &mut Vec<Change>,
    findings: &mut Vec<Finding>,
) {
    let Some(id) = &load_balancer.vip_port else { return };
    let port = PortReference::Existing(id.clone());
    let name = fit::ovn_port_name(&load_balancer.id);
    let is_wired = !fit::is_ovn(load_balancer) || kept.port.is_none_or(|port| port.name == name);
    let mut floating = Vec::new();
    floating_ip(wanted, kept.floating_ip, port.clone(), terrain, &mut floating, findings);
    if is_wired {
        return changes.append(&mut floating);
    }
    match (floating.is_empty(), kept.floating_ip) {
        (true, None) => return,
        (true, Some(FloatingIp { id, address, .. })) => {
            floating.push(Change::AttachFloatingIp { id: id.clone(), address: *address, port });
        }
        (false, _) => {}
    }
    changes.push(Change::RenamePort { id: id.clone(), name });
    changes.append(&mut floating);
}
