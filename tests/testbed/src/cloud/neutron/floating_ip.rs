//! Floating IPs (`neutron/db/l3_db.py`).

use serde_json::{Map, Value, json};

use super::super::answer::{Answer, Result, empty, neutron_error, ok};
use super::super::beat;
use super::super::embedded::World;
use super::super::store::{Kind, Token, new_id, now, text};
use super::{address, forbidden_field, not_found, port, quota, shown, visible};

type Given = Map<String, Value>;

pub(super) fn create(world: &mut World, token: &Token, given: &Given) -> Result {
    let wished = given.get("floating_ip_address").and_then(Value::as_str);
    if wished.is_some() && !token.is_admin() {
        return Err(forbidden_field("create", "floatingip", "floating_ip_address"));
    }
    let network = given.get("floating_network_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let external =
        visible(world, token, Kind::Network, &network).ok_or_else(|| not_found(Kind::Network, &network))?;
    if external["router:external"] != true {
        let text = format!("Bad floatingip request: Network {network} is not a valid external network.");
        return Err(neutron_error(400, "BadRequest", text));
    }
    quota::must_have_room(world, &token.project, Kind::FloatingIp)?;
    let subnet = match given.get("subnet_id").and_then(Value::as_str) {
        Some(id) => {
            let subnet =
                world.store.get(Kind::Subnet, id).filter(|subnet| subnet["network_id"] == network.as_str());
            subnet.cloned().ok_or_else(|| {
                let text = format!(
                    "Invalid input for operation: Failed to create port on network {network}, because fixed_ips \
                     included invalid subnet {id}."
                );
                neutron_error(400, "InvalidInput", text)
            })?
        }
        None => world.store.with(Kind::Subnet, "network_id", &network).next().cloned().unwrap_or_default(),
    };
    let address = match wished {
        Some(wished) => address::wished(world, &subnet, wished, None)?,
        // `neutron_lib/exceptions/__init__.py`, `ExternalIpAddressExhausted`.
        None => address::free(world, &subnet).ok_or_else(|| {
            let text = format!("Unable to find any IP address on external network {network}.");
            neutron_error(400, "ExternalIpAddressExhausted", text)
        })?,
    };
    let moment = format!("{}Z", now());
    let id = new_id();
    let mut floating_ip = json!({
        "id": id, "description": given.get("description").cloned().unwrap_or_else(|| json!("")),
        "floating_ip_address": address, "floating_network_id": network, "project_id": token.project,
        "tenant_id": token.project, "router_id": null, "port_id": null, "fixed_ip_address": null, "status": "DOWN",
        "qos_policy_id": null, "tags": [], "created_at": moment, "updated_at": moment, "revision_number": 0,
    });
    if given.get("port_id").is_some_and(|port| !port.is_null()) {
        lead(world, token, &mut floating_ip, given)?;
    }
    // The address is held by a port that belongs to nobody.
    let held = json!({"network_id": network, "device_id": id, "device_owner": "network:floatingip",
                      "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": address}], "security_groups": []});
    port::make(world, "", held.as_object().expect("an object"))?;
    world.store.add(Kind::FloatingIp, floating_ip.clone());
    beat::readdress(world);
    Ok(ok(201, json!({"floatingip": shown(world, Kind::FloatingIp, &floating_ip)})))
}

pub(super) fn update(world: &mut World, token: &Token, floating_ip: &Value, given: &Given) -> Result {
    let mut floating_ip = floating_ip.clone();
    if let Some(description) = given.get("description") {
        floating_ip["description"] = description.clone();
    }
    match given.get("port_id") {
        Some(Value::Null) => lead_nowhere(&mut floating_ip),
        Some(_) => lead(world, token, &mut floating_ip, given)?,
        None => {}
    }
    port::touch(&mut floating_ip);
    *world.store.get_mut(Kind::FloatingIp, text(&floating_ip, "id")).expect("it was found") =
        floating_ip.clone();
    beat::readdress(world);
    Ok(ok(200, json!({"floatingip": shown(world, Kind::FloatingIp, &floating_ip)})))
}

pub(super) fn delete(world: &mut World, id: &str) -> Answer {
    for held in world.store.ids(Kind::Port, "device_id", id) {
        world.store.remove(Kind::Port, &held);
    }
    world.store.remove(Kind::FloatingIp, id);
    beat::readdress(world);
    empty(204)
}

/// Leads a floating IP to a port's address (`_check_and_get_fip_assoc`).
fn lead(world: &World, token: &Token, floating_ip: &mut Value, given: &Given) -> Result<()> {
    let id = given.get("port_id").and_then(Value::as_str).unwrap_or_default();
    let port = port::for_floating_ip(world, token, id)?;
    let own = port["fixed_ips"].as_array().cloned().unwrap_or_default();
    let fixed = match given.get("fixed_ip_address").and_then(Value::as_str) {
        Some(wished) => own.iter().find(|ip| ip["ip_address"] == wished).ok_or_else(|| {
            let text = format!("Bad floatingip request: Port {id} does not have fixed ip {wished}.");
            neutron_error(400, "BadRequest", text)
        })?,
        None => own.first().ok_or_else(|| {
            let why = format!("Cannot add floating IP to port {id} that has no fixed IPv4 addresses");
            neutron_error(400, "BadRequest", format!("Bad floatingip request: {why}."))
        })?,
    };
    let external = text(floating_ip, "floating_network_id");
    let subnet = text(fixed, "subnet_id");
    let router = router_between(world, external, subnet).ok_or_else(|| {
        let text = format!(
            "External network {external} is not reachable from subnet {subnet}.  Therefore, cannot associate Port \
             {id} with a Floating IP."
        );
        neutron_error(404, "ExternalGatewayForFloatingIPNotFound", text)
    })?;
    let is_other = |other: &&Value| {
        other["id"] != floating_ip["id"]
            && other["fixed_ip_address"] == fixed["ip_address"]
            && other["floating_network_id"] == floating_ip["floating_network_id"]
    };
    if world.store.with(Kind::FloatingIp, "port_id", id).any(|other| is_other(&other)) {
        let text = format!(
            "Cannot associate floating IP {} ({}) with port {id} using fixed IP {}, as that fixed IP already has a \
             floating IP on external network {external}.",
            text(floating_ip, "floating_ip_address"),
            text(floating_ip, "id"),
            text(fixed, "ip_address"),
        );
        return Err(neutron_error(409, "FloatingIPPortAlreadyAssociated", text));
    }
    floating_ip["router_id"] = router;
    floating_ip["fixed_ip_address"] = fixed["ip_address"].clone();
    floating_ip["port_id"] = json!(id);
    Ok(())
}

pub(super) fn lead_nowhere(floating_ip: &mut Value) {
    for field in ["router_id", "port_id", "fixed_ip_address"] {
        floating_ip[field] = Value::Null;
    }
}

/// The router with its gateway in the one and an interface in the other.
fn router_between(world: &World, external: &str, subnet: &str) -> Option<Value> {
    let has_interface = |router: &&Value| {
        world.store.with(Kind::Port, "device_id", text(router, "id")).any(|port| {
            port["device_owner"] == "network:router_interface" && port["fixed_ips"][0]["subnet_id"] == subnet
        })
    };
    let leads_out = |router: &&Value| router["external_gateway_info"]["network_id"] == external;
    let router = world.store.all(Kind::Router).iter().filter(leads_out).find(has_interface);
    router.map(|router| router["id"].clone())
}

/// What a floating IP tells of its port.
pub(super) fn port_details(world: &World, floating_ip: &Value) -> Value {
    let Some(port) = world.store.get(Kind::Port, text(floating_ip, "port_id")) else { return Value::Null };
    let fields =
        ["name", "network_id", "mac_address", "admin_state_up", "status", "device_id", "device_owner"];
    Value::Object(fields.iter().map(|field| ((*field).to_owned(), port[*field].clone())).collect())
}
