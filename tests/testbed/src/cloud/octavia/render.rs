//! Objects as the API shows them (`octavia/api/v2/types/*.py`, `from_db_obj`).

use serde_json::{Value, json};

use super::super::embedded::World;
use super::super::store::{Kind, text};

/// An object without what is the database's own.
pub(in super::super) fn shown(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten().filter(|(key, _)| !key.starts_with('_'));
    Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn references(world: &World, kind: Kind, field: &str, value: &str) -> Value {
    world.store.ids(kind, field, value).into_iter().map(|id| json!({"id": id})).collect()
}

/// The monitor of a pool.
pub(super) fn monitor<'a>(world: &'a World, pool: &str) -> Option<&'a Value> {
    world.store.all(Kind::HealthMonitor).iter().find(|one| one["_pool"] == pool)
}

/// As it is answered alone and in lists: what belongs to it by id only.
pub(super) fn one(world: &World, kind: Kind, object: &Value) -> Value {
    let mut shown = shown(object);
    let id = text(object, "id");
    let parent = || json!([{"id": object["_load_balancer"]}]);
    match kind {
        Kind::LoadBalancer => {
            shown["listeners"] = references(world, Kind::Listener, "_load_balancer", id);
            shown["pools"] = references(world, Kind::Pool, "_load_balancer", id);
        }
        Kind::Listener => {
            shown["l7policies"] = json!([]);
            shown["loadbalancers"] = parent();
        }
        Kind::Pool => {
            shown["loadbalancers"] = parent();
            shown["listeners"] = references(world, Kind::Listener, "default_pool_id", id);
            shown["members"] = references(world, Kind::Member, "_pool", id);
            // Without a monitor there is not even the key (recorded).
            if let Some(monitor) = monitor(world, id) {
                shown["healthmonitor_id"] = monitor["id"].clone();
            }
        }
        Kind::HealthMonitor => shown["pools"] = json!([{"id": object["_pool"]}]),
        _ => {}
    }
    shown
}

/// A load balancer as its creation answers: everything below it in full.
pub(super) fn full(world: &World, load_balancer: &Value) -> Value {
    let id = text(load_balancer, "id");
    let listener = |listener: &Value| {
        let mut shown = shown(listener);
        shown["l7policies"] = json!([]);
        shown
    };
    let pool = |pool: &Value| {
        let id = text(pool, "id");
        let mut full = shown(pool);
        full["listeners"] = references(world, Kind::Listener, "default_pool_id", id);
        full["members"] = world.store.with(Kind::Member, "_pool", id).map(shown).collect();
        full["healthmonitor"] = monitor(world, id).map_or(Value::Null, shown);
        full
    };
    let mut full = shown(load_balancer);
    full["listeners"] = world.store.with(Kind::Listener, "_load_balancer", id).map(listener).collect();
    full["pools"] = world.store.with(Kind::Pool, "_load_balancer", id).map(pool).collect();
    full
}

/// The tree of statuses: only what listeners lead to is in it.
pub(super) fn status_tree(world: &World, load_balancer: &Value) -> Value {
    let node = |object: &Value, more: &[&str]| {
        let fields = ["id", "name", "operating_status", "provisioning_status"];
        let fields = fields.iter().chain(more).map(|field| ((*field).to_owned(), object[*field].clone()));
        Value::Object(fields.collect())
    };
    let pool = |object: &Value| {
        let mut tree = node(object, &[]);
        let id = text(object, "id");
        let members = world.store.with(Kind::Member, "_pool", id);
        tree["members"] = members.map(|member| node(member, &["address", "protocol_port"])).collect();
        if let Some(monitor) = monitor(world, id) {
            tree["health_monitor"] = node(monitor, &["type"]);
        }
        tree
    };
    let listener = |object: &Value| {
        let mut tree = node(object, &[]);
        let default = object["default_pool_id"].as_str().and_then(|id| world.store.get(Kind::Pool, id));
        tree["pools"] = default.into_iter().map(pool).collect();
        tree
    };
    let mut tree = node(load_balancer, &[]);
    let id = text(load_balancer, "id");
    tree["listeners"] = world.store.with(Kind::Listener, "_load_balancer", id).map(listener).collect();
    json!({"statuses": {"loadbalancer": tree}})
}
