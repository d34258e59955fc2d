//! Between Octavia and the data plane: what is to be served, and the amphorae's reports of how it fares.

use std::sync::{Mutex, Weak};
use std::time::Duration;

use serde_json::Value;

use super::embedded::World;
use super::store::Kind;
use crate::data_plane::{ListenerConfig, MemberConfig, MemberStatus, MonitorConfig, PoolConfig, VipConfig};

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

/// Floating IPs may lead to any load balancer.
pub(super) fn apply_all(world: &World) {
    for load_balancer in world.store.all(Kind::LoadBalancer) {
        apply(world, load_balancer["id"].as_str().unwrap_or_default());
    }
}

/// Tells the data plane what a load balancer serves now, or that it is gone.
pub(super) fn apply(world: &World, id: &str) {
    let Some(load_balancer) = world.store.get(Kind::LoadBalancer, id) else {
        world.data_plane.remove(id);
        return;
    };
    if matches!(load_balancer["provisioning_status"].as_str(), Some("PENDING_CREATE" | "PENDING_DELETE")) {
        return;
    }
    let port = load_balancer["vip_port_id"].as_str().unwrap_or_default();
    let floating = world.store.with(Kind::FloatingIp, "port_id", port).map(|one| &one["floating_ip_address"]);
    let addresses = std::iter::once(&load_balancer["vip_address"]).chain(floating);
    let pools: Vec<&Value> = world.store.with(Kind::Pool, "_load_balancer", id).collect();
    let listeners: Vec<&Value> = world.store.with(Kind::Listener, "_load_balancer", id).collect();
    let is_used = |pool: &Value| listeners.iter().any(|listener| listener["default_pool_id"] == pool["id"]);
    world.data_plane.apply(VipConfig {
        load_balancer: id.to_owned(),
        addresses: addresses.filter_map(|address| address.as_str()?.parse().ok()).collect(),
        listeners: listeners.iter().map(|one| listener(world, one)).collect(),
        spare_pools: pools.iter().filter(|one| !is_used(one)).map(|one| pool(world, one)).collect(),
    });
}

fn listener(world: &World, one: &Value) -> ListenerConfig {
    let time = |key: &str| Duration::from_millis(one[key].as_u64().unwrap_or(50_000));
    let default_pool = one["default_pool_id"].as_str().and_then(|id| world.store.get(Kind::Pool, id));
    ListenerConfig {
        id: text(one, "id"),
        port: number(one, "protocol_port"),
        protocol: text(one, "protocol"),
        timeout_client_data: time("timeout_client_data"),
        timeout_member_data: time("timeout_member_data"),
        timeout_member_connect: time("timeout_member_connect"),
        pool: default_pool.map(|one| pool(world, one)),
    }
}

fn pool(world: &World, one: &Value) -> PoolConfig {
    let id = text(one, "id");
    let monitor = one["healthmonitor_id"].as_str().and_then(|id| world.store.get(Kind::HealthMonitor, id));
    PoolConfig {
        algorithm: text(one, "lb_algorithm"),
        source_ip_persistence: one["session_persistence"]["type"] == "SOURCE_IP",
        members: world.store.with(Kind::Member, "_pool", &id).filter_map(member).collect(),
        monitor: monitor.map(health_monitor),
        id,
    }
}

fn member(one: &Value) -> Option<MemberConfig> {
    Some(MemberConfig {
        id: text(one, "id"),
        address: one["address"].as_str()?.parse().ok()?,
        port: number(one, "protocol_port"),
        weight: u32::try_from(one["weight"].as_u64()?).ok()?,
        backup: one["backup"] == true,
        admin_state_up: one["admin_state_up"] != false,
        monitor_address: one["monitor_address"].as_str().and_then(|address| address.parse().ok()),
        monitor_port: one["monitor_port"].as_u64().and_then(|port| u16::try_from(port).ok()),
    })
}

fn health_monitor(one: &Value) -> MonitorConfig {
    let seconds = |key: &str| Duration::from_secs(one[key].as_u64().unwrap_or_default());
    let count = |key: &str| u32::try_from(one[key].as_u64().unwrap_or(3)).unwrap_or(3);
    let or = |key: &str, default: &str| one[key].as_str().unwrap_or(default).to_owned();
    MonitorConfig {
        kind: text(one, "type"),
        delay: seconds("delay"),
        timeout: seconds("timeout"),
        rise: count("max_retries"),
        fall: count("max_retries_down"),
        http_method: or("http_method", "GET"),
        url_path: or("url_path", "/"),
        expected_codes: or("expected_codes", "200"),
        admin_state_up: one["admin_state_up"] != false,
    }
}

/// Operating statuses as the health manager writes them (`octavia/amphorae/drivers/health/heartbeat_udp.py`,
/// `UpdateHealthDb`).
fn report(world: &mut World) {
    let load_balancers: Vec<String> = ids(world.store.all(Kind::LoadBalancer));
    for load_balancer in load_balancers {
        let status =
            &world.store.get(Kind::LoadBalancer, &load_balancer).expect("listed")["provisioning_status"];
        if matches!(status.as_str(), Some("PENDING_CREATE" | "PENDING_DELETE")) {
            continue;
        }
        let pools: Vec<String> =
            world.store.with(Kind::Pool, "_load_balancer", &load_balancer).map(id).collect();
        let mut fares = Vec::new();
        for pool in pools {
            let members: Vec<String> = world.store.with(Kind::Member, "_pool", &pool).map(id).collect();
            let mut up = 0;
            let mut down = 0;
            for member in members {
                let status = match world.data_plane.member_status(&member) {
                    MemberStatus::Up => "ONLINE",
                    MemberStatus::Draining => "DRAINING",
                    MemberStatus::Down => "ERROR",
                    MemberStatus::NoMonitor => "NO_MONITOR",
                    MemberStatus::Maintenance => "OFFLINE",
                    MemberStatus::Unknown => continue,
                };
                if status == "ERROR" {
                    down += 1;
                } else {
                    up += 1;
                }
                world.store.set(Kind::Member, &member, "operating_status", status);
            }
            let status = match (up, down) {
                (_, 0) => "ONLINE",
                (0, _) => "ERROR",
                _ => "DEGRADED",
            };
            world.store.set(Kind::Pool, &pool, "operating_status", status);
            fares.push(status);
        }
        let status = match () {
            () if fares.iter().all(|status| *status == "ONLINE") => "ONLINE",
            () if fares.iter().all(|status| *status == "ERROR") => "ERROR",
            () => "DEGRADED",
        };
        world.store.set(Kind::LoadBalancer, &load_balancer, "operating_status", status);
        let listeners: Vec<String> =
            world.store.with(Kind::Listener, "_load_balancer", &load_balancer).map(id).collect();
        for listener in listeners {
            world.store.set(Kind::Listener, &listener, "operating_status", "ONLINE");
        }
    }
}

fn ids(objects: &[Value]) -> Vec<String> {
    objects.iter().map(id).collect()
}

fn id(object: &Value) -> String {
    text(object, "id")
}

fn text(object: &Value, key: &str) -> String {
    object[key].as_str().unwrap_or_default().to_owned()
}

fn number(object: &Value, key: &str) -> u16 {
    u16::try_from(object[key].as_u64().unwrap_or_default()).unwrap_or_default()
}
