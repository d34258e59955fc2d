//! Quotas (`neutron/quota`, `neutron/extensions/quotasv2.py`; recorded).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, neutron_error, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token};
use super::resource::bad_request;
use super::{forbidden, no_such_path};

/// Only these are ever reached here; the others are shown as unlimited.
const KINDS: [(&str, Kind); 2] = [("port", Kind::Port), ("floatingip", Kind::FloatingIp)];

pub(super) fn answer(world: &mut World, token: &Token, path: &[&str], asked: &Asked) -> Result {
    match (asked.method.as_str(), path) {
        ("GET", [project]) => {
            if token.is_admin() || token.project == *project {
                return Ok(ok(200, shown(world, project)));
            }
            Err(forbidden("get", "quota"))
        }
        (_, _) if !token.is_admin() => {
            Err(forbidden(if asked.method == "GET" { "get" } else { "update" }, "quota"))
        }
        ("PUT", [project]) => put(world, project, asked),
        ("DELETE", [project]) => {
            let had = KINDS.map(|(_, kind)| world.store.quotas.remove(&((*project).to_owned(), kind)));
            if had.iter().all(Option::is_none) {
                let text = format!("Quota for project {project} could not be found.");
                return Err(neutron_error(404, "TenantQuotaNotFound", text));
            }
            Ok(empty(204))
        }
        _ => Err(no_such_path()),
    }
}

fn put(world: &mut World, project: &str, asked: &Asked) -> Result {
    let given = asked.body.json()["quota"].as_object().cloned().unwrap_or_default();
    let mut limits = Vec::new();
    for (name, value) in &given {
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| known == name) else {
            return Err(bad_request(format!("Unrecognized attribute(s) '{name}'")));
        };
        let limit = value.as_i64().unwrap_or(-1);
        let used = i64::try_from(world.store.with(*kind, "project_id", project).count()).unwrap_or(i64::MAX);
        if (0..used).contains(&limit) {
            let text = format!(
                "Quota limit {limit} for {name} must be greater than or equal to already used {used}"
            );
            return Err(bad_request(text));
        }
        limits.push((*kind, limit));
    }
    for (kind, limit) in limits {
        world.store.quotas.insert((project.to_owned(), kind), limit);
    }
    Ok(ok(200, shown(world, project)))
}

fn shown(world: &World, project: &str) -> Value {
    let limit = |kind: Kind| world.store.quotas.get(&(project.to_owned(), kind)).copied().unwrap_or(-1);
    let limits = KINDS.map(|(name, kind)| (name.to_owned(), json!(limit(kind))));
    json!({"quota": Value::Object(limits.into_iter().collect())})
}

/// `neutron_lib/exceptions/__init__.py`, `OverQuota`.
pub(super) fn must_have_room(world: &World, project: &str, kind: Kind) -> Result<()> {
    if world.store.has_room(project, kind, 1) {
        return Ok(());
    }
    let name = KINDS.iter().find(|(_, own)| *own == kind).map_or("", |(name, _)| name);
    Err(neutron_error(409, "OverQuota", format!("Quota exceeded for resources: ['{name}'].")))
}
