//! Operating statuses: what the data plane is told, and what becomes of its reports.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::table::{Line, Table, at};
use crate::cloud::{CloudOptions, EmbeddedCloud};
use crate::data_plane::{DataPlane, MemberStatus, VipConfig};
use crate::eventually::eventually;
use crate::testing::SOON;

/// Serves nothing; its members fare as the test says.
#[derive(Default)]
struct Script {
    served: Mutex<BTreeMap<String, VipConfig>>,
    /// By port, so that tests need no ids.
    fares: Mutex<BTreeMap<u16, MemberStatus>>,
}

impl DataPlane for Script {
    fn apply(&self, vip: VipConfig) {
        self.served.lock().unwrap().insert(vip.load_balancer.clone(), vip);
    }

    fn remove(&self, load_balancer: &str) {
        self.served.lock().unwrap().remove(load_balancer);
    }

    fn member_status(&self, member: &str) -> MemberStatus {
        let served = self.served.lock().unwrap();
        let mut pools = served
            .values()
            .flat_map(|vip| vip.listeners.iter().filter_map(|one| one.pool.as_ref()).chain(&vip.spare_pools));
        let Some(member) = pools.find_map(|pool| pool.members.iter().find(|one| one.id == member)) else {
            return MemberStatus::Unknown;
        };
        self.fares.lock().unwrap().get(&member.port).copied().unwrap_or(MemberStatus::Up)
    }
}

fn start() -> (Arc<Script>, EmbeddedCloud) {
    let script = Arc::new(Script::default());
    let options = CloudOptions {
        working_time: Duration::from_millis(20),
        heartbeat: Duration::from_millis(10),
        ..CloudOptions::default()
    };
    let cloud = EmbeddedCloud::start_with(options, script.clone());
    (script, cloud)
}

/// Two members on the ports 1 and 2.
const MADE: &[Line] = &[
    ("POST /v2.0/ports -> vip", "{'port': {'network_id': '<network>'}}", 201, ""),
    (
        "POST /v2/lbaas/loadbalancers -> lb",
        "{'loadbalancer': {'vip_port_id': '<vip>', 'listeners': [{'protocol': 'TCP', 'protocol_port': 6443, 'timeout_client_data': 3600000, 'default_pool': {'name': 'p', 'protocol': 'TCP', 'lb_algorithm': 'LEAST_CONNECTIONS', 'session_persistence': {'type': 'SOURCE_IP'}, 'members': [{'address': '<prefix>.231', 'protocol_port': 1, 'monitor_port': 9}, {'address': '<prefix>.232', 'protocol_port': 2, 'weight': 7, 'backup': true, 'monitor_address': '<prefix>.233'}], 'healthmonitor': {'type': 'HTTPS', 'delay': 5, 'timeout': 4, 'max_retries': 2, 'max_retries_down': 6, 'url_path': '/readyz', 'expected_codes': '200,401'}}}]}}",
        201,
        "",
    ),
    ("WAIT <lb>", "", 0, ""),
    ("GET /v2/lbaas/listeners?loadbalancer_id=<lb> -> l", "", 200, ""),
    ("GET /v2/lbaas/pools?loadbalancer_id=<lb> -> p", "", 200, ""),
    ("GET /v2/lbaas/pools/<p>/members?protocol_port=1 -> m1", "", 200, ""),
    ("GET /v2/lbaas/pools/<p>/members?protocol_port=2 -> m2", "", 200, ""),
    ("GET /v2/lbaas/healthmonitors?pool_id=<p> -> h", "", 200, ""),
];

/// Load balancer, listener, pool, both members.
fn become_(table: &Table<'_>, expected: [&str; 5]) {
    let members = |port: u16| format!("/v2/lbaas/pools/<p>/members?protocol_port={port}");
    let mut found: [String; 5] = Default::default();
    let what = format!("{expected:?}");
    eventually(&what, SOON, || {
        found = [
            at(&table.get("/v2/lbaas/loadbalancers/<lb>"), "loadbalancer.operating_status"),
            at(&table.get("/v2/lbaas/listeners/<l>"), "listener.operating_status"),
            at(&table.get("/v2/lbaas/pools/<p>"), "pool.operating_status"),
            at(&table.get(&members(1)), "members.0.operating_status"),
            at(&table.get(&members(2)), "members.0.operating_status"),
        ];
        found == expected
    });
}

#[test]
fn statuses_roll_up_as_the_health_manager_rolls_them_up() {
    use MemberStatus::{Down, Draining, Maintenance, NoMonitor, Unknown, Up};
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    for (one, two, expected) in [
        (Up, Up, ["ONLINE", "ONLINE", "ONLINE", "ONLINE", "ONLINE"]),
        (Up, Down, ["DEGRADED", "ONLINE", "DEGRADED", "ONLINE", "ERROR"]),
        (Down, Down, ["ERROR", "ONLINE", "ERROR", "ERROR", "ERROR"]),
        (Down, Up, ["DEGRADED", "ONLINE", "DEGRADED", "ERROR", "ONLINE"]),
        (Draining, Up, ["ONLINE", "ONLINE", "ONLINE", "DRAINING", "ONLINE"]),
        (Draining, Down, ["ERROR", "ONLINE", "ERROR", "DRAINING", "ERROR"]),
        (Maintenance, Up, ["ONLINE", "ONLINE", "ONLINE", "OFFLINE", "ONLINE"]),
        (NoMonitor, NoMonitor, ["ONLINE", "ONLINE", "ONLINE", "NO_MONITOR", "NO_MONITOR"]),
        // Of a member that the data plane has yet to meet, nothing new is said.
        (Unknown, Up, ["ONLINE", "ONLINE", "ONLINE", "NO_MONITOR", "ONLINE"]),
    ] {
        *script.fares.lock().unwrap() = BTreeMap::from([(1, one), (2, two)]);
        become_(&table, expected);
    }
}

#[test]
fn what_is_switched_off_is_offline() {
    let (_script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    become_(&table, ["ONLINE", "ONLINE", "ONLINE", "ONLINE", "ONLINE"]);
    table.check_lines(&[
        ("PUT /v2/lbaas/listeners/<l>", "{'listener': {'admin_state_up': false}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
    ]);
    become_(&table, ["ONLINE", "OFFLINE", "OFFLINE", "ONLINE", "ONLINE"]);
    table.check_lines(&[
        ("PUT /v2/lbaas/listeners/<l>", "{'listener': {'admin_state_up': true}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
    ]);
    become_(&table, ["ONLINE", "ONLINE", "ONLINE", "ONLINE", "ONLINE"]);
    table.check_lines(&[
        ("PUT /v2/lbaas/loadbalancers/<lb>", "{'loadbalancer': {'admin_state_up': false}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
    ]);
    become_(&table, ["OFFLINE", "ERROR", "OFFLINE", "ONLINE", "ONLINE"]);
}

#[test]
fn a_pool_that_no_listener_leads_to_is_offline() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    become_(&table, ["ONLINE", "ONLINE", "ONLINE", "ONLINE", "ONLINE"]);
    table.check_lines(&[
        ("PUT /v2/lbaas/listeners/<l>", "{'listener': {'default_pool_id': null}}", 200, ""),
        ("WAIT <lb>", "", 0, ""),
    ]);
    become_(&table, ["ONLINE", "ONLINE", "OFFLINE", "ONLINE", "ONLINE"]);
    let served = script.served.lock().unwrap()[table.named("lb")].clone();
    assert_eq!(served.listeners[0].pool, None);
    assert_eq!(served.spare_pools.len(), 1);
}

#[test]
fn a_monitor_that_goes_leaves_members_of_whom_nothing_is_known() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    become_(&table, ["ONLINE", "ONLINE", "ONLINE", "ONLINE", "ONLINE"]);
    *script.fares.lock().unwrap() = BTreeMap::from([(1, MemberStatus::Unknown), (2, MemberStatus::Unknown)]);
    table.check_lines(&[("DELETE /v2/lbaas/healthmonitors/<h>", "", 204, ""), ("WAIT <lb>", "", 0, "")]);
    become_(&table, ["ONLINE", "ONLINE", "ONLINE", "NO_MONITOR", "NO_MONITOR"]);
    assert_eq!(
        script.served.lock().unwrap()[table.named("lb")].listeners[0].pool.as_ref().unwrap().monitor,
        None
    );
}

#[test]
fn the_data_plane_is_told_everything() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    let served = script.served.lock().unwrap()[table.named("lb")].clone();
    let vip = table.get("/v2/lbaas/loadbalancers/<lb>")["loadbalancer"]["vip_address"].clone();
    assert_eq!(served.addresses, [vip.as_str().unwrap().parse::<IpAddr>().unwrap()]);
    let [listener] = &served.listeners[..] else { panic!("{served:?}") };
    assert_eq!((listener.id.as_str(), listener.port), (table.named("l"), 6443));
    assert_eq!(listener.protocol, "TCP");
    assert_eq!(listener.timeout_client_data, Duration::from_hours(1));
    assert_eq!(listener.timeout_member_data, Duration::from_secs(50));
    assert_eq!(listener.timeout_member_connect, Duration::from_secs(5));
    let pool = listener.pool.as_ref().unwrap();
    assert_eq!((pool.algorithm.as_str(), pool.source_ip_persistence), ("LEAST_CONNECTIONS", true));
    let member = |port: u16| pool.members.iter().find(|member| member.port == port).unwrap();
    assert_eq!((member(1).weight, member(1).backup, member(1).monitor_port), (1, false, Some(9)));
    assert_eq!((member(2).weight, member(2).backup, member(2).monitor_port), (7, true, None));
    assert_eq!(member(2).monitor_address, Some(table.filled("<prefix>.233").parse().unwrap()));
    let monitor = pool.monitor.as_ref().unwrap();
    assert_eq!((monitor.kind.as_str(), monitor.rise, monitor.fall), ("HTTPS", 2, 6));
    assert_eq!((monitor.delay, monitor.timeout), (Duration::from_secs(5), Duration::from_secs(4)));
    assert_eq!((monitor.url_path.as_str(), monitor.expected_codes.as_str()), ("/readyz", "200,401"));
    assert_eq!(monitor.http_method, "GET");
}

#[test]
fn floating_ips_come_and_go_with_the_addresses_that_are_served() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    let addresses = || script.served.lock().unwrap()[table.named("lb")].addresses.len();
    assert_eq!(addresses(), 1);
    let lines: [&[Line]; 4] = [
        &[(
            "POST /v2.0/floatingips -> f",
            "{'floatingip': {'floating_network_id': '<external>', 'port_id': '<vip>'}}",
            201,
            "",
        )],
        &[("PUT /v2.0/floatingips/<f>", "{'floatingip': {'port_id': null}}", 200, "")],
        &[("PUT /v2.0/floatingips/<f>", "{'floatingip': {'port_id': '<vip>'}}", 200, "")],
        &[("DELETE /v2.0/floatingips/<f>", "", 204, "")],
    ];
    for (lines, expected) in lines.into_iter().zip([2, 1, 2, 1]) {
        table.check_lines(lines);
        let served = script.served.lock().unwrap()[table.named("lb")].addresses.len();
        assert_eq!(served, expected, "{lines:?}");
    }
}

#[test]
fn a_load_balancer_that_goes_is_served_no_more() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    table.check_lines(MADE);
    assert_eq!(script.served.lock().unwrap().len(), 1);
    table.check_lines(&[
        ("DELETE /v2/lbaas/loadbalancers/<lb>?cascade=true", "", 204, ""),
        ("WAIT <lb>", "", 0, ""),
    ]);
    table.check_lines(&[("GET /v2/lbaas/loadbalancers/<lb>", "", 404, "Load Balancer <lb> not found.")]);
    assert_eq!(script.served.lock().unwrap().len(), 0);
}

#[test]
fn nothing_is_served_before_the_worker_is_done() {
    let (script, cloud) = start();
    let mut table = Table::of(&cloud);
    cloud.stick_next();
    table.check_lines(&MADE[..2]);
    // Some heartbeats later.
    std::thread::sleep(Duration::from_millis(100));
    assert!(script.served.lock().unwrap().is_empty());
    table.check_lines(&[(
        "GET /v2/lbaas/loadbalancers/<lb>",
        "",
        200,
        "loadbalancer.operating_status=OFFLINE",
    )]);
}
