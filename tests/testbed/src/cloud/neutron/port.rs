//! Ports (`neutron/db/db_base_plugin_v2.py`, `neutron/plugins/ml2/plugin.py`).

use serde_json::{Map, Value, json};

use super::super::answer::{Result, empty, neutron_error, ok};
use super::super::beat;
use super::super::embedded::World;
use super::super::store::{Kind, Token, new_id, now, text};
use super::{address, floating_ip, forbidden_field, is_visible, not_found, quota, shown, visible};

type Given = Map<String, Value>;

pub(super) fn create(world: &mut World, token: &Token, given: &Given) -> Result {
    let network = given.get("network_id").and_then(Value::as_str).unwrap_or_default();
    if visible(world, token, Kind::Network, network).is_none() {
        return Err(not_found(Kind::Network, network));
    }
    let project = given.get("project_id").or(given.get("tenant_id")).and_then(Value::as_str);
    let project = project.unwrap_or(&token.project).to_owned();
    // A network of somebody else's gives its address, at most, to floating IPs.
    let is_own =
        world.store.get(Kind::Network, network).is_some_and(|one| one["project_id"] == project.as_str());
    if !is_own && !token.is_admin() {
        return Err(super::forbidden("create", "port"));
    }
    quota::must_have_room(world, &project, Kind::Port)?;
    let port = make(world, &project, given)?;
    Ok(ok(201, json!({"port": shown(world, Kind::Port, &port)})))
}

/// A new port; who may is not asked, but whether there is an address.
pub(in super::super) fn make(world: &mut World, project: &str, given: &Given) -> Result<Value> {
    let network = given.get("network_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let wishes = given.get("fixed_ips").and_then(Value::as_array).cloned();
    let fixed_ips = match wishes {
        Some(wishes) => {
            wishes.iter().map(|wish| granted(world, &network, wish, None)).collect::<Result<_>>()?
        }
        // A network without a subnet has ports without an address.
        None if world.store.with(Kind::Subnet, "network_id", &network).next().is_none() => Vec::new(),
        None => vec![granted(world, &network, &json!({}), None)?],
    };
    let id = new_id();
    let given_or = |key: &str, default: Value| given.get(key).cloned().unwrap_or(default);
    let moment = format!("{}Z", now());
    let port = json!({
        "id": id, "name": given_or("name", json!("")), "description": given_or("description", json!("")),
        "network_id": network, "project_id": project, "tenant_id": project,
        "mac_address": given_or("mac_address", json!(mac_address(&id))),
        "admin_state_up": given_or("admin_state_up", json!(true)), "status": "DOWN",
        "device_id": given_or("device_id", json!("")), "device_owner": given_or("device_owner", json!("")),
        "fixed_ips": fixed_ips, "allowed_address_pairs": given_or("allowed_address_pairs", json!([])),
        "extra_dhcp_opts": [], "security_groups": given_or("security_groups", json!([format!("default-{project}")])),
        "binding:vnic_type": "normal", "port_security_enabled": given_or("port_security_enabled", json!(true)),
        "qos_policy_id": null, "qos_network_policy_id": null, "tags": [], "created_at": moment,
        "updated_at": moment, "revision_number": 1,
    });
    world.store.add(Kind::Port, port.clone());
    Ok(port)
}

/// A fixed IP as a request wishes it: a subnet, an address, both, or any.
fn granted(world: &World, network: &str, wish: &Value, but: Option<&str>) -> Result<Value> {
    let subnets: Vec<&Value> = world.store.with(Kind::Subnet, "network_id", network).collect();
    let subnet = match wish["subnet_id"].as_str() {
        Some(id) => {
            let known = world.store.get(Kind::Subnet, id).ok_or_else(|| not_found(Kind::Subnet, id))?;
            if known["network_id"] != network {
                let text = format!(
                    "Invalid input for operation: Failed to create port on network {network}, because fixed_ips \
                     included invalid subnet {id}."
                );
                return Err(neutron_error(400, "InvalidInput", text));
            }
            Some(known)
        }
        None => None,
    };
    let (subnet, address) = match (subnet, wish["ip_address"].as_str()) {
        (Some(subnet), Some(wished)) => (subnet, address::wished(world, subnet, wished, but)?),
        (None, Some(wished)) => {
            let subnet = subnets.iter().find(|subnet| address::lies_in(subnet, wished)).ok_or_else(|| {
                let text = format!(
                    "IP address {wished} is not a valid IP for any of the subnets on the specified network."
                );
                neutron_error(400, "InvalidIpForNetwork", text)
            })?;
            (*subnet, address::wished(world, subnet, wished, but)?)
        }
        (subnet, None) => {
            let subnets = subnet.map_or(subnets, |subnet| vec![subnet]);
            let free = subnets.iter().find_map(|subnet| Some((*subnet, address::free(world, subnet)?)));
            free.ok_or_else(|| {
                let text = format!("No more IP addresses available on network {network}.");
                neutron_error(409, "IpAddressGenerationFailure", text)
            })?
        }
    };
    Ok(json!({"subnet_id": subnet["id"], "ip_address": address}))
}

fn mac_address(id: &str) -> String {
    let digits = &id[id.len() - 6..];
    format!("fa:16:3e:{}:{}:{}", &digits[..2], &digits[2..4], &digits[4..])
}

pub(super) fn update(world: &mut World, token: &Token, port: &Value, given: &Given) -> Result {
    if given.contains_key("mac_address") && !token.is_admin() {
        return Err(forbidden_field("update", "port", "mac_address"));
    }
    let id = text(port, "id");
    let mut changed = given.clone();
    if let Some(wishes) = given.get("fixed_ips").and_then(Value::as_array) {
        let network = text(port, "network_id");
        let granted: Result<Vec<Value>> =
            wishes.iter().map(|wish| granted(world, network, wish, Some(id))).collect();
        changed.insert("fixed_ips".to_owned(), Value::from(granted?));
    }
    let port = world.store.get_mut(Kind::Port, id).expect("it was found");
    for (key, value) in changed {
        port[key] = value;
    }
    touch(port);
    let port = port.clone();
    beat::readdress(world);
    Ok(ok(200, json!({"port": shown(world, Kind::Port, &port)})))
}

/// What every change leaves behind.
pub(super) fn touch(object: &mut Value) {
    object["updated_at"] = json!(format!("{}Z", now()));
    object["revision_number"] = json!(object["revision_number"].as_u64().unwrap_or_default() + 1);
}

/// Ports of routers and floating IPs go with those (`prevent_l3_port_deletion`); the VIP's port of a living load
/// balancer does not know that it is one (recorded: 204).
pub(super) fn delete_by_hand(world: &mut World, id: &str) -> Result {
    let owner =
        world.store.get(Kind::Port, id).map(|port| text(port, "device_owner").to_owned()).unwrap_or_default();
    if owner.starts_with("network:router") || owner == "network:floatingip" {
        let text =
            format!("Port {id} cannot be deleted directly via the port API: has device owner {owner}.");
        return Err(neutron_error(409, "ServicePortInUse", text));
    }
    delete(world, id);
    Ok(empty(204))
}

/// Its floating IPs lead nowhere from now on (`neutron/db/l3_db.py`, `disassociate_floatingips`).
pub(in super::super) fn delete(world: &mut World, id: &str) {
    for one in world.store.ids(Kind::FloatingIp, "port_id", id) {
        let floating_ip = world.store.get_mut(Kind::FloatingIp, &one).expect("listed");
        floating_ip::lead_nowhere(floating_ip);
    }
    world.store.remove(Kind::Port, id);
    beat::readdress(world);
}

/// A port that somebody may lead a floating IP to.
pub(super) fn for_floating_ip(world: &World, token: &Token, id: &str) -> Result<Value> {
    let port = world.store.get(Kind::Port, id).filter(|port| is_visible(world, token, Kind::Port, port));
    port.cloned().ok_or_else(|| not_found(Kind::Port, id))
}
