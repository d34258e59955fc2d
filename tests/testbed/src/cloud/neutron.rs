//! Neutron v2.0: networks, subnets, ports, floating IPs (`neutron/api/v2/base.py`, `neutron/db/l3_db.py`; texts recorded
//! from Neutron 29).

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Result, neutron_error, no_such_path, ok};
use super::embedded::World;
use super::lists::{self, equals};
use super::server::Asked;
use super::store::{Kind, Token, new_id, now};

pub(super) fn answer(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let ["v2.0", collection, rest @ ..] = path.as_slice() else { return Err(no_such_path()) };
    let resource = RESOURCES.iter().find(|one| one.collection == *collection).ok_or_else(no_such_path)?;
    match (asked.method.as_str(), rest) {
        ("GET", []) => Ok(list(world, token, resource, asked)),
        ("GET", [id]) => Ok(resource.one(200, &find(world, token, resource, id)?)),
        ("POST", []) => match resource.kind {
            Kind::Port => create_port(world, token, &body(asked, resource)?),
            Kind::FloatingIp => create_floating_ip(world, token, &body(asked, resource)?),
            _ => Err(forbidden("create", resource.singular)),
        },
        ("PUT", [id]) => update(world, token, resource, id, &body(asked, resource)?),
        ("DELETE", [id]) => delete(world, token, resource, id),
        _ => Err(no_such_path()),
    }
}

struct Resource {
    kind: Kind,
    collection: &'static str,
    singular: &'static str,
    class: &'static str,
    /// Fields that a list can be filtered by; any other is ignored in silence, as Neutron does by default.
    settable: &'static [&'static str],
}

const RESOURCES: [Resource; 4] = [
    Resource {
        kind: Kind::Network,
        collection: "networks",
        singular: "network",
        class: "Network",
        settable: &[],
    },
    Resource {
        kind: Kind::Subnet,
        collection: "subnets",
        singular: "subnet",
        class: "Subnet",
        settable: &[],
    },
    Resource {
        kind: Kind::Port,
        collection: "ports",
        singular: "port",
        class: "Port",
        settable: &["name", "description", "device_id", "device_owner", "admin_state_up", "security_groups"],
    },
    Resource {
        kind: Kind::FloatingIp,
        collection: "floatingips",
        singular: "floatingip",
        class: "FloatingIP",
        settable: &["port_id", "description"],
    },
];

impl Resource {
    fn one(&self, status: u16, object: &Value) -> Answer {
        ok(status, json!({self.singular: lists::shown(object)}))
    }
}

fn body(asked: &Asked, resource: &Resource) -> Result<Map<String, Value>> {
    let given = asked.body[resource.singular].as_object().cloned();
    given.ok_or_else(|| neutron_error(400, "HTTPBadRequest", "Unable to find object in request body"))
}

fn list(world: &World, token: &Token, resource: &Resource, asked: &Asked) -> Answer {
    const OURS: [&str; 7] =
        ["fields", "limit", "marker", "page_reverse", "sort_key", "sort_dir", "fixed_ips"];
    let all = world.store.all(resource.kind).iter().filter(|object| is_visible(token, resource, object));
    let fits = |object: &&Value| {
        asked.query.iter().filter(|(key, _)| !OURS.contains(&key.as_str())).all(|(key, _)| {
            // A key that is given several times means any of its values.
            let mut values = asked.query.iter().filter(|(other, _)| other == key);
            object.get(key).is_none_or(|own| values.any(|(_, value)| equals(own, value)))
        })
    };
    let found: Vec<Value> = all.filter(fits).cloned().collect();
    lists::page(&found, resource.collection, &asked.url, &asked.query, world.options.longest_page)
}

/// One's own, what is external, and everything for an administrator.
fn is_visible(token: &Token, resource: &Resource, object: &Value) -> bool {
    let is_admin = token.roles.iter().any(|role| role == "admin");
    let is_external = resource.kind == Kind::Network && object["router:external"] == true;
    is_admin || is_external || object["project_id"] == token.project.as_str()
}

fn find(world: &World, token: &Token, resource: &Resource, id: &str) -> Result<Value> {
    let found = world.store.get(resource.kind, id).filter(|object| is_visible(token, resource, object));
    found.cloned().ok_or_else(|| {
        let Resource { class, singular, .. } = resource;
        let what = match resource.kind {
            Kind::FloatingIp => "Floating IP".to_owned(),
            _ => singular[..1].to_uppercase() + &singular[1..],
        };
        neutron_error(404, &format!("{class}NotFound"), format!("{what} {id} could not be found."))
    })
}

fn forbidden(verb: &str, what: &str) -> Answer {
    neutron_error(403, "PolicyNotAuthorized", format!("rule:{verb}_{what} is disallowed by policy"))
}

/// Roles that may only read (`neutron/conf/policies/base.py`).
fn may_write(token: &Token, what: &str) -> Result<()> {
    if token.roles.iter().any(|role| role == "member" || role == "admin") {
        return Ok(());
    }
    Err(forbidden("create", what))
}

fn over_quota(world: &World, token: &Token, kind: Kind, what: &str) -> Result<()> {
    let most = world.store.quotas.get(&(token.project.clone(), kind)).copied().unwrap_or(usize::MAX);
    let has = world.store.with(kind, "project_id", &token.project).count();
    if has < most {
        return Ok(());
    }
    Err(neutron_error(409, "OverQuota", format!("Quota exceeded for resources: ['{what}'].")))
}

pub(super) fn create_port(world: &mut World, token: &Token, given: &Map<String, Value>) -> Result {
    const KNOWN: [&str; 12] = [
        "name",
        "description",
        "network_id",
        "fixed_ips",
        "device_id",
        "device_owner",
        "admin_state_up",
        "security_groups",
        "allowed_address_pairs",
        "port_security_enabled",
        "project_id",
        "tenant_id",
    ];
    may_write(token, "port")?;
    // Tags are ignored at creation, not refused (`neutron/plugins/ml2/plugin.py`; tried).
    refuse_unknown(given, &[&KNOWN[..], &["tags"]].concat())?;
    let network_id = given.get("network_id").and_then(Value::as_str).unwrap_or_default();
    if world.store.get(Kind::Network, network_id).is_none() {
        return Err(neutron_error(
            404,
            "NetworkNotFound",
            format!("Network {network_id} could not be found."),
        ));
    }
    over_quota(world, token, Kind::Port, "port")?;
    let asked = given.get("fixed_ips").and_then(|ips| ips.get(0)).cloned().unwrap_or_else(|| json!({}));
    let subnet = match asked["subnet_id"].as_str() {
        Some(id) => world.store.get(Kind::Subnet, id).cloned(),
        None => world.store.with(Kind::Subnet, "network_id", network_id).next().cloned(),
    };
    let Some(subnet) = subnet else {
        let id = asked["subnet_id"].as_str().unwrap_or_default();
        return Err(neutron_error(404, "SubnetNotFound", format!("Subnet {id} could not be found.")));
    };
    let address = match asked["ip_address"].as_str() {
        Some(address) => wished_address(world, &subnet, address)?,
        None => free_address(world, &subnet, network_id)?,
    };
    let text = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let port = json!({
        "id": new_id(), "name": text("name"), "description": text("description"), "network_id": network_id,
        "project_id": token.project, "tenant_id": token.project, "device_id": text("device_id"),
        "device_owner": text("device_owner"), "status": "DOWN", "admin_state_up": true, "tags": [],
        "security_groups": [], "created_at": now(),
        "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": address}],
    });
    world.store.add(Kind::Port, port.clone());
    Ok(ok(201, json!({"port": port})))
}

fn refuse_unknown(given: &Map<String, Value>, known: &[&str]) -> Result<()> {
    match given.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(neutron_error(400, "HTTPBadRequest", format!("Unrecognized attribute(s) '{key}'"))),
        None => Ok(()),
    }
}

fn is_taken(world: &World, address: &str) -> bool {
    world.store.all(Kind::Port).iter().any(|port| port["fixed_ips"][0]["ip_address"] == address)
        || world.store.all(Kind::FloatingIp).iter().any(|one| one["floating_ip_address"] == address)
}

fn wished_address(world: &World, subnet: &Value, address: &str) -> Result<String> {
    let start = |text: &str| text.rsplit_once('.').map(|(start, _)| start.to_owned());
    let cidr = subnet["cidr"].as_str().unwrap_or_default();
    if address.parse::<IpAddr>().is_err() || start(address) != start(cidr) {
        let id = subnet["id"].as_str().unwrap_or_default();
        let text = format!("IP address {address} is not a valid IP for the specified subnet.");
        return Err(neutron_error(400, "InvalidIpForSubnet", text + &format!(" ({id})")));
    }
    if is_taken(world, address) {
        let id = subnet["id"].as_str().unwrap_or_default();
        let text = format!("IP address {address} already allocated in subnet {id}");
        return Err(neutron_error(409, "IpAddressAlreadyAllocated", text));
    }
    Ok(address.to_owned())
}

/// The next address; Neutron too hands out new ones before it reuses old ones.
fn free_address(world: &World, subnet: &Value, network: &str) -> Result<String> {
    let cidr = subnet["cidr"].as_str().unwrap_or_default();
    let start = cidr.rsplit_once('.').map_or("", |(start, _)| start);
    let mut addresses = (2..=world.options.addresses).map(|last| format!("{start}.{last}"));
    addresses.find(|address| !is_taken(world, address)).ok_or_else(|| {
        let text = format!("No more IP addresses available on network {network}.");
        neutron_error(409, "IpAddressGenerationFailure", text)
    })
}

fn create_floating_ip(world: &mut World, token: &Token, given: &Map<String, Value>) -> Result {
    const KNOWN: [&str; 8] = [
        "floating_network_id",
        "port_id",
        "description",
        "fixed_ip_address",
        "floating_ip_address",
        "subnet_id",
        "project_id",
        "tenant_id",
    ];
    may_write(token, "floatingip")?;
    // Unlike for ports, tags are refused (tried).
    refuse_unknown(given, &KNOWN)?;
    let network = given.get("floating_network_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let external = world.store.get(Kind::Network, &network).filter(|one| one["router:external"] == true);
    if external.is_none() {
        let text = format!("Network {network} is not a valid external network");
        return Err(neutron_error(400, "BadRequest", format!("Bad floatingip request: {text}.")));
    }
    if given.contains_key("floating_ip_address") && !token.roles.iter().any(|role| role == "admin") {
        return Err(forbidden("create", "floatingip:floating_ip_address"));
    }
    over_quota(world, token, Kind::FloatingIp, "floatingip")?;
    let subnet = world.store.with(Kind::Subnet, "network_id", &network).next().cloned().unwrap_or_default();
    let address = free_address(world, &subnet, &network)?;
    let mut floating_ip = json!({
        "id": new_id(), "description": given.get("description").cloned().unwrap_or_else(|| json!("")),
        "floating_ip_address": address, "floating_network_id": network, "project_id": token.project,
        "tenant_id": token.project, "port_id": null, "fixed_ip_address": null, "status": "DOWN", "tags": [],
        "created_at": now(),
    });
    lead(world, &mut floating_ip, given.get("port_id").unwrap_or(&Value::Null))?;
    world.store.add(Kind::FloatingIp, floating_ip.clone());
    super::beat::apply_all(world);
    Ok(ok(201, json!({"floatingip": floating_ip})))
}

/// Leads a floating IP to a port, or nowhere.
fn lead(world: &World, floating_ip: &mut Value, port: &Value) -> Result<()> {
    let Some(id) = port.as_str() else {
        floating_ip["port_id"] = Value::Null;
        floating_ip["fixed_ip_address"] = Value::Null;
        return Ok(());
    };
    let Some(found) = world.store.get(Kind::Port, id) else {
        return Err(neutron_error(404, "PortNotFound", format!("Port {id} could not be found.")));
    };
    let fixed = found["fixed_ips"][0]["ip_address"].clone();
    let other =
        world.store.with(Kind::FloatingIp, "port_id", id).find(|other| other["id"] != floating_ip["id"]);
    if other.is_some() {
        let text = format!(
            "Cannot associate floating IP {} ({}) with port {id} using fixed IP {}, as that fixed IP already has a \
             floating IP on external network {}.",
            floating_ip["floating_ip_address"].as_str().unwrap_or_default(),
            floating_ip["id"].as_str().unwrap_or_default(),
            fixed.as_str().unwrap_or_default(),
            floating_ip["floating_network_id"].as_str().unwrap_or_default(),
        );
        return Err(neutron_error(409, "FloatingIPPortAlreadyAssociated", text));
    }
    floating_ip["port_id"] = json!(id);
    floating_ip["fixed_ip_address"] = fixed;
    Ok(())
}

fn update(
    world: &mut World,
    token: &Token,
    resource: &Resource,
    id: &str,
    given: &Map<String, Value>,
) -> Result {
    may_write(token, resource.singular)?;
    let mut object = find(world, token, resource, id)?;
    refuse_unknown(given, resource.settable)?;
    for (key, value) in given {
        if key == "port_id" {
            lead(world, &mut object, value)?;
        } else {
            object[key] = value.clone();
        }
    }
    *world.store.get_mut(resource.kind, id).expect("it was found") = object.clone();
    super::beat::apply_all(world);
    Ok(resource.one(200, &object))
}

fn delete(world: &mut World, token: &Token, resource: &Resource, id: &str) -> Result {
    find(world, token, resource, id)?;
    may_write(token, resource.singular)?;
    match resource.kind {
        Kind::Port => {
            // A floating IP of the port leads nowhere from now on (`neutron/db/l3_db.py`, `disassociate_floatingips`).
            let leading: Vec<String> = world
                .store
                .with(Kind::FloatingIp, "port_id", id)
                .filter_map(|one| one["id"].as_str().map(str::to_owned))
                .collect();
            for floating_ip in leading {
                world.store.set(Kind::FloatingIp, &floating_ip, "port_id", Value::Null);
                world.store.set(Kind::FloatingIp, &floating_ip, "fixed_ip_address", Value::Null);
            }
        }
        Kind::FloatingIp => {}
        _ => return Err(forbidden("delete", resource.singular)),
    }
    world.store.remove(resource.kind, id);
    super::beat::apply_all(world);
    Ok(ok(204, Value::Null))
}
