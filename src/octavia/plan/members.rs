//! Members: compared first, then set by one batch PUT with every field.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::Past;
use crate::model::port::Port;
use crate::octavia::change::Member;
use crate::octavia::desired;
use crate::octavia::observed;
use crate::octavia::status::Provisioning;

/// Calls `put` with each list that has to be set, usually none or one.
pub(super) fn changes(
    wanted: &BTreeMap<(IpAddr, Port), desired::Member>,
    present: &[observed::Member],
    subnet: impl Fn(IpAddr) -> Option<String>,
    past: Past<'_>,
    mut put: impl FnMut(Vec<Member>, String, bool),
) {
    if wanted.is_empty() {
        // Units come and go; a pool loses its last member only with its relation.
        return;
    }
    let find = |key: &(IpAddr, Port)| present.iter().find(|member| (member.address, member.port) == *key);
    let mut difference = Vec::new();
    for (key, member) in wanted {
        match find(key) {
            None => difference.push(format!("+{}", socket(key))),
            Some(present) if differs(member, present) => difference.push(format!("~{}", socket(key))),
            Some(_) => {}
        }
    }
    let (unmet, gone): (Vec<&observed::Member>, Vec<&observed::Member>) = present
        .iter()
        .filter(|member| !wanted.contains_key(&(member.address, member.port)))
        .partition(|member| past.unmet.contains(&member.name));
    let departed: BTreeSet<_> = gone.iter().map(|member| (member.address, member.port)).collect();
    difference.extend(departed.iter().map(|key| format!("-{}", socket(key))));
    if difference.is_empty() {
        return;
    }
    let list: Vec<Member> = wanted.iter().map(|(key, member)| one(key, member, find(key), &subnet)).collect();
    let list: Vec<Member> = list.into_iter().chain(unmet.into_iter().map(as_it_is)).collect();
    let refuses = |member: &Member| {
        find(&(member.address, member.port))
            .is_some_and(|present| past.tried.has_failed(&present.id, present.provisioning))
    };
    let (bad, good): (Vec<Member>, Vec<Member>) = list.iter().cloned().partition(refuses);
    if !bad.is_empty() && !good.is_empty() {
        let difference: Vec<String> =
            bad.iter().map(|member| format!("-{}", socket(&(member.address, member.port)))).collect();
        put(good, difference.join(" "), false);
    }
    put(list, difference.join(" "), !departed.is_empty());
}

fn differs(wanted: &desired::Member, present: &observed::Member) -> bool {
    let desired::Member { name, monitor_port } = wanted;
    present.name != *name
        || present.monitor_port != *monitor_port
        || present.monitor_address.is_some()
        || present.provisioning == Provisioning::Error
}

fn as_it_is(present: &observed::Member) -> Member {
    Member {
        address: present.address,
        port: present.port,
        name: present.name.clone(),
        weight: present.weight,
        backup: present.backup,
        admin_state_up: present.admin_state_up,
        subnet: present.subnet.clone(),
        monitor_port: present.monitor_port,
    }
}

/// Weight, backup and administrative state of a member that is there are the operator's and stay.
fn one(
    key: &(IpAddr, Port),
    wanted: &desired::Member,
    present: Option<&observed::Member>,
    subnet: &impl Fn(IpAddr) -> Option<String>,
) -> Member {
    Member {
        address: key.0,
        port: key.1,
        name: wanted.name.clone(),
        weight: present.map_or(1, |present| present.weight),
        backup: present.is_some_and(|present| present.backup),
        admin_state_up: present.is_none_or(|present| present.admin_state_up),
        subnet: present.map_or_else(|| subnet(key.0), |present| present.subnet.clone()),
        monitor_port: wanted.monitor_port,
    }
}

fn socket((address, port): &(IpAddr, Port)) -> String {
    std::net::SocketAddr::new(*address, port.get()).to_string()
}
