//! The floating IP of one load balancer: made where it is wanted, and never taken away again.

use crate::model::finding::Finding;
use crate::octavia::change::{Change, PortReference};
use crate::octavia::desired::LoadBalancer as Wanted;
use crate::octavia::observed::{FloatingIp, Lookup, Terrain};

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
