//! `/lbaas/pools` (`octavia/api/v2/types/pool.py`).

use serde::{Deserialize, Serialize};

use super::health_monitor::CreateHealthMonitor;
use super::member::PutMember;
use super::{ProvisioningStatus, Reference, ask, tagged};
use crate::openstack::{Error, Session};

/// A pool as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Pool {
    /// Id.
    pub id: String,
    /// TCP, UDP, …
    pub protocol: String,
    /// ROUND_ROBIN, …
    #[serde(default)]
    pub lb_algorithm: String,
    /// How a client keeps its member.
    pub session_persistence: Option<SessionPersistence>,
    /// Whose it is.
    #[serde(default)]
    pub loadbalancers: Vec<Reference>,
    /// Its monitor.
    pub healthmonitor_id: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What Octavia does with it.
    pub provisioning_status: ProvisioningStatus,
}

impl Pool {
    /// The load balancer that it belongs to.
    pub fn load_balancer_id(&self) -> Option<&str> {
        self.loadbalancers.first().map(|reference| reference.id.as_str())
    }
}

/// How a client keeps its member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionPersistence {
    /// SOURCE_IP, …
    #[serde(rename = "type")]
    pub kind: String,
}

impl SessionPersistence {
    /// By the client's address.
    pub fn source_ip() -> Self {
        Self { kind: "SOURCE_IP".to_owned() }
    }
}

/// A new pool, alone or inside a load balancer.
#[derive(Debug, Clone, Serialize)]
pub struct CreatePool {
    /// Its load balancer, if it is made alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loadbalancer_id: Option<String>,
    /// At most 255 characters; unique in one nested create.
    pub name: String,
    /// TCP or UDP.
    pub protocol: &'static str,
    /// ROUND_ROBIN, …
    pub lb_algorithm: &'static str,
    /// How a client keeps its member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_persistence: Option<SessionPersistence>,
    /// Tags.
    pub tags: Vec<String>,
    /// Members, inside a load balancer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<PutMember>,
    /// Monitor, inside a load balancer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub healthmonitor: Option<CreateHealthMonitor>,
}

/// Changed fields; none stays as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct UpdatePool {
    /// ROUND_ROBIN, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lb_algorithm: Option<&'static str>,
    /// How a client keeps its member; an inner none takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_persistence: Option<Option<SessionPersistence>>,
    /// All tags: a list that is sent replaces the one that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    pool: T,
}

/// All that carry a tag in the token's project.
pub async fn list(session: &Session, tag: &str) -> Result<Vec<Pool>, Error> {
    tagged(session, "/lbaas/pools", "pools", tag).await
}

/// Makes one.
pub async fn create(session: &Session, pool: &CreatePool) -> Result<Pool, Error> {
    session.post(ask("/lbaas/pools"), &Body { pool }).await.map(|body: Body<Pool>| body.pool)
}

/// Changes one.
pub async fn update(session: &Session, id: &str, pool: &UpdatePool) -> Result<(), Error> {
    session.put(ask(&format!("/lbaas/pools/{id}")), &Body { pool }).await
}

/// Deletes one with its members and its monitor.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    session.delete(ask(&format!("/lbaas/pools/{id}"))).await
}
