//! Lists, page by page.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::debug;

use super::error::Error;
use super::session::{Ask, Session};

/// More pages than any project has; a server whose pages never end is stopped here.
const MOST: usize = 1000;

/// Everything that a list holds; `key` is the list's name in the body, `<key>_links` tells of the next page
/// (`octavia/api/common/pagination.py`, `neutron/api/api_common.py`).
pub(super) async fn all<T: DeserializeOwned>(
    session: &Session,
    ask: Ask<'_>,
    key: &'static str,
) -> Result<Vec<T>, Error> {
    needed(session, ask, key, |_| true).await
}

/// The same, but a row that is not needed may be one that cannot be read.
pub(super) async fn needed<T: DeserializeOwned>(
    session: &Session,
    ask: Ask<'_>,
    key: &'static str,
    is_needed: impl Fn(&Value) -> bool,
) -> Result<Vec<T>, Error> {
    let links = format!("{key}_links");
    let mut found = Vec::new();
    let mut marker: Option<String> = None;
    let mut markers = BTreeSet::new();
    for _ in 0..MOST {
        let mut query = ask.query.to_vec();
        query.extend(marker.as_deref().map(|marker| ("marker", marker)));
        let mut body: Value = session.get(Ask { query: &query, ..ask }).await?;
        let rows = body.get_mut(key).map(Value::take).unwrap_or_default();
        let rows: Vec<Value> = serde_json::from_value(rows).map_err(|source| unreadable(ask, source))?;
        let last = rows.last().and_then(|row| row.get("id")).and_then(Value::as_str).map(str::to_owned);
        for row in rows {
            let is_needed = is_needed(&row);
            match serde_json::from_value(row) {
                Ok(row) => found.push(row),
                Err(source) if is_needed => return Err(unreadable(ask, source)),
                Err(source) => debug!("a row of {} is left out: {source}", ask.path),
            }
        }
        let has_next = body.get(&links).and_then(Value::as_array).is_some_and(|links| {
            links.iter().any(|link| link.get("rel").and_then(Value::as_str) == Some("next"))
        });
        if !has_next {
            return Ok(found);
        }
        // A list that is cut short would make what follows look deleted.
        marker = last.filter(|last| markers.insert(last.clone()));
        if marker.is_none() {
            return Err(Error::BrokenList { path: ask.path.to_owned() });
        }
    }
    Err(Error::EndlessList { path: ask.path.to_owned(), pages: MOST })
}

/// What has this id, if it looks like one, else what has this name.
pub(super) async fn named<T: DeserializeOwned>(
    session: &Session,
    ask: Ask<'_>,
    key: &'static str,
    name_or_id: &str,
) -> Result<Vec<T>, Error> {
    let field = if is_uuid(name_or_id) { "id" } else { "name" };
    all(session, Ask { query: &[(field, name_or_id)], ..ask }, key).await
}

fn unreadable(ask: Ask<'_>, source: serde_json::Error) -> Error {
    Error::Unreadable { method: reqwest::Method::GET, path: ask.path.to_owned(), source }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::is_uuid;

    #[test]
    fn an_id_is_told_from_a_name() {
        assert!(is_uuid("7cfeb00a-65e1-4702-bea4-e9e53927fb03"));
        for name in [
            "",
            "tenant",
            "7cfeb00a",
            "7cfeb00a-65e1-4702-bea4-e9e53927fb0g",
            "7cfeb00a65e14702bea4e9e53927fb03",
        ] {
            assert!(!is_uuid(name), "{name}");
        }
    }
}
