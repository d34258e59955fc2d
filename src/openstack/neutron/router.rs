//! `/routers` (`neutron_lib/api/definitions/l3.py`).

use std::net::IpAddr;

use serde::Deserialize;

use super::ask;
use crate::openstack::session::Ask;
use crate::openstack::{Error, Session, pages};

/// A router as Neutron tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Router {
    /// Its way out.
    pub external_gateway_info: Option<Gateway>,
}

/// A router's way out.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Gateway {
    /// Under which addresses it is seen outside.
    #[serde(default)]
    pub external_fixed_ips: Vec<OutsideIp>,
}

/// An address outside.
#[derive(Debug, Clone, Deserialize)]
pub struct OutsideIp {
    /// The address.
    pub ip_address: IpAddr,
}

/// All of the token's project.
pub async fn list(session: &Session) -> Result<Vec<Router>, Error> {
    let project = session.project_id().await?;
    let query = [("project_id", project.as_str())];
    pages::all(session, Ask { query: &query, ..ask("/routers") }, "routers").await
}
