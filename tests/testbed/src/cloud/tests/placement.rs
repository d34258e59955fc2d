//! Providers, flavors, availability zones, and who may connect. What OVN says was read in its driver, the rest recorded.

use super::table::Table;
use crate::cloud::{CloudOptions, EmbeddedCloud};

#[test]
fn flavors_and_zones_are_those_that_an_administrator_made() {
    let cloud = EmbeddedCloud::start(CloudOptions {
        flavors: &[("ha", true), ("off", false)],
        availability_zones: &[("az1", true), ("az2", false)],
        ..CloudOptions::default()
    });
    let mut table = Table::of(&cloud);
    let (on, off) = ("f1a40000-0000-4000-8000-000000000000", "f1a40000-0000-4000-8000-000000000001");
    let body = |field: &str, value: &str| {
        format!("{{'loadbalancer': {{'vip_subnet_id': '<subnet>', '{field}': '{value}'}}}}")
    };
    table.check_lines(&[
        ("GET /v2/lbaas/flavors?name=ha", "", 200, "flavors.#=1; flavors.0.name=ha; flavors.0.enabled=true"),
        ("GET /v2/lbaas/flavors?name=nobody", "", 200, "flavors.#=0"),
        (&format!("GET /v2/lbaas/flavors?id={off}"), "", 200, "flavors.#=1; flavors.0.name=off"),
        ("GET /v2/lbaas/availabilityzones", "", 200, "availability_zones.#=2; availability_zones.0.name=az1"),
        (
            "POST /v2/lbaas/loadbalancers",
            &body("flavor_id", off),
            400,
            &format!("The selected flavor is not allowed in this deployment: {off}"),
        ),
        (
            "POST /v2/lbaas/loadbalancers",
            &body("availability_zone", "az2"),
            400,
            "The selected availability_zone is not allowed in this deployment: az2",
        ),
        (
            "POST /v2/lbaas/loadbalancers",
            &body("flavor_id", on),
            201,
            &format!("loadbalancer.flavor_id={on}"),
        ),
        (
            "POST /v2/lbaas/loadbalancers",
            &body("availability_zone", "az1"),
            201,
            "loadbalancer.availability_zone=az1",
        ),
    ]);
}

#[test]
fn ovn_takes_in_a_load_balancer_before_it_refuses_what_is_in_it() {
    let cloud = EmbeddedCloud::start(CloudOptions {
        providers: &["ovn", "amphora"],
        working_time: std::time::Duration::ZERO,
        ..CloudOptions::default()
    });
    let mut table = Table::of(&cloud);
    let refused = "Provider 'ovn' does not support a requested option: OVN provider does not support";
    let pool =
        "'name': 'p', 'protocol': 'TCP', 'lb_algorithm': 'ROUND_ROBIN', 'healthmonitor': null, 'members': []";
    table.check_lines(&[
        ("GET /v2/lbaas/providers", "", 200, "providers.#=2; providers.0.name=ovn"),
        (
            "POST /v2/lbaas/loadbalancers",
            &format!("{{'loadbalancer': {{'vip_subnet_id': '<subnet>', 'name': 'left', 'pools': [{{{pool}}}]}}}}"),
            501,
            &format!("{refused} ROUND_ROBIN algorithm"),
        ),
        ("GET /v2/lbaas/loadbalancers?name=left", "", 200, "loadbalancers.#=1"),
        (
            "POST /v2/lbaas/loadbalancers -> lb",
            "{'loadbalancer': {'vip_subnet_id': '<subnet>'}}",
            201,
            "loadbalancer.provider=ovn",
        ),
        (
            "POST /v2/lbaas/listeners",
            "{'listener': {'loadbalancer_id': '<lb>', 'protocol': 'HTTP', 'protocol_port': 80}}",
            501,
            &format!("{refused} HTTP protocol"),
        ),
        (
            "POST /v2/lbaas/listeners",
            "{'listener': {'loadbalancer_id': '<lb>', 'protocol': 'TCP', 'protocol_port': 80, 'allowed_cidrs': \
             ['10.0.0.0/8']}}",
            501,
            &format!("{refused} allowed_cidrs option"),
        ),
        (
            "POST /v2/lbaas/pools -> pool",
            "{'pool': {'loadbalancer_id': '<lb>', 'protocol': 'TCP', 'lb_algorithm': 'SOURCE_IP_PORT'}}",
            201,
            "pool.lb_algorithm=SOURCE_IP_PORT",
        ),
        (
            "POST /v2/lbaas/healthmonitors",
            "{'healthmonitor': {'pool_id': '<pool>', 'type': 'HTTPS', 'delay': 5, 'timeout': 4, 'max_retries': 2}}",
            501,
            &format!("{refused} HTTPS health monitor type. Supported types: TCP, UDP-CONNECT"),
        ),
        (
            "POST /v2/lbaas/healthmonitors",
            "{'healthmonitor': {'pool_id': '<pool>', 'type': 'TCP', 'delay': 5, 'timeout': 4, 'max_retries': 2}}",
            201,
            "healthmonitor.type=TCP",
        ),
    ]);
}

/// Recorded from Octavia 19.
#[test]
fn who_may_connect_is_kept_without_host_bits() {
    let cloud = EmbeddedCloud::start(CloudOptions {
        working_time: std::time::Duration::ZERO,
        ..CloudOptions::default()
    });
    let mut table = Table::of(&cloud);
    let body = |cidrs: &str| format!("{{'listener': {{'allowed_cidrs': {cidrs}}}}}");
    table.check_lines(&[
        ("POST /v2/lbaas/loadbalancers -> lb", "{'loadbalancer': {'vip_subnet_id': '<subnet>'}}", 201, ""),
        (
            "POST /v2/lbaas/listeners -> l",
            "{'listener': {'loadbalancer_id': '<lb>', 'protocol': 'TCP', 'protocol_port': 80, 'allowed_cidrs': \
             ['10.0.0.0/8']}}",
            201,
            "listener.allowed_cidrs=[\"10.0.0.0/8\"]",
        ),
        ("PUT /v2/lbaas/listeners/<l>", &body("['10.1.2.3/8']"), 200, "listener.allowed_cidrs=[\"10.0.0.0/8\"]"),
        ("PUT /v2/lbaas/listeners/<l>", &body("['10.0.0.7']"), 200, "listener.allowed_cidrs=[\"10.0.0.7/32\"]"),
        (
            "PUT /v2/lbaas/listeners/<l>",
            &body("['x']"),
            400,
            "Invalid input for field/attribute allowed_cidrs. Value: '['x']'. Value should be IPv4 or IPv6 CIDR format",
        ),
        ("PUT /v2/lbaas/listeners/<l>", &body("[]"), 200, "listener.allowed_cidrs=null"),
    ]);
}
