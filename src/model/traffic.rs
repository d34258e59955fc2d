//! What flows and how it is spread.

use serde::{Deserialize, Serialize};

/// What a consumer says about its traffic or asks a check to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Bytes over TCP.
    Tcp,
    /// Datagrams.
    Udp,
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Protocol {
    /// All of them, as the `loadbalancer` interface spells them.
    pub const ALL: [(&'static str, Self); 4] =
        [("tcp", Self::Tcp), ("udp", Self::Udp), ("http", Self::Http), ("https", Self::Https)];
}

/// How a load balancer chooses a member for a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Algorithm {
    /// Each in turn.
    RoundRobin,
    /// The one with the fewest connections.
    LeastConnections,
    /// By the client's address.
    SourceIp,
    /// By the client's address and port.
    SourceIpPort,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::RoundRobin, Self::LeastConnections, Self::SourceIp, Self::SourceIpPort];

    /// As the option `lb-method` and Octavia spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "ROUND_ROBIN",
            Self::LeastConnections => "LEAST_CONNECTIONS",
            Self::SourceIp => "SOURCE_IP",
            Self::SourceIpPort => "SOURCE_IP_PORT",
        }
    }
}
