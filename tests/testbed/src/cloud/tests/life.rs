//! How operations end: well, in ERROR, or not at all.

use std::time::Duration;

use super::table::{Line, Table, embedded};
use crate::cloud::{CloudOptions, EmbeddedCloud};

/// A load balancer with one of everything.
const MADE: &[Line] = &[
    ("POST /v2.0/ports -> vip", "{'port': {'network_id': '<network>'}}", 201, ""),
    (
        "POST /v2/lbaas/loadbalancers -> lb",
        "{'loadbalancer': {'vip_port_id': '<vip>', 'listeners': [{'protocol': 'TCP', 'protocol_port': 6443, 'default_pool': {'name': 'p', 'protocol': 'TCP', 'lb_algorithm': 'ROUND_ROBIN', 'members': [{'address': '<prefix>.231', 'protocol_port': 1}, {'address': '<prefix>.232', 'protocol_port': 1}], 'healthmonitor': {'type': 'TCP', 'delay': 5, 'timeout': 4, 'max_retries': 2}}}]}}",
        201,
        "",
    ),
    ("GET /v2/lbaas/listeners?loadbalancer_id=<lb> -> l", "", 200, ""),
    ("GET /v2/lbaas/pools?loadbalancer_id=<lb> -> p", "", 200, ""),
    ("GET /v2/lbaas/pools/<p>/members?address=<prefix>.231 -> m", "", 200, ""),
    ("GET /v2/lbaas/healthmonitors?pool_id=<p> -> h", "", 200, ""),
    ("WAIT <lb>", "", 0, ""),
];

#[test]
fn a_child_that_fails_at_birth_leaves_the_rest_active() {
    for kind in ["listener", "pool", "member", "healthmonitor"] {
        let cloud = embedded();
        cloud.fail_next(kind);
        let mut table = Table::of(&cloud);
        table.check_lines(MADE);
        let tree = table.get("/v2/lbaas/loadbalancers/<lb>/status");
        let tree = &tree["statuses"]["loadbalancer"];
        let listener = &tree["listeners"][0];
        let pool = &listener["pools"][0];
        let found = [
            ("loadbalancer", tree),
            ("listener", listener),
            ("pool", pool),
            ("member", &pool["members"][0]),
            ("other member", &pool["members"][1]),
            ("healthmonitor", &pool["health_monitor"]),
        ]
        .map(|(name, object)| (name, object["provisioning_status"].as_str().unwrap()));
        for (name, status) in found {
            assert_eq!(status, if name == kind { "ERROR" } else { "ACTIVE" }, "{kind} fails: {found:?}");
        }
    }
}

#[test]
fn a_child_that_fails_later_leaves_the_rest_active() {
    for (kind, change) in [
        ("listener", ("PUT /v2/lbaas/listeners/<l>", "{'listener': {'name': 'x'}}", 200, "")),
        ("pool", ("PUT /v2/lbaas/pools/<p>", "{'pool': {'name': 'x'}}", 200, "")),
        ("member", ("PUT /v2/lbaas/pools/<p>/members/<m>", "{'member': {'weight': 3}}", 200, "")),
        ("healthmonitor", ("PUT /v2/lbaas/healthmonitors/<h>", "{'healthmonitor': {'delay': 9}}", 200, "")),
        ("healthmonitor", ("DELETE /v2/lbaas/healthmonitors/<h>", "", 204, "")),
    ] {
        let cloud = embedded();
        let mut table = Table::of(&cloud);
        table.check_lines(MADE);
        cloud.fail_next(kind);
        table.check_lines(&[change, ("WAIT <lb>", "", 0, "")]);
        let path = match kind {
            "member" => "/v2/lbaas/pools/<p>/members/<m>",
            "listener" => "/v2/lbaas/listeners/<l>",
            "pool" => "/v2/lbaas/pools/<p>",
            _ => "/v2/lbaas/healthmonitors/<h>",
        };
        assert_eq!(table.get(path)[kind]["provisioning_status"], "ERROR", "{kind}");
        table.check_lines(&[(
            "GET /v2/lbaas/loadbalancers/<lb>",
            "",
            200,
            "loadbalancer.provisioning_status=ACTIVE",
        )]);
        // The failure was planned once; the same again heals it.
        if kind != "pool" && change.2 == 200 {
            table.check_lines(&[change, ("WAIT <lb>", "", 0, "")]);
            assert_eq!(table.get(path)[kind]["provisioning_status"], "ACTIVE", "{kind}");
        }
    }
}

#[test]
fn a_pool_in_error_takes_no_members_and_no_monitor() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    cloud.fail_next("pool");
    table.check_lines(&[
        ("PUT /v2/lbaas/pools/<p>", "{'pool': {'name': 'x'}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
        (
            "PUT /v2/lbaas/pools/<p>/members",
            "{'members': []}",
            409,
            "Pool <p> is immutable and cannot be updated.",
        ),
        ("DELETE /v2/lbaas/healthmonitors/<h>", "", 409, "Pool <p> is immutable and cannot be updated."),
        ("PUT /v2/lbaas/pools/<p>", "{'pool': {'name': 'y'}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
        ("PUT /v2/lbaas/pools/<p>/members", "{'members': []}", 202, ""),
    ]);
}

#[test]
fn a_load_balancer_that_cannot_be_made_is_in_error_and_can_only_be_deleted() {
    let cloud = embedded();
    cloud.fail_next("loadbalancer");
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    table.check_lines(&[
        ("GET /v2/lbaas/loadbalancers/<lb>/status", "", 200, "statuses.loadbalancer.provisioning_status=ERROR; statuses.loadbalancer.operating_status=OFFLINE; statuses.loadbalancer.listeners.0.provisioning_status=PENDING_CREATE"),
        (
            "PUT /v2/lbaas/loadbalancers/<lb>",
            "{'loadbalancer': {'name': 'x'}}",
            409,
            "Invalid state ERROR of loadbalancer resource <lb>",
        ),
        (
            "POST /v2/lbaas/listeners",
            "{'listener': {'loadbalancer_id': '<lb>', 'protocol': 'TCP', 'protocol_port': 1}}",
            409,
            "Load Balancer <lb> is immutable and cannot be updated.",
        ),
        ("DELETE /v2/lbaas/loadbalancers/<lb>?cascade=true", "", 204, ""),
        ("WAIT <lb>", "", 0, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 404, "Load Balancer <lb> not found."),
        ("GET /v2.0/ports/<vip>", "", 200, ""),
    ]);
}

#[test]
fn an_administrator_can_fail_over_what_is_in_error() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    cloud.set_in_database("loadbalancer", table.named("lb"), "provisioning_status", "ERROR");
    table.check_lines(&[
        ("admin: PUT /v2/lbaas/loadbalancers/<lb>/failover", "", 202, ""),
        (
            "PUT /v2/lbaas/loadbalancers/<lb>",
            "{'loadbalancer': {'name': 'x'}}",
            409,
            "Invalid state PENDING_UPDATE of loadbalancer resource <lb>",
        ),
        ("WAIT <lb>", "", 0, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ACTIVE"),
    ]);
}

#[test]
fn a_load_balancer_can_be_stuck_until_it_is_not() {
    let cloud =
        EmbeddedCloud::start(CloudOptions { working_time: Duration::ZERO, ..CloudOptions::default() });
    cloud.stick_next();
    let mut table = Table::of(&cloud);
    let (made, rest) = MADE.split_at(MADE.len() - 1);
    table.check_lines(made);
    table.check_lines(&[(
        "GET /v2/lbaas/loadbalancers/<lb>/status",
        "",
        200,
        "statuses.loadbalancer.provisioning_status=PENDING_CREATE; statuses.loadbalancer.listeners.0.provisioning_status=PENDING_CREATE",
    )]);
    cloud.unstick();
    table.check_lines(rest);
    table.check_lines(&[
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ACTIVE"),
        // Only one operation was to be stuck.
        ("PUT /v2/lbaas/loadbalancers/<lb>", "{'loadbalancer': {'name': 'x'}}", 200, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ACTIVE"),
    ]);
}

#[test]
fn without_its_port_a_load_balancer_fails_at_the_next_change() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    table.check_lines(&[
        ("DELETE /v2.0/ports/<vip>", "", 204, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ACTIVE"),
        ("PUT /v2/lbaas/loadbalancers/<lb>", "{'loadbalancer': {'name': 'x'}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ERROR"),
        ("DELETE /v2/lbaas/loadbalancers/<lb>?cascade=true", "", 204, ""),
        ("WAIT <lb>", "", 0, ""),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 404, "Load Balancer <lb> not found."),
    ]);
}

#[test]
fn a_member_in_no_subnet_fails() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    table.check_lines(&[
        (
            "PUT /v2/lbaas/pools/<p>/members",
            "{'members': [{'address': '<prefix>.231', 'protocol_port': 1, 'subnet_id': '<none>'}]}",
            202,
            "",
        ),
        ("WAIT <lb>", "", 0, ""),
        (
            "GET /v2/lbaas/pools/<p>/members/<m>",
            "",
            200,
            "member.provisioning_status=ERROR; member.subnet_id=<none>",
        ),
        ("GET /v2/lbaas/loadbalancers/<lb>", "", 200, "loadbalancer.provisioning_status=ACTIVE"),
    ]);
}

#[test]
fn a_refused_child_leaves_the_port_that_octavia_made() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(&[
        (
            "POST /v2/lbaas/loadbalancers",
            "{'loadbalancer': {'vip_subnet_id': '<subnet>', 'pools': [{'name': 'p'}]}}",
            400,
            "Validation failure: Pool definition for 'p' missing required attribute: protocol",
        ),
        ("GET /v2/lbaas/loadbalancers", "", 200, "loadbalancers.#=0"),
        ("GET /v2.0/ports?device_owner=Octavia", "", 200, "ports.#=1"),
    ]);
}

#[test]
fn new_tags_that_are_given_twice_are_the_databases_business() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    table.check_lines(&[
        (
            "PUT /v2/lbaas/loadbalancers/<lb>",
            "{'loadbalancer': {'tags': ['z', 'z']}}",
            500,
            "(pymysql.err.IntegrityError) (1062, …",
        ),
        (
            "GET /v2/lbaas/loadbalancers/<lb>",
            "",
            200,
            "loadbalancer.provisioning_status=ACTIVE; loadbalancer.tags.#=0",
        ),
    ]);
}
