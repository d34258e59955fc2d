//! Neutron API v2.0: ports, floating IPs, subnets and networks, as far as a load balancer needs them.

pub mod floating_ip;
pub mod network;
pub mod port;
pub mod subnet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::catalogue::Kind;
use super::error::Error;
use super::pages;
use super::session::{Ask, Session};

fn ask(path: &str) -> Ask<'_> {
    Ask::new(Kind::Network, path)
}

/// By id if it looks like one, else by name.
async fn named<T: DeserializeOwned>(
    session: &Session,
    path: &str,
    key: &'static str,
    name_or_id: &str,
) -> Result<Vec<T>, Error> {
    let field = if is_uuid(name_or_id) { "id" } else { "name" };
    let query = [(field, name_or_id)];
    pages::all(session, Ask { query: &query, ..ask(path) }, key).await
}

/// Whether a row's description begins so.
fn marked(row: &Value, prefix: &str) -> bool {
    row.get("description").and_then(Value::as_str).is_some_and(|text| text.starts_with(prefix))
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
