//! Neutron v2.0: networks, subnets, routers, ports, floating IPs, quotas (`neutron/api/v2/base.py`; texts recorded from
//! Neutron 29).

mod address;
mod floating_ip;
mod list;
mod port;
mod quota;
mod resource;
mod tags;

use serde_json::{Value, json};

use super::answer::{Answer, Result, neutron_error, ok};
use super::embedded::World;
use super::server::Asked;
use super::store::{Kind, Token, text};
use resource::{RESOURCES, Resource};

pub(super) use address::lies_in;
pub(super) use port::{delete as delete_port, make as make_port};

pub(super) fn versions(world: &World) -> Answer {
    let link = json!({"rel": "self", "href": format!("{}/network/v2.0/", world.base)});
    ok(200, json!({"versions": [{"id": "v2.0", "status": "CURRENT", "links": [link]}]}))
}

pub(super) fn answer(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let ["v2.0", collection, rest @ ..] = path.as_slice() else { return Err(no_such_path()) };
    if *collection == "quotas" {
        return quota::answer(world, token, rest, asked);
    }
    let resource = RESOURCES.iter().find(|one| one.collection == *collection).ok_or_else(no_such_path)?;
    match (asked.method.as_str(), rest) {
        ("GET", []) => list::list(world, token, resource, asked),
        ("GET", [id]) => {
            let found = find(world, token, resource, id)?;
            let shown =
                list::only(&shown(world, resource.kind, &found), &asked.values("fields").collect::<Vec<_>>());
            Ok(ok(200, json!({resource.singular: shown})))
        }
        ("POST", []) => {
            let given = resource.for_create(token, &asked.body)?;
            may(token, "create", resource)?;
            match resource.kind {
                Kind::Port => port::create(world, token, &given),
                Kind::FloatingIp => floating_ip::create(world, token, &given),
                // A tenant may make these in a real cloud; here nobody needs more than there are.
                _ => Err(forbidden("create", resource.singular)),
            }
        }
        ("PUT", [id]) => {
            let given = resource.for_update(&asked.body)?;
            let found = find(world, token, resource, id)?;
            may(token, "update", resource)?;
            match resource.kind {
                Kind::Port => port::update(world, token, &found, &given),
                Kind::FloatingIp => floating_ip::update(world, token, &found, &given),
                _ => Err(forbidden("update", resource.singular)),
            }
        }
        ("DELETE", [id]) => {
            let found = find(world, token, resource, id)?;
            may(token, "delete", resource)?;
            delete(world, resource, text(&found, "id"))
        }
        (_, [id, "tags", rest @ ..]) => {
            let found = find(world, token, resource, id)?;
            tags::answer(world, token, resource, &found, rest, asked)
        }
        _ => Err(neutron_error(
            405,
            "HTTPMethodNotAllowed",
            "The server could not comply with the request since it is either malformed or otherwise incorrect.",
        )),
    }
}

fn delete(world: &mut World, resource: &Resource, id: &str) -> Result {
    match resource.kind {
        Kind::Port => port::delete_by_hand(world, id),
        Kind::FloatingIp => Ok(floating_ip::delete(world, id)),
        Kind::Network => {
            let ports = world.store.ids(Kind::Port, "network_id", id).join(",");
            let text = format!(
                "Unable to complete operation on network {id}. There are one or more ports still in use on the \
                 network, id for these ports is: {ports}."
            );
            Err(neutron_error(409, "NetworkInUse", text))
        }
        Kind::Subnet => {
            let why = "One or more ports have an IP allocation from this subnet.";
            let text = format!("Unable to complete operation on subnet {id}: {why}");
            Err(neutron_error(409, "SubnetInUse", text))
        }
        _ => Err(neutron_error(409, "RouterInUse", format!("Router {id} still has ports"))),
    }
}

/// Nobody has anything at this path (recorded).
fn no_such_path() -> Answer {
    neutron_error(404, "HTTPNotFound", "The resource could not be found.")
}

/// One's own, what is external, and everything for an administrator (`neutron/conf/policies`).
pub(super) fn is_visible(world: &World, token: &Token, kind: Kind, object: &Value) -> bool {
    let is_external = match kind {
        Kind::Network => object["router:external"] == true,
        Kind::Subnet => world
            .store
            .get(Kind::Network, text(object, "network_id"))
            .is_some_and(|network| network["router:external"] == true),
        _ => false,
    };
    token.is_admin() || is_external || object["project_id"] == token.project.as_str()
}

/// An object that the token may see: what belongs to others is not there.
pub(super) fn visible<'a>(world: &'a World, token: &Token, kind: Kind, id: &str) -> Option<&'a Value> {
    world.store.get(kind, id).filter(|object| is_visible(world, token, kind, object))
}

fn find(world: &World, token: &Token, resource: &Resource, id: &str) -> Result<Value> {
    visible(world, token, resource.kind, id).cloned().ok_or_else(|| not_found(resource.kind, id))
}

/// `neutron_lib/exceptions`: the texts differ by a full stop.
fn not_found(kind: Kind, id: &str) -> Answer {
    let (class, name, stop) = match kind {
        Kind::Network => ("NetworkNotFound", "Network", "."),
        Kind::Subnet => ("SubnetNotFound", "Subnet", "."),
        Kind::Port => ("PortNotFound", "Port", "."),
        Kind::Router => ("RouterNotFound", "Router", ""),
        _ => ("FloatingIPNotFound", "Floating IP", ""),
    };
    neutron_error(404, class, format!("{name} {id} could not be found{stop}"))
}

/// Readers may only read (`neutron/conf/policies/base.py`).
fn may(token: &Token, verb: &str, resource: &Resource) -> Result<()> {
    if token.is_admin() || token.has_role("member") {
        return Ok(());
    }
    Err(forbidden(verb, resource.singular))
}

fn forbidden(verb: &str, what: &str) -> Answer {
    neutron_error(403, "PolicyNotAuthorized", format!("rule:{verb}_{what} is disallowed by policy"))
}

/// What needs more than the right to do the thing at all.
fn forbidden_field(verb: &str, what: &str, field: &str) -> Answer {
    let text = format!("(rule:{verb}_{what} and rule:{verb}_{what}:{field}) is disallowed by policy");
    neutron_error(403, "PolicyNotAuthorized", text)
}

/// An object as the API shows it; a floating IP tells of its port.
fn shown(world: &World, kind: Kind, object: &Value) -> Value {
    let mut shown = super::octavia::shown(object);
    if kind == Kind::FloatingIp {
        shown["port_details"] = floating_ip::port_details(world, object);
    }
    shown
}
