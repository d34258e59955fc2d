//! Flavors and availability zones (`octavia/api/v2/controllers/{flavors,availability_zones}.py`; recorded).

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, fault, invalid, ok};
use super::super::embedded::World;
use super::super::server::Asked;

/// Ids that stay the same as long as the order of the names does.
fn flavor_id(at: usize) -> String {
    format!("f1a40000-0000-4000-8000-{at:012}")
}

const NIL: &str = "00000000-0000-0000-0000-000000000000";

const PROFILE: &str = "f1a40000-0000-4000-8000-000000099999";

pub(super) fn flavors(world: &World, asked: &Asked) -> Answer {
    let flavors = world.options.flavors.iter().enumerate().map(|(at, (name, enabled))| {
        json!({"id": flavor_id(at), "name": name, "description": "", "enabled": enabled,
               "flavor_profile_id": PROFILE})
    });
    let fits = |one: &Value| {
        ["id", "name"].iter().all(|key| asked.value(key).is_none_or(|wished| one[*key] == wished))
    };
    let flavors: Vec<Value> = flavors.filter(fits).collect();
    ok(200, json!({"flavors": flavors, "flavors_links": []}))
}

pub(super) fn zones(world: &World) -> Answer {
    let zones: Vec<Value> = world
        .options
        .availability_zones
        .iter()
        .map(|(name, enabled)| {
            json!({"name": name, "description": "", "enabled": enabled, "availability_zone_profile_id": PROFILE})
        })
        .collect();
    ok(200, json!({"availability_zones": zones, "availability_zones_links": []}))
}

pub(super) fn check(world: &World, flavor: Option<&str>, zone: Option<&str>) -> Result<()> {
    if let Some(wished) = flavor {
        match world.options.flavors.iter().enumerate().find(|(at, _)| flavor_id(*at) == wished) {
            Some((_, (_, true))) => {}
            // Deleted flavors become this one, which may not be used (`constants.NIL_UUID`; recorded).
            None if wished == NIL => {
                return Err(fault(
                    400,
                    format!("The selected flavor is not allowed in this deployment: {wished}"),
                ));
            }
            Some((_, (_, false))) => {
                return Err(fault(
                    400,
                    format!("The selected flavor is not allowed in this deployment: {wished}"),
                ));
            }
            None => return Err(invalid("Invalid flavor_id.")),
        }
    }
    if let Some(wished) = zone {
        match world.options.availability_zones.iter().find(|(name, _)| *name == wished) {
            Some((_, true)) => {}
            Some((_, false)) => {
                let text =
                    format!("The selected availability_zone is not allowed in this deployment: {wished}");
                return Err(fault(400, text));
            }
            None => return Err(invalid("Invalid availability zone.")),
        }
    }
    Ok(())
}
