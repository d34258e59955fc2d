//! Clouds that refuse, stumble, lie, and take their time.

use libtest_mimic::Trial;
use serde_json::json;
use testbed::cloud::CloudOptions;
use testbed::gateway::{Effect, Fault};
use testbed::juju::Exit;

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, bag, external, internal};

trials![
    a_met_quota_is_blocked_in_the_apis_words_and_heals,
    a_full_subnet_is_blocked_in_the_apis_words,
    a_busy_load_balancer_is_waited_out,
    an_api_that_is_overloaded_is_asked_again_when_it_says,
    answers_that_cannot_be_read_are_named_and_bounded,
    a_lost_answer_makes_no_duplicate,
    a_post_that_may_have_worked_is_not_sent_again,
    each_write_waits_for_the_one_before,
    a_listener_that_failed_holds_the_answer_back,
    a_load_balancer_in_error_is_not_touched,
    a_child_in_error_is_repaired,
    a_stuck_load_balancer_is_waiting_and_looked_at_once,
    a_hook_ends_within_its_budget,
    a_part_that_stays_in_error_is_named,
    a_pool_in_error_holds_the_answer_back,
    a_list_that_is_cut_short_is_no_end,
    what_somebody_else_owns_and_nobody_can_read_stops_nothing,
];

fn a_met_quota_is_blocked_in_the_apis_words_and_heals() {
    let mut world = World::usual();
    world.cloud.set_quota("healthmonitor", 0);
    world.gateway.expect_error("POST", "loadbalancers", 403);
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: octavia-integrator-k8s-kubernetes-control-plane-api: failed to create the load balancer: POST \
         /lbaas/loadbalancers gave 403: Quota has been met for resources: Health Monitor"
    );
    assert_eq!(world.answer(inner, "api"), None);
    world.cloud.set_quota("healthmonitor", 10);
    world.update_status(UNIT);
    assert!(world.answer(inner, "api").is_some());
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 0], "the port that was made before is used");
    world.end();
}

fn a_full_subnet_is_blocked_in_the_apis_words() {
    let cloud = CloudOptions { addresses: 2, ..Setup::default().cloud };
    let mut world = World::new(&Setup { cloud, ..Setup::default() });
    world.gateway.expect_error("POST", "ports", 409);
    world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("one", internal()), ("two", internal())]);
    world.model.settle();
    assert!(
        world.line().starts_with("blocked: ")
            && world.line().contains("No more IP addresses available on network"),
        "{}",
        world.line()
    );
    // The one for which there was an address is served all the same.
    assert_eq!(world.census()[0], 1);
    world.end();
}

fn a_busy_load_balancer_is_waited_out() {
    let cloud =
        CloudOptions { working_time: std::time::Duration::from_millis(300), ..Setup::default().cloud };
    let (mut world, _, _) = World::serving_with(&Setup { cloud, ..Setup::default() });
    world.until("active: 2 load balancers, 6/6 members online");
    let immutable = json!({"faultcode": "Client", "faultstring": "Load Balancer x is immutable and cannot be updated.", "debuginfo": null});
    world.plan(Fault::on("PUT", "healthmonitors/{id}", Effect::answer(409, immutable)).times(2));
    world.model.configure(US, &[("monitor-delay", "7")]);
    world.model.settle();
    assert!(world.objects("healthmonitors").iter().all(|monitor| monitor["delay"] == 7));
    assert_eq!(world.level(), "active", "{}", world.line());
    world.end();
}

fn an_api_that_is_overloaded_is_asked_again_when_it_says() {
    let mut world = World::usual();
    world.plan(Fault::on("POST", "loadbalancers", Effect::retry_after(503, 1, "{}")));
    world.plan(Fault::on("GET", "ports", Effect::retry_after(429, 1, "{}")));
    world.plan(Fault::on("GET", "listeners", Effect::answer(502, "<html>bad gateway</html>")));
    world.plan(Fault::on("GET", "pools", Effect::DropAfter));
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    assert!(world.answer(inner, "api").is_some());
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 0]);
    world.plan(Fault::on("GET", "pools", Effect::retry_after(503, 2, "{}")));
    let started = std::time::Instant::now();
    world.update_status(UNIT);
    assert!(started.elapsed() >= std::time::Duration::from_secs(2), "sooner than it was told");
    world.end();
}

fn answers_that_cannot_be_read_are_named_and_bounded() {
    let (mut world, outer, _) = World::serving();
    let before = (world.census(), world.raw_answer(outer, "api-server-external"));
    let table = [
        (Effect::answer(200, "hello"), "failed to read the answer of GET /lbaas/pools: "),
        (Effect::answer(200, "{\"pools\": 7}"), "failed to read the answer of GET /lbaas/pools: "),
        (
            Effect::answer(200, "{\"pools\": [{\"id\": 1}]}"),
            "failed to read the answer of GET /lbaas/pools: ",
        ),
        (
            Effect::answer(500, "<html>"),
            "GET /lbaas/pools gave 500: the answer is no error that OpenStack documents",
        ),
        (Effect::Endless, "the answer of GET /lbaas/pools is longer than 16777216 bytes"),
    ];
    for (effect, words) in table {
        world.gateway.reset();
        world.plan(Fault::on("GET", "pools", effect.clone()));
        world.update_status(UNIT);
        let (level, message) = (world.level(), world.line());
        assert_eq!(level, "waiting", "{effect}");
        assert!(message.contains(words), "{effect}: {message}");
        assert_eq!(world.gateway.writes(), []);
        assert_eq!((world.census(), world.raw_answer(outer, "api-server-external")), before);
    }
    // What breaks off is asked for again at once.
    world.plan(Fault::on("GET", "pools", Effect::Truncate));
    world.update_status(UNIT);
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_lost_answer_makes_no_duplicate() {
    for path in ["ports", "loadbalancers", "floatingips"] {
        let mut world = World::usual();
        world.plan(Fault::on("POST", path, Effect::DropAfter));
        let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
        world.model.settle();
        world.update_status(UNIT);
        assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 1], "{path}");
        assert!(world.answer(outer, "api").is_some(), "{path}: {}", world.line());
        world.end();
    }
}

/// A consumer asks for a load balancer, and the one hook runs that learns of it.
fn ask_for_one(world: &mut World) -> u32 {
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[]);
    world.model.settle();
    world.rewrite(inner, &bag(&[("api", internal())]));
    let hook = world.model.next_hook().unwrap();
    assert!(hook.path.ends_with("relation-changed"), "{}", hook.path);
    inner
}

fn a_post_that_may_have_worked_is_not_sent_again() {
    for status in [502, 504] {
        let mut world = World::usual();
        world.plan(Fault::on("POST", "loadbalancers", Effect::answer(status, "<html>")));
        let inner = ask_for_one(&mut world);
        assert_eq!(world.gateway.count("POST", "loadbalancers"), 1, "the next hook looks first");
        world.update_status(UNIT);
        assert!(world.answer(inner, "api").is_some(), "{status}: {}", world.line());
        world.end();
    }
}

fn each_write_waits_for_the_one_before() {
    let cloud =
        CloudOptions { working_time: std::time::Duration::from_millis(300), ..Setup::default().cloud };
    let (mut world, _, _) = World::serving_with(&Setup { cloud, ..Setup::default() });
    world.gateway.reset();
    world
        .model
        .configure(US, &[("monitor-type", "tcp"), ("lb-method", "SOURCE_IP"), ("lb-idle-timeout", "60")]);
    world.model.settle();
    assert!(world.gateway.writes().len() >= 8, "pool, monitor twice, and listener of two load balancers");
    // A write that comes too early gets a 409, which no one has named here.
    world.end();
}

fn a_listener_that_failed_holds_the_answer_back() {
    let mut world = World::usual();
    world.cloud.fail_next("listener");
    world.plan(Fault::on("PUT", "listeners/{id}", Effect::answer(500, "{}")));
    let inner = ask_for_one(&mut world);
    assert_eq!(world.objects("loadbalancers")[0]["provisioning_status"], "ACTIVE");
    assert_eq!(world.objects("listeners")[0]["provisioning_status"], "ERROR");
    assert_eq!(world.answer(inner, "api"), None, "nobody listens there yet");
    world.update_status(UNIT);
    assert!(world.answer(inner, "api").is_some(), "{}", world.line());
    world.end();
}

fn a_load_balancer_in_error_is_not_touched() {
    let (mut world, outer, _) = World::serving();
    let before = (world.census(), world.raw_answer(outer, "api-server-external"));
    let broken = world.objects("loadbalancers")[0].clone();
    world.cloud.set_in_database(
        "loadbalancer",
        broken["id"].as_str().unwrap(),
        "provisioning_status",
        "ERROR",
    );
    world.gateway.reset();
    world.add_machine(CONTROL_PLANE, 3);
    world.model.settle();
    assert_eq!(world.level(), "blocked");
    let command = format!("\"openstack loadbalancer failover {}\"", broken["id"].as_str().unwrap());
    assert!(
        world.line().contains("Octavia says ERROR") && world.line().contains(&command),
        "{}",
        world.line()
    );
    // The other one goes on.
    assert_eq!(world.gateway.writes().len(), 1);
    assert_eq!((world.census()[0], world.raw_answer(outer, "api-server-external")), (before.0[0], before.1));
    world.end();
}

fn a_child_in_error_is_repaired() {
    for kind in ["member", "healthmonitor", "listener", "pool"] {
        let mut world = World::usual();
        // One of it fails when it is made; its load balancer is ACTIVE all the same.
        world.cloud.fail_next(kind);
        let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
        world.model.settle();
        let collection = format!("{kind}s");
        let is_well = |one: &serde_json::Value| one["provisioning_status"] == "ACTIVE";
        assert!(world.objects(&collection).iter().all(is_well), "{kind} by its values once more");
        assert!(world.answer(inner, "api").is_some(), "{kind}");
        // It fails again when its values are sent once more: then it is replaced.
        let ids = |world: &World| -> Vec<String> {
            world.objects(&collection).iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
        };
        let before = ids(&world);
        world.cloud.set_in_database(kind, &before[0], "provisioning_status", "ERROR");
        world.cloud.fail_next(kind);
        world.update_status(UNIT);
        assert!(
            world.objects(&collection).iter().all(is_well),
            "{kind} replaced: {:?}",
            world.objects(&collection)
        );
        assert!(!ids(&world).contains(&before[0]), "{kind} is another one now");
        assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 0]);
        world.end();
    }
}

fn a_stuck_load_balancer_is_waiting_and_looked_at_once() {
    let (mut world, outer, _) =
        World::serving_with(&Setup { config: &[("provisioning-timeout", "1")], ..Setup::default() });
    let before = world.raw_answer(outer, "api-server-external");
    world.cloud.stick_next();
    world.model.configure(US, &[("monitor-delay", "9")]);
    world.model.settle();
    assert_eq!(world.level(), "waiting", "{}", world.line());
    assert!(world.line().contains("PENDING_UPDATE"), "{}", world.line());
    world.gateway.reset();
    let hook = world.update_status(UNIT);
    // It was PENDING before this hook: nothing is written and nothing is waited for.
    assert_eq!(world.gateway.writes(), []);
    assert_eq!(world.gateway.count("GET", "loadbalancers/{id}"), 0);
    assert_eq!(hook.exit, Exit::Code(0));
    assert_eq!(world.raw_answer(outer, "api-server-external"), before);
    world.end();
}

fn a_hook_ends_within_its_budget() {
    let mut world = World::new(&Setup { config: &[("provisioning-timeout", "2")], ..Setup::default() });
    world.cloud.stick_next();
    world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    let polls = world.gateway.count("GET", "loadbalancers/{id}");
    assert!((2..=5).contains(&polls), "2 s at one look every 0.5 s, but there were {polls}");
    assert!(world.line().contains("load balancer PENDING_CREATE"), "{}", world.line());
    world.end();
}

fn a_part_that_stays_in_error_is_named() {
    for (kind, put, words) in [
        ("healthmonitor", "healthmonitors/{id}", "the health monitor of port 6443"),
        ("member", "pools/{id}/members", "member kubernetes-control-plane/"),
    ] {
        let mut world = World::usual();
        world.cloud.fail_next(kind);
        world.plan(Fault::on("PUT", put, Effect::answer(500, "{}")));
        let inner = ask_for_one(&mut world);
        assert!(world.answer(inner, "api").is_some(), "{kind}: traffic flows");
        let line = world.line();
        let named = format!("api (lb-consumers:1): Octavia says ERROR for {words}");
        assert!(line.starts_with("waiting: 1 load balancer") && line.contains(&named), "{line}");
        world.update_status(UNIT);
        assert!(!world.line().contains("Octavia says ERROR"), "{}", world.line());
        world.end();
    }
}

fn a_pool_in_error_holds_the_answer_back() {
    let mut world = World::usual();
    world.cloud.fail_next("pool");
    world.plan(Fault::on("PUT", "pools/{id}", Effect::answer(500, "{}")));
    let inner = ask_for_one(&mut world);
    assert_eq!(world.answer(inner, "api"), None);
    assert!(world.line().contains("api (lb-consumers:1): pool of port 6443 ERROR"), "{}", world.line());
    world.update_status(UNIT);
    assert!(world.answer(inner, "api").is_some(), "{}", world.line());
    world.end();
}

fn a_list_that_is_cut_short_is_no_end() {
    let (mut world, _, _) = World::serving();
    let before = world.census();
    let next = json!([{"rel": "next", "href": "http://nowhere"}]);
    for rows in [json!([]), json!([{"id": null}]), json!(world.objects("pools"))] {
        world.gateway.reset();
        let page = json!({"pools": rows, "pools_links": next});
        world.plan(
            Fault::on("GET", "pools", Effect::answer(200, page)).times(if rows[0]["id"].is_string() {
                2
            } else {
                1
            }),
        );
        world.update_status(UNIT);
        assert_eq!(world.level(), "waiting", "{}", world.line());
        let line = world.line();
        let is_named = line.contains("the list /lbaas/pools says that more follows, but not after what")
            || line.contains("failed to read the answer of GET /lbaas/pools");
        assert!(is_named, "{line}");
        assert_eq!((world.gateway.writes().len(), world.census()), (0, before));
    }
    world.end();
}

fn what_somebody_else_owns_and_nobody_can_read_stops_nothing() {
    let (mut world, _, _) = World::serving();
    let mut ports = world.api.list("/ports", "ports");
    ports.push(json!({"id": "7", "description": null, "fixed_ips": [{"ip_address": "somewhere"}]}));
    let mut floating_ips = world.api.list("/floatingips", "floatingips");
    floating_ips.push(json!({"id": "8", "description": "mine", "floating_ip_address": null}));
    world.plan(Fault::on("GET", "ports", Effect::answer(200, json!({"ports": ports}))));
    world.plan(Fault::on("GET", "floatingips", Effect::answer(200, json!({"floatingips": floating_ips}))));
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!((world.level().as_str(), world.gateway.writes().len()), ("active", 0), "{}", world.line());
    world.end();
}
