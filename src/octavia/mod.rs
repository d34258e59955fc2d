//! Load balancers in Octavia: one provider of what consumers ask for.
//!
//! `desired`, `observed`, `change`, `plan`, `names` and `status` are pure; `observe` and `apply` speak to the cloud.

pub mod change;
pub mod desired;
pub mod names;
pub mod observed;
pub mod plan;
pub mod status;
