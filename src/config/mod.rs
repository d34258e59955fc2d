//! Options as Juju gives them, parsed once into what cannot be wrong.

mod certificates;
mod credentials;
mod options;
mod policy;

pub use credentials::{CloudCredential, credentials};
pub use options::{Default, OPTIONS, OptionSpecification, secret_names};
pub use policy::policy;
