//! Where load balancers are made, by what, at which address, and who may reach them.

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testbed::backend::Traffic;
use testbed::cloud::CloudOptions;
use testbed::eventually::eventually;
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, bag, external, internal, with};

trials![
    provider_flavor_and_zone_are_those_of_the_options_and_never_change,
    what_the_cloud_does_not_have_is_blocked_by_name,
    a_name_template_names_and_renames,
    the_operators_address_is_asked_for_once,
    one_address_for_two_load_balancers_is_blocked_and_nothing_is_made,
    an_address_outside_of_the_subnet_is_blocked,
    a_consumers_address_is_given_or_refused_by_its_field,
    a_list_of_who_may_connect_never_locks_the_cluster_out,
    an_ovn_load_balancer_is_made_before_its_parts,
    an_ovn_load_balancer_goes_without_its_port_being_lost,
    ovn_keeps_no_list_of_who_may_connect,
    a_requests_algorithm_goes_before_the_option,
];

fn cloud(change: impl FnOnce(&mut CloudOptions)) -> CloudOptions {
    let mut options = Setup::default().cloud;
    change(&mut options);
    options
}

/// An address of the tenant's subnet that nobody has.
fn free(world: &World, last: u8) -> String {
    let machine = world.machines[0].address().to_string();
    format!("{}.{last}", machine.rsplit_once('.').unwrap().0)
}

fn placed() -> CloudOptions {
    cloud(|options| {
        options.providers = &["amphora", "other"];
        options.flavors = &[("ha", true), ("small", true), ("off", false)];
        options.availability_zones = &[("az1", true), ("az2", true)];
    })
}

fn provider_flavor_and_zone_are_those_of_the_options_and_never_change() {
    let config = [("lb-provider", "other"), ("lb-flavor", "small"), ("lb-availability-zone", "az1")];
    let (mut world, outer, _) =
        World::serving_with(&Setup { cloud: placed(), config: &config, ..Setup::default() });
    world.until("active: 2 load balancers, 6/6 members online");
    let before = world.raw_answer(outer, "api-server-external");
    for one in world.objects("loadbalancers") {
        assert_eq!((&one["provider"], &one["availability_zone"]), (&json!("other"), &json!("az1")));
        assert_eq!(one["flavor_id"], "f1a40000-0000-4000-8000-000000000001");
    }
    world.gateway.reset();
    world
        .model
        .configure(US, &[("lb-provider", "amphora"), ("lb-flavor", "ha"), ("lb-availability-zone", "az2")]);
    world.model.settle();
    assert_eq!((world.gateway.writes(), world.raw_answer(outer, "api-server-external")), (vec![], before));
    let line = world.line();
    assert!(line.starts_with("active: 2 load balancers, 6/6 members online; "), "{line}");
    for words in [
        "lb-provider is now amphora, but api-server-external (lb-consumers:1) keeps its provider other; remove the \
         relation and relate again to change it",
        "lb-flavor is now f1a40000-0000-4000-8000-000000000000, but api-server-external (lb-consumers:1) keeps its \
         flavor f1a40000-0000-4000-8000-000000000001",
        "lb-availability-zone is now az2, but api-server-external (lb-consumers:1) keeps its availability zone az1",
    ] {
        assert!(line.contains(words), "{line}");
    }
    world.end();
}

fn what_the_cloud_does_not_have_is_blocked_by_name() {
    let table = [
        ("lb-flavor", "huge", None, "lb-flavor is \"huge\", but the project sees no such flavor"),
        ("lb-flavor", "off", Some(400), "The selected flavor is not allowed in this deployment"),
        ("lb-provider", "nope", Some(400), "Provider 'nope' is not enabled."),
        ("lb-availability-zone", "moon", Some(400), "Invalid availability zone."),
    ];
    for (option, value, status, words) in table {
        let mut world =
            World::new(&Setup { cloud: placed(), config: &[(option, value)], ..Setup::default() });
        if let Some(status) = status {
            world.gateway.expect_error("POST", "loadbalancers", status);
        }
        let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
        world.model.settle();
        let line = world.line();
        assert!(line.starts_with("blocked: ") && line.contains(words), "{option}={value}: {line}");
        assert_eq!((world.answer(inner, "api"), world.census()[0]), (None, 0));
        world.model.unset(US, &[option]);
        world.model.settle();
        assert!(world.answer(inner, "api").is_some(), "{option}: {}", world.line());
        world.end();
    }
}

fn a_name_template_names_and_renames() {
    let (mut world, _, _) = World::serving_with(&Setup {
        config: &[("lb-name-template", "{{consumer}} {{ request }}")],
        ..Setup::default()
    });
    let names = |world: &World| {
        let mut names: Vec<String> = world
            .objects("loadbalancers")
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        names(&world),
        ["kubernetes-control-plane-api-server-external", "kubernetes-control-plane-api-server-internal"]
    );
    world.model.configure(US, &[("lb-name-template", "{% for x in y %}")]);
    world.model.settle();
    assert!(
        world.line().starts_with("blocked: lb-name-template: expected text with {{ app }}, {{ model }}, "),
        "{}",
        world.line()
    );
    world.model.configure(US, &[("lb-name-template", "k8s-{{ request }}")]);
    world.model.settle();
    assert_eq!(names(&world), ["k8s-api-server-external", "k8s-api-server-internal"]);
    world.end();
}

fn the_operators_address_is_asked_for_once() {
    let mut world = World::new(&Setup { config: &[("lb-vip-address", "")], ..Setup::default() });
    let (one, two) = (free(&world, 150), free(&world, 151));
    let pairs = format!("api-server-internal={one}, {CONTROL_PLANE}={two}");
    world.model.configure(US, &[("lb-vip-address", &pairs)]);
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    world.model.settle();
    assert_eq!(world.answer(inner, "api-server-internal").unwrap().to_string(), one);
    let vips: Vec<Value> =
        world.objects("loadbalancers").iter().map(|one| one["vip_address"].clone()).collect();
    assert!(vips.contains(&json!(two)), "{vips:?}");
    let before = world.raw_answer(outer, "api-server-external");
    world.until("active: 2 load balancers, 6/6 members online");
    // What is there stays, and the difference is named; a name that nobody has is said.
    world.gateway.reset();
    world.model.configure(US, &[("lb-vip-address", &format!("api-server-internal={two} nobody={one}"))]);
    world.model.settle();
    assert_eq!((world.gateway.writes(), world.raw_answer(outer, "api-server-external")), (vec![], before));
    let line = world.line();
    let words = format!(
        "the VIP that is asked for is now {two}, but api-server-internal (lb-consumers:1) keeps its VIP {one}; remove the \
         relation and relate again to change it"
    );
    assert!(line.contains(&words), "{line}");
    assert!(line.contains("lb-vip-address: no request and no consumer is called \"nobody\""), "{line}");
    world.end();
}

fn one_address_for_two_load_balancers_is_blocked_and_nothing_is_made() {
    let mut world = World::new(&Setup { config: &[("lb-vip-address", "127.0.0.9")], ..Setup::default() });
    world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("one", internal()), ("two", internal())]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: lb-vip-address: 127.0.0.9 is one address for 2 load balancers; expected <request or \
         consumer>=<address> pairs"
    );
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn an_address_outside_of_the_subnet_is_blocked() {
    let mut world = World::new(&Setup { config: &[("lb-vip-address", "10.9.9.9")], ..Setup::default() });
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    let line = world.line();
    assert!(
        line.starts_with(
            "blocked: api (lb-consumers:1): 10.9.9.9 is asked for as VIP, but lies outside of subnet "
        ),
        "{line}"
    );
    assert!(line.ends_with("; correct lb-vip-address"), "{line}");
    assert_eq!((world.raw_answer(inner, "api"), world.census()), (None, [0; 7]));
    world.end();
}

fn a_consumers_address_is_given_or_refused_by_its_field() {
    let mut world = World::usual();
    let free = free(&world, 150);
    let taken = world.machines[0].address().to_string();
    let asking = |address: &str| with(internal(), &json!({"ingress_address": address}));
    world.gateway.expect_error("POST", "ports", 409);
    let relation = world.relate(
        CONTROL_PLANE,
        "loadbalancer-internal",
        &[
            ("free", asking(&free)),
            ("outside", asking("10.9.9.9")),
            ("taken", asking(&taken)),
            ("bad", asking("x")),
        ],
    );
    world.model.settle();
    assert_eq!(world.answer(relation, "free").unwrap().to_string(), free);
    for (name, words) in [
        ("outside", "expected an address in "),
        ("taken", "already allocated in subnet"),
        ("bad", "expected an IP address, got \"x\""),
    ] {
        let answer = world.raw_answer(relation, name).unwrap();
        assert_eq!((&answer["error"], &answer["address"]), (&json!("unsupported"), &Value::Null), "{name}");
        let fields = answer["error_fields"].as_object().unwrap();
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["ingress_address"], "{name}");
        assert!(fields["ingress_address"].as_str().unwrap().contains(words), "{name}: {fields:?}");
    }
    assert_eq!((world.level().as_str(), world.census()[0]), ("blocked", 1), "{}", world.line());
    // Whatever is asked for later, a good answer stays; and what is asked for rightly is served.
    let mut changes = bag(&[("free", asking("10.9.9.9")), ("outside", internal())]);
    changes.extend(["request_taken", "request_bad"].map(|key| (key.to_owned(), String::new())));
    world.rewrite(relation, &changes);
    world.model.settle();
    assert_eq!(world.answer(relation, "free").unwrap().to_string(), free);
    assert!(world.answer(relation, "outside").is_some());
    // Lost, it is made anew at the address that is known, whatever is asked for now.
    let lost =
        world.objects("loadbalancers").into_iter().find(|one| one["vip_address"] == free.as_str()).unwrap();
    world.api.delete(&format!("/lbaas/loadbalancers/{}?cascade=true", lost["id"].as_str().unwrap()));
    world.plan(Fault::on("POST", "loadbalancers", Effect::answer(500, "{}")));
    world.update_status(UNIT);
    assert!(world.line().contains("free (lb-consumers:1): not made yet"), "{}", world.line());
    world.update_status(UNIT);
    assert_eq!(world.answer(relation, "free").unwrap().to_string(), free);
    assert!(world.objects("loadbalancers").iter().any(|one| one["vip_address"] == free.as_str()));
    world.end();
}

fn a_list_of_who_may_connect_never_locks_the_cluster_out() {
    let (mut world, outer, _) = World::serving_with(&Setup {
        config: &[("lb-allowed-cidrs", "203.0.113.0/24, fd00::/8")],
        ..Setup::default()
    });
    world.until("active: 2 load balancers, 6/6 members online");
    let listener = |world: &World, port: u16| {
        let mut listeners = world.objects("listeners").into_iter();
        listeners.find(|one| one["protocol_port"] == port).unwrap()
    };
    assert_eq!(listener(&world, 6443)["allowed_cidrs"], Value::Null, "an internal one has none");
    let subnets = world.api.list("/subnets", "subnets");
    let subnet = subnets.iter().find(|one| one["name"] == "tenant-subnet").unwrap()["cidr"].clone();
    let gateway = world.api.list("/routers", "routers")[0]["external_gateway_info"]["external_fixed_ips"][0]
        ["ip_address"]
        .clone();
    let allowed = listener(&world, 443)["allowed_cidrs"].clone();
    let expected = [json!("203.0.113.0/24"), subnet, json!(format!("{}/32", gateway.as_str().unwrap()))];
    let mut found = allowed.as_array().unwrap().clone();
    found.sort_by_key(ToString::to_string);
    let mut expected = expected.to_vec();
    expected.sort_by_key(ToString::to_string);
    assert_eq!(found, expected, "the operator's of the VIP's family, the subnet of all of us, the router");
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    // We move to where no port of the project is: then it is our address alone.
    world.model.set_address(UNIT, "127.9.9.9");
    world.model.settle();
    world.update_status(UNIT);
    let allowed = listener(&world, 443)["allowed_cidrs"].clone();
    assert!(allowed.as_array().unwrap().contains(&json!("127.9.9.9/32")), "{allowed}");
    // Clients here come from 127.0.0.1, which nobody has allowed.
    let address = world.answer(outer, "api-server-external").unwrap();
    let traffic = Traffic::start(world.cloud.front(address, 443).unwrap(), "/version", 50);
    eventually("a stranger is refused", std::time::Duration::from_secs(20), || {
        traffic.tally().failures.len() > 5
    });
    assert_eq!(traffic.stop().successes(), 0);
    world.model.configure(US, &[("lb-allowed-cidrs", "203.0.113.0/24 127.0.0.1/32")]);
    world.model.settle();
    let traffic = Traffic::start(world.cloud.front(address, 443).unwrap(), "/version", 50);
    eventually("now it is let in", std::time::Duration::from_secs(20), || traffic.tally().successes() > 5);
    drop(traffic);
    // A list of the other address family lets nobody in, and certainly not everybody.
    world.model.configure(US, &[("lb-allowed-cidrs", "fd00::/8")]);
    world.model.settle();
    assert!(listener(&world, 443)["allowed_cidrs"].as_array().is_some_and(|list| !list.is_empty()));
    let words = "lb-allowed-cidrs holds no network of the VIP's address family, so only the cluster itself may connect";
    assert!(world.line().contains(words), "{}", world.line());
    world.model.unset(US, &["lb-allowed-cidrs"]);
    world.model.settle();
    assert_eq!(listener(&world, 443)["allowed_cidrs"], Value::Null);
    world.end();
}

fn ovn() -> CloudOptions {
    cloud(|options| options.providers = &["amphora", "ovn"])
}

fn an_ovn_load_balancer_is_made_before_its_parts() {
    for config in [&[("lb-provider", "ovn")][..], &[]] {
        let mut options = ovn();
        if config.is_empty() {
            options.providers = &["ovn", "amphora"];
        }
        let (mut world, outer, inner) =
            World::serving_with(&Setup { cloud: options, config, ..Setup::default() });
        world.until("active: 2 load balancers, 6/6 members online");
        assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1]);
        assert!(world.objects("loadbalancers").iter().all(|one| one["provider"] == "ovn"));
        assert!(world.objects("pools").iter().all(|one| one["lb_algorithm"] == "SOURCE_IP_PORT"));
        assert!(world.objects("healthmonitors").iter().all(|one| one["type"] == "TCP"));
        for (relation, name, port) in
            [(outer, "api-server-external", 443), (inner, "api-server-internal", 6443)]
        {
            // A floating IP leads nowhere unless its port has the name that OVN goes by.
            let address = world.answer(relation, name).unwrap();
            let traffic = Traffic::start(world.cloud.front(address, port).unwrap(), "/version", 50);
            eventually("requests flow", std::time::Duration::from_secs(20), || {
                traffic.tally().successes() > 9
            });
        }
        world.gateway.reset();
        world.update_status(UNIT);
        assert_eq!(world.gateway.writes(), []);
        world.end();
    }
}

fn an_ovn_load_balancer_goes_without_its_port_being_lost() {
    let (mut world, outer, inner) =
        World::serving_with(&Setup { cloud: ovn(), config: &[("lb-provider", "ovn")], ..Setup::default() });
    let answers =
        (world.raw_answer(outer, "api-server-external"), world.raw_answer(inner, "api-server-internal"));
    for one in world.objects("loadbalancers") {
        world.api.delete(&format!("/lbaas/loadbalancers/{}?cascade=true", one["id"].as_str().unwrap()));
    }
    // OVN took the port that had its name along; ours comes back at its address, and the floating IP to it.
    assert_eq!(world.census(), [0, 0, 0, 0, 0, 1, 1]);
    world.update_status(UNIT);
    world.until("active: 2 load balancers, 6/6 members online");
    assert_eq!(
        (world.raw_answer(outer, "api-server-external"), world.raw_answer(inner, "api-server-internal")),
        answers
    );
    world.gateway.reset();
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    world.model.settle();
    world.update_status(UNIT);
    assert_eq!(world.census(), [0; 7]);
    let renamed = world.gateway.writes().iter().position(|call| call.is("PUT", "ports/{id}")).unwrap();
    let deleted =
        world.gateway.writes().iter().rposition(|call| call.is("DELETE", "loadbalancers/{id}")).unwrap();
    assert!(renamed < deleted, "its own name comes back first");
    world.end();
}

fn ovn_keeps_no_list_of_who_may_connect() {
    let config = [("lb-provider", "ovn"), ("lb-allowed-cidrs", "203.0.113.0/24")];
    let (mut world, _, _) = World::serving_with(&Setup { cloud: ovn(), config: &config, ..Setup::default() });
    world.update_status(UNIT);
    let line = world.line();
    assert!(
        line.starts_with("blocked: api-server-external (lb-consumers:1): lb-allowed-cidrs is not kept, since the provider ovn"),
        "{line}"
    );
    assert_eq!(world.census()[..2], [2, 2]);
    world.end();
}

fn a_requests_algorithm_goes_before_the_option() {
    let mut world = World::new(&Setup { config: &[("lb-method", "LEAST_CONNECTIONS")], ..Setup::default() });
    let asking = with(internal(), &json!({"algorithm": ["fastest", "source-ip"]}));
    let relation =
        world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("one", asking), ("two", internal())]);
    world.model.settle();
    assert!(world.answer(relation, "one").is_some() && world.answer(relation, "two").is_some());
    let mut algorithms: Vec<String> =
        world.objects("pools").iter().map(|pool| pool["lb_algorithm"].as_str().unwrap().to_owned()).collect();
    algorithms.sort();
    assert_eq!(algorithms, ["LEAST_CONNECTIONS", "SOURCE_IP"]);
    world.end();
}
