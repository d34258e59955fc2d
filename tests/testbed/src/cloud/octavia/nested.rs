//! A load balancer with everything in one POST (`octavia/api/v2/controllers/load_balancer.py`, `_graph_create`).

use serde_json::{Value, json};

use super::super::answer::{Result, fault};
use super::super::embedded::World;
use super::super::store::{Kind, Then, Token};
use super::create::{new_listener, new_pool, quota_for, refer};
use super::lock::becomes_active;
use super::{Given, health_monitor, members};

/// Everything below a new load balancer.
#[derive(Default)]
pub(super) struct Parts {
    load_balancer: String,
    objects: Vec<(Kind, Value)>,
}

pub(super) fn parts(world: &World, token: &Token, given: &Given, load_balancer: &str) -> Result<Parts> {
    let mut parts = Parts { load_balancer: load_balancer.to_owned(), objects: Vec::new() };
    let list = |key: &str| given.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut names: Vec<(String, String)> = Vec::new();
    for pool in list("pools") {
        parts.pool(world, token, &pool.as_object().cloned().unwrap_or_default(), &mut names)?;
    }
    let mut fronts: Vec<(Value, bool)> = Vec::new();
    for one in list("listeners") {
        let given = one.as_object().cloned().unwrap_or_default();
        let mut listener =
            new_listener(&given, "load_balancer.loadbalancer.listeners", load_balancer, &token.project)?;
        let front = (listener["protocol_port"].clone(), listener["protocol"] == "UDP");
        if fronts.contains(&front) {
            return Err(fault(
                409,
                format!(
                    "Another Listener on this Load Balancer is already using protocol {} and protocol_port {}",
                    listener["protocol"].as_str().unwrap_or_default(),
                    front.0
                ),
            ));
        }
        fronts.push(front);
        if let Some(pool) = given.get("default_pool").and_then(Value::as_object) {
            let name = pool.get("name").and_then(Value::as_str).unwrap_or_default();
            // Just a name refers to a pool listed elsewhere in the request.
            let listed =
                names.iter().find(|(known, _)| known == name && pool.len() == 1).map(|(_, id)| id.clone());
            let id = match listed {
                Some(id) => id,
                None => parts.pool(world, token, pool, &mut names)?,
            };
            listener["default_pool_id"] = json!(id);
        }
        parts.objects.push((Kind::Listener, listener));
    }
    Ok(parts)
}

impl Parts {
    fn pool(
        &mut self,
        world: &World,
        token: &Token,
        given: &Given,
        names: &mut Vec<(String, String)>,
    ) -> Result<String> {
        let name = given.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err(fault(
                400,
                "Validation failure: Pools must be named when creating a fully populated loadbalancer.",
            ));
        }
        if names.iter().any(|(known, _)| *known == name) {
            return Err(fault(
                400,
                format!("Validation failure: Pool name {name} is not unique in the request."),
            ));
        }
        let mut pool =
            new_pool(given, "load_balancer.loadbalancer.pools", &self.load_balancer, &token.project)?;
        let id = pool["id"].as_str().unwrap_or_default().to_owned();
        let protocol = pool["protocol"].as_str().unwrap_or_default().to_owned();
        let monitor = given.get("healthmonitor").and_then(Value::as_object);
        if let Some(given) = monitor {
            let mut monitor = health_monitor::new(given, "healthmonitor", &protocol, &token.project)?;
            monitor["pools"] = json!([{"id": id}]);
            monitor["_load_balancer"] = json!(self.load_balancer);
            pool["healthmonitor_id"] = monitor["id"].clone();
            self.objects.push((Kind::HealthMonitor, monitor));
        }
        for member in given.get("members").and_then(Value::as_array).into_iter().flatten() {
            let given = member.as_object().cloned().unwrap_or_default();
            let member = members::new(world, &given, "members", &pool, monitor.is_some())?;
            self.objects.push((Kind::Member, member));
        }
        names.push((name, id.clone()));
        self.objects.push((Kind::Pool, pool));
        Ok(id)
    }

    /// Quotas are checked kind by kind before anything is made.
    pub(super) fn quotas(&self, world: &World, token: &Token) -> Result<()> {
        for kind in [Kind::Listener, Kind::Pool, Kind::HealthMonitor, Kind::Member] {
            let more = self.objects.iter().filter(|(own, _)| *own == kind).count();
            quota_for(world, token, kind, more)?;
        }
        Ok(())
    }

    /// Adds everything; what becomes of it once the worker is done.
    pub(super) fn add(self, world: &mut World) -> Vec<Then> {
        let mut then = Vec::new();
        for (kind, object) in self.objects {
            then.push(becomes_active(kind, object["id"].as_str().unwrap_or_default()));
            world.store.add(kind, object);
        }
        refer(world, &self.load_balancer);
        then
    }
}
