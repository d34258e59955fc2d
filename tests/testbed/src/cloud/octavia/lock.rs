//! Octavia locks a load balancer while it works on it (`octavia/db/repositories.py`,
//! `test_and_set_provisioning_status`).

use std::time::Instant;

use serde_json::Value;

use super::super::answer::{Result, fault};
use super::super::embedded::World;
use super::super::store::{Busy, Kind, Then};

/// The status of an object.
pub(super) fn status<'a>(world: &'a World, kind: Kind, id: &str) -> &'a str {
    world.store.get(kind, id).and_then(|object| object["provisioning_status"].as_str()).unwrap_or_default()
}

/// A write to a child needs an ACTIVE load balancer.
pub(super) fn must_be_mutable(world: &World, load_balancer: &str) -> Result<()> {
    if status(world, Kind::LoadBalancer, load_balancer) == "ACTIVE" {
        return Ok(());
    }
    Err(fault(409, format!("Load Balancer {load_balancer} is immutable and cannot be updated.")))
}

/// A write to the load balancer itself names its state.
pub(super) fn must_be_in_state(world: &World, load_balancer: &str, states: &[&str]) -> Result<()> {
    let state = status(world, Kind::LoadBalancer, load_balancer);
    if states.contains(&state) {
        return Ok(());
    }
    Err(fault(409, format!("Invalid state {state} of loadbalancer resource {load_balancer}")))
}

/// Members need an ACTIVE pool as well, and so does a monitor.
pub(super) fn pool_must_be_mutable(world: &World, pool: &str) -> Result<()> {
    if status(world, Kind::Pool, pool) == "ACTIVE" {
        return Ok(());
    }
    Err(fault(409, format!("Pool {pool} is immutable and cannot be updated.")))
}

/// Sets the worker to work: these objects become ACTIVE, or ERROR if that was planned, or go.
pub(super) fn work(world: &mut World, load_balancer: &str, pending: &'static str, mut then: Vec<Then>) {
    let switches = &mut world.store.switches;
    for change in &mut then {
        let Then::Becomes(kind, _, status) = change else { continue };
        if let Some(at) = switches.fail.iter().position(|failing| failing == kind) {
            switches.fail.remove(at);
            *status = "ERROR";
        }
    }
    let sticks = std::mem::take(&mut switches.stick);
    let is_kept = !then.iter().any(|change| matches!(change, Then::Goes(Kind::LoadBalancer, _)));
    let is_set = then.iter().any(|change| matches!(change, Then::Becomes(Kind::LoadBalancer, ..)));
    if is_kept && !is_set {
        // A child that fails leaves its load balancer ACTIVE (`controller/worker/v2/tasks/lifecycle_tasks.py`).
        then.push(Then::Becomes(Kind::LoadBalancer, load_balancer.to_owned(), "ACTIVE"));
    }
    world.store.set(Kind::LoadBalancer, load_balancer, "provisioning_status", pending);
    let until = (!sticks).then(|| Instant::now() + world.options.working_time);
    world.store.busy.insert(load_balancer.to_owned(), Busy { until, then });
}

/// The load balancer that an object belongs to.
pub(super) fn owner(object: &Value) -> String {
    object["_load_balancer"].as_str().unwrap_or_default().to_owned()
}

/// An object that will be ACTIVE.
pub(super) fn becomes_active(kind: Kind, id: &str) -> Then {
    Then::Becomes(kind, id.to_owned(), "ACTIVE")
}
