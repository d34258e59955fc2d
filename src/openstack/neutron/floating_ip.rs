//! `/floatingips` (`neutron_lib/api/definitions/l3.py`).

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ask, marked};
use crate::openstack::session::Ask;
use crate::openstack::{Error, Session, pages};

/// A floating IP as Neutron tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct FloatingIp {
    /// Id.
    pub id: String,
    /// Free text.
    pub description: Option<String>,
    /// The address.
    pub floating_ip_address: IpAddr,
    /// Where it comes from.
    pub floating_network_id: String,
    /// Where it leads.
    pub port_id: Option<String>,
}

/// A new floating IP; tags give 400 at creation, so its mark is its description.
#[derive(Debug, Clone, Serialize)]
pub struct CreateFloatingIp {
    /// Where it comes from.
    pub floating_network_id: String,
    /// Where it leads.
    pub port_id: String,
    /// Free text.
    pub description: String,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    floatingip: T,
}

/// All of the token's project; ours by how their description begins.
///
/// One of somebody else's that cannot be read is left out.
pub async fn list(session: &Session, prefix: &str) -> Result<Vec<FloatingIp>, Error> {
    let project = session.project_id().await?;
    let query = [("project_id", project.as_str())];
    pages::needed(session, Ask { query: &query, ..ask("/floatingips") }, "floatingips", |row| {
        marked(row, prefix)
    })
    .await
}

/// Makes one.
pub async fn create(session: &Session, floatingip: &CreateFloatingIp) -> Result<FloatingIp, Error> {
    let body = Body { floatingip };
    session.post(ask("/floatingips"), &body).await.map(|body: Body<FloatingIp>| body.floatingip)
}

/// Leads it to a port.
pub async fn attach(session: &Session, id: &str, port: &str) -> Result<(), Error> {
    session.put(ask(&format!("/floatingips/{id}")), &json!({"floatingip": {"port_id": port}})).await
}

/// Deletes one.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    session.delete(ask(&format!("/floatingips/{id}"))).await
}
