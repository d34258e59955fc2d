//! Lists: filters, fields, and pages.

use serde_json::{Map, Value, json};

use super::answer::{Answer, ok};

/// A query, in its order.
pub(super) type Query = [(String, String)];

/// A list of objects that fit the query, one page of it.
pub(super) fn page(objects: &[Value], key: &str, url: &str, query: &Query, most: usize) -> Answer {
    let value = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let mut rest: &[Value] = objects;
    if let Some(marker) = value("marker") {
        let at = rest.iter().position(|object| object["id"] == marker).map_or(rest.len(), |at| at + 1);
        rest = &rest[at..];
    }
    let limit = value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(most).min(most);
    let shown = &rest[..rest.len().min(limit)];
    let fields: Vec<&str> =
        query.iter().filter(|(key, _)| key == "fields").map(|(_, value)| value.as_str()).collect();
    let rows: Vec<Value> = shown.iter().map(|object| only(object, &fields)).collect();
    let mut body = Map::from_iter([(key.to_owned(), Value::from(rows))]);
    let mut links = Vec::new();
    if let Some(last) = shown.last().filter(|_| rest.len() > shown.len()) {
        let id = last["id"].as_str().unwrap_or_default();
        links.push(json!({"rel": "next", "href": format!("{url}?limit={limit}&marker={id}")}));
    }
    if !links.is_empty() || key == "loadbalancers" || key == "listeners" || key == "pools" {
        body.insert(format!("{key}_links"), Value::from(links));
    }
    ok(200, Value::Object(body))
}

/// The fields that are asked for, or all; what starts with an underscore is ours.
fn only(object: &Value, fields: &[&str]) -> Value {
    let shown =
        object.as_object().into_iter().flatten().filter(|(key, _)| {
            !key.starts_with('_') && (fields.is_empty() || fields.contains(&key.as_str()))
        });
    Value::Object(shown.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// An object as the API shows it.
pub(super) fn shown(object: &Value) -> Value {
    only(object, &[])
}

/// Whether an object has a value as a filter writes it.
pub(super) fn equals(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Bool(own) => text.eq_ignore_ascii_case(if *own { "true" } else { "false" }),
        Value::Null => text.is_empty(),
        Value::Number(own) => own.to_string() == text,
        Value::Array(_) | Value::Object(_) => false,
    }
}
