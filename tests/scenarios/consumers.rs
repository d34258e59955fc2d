//! Consumers: several, strange, and wrong.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::trials;
use crate::world::{CONTROL_PLANE, UNIT, US, World, bag, external, internal, with};

trials![
    two_clusters_with_the_same_request_names_do_not_collide,
    one_relation_may_ask_for_several_load_balancers_with_several_ports,
    a_changed_request_keeps_its_answer_until_it_is_applied,
    a_bad_request_is_refused_by_field_and_the_others_are_served,
    a_request_that_turns_bad_keeps_its_answer,
    hostile_request_names_are_served_like_any_other,
    a_relation_that_cannot_be_read_keeps_everything,
    a_consumer_of_another_version_never_fails_a_hook,
    sticky_requests_get_source_ip_persistence,
];

fn two_clusters_with_the_same_request_names_do_not_collide() {
    let (mut world, outer, _) = World::serving();
    world.model.add_remote("k8s", &[]);
    world.add_machine("k8s", 0);
    let other = world.relate("k8s", "external-load-balancer", &[("api-server-external", k8s())]);
    world.model.settle();
    world.until("active: 3 load balancers, 7/7 members online");
    let (one, two) = (world.answer(outer, "api-server-external"), world.answer(other, "api-server-external"));
    assert!(one.is_some() && two.is_some() && one != two);
    world.model.remove_relation(other);
    world.model.settle();
    world.update_status(UNIT);
    world.until("active: 2 load balancers, 6/6 members online");
    assert_eq!(world.answer(outer, "api-server-external"), one);
    world.end();
}

fn k8s() -> Value {
    serde_json::from_str(include_str!("../interop/requests/k8s_external.json")).unwrap()
}

fn one_relation_may_ask_for_several_load_balancers_with_several_ports() {
    let mut world = World::usual();
    let several = with(external(), &json!({"port_mapping": {"443": 6443, "8443": 6443, "80": 8080}}));
    let relation =
        world.relate(CONTROL_PLANE, "loadbalancer-external", &[("one", several), ("two", internal())]);
    world.model.settle();
    assert_eq!(world.census()[..5], [2, 4, 4, 4, 12]);
    assert_ne!(world.answer(relation, "one"), world.answer(relation, "two"));
    // One front port less: its listener and its pool go, the others stay as they are.
    world.gateway.reset();
    let fewer = with(external(), &json!({"port_mapping": {"443": 6443, "80": 8080}, "sent_hash": "new"}));
    world.rewrite(relation, &bag(&[("one", fewer), ("two", internal())]));
    world.model.settle();
    assert_eq!(world.census()[..5], [2, 3, 3, 3, 9]);
    assert_eq!(
        (
            world.gateway.count("DELETE", "listeners/{id}"),
            world.gateway.count("DELETE", "pools/{id}"),
            world.gateway.writes().len()
        ),
        (1, 1, 2)
    );
    assert_eq!(world.raw_answer(relation, "one").unwrap()["received_hash"], "new");
    // One more: pool, members, monitor, listener.
    world.gateway.reset();
    let more = with(external(), &json!({"port_mapping": {"443": 6443, "80": 8080, "9443": 6443}}));
    world.rewrite(relation, &bag(&[("one", more), ("two", internal())]));
    world.model.settle();
    assert_eq!(world.census()[..5], [2, 4, 4, 4, 12]);
    let writes: Vec<String> =
        world.gateway.writes().iter().map(|call| format!("{} {}", call.method, call.name())).collect();
    assert_eq!(writes.len(), 4, "{writes:?}");
    assert!(
        writes[0] == "POST pools" && writes[3] == "POST listeners",
        "a pool comes before its listener: {writes:?}"
    );
    world.end();
}

fn a_changed_request_keeps_its_answer_until_it_is_applied() {
    let (mut world, outer, _) = World::serving();
    let before = world.raw_answer(outer, "api-server-external").unwrap();
    // Octavia refuses the new listener this time.
    world.cloud.fail_next("listener");
    let changed =
        with(external(), &json!({"port_mapping": {"443": 6443, "444": 6443}, "sent_hash": "changed"}));
    world.rewrite(outer, &bag(&[("api-server-external", changed)]));
    let first = world.model.next_hook().unwrap();
    assert!(first.path.ends_with("relation-changed"), "{}", first.path);
    let now = world.raw_answer(outer, "api-server-external").unwrap();
    assert_eq!(now["address"], before["address"]);
    world.model.settle();
    world.update_status(UNIT);
    let now = world.raw_answer(outer, "api-server-external").unwrap();
    assert_eq!((&now["address"], &now["received_hash"]), (&before["address"], &json!("changed")));
    assert!(world.objects("listeners").iter().all(|listener| listener["provisioning_status"] == "ACTIVE"));
    world.end();
}

fn a_bad_request_is_refused_by_field_and_the_others_are_served() {
    let mut world = World::usual();
    let bad = with(external(), &json!({"port_mapping": {"443": 70_000}, "tls_termination": true}));
    let relation =
        world.relate(CONTROL_PLANE, "loadbalancer-external", &[("bad", bad), ("good", external())]);
    world.model.settle();
    let answer = world.raw_answer(relation, "bad").unwrap();
    assert_eq!((&answer["error"], &answer["address"]), (&json!("unsupported"), &Value::Null));
    let fields: Vec<&String> = answer["error_fields"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["port_mapping", "tls_termination"]);
    assert!(world.answer(relation, "good").is_some());
    assert_eq!(world.level(), "blocked");
    assert!(
        world
            .line()
            .contains("kubernetes-control-plane asks for bad (lb-consumers:1): port_mapping: expected"),
        "{}",
        world.line()
    );
    // Asked for rightly, it is served.
    world.rewrite(relation, &bag(&[("bad", external())]));
    world.model.settle();
    assert!(world.answer(relation, "bad").is_some());
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_request_that_turns_bad_keeps_its_answer() {
    let (mut world, outer, _) = World::serving();
    let before = (world.raw_answer(outer, "api-server-external"), world.census());
    for text in ["", "{", "[]", "null", r#"{"protocol": "tcp", "port_mapping": {}}"#] {
        // An empty value would delete the key, which is another matter.
        let text = if text.is_empty() { "\"\"" } else { text };
        let bad = [("request_api-server-external".to_owned(), text.to_owned())].into();
        world.rewrite(outer, &bad);
        world.model.settle();
        assert_eq!((world.raw_answer(outer, "api-server-external"), world.census()), before, "{text}");
        assert_eq!(world.level(), "blocked");
    }
    // The request goes away while its relation stays: nothing is deleted either.
    let gone = [("request_api-server-external".to_owned(), String::new())].into();
    world.rewrite(outer, &gone);
    world.model.settle();
    assert_eq!((world.raw_answer(outer, "api-server-external"), world.census()), before);
    world.end();
}

fn hostile_request_names_are_served_like_any_other() {
    let mut world = World::usual();
    let names = [
        "a,b",
        "../../etc",
        "{{ 7 * 7 }}",
        "with space",
        "ü💥",
        "semi;colon",
        "-dash",
        "x\ny",
        &"long".repeat(100),
    ];
    let requests: Vec<(&str, Value)> = names.iter().map(|name| (*name, internal())).collect();
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &requests);
    world.model.settle();
    let mut addresses: Vec<_> = names.iter().map(|name| world.answer(relation, name).expect(name)).collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), names.len());
    // They are found again: nothing is made twice.
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    assert_eq!(world.census()[0], names.len());
    world.end();
}

fn a_relation_that_cannot_be_read_keeps_everything() {
    let (mut world, outer, _) = World::serving();
    let before = (world.raw_answer(outer, "api-server-external"), world.census());
    world.model.set_unreadable(outer, true);
    world.expect_tool_error("relation-get");
    world.update_status(UNIT);
    assert_eq!(world.level(), "waiting");
    assert!(world.line().contains("lb-consumers:1 cannot be read"), "{}", world.line());
    assert_eq!((world.raw_answer(outer, "api-server-external"), world.census()), before);
    world.model.set_unreadable(outer, false);
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_consumer_of_another_version_never_fails_a_hook() {
    let mut world = World::usual();
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
    for (version, level) in [("0", "waiting"), ("1.0", "waiting"), ("x", "waiting"), ("2", "active")] {
        let mut asked = bag(&[("api", external())]);
        asked.insert("version".to_owned(), version.to_owned());
        world.model.play_consumer(relation, CONTROL_PLANE, asked);
        world.model.settle();
        world.update_status(UNIT);
        assert!(
            world.level() == level || world.line().contains("members online"),
            "{version}: {}",
            world.line()
        );
    }
    assert!(world.answer(relation, "api").is_some());
    assert_eq!(world.model.application_bag(relation, US)["version"], "1");
    world.end();
}

fn sticky_requests_get_source_ip_persistence() {
    let mut world = World::usual();
    let relation = world.relate(
        CONTROL_PLANE,
        "loadbalancer-external",
        &[("api", with(external(), &json!({"sticky": true})))],
    );
    world.model.settle();
    assert_eq!(world.objects("pools")[0]["session_persistence"]["type"], "SOURCE_IP");
    world.rewrite(relation, &bag(&[("api", external())]));
    world.model.settle();
    assert_eq!(world.objects("pools")[0]["session_persistence"], Value::Null);
    world.end();
}
