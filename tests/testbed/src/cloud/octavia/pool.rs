//! Pools (`octavia/api/v2/controllers/pool.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, fault, invalid, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token, new_id, now, text};
use super::schema::{self, Given};
use super::types::{POST_POOL, PUT_POOL};
use super::work::{Work, must_be_mutable};
use super::{find, may_write, provider, quota, render, rules};

pub(super) fn create(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let given = schema::read(&POST_POOL, &asked.body)?;
    let wished = |key: &str| given.get(key).and_then(Value::as_str);
    let (load_balancer, listener) = match (wished("loadbalancer_id"), wished("listener_id")) {
        (Some(id), listener) => (id.to_owned(), listener),
        (None, Some(listener)) => {
            // A listener that is not there is not looked for (recorded).
            let missing = || fault(500, "'NoneType' object has no attribute 'load_balancer_id'");
            let found = world.store.get(Kind::Listener, listener).ok_or_else(missing)?;
            (text(found, "_load_balancer").to_owned(), Some(listener))
        }
        (None, None) => return Err(invalid("Must provide at least one of: loadbalancer_id, listener_id")),
    };
    let parent = find(world, Kind::LoadBalancer, &load_balancer)?.clone();
    may_write(token, &parent)?;
    let protocol = wished("protocol").unwrap_or_default();
    let front = listener.and_then(|listener| world.store.get(Kind::Listener, listener)).cloned();
    if let Some(front) = front.as_ref().filter(|_| wished("loadbalancer_id").is_none()) {
        rules::pool_fits(text(front, "protocol"), protocol)?;
    }
    rules::persistence_fits(protocol, &given, "UDP and SCTP protocol")?;
    quota::must_have_room(world, text(&parent, "project_id"), Kind::Pool, 1)?;
    if front.as_ref().is_some_and(|front| front["default_pool_id"].is_string()) {
        return Err(fault(409, "This listener already has a default pool"));
    }
    must_be_mutable(world, &load_balancer)?;
    // Only a new load balancer takes nested members and monitors (recorded).
    let has_members =
        given.get("members").and_then(Value::as_array).is_some_and(|members| !members.is_empty());
    if has_members || given.get("healthmonitor").is_some_and(Value::is_object) {
        return Err(fault(500, "'dict' object has no attribute '_sa_instance_state'"));
    }
    if rules::has_twin_tags(&given) {
        return Err(rules::already_exists());
    }
    provider::takes_algorithm(&parent, &given)?;
    provider::takes_protocol(&parent, given.get("protocol").and_then(Value::as_str).unwrap_or_default())?;
    let pool = new(&given, &parent);
    let id = text(&pool, "id").to_owned();
    world.store.add(Kind::Pool, pool);
    let mut work = Work::on(&load_balancer).creates(Kind::Pool, &id);
    if let Some(listener) = listener {
        world.store.set(Kind::Listener, listener, "default_pool_id", id.clone());
        work = work.locks(Kind::Listener, listener);
    }
    work.start(world);
    answered(world, 201, &id)
}

pub(super) fn update(world: &mut World, token: &Token, id: &str, asked: &Asked) -> Result {
    let mut given = schema::read(&PUT_POOL, &asked.body)?;
    let pool = find(world, Kind::Pool, id)?.clone();
    may_write(token, &pool)?;
    let load_balancer = text(&pool, "_load_balancer");
    if let Some(persistence) = given.get_mut("session_persistence").filter(|value| value.is_object()) {
        let before = &pool["session_persistence"]["type"];
        if persistence["type"].is_null() && before.is_string() {
            persistence["type"] = before.clone();
        }
    }
    rules::persistence_fits(text(&pool, "protocol"), &given, "UDP protocol")?;
    must_be_mutable(world, load_balancer)?;
    provider::takes_algorithm(find(world, Kind::LoadBalancer, load_balancer)?, &given)?;
    if given.get("lb_algorithm").is_some_and(Value::is_null) {
        return Err(fault(
            500,
            "(pymysql.err.IntegrityError) (1048, \"Column 'lb_algorithm' cannot be null\")",
        ));
    }
    rules::set(world, Kind::Pool, id, &given)?;
    Work::on(load_balancer).updates(Kind::Pool, id).locks_listeners(world, id).start(world);
    answered(world, 200, id)
}

/// A pool takes its members and its monitor with it, and its listeners lead nowhere from then on.
pub(super) fn delete(world: &mut World, token: &Token, id: &str) -> Result {
    let pool = find(world, Kind::Pool, id)?.clone();
    may_write(token, &pool)?;
    let load_balancer = text(&pool, "_load_balancer");
    must_be_mutable(world, load_balancer)?;
    let members = world.store.ids(Kind::Member, "_pool", id);
    let monitors = world.store.ids(Kind::HealthMonitor, "_pool", id);
    let work = Work::on(load_balancer).deletes(Kind::Pool, id).locks_listeners(world, id);
    work.takes_along(Kind::Member, members).takes_along(Kind::HealthMonitor, monitors).start(world);
    Ok(empty(204))
}

fn answered(world: &World, status: u16, id: &str) -> Result {
    Ok(ok(status, json!({"pool": render::one(world, Kind::Pool, find(world, Kind::Pool, id)?)})))
}

pub(super) fn new(given: &Given, load_balancer: &Value) -> Value {
    let or_null = |field: &str| given.get(field).cloned().unwrap_or_default();
    let project = &load_balancer["project_id"];
    json!({
        "id": new_id(), "name": rules::or_empty(given, "name"), "description": rules::or_empty(given, "description"),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE", "admin_state_up": rules::up(given),
        "protocol": or_null("protocol"), "lb_algorithm": or_null("lb_algorithm"),
        "session_persistence": or_null("session_persistence"), "project_id": project, "tenant_id": project,
        "created_at": now(), "updated_at": null, "tags": rules::tags(given), "tls_container_ref": null,
        "ca_tls_container_ref": null, "crl_container_ref": null, "tls_enabled": or_null("tls_enabled"),
        "tls_ciphers": or_null("tls_ciphers"), "tls_versions": or_null("tls_versions"),
        "alpn_protocols": or_null("alpn_protocols"), "_load_balancer": load_balancer["id"],
    })
}
