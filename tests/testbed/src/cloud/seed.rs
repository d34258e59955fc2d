//! What is there from the beginning: users, networks, and the router between them.

use serde_json::{Value, json};

use super::embedded::World;
use super::keystone::{User, with_implied};
use super::network::Part;
use super::neutron;
use super::store::{Kind, new_id, new_short_id, now, text};

pub(super) fn seed(world: &mut World) {
    let project = |name: &str| (name.to_owned(), new_short_id());
    let (tenant, other, admin) = (project("tenant"), project("other"), project("admin"));
    let user = |name: &str, (project, project_id): &(String, String), roles: &[&str]| User {
        name: name.to_owned(),
        id: new_short_id(),
        password: format!("{name}-hunter2"),
        project: project.clone(),
        project_id: project_id.clone(),
        roles: with_implied(roles),
    };
    world.store.accounts.users = vec![
        user("tenant", &tenant, &["member", "load-balancer_member"]),
        user("observer", &tenant, &["reader", "load-balancer_observer"]),
        user("nolb", &tenant, &["member"]),
        user("lb", &tenant, &["load-balancer_member"]),
        user("admin", &admin, &["admin"]),
        user("other", &other, &["member", "load-balancer_member"]),
    ];
    let inside = network(world, "tenant-net", &tenant.1, false);
    let spare = network(world, "spare-net", &tenant.1, false);
    let outside = network(world, "public", &admin.1, true);
    let inside = subnet(world, "tenant-subnet", &inside, Part::Tenant);
    let spare = subnet(world, "spare-subnet", &spare, Part::Spare);
    let public = subnet(world, "public-subnet", &outside, Part::Public);
    let router = json!({
        "id": new_id(), "name": "tenant-router", "project_id": tenant.1, "tenant_id": tenant.1, "description": "",
        "admin_state_up": true, "status": "ACTIVE", "tags": [], "routes": [], "revision_number": 2,
        "flavor_id": null, "availability_zones": [], "availability_zone_hints": [],
        "external_gateway_info": {
            "network_id": outside["id"], "enable_snat": true,
            "external_fixed_ips": [{"subnet_id": public["id"],
                                    "ip_address": world.network.address(Part::Public, 250).to_string()}],
        },
    });
    for (subnet, part) in [(inside, Part::Tenant), (spare, Part::Spare)] {
        let port = json!({
            "network_id": subnet["network_id"], "device_id": router["id"],
            "device_owner": "network:router_interface",
            "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": world.network.address(part, 1).to_string()}],
        });
        neutron::make_port(world, &tenant.1, port.as_object().expect("an object"))
            .expect("its address is free");
    }
    world.store.add(Kind::Router, router);
}

fn network(world: &mut World, name: &str, project: &str, is_external: bool) -> Value {
    let moment = format!("{}Z", now());
    let network = json!({
        "id": new_id(), "name": name, "project_id": project, "tenant_id": project, "admin_state_up": true,
        "mtu": 1450, "status": "ACTIVE", "subnets": [], "shared": false, "availability_zone_hints": [],
        "availability_zones": [], "ipv4_address_scope": null, "ipv6_address_scope": null,
        "router:external": is_external, "description": "", "port_security_enabled": true, "qos_policy_id": null,
        "tags": [], "created_at": moment, "updated_at": moment, "revision_number": 2,
    });
    world.store.add(Kind::Network, network.clone());
    network
}

pub(super) fn subnet(world: &mut World, name: &str, network: &Value, part: Part) -> Value {
    let moment = format!("{}Z", now());
    let id = new_id();
    let address = |last: u8| world.network.address(part, last).to_string();
    let subnet = json!({
        "id": id, "name": name, "project_id": network["project_id"], "tenant_id": network["project_id"],
        "network_id": network["id"], "ip_version": 4, "subnetpool_id": null, "enable_dhcp": false,
        "ipv6_ra_mode": null, "ipv6_address_mode": null, "gateway_ip": address(1),
        "cidr": world.network.cidr(part),
        "allocation_pools": [{"start": address(2), "end": address(world.options.addresses)}],
        "host_routes": [], "dns_nameservers": [], "description": "", "service_types": [], "tags": [],
        "router:external": network["router:external"], "created_at": moment, "updated_at": moment,
        "revision_number": 0,
    });
    let mut subnets = network["subnets"].as_array().cloned().unwrap_or_default();
    subnets.push(json!(id));
    world.store.set(Kind::Network, text(network, "id"), "subnets", subnets);
    world.store.add(Kind::Subnet, subnet.clone());
    subnet
}
