//! A load balancer with everything in one POST (`octavia/api/v2/controllers/load_balancer.py`, `_graph_create`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::answer::{Result, fault, invalid};
use super::super::embedded::World;
use super::super::store::{Kind, text};
use super::schema::Given;
use super::work::Work;
use super::{health_monitor, listener, member, pool, provider, quota, rules};

/// Everything below a new load balancer.
#[derive(Default)]
pub(super) struct Parts(Vec<(Kind, Value)>);

pub(super) fn parts(world: &World, load_balancer: &Value, given: &Given) -> Result<Parts> {
    let list = |key: &str| -> Vec<Given> {
        let objects = given.get(key).and_then(Value::as_array).into_iter().flatten();
        objects.filter_map(|object| object.as_object().cloned()).collect()
    };
    let (mut listeners, mut pools) = (list("listeners"), list("pools"));
    let project = text(load_balancer, "project_id");
    let referred = name_pools(&mut listeners, &mut pools)?;
    let names: Vec<Option<&str>> =
        pools.iter().map(|pool| pool.get("name").and_then(Value::as_str)).collect();
    if names.iter().collect::<BTreeSet<_>>().len() != names.len() {
        return Err(invalid("Pool names must be unique when creating a fully populated loadbalancer."));
    }
    if let Some(name) = referred.iter().find(|name| !names.contains(&Some(name.as_str()))) {
        return Err(invalid(format!("Pool '{name}' was referenced but no full definition was found.")));
    }
    let mut parts = Parts::default();
    quota::must_have_room(world, project, Kind::Pool, pools.len())?;
    for given in &pools {
        parts.pool(world, load_balancer, given)?;
    }
    quota::must_have_room(world, project, Kind::Listener, listeners.len())?;
    for given in &listeners {
        parts.listener(load_balancer, given)?;
    }
    Ok(parts)
}

/// Pools that listeners define move to the others; what is left with a listener is a name.
fn name_pools(listeners: &mut [Given], pools: &mut Vec<Given>) -> Result<Vec<String>> {
    let mut referred = Vec::new();
    for listener in listeners {
        let Some(pool) = listener.get("default_pool").and_then(Value::as_object).cloned() else { continue };
        let Some(name) = pool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            return Err(invalid("Pools must be named when creating a fully populated loadbalancer."));
        };
        // A name, admin_state_up and tls_enabled, both by default: that is a reference.
        if pool.len() > 3 {
            listener.insert("default_pool".to_owned(), json!({"name": name}));
            pools.push(pool);
        } else {
            referred.push(name.to_owned());
        }
    }
    Ok(referred)
}

impl Parts {
    fn of(&self, kind: Kind) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |(own, _)| *own == kind).map(|(_, object)| object)
    }

    fn must_have_room(&self, world: &World, project: &str, kind: Kind, more: usize) -> Result<()> {
        quota::must_have_room(world, project, kind, self.of(kind).count() + more)
    }

    /// `octavia/api/v2/controllers/pool.py`, `_graph_create`.
    fn pool(&mut self, world: &World, load_balancer: &Value, given: &Given) -> Result<()> {
        let project = text(load_balancer, "project_id");
        let name = given.get("name").and_then(Value::as_str).unwrap_or_default();
        for attribute in ["protocol", "lb_algorithm"] {
            if !given.contains_key(attribute) {
                let text = format!("Pool definition for '{name}' missing required attribute: {attribute}");
                return Err(invalid(text));
            }
        }
        if rules::has_twin_tags(given) {
            return Err(rules::already_exists());
        }
        provider::takes_protocol(load_balancer, text(&Value::Object(given.clone()), "protocol"))?;
        if provider::is_ovn(load_balancer) {
            provider::takes_algorithm(load_balancer, given)?;
        }
        let pool = pool::new(given, load_balancer);
        if let Some(given) = given.get("healthmonitor").and_then(Value::as_object) {
            self.must_have_room(world, project, Kind::HealthMonitor, 1)?;
            rules::complete_monitor(given)?;
            if rules::has_twin_tags(given) {
                return Err(fault(409, "This pool already has a health monitor"));
            }
            rules::monitor_fits_graph(text(&pool, "protocol"), given)?;
            provider::takes_monitor(load_balancer, text(&Value::Object(given.clone()), "type"))?;
            self.0.push((Kind::HealthMonitor, health_monitor::new(given, &pool)));
        }
        let members: Vec<&Given> = given
            .get("members")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .collect();
        if !members.is_empty() {
            self.must_have_room(world, project, Kind::Member, members.len())?;
        }
        for given in members {
            rules::not_reserved(given)?;
            rules::no_sriov(given)?;
            provider::takes_member(load_balancer, given)?;
            // The pool that is asked has no monitor yet (recorded), so the member has none either.
            let member = member::new(given, &pool, false);
            if let Some(twin) = self.of(Kind::Member).find(|other| member::is_same(other, &member)) {
                return Err(member::duplicate(twin));
            }
            if rules::has_twin_tags(given) {
                return Err(member::duplicate(&member));
            }
            self.0.push((Kind::Member, member));
        }
        self.0.push((Kind::Pool, pool));
        Ok(())
    }

    /// `octavia/api/v2/controllers/listener.py`, `_graph_create`.
    fn listener(&mut self, load_balancer: &Value, given: &Given) -> Result<()> {
        let mut given = given.clone();
        if let Some(named) = given.remove("default_pool").filter(Value::is_object) {
            let pool = self.of(Kind::Pool).find(|pool| pool["name"] == named["name"]).ok_or_else(|| {
                fault(400, format!("Missing details for Pool object: {}", text(&named, "name")))
            })?;
            given.insert("default_pool_id".to_owned(), pool["id"].clone());
        }
        if let Some(id) = given.get("default_pool_id").and_then(Value::as_str) {
            let pool = self.of(Kind::Pool).find(|pool| pool["id"] == id);
            let pool = pool.ok_or_else(|| fault(404, format!("Pool {id} not found.")))?;
            rules::pool_fits(text(&Value::Object(given.clone()), "protocol"), text(pool, "protocol"))?;
        }
        let siblings: Vec<&Value> = self.of(Kind::Listener).collect();
        listener::check_new(&given, load_balancer, &siblings)?;
        self.0.push((Kind::Listener, listener::new(&given, load_balancer)));
        Ok(())
    }

    /// Adds everything, and says so to the worker.
    pub(super) fn add(self, world: &mut World, mut work: Work) -> Work {
        for (kind, object) in self.0 {
            work = work.creates(kind, text(&object, "id"));
            world.store.add(kind, object);
        }
        work
    }
}
