//! Health monitors (`octavia/api/v2/controllers/health_monitor.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, fault, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token, new_id, now, text};
use super::schema::{self, Given};
use super::types::{POST_HEALTH_MONITOR, PUT_HEALTH_MONITOR};
use super::work::{Work, pool_must_be_mutable};
use super::{find, may_write, provider, quota, render, rules};

pub(super) fn create(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let given = schema::read(&POST_HEALTH_MONITOR, &asked.body)?;
    let pool_id = given.get("pool_id").and_then(Value::as_str).unwrap_or_default();
    let pool = find(world, Kind::Pool, pool_id)?.clone();
    may_write(token, &pool)?;
    rules::monitor_fits(text(&pool, "protocol"), &given)?;
    quota::must_have_room(world, text(&pool, "project_id"), Kind::HealthMonitor, 1)?;
    pool_must_be_mutable(world, &pool)?;
    rules::complete_monitor(&given)?;
    let kind = given.get("type").and_then(Value::as_str).unwrap_or_default();
    provider::takes_monitor(find(world, Kind::LoadBalancer, text(&pool, "_load_balancer"))?, kind)?;
    if render::monitor(world, pool_id).is_some() || rules::has_twin_tags(&given) {
        return Err(fault(409, "This pool already has a health monitor"));
    }
    let monitor = new(&given, &pool);
    let id = text(&monitor, "id").to_owned();
    world.store.add(Kind::HealthMonitor, monitor);
    let work = Work::on(text(&pool, "_load_balancer")).creates(Kind::HealthMonitor, &id);
    work.locks_pool(world, pool_id).start(world);
    answered(world, 201, &id)
}

pub(super) fn update(world: &mut World, token: &Token, id: &str, asked: &Asked) -> Result {
    let mut given = schema::read(&PUT_HEALTH_MONITOR, &asked.body)?;
    let monitor = find(world, Kind::HealthMonitor, id)?.clone();
    let pool = find(world, Kind::Pool, text(&monitor, "_pool"))?.clone();
    may_write(token, &pool)?;
    rules::monitor_update(&monitor, &given)?;
    if matches!(text(&pool, "protocol"), "UDP" | "SCTP") {
        let mut whole = given.clone();
        whole.insert("type".to_owned(), monitor["type"].clone());
        rules::monitor_fits(text(&pool, "protocol"), &whole)?;
    }
    // Null means the default (`_set_default_on_none`).
    let defaults = [
        ("http_method", json!("GET")),
        ("url_path", json!("/")),
        ("expected_codes", json!("200")),
        ("max_retries_down", json!(3)),
    ];
    for (field, default) in defaults {
        if given.get(field).is_some_and(Value::is_null) {
            given.insert(field.to_owned(), default);
        }
    }
    pool_must_be_mutable(world, &pool)?;
    rules::set(world, Kind::HealthMonitor, id, &given)?;
    let work = Work::on(text(&pool, "_load_balancer")).updates(Kind::HealthMonitor, id);
    work.locks_pool(world, text(&pool, "id")).start(world);
    answered(world, 200, id)
}

pub(super) fn delete(world: &mut World, token: &Token, id: &str) -> Result {
    let monitor = find(world, Kind::HealthMonitor, id)?.clone();
    let pool = find(world, Kind::Pool, text(&monitor, "_pool"))?.clone();
    may_write(token, &pool)?;
    pool_must_be_mutable(world, &pool)?;
    let work = Work::on(text(&pool, "_load_balancer")).deletes(Kind::HealthMonitor, id);
    work.locks_pool(world, text(&pool, "id")).start(world);
    Ok(empty(204))
}

fn answered(world: &World, status: u16, id: &str) -> Result {
    let monitor = find(world, Kind::HealthMonitor, id)?;
    Ok(ok(status, json!({"healthmonitor": render::one(world, Kind::HealthMonitor, monitor)})))
}

pub(super) fn new(given: &Given, pool: &Value) -> Value {
    let or_null = |field: &str| given.get(field).cloned().unwrap_or_default();
    let speaks_http = matches!(or_null("type").as_str(), Some("HTTP" | "HTTPS"));
    let http = |field: &str, default: &str| match given.get(field) {
        Some(Value::String(value)) if !value.is_empty() => json!(value),
        _ if speaks_http => json!(default),
        _ => Value::Null,
    };
    let project = &pool["project_id"];
    json!({
        "id": new_id(), "name": rules::or_empty(given, "name"), "type": or_null("type"), "delay": or_null("delay"),
        "timeout": or_null("timeout"), "max_retries": or_null("max_retries"),
        "max_retries_down": or_null("max_retries_down"), "http_method": http("http_method", "GET"),
        "url_path": http("url_path", "/"), "expected_codes": http("expected_codes", "200"),
        "admin_state_up": rules::up(given), "project_id": project, "tenant_id": project,
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE", "created_at": now(),
        "updated_at": null, "tags": rules::tags(given), "http_version": or_null("http_version"),
        "domain_name": or_null("domain_name"), "_pool": pool["id"], "_load_balancer": pool["_load_balancer"],
    })
}
