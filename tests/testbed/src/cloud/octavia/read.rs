//! Lists and the status tree.

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, ok};
use super::super::embedded::World;
use super::super::lists::{self, equals};
use super::super::server::Asked;
use super::super::store::{Kind, Token};
use super::find;

/// Filters: any field by equality; tags by sets, whose values a comma separates (`octavia/api/common/pagination.py`).
pub(super) fn list(world: &World, token: &Token, kind: Kind, asked: &Asked) -> Answer {
    let is_admin = token.roles.iter().any(|role| role == "admin");
    let visible = world
        .store
        .all(kind)
        .iter()
        .filter(|object| is_admin || object["project_id"] == token.project.as_str());
    let key = match kind {
        Kind::LoadBalancer => "loadbalancers",
        Kind::Listener => "listeners",
        Kind::Pool => "pools",
        _ => "healthmonitors",
    };
    let objects: Vec<Value> = visible.filter(|object| fits(object, asked)).cloned().collect();
    lists::page(&objects, key, &asked.url, &asked.query, world.options.longest_page)
}

fn fits(object: &Value, asked: &Asked) -> bool {
    const OURS: [&str; 6] = ["fields", "limit", "marker", "page_reverse", "sort", "cascade"];
    let has = |tag: &str| object["tags"].as_array().is_some_and(|tags| tags.iter().any(|own| own == tag));
    asked.query.iter().filter(|(key, _)| !OURS.contains(&key.as_str())).all(|(key, value)| {
        match key.as_str() {
            "tags" => value.split(',').all(has),
            "tags-any" => value.split(',').any(has),
            "not-tags" => !value.split(',').all(has),
            "not-tags-any" => !value.split(',').any(has),
            key => object.get(key).is_some_and(|own| equals(own, value)),
        }
    })
}

pub(super) fn members(world: &World, token: &Token, pool: &str, asked: &Asked) -> Result {
    find(world, token, Kind::Pool, pool)?;
    let members: Vec<Value> =
        world.store.with(Kind::Member, "_pool", pool).filter(|member| fits(member, asked)).cloned().collect();
    Ok(lists::page(&members, "members", &asked.url, &asked.query, world.options.longest_page))
}

pub(super) fn status_tree(world: &World, token: &Token, id: &str) -> Result {
    let load_balancer = find(world, token, Kind::LoadBalancer, id)?;
    let node = |object: &Value| {
        json!({"id": object["id"], "name": object["name"], "operating_status": object["operating_status"],
               "provisioning_status": object["provisioning_status"]})
    };
    let pool = |object: &Value| {
        let mut tree = node(object);
        let id = object["id"].as_str().unwrap_or_default();
        let members = world.store.with(Kind::Member, "_pool", id).map(|member| {
            let mut tree = node(member);
            tree["address"] = member["address"].clone();
            tree["protocol_port"] = member["protocol_port"].clone();
            tree
        });
        tree["members"] = members.collect();
        let monitor =
            object["healthmonitor_id"].as_str().and_then(|id| world.store.get(Kind::HealthMonitor, id));
        tree["health_monitor"] = monitor.map_or_else(|| json!({}), &node);
        tree
    };
    let listener = |object: &Value| {
        let mut tree = node(object);
        let default = object["default_pool_id"].as_str().and_then(|id| world.store.get(Kind::Pool, id));
        tree["pools"] = default.into_iter().map(pool).collect();
        tree
    };
    let mut tree = node(&load_balancer);
    tree["listeners"] = world.store.with(Kind::Listener, "_load_balancer", id).map(listener).collect();
    Ok(ok(200, json!({"statuses": {"loadbalancer": tree}})))
}
