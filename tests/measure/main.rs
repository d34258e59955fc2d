//! `cargo measure`: what an unchanged hook costs with 1, 20 and 100 load balancers of three members each.
//!
//! Counts are exact; times are the least of several hooks, since a machine is never alone.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement that cannot be made stops at once"
)]
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../scenarios/world.rs"]
#[expect(dead_code, reason = "the scenarios use more of it than a measurement does")]
mod world;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;
use testbed::cloud::CloudOptions;

use world::{CONTROL_PLANE, Setup, UNIT, World, bag, internal};

const HOOKS: usize = 5;

fn main() -> ExitCode {
    if let Some(code) = testbed::tools::act() {
        return code;
    }
    println!(
        "| load balancers | API calls | of them writes | hook tools | wall, ms | CPU of the charm, ms |"
    );
    println!("|---|---|---|---|---|---|");
    let mut kinds = Vec::new();
    for count in [1, 20, 100] {
        kinds.push((count, measure(count)));
    }
    for (count, calls) in kinds {
        let list: Vec<String> = calls.iter().map(|(name, times)| format!("{times} {name}")).collect();
        println!("\n{count}: {}", list.join(", "));
    }
    ExitCode::SUCCESS
}

/// Prints a row; the calls of one hook by kind.
fn measure(count: usize) -> BTreeMap<String, usize> {
    // The checks are none of the charm's: they run at their own pace.
    let cloud = CloudOptions {
        working_time: Duration::ZERO,
        clock: 1,
        heartbeat: Duration::from_secs(1),
        ..CloudOptions::default()
    };
    let mut world =
        World::new(&Setup { cloud, config: &[("provisioning-timeout", "600")], ..Setup::default() });
    let names: Vec<String> = (0..count).map(|number| format!("api-{number}")).collect();
    let requests: Vec<(&str, Value)> = names.iter().map(|name| (name.as_str(), internal())).collect();
    let relation = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[]);
    world.rewrite(relation, &bag(&requests));
    world.model.settle();
    assert_eq!(world.census()[0], count, "{}", world.line());
    let plural = if count == 1 { "" } else { "s" };
    let members = 3 * count;
    world.until(&format!("active: {count} load balancer{plural}, {members}/{members} members online"));
    let mut wall = Duration::MAX;
    let mut cpu = Duration::MAX;
    let mut calls = Vec::new();
    let mut tools = 0;
    for _ in 0..HOOKS {
        world.gateway.reset();
        let hook = world.update_status(UNIT);
        wall = wall.min(hook.wall);
        cpu = cpu.min(hook.cpu.unwrap_or(Duration::MAX));
        calls = world.gateway.calls();
        tools = hook.calls.len();
    }
    let writes = calls.iter().filter(|call| call.is_write() && call.name() != "auth/tokens").count();
    println!(
        "| {count} | {} | {writes} | {tools} | {} | {} |",
        calls.len(),
        wall.as_millis(),
        cpu.as_millis()
    );
    let mut kinds = BTreeMap::new();
    for call in &calls {
        *kinds.entry(format!("{} {}", call.method, call.name())).or_default() += 1;
    }
    kinds
}
