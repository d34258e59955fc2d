//! Looks at the cloud: everything under our marks, side by side, and the facts that a plan needs.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use futures_util::future::try_join_all;

use super::observed::{
    self, FloatingIp, Listener, LoadBalancer, Lookup, Member, Observed, Pool, Seat, Subnet, Terrain, VipPort,
};
use super::plan::OVN;
use super::wire;
use crate::model::mark::{Mark, Scope};
use crate::model::port::Port;
use crate::openstack::{Error, Session, neutron, octavia};

/// What of the terrain is asked for.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// The option `lb-subnet`.
    pub subnet: Option<&'a str>,
    /// The option `lb-floating-network`.
    pub floating_network: Option<&'a str>,
    /// Our own address, whose subnet takes the VIPs if `lb-subnet` is not set.
    pub own_address: Option<IpAddr>,
    /// The addresses of all back ends.
    pub back_ends: BTreeSet<IpAddr>,
    /// The option `lb-flavor`.
    pub flavor: Option<&'a str>,
    /// Whether there is a list of who may connect, which must not lock the cluster out.
    pub surroundings: bool,
    /// The load balancers that are wanted: if one is missing, it matters what the cloud makes them with.
    pub wanted: BTreeSet<Mark>,
}

/// Everything that is ours, and the terrain; what was looked up before in this hook is not looked up again.
pub async fn observe(
    session: &Session,
    scope: &Scope,
    question: &Question<'_>,
    before: Option<&Terrain>,
) -> Result<Observed, Error> {
    let tag = scope.as_str();
    let (load_balancers, listeners, pools, monitors, ports, floating_ips, named) = tokio::try_join!(
        octavia::load_balancer::list(session, tag),
        octavia::listener::list(session, tag),
        octavia::pool::list(session, tag),
        octavia::health_monitor::list(session, tag),
        neutron::port::list(session, tag),
        neutron::floating_ip::list(session, tag),
        named(session, question, before),
    )?;
    let members = try_join_all(pools.iter().map(|pool| octavia::member::list(session, &pool.id)));
    let (members, foreign) = tokio::try_join!(members, foreign_monitors(session, &pools, &monitors))?;
    let monitors = monitors.into_iter().chain(foreign).collect();
    let mut loose = Parts { listeners, pools: pools.into_iter().zip(members).collect(), monitors };
    let terrain = Terrain { seats: seats(&ports, question), ..named };
    let terrain = match (&terrain.subnet, question.own_address) {
        (Lookup::Unset, Some(own)) => {
            Terrain { subnet: own_subnet(session, &terrain, own).await?, ..terrain }
        }
        _ => terrain,
    };
    let load_balancers: Vec<LoadBalancer> = load_balancers
        .into_iter()
        .filter_map(|one| Some((mark(scope, &one.tags)?, one)))
        .map(|(mark, one)| load_balancer(mark, one, &mut loose))
        .collect();
    let is_there = |mark: &&Mark| load_balancers.iter().any(|one| one.mark == **mark);
    let terrain = if question.surroundings && before.is_none() {
        surroundings(session, terrain, &load_balancers).await?
    } else {
        terrain
    };
    let terrain = if terrain.offers_ovn.is_none() && !question.wanted.iter().all(|mark| is_there(&mark)) {
        Terrain { offers_ovn: Some(octavia::provider::offers(session, OVN).await?), ..terrain }
    } else {
        terrain
    };
    Ok(Observed {
        load_balancers,
        ports: ports.into_iter().filter_map(|one| vip_port(scope, one)).collect(),
        floating_ips: floating_ips.into_iter().filter_map(|one| floating_ip(scope, one)).collect(),
        terrain,
    })
}

fn mark(scope: &Scope, tags: &[String]) -> Option<Mark> {
    tags.iter().find_map(|tag| scope.parse(tag))
}

/// What was listed apart and belongs into load balancers.
struct Parts {
    listeners: Vec<octavia::listener::Listener>,
    pools: Vec<(octavia::pool::Pool, Vec<octavia::member::Member>)>,
    monitors: Vec<octavia::health_monitor::HealthMonitor>,
}

/// A pool has one monitor; one that somebody else gave to a pool of ours stands where ours should.
async fn foreign_monitors(
    session: &Session,
    pools: &[octavia::pool::Pool],
    monitors: &[octavia::health_monitor::HealthMonitor],
) -> Result<Vec<octavia::health_monitor::HealthMonitor>, Error> {
    let ids = pools.iter().filter_map(|pool| pool.healthmonitor_id.as_deref());
    let unknown = ids.filter(|id| monitors.iter().all(|monitor| monitor.id != *id));
    let found = try_join_all(unknown.map(|id| octavia::health_monitor::find(session, id))).await?;
    Ok(found.into_iter().flatten().collect())
}

fn load_balancer(mark: Mark, one: octavia::load_balancer::LoadBalancer, parts: &mut Parts) -> LoadBalancer {
    let (listeners, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut parts.listeners)
        .into_iter()
        .partition(|part| part.load_balancer_id() == Some(&one.id));
    parts.listeners = rest;
    let (pools, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut parts.pools)
        .into_iter()
        .partition(|(part, _)| part.load_balancer_id() == Some(&one.id));
    parts.pools = rest;
    LoadBalancer {
        mark,
        name: one.name,
        provisioning: wire::provisioning(one.provisioning_status),
        operating: wire::operating(one.operating_status),
        vip_address: one.vip_address,
        vip_port: one.vip_port_id,
        vip_subnet: one.vip_subnet_id,
        provider: one.provider,
        flavor: one.flavor_id,
        availability_zone: one.availability_zone,
        created_at: one.created_at,
        listeners: listeners.into_iter().filter_map(listener).collect(),
        pools: pools.into_iter().map(|(one, members)| pool(one, members, &parts.monitors)).collect(),
        id: one.id,
    }
}

fn listener(one: octavia::listener::Listener) -> Option<Listener> {
    Some(Listener {
        port: Port::new(one.protocol_port)?,
        protocol: one.protocol,
        allowed_cidrs: one.allowed_cidrs.into_iter().flatten().collect(),
        pool: one.default_pool_id,
        timeout_client_data: one.timeout_client_data,
        timeout_member_connect: one.timeout_member_connect,
        timeout_member_data: one.timeout_member_data,
        provisioning: wire::provisioning(one.provisioning_status),
        id: one.id,
    })
}

fn pool(
    one: octavia::pool::Pool,
    members: Vec<octavia::member::Member>,
    monitors: &[octavia::health_monitor::HealthMonitor],
) -> Pool {
    let monitor = monitors.iter().find(|monitor| Some(&monitor.id) == one.healthmonitor_id.as_ref());
    Pool {
        front: wire::front(&one.tags),
        refused: wire::refused(&one.tags),
        protocol: one.protocol,
        algorithm: wire::algorithm(&one.lb_algorithm),
        persistence: one.session_persistence.map(|persistence| persistence.kind),
        provisioning: wire::provisioning(one.provisioning_status),
        members: members.into_iter().filter_map(member).collect(),
        monitor: monitor.cloned().map(health_monitor),
        id: one.id,
    }
}

fn member(one: octavia::member::Member) -> Option<Member> {
    Some(Member {
        name: one.name,
        address: one.address,
        port: Port::new(one.protocol_port)?,
        weight: one.weight.unwrap_or_default(),
        backup: one.backup,
        admin_state_up: one.admin_state_up,
        subnet: one.subnet_id,
        monitor_port: one.monitor_port.and_then(Port::new),
        monitor_address: one.monitor_address,
        provisioning: wire::provisioning(one.provisioning_status),
        operating: wire::operating(one.operating_status),
        id: one.id,
    })
}

fn health_monitor(one: octavia::health_monitor::HealthMonitor) -> observed::HealthMonitor {
    observed::HealthMonitor {
        kind: wire::kind(&one.kind),
        delay: one.delay,
        timeout: one.timeout,
        max_retries: one.max_retries,
        max_retries_down: one.max_retries_down,
        http_method: one.http_method,
        url_path: one.url_path,
        expected_codes: one.expected_codes,
        provisioning: wire::provisioning(one.provisioning_status),
        id: one.id,
    }
}

fn vip_port(scope: &Scope, one: neutron::port::Port) -> Option<VipPort> {
    let mark = scope.parse(one.description.as_deref()?)?;
    let fixed = one.fixed_ips.into_iter().next();
    let (address, subnet) = fixed.map(|fixed| (fixed.ip_address, fixed.subnet_id)).unzip();
    let name = one.name.unwrap_or_default();
    Some(VipPort { id: one.id, mark, name, address, subnet, network: one.network_id })
}

fn floating_ip(scope: &Scope, one: neutron::floating_ip::FloatingIp) -> Option<FloatingIp> {
    Some(FloatingIp {
        mark: scope.parse(one.description.as_deref()?)?,
        id: one.id,
        address: one.floating_ip_address,
        network: one.floating_network_id,
        port: one.port_id,
    })
}

fn seats(ports: &[neutron::port::Port], question: &Question<'_>) -> BTreeMap<IpAddr, Vec<Seat>> {
    let mut seats: BTreeMap<IpAddr, Vec<Seat>> = BTreeMap::new();
    for port in ports {
        for fixed in &port.fixed_ips {
            let address = fixed.ip_address;
            if question.back_ends.contains(&address) || question.own_address == Some(address) {
                let seat = Seat { subnet: fixed.subnet_id.clone(), network: port.network_id.clone() };
                seats.entry(address).or_default().push(seat);
            }
        }
    }
    for seats in seats.values_mut() {
        seats.sort();
        seats.dedup();
    }
    seats
}

async fn named(
    session: &Session,
    question: &Question<'_>,
    before: Option<&Terrain>,
) -> Result<Terrain, Error> {
    if let Some(before) = before {
        return Ok(before.clone());
    }
    let subnet = async {
        match question.subnet {
            Some(name) => {
                Ok(only("lb-subnet", "subnet", name, neutron::subnet::find(session, name).await?, |one| {
                    Subnet { id: one.id, network: one.network_id, cidr: one.cidr, named: true }
                }))
            }
            None => Ok(Lookup::Unset),
        }
    };
    let floating_network = async {
        match question.floating_network {
            Some(name) => {
                let found = neutron::network::find(session, name).await?;
                Ok(only("lb-floating-network", "network", name, found, |one| one.id))
            }
            None => Ok(Lookup::Unset),
        }
    };
    let flavor = async {
        match question.flavor {
            Some(name) => {
                let found = octavia::flavor::find(session, name).await?;
                Ok(only("lb-flavor", "flavor", name, found, |one| one.id))
            }
            None => Ok(Lookup::Unset),
        }
    };
    let (subnet, floating_network, flavor) = tokio::try_join!(subnet, floating_network, flavor)?;
    let own_address = question.own_address;
    Ok(Terrain { subnet, floating_network, flavor, own_address, ..Terrain::default() })
}

/// The subnets of all that has to do with our load balancers, and the routers' addresses.
async fn surroundings(
    session: &Session,
    terrain: Terrain,
    load_balancers: &[LoadBalancer],
) -> Result<Terrain, Error> {
    let seats = terrain.seats.values().flatten().map(|seat| seat.subnet.as_str());
    let vips = load_balancers.iter().filter_map(|one| one.vip_subnet.as_deref());
    let new = if let Lookup::Found(subnet) = &terrain.subnet { Some(subnet.id.as_str()) } else { None };
    let ids: BTreeSet<&str> = seats.chain(vips).chain(new).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let (subnets, routers) =
        tokio::try_join!(neutron::subnet::all(session, &ids), neutron::router::list(session))?;
    let gateways = routers.into_iter().filter_map(|router| router.external_gateway_info);
    Ok(Terrain {
        cidrs: subnets.into_iter().map(|subnet| (subnet.id, subnet.cidr)).collect(),
        gateways: gateways.flat_map(|gateway| gateway.external_fixed_ips).map(|one| one.ip_address).collect(),
        ..terrain
    })
}

async fn own_subnet(session: &Session, terrain: &Terrain, own: IpAddr) -> Result<Lookup<Subnet>, Error> {
    let Some(id) = terrain.member_subnet(own, None) else { return Ok(Lookup::Unset) };
    let found = neutron::subnet::find(session, id).await?.into_iter().next();
    let subnet =
        found.map(|one| Subnet { id: one.id, network: one.network_id, cidr: one.cidr, named: false });
    Ok(subnet.map_or(Lookup::Unset, Lookup::Found))
}

fn only<Wire, T>(
    option: &str,
    what: &str,
    name: &str,
    found: Vec<Wire>,
    take: impl Fn(Wire) -> T,
) -> Lookup<T> {
    let count = found.len();
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Lookup::Found(take(one)),
        (None, _) => Lookup::Wrong(format!(
            "{option} is {name:?}, but the project sees no such {what}; give the name or id of one"
        )),
        (Some(_), Some(_)) => Lookup::Wrong(format!(
            "{option} is {name:?}, but {count} {what}s have that name; give the id of one"
        )),
    }
}
