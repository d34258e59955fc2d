//! `/lbaas/pools/{id}/members` (`octavia/api/v2/types/member.py`).

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{OperatingStatus, ProvisioningStatus, ask};
use crate::openstack::session::Ask;
use crate::openstack::{Error, Session, pages};

/// A batch of 160 members was seen to take more than a minute.
const BATCH: Duration = Duration::from_mins(3);

/// A member as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Member {
    /// Id.
    pub id: String,
    /// At most 255 characters.
    #[serde(default)]
    pub name: String,
    /// Where it listens.
    pub address: IpAddr,
    /// The port that gets traffic.
    pub protocol_port: u16,
    /// 0 to 256; a null, which a batch PUT can leave, works like 0.
    pub weight: Option<u32>,
    /// Used only when all others are down.
    #[serde(default)]
    pub backup: bool,
    /// The subnet from which it is reached.
    pub subnet_id: Option<String>,
    /// Where the checks go.
    pub monitor_port: Option<u16>,
    /// Where the checks go.
    pub monitor_address: Option<IpAddr>,
    /// Whether it may be used.
    pub admin_state_up: bool,
    /// What Octavia does with it.
    pub provisioning_status: ProvisioningStatus,
    /// How it fares.
    pub operating_status: OperatingStatus,
}

/// A member with every field: a batch PUT resets the weight, the switches and the monitor's place if it leaves them out.
#[derive(Debug, Clone, Serialize)]
pub struct PutMember {
    /// At most 255 characters.
    pub name: String,
    /// Where it listens.
    pub address: IpAddr,
    /// The port that gets traffic.
    pub protocol_port: u16,
    /// 0 to 256.
    pub weight: u32,
    /// Used only when all others are down.
    pub backup: bool,
    /// Whether it may be used.
    pub admin_state_up: bool,
    /// The subnet from which it is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subnet_id: Option<String>,
    /// Where the checks go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor_port: Option<u16>,
    /// Tags.
    pub tags: Vec<String>,
}

/// All members of a pool.
pub async fn list(session: &Session, pool: &str) -> Result<Vec<Member>, Error> {
    pages::all(session, ask(&format!("/lbaas/pools/{pool}/members")), "members").await
}

/// Makes the members of a pool exactly these.
pub async fn put(session: &Session, pool: &str, members: &[PutMember]) -> Result<(), Error> {
    let path = format!("/lbaas/pools/{pool}/members");
    session.put(Ask { limit: BATCH, ..ask(&path) }, &serde_json::json!({"members": members})).await
}
