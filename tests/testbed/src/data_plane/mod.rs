//! What serves a VIP: the narrow contract between the embedded Octavia and the sockets behind it.
//!
//! Octavia tells the data plane what a load balancer should do and asks it how each member fares.

mod balance;
mod bind;
mod config;
mod expected;
mod front;
mod health;
mod pool;
mod probe;
mod relay;
mod session;
mod sockets;
#[cfg(test)]
mod tests;
mod watch;

pub use config::{
    DataPlane, ListenerConfig, MemberConfig, MemberStatus, MonitorConfig, PoolConfig, VipConfig,
};
pub use sockets::Sockets;
