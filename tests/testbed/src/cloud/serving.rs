//! What the data plane is told: a load balancer as haproxy's configuration would have it
//! (`octavia/common/jinja/haproxy/combined_listeners/jinja_cfg.py`).

use std::net::IpAddr;
use std::time::Duration;

use serde_json::Value;

use super::embedded::World;
use super::octavia::provider::is_ovn;
use super::store::{Kind, text};
use crate::data_plane::{ListenerConfig, MemberConfig, MonitorConfig, PoolConfig, VipConfig};

/// The VIP and the floating IPs that lead to it.
pub(super) fn addresses(world: &World, load_balancer: &Value) -> Vec<IpAddr> {
    let port = text(load_balancer, "vip_port_id");
    let vip = text(load_balancer, "vip_address");
    let floating = world.store.with(Kind::FloatingIp, "port_id", port);
    // OVN wires a floating IP only to a port that has the name it goes by (`helper.py`, `vip_port_update_handler`).
    let name = format!("ovn-lb-vip-{}", text(load_balancer, "id"));
    let is_named = world.store.get(Kind::Port, port).is_some_and(|port| port["name"] == name.as_str());
    let is_wired = !is_ovn(load_balancer) || is_named;
    let floating = floating
        .filter(|one| is_wired && one["fixed_ip_address"] == vip)
        .map(|one| &one["floating_ip_address"]);
    let addresses = std::iter::once(&load_balancer["vip_address"]).chain(floating);
    addresses.filter_map(|address| address.as_str()?.parse().ok()).collect()
}

/// None where nothing is served: nothing made yet, or switched off.
pub(super) fn config(world: &World, load_balancer: &Value) -> Option<VipConfig> {
    if load_balancer["admin_state_up"] != true {
        return None;
    }
    let id = text(load_balancer, "id");
    let pools: Vec<&Value> = world.store.with(Kind::Pool, "_load_balancer", id).collect();
    let listeners: Vec<&Value> = world
        .store
        .with(Kind::Listener, "_load_balancer", id)
        .filter(|listener| listener["admin_state_up"] == true)
        .collect();
    let is_used = |pool: &Value| listeners.iter().any(|listener| listener["default_pool_id"] == pool["id"]);
    Some(VipConfig {
        load_balancer: id.to_owned(),
        addresses: addresses(world, load_balancer),
        listeners: listeners.iter().map(|one| listener(world, one)).collect(),
        spare_pools: pools.iter().filter(|one| !is_used(one)).map(|one| pool(world, one)).collect(),
    })
}

fn listener(world: &World, one: &Value) -> ListenerConfig {
    let time = |key: &str| Duration::from_millis(one[key].as_u64().unwrap_or_default());
    let default_pool = one["default_pool_id"].as_str().and_then(|id| world.store.get(Kind::Pool, id));
    ListenerConfig {
        id: text(one, "id").to_owned(),
        port: number(one, "protocol_port"),
        protocol: text(one, "protocol").to_owned(),
        allowed_cidrs: one["allowed_cidrs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|cidr| cidr.as_str().map(str::to_owned))
            .collect(),
        timeout_client_data: time("timeout_client_data"),
        timeout_member_data: time("timeout_member_data"),
        timeout_member_connect: time("timeout_member_connect"),
        pool: default_pool.filter(|pool| pool["admin_state_up"] == true).map(|one| pool(world, one)),
    }
}

fn pool(world: &World, one: &Value) -> PoolConfig {
    let id = text(one, "id");
    let monitor = world.store.with(Kind::HealthMonitor, "_pool", id).next();
    PoolConfig {
        id: id.to_owned(),
        algorithm: text(one, "lb_algorithm").to_owned(),
        source_ip_persistence: one["session_persistence"]["type"] == "SOURCE_IP",
        members: world.store.with(Kind::Member, "_pool", id).filter_map(member).collect(),
        monitor: monitor.filter(|one| one["admin_state_up"] == true).map(health_monitor),
    }
}

fn member(one: &Value) -> Option<MemberConfig> {
    Some(MemberConfig {
        id: text(one, "id").to_owned(),
        address: text(one, "address").parse().ok()?,
        port: number(one, "protocol_port"),
        // Null leaves it to haproxy, whose default is 1.
        weight: u32::try_from(one["weight"].as_u64().unwrap_or(1)).ok()?,
        backup: one["backup"] == true,
        admin_state_up: one["admin_state_up"] == true,
        monitor_address: one["monitor_address"].as_str().and_then(|address| address.parse().ok()),
        monitor_port: one["monitor_port"].as_u64().and_then(|port| u16::try_from(port).ok()),
    })
}

fn health_monitor(one: &Value) -> MonitorConfig {
    let seconds = |key: &str| Duration::from_secs(one[key].as_u64().unwrap_or_default());
    let count = |key: &str| u32::try_from(one[key].as_u64().unwrap_or(3)).unwrap_or(3);
    MonitorConfig {
        kind: text(one, "type").to_owned(),
        delay: seconds("delay"),
        timeout: seconds("timeout"),
        rise: count("max_retries"),
        fall: count("max_retries_down"),
        http_method: text(one, "http_method").to_owned(),
        url_path: text(one, "url_path").to_owned(),
        expected_codes: text(one, "expected_codes").to_owned(),
        admin_state_up: true,
    }
}

fn number(object: &Value, key: &str) -> u16 {
    u16::try_from(object[key].as_u64().unwrap_or_default()).unwrap_or_default()
}
