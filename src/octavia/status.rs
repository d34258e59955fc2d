//! Octavia's two statuses (`octavia/common/constants.py`).

use serde::{Deserialize, Serialize};

/// What Octavia does with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Provisioning {
    /// It is as it was asked to be.
    Active,
    /// It is being made.
    PendingCreate,
    /// It, or something of its load balancer, is being changed.
    PendingUpdate,
    /// It is being deleted.
    PendingDelete,
    /// The last operation on it failed.
    Error,
    /// It is gone, and Octavia still says so.
    Deleted,
    /// A status that this charm does not know.
    Unknown,
}

impl Provisioning {
    /// Octavia is at work and takes no other change.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::PendingCreate | Self::PendingUpdate | Self::PendingDelete)
    }

    /// As Octavia spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::PendingCreate => "PENDING_CREATE",
            Self::PendingUpdate => "PENDING_UPDATE",
            Self::PendingDelete => "PENDING_DELETE",
            Self::Error => "ERROR",
            Self::Deleted => "DELETED",
            Self::Unknown => "an unknown status",
        }
    }
}

/// How an object fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Operating {
    /// Healthy.
    Online,
    /// Healthy, with weight 0.
    Draining,
    /// Switched off, or not yet heard of.
    Offline,
    /// Some members are in error.
    Degraded,
    /// A member fails its checks, or all members of a pool do.
    Error,
    /// Nobody checks.
    NoMonitor,
    /// A status that this charm does not know.
    Unknown,
}

impl Operating {
    /// As Octavia spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Online => "ONLINE",
            Self::Draining => "DRAINING",
            Self::Offline => "OFFLINE",
            Self::Degraded => "DEGRADED",
            Self::Error => "ERROR",
            Self::NoMonitor => "NO_MONITOR",
            Self::Unknown => "an unknown status",
        }
    }
}
