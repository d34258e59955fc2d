//! Which of several objects under one mark stays, and how the others, or all, go.

use std::net::IpAddr;

use super::{Owned, Steps, fit};
use crate::model::mark::Mark;
use crate::octavia::change::Change;
use crate::octavia::observed::{FloatingIp, LoadBalancer, VipPort};
use crate::octavia::status::Provisioning;

/// At most one of each kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a> {
    pub(super) load_balancer: Option<&'a LoadBalancer>,
    pub(super) port: Option<&'a VipPort>,
    pub(super) floating_ip: Option<&'a FloatingIp>,
}

/// The published one stays, else the oldest.
pub(super) fn kept<'a>(owned: &Owned<'a>, published: Option<IpAddr>) -> Kept<'a> {
    let floating_to = |port: &Option<String>| {
        let leads = |floating_ip: &&&FloatingIp| floating_ip.port.is_some() && floating_ip.port == *port;
        owned.floating_ips.iter().find(leads).map(|floating_ip| floating_ip.address)
    };
    let load_balancer = owned
        .load_balancers
        .iter()
        .filter(|load_balancer| load_balancer.provisioning != Provisioning::Deleted)
        .min_by_key(|one| {
            let is_published = published.is_some()
                && (one.vip_address == published || floating_to(&one.vip_port) == published);
            (!is_published, one.created_at.clone(), one.id.clone())
        })
        .copied();
    let port = owned
        .ports
        .iter()
        .filter(|port| load_balancer.is_none_or(|one| one.vip_port.as_ref().is_none_or(|id| *id == port.id)))
        .min_by_key(|port| (published.is_none() || port.address != published, port.id.clone()))
        .copied();
    let vip_port = load_balancer.map_or_else(|| port.map(|port| port.id.clone()), |one| one.vip_port.clone());
    let floating_ip = owned
        .floating_ips
        .iter()
        .min_by_key(|one| (Some(one.address) != published, one.port != vip_port, one.id.clone()))
        .copied();
    Kept { load_balancer, port, floating_ip }
}

/// Deletes everything under a mark beside what is kept.
pub(super) fn others(owned: &Owned<'_>, kept: &Kept<'_>) -> Vec<Change> {
    let load_balancers =
        owned.load_balancers.iter().filter(|one| kept.load_balancer.is_none_or(|kept| kept.id != one.id));
    let floating_ips =
        owned.floating_ips.iter().filter(|one| kept.floating_ip.is_none_or(|kept| kept.id != one.id));
    // A load balancer that does not tell its port may use any.
    let is_told = kept.load_balancer.is_none_or(|one| one.vip_port.is_some());
    let ports = owned.ports.iter().filter(|one| is_told && kept.port.is_none_or(|kept| kept.id != one.id));
    delete(load_balancers.copied(), floating_ips.copied(), ports.copied(), &owned.ports)
}

/// Deletes everything under a mark.
pub(super) fn all(mark: &Mark, owned: &Owned<'_>) -> Steps {
    let Owned { load_balancers, ports, floating_ips } = owned;
    let changes =
        delete(load_balancers.iter().copied(), floating_ips.iter().copied(), ports.iter().copied(), ports);
    let name = load_balancers.first().map_or_else(|| mark.to_string(), |one| one.name.clone());
    Steps { mark: mark.clone(), name, load_balancer: None, changes }
}

/// A load balancer that Octavia is busy with waits for the next hook, and its port with it.
fn delete<'a>(
    load_balancers: impl Iterator<Item = &'a LoadBalancer>,
    floating_ips: impl Iterator<Item = &'a FloatingIp>,
    ports: impl Iterator<Item = &'a VipPort>,
    all_ports: &[&VipPort],
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut busy = Vec::new();
    for load_balancer in load_balancers {
        match load_balancer.provisioning {
            Provisioning::Active | Provisioning::Error => {
                // OVN's driver deletes a port that has the name it goes by, and the VIP with it.
                let name = fit::ovn_port_name(&load_balancer.id);
                let named = all_ports.iter().filter(|port| fit::is_ovn(load_balancer) && port.name == name);
                changes.extend(named.map(|port| Change::RenamePort {
                    id: port.id.clone(),
                    name: load_balancer.name.clone(),
                }));
                changes.push(Change::DeleteLoadBalancer {
                    id: load_balancer.id.clone(),
                    name: load_balancer.name.clone(),
                });
            }
            Provisioning::Deleted => {}
            Provisioning::PendingCreate
            | Provisioning::PendingUpdate
            | Provisioning::PendingDelete
            | Provisioning::Unknown => busy.extend(load_balancer.vip_port.clone()),
        }
    }
    changes.extend(
        floating_ips.map(|one| Change::DeleteFloatingIp { id: one.id.clone(), address: one.address }),
    );
    changes.extend(
        ports.filter(|port| !busy.contains(&port.id)).map(|port| Change::DeletePort { id: port.id.clone() }),
    );
    changes
}
