//! The members of a load balancer whose request is gone or bad while its relation stays: it is kept as it is, and goes
//! on following the units.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::{Owned, Past, Steps, members, surplus};
use crate::model::ids::UnitName;
use crate::model::mark::Mark;
use crate::model::port::Port;
use crate::model::request::BackEnd;
use crate::octavia::change::{Change, PoolReference};
use crate::octavia::desired::Member;
use crate::octavia::observed::{Pool, Terrain};
use crate::octavia::status::Provisioning;

pub(super) fn steps(
    mark: &Mark,
    owned: &Owned<'_>,
    units: &BTreeSet<BackEnd>,
    terrain: &Terrain,
    past: Past<'_>,
) -> Option<Steps> {
    let kept = surplus::kept(owned, None);
    let load_balancer = kept.load_balancer.filter(|one| one.provisioning == Provisioning::Active)?;
    let network = kept.port.map(|port| port.network.as_str());
    let mut changes = Vec::new();
    for pool in &load_balancer.pools {
        let (Some(front), Some(wanted)) = (pool.front, wanted(pool, units)) else { continue };
        let subnet = |address| terrain.member_subnet(address, network).map(str::to_owned);
        members::changes(&wanted, &pool.members, subnet, past, |members, difference, departed| {
            let pool = PoolReference::Existing(pool.id.clone());
            changes.push(Change::PutMembers { pool, front, members, difference, departed });
        });
    }
    Some(Steps {
        mark: mark.clone(),
        name: load_balancer.name.clone(),
        load_balancer: Some(load_balancer.id.clone()),
        changes,
    })
}

/// The members that the units make, if units are what the pool holds: a request may have named other back ends.
fn wanted(pool: &Pool, units: &BTreeSet<BackEnd>) -> Option<BTreeMap<(IpAddr, Port), Member>> {
    let first = pool.members.first()?;
    let application = |name: &str| name.parse::<UnitName>().ok().map(|unit| unit.application);
    let consumer = units.iter().find_map(|one| one.unit.as_ref())?.application.clone();
    let follows = pool.members.iter().all(|member| {
        (member.port, member.monitor_port) == (first.port, first.monitor_port)
            && application(&member.name).as_ref() == Some(&consumer)
    });
    follows.then(|| {
        let member = |one: &BackEnd| {
            let name = one.unit.as_ref().map_or_else(|| one.address.to_string(), ToString::to_string);
            ((one.address, first.port), Member { name, monitor_port: first.monitor_port })
        };
        units.iter().map(member).collect()
    })
}
