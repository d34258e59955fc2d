//! Faults that an attacker found, and that are mended.

use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, bag, external, internal, with};

trials![
    a_new_leader_that_has_met_one_unit_takes_no_member_away,
    a_load_balancer_that_tells_no_port_keeps_its_port,
    a_changed_protocol_without_units_empties_no_pool,
    a_change_that_was_refused_is_not_confirmed,
    a_cloud_slower_than_the_budget_is_not_active,
    a_wrong_option_does_not_leak_what_a_removed_application_had,
    the_password_in_an_auth_url_is_not_shown,
    an_auth_url_that_is_none_is_blocked_by_name,
    control_characters_in_a_hash_fail_no_hook,
    a_network_get_that_fails_fails_no_hook,
    an_absurd_interval_is_bounded,
    an_empty_path_of_a_check_is_none,
];

fn replacement(world: &mut World) -> String {
    world.model.remove_unit(UNIT);
    world.model.settle();
    let address = world.cloud.machine(249).to_string();
    let replacement = world.model.add_unit_at(US, &address);
    world.model.set_leader(US, Some(&replacement));
    replacement
}

/// Juju shows remote units one by one, by their joined hooks.
fn a_new_leader_that_has_met_one_unit_takes_no_member_away() {
    let (mut world, _, _) = World::serving();
    replacement(&mut world);
    while let Some(hook) = world.model.next_hook().map(|hook| hook.name().to_owned()) {
        assert_eq!(world.census()[4], 6, "{hook} took members away");
    }
    world.end();
}

fn a_load_balancer_that_tells_no_port_keeps_its_port() {
    let (mut world, _, _) = World::serving();
    let before = world.census();
    let mut bare = json!({"loadbalancers": world.objects("loadbalancers")});
    for one in bare["loadbalancers"].as_array_mut().unwrap() {
        one["vip_port_id"] = Value::Null;
    }
    world.plan(Fault::on("GET", "loadbalancers", Effect::answer(200, bare)).times(4));
    world.gateway.reset();
    world.update_status(UNIT);
    let deletions: Vec<_> = world.gateway.writes().iter().map(testbed::gateway::Call::name).collect();
    assert_eq!((deletions, world.census()), (Vec::new(), before));
}

fn a_changed_protocol_without_units_empties_no_pool() {
    let mut world = World::usual();
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    for unit in 0..3 {
        let gap = [("ingress-address".to_owned(), String::new())].into();
        world.write_unit_bag(relation, &format!("{CONTROL_PLANE}/{unit}"), &gap);
    }
    world.model.settle();
    let before = world.census()[4];
    assert!(before > 0);
    let changed = with(internal(), &json!({"protocol": "udp", "health_checks": [], "sent_hash": "changed"}));
    world.rewrite(relation, &bag(&[("api", changed)]));
    world.model.settle();
    assert_eq!(world.census()[4], before);
    world.end();
}

fn a_change_that_was_refused_is_not_confirmed() {
    let (mut world, outer, _) = World::serving();
    let refusal = json!({"faultcode": "Client", "faultstring": "no", "debuginfo": null});
    world.plan(Fault::on("PUT", "pools/{id}/members", Effect::answer(400, refusal)));
    let changed = with(external(), &json!({"port_mapping": {"443": 7443}, "sent_hash": "changed"}));
    world.rewrite(outer, &bag(&[("api-server-external", changed)]));
    world.model.next_hook().unwrap();
    assert!(world.line().starts_with("blocked: "), "{}", world.line());
    assert_ne!(world.raw_answer(outer, "api-server-external").unwrap()["received_hash"], "changed");
    world.model.settle();
    world.end();
}

fn a_cloud_slower_than_the_budget_is_not_active() {
    let mut world = World::new(&Setup { config: &[("provisioning-timeout", "1")], ..Setup::default() });
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[]);
    world.model.settle();
    world.rewrite(relation, &bag(&[("api", internal())]));
    world.plan(Fault::on("GET", "loadbalancers", Effect::Delay(Duration::from_millis(1500))));
    world.model.next_hook().unwrap();
    assert_eq!((world.answer(relation, "api"), world.census()[0]), (None, 0));
    assert_eq!(world.level(), "waiting", "{}", world.line());
    world.end();
}

fn a_wrong_option_does_not_leak_what_a_removed_application_had() {
    let (mut world, _, _) = World::serving();
    world.model.configure(US, &[("monitor-delay", "0")]);
    world.model.settle();
    world.model.remove_application(US);
    world.model.settle();
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn shown(world: &World) -> String {
    let lines: Vec<String> = world.model.log().iter().map(|line| line.text.clone()).collect();
    format!("{}\n{}", world.line(), lines.join("\n"))
}

fn the_password_in_an_auth_url_is_not_shown() {
    let mut world = World::usual();
    world
        .model
        .configure(US, &[("auth-url", "http://user:hunter2@127.0.0.1:9/v3"), ("provisioning-timeout", "1")]);
    world.model.settle();
    assert!(world.line().contains("127.0.0.1:9"), "{}", world.line());
    assert!(!shown(&world).contains("hunter2"), "{}", shown(&world));
    world.end();
}

fn an_auth_url_that_is_none_is_blocked_by_name() {
    let mut world = World::usual();
    world.model.configure(US, &[("auth-url", "keystone.example"), ("provisioning-timeout", "1")]);
    world.model.settle();
    assert!(world.line().starts_with("blocked: ") && world.line().contains("auth-url"), "{}", world.line());
    world.end();
}

/// The YAML reader of `relation-set --file` refuses what JSON may hold as it is.
fn control_characters_in_a_hash_fail_no_hook() {
    let mut world = World::usual();
    let odd = with(internal(), &json!({"sent_hash": "a\u{7f}\u{feff}b"}));
    let relation =
        world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("one", odd), ("t\u{7f}wo", internal())]);
    world.model.settle();
    assert!(world.answer(relation, "one").is_some() && world.answer(relation, "t\u{7f}wo").is_some());
    world.end();
}

fn a_network_get_that_fails_fails_no_hook() {
    let mut world = World::new(&Setup { config: &[("lb-subnet", "")], ..Setup::default() });
    world.expect_tool_error("network-get");
    let words = "ERROR no network config found for binding \"lb-consumers\"";
    world.model.plan(testbed::juju::Fault::fail(testbed::juju::Point::of("network-get", 1), words));
    world.update_status(UNIT);
    assert!(world.model.hooks().iter().all(|hook| hook.exit == testbed::juju::Exit::Code(0)));
    world.end();
}

fn an_absurd_interval_is_bounded() {
    let mut world = World::usual();
    let check =
        json!([{"protocol": "http", "port": 6443, "path": "/livez", "interval": u32::MAX, "retries": 3}]);
    world.relate(
        CONTROL_PLANE,
        "loadbalancer-internal",
        &[("api", with(internal(), &json!({"health_checks": check})))],
    );
    world.model.settle();
    let delay = world.objects("healthmonitors")[0]["delay"].as_u64().unwrap();
    assert!(delay <= 86_400, "{delay}");
    world.end();
}

fn an_empty_path_of_a_check_is_none() {
    let mut world = World::usual();
    let check = json!([{"protocol": "tcp", "port": 6443, "path": "", "interval": 30, "retries": 3}]);
    let relation = world.relate(
        CONTROL_PLANE,
        "loadbalancer-internal",
        &[("api", with(internal(), &json!({"health_checks": check})))],
    );
    world.model.settle();
    assert!(world.answer(relation, "api").is_some(), "{}", world.line());
    world.end();
}
