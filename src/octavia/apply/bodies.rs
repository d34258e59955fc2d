//! What we want, as the bodies of requests.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;

use crate::model::mark::Mark;
use crate::model::monitor::Monitor;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::model::traffic::Algorithm;
use crate::octavia::change::{self, MonitorFields, kind_name};
use crate::octavia::desired::{Listener, Making, Timeouts, Transport};
use crate::octavia::names;
use crate::octavia::wire;
use crate::openstack::neutron::floating_ip::CreateFloatingIp;
use crate::openstack::neutron::port::{AskedIp, CreatePort};
use crate::openstack::octavia::health_monitor::{CreateHealthMonitor, UpdateHealthMonitor};
use crate::openstack::octavia::listener::{CreateListener, UpdateListener};
use crate::openstack::octavia::load_balancer::CreateLoadBalancer;
use crate::openstack::octavia::member::PutMember;
use crate::openstack::octavia::pool::{CreatePool, SessionPersistence, UpdatePool};

pub(super) fn port(
    mark: &Mark,
    name: &str,
    network: &str,
    subnet: &str,
    address: Option<IpAddr>,
) -> CreatePort {
    CreatePort {
        name: name.to_owned(),
        description: mark.to_string(),
        network_id: network.to_owned(),
        fixed_ips: vec![AskedIp { subnet_id: subnet.to_owned(), ip_address: address }],
    }
}

pub(super) fn floating_ip(mark: &Mark, network: &str, port: String) -> CreateFloatingIp {
    CreateFloatingIp { floating_network_id: network.to_owned(), port_id: port, description: mark.to_string() }
}

pub(super) fn load_balancer(
    mark: &Mark,
    name: &str,
    request: &str,
    port: String,
    making: &Making,
    listeners: &BTreeMap<Port, Listener>,
    subnets: &BTreeMap<IpAddr, String>,
) -> CreateLoadBalancer {
    let listeners = listeners.iter().map(|(front, wanted)| {
        let name = names::listener(request, *front);
        let Listener { transport, allowed_cidrs, timeouts, algorithm, sticky, members, monitor, refused } =
            wanted;
        let members = members.iter().map(|((address, port), wanted)| {
            let member = change::Member {
                address: *address,
                port: *port,
                name: wanted.name.clone(),
                weight: 1,
                backup: false,
                admin_state_up: true,
                subnet: subnets.get(address).cloned(),
                monitor_port: wanted.monitor_port,
            };
            self::member(mark, *front, &member)
        });
        let pool = CreatePool {
            members: members.collect(),
            healthmonitor: monitor.as_ref().map(|wanted| self::monitor(mark, &name, *front, wanted)),
            ..pool(mark, &name, *front, *transport, *algorithm, *sticky, refused)
        };
        let alone = listener(mark, &name, *front, *transport, *timeouts, allowed_cidrs);
        CreateListener { default_pool: Some(pool), ..alone }
    });
    let Making { provider, flavor, availability_zone } = making.clone();
    CreateLoadBalancer {
        name: name.to_owned(),
        vip_port_id: port,
        provider,
        flavor_id: flavor,
        availability_zone,
        tags: vec![mark.scope().to_owned(), mark.to_string()],
        listeners: listeners.collect(),
    }
}

pub(super) fn listener(
    mark: &Mark,
    name: &str,
    front: Port,
    transport: Transport,
    timeouts: Option<Timeouts>,
    allowed_cidrs: &BTreeSet<IpNet>,
) -> CreateListener {
    CreateListener {
        name: name.to_owned(),
        protocol: transport.as_str(),
        protocol_port: front.get(),
        tags: tags(mark, front),
        allowed_cidrs: (!allowed_cidrs.is_empty()).then(|| texts(allowed_cidrs)),
        timeout_client_data: timeouts.map(|timeouts| timeouts.idle),
        timeout_member_connect: timeouts.map(|timeouts| timeouts.connect),
        timeout_member_data: timeouts.map(|timeouts| timeouts.idle),
        ..CreateListener::default()
    }
}

pub(super) fn listener_fields(
    idle_timeout: Option<u64>,
    connect_timeout: Option<u64>,
    allowed_cidrs: Option<&BTreeSet<IpNet>>,
    pool: Option<String>,
) -> UpdateListener {
    UpdateListener {
        allowed_cidrs: allowed_cidrs.map(texts),
        default_pool_id: pool,
        timeout_client_data: idle_timeout,
        timeout_member_connect: connect_timeout,
        timeout_member_data: idle_timeout,
    }
}

pub(super) fn pool(
    mark: &Mark,
    name: &str,
    front: Port,
    transport: Transport,
    algorithm: Algorithm,
    sticky: bool,
    refused: &BTreeSet<Kind>,
) -> CreatePool {
    CreatePool {
        loadbalancer_id: None,
        name: name.to_owned(),
        protocol: transport.as_str(),
        lb_algorithm: algorithm.as_str(),
        session_persistence: sticky.then(SessionPersistence::source_ip),
        tags: pool_tags(mark, front, refused),
        members: Vec::new(),
        healthmonitor: None,
    }
}

pub(super) fn pool_fields(
    algorithm: Option<Algorithm>,
    sticky: Option<bool>,
    tags: Option<Vec<String>>,
) -> UpdatePool {
    UpdatePool {
        tags,
        lb_algorithm: algorithm.map(Algorithm::as_str),
        session_persistence: sticky.map(|sticky| sticky.then(SessionPersistence::source_ip)),
    }
}

pub(super) fn member(mark: &Mark, front: Port, member: &change::Member) -> PutMember {
    let change::Member { address, port, name, weight, backup, admin_state_up, subnet, monitor_port } = member;
    PutMember {
        name: name.clone(),
        address: *address,
        protocol_port: port.get(),
        weight: *weight,
        backup: *backup,
        admin_state_up: *admin_state_up,
        subnet_id: subnet.clone(),
        monitor_port: monitor_port.map(Port::get),
        tags: tags(mark, front),
    }
}

pub(super) fn monitor(mark: &Mark, name: &str, front: Port, monitor: &Monitor) -> CreateHealthMonitor {
    let Monitor { probe, delay, timeout, max_retries, max_retries_down, port: _ } = monitor;
    let http = probe.http();
    CreateHealthMonitor {
        pool_id: None,
        name: name.to_owned(),
        kind: kind_name(probe.kind()),
        delay: *delay,
        timeout: *timeout,
        max_retries: *max_retries,
        max_retries_down: *max_retries_down,
        http_method: http.map(|http| http.method.as_str().to_owned()),
        url_path: http.map(|http| http.path.to_string()),
        expected_codes: http.map(|http| http.expected_codes.to_string()),
        tags: tags(mark, front),
    }
}

pub(super) fn monitor_fields(fields: &MonitorFields) -> UpdateHealthMonitor {
    let MonitorFields {
        delay,
        timeout,
        max_retries,
        max_retries_down,
        http_method,
        url_path,
        expected_codes,
    } = fields.clone();
    UpdateHealthMonitor {
        delay,
        timeout,
        max_retries,
        max_retries_down,
        http_method,
        url_path,
        expected_codes,
    }
}

fn texts(networks: &BTreeSet<IpNet>) -> Vec<String> {
    networks.iter().map(ToString::to_string).collect()
}

/// A pool remembers which kinds of monitor its provider did not take.
pub(super) fn pool_tags(mark: &Mark, front: Port, refused: &BTreeSet<Kind>) -> Vec<String> {
    let mut tags = tags(mark, front);
    tags.extend(refused.iter().map(|kind| wire::refused_tag(*kind)));
    tags
}

fn tags(mark: &Mark, front: Port) -> Vec<String> {
    vec![mark.scope().to_owned(), mark.to_string(), wire::front_tag(front)]
}
