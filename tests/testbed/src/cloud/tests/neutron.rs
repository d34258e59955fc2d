//! Networks, subnets, ports and floating IPs.

use super::table::{Table, embedded, everywhere};

fn check(mut table: Table<'_>) {
    for rules in [
        include_str!("tables/networks.txt"),
        include_str!("tables/ports.txt"),
        include_str!("tables/floating_ips.txt"),
        include_str!("tables/neutron_quotas.txt"),
    ] {
        table.check(rules);
    }
}

#[test]
fn networks_ports_and_floating_ips() {
    everywhere(check);
}

#[test]
fn a_full_subnet_has_no_more_addresses() {
    let cloud =
        crate::cloud::EmbeddedCloud::start(crate::cloud::CloudOptions { addresses: 3, ..Default::default() });
    Table::of(&cloud).check_lines(&[
        (
            "POST /v2.0/ports",
            "{'port': {'network_id': '<network>'}}",
            201,
            "port.fixed_ips.0.ip_address=<prefix>.2",
        ),
        ("POST /v2.0/ports -> last", "{'port': {'network_id': '<network>'}}", 201, ""),
        (
            "POST /v2.0/ports",
            "{'port': {'network_id': '<network>'}}",
            409,
            "No more IP addresses available on network <network>.",
        ),
        (
            "POST /v2/lbaas/loadbalancers",
            "{'loadbalancer': {'vip_subnet_id': '<subnet>'}}",
            409,
            "The VIP IP address is already in use: No more IP addresses available on network <network>.",
        ),
        ("DELETE /v2.0/ports/<last>", "", 204, ""),
        (
            "POST /v2.0/ports",
            "{'port': {'network_id': '<network>'}}",
            201,
            "port.fixed_ips.0.ip_address=<prefix>.3",
        ),
        ("POST /v2.0/floatingips", "{'floatingip': {'floating_network_id': '<external>'}}", 201, ""),
        ("POST /v2.0/floatingips", "{'floatingip': {'floating_network_id': '<external>'}}", 201, ""),
        (
            "POST /v2.0/floatingips",
            "{'floatingip': {'floating_network_id': '<external>'}}",
            400,
            "Unable to find any IP address on external network <external>.",
        ),
    ]);
}

#[test]
fn ports_can_be_too_many_for_a_quota() {
    let cloud = embedded();
    cloud.set_quota("port", 2);
    Table::of(&cloud).check_lines(&[
        // The router's two ports are the tenant's own.
        (
            "POST /v2.0/ports",
            "{'port': {'network_id': '<network>'}}",
            409,
            "Quota exceeded for resources: ['port'].",
        ),
        (
            "POST /v2/lbaas/loadbalancers",
            "{'loadbalancer': {'vip_subnet_id': '<subnet>'}}",
            409,
            "The VIP IP address is already in use: Quota exceeded for resources: ['port'].",
        ),
    ]);
}

#[test]
fn machines_have_ports_of_the_tenants() {
    let cloud = embedded();
    let address = cloud.machine(210).to_string();
    let mut table = Table::of(&cloud);
    table.name("address", &address);
    table.check_lines(&[(
        "GET /v2.0/ports?fixed_ips=ip_address%3D<address>",
        "",
        200,
        "ports.#=1; ports.0.device_owner=compute:nova; ports.0.fixed_ips.0.subnet_id=<subnet>",
    )]);
}

#[test]
fn an_operator_can_bound_the_pages() {
    let cloud = crate::cloud::EmbeddedCloud::start(crate::cloud::CloudOptions {
        longest_page: 1,
        ..Default::default()
    });
    Table::of(&cloud).check_lines(&[
        ("GET /v2.0/subnets?fields=id", "", 200, "subnets.#=1; subnets_links.0.rel=next"),
        ("GET /v2.0/subnets?fields=id&limit=5", "", 200, "subnets.#=1; subnets_links.0.rel=next"),
    ]);
}
