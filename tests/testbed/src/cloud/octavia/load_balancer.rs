//! Load balancers (`octavia/api/v2/controllers/load_balancer.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, invalid, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token, new_id, now};
use super::super::value;
use super::schema::{self, Given};
use super::types::{POST_LOAD_BALANCER, PUT_LOAD_BALANCER};
use super::work::{Work, must_be_in_state};
use super::{
    allow, find, graph, may_read, may_write, may_write_in, placement, provider, quota, render, rules, vip,
};

pub(super) fn create(world: &mut World, token: &Token, asked: &Asked) -> Result {
    let given = schema::read(&POST_LOAD_BALANCER, &asked.body)?;
    let wished = |key: &str| given.get(key).and_then(Value::as_str);
    let project = wished("project_id").or(wished("tenant_id")).unwrap_or(&token.project).to_owned();
    may_write_in(token, &project)?;
    let vip = vip::wished(world, token, &given)?;
    placement::check(world, wished("flavor_id"), wished("availability_zone"))?;
    let provider = provider::chosen(world, wished("provider"))?;
    quota::must_have_room(world, &project, Kind::LoadBalancer, 1)?;
    let id = new_id();
    let place = vip.port(world, &id, &project)?;
    let mut load_balancer = new(&given, &id, &project, &provider);
    for (key, value) in place.as_object().into_iter().flatten() {
        load_balancer[key] = value.clone();
    }
    if rules::has_twin_tags(&given) {
        return Err(rules::already_exists());
    }
    let parts = match graph::parts(world, &load_balancer, &given) {
        // OVN's driver has queued the load balancer before it refuses what is in it (`loadbalancer_create`).
        Err(refusal) if provider::is_ovn(&load_balancer) && refusal.status == 501 => {
            world.store.add(Kind::LoadBalancer, load_balancer);
            Work::on(&id).creates(Kind::LoadBalancer, &id).start(world);
            return Err(refusal);
        }
        parts => parts?,
    };
    world.store.add(Kind::LoadBalancer, load_balancer);
    let work = parts.add(world, Work::on(&id).creates(Kind::LoadBalancer, &id));
    work.start(world);
    Ok(ok(201, json!({"loadbalancer": render::full(world, find(world, Kind::LoadBalancer, &id)?)})))
}

fn new(given: &Given, id: &str, project: &str, provider: &str) -> Value {
    json!({
        "id": id, "name": rules::or_empty(given, "name"), "description": rules::or_empty(given, "description"),
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE",
        "admin_state_up": rules::up(given), "project_id": project, "tenant_id": project, "created_at": now(),
        "updated_at": null, "vip_sg_ids": given.get("vip_sg_ids").cloned().unwrap_or_else(|| json!([])),
        "additional_vips": [], "provider": provider,
        "flavor_id": given.get("flavor_id").cloned().unwrap_or_default(),
        "vip_qos_policy_id": given.get("vip_qos_policy_id").cloned().unwrap_or_default(),
        "tags": rules::tags(given), "vip_vnic_type": "normal",
        "availability_zone": given.get("availability_zone").cloned().unwrap_or_default(),
    })
}

pub(super) fn update(world: &mut World, token: &Token, id: &str, asked: &Asked) -> Result {
    let given = schema::read(&PUT_LOAD_BALANCER, &asked.body)?;
    may_write(token, find(world, Kind::LoadBalancer, id)?)?;
    must_be_in_state(world, id, &["ACTIVE"])?;
    rules::set(world, Kind::LoadBalancer, id, &given)?;
    Work::on(id).updates(Kind::LoadBalancer, id).start(world);
    let load_balancer = find(world, Kind::LoadBalancer, id)?;
    Ok(ok(200, json!({"loadbalancer": render::one(world, Kind::LoadBalancer, load_balancer)})))
}

pub(super) fn delete(world: &mut World, token: &Token, id: &str, asked: &Asked) -> Result {
    let load_balancer = find(world, Kind::LoadBalancer, id)?.clone();
    may_write(token, &load_balancer)?;
    let cascade = asked.value("cascade").unwrap_or_default().to_ascii_lowercase();
    let cascade = value::boolean(&Value::from(cascade)).is_ok_and(|cascade| cascade == true);
    let children = |kind: Kind| world.store.ids(kind, "_load_balancer", id);
    let has_children = !children(Kind::Listener).is_empty() || !children(Kind::Pool).is_empty();
    if has_children && !cascade {
        return Err(invalid(format!("Cannot delete Load Balancer {id} - it has children")));
    }
    must_be_in_state(world, id, &["ACTIVE", "ERROR"])?;
    let mut work = Work::on(id).deletes(Kind::LoadBalancer, id);
    for kind in [Kind::Listener, Kind::Pool, Kind::Member, Kind::HealthMonitor] {
        work = work.takes_along(kind, children(kind));
    }
    // A port that Octavia made goes with it; one that it was given stays.
    if load_balancer["_owns_port"] == true {
        let port = load_balancer["vip_port_id"].as_str().unwrap_or_default().to_owned();
        work = work.takes_along(Kind::Port, vec![port]);
    }
    // OVN's driver deletes the port that has the name it goes by, whoever made it (`helper.py`, `lb_delete`).
    if provider::is_ovn(&load_balancer) {
        let name = format!("ovn-lb-vip-{id}");
        work = work.takes_along(Kind::Port, world.store.ids(Kind::Port, "name", &name));
    }
    work.start(world);
    Ok(empty(204))
}

pub(super) fn status(world: &World, token: &Token, id: &str) -> Result {
    let load_balancer = find(world, Kind::LoadBalancer, id)?;
    may_read(token, load_balancer)?;
    Ok(ok(200, render::status_tree(world, load_balancer)))
}

/// For administrators (`octavia/policies/loadbalancer.py`).
pub(super) fn fail_over(world: &mut World, token: &Token, id: &str) -> Result {
    find(world, Kind::LoadBalancer, id)?;
    allow(token.is_admin())?;
    must_be_in_state(world, id, &["ACTIVE", "ERROR"])?;
    Work::on(id).updates(Kind::LoadBalancer, id).start(world);
    Ok(empty(202))
}
