//! `/lbaas/listeners` (`octavia/api/v2/types/listener.py`).

use serde::{Deserialize, Serialize};

use super::pool::CreatePool;
use super::{ProvisioningStatus, Reference, ask, tagged};
use crate::openstack::{Error, Session};

/// A listener as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Listener {
    /// Id.
    pub id: String,
    /// TCP, UDP, HTTP, …
    pub protocol: String,
    /// The front port.
    pub protocol_port: u16,
    /// Where the traffic goes.
    pub default_pool_id: Option<String>,
    /// Who may connect; null means everybody.
    pub allowed_cidrs: Option<Vec<String>>,
    /// Whose it is.
    #[serde(default)]
    pub loadbalancers: Vec<Reference>,
    /// Milliseconds.
    #[serde(default)]
    pub timeout_client_data: u64,
    /// Milliseconds.
    #[serde(default)]
    pub timeout_member_connect: u64,
    /// Milliseconds.
    #[serde(default)]
    pub timeout_member_data: u64,
    /// What Octavia does with it.
    pub provisioning_status: ProvisioningStatus,
}

impl Listener {
    /// The load balancer that it belongs to.
    pub fn load_balancer_id(&self) -> Option<&str> {
        self.loadbalancers.first().map(|reference| reference.id.as_str())
    }
}

/// A new listener, alone or inside a load balancer.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CreateListener {
    /// Its load balancer, if it is made alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loadbalancer_id: Option<String>,
    /// At most 255 characters.
    pub name: String,
    /// TCP or UDP.
    pub protocol: &'static str,
    /// The front port.
    pub protocol_port: u16,
    /// Tags.
    pub tags: Vec<String>,
    /// Where the traffic goes, if that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_pool_id: Option<String>,
    /// Where the traffic goes, if that is made with it; only inside a load balancer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_pool: Option<CreatePool>,
    /// Who may connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_cidrs: Option<Vec<String>>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_client_data: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_member_connect: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_member_data: Option<u64>,
}

/// Changed fields; none stays as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct UpdateListener {
    /// Where the traffic goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_pool_id: Option<String>,
    /// Who may connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_cidrs: Option<Vec<String>>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_client_data: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_member_connect: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_member_data: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    listener: T,
}

/// All that carry a tag in the token's project.
pub async fn list(session: &Session, tag: &str) -> Result<Vec<Listener>, Error> {
    tagged(session, "/lbaas/listeners", "listeners", tag).await
}

/// Makes one.
pub async fn create(session: &Session, listener: &CreateListener) -> Result<Listener, Error> {
    let body = Body { listener };
    session.post(ask("/lbaas/listeners"), &body).await.map(|body: Body<Listener>| body.listener)
}

/// Changes one.
pub async fn update(session: &Session, id: &str, listener: &UpdateListener) -> Result<(), Error> {
    session.put(ask(&format!("/lbaas/listeners/{id}")), &Body { listener }).await
}

/// Deletes one; its pool stays.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    session.delete(ask(&format!("/lbaas/listeners/{id}"))).await
}
