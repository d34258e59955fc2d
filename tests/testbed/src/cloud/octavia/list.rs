//! Lists and single objects: filters and fields (`octavia/api/common/pagination.py`, `octavia/db/base_models.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, fault, ok};
use super::super::embedded::World;
use super::super::python;
use super::super::server::Asked;
use super::super::store::{Kind, Token, text};
use super::super::value;
use super::page::Page;
use super::{allow, find, may_read, render};

/// Keys that are not filters.
const OURS: [&str; 7] = ["limit", "marker", "sort", "sort_key", "sort_dir", "fields", "page_reverse"];
const TAGS: [&str; 4] = ["tags", "tags-any", "not-tags", "not-tags-any"];

/// What every kind can be filtered by.
const COMMON: [&str; 8] = [
    "id",
    "project_id",
    "name",
    "provisioning_status",
    "operating_status",
    "admin_state_up",
    "created_at",
    "updated_at",
];

fn filters(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::LoadBalancer => &[
            "description",
            "vip_address",
            "vip_port_id",
            "vip_subnet_id",
            "vip_network_id",
            "vip_qos_policy_id",
            "provider",
            "flavor_id",
            "availability_zone",
        ],
        Kind::Listener => &[
            "description",
            "protocol",
            "protocol_port",
            "connection_limit",
            "default_pool_id",
            "loadbalancer_id",
            "load_balancer_id",
            "timeout_client_data",
            "timeout_member_connect",
            "timeout_member_data",
            "timeout_tcp_inspect",
        ],
        Kind::Pool => &[
            "description",
            "protocol",
            "lb_algorithm",
            "loadbalancer_id",
            "load_balancer_id",
            "healthmonitor_id",
        ],
        Kind::Member => &[
            "address",
            "protocol_port",
            "weight",
            "backup",
            "subnet_id",
            "monitor_port",
            "monitor_address",
            "pool_id",
        ],
        _ => &[
            "type",
            "delay",
            "timeout",
            "max_retries",
            "max_retries_down",
            "http_method",
            "url_path",
            "expected_codes",
            "pool_id",
        ],
    }
}

pub(super) fn one(world: &World, token: &Token, kind: Kind, id: &str, asked: &Asked) -> Result {
    let object = find(world, kind, id)?;
    may_read(token, object)?;
    Ok(ok(200, json!({singular(kind): only(&render::one(world, kind, object), asked)})))
}

pub(super) fn list(world: &World, token: &Token, kind: Kind, asked: &Asked) -> Result {
    let page = Page::of(world, asked)?;
    // `octavia/api/v2/controllers/base.py`, `_auth_get_all`.
    let project = match asked.value("project_id") {
        project if token.is_admin() => project,
        project => {
            let project = project.unwrap_or(&token.project);
            let may = project == token.project && (token.has_role("reader") || token.has_role("member"));
            allow(may)?;
            Some(project)
        }
    };
    let objects =
        world.store.all(kind).iter().filter(|one| project.is_none_or(|project| one["project_id"] == project));
    rows(world, kind, objects, &page, asked)
}

pub(super) fn members(world: &World, pool: &str, asked: &Asked) -> Result {
    let page = Page::of(world, asked)?;
    rows(world, Kind::Member, world.store.with(Kind::Member, "_pool", pool), &page, asked)
}

fn rows<'a>(
    world: &World,
    kind: Kind,
    objects: impl Iterator<Item = &'a Value>,
    page: &Page,
    asked: &Asked,
) -> Result {
    let keys: Vec<&str> = asked.query.iter().map(|(key, _)| key.as_str()).collect();
    let keys: Vec<&str> = keys.into_iter().filter(|key| !OURS.contains(key) && !TAGS.contains(key)).collect();
    for (at, key) in keys.iter().enumerate() {
        if !COMMON.contains(key) && !filters(kind).contains(key) {
            return Err(fault(400, "One or more arguments are either duplicate or invalid"));
        }
        // The database gets the list of values as it is (recorded).
        if keys[..at].contains(key) {
            let text = "(pymysql.err.OperationalError) (4078, \"Illegal parameter data types varchar and row for \
                        operation '='\")";
            return Err(fault(500, text));
        }
    }
    let fits =
        |object: &&Value| has_tags(object, asked) && keys.iter().all(|key| equals(world, object, key, asked));
    let rows = objects.filter(fits).map(|object| render::one(world, kind, object)).collect();
    let (rows, links) = page.cut(rows, world, kind, asked)?;
    let name = format!("{}s", singular(kind));
    let rows: Vec<Value> = rows.iter().map(|row| only(row, asked)).collect();
    Ok(ok(200, json!({&name: rows, format!("{name}_links"): links})))
}

/// Fields that are asked for, or all.
fn only(object: &Value, asked: &Asked) -> Value {
    let fields: Vec<&str> = asked.values("fields").collect();
    let shown = object.as_object().into_iter().flatten();
    let shown = shown.filter(|(key, _)| fields.is_empty() || fields.contains(&key.as_str()));
    Value::Object(shown.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn equals(world: &World, object: &Value, key: &str, asked: &Asked) -> bool {
    let wanted = asked.value(key).unwrap_or_default();
    let own = match key {
        "loadbalancer_id" | "load_balancer_id" => &object["_load_balancer"],
        "pool_id" => &object["_pool"],
        "healthmonitor_id" => {
            let monitor = render::monitor(world, text(object, "id"));
            return monitor.is_some_and(|monitor| monitor["id"] == wanted);
        }
        key => &object[key],
    };
    match own {
        Value::Null => false,
        Value::Bool(_) => {
            value::boolean(&Value::from(wanted.to_ascii_lowercase())).is_ok_and(|wanted| wanted == *own)
        }
        own => python::text(own) == wanted,
    }
}

/// A comma separates tags, so a tag with a comma cannot be found (`_prepare_tags_list`).
fn has_tags(object: &Value, asked: &Asked) -> bool {
    let own: Vec<&str> = object["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let given = |key: &'static str| -> Option<Vec<&str>> {
        let tags: Vec<&str> = asked.values(key).flat_map(|tags| tags.split(',')).collect();
        (!tags.is_empty()).then_some(tags)
    };
    let all = |tags: Vec<&str>| tags.iter().all(|tag| own.contains(tag));
    let any = |tags: Vec<&str>| tags.iter().any(|tag| own.contains(tag));
    given("tags").is_none_or(all)
        && given("tags-any").is_none_or(any)
        && !given("not-tags").is_some_and(all)
        && !given("not-tags-any").is_some_and(any)
}

fn singular(kind: Kind) -> &'static str {
    match kind {
        Kind::LoadBalancer => "loadbalancer",
        Kind::Listener => "listener",
        Kind::Pool => "pool",
        Kind::Member => "member",
        _ => "healthmonitor",
    }
}
