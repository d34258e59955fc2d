//! What stands behind a load balancer: servers that a scenario can stop, hang and bring back, and clients that ask
//! through the VIP.

mod back_end;
mod fetch;
mod http;
mod serve;
#[cfg(test)]
mod tests;
mod traffic;

pub use back_end::{BackEnd, Kind};
pub use fetch::{fetch_http, fetch_https};
pub use traffic::{Tally, Traffic};
