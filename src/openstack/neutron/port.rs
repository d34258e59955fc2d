//! `/ports` (`neutron_lib/api/definitions/port.py`).

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::{ask, marked};
use crate::openstack::session::Ask;
use crate::openstack::{Error, Session, pages};

/// A port as Neutron tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Port {
    /// Id.
    pub id: String,
    /// At most 255 characters.
    pub name: Option<String>,
    /// Free text; at most 255 characters.
    pub description: Option<String>,
    /// Its network.
    pub network_id: String,
    /// Its addresses.
    #[serde(default)]
    pub fixed_ips: Vec<FixedIp>,
}

/// An address in a subnet.
#[derive(Debug, Clone, Deserialize)]
pub struct FixedIp {
    /// The subnet.
    pub subnet_id: String,
    /// The address.
    pub ip_address: IpAddr,
}

/// A new port; tags are ignored at creation, so its mark is its description.
#[derive(Debug, Clone, Serialize)]
pub struct CreatePort {
    /// At most 255 characters.
    pub name: String,
    /// Free text.
    pub description: String,
    /// Its network.
    pub network_id: String,
    /// Its address.
    pub fixed_ips: Vec<AskedIp>,
}

/// A subnet, and an address in it if one is wished for.
#[derive(Debug, Clone, Serialize)]
pub struct AskedIp {
    /// The subnet.
    pub subnet_id: String,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<IpAddr>,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    port: T,
}

/// All ports of the token's project: ours by how their description begins, and the addresses of everybody's machines.
///
/// One of somebody else's that cannot be read is left out.
pub async fn list(session: &Session, prefix: &str) -> Result<Vec<Port>, Error> {
    let project = session.project_id().await?;
    let query = [
        ("project_id", project.as_str()),
        ("fields", "id"),
        ("fields", "name"),
        ("fields", "description"),
        ("fields", "network_id"),
        ("fields", "fixed_ips"),
    ];
    pages::needed(session, Ask { query: &query, ..ask("/ports") }, "ports", |row| marked(row, prefix)).await
}

/// Makes one.
pub async fn create(session: &Session, port: &CreatePort) -> Result<Port, Error> {
    session.post(ask("/ports"), &Body { port }).await.map(|body: Body<Port>| body.port)
}

/// Gives it another name.
pub async fn rename(session: &Session, id: &str, name: &str) -> Result<(), Error> {
    session.put(ask(&format!("/ports/{id}")), &serde_json::json!({"port": {"name": name}})).await
}

/// Deletes one.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    session.delete(ask(&format!("/ports/{id}"))).await
}
