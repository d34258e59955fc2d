//! Octavia v2 (`octavia/api/v2/controllers`, `octavia/api/v2/types`; texts recorded from Octavia 19).

mod batch;
mod graph;
mod health_monitor;
mod list;
mod listener;
mod load_balancer;
mod member;
mod page;
mod placement;
mod pool;
pub(super) mod provider;
mod quota;
mod render;
mod rules;
mod schema;
mod types;
mod vip;
mod work;

use serde_json::{Value, json};

use super::answer::{Answer, Result, fault, no_such_path, ok, pecan_error};
use super::embedded::World;
use super::server::Asked;
use super::store::{Kind, Token};

pub(super) use render::shown;
pub(super) use work::finish;

/// `octavia/api/root_controller.py`: the minor versions and the days on which they came.
const VERSIONS: [&str; 31] = [
    "2016-12-11T00:00:00Z",
    "2018-04-20T00:00:00Z",
    "2018-07-31T00:00:00Z",
    "2018-12-18T00:00:00Z",
    "2018-12-19T00:00:00Z",
    "2019-01-21T00:00:00Z",
    "2019-01-25T00:00:00Z",
    "2018-01-25T12:00:00Z",
    "2019-02-12T00:00:00Z",
    "2019-03-04T00:00:00Z",
    "2019-03-05T00:00:00Z",
    "2019-06-24T00:00:00Z",
    "2019-09-11T00:00:00Z",
    "2019-09-13T00:00:00Z",
    "2019-11-10T00:00:00Z",
    "2020-03-10T00:00:00Z",
    "2020-03-15T00:00:00Z",
    "2020-04-29T00:00:00Z",
    "2020-04-29T01:00:00Z",
    "2020-05-12T00:00:00Z",
    "2020-08-02T00:00:00Z",
    "2020-09-03T00:00:00Z",
    "2020-09-04T00:00:00Z",
    "2020-09-07T00:00:00Z",
    "2020-10-15T00:00:00Z",
    "2021-10-02T00:00:00Z",
    "2022-08-29T00:00:00Z",
    "2023-05-05T00:00:00Z",
    "2023-11-08T00:00:00Z",
    "2024-10-15T00:00:00Z",
    "2025-02-26T00:00:00Z",
];

pub(super) fn versions(world: &World) -> Answer {
    let link = json!({"href": format!("{}/load-balancer/v2", world.base), "rel": "self"});
    let version = |(minor, updated): (usize, &&str)| {
        let status = if minor + 1 == VERSIONS.len() { "CURRENT" } else { "SUPPORTED" };
        json!({"id": format!("v2.{minor}"), "status": status, "updated": updated, "links": [link]})
    };
    ok(200, json!({"versions": VERSIONS.iter().enumerate().map(version).collect::<Vec<_>>()}))
}

/// A kind by the name that the API has for it.
pub(super) fn kind(name: &str) -> Kind {
    known_kind(name).unwrap_or_else(|| panic!("there is no kind {name:?}"))
}

fn known_kind(name: &str) -> Option<Kind> {
    Some(match name {
        "loadbalancer" => Kind::LoadBalancer,
        "listener" => Kind::Listener,
        "pool" => Kind::Pool,
        "member" => Kind::Member,
        "healthmonitor" => Kind::HealthMonitor,
        "port" => Kind::Port,
        "floatingip" => Kind::FloatingIp,
        _ => return None,
    })
}

pub(super) fn answer(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let ["v2" | "v2.0", "lbaas", collection, rest @ ..] = path.as_slice() else { return Err(no_such_path()) };
    only_known_arguments(collection, rest, asked)?;
    match (asked.method.as_str(), *collection, rest) {
        ("GET", "providers", []) => provider::list(world, token),
        ("GET", "flavors", []) => Ok(placement::flavors(world, asked)),
        ("GET", "availabilityzones", []) => Ok(placement::zones(world)),
        ("GET", "l7policies", []) => Ok(ok(200, json!({"l7policies": [], "l7policies_links": []}))),
        (_, "quotas", rest) => quota::answer(world, token, rest, asked),
        (_, "pools", [pool, "members", rest @ ..]) => member::answer(world, token, pool, rest, asked),
        ("GET", "loadbalancers", [id, "status" | "statuses"]) => load_balancer::status(world, token, id),
        ("GET", "loadbalancers", [id, "stats"]) => statistics(world, token, Kind::LoadBalancer, id),
        ("GET", "listeners", [id, "stats"]) => statistics(world, token, Kind::Listener, id),
        ("PUT", "loadbalancers", [id, "failover"]) => load_balancer::fail_over(world, token, id),
        (method, "loadbalancers" | "listeners" | "pools" | "healthmonitors", rest) => {
            let kind = kind(collection.trim_end_matches('s'));
            match (method, rest) {
                ("GET", []) => list::list(world, token, kind, asked),
                ("GET", [id]) => list::one(world, token, kind, id, asked),
                ("POST", []) => create(world, token, kind, asked),
                ("PUT", [id]) => update(world, token, kind, id, asked),
                ("DELETE", [id]) => delete(world, token, kind, id, asked),
                ("PUT" | "DELETE", []) => Err(fault(400, "Missing argument: \"id\"")),
                ("GET" | "POST" | "PUT" | "DELETE", _) => Err(no_such_path()),
                _ => Err(pecan_error(405, "Method Not Allowed", "")),
            }
        }
        _ => Err(no_such_path()),
    }
}

fn create(world: &mut World, token: &Token, kind: Kind, asked: &Asked) -> Result {
    match kind {
        Kind::LoadBalancer => load_balancer::create(world, token, asked),
        Kind::Listener => listener::create(world, token, asked),
        Kind::Pool => pool::create(world, token, asked),
        _ => health_monitor::create(world, token, asked),
    }
}

fn update(world: &mut World, token: &Token, kind: Kind, id: &str, asked: &Asked) -> Result {
    match kind {
        Kind::LoadBalancer => load_balancer::update(world, token, id, asked),
        Kind::Listener => listener::update(world, token, id, asked),
        Kind::Pool => pool::update(world, token, id, asked),
        _ => health_monitor::update(world, token, id, asked),
    }
}

fn delete(world: &mut World, token: &Token, kind: Kind, id: &str, asked: &Asked) -> Result {
    match kind {
        Kind::LoadBalancer => load_balancer::delete(world, token, id, asked),
        Kind::Listener => listener::delete(world, token, id),
        Kind::Pool => pool::delete(world, token, id),
        _ => health_monitor::delete(world, token, id),
    }
}

/// What is not a filter of a list must be an argument of the controller (`wsme/rest/args.py`).
fn only_known_arguments(collection: &str, rest: &[&str], asked: &Asked) -> Result<()> {
    let known = match (asked.method.as_str(), collection, rest) {
        ("GET", ..) => return Ok(()),
        ("DELETE", "loadbalancers", [_]) => "cascade",
        ("PUT", "pools", [_, "members"]) => "additive_only",
        _ => "",
    };
    match asked.query.iter().find(|(key, _)| key != known) {
        Some((key, _)) => Err(fault(400, format!("Unknown argument: \"{key}\""))),
        None => Ok(()),
    }
}

/// Nothing is counted here.
fn statistics(world: &World, token: &Token, kind: Kind, id: &str) -> Result {
    let object = find(world, kind, id)?;
    may_read(token, object)?;
    let stats = ["bytes_in", "bytes_out", "active_connections", "total_connections", "request_errors"];
    Ok(ok(
        200,
        json!({"stats": Value::Object(stats.iter().map(|key| ((*key).to_owned(), json!(0))).collect())}),
    ))
}

/// `octavia/api/v2/controllers/base.py`, `_get_db_obj`: what belongs to others is there, but forbidden.
fn find<'a>(world: &'a World, kind: Kind, id: &str) -> Result<&'a Value> {
    world.store.get(kind, id).ok_or_else(|| fault(404, format!("{} {id} not found.", title(kind))))
}

/// `octavia/policies/keystone_default_roles.py`, `load-balancer:read`.
fn may_read(token: &Token, object: &Value) -> Result<()> {
    let is_own = object["project_id"] == token.project.as_str();
    allow(token.is_admin() || is_own && (token.has_role("reader") || token.has_role("member")))
}

/// `octavia/policies/keystone_default_roles.py`, `load-balancer:write`.
fn may_write(token: &Token, object: &Value) -> Result<()> {
    may_write_in(token, object["project_id"].as_str().unwrap_or_default())
}

fn may_write_in(token: &Token, project: &str) -> Result<()> {
    allow(token.is_admin() || project == token.project && token.has_role("member"))
}

fn allow(may: bool) -> Result<()> {
    if may { Ok(()) } else { Err(fault(403, "Policy does not allow this request to be performed.")) }
}

/// As error texts name it (`octavia/common/data_models.py`, `_name`).
fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::LoadBalancer => "Load Balancer",
        Kind::Listener => "Listener",
        Kind::Pool => "Pool",
        Kind::Member => "Member",
        Kind::HealthMonitor => "Health Monitor",
        Kind::Network | Kind::Subnet | Kind::Router | Kind::Port | Kind::FloatingIp => "resource",
    }
}
