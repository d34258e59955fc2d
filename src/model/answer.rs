//! What a consumer is told.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// The answer to one request: an address, or why there will be none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Here it is.
    Address {
        /// The VIP, or the floating IP of a public request; never a unit's own address.
        address: IpAddr,
        /// The request's `sent_hash`, by which a consumer knows that this request was meant.
        received_hash: Option<String>,
    },
    /// The request asks for what cannot be; given only to a request that never had an address.
    Unsupported {
        /// The request's field to what is wrong with it; never empty.
        fields: BTreeMap<String, String>,
        /// The request's `sent_hash`.
        received_hash: Option<String>,
    },
}
