//! Changes and deletions.

use serde_json::{Value, json};

use super::super::answer::{Result, fault, ok};
use super::super::embedded::World;
use super::super::lists::shown;
use super::super::server::Asked;
use super::super::store::{Kind, Then, Token};
use super::create::{pool_must_fit, refer, timeouts};
use super::fields::{self, known};
use super::lock::{becomes_active, must_be_in_state, must_be_mutable, owner, work};
use super::{Given, find, health_monitor};

pub(super) fn update(world: &mut World, token: &Token, kind: Kind, id: &str, given: &Given) -> Result {
    let object = find(world, token, kind, id)?;
    fields::lengths(given)?;
    let (name, load_balancer) = match kind {
        Kind::LoadBalancer => {
            known(given, "load_balancer.loadbalancer", fields::LOAD_BALANCER_UPDATE)?;
            must_be_in_state(world, id, &["ACTIVE"])?;
            ("loadbalancer", id.to_owned())
        }
        Kind::Listener => {
            known(given, "listener_.listener", fields::LISTENER_UPDATE)?;
            timeouts(given)?;
            if let Some(pool) = given.get("default_pool_id").and_then(Value::as_str) {
                pool_must_fit(world, token, pool, object["protocol"].as_str().unwrap_or_default())?;
            }
            must_be_mutable(world, &owner(&object))?;
            ("listener", owner(&object))
        }
        Kind::Pool => {
            known(given, "pool_.pool", fields::POOL_UPDATE)?;
            fields::word(
                given,
                "lb_algorithm",
                &["ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"],
            )?;
            must_be_mutable(world, &owner(&object))?;
            ("pool", owner(&object))
        }
        _ => {
            known(given, "health_monitor_.healthmonitor", fields::HEALTH_MONITOR_UPDATE)?;
            health_monitor::check(given, object["type"].as_str().unwrap_or_default())?;
            must_be_mutable(world, &owner(&object))?;
            ("healthmonitor", owner(&object))
        }
    };
    let object = world.store.get_mut(kind, id).expect("it was found");
    for (key, value) in given {
        object[key] = value.clone();
    }
    object["provisioning_status"] = json!("PENDING_UPDATE");
    let shown = shown(object);
    refer(world, &load_balancer);
    work(world, &load_balancer, "PENDING_UPDATE", vec![becomes_active(kind, id)]);
    Ok(ok(200, json!({name: shown})))
}

pub(super) fn delete(world: &mut World, token: &Token, kind: Kind, id: &str, asked: &Asked) -> Result {
    let object = find(world, token, kind, id)?;
    if kind == Kind::LoadBalancer {
        return delete_load_balancer(world, id, asked);
    }
    let load_balancer = owner(&object);
    must_be_mutable(world, &load_balancer)?;
    let mut then = vec![Then::Goes(kind, id.to_owned())];
    match kind {
        // A pool takes its members and its monitor with it, and its listeners lead nowhere from now on.
        Kind::Pool => {
            then.extend(
                ids(world, Kind::Member, "_pool", id).into_iter().map(|id| Then::Goes(Kind::Member, id)),
            );
            if let Some(monitor) = object["healthmonitor_id"].as_str() {
                then.push(Then::Goes(Kind::HealthMonitor, monitor.to_owned()));
            }
            for listener in ids(world, Kind::Listener, "default_pool_id", id) {
                world.store.set(Kind::Listener, &listener, "default_pool_id", Value::Null);
            }
        }
        Kind::HealthMonitor => {
            for pool in ids(world, Kind::Pool, "healthmonitor_id", id) {
                world.store.set(Kind::Pool, &pool, "healthmonitor_id", Value::Null);
                for member in ids(world, Kind::Member, "_pool", &pool) {
                    world.store.set(Kind::Member, &member, "operating_status", "NO_MONITOR");
                }
            }
        }
        _ => {}
    }
    world.store.set(kind, id, "provisioning_status", "PENDING_DELETE");
    work(world, &load_balancer, "PENDING_UPDATE", then);
    Ok(ok(204, Value::Null))
}

fn delete_load_balancer(world: &mut World, id: &str, asked: &Asked) -> Result {
    let cascade =
        asked.query.iter().any(|(key, value)| key == "cascade" && value.eq_ignore_ascii_case("true"));
    let has_children = world.store.with(Kind::Listener, "_load_balancer", id).next().is_some()
        || world.store.with(Kind::Pool, "_load_balancer", id).next().is_some();
    if has_children && !cascade {
        return Err(fault(
            400,
            format!("Validation failure: Cannot delete Load Balancer {id} - it has children"),
        ));
    }
    must_be_in_state(world, id, &["ACTIVE", "ERROR"])?;
    let mut then = Vec::new();
    for kind in [Kind::Listener, Kind::Pool, Kind::Member, Kind::HealthMonitor] {
        then.extend(ids(world, kind, "_load_balancer", id).into_iter().map(|id| Then::Goes(kind, id)));
    }
    let load_balancer = world.store.get(Kind::LoadBalancer, id).expect("it was found");
    // A port that Octavia made goes with it; one that it was given stays.
    if load_balancer["_own_port"] == true {
        then.push(Then::Goes(
            Kind::Port,
            load_balancer["vip_port_id"].as_str().unwrap_or_default().to_owned(),
        ));
    }
    then.push(Then::Goes(Kind::LoadBalancer, id.to_owned()));
    work(world, id, "PENDING_DELETE", then);
    Ok(ok(204, Value::Null))
}

fn ids(world: &World, kind: Kind, field: &str, value: &str) -> Vec<String> {
    world.store.with(kind, field, value).filter_map(|one| one["id"].as_str().map(str::to_owned)).collect()
}
