//! What goes when a relation or the application goes, and what never goes by accident.

use libtest_mimic::Trial;
use serde_json::json;
use testbed::cloud::CloudOptions;
use testbed::juju::{Exit, Fault, HookRecord, Point};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external};

trials![
    a_removed_relation_leaves_nothing_behind,
    a_removed_application_leaves_nothing_behind,
    losing_the_leader_unit_deletes_nothing,
    a_replacement_that_leads_before_it_sees_a_relation_deletes_nothing,
    an_install_deletes_nothing,
    relating_again_makes_a_new_one_and_removes_the_old_one,
    an_unanswered_goal_state_or_relation_ids_deletes_nothing,
    the_lead_lost_in_the_middle_of_a_hook_stops_all_writing,
    what_octavia_is_busy_with_goes_with_the_application,
    one_of_two_relations_of_a_consumer_goes_by_itself,
    the_end_of_a_relation_that_was_missed_is_made_up_for,
];

fn a_removed_relation_leaves_nothing_behind() {
    let world = World::usual();
    let before = world.cloud.everything();
    drop(world);
    let (mut world, outer, inner) = World::serving();
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    world.model.settle();
    world.update_status(UNIT);
    assert_eq!(world.census(), [0; 7]);
    assert_eq!(world.line(), "active: no load balancer is asked for");
    let after = world.cloud.everything();
    for kind in ["LoadBalancer", "Listener", "Pool", "Member", "HealthMonitor", "FloatingIp"] {
        assert!(after[kind].as_array().is_none_or(Vec::is_empty), "{kind}: {}", after[kind]);
    }
    assert_eq!(after["Port"].as_array().unwrap().len(), before["Port"].as_array().unwrap().len());
    world.end();
}

fn a_removed_application_leaves_nothing_behind() {
    for units in [1, 3] {
        let (mut world, _, _) =
            World::serving_with(&Setup { units, seed: u64::from(units), ..Setup::default() });
        assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1]);
        world.model.remove_application(US);
        world.model.settle();
        assert_eq!(world.model.units(US), Vec::<String>::new());
        assert_eq!(world.census(), [0; 7], "{units} units");
        world.end();
    }
}

fn losing_the_leader_unit_deletes_nothing() {
    for units in [1, 2, 3] {
        let (mut world, outer, _) = World::serving_with(&Setup { units, ..Setup::default() });
        let before = (world.census(), world.raw_answer(outer, "api-server-external"));
        world.model.remove_unit(UNIT);
        world.model.settle();
        assert_eq!((world.census(), world.raw_answer(outer, "api-server-external")), before, "{units} units");
        assert!(!world.model.units(US).contains(&UNIT.to_owned()));
        world.end();
    }
}

fn a_replacement_that_leads_before_it_sees_a_relation_deletes_nothing() {
    let (mut world, outer, _) = World::serving();
    let before = (world.census(), world.raw_answer(outer, "api-server-external"));
    world.model.remove_unit(UNIT);
    world.model.settle();
    let address = world.cloud.machine(249).to_string();
    let replacement = world.model.add_unit_at(US, &address);
    world.model.set_leader(US, Some(&replacement));
    // Its install sees no relation at all, and it leads already.
    let install = world.model.next_hook().unwrap().clone();
    assert_eq!((install.unit.as_str(), install.path.as_str()), (replacement.as_str(), "hooks/install"));
    let ids = install.calls.iter().find(|call| call.tool == "relation-ids").unwrap();
    assert_eq!(ids.stdout, "[]\n");
    assert_eq!((world.census(), world.raw_answer(outer, "api-server-external")), before);
    world.model.settle();
    world.update_status(&replacement);
    assert_eq!((world.census(), world.raw_answer(outer, "api-server-external")), before);
    let line = world.line_of(&replacement);
    assert!(line.contains(": 2 load balancers, "), "{line}");
    world.end();
}

fn an_install_deletes_nothing() {
    let (mut world, outer, inner) = World::serving();
    let before = world.census();
    world.model.remove_unit(UNIT);
    world.model.settle();
    // Nobody is there to clean up when the relations go.
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    world.model.settle();
    assert_eq!(world.census(), before);
    let address = world.cloud.machine(249).to_string();
    let replacement = world.model.add_unit_at(US, &address);
    world.model.set_leader(US, Some(&replacement));
    let install = world.model.next_hook().unwrap();
    assert_eq!(install.path, "hooks/install");
    assert_eq!(world.census(), before);
    world.model.settle();
    world.update_status(&replacement);
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn relating_again_makes_a_new_one_and_removes_the_old_one() {
    let (mut world, outer, _) = World::serving();
    world.model.remove_relation(outer);
    let again = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    world.model.settle();
    world.update_status(UNIT);
    world.until("active: 2 load balancers, 6/6 members online");
    assert!(world.answer(again, "api-server-external").is_some());
    assert_eq!(world.census(), [2, 2, 2, 2, 6, 2, 1]);
    world.end();
}

fn an_unanswered_goal_state_or_relation_ids_deletes_nothing() {
    let (mut world, outer, inner) = World::serving();
    world.expect_tool_error("goal-state");
    world.expect_tool_error("relation-ids");
    world.model.remove_relation(outer);
    world.model.remove_relation(inner);
    world.model.settle();
    let left = world.census();
    assert_eq!(left[0], 1, "Juju still expects the relation that went last");
    world.model.plan(Fault::fail(Point::of("goal-state", 1), "connection is shut down"));
    world.update_status(UNIT);
    assert_eq!(world.census(), left);
    // A list that cannot be had is not an empty list: the hook fails, and Juju tries again.
    world.model.plan(Fault::fail(Point::of("relation-ids", 1), "connection is shut down"));
    world.update_status(UNIT);
    let failed = |hook: &&HookRecord| hook.exit == Exit::Code(1) && !hook.committed;
    assert_eq!(world.model.hooks().iter().filter(failed).count(), 1);
    world.model.settle();
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn the_lead_lost_in_the_middle_of_a_hook_stops_all_writing() {
    let mut world = World::new(&Setup { units: 2, ..Setup::default() });
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    // Between the first "yes" and the writing of the answer another unit becomes leader: writing the answer now would
    // be refused by Juju, and the hook with it.
    let point = Point::of("juju-log", 1).with("create the load balancer");
    world.model.plan(Fault::set_leader(point, Some("octavia-integrator/1")));
    world.model.settle();
    for unit in ["octavia-integrator/0", "octavia-integrator/1"] {
        world.update_status(unit);
    }
    assert_eq!(world.census(), [1, 1, 1, 1, 3, 1, 1]);
    assert!(world.answer(outer, "api-server-external").is_some());
    assert_eq!(world.line(), world.line_of("octavia-integrator/1"));
    world.end();
}

/// After its last hook nobody would come to delete it.
fn what_octavia_is_busy_with_goes_with_the_application() {
    let working_time = std::time::Duration::from_millis(1500);
    let (mut world, _, _) = World::serving_with(&Setup {
        cloud: CloudOptions { working_time, ..Setup::default().cloud },
        ..Setup::default()
    });
    // Somebody changes it all the time.
    world.model.remove_application(US);
    loop {
        for one in world.objects("loadbalancers") {
            if one["provisioning_status"] == "ACTIVE" {
                let path = format!("/lbaas/loadbalancers/{}", one["id"].as_str().unwrap());
                world.api.put(&path, &json!({"loadbalancer": {"admin_state_up": true}}));
            }
        }
        if world.model.next_hook().is_none() {
            break;
        }
    }
    assert_eq!(world.census(), [0; 7]);
    world.end();
}

fn one_of_two_relations_of_a_consumer_goes_by_itself() {
    for younger in [true, false] {
        let (mut world, outer, inner) = World::serving();
        let gone = if younger { outer.max(inner) } else { outer.min(inner) };
        world.model.remove_relation(gone);
        world.model.settle();
        assert_eq!(world.census()[..5], [1, 1, 1, 1, 3], "{gone} is gone");
        world.end();
    }
}

/// The hook that tells of its end could not ask the controller; the next one in which Juju has no other news makes up for it.
fn the_end_of_a_relation_that_was_missed_is_made_up_for() {
    let (mut world, outer, inner) = World::serving();
    world.expect_tool_error("goal-state");
    world.model.remove_relation(outer.max(inner));
    for _ in 0..3 {
        assert!(world.model.next_hook().unwrap().path.ends_with("-relation-departed"));
    }
    world.model.plan(Fault::fail(Point::of("goal-state", 1), "connection is shut down"));
    assert!(world.model.next_hook().unwrap().path.ends_with("-relation-broken"));
    assert_eq!(world.census()[0], 2);
    world.update_status(UNIT);
    assert_eq!(world.census()[..5], [1, 1, 1, 1, 3]);
    world.end();
}
