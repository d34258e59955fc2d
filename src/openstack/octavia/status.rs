//! Octavia's two statuses on the wire (`octavia/common/constants.py`).

use serde::Deserialize;

/// `provisioning_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProvisioningStatus {
    /// `ACTIVE`
    Active,
    /// `PENDING_CREATE`
    PendingCreate,
    /// `PENDING_UPDATE`
    PendingUpdate,
    /// `PENDING_DELETE`
    PendingDelete,
    /// `ERROR`
    Error,
    /// `DELETED`
    Deleted,
    /// Anything else.
    #[serde(other)]
    Unknown,
}

/// `operating_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OperatingStatus {
    /// `ONLINE`
    Online,
    /// `DRAINING`
    Draining,
    /// `OFFLINE`
    Offline,
    /// `DEGRADED`
    Degraded,
    /// `ERROR`
    Error,
    /// `NO_MONITOR`
    NoMonitor,
    /// Anything else.
    #[serde(other)]
    Unknown,
}
