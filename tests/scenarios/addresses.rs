//! VIPs and floating IPs: for life.

use libtest_mimic::Trial;
use serde_json::json;

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, internal, with};

trials![
    setting_the_floating_network_later_attaches_one,
    unsetting_the_floating_network_keeps_the_address_and_says_so,
    another_subnet_never_moves_a_load_balancer,
    without_lb_subnet_our_own_subnet_is_used,
    a_load_balancer_deleted_behind_our_back_comes_back_at_its_vip,
    a_detached_floating_ip_is_attached_again,
    an_unknown_network_or_subnet_is_named,
    of_two_load_balancers_under_one_mark_the_published_one_stays,
    foreign_things_are_not_touched,
    an_administrator_sees_other_projects_and_touches_none,
    a_vip_port_deleted_behind_our_back_comes_back_at_its_address,
    a_members_own_address_is_never_an_answer,
    a_lost_address_that_somebody_took_is_blocked_with_a_cure,
];

fn setting_the_floating_network_later_attaches_one() {
    let (mut world, outer, inner) =
        World::serving_with(&Setup { config: &[("lb-floating-network", "")], ..Setup::default() });
    let vip = world.answer(outer, "api-server-external").unwrap();
    assert_eq!(world.objects("floatingips").len(), 0);
    let internal = world.answer(inner, "api-server-internal");
    world.model.configure(US, &[("lb-floating-network", "public")]);
    world.model.settle();
    let floating = &world.objects("floatingips")[0];
    assert_eq!(floating["fixed_ip_address"], vip.to_string());
    assert_eq!(
        world.answer(outer, "api-server-external").unwrap().to_string(),
        floating["floating_ip_address"]
    );
    assert_eq!(world.answer(inner, "api-server-internal"), internal);
    world.end();
}

fn unsetting_the_floating_network_keeps_the_address_and_says_so() {
    let (mut world, outer, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let address = world.answer(outer, "api-server-external").unwrap();
    world.model.configure(US, &[("lb-floating-network", "")]);
    world.model.settle();
    assert_eq!(
        world.line(),
        format!(
            "active: 2 load balancers, 6/6 members online; lb-floating-network is no longer set, but \
             api-server-external (lb-consumers:1) keeps its floating IP {address}"
        )
    );
    assert_eq!(world.answer(outer, "api-server-external"), Some(address));
    assert_eq!(world.objects("floatingips").len(), 1);
    world.end();
}

fn another_subnet_never_moves_a_load_balancer() {
    let (mut world, outer, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let before = (world.census(), world.answer(outer, "api-server-external"));
    // A subnet that the project sees as well.
    let other = world.cloud.add_subnet("other-subnet");
    world.gateway.reset();
    world.model.configure(US, &[("lb-subnet", "other-subnet")]);
    world.model.settle();
    assert!(
        world.line().starts_with("active: 2 load balancers, 6/6 members online; lb-subnet is now"),
        "{}",
        world.line()
    );
    assert!(
        world.line().contains(&other) && world.line().contains("relate again to change it"),
        "{}",
        world.line()
    );
    assert_eq!(world.gateway.writes(), []);
    assert_eq!((world.census(), world.answer(outer, "api-server-external")), before);
    world.end();
}

fn without_lb_subnet_our_own_subnet_is_used() {
    let (mut world, _, inner) =
        World::serving_with(&Setup { config: &[("lb-subnet", "")], ..Setup::default() });
    world.until("active: 2 load balancers, 6/6 members online");
    assert!(world.answer(inner, "api-server-internal").is_some());
    world.end();
    // Where no port of the project holds our address, the option is asked for.
    let mut world = World::new(&Setup { config: &[("lb-subnet", "")], ..Setup::default() });
    world.cloud.forget_machine(250);
    world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
    world.model.settle();
    assert_eq!(world.level(), "blocked");
    assert!(
        world.line().contains("set lb-subnet to the name or id of the subnet for VIPs"),
        "{}",
        world.line()
    );
    world.end();
}

fn a_load_balancer_deleted_behind_our_back_comes_back_at_its_vip() {
    let (mut world, outer, inner) = World::serving();
    let before = (world.answer(outer, "api-server-external"), world.answer(inner, "api-server-internal"));
    for one in world.objects("loadbalancers") {
        world.api.delete(&format!("/lbaas/loadbalancers/{}?cascade=true", one["id"].as_str().unwrap()));
    }
    assert_eq!(world.census(), [0, 0, 0, 0, 0, 2, 1]);
    world.update_status(UNIT);
    assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1]);
    assert_eq!(
        (world.answer(outer, "api-server-external"), world.answer(inner, "api-server-internal")),
        before
    );
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_detached_floating_ip_is_attached_again() {
    let (mut world, outer, _) = World::serving();
    let address = world.answer(outer, "api-server-external");
    let id = world.objects("floatingips")[0]["id"].as_str().unwrap().to_owned();
    world.api.put(&format!("/floatingips/{id}"), &json!({"floatingip": {"port_id": null}}));
    world.update_status(UNIT);
    let floating = &world.objects("floatingips")[0];
    assert!(floating["port_id"].is_string());
    assert_eq!(world.answer(outer, "api-server-external"), address);
    world.end();
}

fn an_unknown_network_or_subnet_is_named() {
    let config = [("lb-subnet", "nowhere"), ("lb-floating-network", "nothing")];
    let mut world = World::new(&Setup { config: &config, ..Setup::default() });
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: lb-subnet is \"nowhere\", but the project sees no such subnet; give the name or id of one; \
         lb-floating-network is \"nothing\", but the project sees no such network; give the name or id of one"
    );
    world.model.configure(US, &[("lb-subnet", "tenant-subnet")]);
    world.model.settle();
    assert!(world.line().starts_with("blocked: "), "{}", world.line());
    assert_eq!(
        world.answer(outer, "api-server-external"),
        None,
        "never the VIP first and the floating IP later"
    );
    world.model.configure(US, &[("lb-floating-network", "public")]);
    world.model.settle();
    let floating = &world.objects("floatingips")[0]["floating_ip_address"];
    assert_eq!(&json!(world.answer(outer, "api-server-external").unwrap().to_string()), floating);
    world.end();
}

fn of_two_load_balancers_under_one_mark_the_published_one_stays() {
    let (mut world, _, inner) = World::serving();
    let vip = world.answer(inner, "api-server-internal").unwrap().to_string();
    let load_balancers = world.objects("loadbalancers");
    let published = load_balancers.iter().find(|one| one["vip_address"] == vip.as_str()).unwrap().clone();
    let body = json!({"loadbalancer": {"name": "twin", "tags": published["tags"], "vip_subnet_id": published["vip_subnet_id"]}});
    assert_eq!(world.api.call("POST", "/lbaas/loadbalancers", &body).0, 201);
    // The twin looks older than the one that the consumer knows.
    let twin = world.objects("loadbalancers").into_iter().find(|one| one["name"] == "twin").unwrap();
    world.cloud.set_in_database(
        "loadbalancer",
        twin["id"].as_str().unwrap(),
        "created_at",
        "2020-01-01T00:00:00",
    );
    world.update_status(UNIT);
    let left = world.objects("loadbalancers");
    assert_eq!(left.len(), 2);
    assert!(
        left.iter().any(|one| one["id"] == published["id"]) && left.iter().all(|one| one["id"] != twin["id"])
    );
    assert_eq!(world.answer(inner, "api-server-internal").unwrap().to_string(), vip);
    world.end();
}

fn foreign_things_are_not_touched() {
    let mut world = World::usual();
    let subnet = world.api.list("/subnets?name=tenant-subnet", "subnets")[0].clone();
    let name = "octavia-integrator-k8s-kubernetes-control-plane-api-server-external";
    // The same name, and the marks of the same application in another model.
    let tags = json!(["juju:7a0e1e6c-2c36-4d3c-8a5e-000000000099:octavia-integrator"]);
    let body = json!({"loadbalancer": {"name": name, "tags": tags, "vip_subnet_id": subnet["id"]}});
    let (_, foreign) = world.api.call("POST", "/lbaas/loadbalancers", &body);
    let description =
        "juju:7a0e1e6c-2c36-4d3c-8a5e-000000000099:octavia-integrator:lb-consumers:web:0:0123456789abcdef";
    let body = json!({"port": {"network_id": subnet["network_id"], "description": description}});
    let (_, port) = world.api.call("POST", "/ports", &body);
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    world.model.settle();
    assert!(world.answer(outer, "api-server-external").is_some());
    world.model.remove_relation(outer);
    world.model.settle();
    world.update_status(UNIT);
    let left: Vec<_> = world.objects("loadbalancers").iter().map(|one| one["id"].clone()).collect();
    assert_eq!(left, [foreign["loadbalancer"]["id"].clone()]);
    let left: Vec<_> = world.objects("ports").iter().map(|one| one["id"].clone()).collect();
    assert_eq!(left, [port["port"]["id"].clone()]);
    world.end();
}

fn an_administrator_sees_other_projects_and_touches_none() {
    let (mut world, outer, inner) = World::serving();
    let before = world.census();
    let as_user = |world: &mut World, name: &str| {
        let mut credential = world.cloud.access_as(name).juju_credential();
        credential["endpoint"] = json!(world.gateway.keystone());
        world.model.set_credential(Some(credential));
    };
    world.model.remove_unit(UNIT);
    world.model.settle();
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    as_user(&mut world, "admin");
    let address = world.cloud.machine(249).to_string();
    let unit = world.model.add_unit_at(US, &address);
    world.model.settle();
    world.update_status(&unit);
    assert_eq!(world.census(), before, "the same marks, but in another project than the token's");
    as_user(&mut world, "tenant");
    world.update_status(&unit);
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn a_vip_port_deleted_behind_our_back_comes_back_at_its_address() {
    let (mut world, outer, inner) = World::serving();
    let before = world.answer(inner, "api-server-internal").unwrap();
    // A lower address is free, so chance would give another one.
    world.model.remove_relation(outer);
    world.model.settle();
    for one in world.objects("loadbalancers") {
        world.api.delete(&format!("/lbaas/loadbalancers/{}?cascade=true", one["id"].as_str().unwrap()));
    }
    for one in world.objects("ports") {
        world.api.delete(&format!("/ports/{}", one["id"].as_str().unwrap()));
    }
    assert_eq!(world.census(), [0; 7]);
    world.update_status(UNIT);
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 0]);
    assert_eq!(world.objects("loadbalancers")[0]["vip_address"], before.to_string().as_str());
    assert_eq!(world.answer(inner, "api-server-internal"), Some(before));
    world.end();
}

fn a_members_own_address_is_never_an_answer() {
    let (mut world, _, inner) = World::serving();
    let vip = world.answer(inner, "api-server-internal").unwrap().to_string();
    world.model.remove_relation(inner);
    world.model.settle();
    world.update_status(UNIT);
    // The address is free again, and the next VIP gets it.
    let request = with(internal(), &json!({"backends": [vip]}));
    let again = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", request)]);
    world.model.settle();
    assert!(world.objects("loadbalancers").iter().any(|one| one["vip_address"] == vip.as_str()));
    assert_eq!(world.answer(again, "api"), None);
    assert!(world.line().contains("that is a member's own; it is not published"), "{}", world.line());
    world.end();
}

/// A new address would break all who have the old one, and they would not learn why.
fn a_lost_address_that_somebody_took_is_blocked_with_a_cure() {
    let (mut world, _, inner) = World::serving();
    let answer = world.raw_answer(inner, "api-server-internal");
    let vip = answer.as_ref().unwrap()["address"].as_str().unwrap().to_owned();
    let mut balancers = world.objects("loadbalancers").into_iter();
    let balancer = balancers.find(|one| one["vip_address"] == vip.as_str()).unwrap();
    let text = |field: &str| balancer[field].as_str().unwrap().to_owned();
    world.api.delete(&format!("/lbaas/loadbalancers/{}?cascade=true", text("id")));
    world.api.delete(&format!("/ports/{}", text("vip_port_id")));
    let fixed = json!([{"subnet_id": text("vip_subnet_id"), "ip_address": vip}]);
    let network = balancer["vip_network_id"].clone();
    let thief = world.api.post("/ports", &json!({"port": {"network_id": network, "fixed_ips": fixed}}));
    world.gateway.expect_error("POST", "ports", 409);
    world.update_status(UNIT);
    assert_eq!(world.level(), "blocked");
    let cure = "; free that address; or remove the relation and relate again to get another";
    assert!(
        world
            .line()
            .contains(&format!("create the VIP port at {vip}: POST /ports gave 409: IP address {vip}")),
        "{}",
        world.line()
    );
    assert!(world.line().contains(cure), "{}", world.line());
    assert_eq!(world.raw_answer(inner, "api-server-internal"), answer);
    world.api.delete(&format!("/ports/{}", thief["port"]["id"].as_str().unwrap()));
    world.until("active: 2 load balancers, 6/6 members online");
    assert_eq!(world.raw_answer(inner, "api-server-internal"), answer);
    world.end();
}
