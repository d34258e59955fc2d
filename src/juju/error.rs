//! What can go wrong between us and Juju's hook tools.

use thiserror::Error;

/// A hook tool that failed.
#[derive(Debug, Error)]
pub enum Error {
    /// It could not be started.
    #[error("failed to start {tool}")]
    Start {
        /// The tool.
        tool: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// It said no; its arguments are not repeated, since the text says what is wrong.
    #[error("{tool} failed with code {code}: {stderr}")]
    Failed {
        /// The tool.
        tool: &'static str,
        /// 1 for a refusal, 2 for bad arguments, -1 for a signal.
        code: i32,
        /// Its words.
        stderr: String,
    },
    /// Its answer is not what it documents.
    #[error("failed to read the answer of {tool}")]
    Unreadable {
        /// The tool.
        tool: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

impl Error {
    /// The relation is gone, or its bag is closed to us: wordings differ between Juju 3.6 and 4.0, so parts are
    /// matched, never a sentence (`canonical/operator` PR 2748).
    pub fn is_out_of_reach(&self) -> bool {
        self.says("relation not found") || self.says("permission denied") || self.says("settings not found")
    }

    /// The relation itself is gone.
    pub fn is_relation_gone(&self) -> bool {
        self.says("relation not found")
    }

    /// Another unit leads by now, and only the leader may write an application's databag.
    pub fn is_not_leader(&self) -> bool {
        self.says("cannot write relation settings") || self.says("not the leader")
    }

    /// Credentials are not for us until `juju trust`.
    pub fn is_permission_denied(&self) -> bool {
        self.says("permission denied")
    }

    fn says(&self, words: &str) -> bool {
        matches!(self, Self::Failed { stderr, .. } if stderr.contains(words))
    }
}
