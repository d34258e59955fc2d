//! Load balancers in Octavia: one provider of what consumers ask for.
//!
//! `desired`, `observed`, `change`, `plan`, `outcome`, `names`, `show` and `status` are pure; `observe` and `apply` speak to
//! the cloud, `wire` translates for them.

pub mod apply;
pub mod change;
pub mod desired;
pub mod names;
pub mod observe;
pub mod observed;
pub mod outcome;
pub mod plan;
pub mod show;
pub mod status;
mod wire;
