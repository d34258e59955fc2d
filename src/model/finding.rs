//! What is not as it should be, and who can change it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who or what heals a finding; ordered by urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Disposition {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Time, or another application, heals it.
    Waiting,
    /// A human must act, and the text says how.
    Blocked,
}

/// One thing to say in the status or the log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// Who heals it.
    pub disposition: Disposition,
    /// Present tense, one line, no secret; names the option, key or object and the value.
    pub text: String,
}

impl Finding {
    /// A human must act.
    pub fn blocked(text: impl Into<String>) -> Self {
        Self { disposition: Disposition::Blocked, text: text.into() }
    }

    /// Time heals it.
    pub fn waiting(text: impl Into<String>) -> Self {
        Self { disposition: Disposition::Waiting, text: text.into() }
    }

    /// Worth knowing.
    pub fn note(text: impl Into<String>) -> Self {
        Self { disposition: Disposition::Note, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
