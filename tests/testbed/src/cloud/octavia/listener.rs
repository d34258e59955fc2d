//! Listeners (`octavia/api/v2/controllers/listener.py`).

use std::net::IpAddr;

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, empty, fault, invalid, ok};
use super::super::embedded::World;
use super::super::python;
use super::super::server::Asked;
use super::super::store::{Kind, Token, new_id, now, text};
use super::schema::{self, Given};
use super::types::{POST_LISTENER, PUT_LISTENER};
use super::work::{Work, must_be_mutable};
use super::{find, may_write, provider, quota, render, rules};

/// Milliseconds (`octavia/common/config.py`, `haproxy_amphora`).
const TIMEOUTS: [(&str, u64); 4] = [
    ("timeout_client_data", 50_000),
    ("timeout_member_connect", 5_000),
    ("timeout_member_data", 50_000),
    ("timeout_tcp_inspect", 0),
];

pub(super) fn create(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let given = schema::read(&POST_LISTENER, &asked.body)?;
    let id = given.get("loadbalancer_id").and_then(Value::as_str).unwrap_or_default();
    let load_balancer = find(world, Kind::LoadBalancer, id)?.clone();
    may_write(token, &load_balancer)?;
    quota::must_have_room(world, text(&load_balancer, "project_id"), Kind::Listener, 1)?;
    let protocol = given.get("protocol").and_then(Value::as_str).unwrap_or_default();
    if let Some(pool) = given.get("default_pool_id").and_then(Value::as_str) {
        pool_of(world, id, pool, protocol)?;
    }
    must_be_mutable(world, id)?;
    let siblings: Vec<&Value> = world.store.with(Kind::Listener, "_load_balancer", id).collect();
    check_new(&given, &load_balancer, &siblings)?;
    // Only a new load balancer takes a nested pool (recorded).
    if given.get("default_pool").is_some_and(Value::is_object) {
        return Err(fault(500, "'dict' object has no attribute '_sa_instance_state'"));
    }
    let listener = new(&given, &load_balancer);
    let listener_id = text(&listener, "id").to_owned();
    world.store.add(Kind::Listener, listener);
    Work::on(id).creates(Kind::Listener, &listener_id).start(world);
    answered(world, 201, &listener_id)
}

pub(super) fn update(world: &mut World, token: &Token, id: &str, asked: &Asked) -> Result {
    let mut given = schema::read(&PUT_LISTENER, &asked.body)?;
    let listener = find(world, Kind::Listener, id)?.clone();
    may_write(token, &listener)?;
    let protocol = text(&listener, "protocol");
    let load_balancer = text(&listener, "_load_balancer");
    check_tls(&given, protocol)?;
    check_headers(&given, protocol)?;
    check_cidrs(&given, find(world, Kind::LoadBalancer, load_balancer)?)?;
    provider::takes_cidrs(find(world, Kind::LoadBalancer, load_balancer)?, &given)?;
    if given.contains_key("allowed_cidrs") {
        given.insert("allowed_cidrs".to_owned(), allowed_cidrs(&given));
    }
    // Null means the default (`_set_default_on_none`).
    let defaults = TIMEOUTS.map(|(field, default)| (field, json!(default)));
    for (field, default) in defaults.into_iter().chain([
        ("connection_limit", json!(-1)),
        ("client_authentication", json!("NONE")),
        ("hsts_include_subdomains", json!(false)),
        ("hsts_preload", json!(false)),
    ]) {
        if given.get(field).is_some_and(Value::is_null) {
            given.insert(field.to_owned(), default);
        }
    }
    if let Some(pool) = given.get("default_pool_id").and_then(Value::as_str) {
        pool_of(world, load_balancer, pool, protocol)?;
    }
    must_be_mutable(world, load_balancer)?;
    rules::set(world, Kind::Listener, id, &given)?;
    Work::on(load_balancer).updates(Kind::Listener, id).start(world);
    answered(world, 200, id)
}

pub(super) fn delete(world: &mut World, token: &Token, id: &str) -> Result {
    let listener = find(world, Kind::Listener, id)?.clone();
    may_write(token, &listener)?;
    let load_balancer = text(&listener, "_load_balancer");
    must_be_mutable(world, load_balancer)?;
    Work::on(load_balancer).deletes(Kind::Listener, id).start(world);
    Ok(empty(204))
}

fn answered(world: &World, status: u16, id: &str) -> Result {
    let listener = find(world, Kind::Listener, id)?;
    Ok(ok(status, json!({"listener": render::one(world, Kind::Listener, listener)})))
}

/// A pool of the same load balancer whose protocol fits (`_validate_pool`).
fn pool_of(world: &World, load_balancer: &str, pool: &str, protocol: &str) -> Result<()> {
    let found = find(world, Kind::Pool, pool)?;
    if found["_load_balancer"] != load_balancer {
        return Err(fault(404, format!("Pool {pool} not found.")));
    }
    rules::pool_fits(protocol, text(found, "protocol"))
}

pub(super) fn new(given: &Given, load_balancer: &Value) -> Value {
    let or = |field: &str, default: Value| {
        given.get(field).filter(|value| !value.is_null()).cloned().unwrap_or(default)
    };
    let or_null = |field: &str| given.get(field).cloned().unwrap_or_default();
    let project = &load_balancer["project_id"];
    let mut listener = json!({
        "id": new_id(), "name": rules::or_empty(given, "name"), "description": rules::or_empty(given, "description"),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE", "admin_state_up": rules::up(given),
        "protocol": or_null("protocol"), "protocol_port": or_null("protocol_port"),
        "connection_limit": or("connection_limit", json!(-1)), "default_tls_container_ref": null,
        "sni_container_refs": [], "project_id": project, "tenant_id": project,
        "default_pool_id": or_null("default_pool_id"), "insert_headers": or("insert_headers", json!({})),
        "created_at": now(), "updated_at": null, "tags": rules::tags(given), "client_ca_tls_container_ref": null,
        "client_authentication": or("client_authentication", json!("NONE")), "client_crl_container_ref": null,
        "allowed_cidrs": allowed_cidrs(given), "tls_ciphers": or_null("tls_ciphers"),
        "tls_versions": or_null("tls_versions"), "alpn_protocols": or_null("alpn_protocols"),
        "hsts_max_age": null, "hsts_include_subdomains": or("hsts_include_subdomains", json!(false)),
        "hsts_preload": or("hsts_preload", json!(false)), "_load_balancer": load_balancer["id"],
    });
    for (field, default) in TIMEOUTS {
        listener[field] = or(field, json!(default));
    }
    listener
}

/// `10.1.2.3/8` is `10.0.0.0/8`, and an address is a network of one.
pub(super) fn canonical(cidr: &str) -> String {
    let (address, length) = cidr.split_once('/').unwrap_or((cidr, ""));
    match address.parse() {
        Ok(IpAddr::V4(v4)) => {
            let length: u32 = length.parse().unwrap_or(32);
            let mask = u32::MAX.checked_shl(32 - length.min(32)).unwrap_or(0);
            format!("{}/{length}", std::net::Ipv4Addr::from(u32::from(v4) & mask))
        }
        Ok(IpAddr::V6(v6)) => {
            let length: u32 = length.parse().unwrap_or(128);
            let mask = u128::MAX.checked_shl(128 - length.min(128)).unwrap_or(0);
            format!("{}/{length}", std::net::Ipv6Addr::from(u128::from(v6) & mask))
        }
        Err(_) => cidr.to_owned(),
    }
}

/// None is shown for an empty list.
fn allowed_cidrs(given: &Given) -> Value {
    let cidrs = given.get("allowed_cidrs").cloned().unwrap_or_default();
    match cidrs.as_array() {
        Some(list) if list.is_empty() => Value::Null,
        // Without host bits (recorded).
        Some(list) => list.iter().map(|cidr| canonical(cidr.as_str().unwrap_or_default())).collect(),
        None => cidrs,
    }
}

/// `_validate_create_listener`.
pub(super) fn check_new(given: &Given, load_balancer: &Value, siblings: &[&Value]) -> Result<()> {
    let protocol = given.get("protocol").and_then(Value::as_str).unwrap_or_default();
    check_headers(given, protocol)?;
    check_tls(given, protocol)?;
    provider::takes_protocol(load_balancer, protocol)?;
    provider::takes_cidrs(load_balancer, given)?;
    if given.get("l7policies").and_then(Value::as_array).is_some_and(|policies| !policies.is_empty()) {
        return Err(fault(501, "The embedded cloud knows no L7 policies."));
    }
    let is_taken = |sibling: &&&Value| {
        sibling["protocol_port"] == given["protocol_port"]
            && transport(text(sibling, "protocol")) == transport(protocol)
    };
    if let Some(sibling) = siblings.iter().find(is_taken) {
        return Err(duplicate(sibling));
    }
    check_cidrs(given, load_balancer)?;
    let has_age = given.get("hsts_max_age").is_some_and(Value::is_number);
    if !has_age && (given.get("hsts_preload") == Some(&json!(true))) {
        return Err(invalid(
            "HSTS configuration options hsts_include_subdomains and hsts_preload only make sense if hsts_max_age is \
             set as well.",
        ));
    }
    if rules::has_twin_tags(given) {
        return Err(duplicate(&Value::Object(given.clone())));
    }
    if has_age {
        return Err(invalid(
            "The HSTS feature can only be used for listeners using the TERMINATED_HTTPS protocol.",
        ));
    }
    Ok(())
}

fn duplicate(sibling: &Value) -> Answer {
    let text = format!(
        "Another Listener on this Load Balancer is already using protocol {} and protocol_port {}",
        text(sibling, "protocol"),
        sibling["protocol_port"]
    );
    fault(409, text)
}

/// `octavia/common/constants.py`, `L4_PROTOCOL_MAP`.
fn transport(protocol: &str) -> &str {
    match protocol {
        "UDP" | "SCTP" => protocol,
        _ => "TCP",
    }
}

/// `_validate_insert_headers`.
fn check_headers(given: &Given, protocol: &str) -> Result<()> {
    let has_some =
        given.get("insert_headers").and_then(Value::as_object).is_some_and(|headers| !headers.is_empty());
    if !has_some || matches!(protocol, "HTTP" | "TERMINATED_HTTPS") {
        return Ok(());
    }
    Err(fault(400, format!("insert-headers is not a valid option for a {protocol} protocol listener.")))
}

/// There is no store of certificates here, so no reference to one can be read.
fn check_tls(given: &Given, protocol: &str) -> Result<()> {
    let single = given.get("default_tls_container_ref").filter(|value| value.is_string());
    let many = given.get("sni_container_refs").and_then(Value::as_array).into_iter().flatten();
    let references: Vec<Value> = many.chain(single).cloned().collect();
    match (protocol, references.is_empty()) {
        ("TERMINATED_HTTPS", true) if given.contains_key("protocol") => Err(invalid(
            "An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol \
             listeners.",
        )),
        ("TERMINATED_HTTPS", false) => {
            let references = python::repr(&Value::from(references));
            Err(fault(400, format!("Could not retrieve certificate: {references}")))
        }
        ("UDP" | "SCTP", false) => {
            Err(invalid(format!("{protocol} protocol listener does not support TLS.")))
        }
        (_, false) => Err(invalid(format!(
            "Certificate container references are not allowed on {protocol} protocol listeners."
        ))),
        (_, true) => match given.get("client_authentication").and_then(Value::as_str) {
            Some(mode @ ("OPTIONAL" | "MANDATORY")) => Err(invalid(format!(
                "Client authentication setting {mode} requires a client CA container reference."
            ))),
            _ => Ok(()),
        },
    }
}

/// `_validate_cidr_compatible_with_vip`.
fn check_cidrs(given: &Given, load_balancer: &Value) -> Result<()> {
    let vip = text(load_balancer, "vip_address");
    let is_v6 = |address: &str| address.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6());
    for cidr in given.get("allowed_cidrs").and_then(Value::as_array).into_iter().flatten() {
        let cidr = cidr.as_str().unwrap_or_default();
        let address = cidr.split_once('/').map_or(cidr, |(address, _)| address);
        if is_v6(address) != is_v6(vip) {
            return Err(invalid(format!(
                "CIDR {cidr} IP version incompatible with all VIPs ['{vip}'] IP version."
            )));
        }
    }
    Ok(())
}
