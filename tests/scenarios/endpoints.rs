//! The endpoints that each of our units answers, and the peers that make all say the same.

use libtest_mimic::Trial;
use serde_json::json;
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, internal};

trials![
    masters_are_told_one_address_by_every_unit,
    a_new_unit_and_a_new_leader_tell_the_same_address,
    another_front_port_is_made_before_the_old_one_goes,
    masters_that_go_take_their_load_balancer_along,
    workers_are_handed_the_internal_address_of_their_control_plane,
    with_two_control_planes_an_option_says_which,
    a_control_plane_that_was_not_answered_yet_counts_too,
    workers_keep_their_address_in_trouble,
    a_follower_shows_what_the_leader_says,
    the_leaders_own_words_start_no_hook_of_work,
    masters_with_a_strange_port_are_left_out_by_name,
];

const MASTER: &str = "kubernetes-master";
const WORKER: &str = "kubernetes-worker";
const OTHER: &str = "octavia-integrator/1";

/// Two units of ours, related to three masters.
fn masters() -> (World, u32) {
    let mut world = World::new(&Setup { units: 2, machines: 0, ..Setup::default() });
    world.model.add_remote(MASTER, &[]);
    for number in 0..3 {
        world.add_machine(MASTER, number);
    }
    let relation = world.model.integrate(&format!("{US}:loadbalancer"), &format!("{MASTER}:loadbalancer"));
    world.model.settle();
    (world, relation)
}

/// The address and port that a unit of ours tells.
fn told(world: &World, relation: u32, unit: &str, address: &str) -> Option<(String, String)> {
    let bag = world.model.unit_bag(relation, unit);
    Some((bag.get(address)?.clone(), bag.get("port")?.clone()))
}

fn workers(world: &mut World) -> u32 {
    world.model.add_remote(WORKER, &[]);
    world.add_machine(WORKER, 0);
    let relation = world.model.integrate(&format!("{US}:website"), &format!("{WORKER}:kube-api-endpoint"));
    world.model.settle();
    relation
}

fn masters_are_told_one_address_by_every_unit() {
    let (mut world, relation) = masters();
    world.until("active: 1 load balancer, 3/3 members online");
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 1]);
    let floating = world.objects("floatingips")[0]["floating_ip_address"].as_str().unwrap().to_owned();
    for unit in [UNIT, OTHER] {
        let front = told(&world, relation, unit, "public-address");
        assert_eq!(front, Some((floating.clone(), "443".to_owned())), "{unit}");
    }
    assert_eq!(world.objects("listeners")[0]["protocol_port"], 443);
    let members = world.objects("members");
    assert!(members.iter().all(|member| member["protocol_port"] == 6443), "{members:?}");
    assert_eq!(world.objects("healthmonitors")[0]["type"], "HTTPS");
    // Nothing changes: nothing is written.
    world.gateway.reset();
    let hook = world.update_status(UNIT);
    assert!(hook.calls.iter().all(|call| call.tool != "relation-set"), "{hook:?}");
    assert_eq!(world.gateway.writes(), []);
    world.end();
}

fn a_new_unit_and_a_new_leader_tell_the_same_address() {
    let (mut world, relation) = masters();
    let front = told(&world, relation, UNIT, "public-address");
    assert!(front.is_some());
    let address = world.cloud.machine(248).to_string();
    let third = world.model.add_unit_at(US, &address);
    world.model.settle();
    assert_eq!(told(&world, relation, &third, "public-address"), front);
    // The new one leads, and every other unit is gone.
    world.model.set_leader(US, Some(&third));
    world.model.remove_unit(UNIT);
    world.model.remove_unit(OTHER);
    world.model.settle();
    world.update_status(&third);
    assert_eq!(told(&world, relation, &third, "public-address"), front);
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 1]);
    world.end();
}

fn another_front_port_is_made_before_the_old_one_goes() {
    let (mut world, relation) = masters();
    let before = told(&world, relation, UNIT, "public-address").unwrap();
    // Octavia fails to make the new port: the old one stays, and is what the masters are told.
    world.cloud.fail_next("listener");
    world.plan(Fault::on("PUT", "listeners/{id}", Effect::answer(500, "{}")));
    world.model.configure(US, &[("lb-port", "6443")]);
    let ports = |world: &World| {
        let mut ports: Vec<u64> =
            world.objects("listeners").iter().map(|one| one["protocol_port"].as_u64().unwrap()).collect();
        ports.sort_unstable();
        ports
    };
    while ports(&world).len() == 1 {
        world.model.next_hook().unwrap();
    }
    assert_eq!(ports(&world), [443, 6443]);
    assert_eq!(told(&world, relation, UNIT, "public-address").unwrap(), before);
    world.model.settle();
    world.update_status(UNIT);
    // It stands: the masters are told, and only in a later hook the old one goes.
    assert_eq!(told(&world, relation, UNIT, "public-address").unwrap().1, "6443");
    assert_eq!(told(&world, relation, OTHER, "public-address").unwrap().1, "6443");
    assert_eq!(ports(&world), [443, 6443], "some still use the old one");
    world.update_status(UNIT);
    assert_eq!(ports(&world), [6443]);
    assert_eq!(told(&world, relation, UNIT, "public-address").unwrap(), (before.0, "6443".to_owned()));
    world.end();
}

fn masters_that_go_take_their_load_balancer_along() {
    let (mut world, relation) = masters();
    world.model.remove_relation(relation);
    world.model.settle();
    world.update_status(UNIT);
    assert_eq!(world.census(), [0; 7]);
    assert_eq!(world.line(), "active: no load balancer is asked for");
    assert_eq!(world.line_of(OTHER), world.line());
    world.end();
}

fn workers_are_handed_the_internal_address_of_their_control_plane() {
    let mut world = World::new(&Setup { units: 2, ..Setup::default() });
    let website = workers(&mut world);
    assert_eq!(told(&world, website, UNIT, "hostname"), None, "there is no control plane yet");
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    world.model.settle();
    let public = world.answer(outer, "api-server-external").unwrap().to_string();
    for unit in [UNIT, OTHER] {
        assert_eq!(told(&world, website, unit, "hostname"), Some((public.clone(), "443".to_owned())));
    }
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
    world.model.settle();
    let private = world.answer(inner, "api-server-internal").unwrap().to_string();
    for unit in [UNIT, OTHER] {
        assert_eq!(told(&world, website, unit, "hostname"), Some((private.clone(), "6443".to_owned())));
        assert_eq!(world.model.unit_bag(website, unit)["private-address"], private);
    }
    world.end();
}

fn with_two_control_planes_an_option_says_which() {
    let (mut world, _, inner) = World::serving();
    world.model.add_remote("k8s", &[]);
    world.add_machine("k8s", 0);
    let other = world.relate("k8s", "external-load-balancer", &[("api", external())]);
    let website = workers(&mut world);
    assert_eq!(told(&world, website, UNIT, "hostname"), None);
    assert_eq!(
        world.line(),
        "blocked: website: workers get no new address, since there is more than one control plane; set website-source to \
         one of k8s, kubernetes-control-plane"
    );
    world.model.configure(US, &[("website-source", "k8")]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: website-source: expected one of k8s, kubernetes-control-plane, got \"k8\"; workers get no new address"
    );
    for (source, relation, name, port) in
        [("k8s", other, "api", "443"), (CONTROL_PLANE, inner, "api-server-internal", "6443")]
    {
        world.model.configure(US, &[("website-source", source)]);
        world.model.settle();
        let address = world.answer(relation, name).unwrap().to_string();
        assert_eq!(told(&world, website, UNIT, "hostname"), Some((address, port.to_owned())));
    }
    world.until("active: 3 load balancers, 7/7 members online");
    world.end();
}

/// Else workers of the slower one would be handed the address of the faster one, and keep it.
fn a_control_plane_that_was_not_answered_yet_counts_too() {
    let (mut world, _, _) = World::serving();
    world.model.add_remote("k8s", &[]);
    world.add_machine("k8s", 0);
    let other = world.relate("k8s", "external-load-balancer", &[]);
    let website = workers(&mut world);
    assert_eq!(told(&world, website, UNIT, "hostname"), None);
    assert!(world.line().starts_with("blocked: website: workers get no new address"), "{}", world.line());
    world.model.configure(US, &[("website-source", "k8s")]);
    world.model.settle();
    assert_eq!(told(&world, website, UNIT, "hostname"), None);
    world.until("active: 2 load balancers, 6/6 members online");
    let bag = [("version", "1".to_owned()), ("request_api", external().to_string())];
    let bag = bag.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    world.model.play_consumer(other, "k8s", bag);
    world.model.settle();
    let address = world.answer(other, "api").unwrap().to_string();
    assert_eq!(told(&world, website, UNIT, "hostname"), Some((address, "443".to_owned())));
    world.end();
}

fn workers_keep_their_address_in_trouble() {
    let (mut world, _, _) = World::serving();
    world.model.add_remote("k8s", &[]);
    world.add_machine("k8s", 0);
    world.relate("k8s", "external-load-balancer", &[("api", external())]);
    world.model.configure(US, &[("website-source", CONTROL_PLANE)]);
    let website = workers(&mut world);
    let before = told(&world, website, UNIT, "hostname");
    assert!(before.is_some());
    // With wrong options it is not known whose address is meant.
    world.model.configure(US, &[("monitor-delay", "0")]);
    world.model.settle();
    assert_eq!(world.line(), "blocked: monitor-delay: expected seconds from 1 to 86400, got 0");
    assert_eq!(told(&world, website, UNIT, "hostname"), before);
    world.model.configure(US, &[("monitor-delay", "5"), ("website-source", "nobody")]);
    world.model.settle();
    assert_eq!((world.level().as_str(), told(&world, website, UNIT, "hostname")), ("blocked", before));
    world.end();
}

fn a_follower_shows_what_the_leader_says() {
    let (mut world, _, _) = World::serving_with(&Setup { units: 2, ..Setup::default() });
    world.until("active: 2 load balancers, 6/6 members online");
    assert_eq!(world.line_of(OTHER), "active: 2 load balancers, 6/6 members online");
    world.model.configure(US, &[("lb-method", "FASTEST")]);
    world.model.settle();
    assert!(world.line().starts_with("blocked: lb-method: expected one of"), "{}", world.line());
    assert_eq!(world.line_of(OTHER), world.line());
    world.gateway.reset();
    let hook = world.update_status(OTHER);
    assert_eq!(world.gateway.calls(), []);
    let tools: Vec<&str> = hook.calls.iter().map(|call| call.tool.as_str()).collect();
    assert!(
        tools.iter().all(|tool| !["status-set", "relation-set", "config-get"].contains(tool)),
        "{tools:?}"
    );
    world.end();
}

/// Juju runs `replicas-relation-changed` on the unit that wrote, too.
fn the_leaders_own_words_start_no_hook_of_work() {
    let (mut world, _, _) = World::serving();
    world.machines[0].stop();
    world.until(&format!(
        "active: 2 load balancers, 4/6 members online; down: kubernetes-control-plane/0 ({}:6443)",
        world.machines[0].address()
    ));
    let own =
        world.model.hooks().iter().rfind(|hook| hook.path.starts_with("hooks/replicas-relation-changed"));
    let tools: Vec<&str> = own.unwrap().calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["is-leader"]);
    world.end();
}

fn masters_with_a_strange_port_are_left_out_by_name() {
    let (mut world, relation) = masters();
    let odd = [("port".to_owned(), json!("x").to_string())].into();
    world.write_unit_bag(relation, &format!("{MASTER}/1"), &odd);
    world.model.settle();
    assert_eq!(world.census()[4], 2);
    let line = "active: 1 load balancer, 2/2 members online; kubernetes-master/1: port: expected a port from 1 to \
                65535, got \"\\\"x\\\"\"; it is left out";
    world.until(line);
    world.end();
}
