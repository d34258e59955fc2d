//! `/lbaas/flavors` (`octavia/api/v2/types/flavors.py`).

use serde::Deserialize;

use super::ask;
use crate::openstack::{Error, Session, pages};

/// A flavor as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Flavor {
    /// Id.
    pub id: String,
}

/// All that have this name or id.
pub async fn find(session: &Session, name_or_id: &str) -> Result<Vec<Flavor>, Error> {
    pages::named(session, ask("/lbaas/flavors"), "flavors", name_or_id).await
}
