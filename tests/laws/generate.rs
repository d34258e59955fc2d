//! Arbitrary requests, policies, and damage done to a cloud behind our back.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use octavia_integrator::model::health::HealthCheck;
use octavia_integrator::model::ids::{RelationId, UnitName};
use octavia_integrator::model::monitor::{MonitorPolicy, MonitorType};
use octavia_integrator::model::name_template::NameTemplate;
use octavia_integrator::model::policy::Policy;
use octavia_integrator::model::port::Port;
use octavia_integrator::model::probe::Kind;
use octavia_integrator::model::request::{BackEnd, Request, RequestKey};
use octavia_integrator::model::traffic::{Algorithm, Protocol};
use octavia_integrator::model::vip_addresses::VipAddresses;
use octavia_integrator::octavia::observed::{Lookup, Observed, Subnet, Terrain};
use octavia_integrator::octavia::status::Provisioning;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn requests() -> impl Strategy<Value = Vec<Request>> {
    btree_map((0_u32..3, select(vec!["api-server-external", "api-server-internal", "x, y"])), request(), 0..4)
        .prop_map(|requests| {
            requests
                .into_iter()
                .enumerate()
                .map(|(index, ((number, name), request))| Request {
                    // No two ask for one address: a cloud would give it to the first alone.
                    ingress_address: request
                        .ingress_address
                        .map(|_| IpAddr::from([10, 5, 5, 240 + u8::try_from(index).unwrap_or(0)])),
                    key: RequestKey {
                        relation: RelationId { endpoint: "lb-consumers".to_owned(), number },
                        name: name.to_owned(),
                    },
                    ..request
                })
                .collect()
        })
}

fn request() -> impl Strategy<Value = Request> {
    let protocol = || select(Protocol::ALL.map(|(_, protocol)| protocol).to_vec());
    let check = (protocol(), port(), option::of(Just("/livez".to_owned())), 0_u32..40, 0_u32..12);
    let check = check.prop_map(|(protocol, port, path, interval, retries)| HealthCheck {
        protocol,
        port,
        path,
        interval,
        retries,
    });
    let ports = btree_map(port(), port(), 1..3);
    let units = btree_set(0_u8..6, 0..5);
    let wishes =
        (option::of(select(Algorithm::ALL.to_vec())), option::of(Just(IpAddr::from([10, 5, 5, 240]))));
    (protocol(), ports, any::<bool>(), any::<bool>(), wishes, units, vec(check, 0..3)).prop_map(
        |(protocol, ports, public, sticky, (algorithm, ingress_address), units, checks)| Request {
            key: RequestKey {
                relation: RelationId { endpoint: "lb-consumers".to_owned(), number: 0 },
                name: String::new(),
            },
            consumer: "kubernetes-control-plane".to_owned(),
            protocol,
            ports,
            public,
            sticky,
            algorithm,
            ingress_address,
            back_ends: units.into_iter().map(back_end).collect(),
            checks,
            sent_hash: Some("hash".to_owned()),
        },
    )
}

fn back_end(number: u8) -> BackEnd {
    BackEnd {
        address: IpAddr::from([10, 5, 5, 10 + number]),
        unit: Some(UnitName { application: "kubernetes-control-plane".to_owned(), number: number.into() }),
    }
}

fn port() -> impl Strategy<Value = Port> {
    select(vec![53_u16, 443, 6443, 8080, 8443]).prop_map(|number| Port::new(number).expect("not 0"))
}

pub(crate) fn policy() -> impl Strategy<Value = Policy> {
    let kinds = Kind::ALL.map(|(_, kind)| MonitorType::Fixed(kind));
    let monitor_type = prop_oneof![Just(MonitorType::Auto), Just(MonitorType::None), select(kinds.to_vec())];
    let numbers =
        (option::of(1_u32..60), option::of(1_u32..60), option::of(1_u32..=10), option::of(1_u32..=10));
    let networks = btree_set(select(vec!["192.0.2.0/24", "198.51.100.7/32", "fd00::/64"]), 0..3);
    let templates = vec![NameTemplate::default().to_string(), "k8s".to_owned(), "{{request}}".to_owned()];
    let placement = (option::of(select(vec!["amphora", "ovn"])), option::of(Just("zone")), select(templates));
    let timeouts = (1_u32..9000, 1_u32..60);
    (monitor_type, numbers, select(Algorithm::ALL.to_vec()), timeouts, networks, placement).prop_map(
        |(
            monitor_type,
            (delay, timeout, max_retries, max_retries_down),
            algorithm,
            (idle_timeout, connect_timeout),
            networks,
            (provider, availability_zone, name_template),
        )| {
            Policy {
                subnet: None,
                floating_network: None,
                algorithm,
                front_port: Port::new(443).expect("not 0"),
                provider: provider.map(str::to_owned),
                flavor: None,
                availability_zone: availability_zone.map(str::to_owned),
                allowed_cidrs: networks.iter().map(|network| network.parse().expect("a CIDR")).collect(),
                name_template: name_template.parse().expect("a template"),
                vip_addresses: VipAddresses::Any,
                website_source: None,
                monitor: MonitorPolicy {
                    monitor_type,
                    delay,
                    timeout,
                    max_retries,
                    max_retries_down,
                    ..MonitorPolicy::default()
                },
                idle_timeout,
                connect_timeout,
                provisioning_timeout: 120,
            }
        },
    )
}

pub(crate) fn terrain() -> impl Strategy<Value = Terrain> {
    (any::<bool>(), any::<bool>()).prop_map(|(floating, ovn)| Terrain {
        subnet: Lookup::Found(Subnet {
            id: "subnet".to_owned(),
            network: "network".to_owned(),
            cidr: "10.5.5.0/24".parse().expect("a CIDR"),
            named: true,
        }),
        floating_network: if floating { Lookup::Found("external".to_owned()) } else { Lookup::Unset },
        offers_ovn: Some(ovn),
        cidrs: BTreeMap::from([("subnet".to_owned(), "10.5.5.0/24".parse().expect("a CIDR"))]),
        gateways: BTreeSet::from([IpAddr::from([203, 0, 113, 250])]),
        own_address: None,
        flavor: Lookup::Unset,
        seats: BTreeMap::new(),
    })
}

/// Something that an operator, a crash or another tool does to what is ours.
#[derive(Debug, Clone)]
pub(crate) enum Damage {
    LoseLoadBalancer(usize),
    LosePort(usize),
    LoseFloatingIp(usize),
    DetachFloatingIp(usize),
    LoseListeners(usize),
    LosePools(usize),
    LoseMonitors(usize),
    LoseMembers(usize),
    RetimeListeners(usize, u64),
    RetuneMonitors(usize, u32),
    BreakParts(usize),
    DuplicateLoadBalancer(usize),
    DuplicatePools(usize),
    Rename(usize),
}

pub(crate) fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let which = 0_usize..4;
    let one = prop_oneof![
        which.clone().prop_map(Damage::LoseLoadBalancer),
        which.clone().prop_map(Damage::LosePort),
        which.clone().prop_map(Damage::LoseFloatingIp),
        which.clone().prop_map(Damage::DetachFloatingIp),
        which.clone().prop_map(Damage::LoseListeners),
        which.clone().prop_map(Damage::LosePools),
        which.clone().prop_map(Damage::LoseMonitors),
        which.clone().prop_map(Damage::LoseMembers),
        (which.clone(), 1_u64..99).prop_map(|(which, time)| Damage::RetimeListeners(which, time)),
        (which.clone(), 1_u32..99).prop_map(|(which, delay)| Damage::RetuneMonitors(which, delay)),
        which.clone().prop_map(Damage::BreakParts),
        which.clone().prop_map(Damage::DuplicateLoadBalancer),
        which.clone().prop_map(Damage::DuplicatePools),
        which.prop_map(Damage::Rename),
    ];
    vec(one, 0..5)
}

impl Damage {
    pub(crate) fn strike(&self, observed: &mut Observed) {
        let Observed { load_balancers, ports, floating_ips, terrain: _ } = observed;
        match *self {
            Self::LoseLoadBalancer(which) if which < load_balancers.len() => {
                load_balancers.remove(which);
            }
            // A port that a load balancer uses cannot be deleted.
            Self::LosePort(which) if which < ports.len() => {
                let used: BTreeSet<_> =
                    load_balancers.iter().filter_map(|one| one.vip_port.clone()).collect();
                if !used.contains(&ports[which].id) {
                    ports.remove(which);
                }
            }
            Self::LoseFloatingIp(which) if which < floating_ips.len() => {
                floating_ips.remove(which);
            }
            Self::DetachFloatingIp(which) if which < floating_ips.len() => floating_ips[which].port = None,
            Self::DuplicateLoadBalancer(which) if which < load_balancers.len() => {
                let mut twin = load_balancers[which].clone();
                let mut port = ports.iter().find(|port| Some(&port.id) == twin.vip_port.as_ref()).cloned();
                twin.id.push_str("-twin");
                twin.created_at.push_str("-later");
                if let Some(port) = &mut port {
                    port.id.push_str("-twin");
                    port.address = Some(IpAddr::from([10, 5, 5, 99]));
                    twin.vip_port = Some(port.id.clone());
                    twin.vip_address = port.address;
                }
                ports.extend(port);
                load_balancers.push(twin);
            }
            _ => {
                let which = self.which();
                let Some(one) = load_balancers.get_mut(which) else { return };
                match self {
                    Self::LoseListeners(_) => one.listeners.clear(),
                    Self::LosePools(_) => {
                        one.pools.clear();
                        one.listeners.iter_mut().for_each(|listener| listener.pool = None);
                    }
                    Self::LoseMonitors(_) => one.pools.iter_mut().for_each(|pool| pool.monitor = None),
                    Self::LoseMembers(_) => one.pools.iter_mut().for_each(|pool| pool.members.clear()),
                    Self::RetimeListeners(_, time) => {
                        one.listeners.iter_mut().for_each(|listener| listener.timeout_member_data = *time);
                    }
                    Self::RetuneMonitors(_, delay) => {
                        let monitors = one.pools.iter_mut().filter_map(|pool| pool.monitor.as_mut());
                        monitors.for_each(|monitor| monitor.delay = *delay);
                    }
                    Self::BreakParts(_) => {
                        one.listeners.iter_mut().for_each(|part| part.provisioning = Provisioning::Error);
                        for pool in &mut one.pools {
                            pool.provisioning = Provisioning::Error;
                            pool.members.iter_mut().for_each(|part| part.provisioning = Provisioning::Error);
                            pool.monitor.iter_mut().for_each(|part| part.provisioning = Provisioning::Error);
                        }
                    }
                    Self::DuplicatePools(_) => {
                        let twins = one.pools.clone();
                        for mut twin in twins {
                            twin.id.push_str("-twin");
                            one.pools.push(twin);
                        }
                    }
                    Self::Rename(_) => "renamed".clone_into(&mut one.name),
                    _ => {}
                }
            }
        }
    }

    fn which(&self) -> usize {
        match *self {
            Self::LoseLoadBalancer(which)
            | Self::LosePort(which)
            | Self::LoseFloatingIp(which)
            | Self::DetachFloatingIp(which)
            | Self::LoseListeners(which)
            | Self::LosePools(which)
            | Self::LoseMonitors(which)
            | Self::LoseMembers(which)
            | Self::RetimeListeners(which, _)
            | Self::RetuneMonitors(which, _)
            | Self::BreakParts(which)
            | Self::DuplicateLoadBalancer(which)
            | Self::DuplicatePools(which)
            | Self::Rename(which) => which,
        }
    }
}
