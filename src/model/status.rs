//! A workload status.

use serde::{Deserialize, Serialize};

/// A workload status that a charm may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// All is well.
    Active,
    /// Time, or another application, heals it.
    Waiting,
    /// A human must act.
    Blocked,
}

impl Level {
    /// As `status-set` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
        }
    }
}

/// A status and its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The status.
    pub level: Level,
    /// The line.
    pub message: String,
}
