//! `/subnets` (`neutron_lib/api/definitions/subnet.py`).

use ipnet::IpNet;
use serde::Deserialize;

use super::ask;
use crate::openstack::session::Ask;
use crate::openstack::{Error, Session, pages};

/// A subnet as Neutron tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Subnet {
    /// Id.
    pub id: String,
    /// Its network.
    pub network_id: String,
    /// Its addresses.
    pub cidr: IpNet,
}

/// All that the project sees with this name or id; a shared one may belong to another project.
pub async fn find(session: &Session, name_or_id: &str) -> Result<Vec<Subnet>, Error> {
    pages::named(session, ask("/subnets"), "subnets", name_or_id).await
}

/// Those with these ids.
pub async fn all(session: &Session, ids: &[&str]) -> Result<Vec<Subnet>, Error> {
    let query: Vec<(&str, &str)> = ids.iter().map(|id| ("id", *id)).collect();
    pages::all(session, Ask { query: &query, ..ask("/subnets") }, "subnets").await
}
