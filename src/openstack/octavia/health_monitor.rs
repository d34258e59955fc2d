//! `/lbaas/healthmonitors` (`octavia/api/v2/types/health_monitor.py`).

use serde::{Deserialize, Serialize};

use super::{ProvisioningStatus, ask, tagged};
use crate::openstack::{Error, Session};

/// A health monitor as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct HealthMonitor {
    /// Id.
    pub id: String,
    /// HTTP, HTTPS, TCP, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Seconds.
    pub delay: u32,
    /// Seconds.
    pub timeout: u32,
    /// Passed checks until up.
    pub max_retries: u32,
    /// Failed checks until down.
    pub max_retries_down: u32,
    /// HTTP only.
    pub http_method: Option<String>,
    /// HTTP only.
    pub url_path: Option<String>,
    /// HTTP only.
    pub expected_codes: Option<String>,
    /// What Octavia does with it.
    pub provisioning_status: ProvisioningStatus,
}

/// A new health monitor, alone or inside a load balancer.
///
/// `http_version` and `domain_name` are never sent: before Octavia 17 they render a line that haproxy 2.8 refuses
/// (Launchpad 2119489).
#[derive(Debug, Clone, Serialize)]
pub struct CreateHealthMonitor {
    /// Its pool, if it is made alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_id: Option<String>,
    /// At most 255 characters.
    pub name: String,
    /// HTTP, HTTPS, TCP, …
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Seconds.
    pub delay: u32,
    /// Seconds.
    pub timeout: u32,
    /// Passed checks until up.
    pub max_retries: u32,
    /// Failed checks until down.
    pub max_retries_down: u32,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_method: Option<String>,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_path: Option<String>,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_codes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
}

/// Changed fields; none stays as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct UpdateHealthMonitor {
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<u32>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// Passed checks until up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Failed checks until down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries_down: Option<u32>,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_method: Option<String>,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_path: Option<String>,
    /// HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_codes: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    healthmonitor: T,
}

/// All that carry a tag in the token's project.
pub async fn list(session: &Session, tag: &str) -> Result<Vec<HealthMonitor>, Error> {
    tagged(session, "/lbaas/healthmonitors", "healthmonitors", tag).await
}

/// One by its id, if it is there.
pub async fn find(session: &Session, id: &str) -> Result<Option<HealthMonitor>, Error> {
    let found: Option<Body<HealthMonitor>> =
        session.find(ask(&format!("/lbaas/healthmonitors/{id}"))).await?;
    Ok(found.map(|body| body.healthmonitor))
}

/// Makes one.
pub async fn create(session: &Session, healthmonitor: &CreateHealthMonitor) -> Result<HealthMonitor, Error> {
    let body = Body { healthmonitor };
    session
        .post(ask("/lbaas/healthmonitors"), &body)
        .await
        .map(|body: Body<HealthMonitor>| body.healthmonitor)
}

/// Changes one; its type cannot change.
pub async fn update(session: &Session, id: &str, healthmonitor: &UpdateHealthMonitor) -> Result<(), Error> {
    session.put(ask(&format!("/lbaas/healthmonitors/{id}")), &Body { healthmonitor }).await
}

/// Deletes one.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    session.delete(ask(&format!("/lbaas/healthmonitors/{id}"))).await
}
