//! Quotas (`octavia/api/v2/controllers/quotas.py`, `octavia/db/repositories.py`, `check_quota_met`).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, fault, no_such_path, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Kind, Token};
use super::types::PUT_QUOTAS;
use super::{allow, schema, title};

/// By both spellings of their names.
const KINDS: [(&str, Kind); 7] = [
    ("loadbalancer", Kind::LoadBalancer),
    ("load_balancer", Kind::LoadBalancer),
    ("listener", Kind::Listener),
    ("member", Kind::Member),
    ("pool", Kind::Pool),
    ("healthmonitor", Kind::HealthMonitor),
    ("health_monitor", Kind::HealthMonitor),
];

/// Quotas count what there is, whatever its status.
pub(super) fn must_have_room(world: &World, project: &str, kind: Kind, more: usize) -> Result<()> {
    if more == 0 || world.store.has_room(project, kind, more) {
        return Ok(());
    }
    Err(fault(403, format!("Quota has been met for resources: {}", title(kind))))
}

pub(super) fn answer(world: &mut World, token: &Token, path: &[&str], asked: &Asked) -> Result {
    let is_reader = token.has_role("reader") || token.has_role("member");
    match (asked.method.as_str(), path) {
        ("GET", []) => {
            allow(is_reader || token.is_admin())?;
            let mut projects: Vec<&str> =
                world.store.quotas.keys().map(|(project, _)| project.as_str()).collect();
            projects.retain(|project| token.is_admin() || *project == token.project);
            projects.dedup();
            let quotas: Vec<Value> = projects.iter().map(|project| shown(world, project)).collect();
            Ok(ok(200, json!({"quotas": quotas, "quotas_links": []})))
        }
        ("GET", [project, rest @ ..]) => {
            allow(token.is_admin() || is_reader && token.project == *project)?;
            match rest {
                [] => Ok(ok(200, json!({"quota": shown(world, project)}))),
                ["default"] => Ok(ok(200, json!({"quota": unlimited(project)}))),
                _ => Err(no_such_path()),
            }
        }
        ("PUT", [project]) => {
            let given = schema::read(&PUT_QUOTAS, &asked.body)?;
            allow(token.is_admin())?;
            for (name, limit) in given {
                if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) {
                    let key = ((*project).to_owned(), *kind);
                    world.store.quotas.insert(key, limit.as_i64().unwrap_or(-1));
                }
            }
            Ok(ok(202, json!({"quota": shown(world, project)})))
        }
        ("DELETE", [project]) => {
            allow(token.is_admin())?;
            for (_, kind) in KINDS {
                world.store.quotas.remove(&((*project).to_owned(), kind));
            }
            Ok(empty(202))
        }
        _ => Err(no_such_path()),
    }
}

fn unlimited(project: &str) -> Value {
    let mut quota = json!({"project_id": project, "tenant_id": project, "l7policy": -1, "l7rule": -1});
    for (name, _) in KINDS {
        quota[name] = json!(-1);
    }
    quota
}

fn shown(world: &World, project: &str) -> Value {
    let mut quota = unlimited(project);
    for (name, kind) in KINDS {
        let limit = world.store.quotas.get(&(project.to_owned(), kind)).copied();
        quota[name] = json!(limit.unwrap_or(-1));
    }
    quota
}
