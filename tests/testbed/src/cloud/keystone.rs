//! Keystone v3: tokens and the catalogue (`keystone/api/auth.py`; texts recorded from Keystone 30).

use serde_json::{Value, json};

use super::answer::{Answer, keystone_error, no_such_path, ok, unauthorised};
use super::embedded::World;
use super::server::Asked;
use super::store::{Token, User, new_id};

pub(super) fn answer(world: &mut World, asked: &Asked) -> Answer {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    match (asked.method.as_str(), path.as_slice()) {
        ("GET", ["v3"]) => ok(200, json!({"version": {"id": "v3.14", "status": "stable"}})),
        ("POST", ["v3", "auth", "tokens"]) => log_in(world, &asked.body["auth"]),
        _ => no_such_path(),
    }
}

fn log_in(world: &mut World, auth: &Value) -> Answer {
    let methods = &auth["identity"]["methods"];
    let user = match methods.as_array().and_then(|methods| methods.first()).and_then(Value::as_str) {
        Some("password") => by_password(world, auth),
        Some("application_credential") => by_application_credential(world, auth),
        _ => return keystone_error(400, "Bad Request", "Expecting to find methods in identity."),
    };
    let Some(user) = user else { return unauthorised() };
    let token = format!("gAAAAAB{}", new_id());
    let issued = Token { project: user.project_id.clone(), roles: user.roles.clone() };
    world.store.tokens.insert(token.clone(), issued);
    let roles: Vec<Value> = user.roles.iter().map(|role| json!({"name": role})).collect();
    let body = json!({"token": {
        "methods": methods,
        "user": {"name": user.name, "id": user.id, "domain": {"id": "default", "name": "Default"}},
        "project": {"name": user.project, "id": user.project_id, "domain": {"id": "default", "name": "Default"}},
        "roles": roles,
        "expires_at": "2026-12-02T00:00:00.000000Z",
        "catalog": catalogue(world),
    }});
    Answer { token: Some(token), ..ok(201, body) }
}

fn by_password(world: &World, auth: &Value) -> Option<User> {
    let given = &auth["identity"]["password"]["user"];
    let project = &auth["scope"]["project"];
    let found = world.store.users.iter().find(|user| {
        is_named(given, &user.name, &user.id)
            && given["password"] == user.password.as_str()
            && is_named(project, &user.project, &user.project_id)
    });
    found.cloned()
}

fn by_application_credential(world: &World, auth: &Value) -> Option<User> {
    let given = &auth["identity"]["application_credential"];
    let (_, _, owner) = world.store.application_credentials.iter().find(|(id, secret, owner)| {
        let by_id = given["id"] == id.as_str();
        let by_name = given["name"] == id.as_str() && given["user"]["name"] == owner.as_str();
        (by_id || by_name) && given["secret"] == secret.as_str()
    })?;
    world.store.users.iter().find(|user| user.name == *owner).cloned()
}

/// By id, or by name in the one domain that there is.
fn is_named(given: &Value, name: &str, id: &str) -> bool {
    if given["id"].is_string() {
        return given["id"] == id;
    }
    let domain = &given["domain"];
    given["name"] == name && (domain["name"] == "Default" || domain["id"] == "default")
}

/// Two regions and two interfaces: only one of the four endpoints of a service is the right one.
fn catalogue(world: &World) -> Value {
    let service = |kind: &str, path: &str| {
        let endpoints: Vec<Value> = [
            ("RegionOne", "public"),
            ("RegionOne", "internal"),
            ("RegionTwo", "public"),
        ]
        .into_iter()
        .map(|(region, interface)| {
            let is_right = region == "RegionOne" && interface == "public";
            let url =
                if is_right { format!("{}{path}", world.base) } else { format!("http://127.0.0.1:9{path}") };
            json!({"interface": interface, "region": region, "region_id": region, "url": url, "id": new_id()})
        })
        .collect();
        json!({"type": kind, "name": kind, "id": new_id(), "endpoints": endpoints})
    };
    json!([
        service("identity", "/identity"),
        service("network", "/network"),
        service("load-balancer", "/load-balancer")
    ])
}
