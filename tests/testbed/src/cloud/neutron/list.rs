//! Lists: filters, fields, order and pages (`neutron/api/api_common.py`; recorded).

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::super::answer::{Result, neutron_error, ok};
use super::super::embedded::World;
use super::super::python;
use super::super::server::Asked;
use super::super::store::Token;
use super::super::value;
use super::resource::{Resource, bad_request};
use super::{is_visible, not_found, shown};

/// Keys that are not filters.
const OURS: [&str; 6] = ["fields", "limit", "marker", "page_reverse", "sort_key", "sort_dir"];

pub(super) fn list(world: &World, token: &Token, resource: &Resource, asked: &Asked) -> Result {
    let order = order(resource, asked)?;
    let limit = limit(world, asked)?;
    let filters: Vec<&str> =
        asked.query.iter().map(|(key, _)| key.as_str()).filter(|key| !OURS.contains(key)).collect();
    let unknown: Vec<String> =
        filters.iter().filter(|key| !resource.is_filter(key)).map(|key| format!("'{key}'")).collect();
    if !unknown.is_empty() {
        return Err(bad_request(format!("[{}] is invalid attribute for filtering", unknown.join(", "))));
    }
    let all =
        world.store.all(resource.kind).iter().filter(|one| is_visible(world, token, resource.kind, one));
    let fitting = all.filter(|one| filters.iter().all(|key| fits(one, key, asked)));
    let mut rows: Vec<Value> = fitting.map(|one| shown(world, resource.kind, one)).collect();
    let is_reversed = asked.value("page_reverse").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    rows.sort_by(|one, other| {
        let by_keys = order.iter().map(|(key, descending)| {
            let ordering = compare(&one[key], &other[key]);
            if *descending { ordering.reverse() } else { ordering }
        });
        by_keys
            .chain([compare(&one["id"], &other["id"])])
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    let fields: Vec<&str> = asked.values("fields").collect();
    let Some(limit) = limit else {
        let rows: Vec<Value> = rows.iter().map(|row| only(row, &fields)).collect();
        return Ok(ok(200, json!({resource.collection: rows})));
    };
    if is_reversed {
        rows.reverse();
    }
    if let Some(marker) = asked.value("marker") {
        let at = rows
            .iter()
            .position(|row| row["id"] == marker)
            .ok_or_else(|| not_found(resource.kind, marker))?;
        rows.drain(..=at);
    }
    rows.truncate(limit);
    if is_reversed {
        rows.reverse();
    }
    let links = links(&rows, limit, is_reversed, asked);
    let shown: Vec<Value> = rows.iter().map(|row| only(row, &fields)).collect();
    Ok(ok(200, json!({resource.collection: shown, format!("{}_links", resource.collection): links})))
}

/// A page that is not full has no neighbour in its own direction (`get_pagination_links`).
fn links(rows: &[Value], limit: usize, is_reversed: bool, asked: &Asked) -> Vec<Value> {
    let kept = asked.query.iter().filter(|(key, _)| key != "marker" && key != "page_reverse");
    let kept: Vec<String> = kept.map(|(key, value)| format!("{key}={}", encode(value))).collect();
    let link = |rel: &str, row: Option<&Value>, more: &[&str]| {
        let marker = row.map(|row| format!("marker={}", row["id"].as_str().unwrap_or_default()));
        let more = more.iter().map(|more| (*more).to_owned());
        let query: Vec<String> = kept.iter().cloned().chain(marker).chain(more).collect();
        json!({"rel": rel, "href": format!("{}?{}", asked.url, query.join("&"))})
    };
    let is_full = rows.len() >= limit;
    let next = (is_full || is_reversed).then(|| link("next", rows.last(), &[]));
    let previous = (is_full || !is_reversed).then(|| link("previous", rows.first(), &["page_reverse=True"]));
    next.into_iter().chain(previous).collect()
}

fn encode(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// None is all of it: without a limit of the request's or the operator's there are no pages.
fn limit(world: &World, asked: &Asked) -> Result<Option<usize>> {
    let most = Some(world.options.longest_page).filter(|most| *most < usize::MAX);
    let wished = match asked.value("limit") {
        None => 0,
        Some(text) => text.parse::<usize>().map_err(|_| {
            let why = format!("Limit must be an integer 0 or greater and not '{text}'");
            neutron_error(400, "BadRequest", format!("Bad limit request: {why}."))
        })?,
    };
    Ok(match (wished, most) {
        (0, None) => None,
        (0, Some(most)) => Some(most),
        (wished, most) => Some(most.map_or(wished, |most| most.min(wished))),
    })
}

/// Sort keys and whether each is descending.
fn order(resource: &Resource, asked: &Asked) -> Result<Vec<(String, bool)>> {
    let keys: Vec<&str> = asked.values("sort_key").collect();
    let directions: Vec<&str> = asked.values("sort_dir").collect();
    if keys.len() != directions.len() {
        return Err(bad_request("The number of sort_keys and sort_dirs must be same"));
    }
    if let Some(wrong) = directions.iter().find(|direction| !["asc", "desc"].contains(direction)) {
        let text = format!("['{wrong}'] is invalid value for sort_dirs, valid value is 'asc' and 'desc'");
        return Err(bad_request(text));
    }
    if let Some(wrong) = keys.iter().find(|key| !resource.is_sort_key(key)) {
        return Err(bad_request(format!("['{wrong}'] is invalid attribute for sort_keys")));
    }
    Ok(keys.iter().zip(directions).map(|(key, direction)| ((*key).to_owned(), direction == "desc")).collect())
}

fn compare(one: &Value, other: &Value) -> Ordering {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => python::text(one).cmp(&python::text(other)),
    }
}

/// A key that is given several times means any of its values.
fn fits(object: &Value, key: &str, asked: &Asked) -> bool {
    let mut values = asked.values(key);
    let tags: Vec<&str> = object["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let has = |tag: &str| tags.contains(&tag);
    match key {
        "tags" => values.all(|value| value.split(',').all(has)),
        "tags-any" => values.any(|value| value.split(',').any(has)),
        "not-tags" => values.all(|value| !value.split(',').all(has)),
        "not-tags-any" => values.all(|value| !value.split(',').any(has)),
        "fixed_ips" => fixed_ips(object, asked),
        _ => values.any(|value| equals(&object[key], value)),
    }
}

/// `fixed_ips=ip_address=…` and its like; other keys within are ignored (recorded).
fn fixed_ips(port: &Value, asked: &Asked) -> bool {
    let of = |wanted: &str| -> Vec<String> {
        let pairs = asked.values("fixed_ips").filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == wanted).map(|(_, value)| value.to_owned()).collect()
    };
    let (addresses, subnets, parts) = (of("ip_address"), of("subnet_id"), of("ip_address_substr"));
    let own = port["fixed_ips"].as_array().cloned().unwrap_or_default();
    let has = |key: &str, wanted: &[String]| {
        wanted.is_empty() || own.iter().any(|ip| wanted.iter().any(|value| ip[key] == value.as_str()))
    };
    let contains = |part: &String| {
        own.iter().any(|ip| ip["ip_address"].as_str().is_some_and(|address| address.contains(part.as_str())))
    };
    has("ip_address", &addresses)
        && has("subnet_id", &subnets)
        && (parts.is_empty() || parts.iter().any(contains))
}

fn equals(own: &Value, text: &str) -> bool {
    match own {
        Value::Bool(_) => {
            value::boolean(&Value::from(text.to_ascii_lowercase())).is_ok_and(|value| value == *own)
        }
        Value::Null => false,
        Value::Array(items) => items.iter().any(|item| item == text),
        other => python::text(other) == text,
    }
}

/// The fields that are asked for, or all.
pub(super) fn only(object: &Value, fields: &[&str]) -> Value {
    let shown = object.as_object().into_iter().flatten();
    let shown = shown.filter(|(key, _)| fields.is_empty() || fields.contains(&key.as_str()));
    Value::Object(shown.map(|(key, value)| (key.clone(), value.clone())).collect())
}
