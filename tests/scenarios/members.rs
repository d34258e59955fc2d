//! Members come, go, die and come back.

use libtest_mimic::Trial;
use serde_json::json;
use testbed::backend::Traffic;
use testbed::eventually::eventually;

use crate::trials;
use crate::world::{CONTROL_PLANE, UNIT, World, internal, with};

trials![
    a_member_that_dies_is_named_and_requests_go_on,
    units_come_and_go_by_one_put_each,
    the_last_member_stays_until_the_relation_goes,
    no_member_online_is_waiting,
    an_operators_weight_backup_and_switch_stay,
    members_changed_behind_our_back_come_back,
    a_unit_without_an_address_is_left_out,
    members_of_a_withdrawn_or_spoilt_request_follow_the_units,
    back_ends_that_are_no_units_stay_with_a_withdrawn_request,
];

fn a_member_that_dies_is_named_and_requests_go_on() {
    let (mut world, outer, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let address = world.answer(outer, "api-server-external").unwrap();
    let front = world.cloud.front(address, 443).unwrap();
    let traffic = Traffic::start(front, "/version", 50);
    eventually("all three answer", std::time::Duration::from_secs(20), || {
        traffic.tally().answered.len() == 3
    });
    world.machines[1].stop();
    let down = world.machines[1].address();
    world.until(&format!(
        "active: 2 load balancers, 4/6 members online; down: kubernetes-control-plane/1 ({down}:6443)"
    ));
    traffic.reset();
    eventually("the others answer", std::time::Duration::from_secs(20), || traffic.tally().successes() >= 50);
    let tally = traffic.tally();
    assert_eq!(tally.failures, Vec::<String>::new());
    assert_eq!(tally.answered.len(), 2);
    assert_eq!(world.answer(outer, "api-server-external"), Some(address));
    world.machines[1].start_again();
    world.until("active: 2 load balancers, 6/6 members online");
    traffic.reset();
    eventually("all three answer again", std::time::Duration::from_secs(20), || {
        traffic.tally().answered.len() == 3
    });
    assert_eq!(traffic.stop().failures, Vec::<String>::new());
    world.end();
}

fn units_come_and_go_by_one_put_each() {
    let (mut world, _, inner) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let vip = world.answer(inner, "api-server-internal");
    world.gateway.reset();
    world.add_machine(CONTROL_PLANE, 3);
    world.add_machine(CONTROL_PLANE, 4);
    world.model.settle();
    world.until("active: 2 load balancers, 10/10 members online");
    // Two new units, two pools: one PUT each and nothing else.
    assert_eq!(world.gateway.writes().len(), 4);
    assert_eq!(world.gateway.count("PUT", "pools/{pool}/members"), 4);
    world.gateway.reset();
    for number in [1, 2, 3, 4] {
        world.model.remove_unit(&format!("{CONTROL_PLANE}/{number}"));
    }
    world.model.settle();
    world.until("active: 2 load balancers, 2/2 members online");
    assert!(world.gateway.writes().iter().all(|call| call.is("PUT", "pools/{pool}/members")));
    assert_eq!(world.census(), [2, 2, 2, 2, 2, 2, 1]);
    assert_eq!(world.answer(inner, "api-server-internal"), vip);
    world.end();
}

fn the_last_member_stays_until_the_relation_goes() {
    let (mut world, outer, _) = World::serving();
    let address = world.answer(outer, "api-server-external");
    for number in 0..3 {
        world.model.remove_unit(&format!("{CONTROL_PLANE}/{number}"));
    }
    world.model.settle();
    world.update_status(UNIT);
    for pool in world.objects("pools") {
        let members =
            world.api.list(&format!("/lbaas/pools/{}/members", pool["id"].as_str().unwrap()), "members");
        assert_eq!(members.len(), 1, "units left one by one, and the last stays");
    }
    assert_eq!(world.answer(outer, "api-server-external"), address);
    world.end();
}

fn no_member_online_is_waiting() {
    let (mut world, outer, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let address = world.answer(outer, "api-server-external");
    for machine in &mut world.machines {
        machine.stop();
    }
    let down: Vec<String> = world
        .machines
        .iter()
        .enumerate()
        .map(|(number, machine)| format!("kubernetes-control-plane/{number} ({}:6443)", machine.address()))
        .collect();
    world.until(&format!(
        "waiting: 2 load balancers, 0/6 members online; api-server-external (lb-consumers:1): 0/3 members online; \
         api-server-internal (lb-consumers:2): 0/3 members online; down: {}",
        down.join(", ")
    ));
    assert_eq!(world.answer(outer, "api-server-external"), address, "a good answer is never taken back");
    world.end();
}

fn an_operators_weight_backup_and_switch_stay() {
    let (mut world, _, _) = World::serving();
    let pool = world.objects("pools")[0]["id"].as_str().unwrap().to_owned();
    let member = world.api.list(&format!("/lbaas/pools/{pool}/members"), "members")[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let own = json!({"weight": 0, "backup": true, "admin_state_up": false});
    world.api.put(&format!("/lbaas/pools/{pool}/members/{member}"), &json!({"member": own}));
    world.add_machine(CONTROL_PLANE, 3);
    world.model.settle();
    let members = world.api.list(&format!("/lbaas/pools/{pool}/members"), "members");
    let same = members.iter().find(|one| one["id"] == member).unwrap();
    assert_eq!(members.len(), 4);
    for (field, value) in own.as_object().unwrap() {
        assert_eq!(&same[field], value, "{field}");
    }
    world.end();
}

fn members_changed_behind_our_back_come_back() {
    let (mut world, _, _) = World::serving();
    let pool = world.objects("pools")[0]["id"].as_str().unwrap().to_owned();
    world.api.put(
        &format!("/lbaas/pools/{pool}/members"),
        &json!({"members": [{"address": "127.0.0.99", "protocol_port": 6443}]}),
    );
    world.update_status(UNIT);
    let members = world.api.list(&format!("/lbaas/pools/{pool}/members"), "members");
    assert_eq!(members.len(), 3);
    assert!(members.iter().all(|member| member["address"] != "127.0.0.99"));
    world.end();
}

fn a_unit_without_an_address_is_left_out() {
    let (mut world, outer, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let nothing = [("ingress-address".to_owned(), String::new())].into();
    world.write_unit_bag(outer, "kubernetes-control-plane/2", &nothing);
    world.model.settle();
    world.until("active: 2 load balancers, 5/5 members online");
    let name = [("ingress-address".to_owned(), "cp-2.example".to_owned())].into();
    world.write_unit_bag(outer, "kubernetes-control-plane/2", &name);
    world.model.settle();
    world.until(
        "active: 2 load balancers, 5/5 members online; kubernetes-control-plane/2: expected an IP address as \
         ingress-address, got \"cp-2.example\"; it is left out",
    );
    world.end();
}

fn members_of_a_withdrawn_or_spoilt_request_follow_the_units() {
    for text in ["", "{"] {
        let (mut world, outer, _) = World::serving();
        let before = world.raw_answer(outer, "api-server-external");
        let spoilt = [("request_api-server-external".to_owned(), text.to_owned())].into();
        world.rewrite(outer, &spoilt);
        world.model.settle();
        world.add_machine(CONTROL_PLANE, 3);
        world.model.settle();
        assert_eq!(world.census()[4], 8, "{text:?}: both pools have the new unit");
        for unit in 0..3 {
            world.model.remove_unit(&format!("{CONTROL_PLANE}/{unit}"));
        }
        world.model.settle();
        let addresses: Vec<String> =
            world.objects("members").iter().map(|one| one["address"].as_str().unwrap().to_owned()).collect();
        let last = world.machines[3].address().to_string();
        assert_eq!(addresses, [last.clone(), last], "{text:?}");
        assert_eq!(world.raw_answer(outer, "api-server-external"), before);
        world.end();
    }
}

fn back_ends_that_are_no_units_stay_with_a_withdrawn_request() {
    let mut world = World::usual();
    let elsewhere = world.cloud.machine(240).to_string();
    let named = with(internal(), &json!({"backends": [elsewhere]}));
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", named)]);
    world.model.settle();
    let gone = [("request_api".to_owned(), String::new())].into();
    world.rewrite(relation, &gone);
    world.add_machine(CONTROL_PLANE, 3);
    world.model.settle();
    let addresses: Vec<String> =
        world.objects("members").iter().map(|one| one["address"].as_str().unwrap().to_owned()).collect();
    assert_eq!(addresses, [elsewhere]);
    world.end();
}
