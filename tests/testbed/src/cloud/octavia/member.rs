//! Single members (`octavia/api/v2/controllers/member.py`).

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, empty, fault, no_such_path, ok, pecan_error};
use super::super::embedded::World;
use super::super::neutron;
use super::super::server::Asked;
use super::super::store::{Kind, Token, new_id, now, text};
use super::schema::{self, Given};
use super::types::{POST_MEMBER, PUT_MEMBER};
use super::work::{Work, pool_must_be_mutable};
use super::{batch, find, list, may_read, may_write, quota, render, rules};

/// The pool is looked for before anything else, and its absence told in another form (`pool.py`, `_lookup`; recorded).
pub(super) fn answer(world: &mut World, token: &Token, pool: &str, rest: &[&str], asked: &Asked) -> Result {
    let Some(pool) = world.store.get(Kind::Pool, pool).cloned() else {
        return Err(pecan_error(404, "Bad Request", format!("Pool {pool} not found.")));
    };
    match (asked.method.as_str(), rest) {
        ("GET", []) => {
            may_read(token, &pool)?;
            list::members(world, text(&pool, "id"), asked)
        }
        ("GET", [id]) => {
            of(world, &pool, id)?;
            list::one(world, token, Kind::Member, id, asked)
        }
        ("POST", []) => create(world, token, &pool, asked),
        ("PUT", []) => batch::put(world, token, &pool, asked),
        ("PUT", [id]) => update(world, token, &pool, id, asked),
        ("DELETE", [id]) => delete(world, token, &pool, id),
        ("DELETE", []) => Err(fault(400, "Missing argument: \"id\"")),
        _ => Err(no_such_path()),
    }
}

/// A member of this very pool (`_validate_pool_id`).
fn of(world: &World, pool: &Value, id: &str) -> Result<Value> {
    let member = find(world, Kind::Member, id)?;
    if member["_pool"] == pool["id"] {
        return Ok(member.clone());
    }
    Err(fault(404, format!("Member {id} not found.")))
}

fn create(world: &mut World, token: &Token, pool: &Value, asked: &Asked) -> Result {
    let given = schema::read(&POST_MEMBER, &asked.body)?;
    may_write(token, pool)?;
    rules::not_reserved(&given)?;
    subnet_exists(world, token, &given)?;
    quota::must_have_room(world, text(pool, "project_id"), Kind::Member, 1)?;
    rules::no_sriov(&given)?;
    pool_must_be_mutable(world, pool)?;
    let pool_id = text(pool, "id");
    let member = new(&given, pool, render::monitor(world, pool_id).is_some());
    if let Some(twin) = world.store.with(Kind::Member, "_pool", pool_id).find(|other| is_same(other, &member))
    {
        return Err(duplicate(twin));
    }
    if rules::has_twin_tags(&given) {
        return Err(duplicate(&member));
    }
    let id = text(&member, "id").to_owned();
    world.store.add(Kind::Member, member);
    let work = Work::on(text(pool, "_load_balancer")).creates(Kind::Member, &id);
    work.locks_pool(world, pool_id).start(world);
    answered(world, 201, &id)
}

fn update(world: &mut World, token: &Token, pool: &Value, id: &str, asked: &Asked) -> Result {
    let mut given = schema::read(&PUT_MEMBER, &asked.body)?;
    may_write(token, find(world, Kind::Member, id)?)?;
    of(world, pool, id)?;
    // Null means the default (`_set_default_on_none`).
    for (field, default) in [("backup", json!(false)), ("weight", json!(1))] {
        if given.get(field).is_some_and(Value::is_null) {
            given.insert(field.to_owned(), default);
        }
    }
    pool_must_be_mutable(world, pool)?;
    rules::set(world, Kind::Member, id, &given)?;
    let work = Work::on(text(pool, "_load_balancer")).updates(Kind::Member, id);
    work.locks_pool(world, text(pool, "id")).start(world);
    answered(world, 200, id)
}

fn delete(world: &mut World, token: &Token, pool: &Value, id: &str) -> Result {
    may_write(token, find(world, Kind::Member, id)?)?;
    of(world, pool, id)?;
    pool_must_be_mutable(world, pool)?;
    let work = Work::on(text(pool, "_load_balancer")).deletes(Kind::Member, id);
    work.locks_pool(world, text(pool, "id")).start(world);
    Ok(empty(204))
}

fn answered(world: &World, status: u16, id: &str) -> Result {
    let member = find(world, Kind::Member, id)?;
    Ok(ok(status, json!({"member": render::one(world, Kind::Member, member)})))
}

pub(super) fn new(given: &Given, pool: &Value, has_monitor: bool) -> Value {
    let or_null = |field: &str| given.get(field).cloned().unwrap_or_default();
    let project = &pool["project_id"];
    json!({
        "id": new_id(), "name": rules::or_empty(given, "name"), "provisioning_status": "PENDING_CREATE",
        "operating_status": if has_monitor { "OFFLINE" } else { "NO_MONITOR" }, "admin_state_up": rules::up(given),
        "address": or_null("address"), "protocol_port": or_null("protocol_port"), "weight": or_null("weight"),
        "backup": or_null("backup"), "subnet_id": or_null("subnet_id"), "project_id": project, "tenant_id": project,
        "created_at": now(), "updated_at": null, "monitor_address": or_null("monitor_address"),
        "monitor_port": or_null("monitor_port"), "tags": rules::tags(given), "vnic_type": "normal",
        "_pool": pool["id"], "_load_balancer": pool["_load_balancer"],
    })
}

/// In a pool a member is known by its address and port.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    one["_pool"] == other["_pool"]
        && one["address"] == other["address"]
        && one["protocol_port"] == other["protocol_port"]
}

pub(super) fn duplicate(twin: &Value) -> Answer {
    let text = format!(
        "Another member on this pool is already using ip {} on protocol_port {}",
        text(twin, "address"),
        twin["protocol_port"]
    );
    fault(409, text)
}

pub(super) fn subnet_exists(world: &World, token: &Token, given: &Given) -> Result<()> {
    match given.get("subnet_id").and_then(Value::as_str) {
        Some(id) if neutron::visible(world, token, Kind::Subnet, id).is_none() => {
            Err(fault(400, format!("Subnet {id} not found.")))
        }
        _ => Ok(()),
    }
}
