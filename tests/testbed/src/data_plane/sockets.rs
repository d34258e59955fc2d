//! The data plane on real sockets of 127.0.0.0/8.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::front::{Front, Sessions};
use super::pool::Pool;
use super::session::Route;
use super::{DataPlane, MemberStatus, PoolConfig, VipConfig};
use crate::eventually::eventually;

/// Octavia's default `timeout_member_connect`, for pools that no listener uses.
const CONNECT: Duration = Duration::from_secs(5);

/// Each address and front port of a load balancer is a listening TCP socket.
///
/// UDP and SCTP listeners are configured but carry no traffic. Everything ends when this is dropped.
#[derive(Debug)]
pub struct Sockets {
    clock: u32,
    load_balancers: Mutex<HashMap<String, LoadBalancer>>,
}

#[derive(Debug, Default)]
struct LoadBalancer {
    fronts: HashMap<(IpAddr, u16), Front>,
    pools: HashMap<String, Arc<Pool>>,
    sessions: Sessions,
}

impl Sockets {
    /// Serves nothing yet. Health monitors run `clock` times as fast as they are configured.
    pub fn new(clock: u32) -> Self {
        assert!(clock > 0, "a clock that stands still checks nothing");
        Self { clock, load_balancers: Mutex::default() }
    }

    /// Where a front port is really bound: 10,000 higher, where the port is below 1024 and may not be bound.
    ///
    /// None if nothing is served there.
    pub fn front(&self, address: IpAddr, port: u16) -> Option<SocketAddr> {
        let bound = {
            let load_balancers = self.load_balancers.lock().unwrap();
            load_balancers.values().find_map(|one| one.fronts.get(&(address, port)))?.bound()
        };
        let what = format!("{address} port {port} is free to listen on");
        eventually(&what, Duration::from_secs(10), || bound.get().is_some());
        bound.get().copied()
    }
}

impl DataPlane for Sockets {
    fn apply(&self, vip: VipConfig) {
        let VipConfig { load_balancer, addresses, listeners, spare_pools } = vip;
        let mut load_balancers = self.load_balancers.lock().unwrap();
        let serving = load_balancers.entry(load_balancer).or_default();

        let mut pools = HashMap::new();
        let mut served = |config: &PoolConfig, connect| -> Arc<Pool> {
            let before = serving.pools.get(&config.id).map(Arc::as_ref);
            pools
                .entry(config.id.clone())
                .or_insert_with(|| Arc::new(Pool::new(config, connect, self.clock, before)))
                .clone()
        };
        let mut fronts = HashMap::new();
        for listener in &listeners {
            let pool = listener.pool.as_ref().map(|pool| served(pool, listener.timeout_member_connect));
            if matches!(listener.protocol.as_str(), "UDP" | "SCTP") {
                continue;
            }
            for &address in &addresses {
                let place = (address, listener.port);
                let route = Route::new(listener, pool.clone());
                let front = match serving.fronts.remove(&place) {
                    Some(front) => {
                        front.reroute(route);
                        front
                    }
                    None => Front::start(address, listener.port, route, serving.sessions.clone()),
                };
                fronts.insert(place, front);
            }
        }
        for pool in &spare_pools {
            served(pool, CONNECT);
        }
        serving.fronts = fronts;
        serving.pools = pools;
    }

    fn remove(&self, load_balancer: &str) {
        self.load_balancers.lock().unwrap().remove(load_balancer);
    }

    fn member_status(&self, member: &str) -> MemberStatus {
        let load_balancers = self.load_balancers.lock().unwrap();
        load_balancers
            .values()
            .flat_map(|one| one.pools.values())
            .find_map(|pool| pool.status(member))
            .unwrap_or(MemberStatus::Unknown)
    }
}
