//! Order and pages of a list (`octavia/api/common/pagination.py`).

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::super::answer::{Result, fault, pecan_error};
use super::super::embedded::World;
use super::super::python;
use super::super::server::Asked;
use super::super::store::Kind;

/// What a query says of it.
pub(super) struct Page {
    /// None is all of it, whatever the operator says: that is what a limit below 1 asks for.
    limit: Option<usize>,
    /// Keys, and whether each is descending.
    order: Vec<(String, bool)>,
}

impl Page {
    /// Errors here come before any controller, in another form (recorded).
    pub(super) fn of(world: &World, asked: &Asked) -> Result<Self> {
        let most = world.options.longest_page;
        let limit = match asked.value("limit") {
            None => Some(most),
            Some("infinite") => None,
            Some(text) => {
                let limit = text.parse::<i64>().map_err(|_| {
                    pecan_error(
                        400,
                        "Bad Request",
                        format!("Supplied pagination limit '{text}' is not valid."),
                    )
                })?;
                usize::try_from(limit).ok().filter(|limit| *limit > 0).map(|limit| limit.min(most))
            }
        };
        let mut order = Vec::new();
        if let Some(sort) = asked.value("sort") {
            for part in sort.split(',') {
                let (key, direction) = part.split_once(':').unwrap_or((part, "asc"));
                order.push((key.to_owned(), is_descending(direction)?));
            }
        } else if let Some(keys) = asked.value("sort_key") {
            let directions: Vec<&str> = asked.value("sort_dir").unwrap_or_default().split(',').collect();
            for (at, key) in keys.split(',').enumerate() {
                let direction =
                    directions.get(at).filter(|direction| !direction.is_empty()).unwrap_or(&"asc");
                order.push((key.to_owned(), is_descending(direction)?));
            }
        }
        for key in ["created_at", "id"] {
            if order.iter().all(|(own, _)| own != key) {
                order.push((key.to_owned(), false));
            }
        }
        Ok(Self { limit, order })
    }

    /// The rows of this page, and the links to its neighbours.
    ///
    /// A page before a marker begins with the very first row, and links forget every filter: so it is there too.
    pub(super) fn cut(
        &self,
        mut rows: Vec<Value>,
        world: &World,
        kind: Kind,
        asked: &Asked,
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        for (key, _) in &self.order {
            let is_known = world.store.all(kind).iter().all(|object| object.get(key).is_some());
            if !is_known {
                return Err(fault(400, format!("Supplied sort key '{key}' is not valid.")));
            }
        }
        rows.sort_by(|one, other| self.compare(one, other));
        if let Some(id) = asked.value("marker") {
            let marker = world
                .store
                .get(kind, id)
                .ok_or_else(|| fault(400, format!("Supplied pagination marker '{id}' is not valid.")))?;
            let is_back = asked.value("page_reverse") == Some("True");
            let wanted = if is_back { Ordering::Less } else { Ordering::Greater };
            rows.retain(|row| self.compare(row, marker) == wanted);
        }
        if let Some(limit) = self.limit {
            rows.truncate(limit);
        }
        let links = self.links(&rows, asked);
        Ok((rows, links))
    }

    fn compare(&self, one: &Value, other: &Value) -> Ordering {
        let by_keys = self.order.iter().map(|(key, descending)| {
            let ordering = match (one[key].as_i64(), other[key].as_i64()) {
                (Some(one), Some(other)) => one.cmp(&other),
                _ => python::text(&one[key]).cmp(&python::text(&other[key])),
            };
            if *descending { ordering.reverse() } else { ordering }
        });
        by_keys.into_iter().find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// `_make_links`.
    fn links(&self, rows: &[Value], asked: &Asked) -> Vec<Value> {
        let Some((first, last)) = rows.first().zip(rows.last()) else { return Vec::new() };
        // As Python writes no limit.
        let limit = self.limit.map_or_else(|| "None".to_owned(), |limit| limit.to_string());
        let mut kept = format!("limit={limit}");
        for key in ["sort", "sort_key"] {
            kept.extend(asked.value(key).map(|value| format!("&{key}={value}")));
        }
        let link = |rel: &str, row: &Value, more: &str| {
            let id = row["id"].as_str().unwrap_or_default();
            json!({"rel": rel, "href": format!("{}?{kept}&marker={id}{more}", asked.url)})
        };
        let previous = asked.value("marker").map(|_| link("previous", first, "&page_reverse=True"));
        let is_full = self.limit.is_none_or(|limit| rows.len() >= limit);
        let next = is_full.then(|| link("next", last, ""));
        previous.into_iter().chain(next).collect()
    }
}

fn is_descending(direction: &str) -> Result<bool> {
    match direction.to_ascii_lowercase().as_str() {
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => {
            Err(pecan_error(400, "Bad Request", format!("Supplied sort direction '{other}' is not valid.")))
        }
    }
}
