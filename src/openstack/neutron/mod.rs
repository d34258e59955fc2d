//! Neutron API v2.0: ports, floating IPs, subnets and networks, as far as a load balancer needs them.

pub mod floating_ip;
pub mod network;
pub mod port;
pub mod router;
pub mod subnet;

use serde_json::Value;

use super::catalogue::Kind;
use super::session::Ask;

fn ask(path: &str) -> Ask<'_> {
    Ask::new(Kind::Network, path)
}

/// Whether a row's description begins so.
fn marked(row: &Value, prefix: &str) -> bool {
    row.get("description").and_then(Value::as_str).is_some_and(|text| text.starts_with(prefix))
}
