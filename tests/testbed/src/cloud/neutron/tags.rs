//! Tags, which most resources take only after they are made (`neutron/extensions/tagging.py`; recorded).

use serde_json::{Value, json};

use super::super::answer::{Result, empty, neutron_error, ok};
use super::super::embedded::World;
use super::super::server::Asked;
use super::super::store::{Token, text};
use super::resource::{Resource, bad_request};
use super::{may, no_such_path};

pub(super) fn answer(
    world: &mut World,
    token: &Token,
    resource: &Resource,
    object: &Value,
    path: &[&str],
    asked: &Asked,
) -> Result {
    let mut tags: Vec<Value> = object["tags"].as_array().cloned().unwrap_or_default();
    if asked.method != "GET" {
        may(token, "update", resource)?;
    }
    let answer = match (asked.method.as_str(), path) {
        ("GET", []) => return Ok(ok(200, json!({"tags": tags}))),
        ("GET", [tag]) if tags.iter().any(|own| own == tag) => return Ok(empty(204)),
        ("PUT", []) => {
            let given =
                asked.body.json()["tags"].as_array().ok_or_else(|| bad_request("Invalid tags body"))?;
            tags.clone_from(given);
            ok(200, json!({"tags": given}))
        }
        ("PUT", [tag]) => {
            if !tags.iter().any(|own| own == tag) {
                tags.push(json!(tag));
            }
            empty(201)
        }
        ("DELETE", []) => {
            tags.clear();
            empty(204)
        }
        ("DELETE", [tag]) if tags.iter().any(|own| own == tag) => {
            tags.retain(|own| own != tag);
            empty(204)
        }
        ("GET" | "DELETE", [tag]) => {
            return Err(neutron_error(404, "TagNotFound", format!("Tag {tag} could not be found.")));
        }
        _ => return Err(no_such_path()),
    };
    world.store.set(resource.kind, text(object, "id"), "tags", tags);
    Ok(answer)
}
