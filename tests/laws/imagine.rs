//! What a cloud would look like after a change: the least that makes the laws of `plan` testable without a cloud.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use ipnet::IpNet;
use octavia_integrator::model::port::Port;
use octavia_integrator::octavia::change::{Change, MonitorFields, PoolReference, PortReference};
use octavia_integrator::octavia::desired;
use octavia_integrator::octavia::observed::{
    FloatingIp, HealthMonitor, Listener, LoadBalancer, Lookup, Member, Observed, Pool, VipPort,
};
use octavia_integrator::octavia::plan::Steps;
use octavia_integrator::octavia::status::{Operating, Provisioning};

/// Carries out the first `count` changes of these steps.
pub(crate) fn imagine(observed: &mut Observed, steps: &Steps, count: usize) {
    let mut world = World { observed, steps, port: None, pools: Vec::new() };
    for change in steps.changes.iter().take(count) {
        world.carry_out(change);
    }
}

struct World<'a> {
    observed: &'a mut Observed,
    steps: &'a Steps,
    port: Option<String>,
    pools: Vec<(Port, String)>,
}

impl World<'_> {
    #[expect(clippy::too_many_lines, reason = "one arm a kind of change; none is long")]
    fn carry_out(&mut self, change: &Change) {
        match change {
            Change::CreatePort { network, subnet, address, name } => {
                let id = self.fresh("port");
                let address = address.unwrap_or_else(|| self.free_address());
                self.port = Some(id.clone());
                self.observed.ports.push(VipPort {
                    id,
                    mark: self.steps.mark.clone(),
                    name: name.clone(),
                    address: Some(address),
                    subnet: Some(subnet.clone()),
                    network: network.clone(),
                });
            }
            Change::CreateLoadBalancer { name, port, making, listeners, subnets, request: _ } => {
                let id = self.fresh("lb");
                let port = self.vip_port(port);
                let vip =
                    self.observed.ports.iter().find(|one| one.id == port).expect("the port is there").clone();
                let pools: Vec<Pool> = listeners
                    .iter()
                    .map(|(front, listener)| {
                        let mut pool = self.pool(*front, listener);
                        for member in &mut pool.members {
                            member.subnet = subnets.get(&member.address).cloned();
                        }
                        pool
                    })
                    .collect();
                let listeners = listeners.iter().zip(&pools);
                let listeners = listeners
                    .map(|((front, listener), pool)| {
                        self.listener(
                            *front,
                            listener.transport,
                            listener.timeouts,
                            &listener.allowed_cidrs,
                            &pool.id,
                        )
                    })
                    .collect();
                self.observed.load_balancers.push(LoadBalancer {
                    created_at: id.clone(),
                    id,
                    mark: self.steps.mark.clone(),
                    name: name.clone(),
                    provisioning: Provisioning::Active,
                    operating: Operating::Online,
                    provider: Some(making.provider.clone().unwrap_or_else(|| {
                        let offers_ovn = self.observed.terrain.offers_ovn == Some(true);
                        if offers_ovn { "ovn" } else { "amphora" }.to_owned()
                    })),
                    flavor: making.flavor.clone(),
                    availability_zone: making.availability_zone.clone(),
                    vip_address: vip.address,
                    vip_port: Some(port),
                    vip_subnet: vip.subnet,
                    listeners,
                    pools,
                });
            }
            Change::RenameLoadBalancer { id, name } => self.load_balancer(id).name.clone_from(name),
            Change::CreatePool { load_balancer, front, transport, algorithm, sticky, refused, name: _ } => {
                let id = self.fresh("pool");
                self.pools.push((*front, id.clone()));
                self.load_balancer(load_balancer).pools.push(Pool {
                    id,
                    front: Some(*front),
                    protocol: transport.as_str().to_owned(),
                    algorithm: Some(*algorithm),
                    refused: refused.clone(),
                    persistence: sticky.then(|| "SOURCE_IP".to_owned()),
                    provisioning: Provisioning::Active,
                    members: Vec::new(),
                    monitor: None,
                });
            }
            Change::UpdatePool { id, algorithm, sticky, refused, front: _ } => {
                let pool = self.existing_pool(id);
                pool.provisioning = Provisioning::Active;
                pool.algorithm = algorithm.or(pool.algorithm);
                pool.refused = refused.clone().unwrap_or_else(|| pool.refused.clone());
                if let Some(sticky) = sticky {
                    pool.persistence = sticky.then(|| "SOURCE_IP".to_owned());
                }
            }
            Change::DeletePool { id } => {
                for load_balancer in &mut self.observed.load_balancers {
                    load_balancer.pools.retain(|pool| pool.id != *id);
                    for listener in &mut load_balancer.listeners {
                        listener.pool = listener.pool.take().filter(|pool| pool != id);
                    }
                }
            }
            Change::PutMembers { pool, members, front: _, difference: _, departed: _ } => {
                let id = self.pool_id(pool);
                let fresh = self.fresh("member");
                let pool = self.existing_pool(&id);
                pool.members = members
                    .iter()
                    .map(|member| Member {
                        id: format!("{fresh}-{}-{}", member.address, member.port),
                        name: member.name.clone(),
                        address: member.address,
                        port: member.port,
                        weight: member.weight,
                        backup: member.backup,
                        admin_state_up: member.admin_state_up,
                        subnet: member.subnet.clone(),
                        monitor_port: member.monitor_port,
                        monitor_address: None,
                        provisioning: Provisioning::Active,
                        operating: Operating::Online,
                    })
                    .collect();
            }
            Change::CreateMonitor { pool, monitor, front: _, name: _ } => {
                let id = self.pool_id(pool);
                let monitor = health_monitor(self.fresh("monitor"), monitor);
                self.existing_pool(&id).monitor = Some(monitor);
            }
            Change::UpdateMonitor { id, fields, front: _ } => {
                let monitor =
                    self.monitors().find(|monitor| monitor.id == *id).expect("the monitor is there");
                let MonitorFields {
                    delay,
                    timeout,
                    max_retries,
                    max_retries_down,
                    http_method,
                    url_path,
                    expected_codes,
                } = fields.clone();
                monitor.provisioning = Provisioning::Active;
                monitor.delay = delay.unwrap_or(monitor.delay);
                monitor.timeout = timeout.unwrap_or(monitor.timeout);
                monitor.max_retries = max_retries.unwrap_or(monitor.max_retries);
                monitor.max_retries_down = max_retries_down.unwrap_or(monitor.max_retries_down);
                monitor.http_method = http_method.or(monitor.http_method.take());
                monitor.url_path = url_path.or(monitor.url_path.take());
                monitor.expected_codes = expected_codes.or(monitor.expected_codes.take());
            }
            Change::DeleteMonitor { id, front: _, kind: _ } => {
                for pool in self.observed.load_balancers.iter_mut().flat_map(|one| &mut one.pools) {
                    pool.monitor = pool.monitor.take().filter(|monitor| monitor.id != *id);
                }
            }
            Change::CreateListener {
                load_balancer,
                front,
                transport,
                allowed_cidrs,
                timeouts,
                pool,
                name: _,
            } => {
                let pool = self.pool_id(pool);
                let listener = self.listener(*front, *transport, *timeouts, allowed_cidrs, &pool);
                let listeners = &mut self.load_balancer(load_balancer).listeners;
                assert!(
                    listeners.iter().all(|one| one.port != listener.port),
                    "two listeners on port {front}"
                );
                listeners.push(listener);
            }
            Change::UpdateListener { id, idle_timeout, connect_timeout, allowed_cidrs, pool, front: _ } => {
                let pool = pool.as_ref().map(|pool| self.pool_id(pool));
                let listeners = self.observed.load_balancers.iter_mut().flat_map(|one| &mut one.listeners);
                let listener =
                    listeners.into_iter().find(|one| one.id == *id).expect("the listener is there");
                listener.provisioning = Provisioning::Active;
                if let Some(allowed_cidrs) = allowed_cidrs {
                    listener.allowed_cidrs = allowed_cidrs.iter().map(ToString::to_string).collect();
                }
                listener.timeout_client_data = idle_timeout.unwrap_or(listener.timeout_client_data);
                listener.timeout_member_data = idle_timeout.unwrap_or(listener.timeout_member_data);
                listener.timeout_member_connect = connect_timeout.unwrap_or(listener.timeout_member_connect);
                listener.pool = pool.or(listener.pool.take());
            }
            Change::DeleteListener { id, front: _ } => {
                for load_balancer in &mut self.observed.load_balancers {
                    load_balancer.listeners.retain(|listener| listener.id != *id);
                }
            }
            Change::CreateFloatingIp { network, port } => {
                let id = self.fresh("fip");
                let port = self.vip_port(port);
                let number = u8::try_from(self.observed.floating_ips.len()).expect("few") + 1;
                self.observed.floating_ips.push(FloatingIp {
                    id,
                    mark: self.steps.mark.clone(),
                    address: IpAddr::from([203, 0, 113, number]),
                    network: network.clone(),
                    port: Some(port),
                });
            }
            Change::AttachFloatingIp { id, port, address: _ } => {
                let port = self.vip_port(port);
                let floating_ip = self.observed.floating_ips.iter_mut().find(|one| one.id == *id);
                floating_ip.expect("the floating IP is there").port = Some(port);
            }
            Change::DeleteLoadBalancer { id, name: _ } => {
                let is_ovn = |one: &LoadBalancer| one.id == *id && one.provider.as_deref() == Some("ovn");
                if self.observed.load_balancers.iter().any(is_ovn) {
                    self.observed.ports.retain(|port| port.name != format!("ovn-lb-vip-{id}"));
                }
                self.observed.load_balancers.retain(|one| one.id != *id);
            }
            Change::DeleteFloatingIp { id, address: _ } => {
                self.observed.floating_ips.retain(|one| one.id != *id);
            }
            Change::RenamePort { id, name } => {
                let port = self.observed.ports.iter_mut().find(|one| one.id == *id);
                port.expect("the port is there").name.clone_from(name);
            }
            Change::DeletePort { id } => {
                assert!(
                    self.observed.load_balancers.iter().all(|one| one.vip_port.as_ref() != Some(id)),
                    "a port that a load balancer uses is deleted"
                );
                self.observed.ports.retain(|one| one.id != *id);
            }
        }
    }

    fn fresh(&self, kind: &str) -> String {
        static MADE: AtomicU64 = AtomicU64::new(0);
        format!("{kind}-{:09}-{}", MADE.fetch_add(1, Ordering::Relaxed), self.steps.mark)
    }

    fn free_address(&self) -> IpAddr {
        let Lookup::Found(_) = &self.observed.terrain.subnet else { panic!("a port without a subnet") };
        let taken =
            |address: &IpAddr| self.observed.ports.iter().any(|port| port.address.as_ref() == Some(address));
        (100..=254)
            .map(|last| IpAddr::from([10, 5, 5, last]))
            .find(|address| !taken(address))
            .expect("a free address")
    }

    fn vip_port(&self, port: &PortReference) -> String {
        match port {
            PortReference::Existing(id) => id.clone(),
            PortReference::Planned => self.port.clone().expect("the port was made before"),
        }
    }

    fn pool_id(&self, pool: &PoolReference) -> String {
        match pool {
            PoolReference::Existing(id) => id.clone(),
            PoolReference::Planned(front) => {
                let made = self.pools.iter().find(|(one, _)| one == front);
                made.expect("the pool was made before").1.clone()
            }
        }
    }

    fn load_balancer(&mut self, id: &str) -> &mut LoadBalancer {
        let found = self.observed.load_balancers.iter_mut().find(|one| one.id == id);
        found.expect("the load balancer is there")
    }

    fn existing_pool(&mut self, id: &str) -> &mut Pool {
        let mut pools = self.observed.load_balancers.iter_mut().flat_map(|one| &mut one.pools);
        pools.find(|pool| pool.id == id).expect("the pool is there")
    }

    fn monitors(&mut self) -> impl Iterator<Item = &mut HealthMonitor> {
        let pools = self.observed.load_balancers.iter_mut().flat_map(|one| &mut one.pools);
        pools.filter_map(|pool| pool.monitor.as_mut())
    }

    fn pool(&self, front: Port, listener: &desired::Listener) -> Pool {
        let id = format!("{}-{front}", self.fresh("pool"));
        let members = listener.members.iter().map(|((address, port), member)| Member {
            id: format!("{id}-{address}-{port}"),
            name: member.name.clone(),
            address: *address,
            port: *port,
            weight: 1,
            backup: false,
            admin_state_up: true,
            subnet: None,
            monitor_port: member.monitor_port,
            monitor_address: None,
            provisioning: Provisioning::Active,
            operating: Operating::Online,
        });
        Pool {
            front: Some(front),
            protocol: listener.transport.as_str().to_owned(),
            algorithm: Some(listener.algorithm),
            refused: listener.refused.clone(),
            persistence: listener.sticky.then(|| "SOURCE_IP".to_owned()),
            provisioning: Provisioning::Active,
            members: members.collect(),
            monitor: listener
                .monitor
                .as_ref()
                .map(|monitor| health_monitor(format!("{id}-monitor"), monitor)),
            id,
        }
    }

    fn listener(
        &self,
        front: Port,
        transport: desired::Transport,
        timeouts: Option<desired::Timeouts>,
        allowed_cidrs: &BTreeSet<IpNet>,
        pool: &str,
    ) -> Listener {
        let desired::Timeouts { idle, connect } =
            timeouts.unwrap_or(desired::Timeouts { idle: 50_000, connect: 5_000 });
        Listener {
            id: format!("{}-{front}", self.fresh("listener")),
            port: front,
            protocol: transport.as_str().to_owned(),
            pool: Some(pool.to_owned()),
            allowed_cidrs: allowed_cidrs.iter().map(ToString::to_string).collect(),
            timeout_client_data: idle,
            timeout_member_connect: connect,
            timeout_member_data: idle,
            provisioning: Provisioning::Active,
        }
    }
}

fn health_monitor(id: String, monitor: &octavia_integrator::model::monitor::Monitor) -> HealthMonitor {
    let http = monitor.probe.http();
    HealthMonitor {
        id,
        kind: Some(monitor.probe.kind()),
        delay: monitor.delay,
        timeout: monitor.timeout,
        max_retries: monitor.max_retries,
        max_retries_down: monitor.max_retries_down,
        http_method: http.map(|http| http.method.as_str().to_owned()),
        url_path: http.map(|http| http.path.to_string()),
        expected_codes: http.map(|http| http.expected_codes.to_string()),
        provisioning: Provisioning::Active,
    }
}
