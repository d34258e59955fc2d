//! Lists, page by page.

use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let links = format!("{key}_links");
    let mut found = Vec::new();
    let mut marker: Option<String> = None;
    for _ in 0..MOST {
        let mut query = ask.query.to_vec();
        query.extend(marker.as_deref().map(|marker| ("marker", marker)));
        let mut body: Value = session.get(Ask { query: &query, ..ask }).await?;
        let rows = body.get_mut(key).map(Value::take).unwrap_or_default();
        let rows: Vec<Value> = serde_json::from_value(rows).map_err(|source| unreadable(ask, source))?;
        let last = rows.last().and_then(|row| row.get("id")).and_then(Value::as_str).map(str::to_owned);
        for row in rows {
            found.push(serde_json::from_value(row).map_err(|source| unreadable(ask, source))?);
        }
        let has_next = body.get(&links).and_then(Value::as_array).is_some_and(|links| {
            links.iter().any(|link| link.get("rel").and_then(Value::as_str) == Some("next"))
        });
        match last {
            Some(last) if has_next && marker.as_ref() != Some(&last) => marker = Some(last),
            _ => return Ok(found),
        }
    }
    Err(Error::EndlessList { path: ask.path.to_owned(), pages: MOST })
}

fn unreadable(ask: Ask<'_>, source: serde_json::Error) -> Error {
    Error::Unreadable { method: reqwest::Method::GET, path: ask.path.to_owned(), source }
}
