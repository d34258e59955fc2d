//! Providers that do not take what is meant.

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, UNIT, US, World, bag, internal};

trials![
    a_monitor_that_is_refused_at_the_create_steps_down_and_stays,
    a_monitor_that_is_refused_later_steps_down_to_none,
    a_monitor_that_stays_in_error_steps_down,
    resync_tries_again_what_was_refused,
    another_type_forgets_what_was_refused,
];

fn not_implemented(kind: &str) -> Effect {
    let words = format!("Provider 'x' does not support a requested option: health monitor type {kind}");
    Effect::answer(501, json!({"faultcode": "Server", "faultstring": words, "debuginfo": null}))
}

fn kinds(world: &World) -> Vec<String> {
    let monitors = world.objects("healthmonitors");
    monitors.iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect()
}

fn tags(world: &World, tag: &str) -> usize {
    let has = |pool: &&Value| pool["tags"].as_array().unwrap().contains(&json!(tag));
    world.objects("pools").iter().filter(has).count()
}

fn a_monitor_that_is_refused_at_the_create_steps_down_and_stays() {
    let mut world = World::usual();
    world.plan(Fault::on("POST", "loadbalancers", not_implemented("HTTPS")));
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    assert!(world.answer(inner, "api").is_some(), "{}", world.line());
    assert_eq!((kinds(&world), tags(&world, "refused:https")), (vec!["TCP".to_owned()], 1));
    world.until(
        "active: 1 load balancer, 3/3 members online; api (lb-consumers:1): the provider takes no HTTPS health monitor, \
         so port 6443 is watched by TCP",
    );
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    world.end();
}

fn a_monitor_that_is_refused_later_steps_down_to_none() {
    let (mut world, _, _) = World::serving();
    for kind in ["HTTPS", "TCP"] {
        world.plan(Fault::on("POST", "healthmonitors", not_implemented(kind)).times(2));
    }
    for monitor in world.objects("healthmonitors") {
        world.api.delete(&format!("/lbaas/healthmonitors/{}", monitor["id"].as_str().unwrap()));
    }
    world.update_status(UNIT);
    assert_eq!((kinds(&world), tags(&world, "refused:https"), tags(&world, "refused:tcp")), (vec![], 2, 2));
    let line = world.line();
    assert!(line.starts_with("active: 2 load balancers, 6 members not monitored; "), "{line}");
    assert!(line.contains("takes no HTTPS health monitor, so port 443 is watched by nothing"), "{line}");
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    world.end();
}

/// It is sent its values once more, then replaced, and only then another kind takes its place.
fn a_monitor_that_stays_in_error_steps_down() {
    let mut world = World::usual();
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    let broken = world.objects("healthmonitors")[0].clone();
    let id = broken["id"].as_str().unwrap();
    world.cloud.set_in_database("healthmonitor", id, "provisioning_status", "ERROR");
    // Whatever Octavia makes of it ends in ERROR as long as it speaks HTTPS.
    world.cloud.fail_monitors("HTTPS");
    world.update_status(UNIT);
    assert_eq!(
        (kinds(&world), tags(&world, "refused:https")),
        (vec!["TCP".to_owned()], 1),
        "{}",
        world.line()
    );
    assert_eq!(world.objects("healthmonitors")[0]["provisioning_status"], "ACTIVE");
    assert!(world.answer(inner, "api").is_some());
    world.end();
}

fn resync_tries_again_what_was_refused() {
    let mut world = World::usual();
    world.plan(Fault::on("POST", "loadbalancers", not_implemented("HTTPS")));
    world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api", internal())]);
    world.model.settle();
    // Still refused: nothing is lost.
    world.plan(Fault::on("POST", "healthmonitors", not_implemented("HTTPS")));
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    assert_eq!(result.status, "completed", "{result:?}");
    assert_eq!((kinds(&world), tags(&world, "refused:https")), (vec!["TCP".to_owned()], 1));
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    assert!(
        result.results["changes"].contains("create the health monitor of port 6443: HTTPS"),
        "{result:?}"
    );
    assert_eq!((kinds(&world), tags(&world, "refused:https")), (vec!["HTTPS".to_owned()], 0));
    world.gateway.reset();
    world.update_status(UNIT);
    assert_eq!(world.gateway.writes(), []);
    world.end();
}

fn another_type_forgets_what_was_refused() {
    let mut world = World::usual();
    world.plan(Fault::on("POST", "loadbalancers", not_implemented("HTTPS")));
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[]);
    world.rewrite(inner, &bag(&[("api", internal())]));
    world.model.settle();
    world.model.configure(US, &[("monitor-type", "tcp")]);
    world.model.settle();
    assert_eq!((kinds(&world), tags(&world, "refused:https")), (vec!["TCP".to_owned()], 0));
    world.model.configure(US, &[("monitor-type", "auto")]);
    world.model.settle();
    assert_eq!(kinds(&world), ["HTTPS"]);
    world.end();
}
