//! Octavia API v2 (`octavia/api/v2/types`): one file a resource.

pub mod flavor;
pub mod health_monitor;
pub mod listener;
pub mod load_balancer;
pub mod member;
pub mod pool;
pub mod provider;
mod status;

use serde::Deserialize;

pub use status::{OperatingStatus, ProvisioningStatus};

use super::catalogue::Kind;
use super::error::Error;
use super::pages;
use super::session::{Ask, Session};

/// A reference to another object.
#[derive(Debug, Clone, Deserialize)]
pub struct Reference {
    /// Its id.
    pub id: String,
}

/// All that carry a tag in the token's project.
async fn tagged<T: serde::de::DeserializeOwned>(
    session: &Session,
    path: &str,
    key: &'static str,
    tag: &str,
) -> Result<Vec<T>, Error> {
    let project = session.project_id().await?;
    let query = [("project_id", project.as_str()), ("tags", tag)];
    pages::all(session, Ask { query: &query, ..ask(path) }, key).await
}

fn ask(path: &str) -> Ask<'_> {
    Ask::new(Kind::LoadBalancer, path)
}
