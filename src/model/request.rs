//! One wanted load balancer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::health::HealthCheck;
use super::ids::{RelationId, UnitName};
use super::port::Port;
use super::traffic::{Algorithm, Protocol};

/// Which request: two clusters may use the same name over two relations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RequestKey {
    /// The relation that carries it.
    pub relation: RelationId,
    /// The request's name, chosen by the consumer: any text.
    pub name: String,
}

impl fmt::Display for RequestKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.name.escape_default(), self.relation)
    }
}

/// A load balancer that a consumer asks for, understood and valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Which request.
    pub key: RequestKey,
    /// The consumer's application.
    pub consumer: String,
    /// What flows.
    pub protocol: Protocol,
    /// Front port to back-end port; never empty.
    pub ports: BTreeMap<Port, Port>,
    /// Whether it must be reachable from outside.
    pub public: bool,
    /// A client keeps its member.
    pub sticky: bool,
    /// How members are chosen, where the consumer has a wish that we know.
    pub algorithm: Option<Algorithm>,
    /// The address that the consumer wishes for.
    pub ingress_address: Option<IpAddr>,
    /// Where the traffic goes; may be empty while units come up.
    pub back_ends: BTreeSet<BackEnd>,
    /// What the consumer wishes to be checked, in its order.
    pub checks: Vec<HealthCheck>,
    /// The consumer's own hash of the request, echoed in the answer.
    pub sent_hash: Option<String>,
}

/// An address that serves, and the unit behind it where we know it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BackEnd {
    /// Where it listens.
    pub address: IpAddr,
    /// The consumer's unit.
    pub unit: Option<UnitName>,
}

/// A request that cannot be served as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Which request.
    pub key: RequestKey,
    /// The request's field to what is wrong with it and what would be right; never empty.
    pub fields: BTreeMap<String, String>,
    /// The request's `sent_hash`, if it could be read.
    pub received_hash: Option<String>,
}
