//! From deployment to a healthy load balancer, and what an unchanged hook costs.

use libtest_mimic::Trial;
use testbed::gateway::render;
use testbed::juju::Exit;

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, internal};

trials![
    without_trust_the_status_names_the_cure,
    both_load_balancers_come_by_one_post_each,
    an_unchanged_hook_lists_and_writes_nothing,
    every_hook_name_does_the_same_and_unknown_ones_exit_0,
    a_follower_makes_no_http_call_and_writes_nothing,
    outside_juju_the_binary_explains_itself,
    a_slow_cloud_is_waited_for_over_several_hooks,
    many_pages_are_read_to_the_end,
    the_order_of_hooks_does_not_matter,
];

fn without_trust_the_status_names_the_cure() {
    let mut world = World::new(&Setup { trust: false, ..Setup::default() });
    assert_eq!(
        world.line(),
        "blocked: no cloud credentials: run \"juju trust octavia-integrator\", or set the option credentials (missing: \
         auth-url, username, password, project-name)"
    );
    assert_eq!(world.gateway.calls().len(), 0);
    world.model.trust(US, true);
    world.model.settle();
    assert_eq!(world.line(), "active: no load balancer is asked for");
    assert_eq!(world.model.application_version(US), env!("CARGO_PKG_VERSION"));
    world.end();
}

fn both_load_balancers_come_by_one_post_each() {
    let (mut world, outer, inner) = World::serving();
    assert_eq!(world.gateway.count("POST", "loadbalancers"), 2, "{}", render(&world.gateway.writes()));
    // Two ports, two load balancers, one floating IP: nothing else was written.
    assert_eq!(world.gateway.writes().len(), 5, "{}", render(&world.gateway.writes()));
    assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1]);
    world.until("active: 2 load balancers, 6/6 members online");

    let load_balancers = world.objects("loadbalancers");
    let vip = |name: &str| {
        let one = load_balancers.iter().find(|one| one["name"].as_str().unwrap().ends_with(name)).unwrap();
        one["vip_address"].as_str().unwrap().to_owned()
    };
    let floating = world.objects("floatingips")[0].clone();
    assert_eq!(floating["fixed_ip_address"], vip("api-server-external").as_str());
    // Public requests get the floating IP, internal ones the VIP, nobody a unit's own address.
    assert_eq!(
        world.answer(outer, "api-server-external").unwrap().to_string(),
        floating["floating_ip_address"]
    );
    assert_eq!(world.answer(inner, "api-server-internal").unwrap().to_string(), vip("api-server-internal"));
    assert_eq!(world.model.application_bag(outer, US)["version"], "1");

    let listeners = world.objects("listeners");
    let mut fronts: Vec<u64> = listeners.iter().map(|one| one["protocol_port"].as_u64().unwrap()).collect();
    fronts.sort_unstable();
    assert_eq!(fronts, [443, 6443]);
    for listener in &listeners {
        assert_eq!(listener["protocol"], "TCP");
        assert_eq!(listener["timeout_client_data"], 3_600_000);
        assert_eq!(listener["timeout_member_data"], 3_600_000);
        assert_eq!(listener["timeout_member_connect"], 5_000);
    }
    for monitor in world.objects("healthmonitors") {
        assert_eq!(monitor["type"], "HTTPS");
        assert_eq!(monitor["url_path"], "/livez");
        assert_eq!(monitor["expected_codes"], "200,401,403");
        let numbers =
            ["delay", "timeout", "max_retries", "max_retries_down"].map(|field| monitor[field].as_u64());
        assert_eq!(numbers, [Some(5), Some(4), Some(2), Some(2)]);
        assert!(monitor["http_version"].is_null() && monitor["domain_name"].is_null());
    }
    let subnet = &load_balancers[0]["vip_subnet_id"];
    for member in world.objects("members") {
        assert_eq!(&member["subnet_id"], subnet, "the subnet of the port that holds the address");
        assert!(member["name"].as_str().unwrap().starts_with("kubernetes-control-plane/"));
    }
    world.end();
}

fn an_unchanged_hook_lists_and_writes_nothing() {
    let (mut world, _, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    world.gateway.reset();
    let hook = world.update_status(UNIT);
    let calls = world.gateway.calls();
    assert_eq!(world.gateway.writes(), [], "{}", render(&calls));
    // A login, eight lists side by side, and the members of two pools.
    assert_eq!(calls.len(), 11, "{}", render(&calls));
    let tools: Vec<&str> = hook.calls.iter().map(|call| call.tool.as_str()).collect();
    assert!(tools.iter().all(|tool| !["status-set", "relation-set", "juju-log"].contains(tool)), "{tools:?}");
    // is-leader, config-get, credential-get, status-get; relation-ids of four endpoints and the peers' databag; for each
    // relation relation-list, both application bags and three unit bags.
    assert_eq!(tools.len(), 4 + 4 + 1 + 2 * 6, "{tools:?}");
    world.end();
}

fn every_hook_name_does_the_same_and_unknown_ones_exit_0() {
    let (mut world, _, _) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    world.gateway.reset();
    for name in
        ["upgrade-charm", "secret-changed", "some-storage-attached", "no-such-hook", "collect-metrics"]
    {
        world.model.run_named_hook(UNIT, name);
        let hook = world.model.hooks().last().unwrap();
        assert_eq!((hook.name(), hook.exit), (name, Exit::Code(0)));
    }
    assert_eq!(world.gateway.writes(), []);
    assert_eq!(world.line(), "active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_follower_makes_no_http_call_and_writes_nothing() {
    let (mut world, outer, _) = World::serving_with(&Setup { units: 2, ..Setup::default() });
    let before = world.answer(outer, "api-server-external");
    world.gateway.reset();
    let hook = world.update_status("octavia-integrator/1");
    assert_eq!(world.gateway.calls(), []);
    let tools: Vec<&str> = hook.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(
        tools,
        ["is-leader", "relation-ids", "relation-ids", "relation-get", "relation-ids", "status-get"]
    );
    assert_eq!(world.line_of("octavia-integrator/1"), world.line());
    assert_eq!(world.answer(outer, "api-server-external"), before);
    world.end();
}

fn outside_juju_the_binary_explains_itself() {
    let run = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_octavia-integrator"))
            .args(arguments)
            .env_clear()
            .output()
            .unwrap()
    };
    let alone = run(&[]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("juju deploy octavia-integrator --trust"));
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("JUJU_DISPATCH_PATH"));
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8_lossy(&version.stdout),
        format!("octavia-integrator {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["--no-such-flag"]).status.code(), Some(2));
}

fn a_slow_cloud_is_waited_for_over_several_hooks() {
    let mut setup = Setup { config: &[("provisioning-timeout", "1")], ..Setup::default() };
    setup.cloud.working_time = std::time::Duration::from_secs(4);
    let mut world = World::new(&setup);
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
    world.model.settle();
    assert_eq!(world.level(), "waiting", "{}", world.line());
    assert!(world.line().contains("load balancer PENDING_CREATE"), "{}", world.line());
    assert_eq!(world.answer(inner, "api-server-internal"), None);
    world.until("active: 1 load balancer, 3/3 members online");
    assert!(world.answer(inner, "api-server-internal").is_some());
    assert_eq!(world.gateway.count("POST", "loadbalancers"), 1);
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 0]);
    world.end();
}

fn many_pages_are_read_to_the_end() {
    let mut setup = Setup::default();
    setup.cloud.longest_page = 1;
    let (mut world, outer, inner) = World::serving_with(&setup);
    world.until("active: 2 load balancers, 6/6 members online");
    assert!(
        world.answer(outer, "api-server-external").is_some()
            && world.answer(inner, "api-server-internal").is_some()
    );
    assert_eq!(world.gateway.count("POST", "loadbalancers"), 2);
    assert_eq!(world.gateway.count("POST", "ports"), 2);
    world.end();
}

fn the_order_of_hooks_does_not_matter() {
    for seed in 2..6 {
        let mut world = World::new(&Setup { seed, ..Setup::default() });
        let outer = world.relate_at_once(
            CONTROL_PLANE,
            "loadbalancer-external",
            &[("api-server-external", external())],
        );
        let inner = world.relate_at_once(
            CONTROL_PLANE,
            "loadbalancer-internal",
            &[("api-server-internal", internal())],
        );
        world.model.settle();
        world.until("active: 2 load balancers, 6/6 members online");
        assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1], "seed {seed}");
        assert!(world.answer(outer, "api-server-external").is_some());
        assert!(world.answer(inner, "api-server-internal").is_some());
        world.end();
    }
}
