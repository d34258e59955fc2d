//! SIGKILL at every call: no duplicate, no orphan, same end.

use libtest_mimic::Trial;
use testbed::cloud::CloudOptions;
use testbed::gateway::{Effect, Fault};
use testbed::juju::{Exit, Fault as ToolFault, Point};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, internal};

trials![
    killed_at_any_write_of_a_create,
    killed_at_any_write_of_a_change,
    killed_at_any_write_of_a_removal,
    killed_between_an_ovn_load_balancer_and_its_parts,
    killed_at_any_hook_tool,
];

/// Every write of a hook, before and after it took effect, then Juju runs the hook again.
fn at_every(
    writes: &[(&str, &str, usize)],
    before: impl Fn() -> World,
    act: impl Fn(&mut World),
    after: impl Fn(&mut World, &str),
) {
    for (method, path, count) in writes {
        for nth in 1..=*count {
            for effect in [Effect::KillBefore, Effect::KillAfter] {
                let point = format!("{effect} at {method} {path} number {nth}");
                let mut world = before();
                world.plan(Fault::on(method, path, effect).nth(nth));
                act(&mut world);
                world.model.settle();
                world.update_status(UNIT);
                let killed = world.model.hooks().iter().filter(|hook| hook.exit == Exit::Signal).count();
                assert_eq!(killed, 1, "{point}");
                after(&mut world, &point);
                world.end();
            }
        }
    }
}

fn killed_at_any_write_of_a_create() {
    let writes = [("POST", "ports", 2), ("POST", "loadbalancers", 2), ("POST", "floatingips", 1)];
    at_every(
        &writes,
        World::usual,
        |world| {
            world.relate_at_once(
                CONTROL_PLANE,
                "loadbalancer-external",
                &[("api-server-external", external())],
            );
            world.relate_at_once(
                CONTROL_PLANE,
                "loadbalancer-internal",
                &[("api-server-internal", internal())],
            );
        },
        |world, point| {
            assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1], "{point}");
            let (outer, inner) =
                (world.answer(1, "api-server-external"), world.answer(2, "api-server-internal"));
            assert!(outer.is_some() && inner.is_some() && outer != inner, "{point}");
        },
    );
}

/// There it is not one POST: a bare load balancer, its parts, the name of its port, and only then the floating IP.
fn killed_between_an_ovn_load_balancer_and_its_parts() {
    let writes = [
        ("POST", "loadbalancers", 1),
        ("POST", "pools", 1),
        ("PUT", "pools/{id}/members", 1),
        ("POST", "listeners", 1),
        ("PUT", "ports/{id}", 1),
        ("POST", "floatingips", 1),
    ];
    let ovn = || {
        let cloud = CloudOptions { providers: &["ovn"], ..Setup::default().cloud };
        World::new(&Setup { cloud, machines: 1, ..Setup::default() })
    };
    at_every(
        &writes,
        ovn,
        |world| {
            world.relate_at_once(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
        },
        |world, point| {
            assert_eq!(world.census(), [1, 1, 1, 1, 1, 1, 1], "{point}");
            assert!(world.answer(1, "api").is_some(), "{point}");
            let name = world.objects("ports")[0]["name"].as_str().unwrap().to_owned();
            assert!(name.starts_with("ovn-lb-vip-"), "{point}: {name}");
        },
    );
}

fn killed_at_any_write_of_a_change() {
    let writes =
        [("DELETE", "healthmonitors/{id}", 2), ("POST", "healthmonitors", 2), ("PUT", "pools/{id}", 2)];
    at_every(
        &writes,
        || World::serving().0,
        |world| {
            world.gateway.reset();
            world.model.configure(US, &[("monitor-type", "tcp"), ("lb-method", "SOURCE_IP")]);
        },
        |world, point| {
            assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1], "{point}");
            assert!(world.objects("healthmonitors").iter().all(|one| one["type"] == "TCP"), "{point}");
            assert!(world.objects("pools").iter().all(|one| one["lb_algorithm"] == "SOURCE_IP"), "{point}");
        },
    );
}

fn killed_at_any_write_of_a_removal() {
    let writes =
        [("DELETE", "loadbalancers/{id}", 2), ("DELETE", "floatingips/{id}", 1), ("DELETE", "ports/{id}", 2)];
    at_every(
        &writes,
        || World::serving().0,
        |world| {
            world.model.remove_relation(1);
            world.model.remove_relation(2);
            world.model.settle();
            world.update_status(UNIT);
        },
        |world, point| assert_eq!(world.census(), [0; 7], "{point}"),
    );
}

fn killed_at_any_hook_tool() {
    for (tool, arguments) in [
        ("is-leader", ""),
        ("config-get", ""),
        ("relation-ids", ""),
        ("relation-list", ""),
        ("relation-get", "--app"),
        ("relation-set", ""),
        ("status-set", ""),
        ("juju-log", "create the load balancer"),
    ] {
        for after in [false, true] {
            let mut world = World::new(&Setup { machines: 1, ..Setup::default() });
            world.relate_at_once(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
            let point = Point::of(tool, 1).with(arguments);
            let kill = if after { ToolFault::kill_after } else { ToolFault::kill_before };
            world.model.plan(kill(point));
            world.model.settle();
            world.update_status(UNIT);
            assert_eq!(world.census(), [1, 1, 1, 1, 1, 1, 1], "after: {after}, at {tool}");
            assert!(world.answer(1, "api").is_some(), "after: {after}, at {tool}");
            world.end();
        }
    }
}
