//! What is true now, in words that every provider shares.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::request::RequestKey;

/// Every wanted load balancer as it stands at the end of a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// By request.
    pub load_balancers: BTreeMap<RequestKey, LoadBalancer>,
}

/// One load balancer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadBalancer {
    /// Whether traffic can be sent to it.
    pub state: State,
    /// Whether all that was to be changed in this hook was; otherwise a consumer keeps the answer that it has.
    pub is_settled: bool,
    /// Parts that the provider could not make as they are meant, while traffic flows; one line each.
    pub trouble: Vec<String>,
    /// Its members, front port by front port.
    pub members: Vec<Member>,
}

/// Whether traffic can be sent to a load balancer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// All that was asked for stands, at this address.
    Ready(IpAddr),
    /// It is being made or changed; the text says what is waited for.
    Pending(String),
    /// What a field of the request asks for cannot be had.
    Unsupported {
        /// The request's field.
        field: String,
        /// Why.
        reason: String,
    },
    /// The provider gave up; the text says so and what a human can do.
    Failed(String),
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// The unit, or the address.
    pub name: String,
    /// Where it listens.
    pub socket: SocketAddr,
    /// What the health monitor says.
    pub health: MemberHealth,
}

/// What a health monitor says of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MemberHealth {
    /// It passes its checks.
    Online,
    /// It fails them.
    Down,
    /// Nothing was heard yet.
    Unknown,
    /// Nobody checks.
    NotMonitored,
    /// An operator switched it off.
    SwitchedOff,
}
