//! Members, singly and by batch (`octavia/api/v2/controllers/member.py`).

use std::net::IpAddr;

use serde_json::{Value, json};

use super::super::answer::{Result, fault, ok};
use super::super::embedded::World;
use super::super::lists;
use super::super::server::Asked;
use super::super::store::{Kind, Then, Token, new_id, now};
use super::fields::{self, or, or_null};
use super::lock::{becomes_active, must_be_mutable, owner, pool_must_be_mutable, work};
use super::{Given, find};

/// A new member for a pool.
pub(super) fn new(
    world: &World,
    given: &Given,
    argument: &str,
    pool: &Value,
    monitored: bool,
) -> Result<Value> {
    fields::known(given, argument, fields::MEMBER)?;
    check(given)?;
    if let Some(subnet) = given.get("subnet_id").and_then(Value::as_str)
        && world.store.get(Kind::Subnet, subnet).is_none()
    {
        return Err(fault(400, format!("Subnet {subnet} not found.")));
    }
    Ok(json!({
        "id": new_id(), "name": or(given, "name", ""), "address": given["address"],
        "protocol_port": given["protocol_port"], "weight": or(given, "weight", 1), "backup": or(given, "backup", false),
        "admin_state_up": or(given, "admin_state_up", true), "subnet_id": or_null(given, "subnet_id"),
        "monitor_port": or_null(given, "monitor_port"), "monitor_address": or_null(given, "monitor_address"),
        "tags": or(given, "tags", json!([])), "project_id": pool["project_id"], "tenant_id": pool["project_id"],
        "provisioning_status": "PENDING_CREATE", "operating_status": if monitored { "OFFLINE" } else { "NO_MONITOR" },
        "created_at": now(), "updated_at": null, "vnic_type": "normal", "_pool": pool["id"],
        "_load_balancer": pool["_load_balancer"],
    }))
}

fn check(given: &Given) -> Result<()> {
    fields::mandatory(given, &["address", "protocol_port"])?;
    fields::lengths(given)?;
    let address = &given["address"];
    if address.as_str().and_then(|address| address.parse::<IpAddr>().ok()).is_none() {
        return Err(fields::invalid("address", address, "Value should be IPv4 or IPv6 format"));
    }
    // `octavia/common/validate.py`, `ip_not_reserved`.
    if address == "169.254.169.254" {
        return Err(fault(400, "169.254.169.254 is not a valid option for member address"));
    }
    fields::number(given, "protocol_port", 1, 65535)?;
    fields::number(given, "monitor_port", 1, 65535)?;
    fields::number(given, "weight", 0, 256)
}

pub(super) fn create(world: &mut World, token: &Token, pool: &str, given: &Given) -> Result {
    let pool = find(world, token, Kind::Pool, pool)?;
    let id = pool["id"].as_str().unwrap_or_default();
    let member = new(world, given, "member_.member", &pool, pool["healthmonitor_id"].is_string())?;
    must_be_mutable(world, &owner(&pool))?;
    pool_must_be_mutable(world, id)?;
    quota(world, token, 1)?;
    let twin = |other: &&Value| same(other, &member);
    if let Some(twin) = world.store.with(Kind::Member, "_pool", id).find(twin) {
        return Err(fault(
            409,
            format!(
                "Another member on this pool is already using ip {} on protocol_port {}",
                twin["address"].as_str().unwrap_or_default(),
                twin["protocol_port"]
            ),
        ));
    }
    let member_id = member["id"].as_str().unwrap_or_default().to_owned();
    world.store.add(Kind::Member, member.clone());
    work(world, &owner(&pool), "PENDING_UPDATE", vec![becomes_active(Kind::Member, &member_id)]);
    Ok(ok(201, json!({"member": lists::shown(&member)})))
}

pub(super) fn update(world: &mut World, token: &Token, pool: &str, id: &str, given: &Given) -> Result {
    let pool = find(world, token, Kind::Pool, pool)?;
    find(world, token, Kind::Member, id)?;
    fields::known(given, "member_.member", fields::MEMBER_UPDATE)?;
    must_be_mutable(world, &owner(&pool))?;
    let member = world.store.get_mut(Kind::Member, id).expect("it was found");
    for (key, value) in given {
        member[key] = value.clone();
    }
    member["provisioning_status"] = json!("PENDING_UPDATE");
    let shown = lists::shown(member);
    work(world, &owner(&pool), "PENDING_UPDATE", vec![becomes_active(Kind::Member, id)]);
    Ok(ok(200, json!({"member": shown})))
}

pub(super) fn delete(world: &mut World, token: &Token, pool: &str, id: &str) -> Result {
    let pool = find(world, token, Kind::Pool, pool)?;
    find(world, token, Kind::Member, id)?;
    must_be_mutable(world, &owner(&pool))?;
    world.store.set(Kind::Member, id, "provisioning_status", "PENDING_DELETE");
    work(world, &owner(&pool), "PENDING_UPDATE", vec![Then::Goes(Kind::Member, id.to_owned())]);
    Ok(ok(204, Value::Null))
}

/// The whole list: what is new is made, what is there gets every field, defaults included, what is absent goes.
pub(super) fn put(world: &mut World, token: &Token, pool: &str, asked: &Asked) -> Result {
    let pool = find(world, token, Kind::Pool, pool)?;
    let id = pool["id"].as_str().unwrap_or_default().to_owned();
    let additive =
        asked.query.iter().any(|(key, value)| key == "additive_only" && value.eq_ignore_ascii_case("true"));
    let Some(list) = asked.body.get("members").and_then(Value::as_array) else {
        return Err(fault(400, "Missing argument: \"members\""));
    };
    let monitored = pool["healthmonitor_id"].is_string();
    let mut wanted = Vec::new();
    for one in list {
        let given = one.as_object().cloned().unwrap_or_default();
        let member = new(world, &given, "members_.members", &pool, monitored)?;
        if wanted.iter().any(|(_, other)| same(other, &member)) {
            return Err(fault(
                400,
                "Validation failure: Member must be updated only once in the same request.",
            ));
        }
        wanted.push((given, member));
    }
    must_be_mutable(world, &owner(&pool))?;
    pool_must_be_mutable(world, &id)?;
    let present: Vec<Value> = world.store.with(Kind::Member, "_pool", &id).cloned().collect();
    let fresh = wanted.iter().filter(|(_, member)| !present.iter().any(|other| same(other, member))).count();
    let gone: Vec<&Value> = present
        .iter()
        .filter(|other| !additive && !wanted.iter().any(|(_, member)| same(other, member)))
        .collect();
    quota(world, token, fresh.saturating_sub(gone.len()))?;
    if wanted.is_empty() && gone.is_empty() {
        return Ok(ok(202, Value::Null));
    }
    let mut then = Vec::new();
    for member in gone {
        let id = member["id"].as_str().unwrap_or_default();
        world.store.set(Kind::Member, id, "provisioning_status", "PENDING_DELETE");
        then.push(Then::Goes(Kind::Member, id.to_owned()));
    }
    for (given, member) in wanted {
        let there = present.iter().find(|other| same(other, &member)).and_then(|other| other["id"].as_str());
        let id = if let Some(id) = there {
            for field in ["weight", "backup", "admin_state_up", "monitor_port", "monitor_address"] {
                world.store.set(Kind::Member, id, field, member[field].clone());
            }
            // These have no default: what is not given stays.
            for field in ["name", "tags"].into_iter().filter(|field| given.contains_key(*field)) {
                world.store.set(Kind::Member, id, field, member[field].clone());
            }
            world.store.set(Kind::Member, id, "provisioning_status", "PENDING_UPDATE");
            id.to_owned()
        } else {
            let id = member["id"].as_str().unwrap_or_default().to_owned();
            world.store.add(Kind::Member, member);
            id
        };
        then.push(becomes_active(Kind::Member, &id));
    }
    work(world, &owner(&pool), "PENDING_UPDATE", then);
    Ok(ok(202, Value::Null))
}

fn same(one: &Value, other: &Value) -> bool {
    one["address"] == other["address"] && one["protocol_port"] == other["protocol_port"]
}

pub(super) fn quota(world: &World, token: &Token, more: usize) -> Result<()> {
    let most = world.store.quotas.get(&(token.project.clone(), Kind::Member)).copied().unwrap_or(usize::MAX);
    let has = world.store.with(Kind::Member, "project_id", &token.project).count();
    if more == 0 || has + more <= most {
        return Ok(());
    }
    Err(fault(403, "Quota has been met for resources: Member"))
}
