//! Octavia v2 (`octavia/api/v2/controllers`, `octavia/api/v2/types`; texts recorded from Octavia 19).

mod create;
mod fields;
mod health_monitor;
mod lock;
mod members;
mod nested;
mod read;
mod update;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Result, fault, no_such_path, ok};
use super::embedded::World;
use super::server::Asked;
use super::store::{Kind, Token};

pub(super) use create::refer;

/// An object as a request gives it.
type Given = Map<String, Value>;

pub(super) fn versions() -> Answer {
    let version =
        |id: &str, status: &str| json!({"id": id, "status": status, "updated": "2025-02-06T00:00:00Z"});
    let mut versions: Vec<Value> =
        (0..30).map(|minor| version(&format!("v2.{minor}"), "SUPPORTED")).collect();
    versions.push(version("v2.30", "CURRENT"));
    ok(200, json!({"versions": versions}))
}

/// A kind by the name that the API has for it.
pub(super) fn kind(name: &str) -> Kind {
    match name {
        "loadbalancer" => Kind::LoadBalancer,
        "listener" => Kind::Listener,
        "pool" => Kind::Pool,
        "member" => Kind::Member,
        "healthmonitor" => Kind::HealthMonitor,
        "port" => Kind::Port,
        "floatingip" => Kind::FloatingIp,
        other => panic!("there is no kind {other:?}"),
    }
}

pub(super) fn answer(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let ["v2" | "v2.0", "lbaas", collection, rest @ ..] = path.as_slice() else { return Err(no_such_path()) };
    if asked.method != "GET" {
        may_write(token)?;
    }
    let one = collection.trim_end_matches('s');
    let given = || match asked.body.get(one).and_then(Value::as_object) {
        Some(given) => Ok(given.clone()),
        None => Err(fault(400, format!("Missing argument: \"{one}\""))),
    };
    match (asked.method.as_str(), *collection, rest) {
        ("GET", "providers", []) => Ok(ok(
            200,
            json!({"providers": [
                {"name": "amphora", "description": "The Octavia Amphora driver"},
                {"name": "octavia", "description": "Alias of amphora"}]}),
        )),
        ("GET", "loadbalancers", [id, "status" | "statuses"]) => read::status_tree(world, token, id),
        ("GET", "pools", [pool, "members"]) => read::members(world, token, pool, asked),
        ("PUT", "pools", [pool, "members"]) => members::put(world, token, pool, asked),
        ("POST", "pools", [pool, "members"]) => {
            let member = asked.body["member"].as_object().cloned().unwrap_or_default();
            members::create(world, token, pool, &member)
        }
        ("PUT", "pools", [pool, "members", id]) => {
            let member = asked.body["member"].as_object().cloned().unwrap_or_default();
            members::update(world, token, pool, id, &member)
        }
        ("DELETE", "pools", [pool, "members", id]) => members::delete(world, token, pool, id),
        ("GET", "loadbalancers" | "listeners" | "pools" | "healthmonitors", []) => {
            Ok(read::list(world, token, kind(one), asked))
        }
        ("GET", "loadbalancers" | "listeners" | "pools" | "healthmonitors", [id]) => {
            Ok(ok(200, json!({one: super::lists::shown(&find(world, token, kind(one), id)?)})))
        }
        ("POST", "loadbalancers", []) => create::load_balancer(world, token, &given()?),
        ("POST", "listeners", []) => create::listener(world, token, &given()?),
        ("POST", "pools", []) => create::pool(world, token, &given()?),
        ("POST", "healthmonitors", []) => create::health_monitor(world, token, &given()?),
        ("PUT", "loadbalancers" | "listeners" | "pools" | "healthmonitors", [id]) => {
            update::update(world, token, kind(one), id, &given()?)
        }
        ("DELETE", "loadbalancers" | "listeners" | "pools" | "healthmonitors", [id]) => {
            update::delete(world, token, kind(one), id, asked)
        }
        _ => Err(no_such_path()),
    }
}

/// `load-balancer_member`, or `member` as by default since 2023 (`octavia/policies/base.py`).
fn may_write(token: &Token) -> Result<()> {
    let writes = ["member", "load-balancer_member", "load-balancer_admin", "admin"];
    if token.roles.iter().any(|role| writes.contains(&role.as_str())) {
        return Ok(());
    }
    Err(fault(403, "Policy does not allow this request to be performed."))
}

/// An object that the token may see.
fn find(world: &World, token: &Token, kind: Kind, id: &str) -> Result<Value> {
    let Some(object) = world.store.get(kind, id) else {
        return Err(fault(404, format!("{} {id} not found.", title(kind))));
    };
    let is_admin = token.roles.iter().any(|role| role == "admin");
    if is_admin || object["project_id"] == token.project.as_str() {
        return Ok(object.clone());
    }
    Err(fault(403, "Policy does not allow this request to be performed."))
}

/// As error texts name it (`octavia/common/data_models.py`, `_name`).
fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::LoadBalancer => "Load Balancer",
        Kind::Listener => "Listener",
        Kind::Pool => "Pool",
        Kind::Member => "Member",
        Kind::HealthMonitor => "Health Monitor",
        Kind::Network | Kind::Subnet | Kind::Port | Kind::FloatingIp => "resource",
    }
}
