//! Octavia locks a load balancer while it works on it (`octavia/db/repositories.py`,
//! `test_and_set_lb_and_listeners_prov_status`), and its worker ends every operation in ACTIVE or ERROR
//! (`octavia/controller/worker/v2/tasks/lifecycle_tasks.py`).

use std::time::Instant;

use serde_json::Value;

use super::super::answer::{Result, fault};
use super::super::beat;
use super::super::embedded::World;
use super::super::neutron;
use super::super::store::{Busy, Change, Kind, now, text};

/// The status of an object.
fn status<'a>(world: &'a World, kind: Kind, id: &str) -> &'a str {
    world.store.get(kind, id).map_or("", |object| text(object, "provisioning_status"))
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

/// Members and monitors need an ACTIVE pool, which is looked at first.
pub(super) fn pool_must_be_mutable(world: &World, pool: &Value) -> Result<()> {
    if text(pool, "provisioning_status") != "ACTIVE" {
        return Err(fault(409, format!("Pool {} is immutable and cannot be updated.", text(pool, "id"))));
    }
    must_be_mutable(world, text(pool, "_load_balancer"))
}

/// An operation on a load balancer and what belongs to it.
pub(super) struct Work {
    load_balancer: String,
    changes: Vec<(Change, &'static str)>,
}

impl Work {
    pub(super) fn on(load_balancer: &str) -> Self {
        Self { load_balancer: load_balancer.to_owned(), changes: Vec::new() }
    }

    fn change(mut self, kind: Kind, id: &str, goes: bool, is_about: bool, pending: &'static str) -> Self {
        self.changes.push((Change { kind, id: id.to_owned(), goes, is_about }, pending));
        self
    }

    pub(super) fn creates(self, kind: Kind, id: &str) -> Self {
        self.change(kind, id, false, true, "PENDING_CREATE")
    }

    pub(super) fn updates(self, kind: Kind, id: &str) -> Self {
        self.change(kind, id, false, true, "PENDING_UPDATE")
    }

    pub(super) fn deletes(self, kind: Kind, id: &str) -> Self {
        self.change(kind, id, true, true, "PENDING_DELETE")
    }

    /// What is locked meanwhile.
    pub(super) fn locks(self, kind: Kind, id: &str) -> Self {
        self.change(kind, id, false, false, "PENDING_UPDATE")
    }

    /// A pool and the listeners that lead to it are locked meanwhile.
    pub(super) fn locks_pool(self, world: &World, pool: &str) -> Self {
        self.locks(Kind::Pool, pool).locks_listeners(world, pool)
    }

    pub(super) fn locks_listeners(self, world: &World, pool: &str) -> Self {
        let listeners = world.store.ids(Kind::Listener, "default_pool_id", pool);
        listeners.iter().fold(self, |work, id| work.locks(Kind::Listener, id))
    }

    /// What goes with something else, in whatever status it is.
    pub(super) fn takes_along(mut self, kind: Kind, ids: Vec<String>) -> Self {
        for id in ids {
            self.changes.push((Change { kind, id, goes: true, is_about: false }, ""));
        }
        self
    }

    /// Sets the statuses, and the worker to work.
    pub(super) fn start(self, world: &mut World) {
        let Self { load_balancer, mut changes } = self;
        if !changes.iter().any(|(change, _)| change.kind == Kind::LoadBalancer) {
            let lock =
                Change { kind: Kind::LoadBalancer, id: load_balancer.clone(), goes: false, is_about: false };
            changes.push((lock, "PENDING_UPDATE"));
        }
        for (change, pending) in changes.iter().filter(|(_, pending)| !pending.is_empty()) {
            set_status(world, change.kind, &change.id, pending);
        }
        let sticks = std::mem::take(&mut world.store.switches.stick);
        let until = (!sticks).then(|| Instant::now() + world.options.working_time);
        let changes = changes.into_iter().map(|(change, _)| change).collect();
        world.store.busy.insert(load_balancer, Busy { until, changes });
    }
}

fn set_status(world: &mut World, kind: Kind, id: &str, status: &str) {
    world.store.set(kind, id, "provisioning_status", status);
    if status != "PENDING_CREATE" {
        world.store.set(kind, id, "updated_at", now());
    }
}

/// What the worker was doing with a load balancer is done.
pub(in super::super) fn finish(world: &mut World, load_balancer: &str, changes: Vec<Change>) {
    let is_new = status(world, Kind::LoadBalancer, load_balancer) == "PENDING_CREATE";
    let goes = changes.iter().any(|change| change.kind == Kind::LoadBalancer && change.goes);
    let is_broken = !goes && is_broken(world, load_balancer);
    let mut failing = Vec::new();
    for change in &changes {
        let is_refused = !change.goes && is_refused_monitor(world, change.kind, &change.id);
        failing.push(change.is_about && (is_planned_to_fail(world, change.kind) || is_broken || is_refused));
    }
    let is_stillborn = is_new
        && changes.iter().zip(&failing).any(|(change, fails)| *fails && change.kind == Kind::LoadBalancer);
    for (Change { kind, id, goes, .. }, fails) in changes.into_iter().zip(failing) {
        match (fails, goes) {
            // The children of a load balancer that could not be made stay as they are.
            _ if is_stillborn && kind != Kind::LoadBalancer => {}
            // A child that fails leaves its load balancer ACTIVE.
            (true, _) => set_status(world, kind, &id, "ERROR"),
            (false, true) => go(world, kind, &id),
            (false, false) => set_status(world, kind, &id, "ACTIVE"),
        }
        // A monitor that is in place is ONLINE (`database_tasks.py`, `MarkHealthMonitorActiveInDB`).
        if kind == Kind::HealthMonitor && !fails && !goes {
            world.store.set(kind, &id, "operating_status", "ONLINE");
        }
    }
    if is_stillborn {
        return;
    }
    if is_new {
        world.store.set(Kind::LoadBalancer, load_balancer, "operating_status", "ONLINE");
    }
    beat::apply(world, load_balancer);
}

fn is_planned_to_fail(world: &mut World, kind: Kind) -> bool {
    let planned = &mut world.store.switches.fail;
    let at = planned.iter().position(|failing| *failing == kind);
    at.map(|at| planned.remove(at)).is_some()
}

/// A provider that takes in a monitor and then cannot make it (cluster-api-provider-openstack 1645, on an old OVN).
fn is_refused_monitor(world: &World, kind: Kind, id: &str) -> bool {
    let monitor = world.store.get(kind, id).filter(|_| kind == Kind::HealthMonitor);
    monitor.is_some_and(|one| world.store.switches.fail_monitors.as_deref() == one["type"].as_str())
}

/// Every operation fails where the VIP's port or a member's subnet is gone: the worker looks at all of them each time
/// (recorded).
fn is_broken(world: &World, load_balancer: &str) -> bool {
    let port = world.store.get(Kind::LoadBalancer, load_balancer).map(|one| text(one, "vip_port_id"));
    let has_port = port.is_some_and(|port| world.store.get(Kind::Port, port).is_some());
    let mut members = world.store.with(Kind::Member, "_load_balancer", load_balancer);
    let is_lost = |member: &Value| {
        let subnet = member["subnet_id"].as_str();
        subnet.is_some_and(|subnet| world.store.get(Kind::Subnet, subnet).is_none())
    };
    !has_port || members.any(is_lost)
}

/// What goes takes its traces along.
fn go(world: &mut World, kind: Kind, id: &str) {
    match kind {
        Kind::Port => return neutron::delete_port(world, id),
        // Without a monitor nobody knows (`health_monitor_flows.py`, `get_delete_health_monitor_flow`).
        Kind::HealthMonitor => {
            let pool = world.store.get(kind, id).map(|monitor| text(monitor, "_pool").to_owned());
            for member in world.store.ids(Kind::Member, "_pool", &pool.unwrap_or_default()) {
                world.store.set(Kind::Member, &member, "operating_status", "NO_MONITOR");
            }
        }
        Kind::Pool => {
            for listener in world.store.ids(Kind::Listener, "default_pool_id", id) {
                world.store.set(Kind::Listener, &listener, "default_pool_id", Value::Null);
            }
        }
        _ => {}
    }
    world.store.remove(kind, id);
}
