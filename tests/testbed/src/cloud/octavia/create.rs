//! New load balancers, listeners, pools and monitors.

use serde_json::{Value, json};

use super::super::answer::{Result, fault, ok};
use super::super::embedded::World;
use super::super::lists::shown;
use super::super::store::{Kind, Token, new_id, now};
use super::fields::{self, or, or_null};
use super::lock::{becomes_active, must_be_mutable, owner, pool_must_be_mutable, work};
use super::{Given, find, health_monitor, nested, title};

const LISTENER_PROTOCOLS: &[&str] =
    &["TCP", "HTTP", "HTTPS", "TERMINATED_HTTPS", "UDP", "SCTP", "PROMETHEUS"];
const POOL_PROTOCOLS: &[&str] = &["TCP", "HTTP", "HTTPS", "UDP", "SCTP", "PROXY", "PROXYV2"];
const ALGORITHMS: &[&str] = &["ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"];

/// 24 days in milliseconds (`octavia/common/constants.py`, `MAX_TIMEOUT`).
const LONGEST: i64 = 24 * 24 * 3600 * 1000;

pub(super) fn load_balancer(world: &mut World, token: &Token, given: &Given) -> Result {
    fields::known(given, "load_balancer.loadbalancer", fields::LOAD_BALANCER)?;
    fields::lengths(given)?;
    let port = vip_port(world, token, given)?;
    quota(world, token, Kind::LoadBalancer)?;
    let fixed = &port["fixed_ips"][0];
    let id = new_id();
    let object = json!({
        "id": id, "name": or(given, "name", ""), "description": or(given, "description", ""),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE",
        "admin_state_up": or(given, "admin_state_up", true), "project_id": token.project, "tenant_id": token.project,
        "created_at": now(), "updated_at": null, "vip_address": fixed["ip_address"], "vip_port_id": port["id"],
        "vip_subnet_id": fixed["subnet_id"], "vip_network_id": port["network_id"], "vip_sg_ids": [],
        "additional_vips": [], "listeners": [], "pools": [], "provider": "amphora", "flavor_id": null,
        "vip_qos_policy_id": null, "tags": or(given, "tags", json!([])), "availability_zone": null,
        "vip_vnic_type": "normal", "_own_port": !given.contains_key("vip_port_id"),
    });
    // All or nothing: a nested object that is refused leaves no load balancer behind.
    let parts = nested::parts(world, token, given, &id)?;
    parts.quotas(world, token)?;
    world.store.add(Kind::LoadBalancer, object);
    let mut then = parts.add(world);
    then.push(becomes_active(Kind::LoadBalancer, &id));
    work(world, &id, "PENDING_CREATE", then);
    Ok(ok(201, json!({"loadbalancer": shown(world.store.get(Kind::LoadBalancer, &id).expect("just added"))})))
}

/// The port for the VIP: ours, or one that Octavia makes (`octavia/api/v2/controllers/load_balancer.py`).
fn vip_port(world: &mut World, token: &Token, given: &Given) -> Result<Value> {
    let text = |key: &str| given.get(key).and_then(Value::as_str);
    if let Some(id) = text("vip_port_id") {
        let port = world.store.get(Kind::Port, id).cloned();
        let port = port.ok_or_else(|| fault(400, format!("Port {id} not found.")))?;
        let used = world.store.with(Kind::LoadBalancer, "vip_port_id", id).next();
        if used.is_some() {
            let address = port["fixed_ips"][0]["ip_address"].as_str().unwrap_or_default();
            return Err(fault(409, format!("VIP port {id} is already in use ({address}).")));
        }
        return Ok(port);
    }
    let subnet = match (text("vip_subnet_id"), text("vip_network_id")) {
        (Some(id), _) => world
            .store
            .get(Kind::Subnet, id)
            .cloned()
            .ok_or_else(|| fault(400, format!("Subnet {id} not found.")))?,
        (None, Some(id)) => world
            .store
            .with(Kind::Subnet, "network_id", id)
            .next()
            .cloned()
            .ok_or_else(|| fault(400, format!("Network {id} not found.")))?,
        (None, None) => {
            return Err(fault(
                400,
                "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.",
            ));
        }
    };
    let address = text("vip_address").map(str::to_owned);
    let mut fixed = json!({"subnet_id": subnet["id"]});
    if let Some(address) = &address {
        fixed["ip_address"] = json!(address);
    }
    let body = json!({"name": "octavia-lb", "network_id": subnet["network_id"], "fixed_ips": [fixed],
                      "device_owner": "Octavia"});
    let body = body.as_object().cloned().unwrap_or_default();
    match super::super::neutron::create_port(world, token, &body) {
        Ok(created) => Ok(created.body["port"].clone()),
        Err(refused) if refused.status == 409 && address.is_some() => {
            let why = refused.body["NeutronError"]["message"].as_str().unwrap_or_default();
            Err(fault(409, format!("The VIP IP address is already in use: {why}")))
        }
        Err(refused) => {
            Err(fault(500, refused.body["NeutronError"]["message"].as_str().unwrap_or_default().to_owned()))
        }
    }
}

pub(super) fn quota(world: &World, token: &Token, kind: Kind) -> Result<()> {
    quota_for(world, token, kind, 1)
}

pub(super) fn quota_for(world: &World, token: &Token, kind: Kind, more: usize) -> Result<()> {
    let most = world.store.quotas.get(&(token.project.clone(), kind)).copied().unwrap_or(usize::MAX);
    let has = world.store.with(kind, "project_id", &token.project).count();
    if more == 0 || has + more <= most {
        return Ok(());
    }
    Err(fault(403, format!("Quota has been met for resources: {}", title(kind))))
}

/// A listener's own fields.
pub(super) fn new_listener(
    given: &Given,
    argument: &str,
    load_balancer: &str,
    project: &str,
) -> Result<Value> {
    fields::known(given, argument, fields::LISTENER)?;
    fields::mandatory(given, &["protocol", "protocol_port"])?;
    fields::lengths(given)?;
    fields::word(given, "protocol", LISTENER_PROTOCOLS)?;
    fields::number(given, "protocol_port", 1, 65535)?;
    timeouts(given)?;
    let cidrs = or_null(given, "allowed_cidrs");
    Ok(json!({
        "id": new_id(), "name": or(given, "name", ""), "description": or(given, "description", ""),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE",
        "admin_state_up": or(given, "admin_state_up", true), "protocol": given["protocol"],
        "protocol_port": given["protocol_port"], "connection_limit": or(given, "connection_limit", -1),
        "default_pool_id": or_null(given, "default_pool_id"), "project_id": project, "tenant_id": project,
        "l7policies": [], "insert_headers": {}, "created_at": now(), "updated_at": null,
        "loadbalancers": [{"id": load_balancer}],
        "timeout_client_data": or(given, "timeout_client_data", 50_000),
        "timeout_member_connect": or(given, "timeout_member_connect", 5000),
        "timeout_member_data": or(given, "timeout_member_data", 50_000),
        "timeout_tcp_inspect": or(given, "timeout_tcp_inspect", 0), "tags": or(given, "tags", json!([])),
        "allowed_cidrs": cidrs, "_load_balancer": load_balancer,
    }))
}

pub(super) fn timeouts(given: &Given) -> Result<()> {
    for field in
        ["timeout_client_data", "timeout_member_connect", "timeout_member_data", "timeout_tcp_inspect"]
    {
        fields::number(given, field, 0, LONGEST)?;
    }
    Ok(())
}

pub(super) fn listener(world: &mut World, token: &Token, given: &Given) -> Result {
    let load_balancer = given.get("loadbalancer_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let listener = new_listener(given, "listener_.listener", &load_balancer, &token.project)?;
    if load_balancer.is_empty() {
        fields::mandatory(given, &["loadbalancer_id"])?;
    }
    find(world, token, Kind::LoadBalancer, &load_balancer)?;
    // Only a load balancer takes a nested pool; alone it ends as a server error (tried).
    if given.contains_key("default_pool") {
        return Err(fault(500, "An unknown exception occurred."));
    }
    must_be_mutable(world, &load_balancer)?;
    quota(world, token, Kind::Listener)?;
    port_must_be_free(world, &load_balancer, &listener)?;
    if let Some(pool) = listener["default_pool_id"].as_str() {
        pool_must_fit(world, token, pool, listener["protocol"].as_str().unwrap_or_default())?;
    }
    let id = listener["id"].as_str().unwrap_or_default().to_owned();
    world.store.add(Kind::Listener, listener.clone());
    refer(world, &load_balancer);
    work(world, &load_balancer, "PENDING_UPDATE", vec![becomes_active(Kind::Listener, &id)]);
    Ok(ok(201, json!({"listener": shown(&listener)})))
}

/// TCP-like and UDP-like protocols may share a port number, two of one sort may not.
pub(super) fn port_must_be_free(world: &World, load_balancer: &str, listener: &Value) -> Result<()> {
    let is_udp = |listener: &Value| listener["protocol"] == "UDP";
    let taken = world.store.with(Kind::Listener, "_load_balancer", load_balancer).any(|other| {
        other["protocol_port"] == listener["protocol_port"] && is_udp(other) == is_udp(listener)
    });
    if !taken {
        return Ok(());
    }
    Err(fault(
        409,
        format!(
            "Another Listener on this Load Balancer is already using protocol {} and protocol_port {}",
            listener["protocol"].as_str().unwrap_or_default(),
            listener["protocol_port"]
        ),
    ))
}

/// Which pool a listener may lead to (`octavia/common/constants.py`, `VALID_LISTENER_POOL_PROTOCOL_MAP`).
pub(super) fn pool_must_fit(world: &World, token: &Token, pool: &str, listener: &str) -> Result<()> {
    let pool = find(world, token, Kind::Pool, pool)?;
    let protocol = pool["protocol"].as_str().unwrap_or_default();
    let fits = match listener {
        "TCP" => ["HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"].contains(&protocol),
        "HTTPS" => ["HTTPS", "PROXY", "PROXYV2", "TCP"].contains(&protocol),
        "HTTP" | "TERMINATED_HTTPS" => ["HTTP", "PROXY", "PROXYV2"].contains(&protocol),
        other => other == protocol,
    };
    if fits {
        return Ok(());
    }
    Err(fault(
        400,
        format!(
            "Validation failure: The pool protocol '{protocol}' is invalid while the listener protocol is '{listener}'."
        ),
    ))
}

/// A pool's own fields.
pub(super) fn new_pool(given: &Given, argument: &str, load_balancer: &str, project: &str) -> Result<Value> {
    fields::known(given, argument, fields::POOL)?;
    fields::mandatory(given, &["protocol", "lb_algorithm"])?;
    fields::lengths(given)?;
    fields::word(given, "protocol", POOL_PROTOCOLS)?;
    fields::word(given, "lb_algorithm", ALGORITHMS)?;
    if let Some(persistence) = given.get("session_persistence").and_then(Value::as_object) {
        fields::word(persistence, "type", &["SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE"])?;
    }
    Ok(json!({
        "id": new_id(), "name": or(given, "name", ""), "description": or(given, "description", ""),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE",
        "admin_state_up": or(given, "admin_state_up", true), "protocol": given["protocol"],
        "lb_algorithm": given["lb_algorithm"], "session_persistence": or_null(given, "session_persistence"),
        "project_id": project, "tenant_id": project, "loadbalancers": [{"id": load_balancer}], "listeners": [],
        "created_at": now(), "updated_at": null, "healthmonitor_id": null, "members": [],
        "tags": or(given, "tags", json!([])), "_load_balancer": load_balancer,
    }))
}

pub(super) fn pool(world: &mut World, token: &Token, given: &Given) -> Result {
    let load_balancer = match (given.get("loadbalancer_id"), given.get("listener_id")) {
        (Some(id), _) if id.is_string() => id.as_str().unwrap_or_default().to_owned(),
        (_, Some(id)) if id.is_string() => {
            owner(&find(world, token, Kind::Listener, id.as_str().unwrap_or_default())?)
        }
        _ => {
            return Err(fault(
                400,
                "Validation failure: Must provide at least one of: loadbalancer_id, listener_id",
            ));
        }
    };
    let pool = new_pool(given, "pool_.pool", &load_balancer, &token.project)?;
    find(world, token, Kind::LoadBalancer, &load_balancer)?;
    must_be_mutable(world, &load_balancer)?;
    quota(world, token, Kind::Pool)?;
    let id = pool["id"].as_str().unwrap_or_default().to_owned();
    world.store.add(Kind::Pool, pool.clone());
    refer(world, &load_balancer);
    work(world, &load_balancer, "PENDING_UPDATE", vec![becomes_active(Kind::Pool, &id)]);
    Ok(ok(201, json!({"pool": shown(&pool)})))
}

pub(super) fn health_monitor(world: &mut World, token: &Token, given: &Given) -> Result {
    fields::mandatory(given, &["pool_id"])?;
    let pool_id = given["pool_id"].as_str().unwrap_or_default().to_owned();
    let pool = find(world, token, Kind::Pool, &pool_id)?;
    let protocol = pool["protocol"].as_str().unwrap_or_default();
    let mut monitor = health_monitor::new(given, "health_monitor_.healthmonitor", protocol, &token.project)?;
    if pool["healthmonitor_id"].is_string() {
        return Err(fault(409, "This pool already has a health monitor"));
    }
    must_be_mutable(world, &owner(&pool))?;
    pool_must_be_mutable(world, &pool_id)?;
    quota(world, token, Kind::HealthMonitor)?;
    monitor["pools"] = json!([{"id": pool_id}]);
    monitor["_load_balancer"] = pool["_load_balancer"].clone();
    let id = monitor["id"].as_str().unwrap_or_default().to_owned();
    world.store.set(Kind::Pool, &pool_id, "healthmonitor_id", id.clone());
    world.store.add(Kind::HealthMonitor, monitor.clone());
    work(world, &owner(&pool), "PENDING_UPDATE", vec![becomes_active(Kind::HealthMonitor, &id)]);
    Ok(ok(201, json!({"healthmonitor": shown(&monitor)})))
}

/// A load balancer names its listeners and pools, a pool its listeners.
pub(in super::super) fn refer(world: &mut World, load_balancer: &str) {
    let references = |kind: Kind, world: &World| -> Value {
        world.store.with(kind, "_load_balancer", load_balancer).map(|one| json!({"id": one["id"]})).collect()
    };
    let (listeners, pools) = (references(Kind::Listener, world), references(Kind::Pool, world));
    world.store.set(Kind::LoadBalancer, load_balancer, "listeners", listeners);
    world.store.set(Kind::LoadBalancer, load_balancer, "pools", pools);
    let ids: Vec<String> = world
        .store
        .with(Kind::Pool, "_load_balancer", load_balancer)
        .filter_map(|pool| pool["id"].as_str().map(str::to_owned))
        .collect();
    for id in ids {
        let listeners: Value = world
            .store
            .with(Kind::Listener, "default_pool_id", &id)
            .map(|one| json!({"id": one["id"]}))
            .collect();
        world.store.set(Kind::Pool, &id, "listeners", listeners);
        let members: Value =
            world.store.with(Kind::Member, "_pool", &id).map(|one| json!({"id": one["id"]})).collect();
        world.store.set(Kind::Pool, &id, "members", members);
    }
}
