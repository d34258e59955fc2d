//! Juju: the only module that reads `JUJU_*` and starts processes.

mod context;
pub mod endpoint;
mod error;
pub mod log;
pub mod publish;
mod snapshot;
pub mod tools;

pub use context::{Context, Invocation, Proxies};
pub use error::Error;
pub use snapshot::{CloudCredential, Relation, Secrets, Snapshot, take, take_options};
