//! Between Octavia and the data plane: what is to be served, and the amphorae's reports of how it fares
//! (`octavia/amphorae/drivers/health/heartbeat_udp.py`, `UpdateHealthDb`).

use std::sync::{Mutex, Weak};
use std::time::Duration;

use serde_json::Value;

use super::embedded::World;
use super::serving;
use super::store::{Kind, text};
use crate::data_plane::{ListenerConfig, MemberConfig, MemberStatus, PoolConfig, VipConfig};

/// Reports until the cloud is gone.
pub(super) async fn run(world: Weak<Mutex<World>>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let Some(world) = world.upgrade() else { return };
        let mut world = world.lock().unwrap();
        world.catch_up();
        if !world.store.switches.silent {
            report(&mut world);
        }
    }
}

/// Tells the data plane what a load balancer serves now, or that it is gone.
pub(super) fn apply(world: &mut World, id: &str) {
    let config = world.store.get(Kind::LoadBalancer, id).and_then(|one| serving::config(world, one));
    if let Some(config) = config {
        world.data_plane.apply(config.clone());
        world.serving.insert(id.to_owned(), config);
    } else {
        world.data_plane.remove(id);
        world.serving.remove(id);
    }
}

/// Floating IPs and ports have changed: they may lead to any load balancer, whatever Octavia is doing with it.
pub(super) fn readdress(world: &mut World) {
    let mut changed = Vec::new();
    for (id, config) in &world.serving {
        let Some(load_balancer) = world.store.get(Kind::LoadBalancer, id) else { continue };
        let addresses = serving::addresses(world, load_balancer);
        if addresses != config.addresses {
            changed.push(VipConfig { addresses, ..config.clone() });
        }
    }
    for config in changed {
        world.data_plane.apply(config.clone());
        world.serving.insert(config.load_balancer.clone(), config);
    }
}

/// One heartbeat of every amphora.
fn report(world: &mut World) {
    for id in
        world.store.all(Kind::LoadBalancer).iter().map(|one| text(one, "id").to_owned()).collect::<Vec<_>>()
    {
        let load_balancer = world.store.get(Kind::LoadBalancer, &id).expect("listed").clone();
        // Without an amphora nothing is reported; one whose load balancer is switched off has nothing to report of.
        let served = world.serving.get(&id);
        if served.is_none() && load_balancer["admin_state_up"] == true {
            continue;
        }
        let listeners = served.map(|config| config.listeners.clone()).unwrap_or_default();
        let is_up = load_balancer["admin_state_up"] == true;
        let mut status = if is_up { "ONLINE" } else { "OFFLINE" };
        report_listeners(world, &load_balancer, &listeners);
        let pools: Vec<&PoolConfig> =
            listeners.iter().filter_map(|listener| listener.pool.as_ref()).collect();
        for pool in world.store.ids(Kind::Pool, "_load_balancer", &id) {
            // haproxy knows only the pools that listeners lead to.
            match pools.iter().find(|config| config.id == pool) {
                Some(config) => status = report_pool(world, config, status),
                None => set(world, Kind::Pool, &pool, "OFFLINE"),
            }
        }
        set(world, Kind::LoadBalancer, &id, status);
    }
}

fn set(world: &mut World, kind: Kind, id: &str, status: &str) {
    world.store.set(kind, id, "operating_status", status);
}

fn report_listeners(world: &mut World, load_balancer: &Value, reported: &[ListenerConfig]) {
    let is_active = load_balancer["provisioning_status"] == "ACTIVE";
    for id in world.store.ids(Kind::Listener, "_load_balancer", text(load_balancer, "id")) {
        let is_enabled =
            world.store.get(Kind::Listener, &id).is_some_and(|listener| listener["admin_state_up"] == true);
        let status = match reported.iter().any(|listener| listener.id == id) {
            true => "ONLINE",
            false if is_enabled && is_active => "ERROR",
            false => "OFFLINE",
        };
        set(world, Kind::Listener, &id, status);
    }
}

/// `_process_pool_status`: what becomes of the pool, and of its load balancer.
fn report_pool(world: &mut World, pool: &PoolConfig, load_balancer: &'static str) -> &'static str {
    let statuses: Vec<(&MemberConfig, MemberStatus)> =
        pool.members.iter().map(|member| (member, world.data_plane.member_status(&member.id))).collect();
    // haproxy's backend is UP while the weights of its usable servers come to something, or it has none.
    let is_usable = |(member, status): &(&MemberConfig, MemberStatus)| {
        member.weight > 0
            && matches!(status, MemberStatus::Up | MemberStatus::NoMonitor | MemberStatus::Unknown)
    };
    let is_up = statuses.is_empty() || statuses.iter().any(is_usable);
    let mut status = if is_up { "ONLINE" } else { "ERROR" };
    let mut whole = if is_up { load_balancer } else { "ERROR" };
    for id in world.store.ids(Kind::Member, "_pool", &pool.id) {
        let fares = statuses.iter().find(|(member, _)| member.id == id).map(|(_, status)| *status);
        let member = match fares {
            Some(MemberStatus::Up) => "ONLINE",
            Some(MemberStatus::Draining) => "DRAINING",
            Some(MemberStatus::NoMonitor) => "NO_MONITOR",
            Some(MemberStatus::Down) => {
                if status == "ONLINE" {
                    status = "DEGRADED";
                    whole = if whole == "ONLINE" { "DEGRADED" } else { whole };
                }
                "ERROR"
            }
            // The data plane does not know it yet.
            Some(MemberStatus::Unknown) => continue,
            None if world
                .store
                .get(Kind::Member, &id)
                .is_some_and(|one| one["operating_status"] == "NO_MONITOR") =>
            {
                continue;
            }
            Some(MemberStatus::Maintenance) | None => "OFFLINE",
        };
        set(world, Kind::Member, &id, member);
    }
    set(world, Kind::Pool, &pool.id, status);
    whole
}
