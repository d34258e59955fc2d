//! `/subnets` (`neutron_lib/api/definitions/subnet.py`).

use ipnet::IpNet;
use serde::Deserialize;

use super::named;
use crate::openstack::{Error, Session};

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
    named(session, "/subnets", "subnets", name_or_id).await
}
