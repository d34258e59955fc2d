//! `/lbaas/providers` (`octavia/api/v2/types/provider.py`).

use serde::Deserialize;
use tracing::debug;

use super::ask;
use crate::openstack::{Error, Session, pages};

/// What makes load balancers.
#[derive(Debug, Clone, Deserialize)]
struct Provider {
    name: String,
}

/// Whether the cloud offers this one; a cloud that does not tell counts as one that does not.
pub async fn offers(session: &Session, name: &str) -> Result<bool, Error> {
    let providers: Result<Vec<Provider>, Error> =
        pages::all(session, ask("/lbaas/providers"), "providers").await;
    match providers {
        Ok(providers) => Ok(providers.iter().any(|provider| provider.name == name)),
        Err(error @ Error::Api { status: 403 | 404, .. }) => {
            debug!("{error}");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
