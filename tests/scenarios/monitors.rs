//! Health monitors: tuned by options, kept by every hook, resynced by an action.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, with};

trials![
    one_option_changes_one_field_of_each_monitor,
    another_type_replaces_the_monitors_by_exactly_the_one_that_is_asked_for,
    a_monitor_deleted_behind_our_back_is_back_after_resync,
    resync_says_what_it_would_do_and_does_it_for_one,
    resync_on_a_follower_says_who_to_ask,
    a_monitor_changed_behind_our_back_is_changed_back,
    somebody_elses_monitor_on_our_pool_becomes_ours,
    monitor_type_none_takes_the_monitors_away,
    a_check_on_another_port_becomes_monitor_port,
    a_udp_pool_gets_udp_connect,
    wrong_options_are_said_at_once_and_nothing_is_touched,
    algorithm_and_timeouts_follow_the_options,
    resync_says_what_it_left_alone,
];

fn one_option_changes_one_field_of_each_monitor() {
    let (mut world, _, _) = World::serving();
    world.gateway.reset();
    world.model.configure(US, &[("monitor-delay", "10")]);
    world.model.settle();
    let writes = world.gateway.writes();
    assert_eq!(writes.len(), 2);
    for write in writes {
        assert!(write.is("PUT", "healthmonitors/{id}"));
        assert_eq!(write.request, json!({"healthmonitor": {"delay": 10}}));
    }
    world.end();
}

fn another_type_replaces_the_monitors_by_exactly_the_one_that_is_asked_for() {
    let (mut world, _, _) = World::serving();
    world.gateway.reset();
    world.model.configure(
        US,
        &[
            ("monitor-type", "tls-hello"),
            ("monitor-delay", "5"),
            ("monitor-timeout", "10"),
            ("monitor-max-retries", "4"),
            ("monitor-max-retries-down", "3"),
        ],
    );
    world.model.settle();
    assert_eq!(
        (world.gateway.count("DELETE", "healthmonitors/{id}"), world.gateway.count("POST", "healthmonitors")),
        (2, 2)
    );
    assert_eq!(world.gateway.writes().len(), 4);
    for monitor in world.objects("healthmonitors") {
        let fields =
            ["type", "delay", "timeout", "max_retries", "max_retries_down", "url_path", "expected_codes"];
        let values = fields.map(|field| monitor[field].clone());
        assert_eq!(
            values,
            [json!("TLS-HELLO"), json!(5), json!(10), json!(4), json!(3), Value::Null, Value::Null]
        );
    }
    assert!(
        world.line().contains("monitor-timeout (10 s) is not shorter than the delay of 5 s"),
        "{}",
        world.line()
    );
    world.end();
}

fn a_monitor_deleted_behind_our_back_is_back_after_resync() {
    let (mut world, _, _) = World::serving();
    let monitor = world.objects("healthmonitors")[0].clone();
    world.api.delete(&format!("/lbaas/healthmonitors/{}", monitor["id"].as_str().unwrap()));
    assert_eq!(world.objects("healthmonitors").len(), 1);
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    assert_eq!((result.status, result.results["changed"].as_str()), ("completed", "1"), "{result:?}");
    assert!(result.results["changes"].contains("create the health monitor of port"), "{result:?}");
    assert_eq!(world.objects("healthmonitors").len(), 2);
    let again = world.run_action(UNIT, "resync-monitors", json!({}));
    assert_eq!(again.results["changed"], "0");
    world.end();
}

fn resync_says_what_it_would_do_and_does_it_for_one() {
    let (mut world, _, _) = World::serving();
    for monitor in world.objects("healthmonitors") {
        let path = format!("/lbaas/healthmonitors/{}", monitor["id"].as_str().unwrap());
        world.api.put(&path, &json!({"healthmonitor": {"delay": 77, "url_path": "/"}}));
    }
    let dry = world.run_action(UNIT, "resync-monitors", json!({"dry-run": true}));
    assert_eq!(dry.results["would-change"], "2", "{dry:?}");
    assert!(dry.results["changes"].contains("delay=5 url_path=/livez"), "{dry:?}");
    assert!(world.objects("healthmonitors").iter().all(|monitor| monitor["delay"] == 77));
    let name = world.objects("loadbalancers")[0]["name"].as_str().unwrap().to_owned();
    let one = world.run_action(UNIT, "resync-monitors", json!({"load-balancer": name}));
    assert_eq!(one.results["changed"], "1", "{one:?}");
    let delays: Vec<u64> =
        world.objects("healthmonitors").iter().map(|one| one["delay"].as_u64().unwrap()).collect();
    assert!(delays.contains(&5) && delays.contains(&77), "{delays:?}");
    let unknown = world.run_action(UNIT, "resync-monitors", json!({"load-balancer": "nobody"}));
    assert_eq!(unknown.status, "failed");
    assert!(
        unknown.message.contains("no load balancer \"nobody\"") && unknown.message.contains(&name),
        "{unknown:?}"
    );
    world.end();
}

fn resync_on_a_follower_says_who_to_ask() {
    let (mut world, _, _) = World::serving_with(&Setup { units: 2, ..Setup::default() });
    let result = world.run_action("octavia-integrator/1", "resync-monitors", json!({}));
    assert_eq!(result.status, "failed");
    assert_eq!(result.message, "octavia-integrator/1 does not lead; run it on octavia-integrator/0");
    world.end();
}

fn a_monitor_changed_behind_our_back_is_changed_back() {
    let (mut world, _, _) = World::serving();
    let monitor = world.objects("healthmonitors")[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/lbaas/healthmonitors/{monitor}");
    world.api.put(
        &path,
        &json!({"healthmonitor": {"expected_codes": "200", "max_retries_down": 9, "http_method": "HEAD"}}),
    );
    world.gateway.reset();
    world.update_status(UNIT);
    let writes = world.gateway.writes();
    assert_eq!(writes.len(), 1);
    assert_eq!(
        writes[0].request,
        json!({"healthmonitor": {"expected_codes": "200,401,403", "max_retries_down": 2, "http_method": "GET"}})
    );
    world.end();
}

fn somebody_elses_monitor_on_our_pool_becomes_ours() {
    let (mut world, _, _) = World::serving();
    let monitor = world.objects("healthmonitors")[0].clone();
    let pool = monitor["pools"][0]["id"].clone();
    world.api.delete(&format!("/lbaas/healthmonitors/{}", monitor["id"].as_str().unwrap()));
    assert_eq!(world.objects("healthmonitors").len(), 1);
    let body = json!({"healthmonitor": {"pool_id": pool, "type": "PING", "delay": 60, "timeout": 30, "max_retries": 1}});
    assert_eq!(world.api.call("POST", "/lbaas/healthmonitors", &body).0, 201);
    world.update_status(UNIT);
    let kinds: Vec<Value> = world.objects("healthmonitors").iter().map(|one| one["type"].clone()).collect();
    assert_eq!(kinds, [json!("HTTPS"), json!("HTTPS")]);
    world.end();
}

fn monitor_type_none_takes_the_monitors_away() {
    let (mut world, _, _) = World::serving();
    world.model.configure(US, &[("monitor-type", "none")]);
    world.model.settle();
    world.until("active: 2 load balancers, 6 members not monitored");
    assert_eq!(world.objects("healthmonitors"), Vec::<Value>::new());
    world.model.unset(US, &["monitor-type"]);
    world.model.settle();
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_check_on_another_port_becomes_monitor_port() {
    let mut world = World::usual();
    let checks =
        json!([{"protocol": "http", "port": 10256, "path": "/healthz", "interval": 7, "retries": 4}]);
    let request = with(external(), &json!({"health_checks": checks, "port_mapping": {"443": 6443}}));
    world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api", request)]);
    world.model.settle();
    let monitor = world.objects("healthmonitors")[0].clone();
    let values = ["type", "url_path", "delay", "max_retries_down"].map(|field| monitor[field].clone());
    assert_eq!(values, [json!("HTTP"), json!("/healthz"), json!(7), json!(4)]);
    assert!(world.objects("members").iter().all(|member| member["monitor_port"] == 10256));
    world.end();
}

fn a_udp_pool_gets_udp_connect() {
    let mut world = World::usual();
    let request =
        with(external(), &json!({"protocol": "udp", "health_checks": [], "port_mapping": {"53": 53}}));
    world.relate(CONTROL_PLANE, "loadbalancer-external", &[("dns", request)]);
    world.model.settle();
    assert_eq!(world.objects("listeners")[0]["protocol"], "UDP");
    assert_eq!(world.objects("listeners")[0]["timeout_client_data"], 50_000);
    assert_eq!(world.objects("healthmonitors")[0]["type"], "UDP-CONNECT");
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    world.end();
}

fn wrong_options_are_said_at_once_and_nothing_is_touched() {
    let (mut world, outer, _) = World::serving();
    let before = world.cloud.everything()["HealthMonitor"].clone();
    let address = world.answer(outer, "api-server-external");
    world.gateway.reset();
    world
        .model
        .configure(US, &[("monitor-delay", "0"), ("monitor-type", "telepathy"), ("lb-method", "RANDOM")]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: monitor-type: expected one of auto, https, http, tcp, tls-hello, ping, udp-connect, sctp, none, got \
         \"telepathy\"; monitor-delay: expected seconds from 1 to 86400, got 0; lb-method: expected one of ROUND_ROBIN, \
         LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT, got \"RANDOM\""
    );
    assert_eq!(world.gateway.writes(), []);
    assert_eq!(world.cloud.everything()["HealthMonitor"], before);
    assert_eq!(world.answer(outer, "api-server-external"), address);
    let action = world.run_action(UNIT, "resync-monitors", json!({}));
    assert!(action.status == "failed" && action.message.contains("telepathy"), "{action:?}");
    for option in ["monitor-delay", "monitor-type", "lb-method"] {
        world.model.unset(US, &[option]);
    }
    world.model.settle();
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn algorithm_and_timeouts_follow_the_options() {
    let (mut world, _, _) = World::serving();
    world.gateway.reset();
    world.model.configure(
        US,
        &[("lb-method", "LEAST_CONNECTIONS"), ("lb-idle-timeout", "60"), ("lb-connect-timeout", "2")],
    );
    world.model.settle();
    assert_eq!(world.gateway.writes().len(), 4);
    assert!(world.objects("pools").iter().all(|pool| pool["lb_algorithm"] == "LEAST_CONNECTIONS"));
    for listener in world.objects("listeners") {
        let times = ["timeout_client_data", "timeout_member_data", "timeout_member_connect"]
            .map(|field| listener[field].as_u64());
        assert_eq!(times, [Some(60_000), Some(60_000), Some(2_000)]);
    }
    world.end();
}

fn resync_says_what_it_left_alone() {
    let (mut world, outer, _) = World::serving();
    let broken = world.objects("loadbalancers")[0].clone();
    let (id, name) = (broken["id"].as_str().unwrap(), broken["name"].as_str().unwrap());
    world.cloud.set_in_database("loadbalancer", id, "provisioning_status", "ERROR");
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    assert_eq!((result.status, result.results["changed"].as_str()), ("completed", "0"), "{result:?}");
    assert_eq!(result.results["left-alone"], format!("{name}: Octavia says ERROR"));
    world.cloud.set_in_database("loadbalancer", id, "provisioning_status", "ACTIVE");
    let spoilt = [("request_api-server-external".to_owned(), "{".to_owned())].into();
    world.rewrite(outer, &spoilt);
    world.model.settle();
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    assert!(result.results["left-alone"].contains("asks for api-server-external"), "{result:?}");
    world.end();
}
