//! Actions: what operators ask for by hand.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, bag, internal};

trials![
    show_tells_everything_to_tools_and_to_people,
    show_runs_on_any_unit_and_says_which_leads,
    show_says_what_is_wrong,
    show_never_cuts_json_in_two,
];

fn show_tells_everything_to_tools_and_to_people() {
    let (mut world, outer, _) = World::serving();
    world.machines[1].stop();
    let down = world.machines[1].address();
    world.until(&format!(
        "active: 2 load balancers, 4/6 members online; down: kubernetes-control-plane/1 ({down}:6443)"
    ));
    world.gateway.reset();
    let shown = world.run_action(UNIT, "show-load-balancers", json!({}));
    assert_eq!((shown.status, shown.results["count"].as_str()), ("completed", "2"), "{shown:?}");
    assert_eq!(world.gateway.writes(), []);
    assert!(!shown.results.contains_key("leader"), "it leads itself");
    let list: Vec<Value> = serde_json::from_str(&shown.results["load-balancers"]).unwrap();
    let external = &list[0];
    assert_eq!(external["name"], "octavia-integrator-k8s-kubernetes-control-plane-api-server-external");
    assert_eq!(external["floating-ip"], world.answer(outer, "api-server-external").unwrap().to_string());
    let statuses = (&external["provisioning-status"], &external["operating-status"], &external["provider"]);
    assert_eq!(statuses, (&json!("ACTIVE"), &json!("DEGRADED"), &json!("amphora")));
    let listener = &external["listeners"][0];
    assert_eq!((&listener["port"], &listener["monitor"]["type"]), (&json!(443), &json!("HTTPS")));
    assert_eq!(listener["members"][1]["name"], "kubernetes-control-plane/1");
    assert_eq!(listener["members"][1]["operating-status"], "ERROR");
    let table = &shown.results["table"];
    let vip = external["vip-address"].as_str().unwrap();
    let floating = external["floating-ip"].as_str().unwrap();
    let head = format!(
        "api-server-external  {vip} ({floating})  amphora  ACTIVE/DEGRADED\n  TCP 443  HTTPS /livez 5/4/2/2  ACTIVE\n"
    );
    assert!(table.contains(&head), "{table}");
    assert!(table.contains(&format!("\n    kubernetes-control-plane/1  {down}:6443  ERROR\n")), "{table}");
    let name = "octavia-integrator-k8s-kubernetes-control-plane-api-server-internal";
    let one = world.run_action(UNIT, "show-load-balancers", json!({"load-balancer": name}));
    assert_eq!(one.results["count"], "1");
    let none = world.run_action(UNIT, "show-load-balancers", json!({"load-balancer": "x"}));
    assert!(none.status == "failed" && none.message.contains(name), "{none:?}");
    world.end();
}

fn show_runs_on_any_unit_and_says_which_leads() {
    let (mut world, _, _) = World::serving_with(&Setup { units: 2, ..Setup::default() });
    let shown = world.run_action("octavia-integrator/1", "show-load-balancers", json!({}));
    assert_eq!((shown.results["count"].as_str(), shown.results["leader"].as_str()), ("2", UNIT), "{shown:?}");
    let resync = world.run_action("octavia-integrator/1", "resync-monitors", json!({}));
    assert_eq!(resync.message, "octavia-integrator/1 does not lead; run it on octavia-integrator/0");
    world.end();
}

fn show_says_what_is_wrong() {
    let mut world = World::new(&Setup { trust: false, ..Setup::default() });
    world.expect_tool_error("credential-get");
    let shown = world.run_action(UNIT, "show-load-balancers", json!({}));
    assert_eq!(shown.status, "failed");
    assert!(shown.message.contains("juju trust octavia-integrator"), "{shown:?}");
    world.model.trust(US, true);
    world.model.settle();
    let empty = world.run_action(UNIT, "show-load-balancers", json!({}));
    assert_eq!((empty.status, empty.results["load-balancers"].as_str()), ("completed", "[]"), "{empty:?}");
    world.end();
}

fn show_never_cuts_json_in_two() {
    let mut world = World::new(&Setup { config: &[("provisioning-timeout", "600")], ..Setup::default() });
    let names: Vec<String> = (0..120).map(|number| format!("api-{number}-{}", "x".repeat(100))).collect();
    let requests: Vec<(&str, Value)> = names.iter().map(|name| (name.as_str(), internal())).collect();
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[]);
    world.rewrite(relation, &bag(&requests));
    world.model.settle();
    let shown = world.run_action(UNIT, "show-load-balancers", json!({}));
    assert_eq!((shown.status, shown.results["count"].as_str()), ("completed", "120"), "{}", shown.message);
    assert!(!shown.results.contains_key("load-balancers"));
    assert!(shown.results["note"].contains("load-balancer=NAME"));
    world.end();
}
