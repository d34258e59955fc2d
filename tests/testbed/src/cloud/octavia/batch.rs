//! All members of a pool in one PUT (`octavia/api/v2/controllers/member.py`, `MembersController.put`).

use serde_json::Value;

use super::super::answer::{Result, empty, invalid};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token, text};
use super::super::value;
use super::schema::{self, Given};
use super::types::MEMBER;
use super::work::{Work, pool_must_be_mutable};
use super::{may_write, member, quota, render, rules};

/// What is new is made, what is there gets every field that has a default, what is absent goes.
pub(super) fn put(world: &mut World, token: &Token, pool: &Value, asked: &Asked) -> Result {
    let wanted = schema::read_many("members_", "members", MEMBER, &asked.body)?;
    let additive = asked.value("additive_only").unwrap_or_default().to_ascii_lowercase();
    let additive = value::boolean(&Value::from(additive)).is_ok_and(|additive| additive == true);
    may_write(token, pool)?;
    pool_must_be_mutable(world, pool)?;
    let id = text(pool, "id");
    let present: Vec<Value> = world.store.with(Kind::Member, "_pool", id).cloned().collect();
    let is_it = |own: &Value, given: &Given| {
        Some(&own["address"]) == given.get("address")
            && Some(&own["protocol_port"]) == given.get("protocol_port")
    };
    let mut fresh: Vec<&Given> = Vec::new();
    let mut known: Vec<(&Value, &Given)> = Vec::new();
    for given in &wanted {
        match present.iter().find(|own| is_it(own, given)) {
            None => {
                rules::not_reserved(given)?;
                fresh.push(given);
            }
            Some(own) if known.iter().any(|(other, _)| other["id"] == own["id"]) => {
                return Err(invalid("Member must be updated only once in the same request."));
            }
            Some(own) => known.push((own, given)),
        }
    }
    let absent: Vec<&Value> =
        present.iter().filter(|own| !wanted.iter().any(|given| is_it(own, given))).collect();
    if absent.is_empty() && fresh.is_empty() && known.is_empty() {
        return Ok(empty(202));
    }
    let leaving = if additive { 0 } else { absent.len() };
    if let Some(more @ 1..) = fresh.len().checked_sub(leaving) {
        quota::must_have_room(world, text(pool, "project_id"), Kind::Member, more)?;
    }
    let has_monitor = render::monitor(world, id).is_some();
    let mut made: Vec<Value> = Vec::new();
    for given in fresh {
        member::subnet_exists(world, token, given)?;
        rules::no_sriov(given)?;
        let member = member::new(given, pool, has_monitor);
        if let Some(twin) = made.iter().find(|other| member::is_same(other, &member)) {
            return Err(member::duplicate(twin));
        }
        if rules::has_twin_tags(given) {
            return Err(member::duplicate(&member));
        }
        made.push(member);
    }
    let mut work = Work::on(text(pool, "_load_balancer"));
    for (own, given) in known {
        let mut given = given.clone();
        given.remove("request_sriov");
        rules::set(world, Kind::Member, text(own, "id"), &given)?;
        work = work.updates(Kind::Member, text(own, "id"));
    }
    for member in made {
        work = work.creates(Kind::Member, text(&member, "id"));
        world.store.add(Kind::Member, member);
    }
    if !additive {
        work = absent.iter().fold(work, |work, own| work.deletes(Kind::Member, text(own, "id")));
    }
    work.locks_pool(world, id).start(world);
    Ok(empty(202))
}
