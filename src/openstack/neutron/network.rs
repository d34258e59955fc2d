//! `/networks` (`neutron_lib/api/definitions/network.py`).

use serde::Deserialize;

use super::ask;
use crate::openstack::{Error, Session, pages};

/// A network as Neutron tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Network {
    /// Id.
    pub id: String,
}

/// All that the project sees with this name or id.
pub async fn find(session: &Session, name_or_id: &str) -> Result<Vec<Network>, Error> {
    pages::named(session, ask("/networks"), "networks", name_or_id).await
}
